//! The cpu request and the target, changed together: what a pod is meant to carry
//! stays, and fewer cores are requested for it.

use thiserror::Error;

use crate::api::{CrossVersionObjectReference, HpaSpec, MetricSpec};
use crate::document::snapshot::Snapshot;
use crate::simulate::{CompareError, metric_name};
use crate::trace::{
    LEAST_GAIN, NOW, RequestChange, Requests, ShellCommand, SimulatedStep, kubectl_kind,
    milli_text, monthly,
};

use super::Question;
use super::calibration::{Replay, Stretch, lasting, percent};
use super::proof::smallest_patch;

/// A request covers what a pod uses for so much of the time, in percent.
const COVERED: i64 = 99;
/// Requests are multiples of so many thousandths of a core.
const STEP: i64 = 5;
/// Percentages are whole numbers: pod-hours may be so far apart, in percent.
const SAME: f64 = 1.0;

/// Why no smaller request pays.
#[derive(Debug, Error)]
pub(super) enum KeepReason {
    #[error("the metric that decides is not a percentage of a cpu request")]
    OtherMetric,
    #[error("pods have {0} containers, and the metric does not tell which of them uses it")]
    Containers(usize),
    #[error("no pod tells what its containers request")]
    NoPod,
    #[error(transparent)]
    NotSimulated(#[from] CompareError),
    /// What pods use, and what they request.
    #[error(
        "pods use up to {} cores in {COVERED}% of the time, and request {}",
        milli_text(*.0),
        milli_text(*.1)
    )]
    Used(i64, i64),
    #[error("kubectl cannot set the request of a {0}")]
    Kind(String),
    #[error("the target cannot be set")]
    Target,
    #[error("another request did not do the same on the second half")]
    NotProven,
}

/// The smaller request with a higher target that pays under a spec, or why none does;
/// `second` is the part of the history that proves.
pub(super) fn requests(
    question: &Question,
    replay: &Replay,
    second: &Stretch,
    spec: &HpaSpec,
) -> Result<Requests, KeepReason> {
    let metric = replay.metric();
    let under = target(spec, metric).zip(replay.request());
    let Some((own_target, from)) = under.filter(|_| metric_name(metric) == "cpu") else {
        return Err(KeepReason::OtherMetric);
    };
    let snapshot = question.snapshot;
    let own = &snapshot.hpa.spec;
    let from_target = target(own, metric).unwrap_or(own_target);
    let container = container(snapshot, metric)?;
    let whole = replay.whole();
    let run = whole.as_it_was().run(NOW, spec)?;
    let used = covering(&run.steps, whole.seconds);
    let carried = from * i64::from(own_target) / 100;
    let higher = carried * 100 / used.max(carried).max(1);
    let to = (carried * 100 / higher.max(1) + STEP - 1) / STEP * STEP;
    let saved = percent(from - to, from);
    if to >= from || saved < LEAST_GAIN {
        return Err(KeepReason::Used(used, from));
    }
    let target = &snapshot.hpa.spec.scale_target_ref;
    let namespace = &snapshot.hpa.metadata.namespace;
    let command = command(namespace, target, container, to)
        .ok_or_else(|| KeepReason::Kind(target.kind.clone()))?;
    let to_target = i32::try_from(higher).unwrap_or(own_target);
    let then = with_target(spec, metric, to_target);
    let patch = then
        .as_ref()
        .and_then(|then| smallest_patch(snapshot, own, then));
    let (Some(then), Some(patch)) = (then, patch) else {
        return Err(KeepReason::Target);
    };
    // Both together must do what the spec does by itself.
    let now = second.under(spec).as_it_was().scores(NOW, spec);
    let changed = second.under(&then).with_request(to);
    let then = changed.as_it_was().scores("then", &then);
    let both = now.ok().zip(then.ok()).filter(|(now, then)| {
        let apart = percent(then.pod_seconds - now.pod_seconds, now.pod_seconds);
        let allowed = now.missing_pod_seconds() + now.pod_seconds / 100;
        apart <= SAME && then.missing_pod_seconds() <= allowed
    });
    let (now, then) = both.ok_or(KeepReason::NotProven)?;
    let milli_seconds = now.pod_seconds * from - then.pod_seconds * to;
    let core_hours_saved_monthly = monthly(milli_seconds / 1_000, second.seconds);
    Ok(Requests::Change(Box::new(RequestChange {
        from,
        to,
        from_target,
        to_target,
        used,
        saved,
        core_hours_saved_monthly,
        command,
        patch,
    })))
}

/// The command that sets the request; absent where kubectl cannot, or a name would
/// make it do something else.
fn command(
    namespace: &str,
    target: &CrossVersionObjectReference,
    container: &str,
    milli: i64,
) -> Option<ShellCommand> {
    let is_known = matches!(
        target.kind.as_str(),
        "Deployment" | "StatefulSet" | "ReplicaSet"
    );
    let kind = kubectl_kind(&target.kind, &target.api_version);
    let command = ShellCommand::new("kubectl set resources");
    let command = command.word(&format!("{kind}/{}", target.name));
    let command = command.namespace(namespace).and("-c").word(container);
    let command = command.value("--requests=", &format!("cpu={milli}m"));
    command.pasteable().filter(|_| is_known)
}

/// The container whose request counts.
fn container<'a>(snapshot: &'a Snapshot, metric: &'a MetricSpec) -> Result<&'a str, KeepReason> {
    if let Some((_, Some(container))) = metric.measured_resource() {
        return Ok(container);
    }
    let first = snapshot.pods.first().map(|pod| &*pod.spec.containers);
    match first {
        Some([only]) => Ok(&only.name),
        Some(all) => Err(KeepReason::Containers(all.len())),
        None => Err(KeepReason::NoPod),
    }
}

fn target(spec: &HpaSpec, metric: &MetricSpec) -> Option<i32> {
    let source = spec.metric_like(metric)?.source()?;
    source.target().average_utilization
}

fn with_target(spec: &HpaSpec, metric: &MetricSpec, percent: i32) -> Option<HpaSpec> {
    let mut spec = spec.clone();
    let target = spec.metric_like_mut(metric)?.targets_mut().next()?;
    target.average_utilization = Some(percent);
    Some(spec)
}

/// What a pod uses at the most in nearly all of the time.
fn covering(steps: &[SimulatedStep], end: i64) -> i64 {
    let each: Vec<_> = steps.iter().map(|it| (it.second, it)).collect();
    let used = lasting(&each, end).filter_map(|(step, seconds)| {
        let serving = step.serving.filter(|serving| *serving > 0)?;
        Some((step.demand / i64::from(serving), seconds))
    });
    let mut used: Vec<(i64, i64)> = used.collect();
    used.sort_unstable();
    let mut rest = used.iter().map(|(_, seconds)| seconds).sum::<i64>() * COVERED / 100;
    let mut all = used.into_iter();
    let last = all.find(|(_, seconds)| {
        rest -= seconds;
        rest <= 0
    });
    last.map_or(0, |(used, _)| used)
}
