//! Every request that is looked for and not there.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::Pod;
use crate::controller::missing_requests;
use crate::diagnose::Case;
use crate::trace::{FailureCause, MetricRecord, TargetKind, Trace};

/// A container, or a whole pod, that lacks requests.
pub(super) struct Gap<'s> {
    pub(super) pod: &'s Pod,
    /// Whose the pod is, where it is not the target's; `nobody` of a pod that
    /// has no owner.
    pub(super) foreign: Option<&'s str>,
    /// Absent where the pod's own request is missing.
    pub(super) container: Option<String>,
    pub(super) resources: BTreeSet<String>,
}

pub(super) fn gaps<'s>(case: &Case<'s>, trace: &'s Trace) -> Vec<Gap<'s>> {
    let prospects = trace.prospects.iter();
    let foreign: BTreeMap<&str, &str> = prospects
        .flat_map(|prospects| &prospects.foreign_pods)
        .map(|pod| (pod.name.as_str(), pod.owner.as_deref().unwrap_or("nobody")))
        .collect();
    let utilizations: Vec<&MetricRecord> = trace
        .metrics
        .iter()
        .filter(|metric| {
            let target = metric.target.map(|target| target.kind);
            metric.is_of_resource() && target == Some(TargetKind::Utilization)
        })
        .collect();
    let mut gaps = Vec::new();
    for &pod in case.selected {
        let mut of_pod: BTreeMap<Option<String>, BTreeSet<String>> = BTreeMap::new();
        for metric in &utilizations {
            let container = metric.source.container.as_deref();
            for cause in missing_requests(pod, &metric.source.name, container, case.settings) {
                if let FailureCause::MissingRequest {
                    resource,
                    container,
                    ..
                } = cause
                {
                    of_pod.entry(container).or_default().insert(resource);
                }
            }
        }
        for (container, resources) in of_pod {
            gaps.push(Gap {
                pod,
                foreign: foreign.get(pod.metadata.name.as_str()).copied(),
                container,
                resources,
            });
        }
    }
    gaps
}

/// `cpu, memory`, of all gaps.
pub(super) fn resources(gaps: &[&Gap]) -> String {
    let all: BTreeSet<&String> = gaps.iter().flat_map(|gap| &gap.resources).collect();
    let all: Vec<&str> = all.into_iter().map(String::as_str).collect();
    all.join(", ")
}

/// The containers of all gaps, each once.
pub(super) fn containers(gaps: &[&Gap]) -> Vec<String> {
    let all: BTreeSet<&String> = gaps
        .iter()
        .filter_map(|gap| gap.container.as_ref())
        .collect();
    all.into_iter().cloned().collect()
}
