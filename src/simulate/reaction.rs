//! How long a doubled load waits for the pods that it needs, and for what.

use crate::api::{
    Direction, HpaSpec, LONGEST_WINDOW_SECONDS, PolicyKind, ScalingPolicy, SelectPolicy,
};
use crate::controller::{Settings, whole_seconds};
use crate::trace::{Delay, DelayCause, DelayPart, SizeLimit, SizeLimitKind};

use super::compare::{MetricLoad, Subject, is_share};
use super::load::{Load, Shape};
use super::score::{Capacity, whole_pods};
use super::workload::Model;

/// In so many phases of the passes the load doubles.
const PHASES: i64 = 20;
/// How long the smaller load lasts, beyond the windows, in seconds.
const SETTLES: i64 = 300;
/// So much of the target is used before, in percent.
const NEARLY: i64 = 98;
/// Nobody waits longer, in seconds.
const MOST: i64 = 3_600;

/// More pods in all passes of a wait are not simulated.
const MOST_WORK: i64 = 1_000_000;

/// The worst wait of several phases, of so many pods whose first load doubles, the only
/// one there is: until those that serve carry it within the tolerance of the target. It is
/// taken apart by what is left of it when one cause after the other is taken away. Absent
/// where that cannot be simulated.
pub fn delay(subject: &Subject, spec: &HpaSpec, pods: i32) -> Option<Delay> {
    let settings = Settings::resolve(subject.snapshot, subject.overrides);
    let pods = pods.max(1);
    // A little below the target: the controller rounds percentages down, and would
    // else find a pod fewer enough for it.
    let capacity = subject.capacity(&subject.lead, &settings)?;
    let demand = capacity.of_pods(pods) / 100 * NEARLY;
    let every = settings.sync_period_seconds().max(1);
    let (window, _) = settings.windows(spec);
    let window = whole_seconds(window).min(LONGEST_WINDOW_SECONDS.into());
    let at = SETTLES + window / every * every + every;
    // How long, if it ends, and how many pods there are at the most.
    let waits = |spec: &HpaSpec, model: &Model, phase: i64| {
        let doubled = at + phase * every / PHASES;
        let doubling = vec![(0, demand), (doubled, demand.saturating_mul(2))];
        let load = Load::even(Shape::Steps(doubling));
        let seconds = doubled + MOST;
        let twice = MetricLoad {
            load: &load,
            model,
            ..subject.lead
        };
        let scores = Subject {
            lead: twice,
            others: Vec::new(),
            replicas: pods.max(spec.min_replicas.unwrap_or(1)),
            seconds,
            ..subject.clone()
        };
        let scores = scores.scores_within(MOST_WORK, "", spec).ok()?;
        let lag = Some(scores.worst_lag_seconds?).filter(|lag| *lag < MOST);
        Some((lag, scores.most_replicas))
    };
    let mut model = subject.lead.model.clone();
    model.timing = None;
    // Upwards, as much as there can be in one pass.
    let mut unlimited = spec.clone();
    let up = unlimited.rules_mut(Direction::Up);
    up.select_policy = Some(SelectPolicy::Max.into());
    up.policies = Some(vec![ScalingPolicy::new(PolicyKind::Pods, i32::MAX / 2, 1)]);
    let mut unheld = unlimited.clone();
    unheld.rules_mut(Direction::Up).stabilization_window_seconds = Some(0);
    let mut phases = Vec::new();
    for phase in 0..PHASES {
        let (wait, replicas) = waits(spec, &model, phase)?;
        let Some(wait) = wait else {
            let needed = whole_pods(capacity.milli_pods(demand.saturating_mul(2)));
            let (kind, replicas) = if spec.is_disabled(Direction::Up) {
                (Some(SizeLimitKind::Disabled), replicas)
            } else if spec.max_replicas < needed {
                (Some(SizeLimitKind::MaxReplicas), spec.max_replicas)
            } else {
                // Policies and a window are no reason where it is the same without them.
                let is_enough = replicas < needed
                    && (rounds_down(subject, capacity, demand.saturating_mul(2), replicas)
                        || waits(&unheld, &model, phase)?.0.is_none());
                (is_enough.then_some(SizeLimitKind::Tolerance), replicas)
            };
            let limit = kind.map(|kind| SizeLimit {
                kind,
                replicas,
                needed,
            });
            return Some(Delay {
                limit,
                ..Delay::default()
            });
        };
        phases.push((wait, phase));
    }
    let (worst, phase) = phases.into_iter().max()?;
    // From the last cause to the first.
    let at_once = Model {
        start_up: 0,
        readiness: 0,
        ..model.clone()
    };
    let measured_at_once = Model {
        lag: 0,
        window: 0,
        ..at_once.clone()
    };
    let steps = [
        (DelayCause::StartUp, spec, &at_once),
        (DelayCause::Policy, &unlimited, &at_once),
        (DelayCause::Stabilization, &unheld, &at_once),
        (DelayCause::Samples, &unheld, &measured_at_once),
    ];
    let (mut left, mut parts) = (worst, Vec::new());
    for (cause, spec, model) in steps {
        let without = waits(spec, model, phase)?.0?.min(left);
        let seconds = left - without;
        parts.push(DelayPart { cause, seconds });
        left = without;
    }
    parts.push(DelayPart {
        cause: DelayCause::Pass,
        seconds: left,
    });
    parts.reverse();
    // Samples come before the passes that read them.
    parts.swap(0, 1);
    parts.retain(|part| part.seconds > 0);
    Some(Delay {
        seconds: Some(worst),
        parts,
        limit: None,
    })
}

/// Whether a demand is above the tolerance by less than the controller sees, which rounds
/// percentages of a request down.
fn rounds_down(subject: &Subject, capacity: Capacity, demand: i64, pods: i32) -> bool {
    let request = subject.lead.model.request;
    let request = request.filter(|_| is_share(subject.lead.metric));
    let most = capacity.at_most.saturating_add(request.unwrap_or(0) / 100);
    demand < most.saturating_mul(pods.into())
}
