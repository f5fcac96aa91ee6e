//! How the target follows the size that it was given.

use jiff::Timestamp;
use serde_json::json;

use super::words::{below_or_above, metric_name, resized_at};
use super::{Case, replica_sets};
use crate::api::Pod;
use crate::trace::{Code, Direction, Finding, Rule, Trace, amount, seconds_text};

/// A target gets so many seconds to start its pods, or to stop them.
const GRACE: i64 = 60;

/// The target has not followed the size that it was given: its own controller
/// has not made the pods, or has not taken them away.
pub(super) fn lags(case: &Case, trace: &Trace) -> Option<Finding> {
    let scale = case.snapshot.scale.response()?;
    let (desired, there) = (scale.spec.replicas, scale.status.replicas);
    // During a rollout there are more pods than desired, as there should be.
    if desired == there || desired <= 0 || there > desired && is_rolling(case) {
        return None;
    }
    let since = since(case).map(|at| trace.at.duration_since(at).as_secs());
    if since.is_some_and(|since| since < GRACE) {
        return None;
    }
    let (has, long) = since.map_or(("has", String::new()), |since| {
        ("has had", format!(" for {}", seconds_text(since)))
    });
    let message = format!(
        "{} {has} {} instead of {desired}{long}; the HPA is not the cause",
        trace.target_name(),
        amount::counted(there, "pod")
    );
    let target = case.snapshot.target.as_ref();
    let ready = target.and_then(|target| target.status.ready_replicas);
    let blocking = blocking(case, trace).map(|pod| {
        let says =
            "is not Ready; a StatefulSet waits for each pod unless podManagementPolicy is Parallel";
        (format!("Pod/{}", pod.metadata.name), says)
    });
    let finding = Finding::new(Code::TargetLags, message)
        .fact("spec.replicas", desired.to_string())
        .fact("status.replicas", there.to_string())
        .facts(ready.map(|ready| ("status.readyReplicas", ready.to_string())))
        .facts(blocking)
        .look(
            "see what blocks it",
            trace.kubectl_target("kubectl describe"),
        );
    // Without a time it may be a matter of seconds.
    Some(finding.info_if(since.is_none()))
}

/// When the target was given its size.
fn since(case: &Case) -> Option<Timestamp> {
    let status = &case.hpa().status;
    let written = case.snapshot.target.as_ref().and_then(resized_at);
    written.max(status.last_scale_time)
}

/// Whether pods of an older template are being replaced.
fn is_rolling(case: &Case) -> bool {
    let Some(target) = &case.snapshot.target else {
        return true;
    };
    let (all, updated) = (target.status.replicas, target.status.updated_replicas);
    target.kind != "StatefulSet" && (updated.is_none() || updated < all)
}

/// The first pod of a `StatefulSet`, in its order, that is not Ready.
fn blocking<'a>(case: &Case<'a>, trace: &Trace) -> Option<&'a Pod> {
    if trace.target.kind != "StatefulSet" {
        return None;
    }
    let ordinal = |pod: &Pod| -> Option<u32> {
        let rest = pod.metadata.name.strip_prefix(trace.target.name.as_str())?;
        rest.strip_prefix('-')?.parse().ok()
    };
    let pods = case.snapshot.pods.iter().filter(|pod| !pod.is_ready());
    let numbered = pods.filter_map(|pod| Some((ordinal(pod)?, pod)));
    Some(numbered.min_by_key(|(ordinal, _)| *ordinal)?.1)
}

/// An average of a total is compared with the replicas that the target's status
/// shows, extra pods of a rollout included; inside the tolerance these are even
/// taken for the size. An average of pods counts them as well.
pub(super) fn surge(case: &Case, trace: &Trace) -> Option<Finding> {
    let (winner, recommended, current) = (trace.winner()?, trace.recommended()?, trace.size()?);
    let there = case.snapshot.scale.response()?.status.replicas;
    let (rule, measured) = (winner.proposed()?.rule, winner.measured.as_ref()?);
    if !is_rolling(case) {
        return None;
    }
    let name = metric_name(winner);
    let is_adopted = rule == Rule::AverageTolerated && recommended > current;
    let message = if is_adopted {
        format!(
            "{recommended} pods run instead of {current}, as during a rollout; {name} is inside \
             its tolerance, so the HPA takes {recommended} as the size"
        )
    } else if rule == Rule::AverageOfTotal && there > current {
        // The same pass with no more pods than the size.
        let mut altered = case.snapshot.clone();
        if let Some(scale) = altered.scale.response_mut() {
            scale.status.replicas = current;
        }
        let without = case.on(&altered);
        let other = without.metrics.get(winner.index)?.measured.as_ref()?;
        let asks = without.recommended().filter(|asks| *asks != recommended)?;
        format!(
            "{there} pods run instead of {current}, as during a rollout, so the ratio of {name} is \
             {} instead of {}; with {current} pods the metrics ask for {asks}, not {recommended}",
            amount::ratio(measured),
            amount::ratio(other)
        )
    } else if winner.groups.is_some() && there > current {
        return replica_sets::surge(case, trace, there);
    } else {
        return None;
    };
    let mut finding = Finding::new(Code::RolloutSurge, message)
        .fact("scale.spec.replicas", current.to_string())
        .fact("scale.status.replicas", there.to_string())
        .advice("lower maxSurge to have fewer extra pods during a rollout");
    if is_adopted
        && let Some((side, kept)) = without_tolerance(case, measured.ratio)
        && kept <= current
    {
        finding = finding.patch(
            format!(
                "set the {side} tolerance to 0: the metrics then ask for {kept}, but small \
                 changes of the load also move the size"
            ),
            &json!({"spec": {"behavior": {side.field(): {"tolerance": 0}}}}),
        );
    }
    Some(finding)
}

/// What the metrics would ask for without tolerance on the side that they
/// are on.
fn without_tolerance(case: &Case, ratio: f64) -> Option<(Direction, i32)> {
    if !case.settings.gates.configurable_tolerance {
        return None;
    }
    let side = below_or_above(ratio);
    let mut altered = case.snapshot.clone();
    altered.hpa.spec.rules_mut(side).tolerance = Some("0".parse().ok()?);
    Some((side, case.on(&altered).recommended()?))
}

/// Pods of the old and of the new template are there at the same time.
pub(super) fn rolling_update(case: &Case, trace: &Trace) -> Option<Finding> {
    let target = case.snapshot.target.as_ref()?;
    let (all, updated) = (target.status.replicas?, target.status.updated_replicas?);
    if updated >= all {
        return None;
    }
    let name = trace.target_name();
    let size = target.spec.replicas.unwrap_or(1);
    let mut message = format!("{name} is rolling out: {updated} of {all} pods are updated");
    if all > size {
        message = format!(
            "{message}; the {all} pods are {} more than its size {size}",
            i64::from(all) - i64::from(size)
        );
    }
    let is_paused = target.spec.paused == Some(true);
    let finding = Finding::new(Code::RollingUpdate, message)
        .fact("status.replicas", all.to_string())
        .fact("status.updatedReplicas", updated.to_string())
        .facts(is_paused.then_some(("spec.paused", "true")));
    Some(replica_sets::see_rollout(finding, trace))
}
