//! Which pods count, and as what (`groupPods`).

use crate::api::Phase;
use crate::controller::prepared::{Pod, ReadyCondition, Sample};
use crate::controller::release::Switch;
use crate::controller::settings::Settings;
use crate::controller::time::{Nanos, timestamp};
use crate::trace::{Group, PodTimes, Rule};

/// Where a pod belongs, by which rule, and until when if time alone can
/// change it.
#[derive(Clone, Copy, Debug)]
pub struct Grouped {
    pub group: Group,
    /// The rule that put it there.
    pub rule: Rule,
    /// From when on the pod counts, if it has a sample, by the passing of time
    /// alone.
    pub until: Option<Nanos>,
}

impl Grouped {
    const fn new(group: Group, rule: Rule) -> Self {
        Self {
            group,
            rule,
            until: None,
        }
    }
}

/// Groups one pod; the first rule that matches wins. `is_cpu` says whether
/// the metric is the resource cpu, the only one with readiness rules.
pub fn group_pod(
    pod: &Pod,
    sample: Option<&Sample>,
    is_cpu: bool,
    settings: &Settings,
    now: Nanos,
) -> Grouped {
    if pod.terminating {
        return Grouped::new(Group::Ignored, Rule::PodTerminating);
    }
    match pod.phase {
        Phase::Failed => return Grouped::new(Group::Ignored, Rule::PodFailed),
        Phase::Succeeded if settings.release.has(Switch::SucceededIgnored) => {
            return Grouped::new(Group::Ignored, Rule::PodSucceeded);
        }
        Phase::Pending => return Grouped::new(Group::Unready, Rule::PodPending),
        _ => {}
    }
    let Some(sample) = sample else {
        return Grouped::new(Group::Missing, Rule::PodNoSample);
    };
    if !is_cpu {
        return Grouped::new(Group::Ready, Rule::PodReady);
    }
    match (pod.ready, pod.started) {
        (Some(ready), Some(started)) => readiness(ready, started, sample, settings, now),
        _ => Grouped::new(Group::Unready, Rule::PodNoReadyCondition),
    }
}

/// The readiness rules of cpu: a starting pod burns cpu that says nothing
/// about the load.
fn readiness(
    ready: ReadyCondition,
    started: Nanos,
    sample: &Sample,
    settings: &Settings,
    now: Nanos,
) -> Grouped {
    let is_never_ready =
        ready.is_false && started + settings.initial_readiness_delay > ready.changed;
    let initialized = started + settings.cpu_initialization_period;
    if initialized > now {
        let rule = if ready.is_false {
            Rule::PodInitializing
        } else if sample.taken < ready.changed + sample.window {
            Rule::PodStaleSample
        } else {
            return Grouped::new(Group::Ready, Rule::PodReady);
        };
        return Grouped {
            // A pod that never was ready is set aside beyond that, too.
            until: (!is_never_ready).then_some(initialized),
            ..Grouped::new(Group::Unready, rule)
        };
    }
    if is_never_ready {
        return Grouped::new(Group::Unready, Rule::PodNeverReady);
    }
    Grouped::new(Group::Ready, Rule::PodReady)
}

/// The times that the readiness rules compare, for the record.
pub fn compared_times(pod: &Pod, sample: Option<&Sample>, settings: &Settings) -> PodTimes {
    let after_start = |period| pod.started.map(|started| timestamp(started + period));
    let sample_needed = |ready: ReadyCondition| {
        let sample = sample?;
        Some(timestamp(ready.changed + sample.window))
    };
    PodTimes {
        started: pod.started.map(timestamp),
        initialization_ends: after_start(settings.cpu_initialization_period),
        readiness_delay_ends: after_start(settings.initial_readiness_delay),
        ready: pod.ready.map(|ready| ready.is_true),
        ready_changed: pod.ready.map(|ready| timestamp(ready.changed)),
        sampled: sample.map(|sample| timestamp(sample.taken)),
        sample_needed: pod.ready.and_then(sample_needed),
    }
}
