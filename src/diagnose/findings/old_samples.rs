//! Numbers that are old: samples, and what the status shows.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::api::MetricSpec;
use crate::diagnose::Case;
use crate::trace::amount::counted;
use crate::trace::{Code, Finding, Trace};

use super::samples::USUAL;
use super::words::{MOST, apart, condition, field, some, whole_name as name};

/// Samples that are much older than the interval that they are taken in.
pub(super) fn stale_metrics(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let mut told: Vec<(Vec<String>, Finding)> = Vec::new();
    let specs = &case.snapshot.horizontal_pod_autoscaler.spec.metrics;
    for (spec, metric) in specs.iter().zip(&trace.metrics) {
        let taken = taken(case, trace, spec);
        let old: Vec<&Taken> = taken
            .iter()
            .filter(|taken| taken.is_old(case.now))
            .collect();
        let Some(newest) = old.iter().map(|taken| taken.at).max() else {
            continue;
        };
        let names: Vec<String> = old.iter().map(|taken| taken.of.clone()).collect();
        // The same samples hold cpu and memory.
        if told.iter().any(|(known, _)| *known == names) && metric.is_of_resource() {
            continue;
        }
        let age = apart(trace, newest);
        let message = if old.len() == taken.len() {
            format!("the newest sample of {} is {age} old", name(metric))
        } else {
            format!(
                "{} of {} of {} are {age} old or more",
                old.len(),
                counted(taken.len(), "sample"),
                name(metric)
            )
        };
        let mut finding = Finding::new(Code::StaleMetrics, message)
            .fact(field(metric), format!("sampled {newest}"));
        finding = finding.fact("old samples", some(&names, MOST));
        let finding = if metric.is_of_resource() {
            finding.command(
                "shows how metrics-server fares",
                "kubectl describe apiservice v1beta1.metrics.k8s.io",
            )
        } else {
            finding.advice("see whether what the adapter reads from still measures")
        };
        told.push((names, finding));
    }
    findings.extend(told.into_iter().map(|(_, finding)| finding));
}

/// When something was sampled.
struct Taken {
    of: String,
    at: Timestamp,
    window: SignedDuration,
}

impl Taken {
    fn is_old(&self, now: Timestamp) -> bool {
        let usual = self.window.saturating_mul(4).max(USUAL);
        now.duration_since(self.at) > usual
    }
}

/// Every sample that tells its time, of pods that are selected.
fn taken(case: &Case, trace: &Trace, spec: &MetricSpec) -> Vec<Taken> {
    let metrics = &case.snapshot.metrics;
    match spec.kind.as_str() {
        "Resource" | "ContainerResource" => {
            let selected: BTreeSet<&str> = case
                .selected
                .iter()
                .map(|pod| pod.metadata.name.as_str())
                .collect();
            let response = metrics.resource.as_ref();
            let list = response.and_then(|answered| answered.response.as_ref());
            let items = list.map_or(&[][..], |list| &list.items);
            let own = items
                .iter()
                .filter(|item| selected.contains(item.metadata.name.as_str()));
            own.map(|item| Taken {
                of: item.metadata.name.to_string(),
                at: item.timestamp,
                window: SignedDuration::from_nanos(item.window.0),
            })
            .collect()
        }
        "Pods" | "Object" => {
            let identity = match (&spec.pods, &spec.object) {
                (Some(pods), _) => &pods.metric,
                (_, Some(object)) => &object.metric,
                _ => return Vec::new(),
            };
            let is_per_pod = spec.kind == "Pods";
            let asked = metrics.custom.iter().filter(|asked| {
                asked.metric == identity.name && asked.described_object.is_none() == is_per_pod
            });
            let items = asked.filter_map(|asked| asked.response.as_ref());
            items
                .flat_map(|list| &list.items)
                .filter_map(|item| {
                    Some(Taken {
                        of: item.described_object.name.clone(),
                        at: item.timestamp?,
                        window: SignedDuration::from_secs(item.window_seconds.unwrap_or(60)),
                    })
                })
                .collect()
        }
        "External" => {
            let Some(external) = &spec.external else {
                return Vec::new();
            };
            let asked = metrics
                .external
                .iter()
                .filter(|asked| asked.metric == external.metric.name);
            let items = asked.filter_map(|asked| asked.response.as_ref());
            items
                .flat_map(|list| &list.items)
                .filter_map(|item| {
                    Some(Taken {
                        of: item.metric_name.clone(),
                        at: item.timestamp?,
                        window: SignedDuration::ZERO,
                    })
                })
                .collect()
        }
        _ => Vec::new(),
    }
    .into_iter()
    // A clock that is ahead says nothing about age.
    .filter(|taken| taken.at <= trace.at)
    .collect()
}

/// The status keeps what it showed before the failure, up to 1.28 for as long
/// as that lasts.
pub(super) fn frozen_status(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let status = &case.snapshot.horizontal_pod_autoscaler.status;
    let failing = status
        .conditions
        .iter()
        .find(|it| it.kind == "ScalingActive" && it.status == "False");
    let Some(failing) = failing else { return };
    let specs = &case.snapshot.horizontal_pod_autoscaler.spec.metrics;
    for (spec, metric) in specs.iter().zip(&trace.metrics) {
        if !metric.is_failed() {
            continue;
        }
        let entry = status
            .current_metrics
            .iter()
            .find(|entry| entry.is_of(spec));
        let Some(current) = entry.and_then(|entry| entry.current()) else {
            continue;
        };
        let quantity = current.average_value.as_ref().or(current.value.as_ref());
        let shown = match (current.average_utilization, quantity) {
            (Some(percent), _) => format!("{percent}%"),
            (None, Some(quantity)) => quantity.to_string(),
            (None, None) => continue,
        };
        let since = failing
            .last_transition_time
            .map_or_else(String::new, |since| {
                format!(", from before the failure {} ago", apart(trace, since))
            });
        let message = format!(
            "the status still shows {shown} for {}, which fails{since}",
            name(metric)
        );
        findings.push(
            Finding::new(Code::FrozenStatus, message)
                .fact(
                    "status.conditions ScalingActive",
                    condition(&failing.status, &failing.reason),
                )
                .advice("read nothing from status.currentMetrics while ScalingActive is False"),
        );
    }
}
