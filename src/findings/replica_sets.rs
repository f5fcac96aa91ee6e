//! Pods of several `ReplicaSets`, such as those of a canary and of the stable
//! version, that one average covers.

use std::collections::BTreeMap;

use super::pods::{average, is_young};
use super::words::{MOST, whole_name};
use crate::api::TargetKind;
use crate::findings::Case;
use crate::trace::amount::{counted, in_unit_of_target, now, plural, target};
use crate::trace::{Code, Finding, MetricRecord, PodRecord, TargetRecord, Trace};

/// One `ReplicaSet` is above the target and another one below it.
pub(super) fn hot(case: &Case, trace: &Trace) -> Option<Finding> {
    // Where the others are not the target's, that is the cause.
    if !trace.foreign_pods().is_empty() {
        return None;
    }
    let metric = trace.winner()?;
    let (goal, measured) = (metric.target?, metric.measured.as_ref()?);
    let sets = by_replica_set(case, metric);
    let levels = sets
        .iter()
        .filter_map(|(name, pods)| Some((*name, pods, level(goal, pods)?)));
    let (hot, hot_pods, high) = levels.clone().max_by_key(|it| it.2)?;
    let (cold, cold_pods, low) = levels.clone().min_by_key(|it| it.2)?;
    let is_above = ratio(high, goal) > measured.tolerated_to;
    let is_below = ratio(low, goal) < measured.tolerated_from;
    // What has just started is another finding.
    if !is_above || !is_below || hot_pods.iter().all(|pod| is_young(case, trace, pod)) {
        return None;
    }
    let message = format!(
        "{} is at {} in the {} of ReplicaSet/{hot} but at {} in the {} of ReplicaSet/{cold} (target \
         {}); the average of {} hides that",
        whole_name(metric),
        in_unit_of_target(metric, high),
        counted(hot_pods.len(), "pod"),
        in_unit_of_target(metric, low),
        counted(cold_pods.len(), "pod"),
        target(metric),
        now(metric, measured)
    );
    let shown = levels.take(MOST).map(|(name, pods, level)| {
        let (pods, level) = (counted(pods.len(), "pod"), in_unit_of_target(metric, level));
        (format!("ReplicaSet/{name}"), format!("{pods} at {level}"))
    });
    let finding = Finding::new(Code::HotReplicaSet, message).facts(shown);
    // A Deployment has two of them only while it rolls out.
    Some(if trace.target.kind == "Deployment" {
        see_rollout(finding, trace)
    } else {
        finding.advice(
            "send each version its share of the traffic, or scale the canary with an HPA of its own",
        )
    })
}

/// The command that shows a rollout, as far as kubectl knows the kind.
pub(super) fn see_rollout(finding: Finding, trace: &Trace) -> Finding {
    let command = match trace.target.kind.as_str() {
        "Deployment" | "StatefulSet" => trace
            .kubectl_target("kubectl rollout status")
            .and("--watch=false"),
        _ => trace.kubectl_target("kubectl get").and("-o yaml"),
    };
    finding.look("see the progress of the rollout", command)
}

/// The extra pods of a rollout, those of the newest `ReplicaSet`, raise what a
/// metric of pods asks for.
pub(super) fn surge(case: &Case, trace: &Trace, there: i32) -> Option<Finding> {
    let (metric, recommended) = (trace.winner()?, trace.recommended()?);
    let (goal, current) = (metric.target?, trace.outcome.current_replicas);
    let sets = by_replica_set(case, metric);
    let started = |pods: &[&PodRecord]| {
        let own = case.selected.iter();
        let own = own.filter(|pod| pods.iter().any(|it| it.name == pod.metadata.name));
        own.filter_map(|pod| pod.status.start_time).min()
    };
    let (name, newest) = sets.iter().max_by_key(|(_, pods)| started(pods))?;
    let others = sets.iter().filter(|(other, _)| other != &name);
    let others: Vec<&PodRecord> = others.flat_map(|(_, pods)| pods).copied().collect();
    let (high, low) = (level(goal, newest)?, level(goal, &others)?);
    let without = case.without_pods(&newest.iter().map(|pod| pod.name.as_str()).collect());
    let asks = without.recommended().filter(|asks| *asks != recommended)?;
    let message = format!(
        "{there} pods run instead of {current}, as during a rollout: the {} of ReplicaSet/{name} \
         {} at {} and the others at {}; without the former {} asks for {asks}, not {recommended}",
        counted(newest.len(), "pod"),
        plural(newest.len(), "is", "are"),
        in_unit_of_target(metric, high),
        in_unit_of_target(metric, low),
        whole_name(metric),
    );
    let finding = Finding::new(Code::RolloutSurge, message);
    Some(see_rollout(finding, trace))
}

/// Of fewer pods nobody can tell which one is the odd one.
const FEWEST: usize = 3;

/// One average covers pods that differ much, and one of them is above the
/// target.
pub(super) fn uneven(_: &Case, trace: &Trace) -> Option<Finding> {
    let metric = trace.winner()?;
    let (goal, measured) = (metric.target?, metric.measured.as_ref()?);
    let levels = metric.counted();
    let levels = levels.filter_map(|pod| Some((level(goal, &[pod])?, pod.name.as_str())));
    let mut levels: Vec<(i64, &str)> = levels.collect();
    levels.sort_unstable();
    let [(least, _), .., (most, name)] = levels.as_slice() else {
        return None;
    };
    let (median, _) = levels[levels.len() / 2];
    let is_uneven = *most >= median.saturating_mul(2) && ratio(*most, goal) > measured.tolerated_to;
    (levels.len() >= FEWEST && is_uneven).then(|| {
        let amount = |level: i64| in_unit_of_target(metric, level);
        let message = format!(
            "{} differs between the pods, from {} to {} ({name}), with a median of {}",
            whole_name(metric),
            amount(*least),
            amount(*most),
            amount(median),
        );
        Finding::new(Code::UnevenPods, message)
            .look("compare the pods", trace.kubectl_pods("kubectl top pods"))
    })
}

/// The pods that count, by the `ReplicaSet` that owns them.
fn by_replica_set<'a>(
    case: &Case<'a>,
    metric: &'a MetricRecord,
) -> BTreeMap<&'a str, Vec<&'a PodRecord>> {
    let mut sets = BTreeMap::<&str, Vec<&PodRecord>>::new();
    for (pod, record) in case.counted(metric) {
        let mut owners = pod.metadata.owner_references.iter();
        let owner = owners.find(|it| it.controller == Some(true) && it.kind == "ReplicaSet");
        if let Some(owner) = owner {
            sets.entry(&owner.name).or_default().push(record);
        }
    }
    sets
}

/// What the pods are at, in the unit of the target.
fn level(goal: TargetRecord, pods: &[&PodRecord]) -> Option<i64> {
    if goal.kind != TargetKind::Utilization {
        return average(pods);
    }
    let sum = |of: fn(&PodRecord) -> Option<i64>| -> Option<i128> {
        pods.iter().map(|pod| of(pod).map(i128::from)).sum()
    };
    let (usage, requests) = (sum(|pod| pod.usage)?, sum(|pod| pod.request)?);
    i64::try_from((usage * 100).checked_div(requests)?).ok()
}

#[expect(clippy::cast_precision_loss, reason = "as the controller divides")]
fn ratio(level: i64, goal: TargetRecord) -> f64 {
    level as f64 / goal.value as f64
}
