//! The pods of a workload, from second to second.

use super::model::Model;

/// Of a rolling update, the share of pods that may be added, and that may be
/// missing: the Deployment's defaults, in percent.
const SURGE: i32 = 25;
/// When the pods that are there from the start began.
const LONG_AGO: i64 = -86_400;
/// Later than any second.
const NEVER: i64 = i64::MAX;

/// A pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedPod {
    /// When it found a node; [`NEVER`] where it has not yet.
    pub scheduled: i64,
    /// When its containers run.
    pub running: i64,
    /// When it is Ready.
    pub ready: i64,
    /// Which template it is of.
    template: usize,
}

impl SimulatedPod {
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
    wanted: i32,
    template: usize,
    /// Pods that are Ready and take their share.
    pub serving: i64,
    /// The next second at which anything changes by itself.
    next: i64,
}

impl<'m> Fleet<'m> {
    /// Pods that have been there for long.
    pub fn new(model: &'m Model, replicas: i32) -> Self {
        let mut fleet = Self {
            model,
            pods: Vec::new(),
            wanted: replicas,
            template: 0,
            serving: 0,
            next: LONG_AGO,
        };
        fleet.reconcile(LONG_AGO);
        fleet.settle(0);
        fleet
    }

    /// Another size is asked for.
    pub fn resize(&mut self, replicas: i32, second: i64) {
        if replicas != self.wanted {
            self.wanted = replicas;
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
        self.serving = count(&self.pods, |pod| pod.ready <= second);
        let ready = self.pods.iter().map(|pod| pod.ready);
        let changes = ready.chain(self.model.rollouts.iter().copied());
        self.next = changes.filter(|at| *at > second).min().unwrap_or(NEVER);
    }

    /// What a Deployment and its `ReplicaSets` do, until there is nothing left
    /// to do at this second.
    fn reconcile(&mut self, second: i64) {
        loop {
            let before = self.pods.clone();
            self.step(second);
            if self.pods == before {
                return;
            }
        }
    }

    fn step(&mut self, second: i64) {
        let template = self.template;
        let is_old = |pod: &SimulatedPod| pod.template != template;
        let old = count(&self.pods, is_old);
        let surge = (self.wanted.saturating_mul(SURGE) + 99) / 100;
        let most = i64::from(self.wanted) + if old > 0 { i64::from(surge.max(1)) } else { 0 };
        let new = count(&self.pods, |pod| !is_old(pod));
        let room = most - new - old;
        self.add((i64::from(self.wanted) - new).min(room));
        self.remove(new - i64::from(self.wanted), second, |pod| !is_old(pod));
        if old > 0 {
            let may_miss = i64::from(self.wanted.saturating_mul(SURGE) / 100);
            let least = i64::from(self.wanted) - may_miss;
            let is_ready = |pod: &SimulatedPod| pod.ready <= second;
            let idle = count(&self.pods, |pod| is_old(pod) && !is_ready(pod));
            self.remove(idle, second, |pod| is_old(pod) && !is_ready(pod));
            let spare = count(&self.pods, is_ready) - least;
            self.remove(spare.min(old - idle), second, is_old);
        }
        self.schedule(second);
    }

    fn add(&mut self, pods: i64) {
        for _ in 0..pods {
            self.pods.push(SimulatedPod {
                scheduled: NEVER,
                running: NEVER,
                ready: NEVER,
                template: self.template,
            });
        }
    }

    /// As a `ReplicaSet` does, those go first that have no node, then those that
    /// are not Ready, then the youngest.
    fn remove(&mut self, pods: i64, second: i64, of: impl Fn(&SimulatedPod) -> bool) {
        let mut left = pods;
        let ranks: [fn(&SimulatedPod, i64) -> bool; 3] = [
            |pod, _| !pod.has_node(),
            |pod, second| pod.ready > second,
            |_, _| true,
        ];
        for rank in ranks {
            let mut position = self.pods.len();
            while left > 0 && position > 0 {
                position -= 1;
                if of(&self.pods[position]) && rank(&self.pods[position], second) {
                    self.pods.remove(position);
                    left -= 1;
                }
            }
        }
    }

    /// Pods without a node find one, as far as there is room.
    fn schedule(&mut self, second: i64) {
        let placed = count(&self.pods, |pod| pod.has_node());
        let mut room = self.model.capacity.map_or(i64::MAX, i64::from) - placed;
        let never_ready = count(&self.pods, |pod| pod.has_node() && pod.ready == NEVER);
        let mut crashing = i64::from(self.model.crashing) - never_ready;
        for pod in self.pods.iter_mut().filter(|pod| !pod.has_node()) {
            if room <= 0 {
                break;
            }
            room -= 1;
            pod.scheduled = second;
            pod.running = second + self.model.start_up;
            pod.ready = if crashing > 0 {
                NEVER
            } else {
                pod.running + self.model.readiness
            };
            crashing -= 1;
        }
    }
}

fn count(pods: &[SimulatedPod], is_meant: impl Fn(&SimulatedPod) -> bool) -> i64 {
    let meant = pods.iter().filter(|pod| is_meant(pod)).count();
    i64::try_from(meant).unwrap_or(i64::MAX)
}
