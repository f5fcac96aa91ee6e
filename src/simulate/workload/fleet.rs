//! The pods of a workload, from second to second.

use jiff::Timestamp;

use crate::api::Phase;
use crate::controller::prepared::Pod;
use crate::controller::{Nanos, SECOND};

use super::model::Model;

/// When the pods that are there from the start were Ready.
pub(super) const LONG_AGO: i64 = -86_400;
/// Later than any second.
const NEVER: i64 = i64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedPod {
    /// When it found a node; [`NEVER`] where it has not yet.
    pub scheduled: i64,
    /// When its containers run.
    pub running: i64,
    /// When it is Ready.
    pub ready: i64,
    /// Until when its first sample measures; absent where a whole window of
    /// running decides.
    pub sampled: Option<i64>,
    template: usize,
}

impl SimulatedPod {
    /// One that found a node at a second, as one of several.
    fn started(model: &Model, second: i64, number: usize, template: usize) -> Self {
        let timing = model.timing.as_ref();
        let recorded = timing.and_then(|timing| timing.start(second, number));
        let ready = recorded.map_or(model.start_up + model.readiness, |it| it.ready);
        Self {
            scheduled: second,
            running: second + recorded.map_or(model.start_up, |it| it.running),
            ready: second + ready,
            sampled: recorded.map(|it| second + it.sampled),
            template,
        }
    }

    /// One that is there at second 0. What is not so yet comes about as it
    /// does with a pod that starts, and at once where it is late.
    pub fn found(model: &Model, pod: &Pod, is_sampled: bool, start: Timestamp) -> Self {
        let second = |at: Nanos| {
            let seconds = (at - start.as_nanosecond()).div_euclid(SECOND);
            i64::try_from(seconds).unwrap_or(LONG_AGO)
        };
        let own = Self::started(model, pod.started.map_or(0, second), 0, 0);
        let ready = pod.ready.filter(|ready| ready.is_true);
        Self {
            running: match pod.phase {
                Phase::Pending => own.running.max(1),
                _ => own.scheduled,
            },
            ready: ready.map_or(own.ready.max(1), |ready| second(ready.changed).min(0)),
            sampled: Some(match own.sampled {
                _ if is_sampled => LONG_AGO,
                sampled => sampled.unwrap_or(own.running + model.window).max(0),
            }),
            ..own
        }
    }

    /// Whether it found a node.
    pub fn has_node(self) -> bool {
        self.scheduled != NEVER
    }
}

/// The pods of a workload, as its controllers keep them.
#[derive(Clone, Debug)]
pub struct Fleet<'m> {
    model: &'m Model,
    /// The pods, the oldest first.
    pub pods: Vec<SimulatedPod>,
    desired: i32,
    template: usize,
    /// Pods that found a node.
    pub placed: i64,
    /// Pods that are Ready and take their share.
    pub serving: i64,
    /// The next second at which anything changes by itself.
    pub next: i64,
}

impl<'m> Fleet<'m> {
    /// Pods that have been there for long.
    pub fn new(model: &'m Model, replicas: i32) -> Self {
        let mut fleet = Self::of(model, replicas, Vec::new());
        let start = model.start_up.saturating_add(model.readiness);
        fleet.reconcile(LONG_AGO.saturating_sub(start));
        fleet.settle(0);
        fleet
    }

    /// Pods that are there at second 0, where so many are wanted.
    pub fn found(model: &'m Model, replicas: i32, mut pods: Vec<SimulatedPod>) -> Self {
        pods.sort_by_key(|pod| pod.scheduled);
        let mut fleet = Self::of(model, replicas, pods);
        fleet.settle(0);
        fleet
    }

    fn of(model: &'m Model, replicas: i32, pods: Vec<SimulatedPod>) -> Self {
        Self {
            model,
            pods,
            desired: replicas,
            template: 0,
            placed: 0,
            serving: 0,
            next: 0,
        }
    }

    /// Another size is asked for.
    pub fn resize(&mut self, replicas: i32, second: i64) {
        if replicas != self.desired {
            self.desired = replicas;
            self.settle(second);
        }
    }

    /// What becomes different at a second by itself.
    pub fn tick(&mut self, second: i64) {
        if second >= self.next {
            self.settle(second);
        }
    }

    fn settle(&mut self, second: i64) {
        let rollouts = self.model.rollouts.iter();
        self.template = rollouts.filter(|at| **at <= second).count();
        self.reconcile(second);
        self.placed = count(&self.pods, |pod| pod.has_node());
        self.serving = count(&self.pods, |pod| pod.ready <= second);
        let ready = self.pods.iter().map(|pod| pod.ready);
        let changes = ready.chain(self.model.rollouts.iter().copied());
        self.next = changes.filter(|at| *at > second).min().unwrap_or(NEVER);
    }

    /// What a Deployment and its `ReplicaSets` do, until there is nothing left
    /// to do at this second.
    fn reconcile(&mut self, second: i64) {
        while self.step(second) {}
    }

    /// One round of that; whether anything was done.
    fn step(&mut self, second: i64) -> bool {
        let (template, desired) = (self.template, i64::from(self.desired));
        let is_old = |pod: &SimulatedPod| pod.template != template;
        let is_ready = |pod: &SimulatedPod| pod.ready <= second;
        let old = count(&self.pods, is_old);
        let new = count(&self.pods, |pod| !is_old(pod));
        let surge = if old > 0 {
            share(desired + 3).max(1)
        } else {
            0
        };
        let mut is_busy = self.add((desired - new).min(desired + surge - new - old));
        is_busy |= self.remove(new - desired, second, |pod| !is_old(pod));
        if old > 0 {
            let idle = count(&self.pods, |pod| is_old(pod) && !is_ready(pod));
            is_busy |= self.remove(idle, second, |pod| is_old(pod) && !is_ready(pod));
            let spare = count(&self.pods, is_ready) - (desired - share(desired));
            is_busy |= self.remove(spare.min(old - idle), second, is_old);
        }
        self.schedule(second);
        is_busy
    }

    fn add(&mut self, pods: i64) -> bool {
        for _ in 0..pods {
            self.pods.push(SimulatedPod {
                scheduled: NEVER,
                running: NEVER,
                ready: NEVER,
                sampled: None,
                template: self.template,
            });
        }
        pods > 0
    }

    /// As a `ReplicaSet` does, those go first that have no node, then those
    /// that are not Ready, then the youngest.
    fn remove(&mut self, pods: i64, second: i64, of: impl Fn(&SimulatedPod) -> bool) -> bool {
        let Ok(mut left @ 1..) = usize::try_from(pods) else {
            return false;
        };
        let before = self.pods.len();
        let ranks: [fn(&SimulatedPod, i64) -> bool; 3] = [
            |pod, _| !pod.has_node(),
            |pod, second| pod.ready > second,
            |_, _| true,
        ];
        for rank in ranks {
            let is_intended = |pod: &SimulatedPod| of(pod) && rank(pod, second);
            let intended = self.pods.iter().filter(|pod| is_intended(pod)).count();
            // The youngest come last.
            let mut stay = intended.saturating_sub(left);
            left -= intended - stay;
            self.pods.retain(|pod| {
                let stays = !is_intended(pod) || stay > 0;
                stay = stay.saturating_sub(usize::from(is_intended(pod)));
                stays
            });
        }
        self.pods.len() < before
    }

    /// Pods without a node find one, as far as there is room.
    fn schedule(&mut self, second: i64) {
        let placed = count(&self.pods, |pod| pod.has_node());
        let mut room = self.model.capacity.map_or(i64::MAX, i64::from) - placed;
        let never_ready = count(&self.pods, |pod| pod.has_node() && pod.ready == NEVER);
        let mut crashing = i64::from(self.model.crashing) - never_ready;
        let waiting = self.pods.iter_mut().filter(|pod| !pod.has_node());
        for (number, pod) in waiting.enumerate() {
            if room <= 0 {
                break;
            }
            room -= 1;
            *pod = SimulatedPod::started(self.model, second, number, pod.template);
            if crashing > 0 {
                pod.ready = NEVER;
            }
            crashing -= 1;
        }
    }
}

/// The pods that a rolling update may add, rounded up, or that may be missing,
/// rounded down: a quarter, as the API has it by default.
fn share(pods: i64) -> i64 {
    pods / 4
}

fn count(pods: &[SimulatedPod], is_intended: impl Fn(&SimulatedPod) -> bool) -> i64 {
    let intended = pods.iter().filter(|pod| is_intended(pod)).count();
    i64::try_from(intended).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use crate::controller::prepared::ReadyCondition;

    use super::*;

    /// Runs a fleet to a second, and tells its pods and those that serve.
    fn at(fleet: &mut Fleet, from: i64, to: i64) -> (usize, i64) {
        for second in from..=to {
            fleet.tick(second);
        }
        (fleet.pods.len(), fleet.serving)
    }

    #[test]
    fn pods_start_and_the_youngest_go_first() {
        let model = Model::default();
        let mut fleet = Fleet::new(&model, 3);
        assert_eq!(at(&mut fleet, 0, 0), (3, 3));
        fleet.resize(5, 10);
        assert_eq!(at(&mut fleet, 11, 24), (5, 3));
        assert_eq!(at(&mut fleet, 25, 25), (5, 5));
        fleet.resize(4, 30);
        assert_eq!(fleet.serving, 4);
        assert!(fleet.pods.iter().filter(|pod| pod.scheduled == 10).count() == 1);
    }

    /// What a pod has done so far stays; what is late comes at once.
    #[test]
    fn pods_that_are_there_go_on_as_they_began() {
        let model = Model::default();
        let start = Timestamp::UNIX_EPOCH;
        let at = |second: i64| Nanos::from(second) * SECOND;
        let pod = |phase, started, is_true| Pod {
            name: "web",
            terminating: false,
            phase,
            started: Some(at(started)),
            ready: Some(ReadyCondition {
                is_true,
                is_false: !is_true,
                changed: at(started + 40),
            }),
        };
        // Since when it runs, and when it is Ready and has a sample.
        let rows = [
            (
                pod(Phase::Running, -300, true),
                true,
                (-300, -260, LONG_AGO),
            ),
            (pod(Phase::Running, -300, true), false, (-300, -260, 0)),
            (pod(Phase::Running, -12, false), false, (-12, 3, 28)),
            (pod(Phase::Pending, -4, false), false, (6, 11, 36)),
            (pod(Phase::Pending, -60, false), false, (1, 1, 0)),
        ];
        let mut checked = 0;
        for (pod, is_sampled, (running, ready, sampled)) in rows {
            let found = SimulatedPod::found(&model, &pod, is_sampled, start);
            let own = (found.running, found.ready, found.sampled);
            assert_eq!(own, (running, ready, Some(sampled)), "{pod:?}");
            checked += 1;
        }
        assert_eq!(checked, 5);
    }

    #[test]
    fn a_rolling_update_adds_a_quarter_and_lets_a_quarter_miss() {
        let model = Model {
            rollouts: vec![100],
            ..Model::default()
        };
        let mut fleet = Fleet::new(&model, 8);
        let (mut most, mut least) = (0, i64::MAX);
        for second in 0..400 {
            let (pods, serving) = at(&mut fleet, second, second);
            most = most.max(pods);
            least = least.min(serving);
        }
        assert_eq!((most, least), (10, 6));
        assert_eq!((fleet.pods.len(), fleet.serving), (8, 8));
        assert!(fleet.pods.iter().all(|pod| pod.scheduled >= 100));
    }

    #[test]
    fn room_and_crashing_pods_are_kept_to() {
        let model = Model {
            capacity: Some(5),
            crashing: 2,
            ..Model::default()
        };
        let mut fleet = Fleet::new(&model, 8);
        assert_eq!(at(&mut fleet, 0, 0), (8, 3));
        let placed = |fleet: &Fleet| count(&fleet.pods, |pod| pod.has_node());
        assert_eq!(placed(&fleet), 5);
        // Those without a node go first, then those that are not Ready.
        fleet.resize(4, 10);
        assert_eq!((placed(&fleet), fleet.serving), (4, 3));
    }

    #[test]
    fn a_hundred_thousand_pods_come_and_go() {
        let model = Model::default();
        let mut fleet = Fleet::new(&model, 1);
        fleet.resize(100_000, 5);
        assert_eq!(at(&mut fleet, 6, 60), (100_000, 100_000));
        fleet.resize(1, 61);
        assert_eq!(fleet.serving, 1);
    }
}
