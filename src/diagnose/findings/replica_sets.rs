//! Pods of several `ReplicaSets`, such as those of a canary and of the stable
//! version, that one average covers.

use std::collections::BTreeMap;

use crate::api::TargetKind;
use crate::diagnose::Case;
use crate::trace::amount::{counted, in_unit_of_target, now, target};
use crate::trace::{Code, Finding, Group, MetricRecord, PodRecord, TargetRecord, Trace};

use super::pods::{average, is_young};
use super::words::{MOST, whole_name};

/// One `ReplicaSet` is above the target and another one below it.
pub(super) fn hot(case: &Case, trace: &Trace) -> Option<Finding> {
    // Where the others are not the target's, that is the cause.
    let foreign = trace.prospects.iter().flat_map(|it| &it.foreign_pods);
    if foreign.count() > 0 {
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
    let mut finding = Finding::new(Code::HotReplicaSet, message);
    for (name, pods, level) in levels.take(MOST) {
        let says = format!(
            "{} at {}",
            counted(pods.len(), "pod"),
            in_unit_of_target(metric, level)
        );
        finding = finding.fact(format!("ReplicaSet/{name}"), says);
    }
    Some(finding.advice(
        "send each version its share of the traffic, or scale the canary with an HPA of its own",
    ))
}

/// The pods that count, by the `ReplicaSet` that owns them.
fn by_replica_set<'a>(
    case: &Case<'a>,
    metric: &'a MetricRecord,
) -> BTreeMap<&'a str, Vec<&'a PodRecord>> {
    let mut sets = BTreeMap::<&str, Vec<&PodRecord>>::new();
    let pods = case.selected.iter().zip(&metric.pods);
    for (pod, record) in pods.filter(|(_, record)| record.group == Group::Ready) {
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
