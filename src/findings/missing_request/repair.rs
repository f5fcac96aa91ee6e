//! How a container comes to a request.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::api::{MetricKind, Quantity};
use crate::findings::Case;
use crate::findings::containers::container_metrics;
use crate::snapshot::Snapshot;
use crate::trace::{FailureCause, Finding, MetricRecord, Trace, shell_word};

use super::own::{Gap, is_in_template, is_sidecar, pods, resources};

/// How the container comes to a request. The amount is what it uses, where
/// that is known.
pub(super) fn repair(
    finding: Finding,
    case: &Case,
    trace: &Trace,
    container: &str,
    gaps: &[&Gap],
) -> Finding {
    let requests = most_used(case.snapshot, container, gaps);
    let is_there = is_in_template(case.snapshot, container);
    let is_known = annotation(container, "cpu").is_some();
    if is_there == Some(false) || is_there.is_none() && is_known {
        return injected(finding, container, gaps, &requests);
    }
    let is_sidecar = is_sidecar(gaps, container);
    // The command knows no init containers.
    if requests.is_empty() || is_sidecar {
        let field = if is_sidecar {
            "spec.template.spec.initContainers"
        } else {
            "spec.template.spec.containers"
        };
        return finding.advice(format!(
            "set a {} request for container {container} in {field} of {}; this replaces all pods (a rollout)",
            resources(gaps),
            trace.target_argument()
        ));
    }
    let amounts: Vec<String> = requests
        .iter()
        .map(|(resource, amount)| format!("{resource}={amount}"))
        .collect();
    let says = match is_there {
        Some(_) => {
            "set the request to the container's highest usage now, or to more if it can be busier; \
             this replaces all pods (a rollout)"
        }
        None => {
            "set the request (of an injected container: in its injector's configuration) to its highest \
             usage now, or to more if it can be busier; this replaces all pods (a rollout)"
        }
    };
    let command = trace.kubectl_target(&["set", "resources"]);
    let (container, amounts) = (shell_word(container), amounts.join(","));
    finding.change(
        says,
        format!("{command} -c {container} --requests={amounts}"),
    )
}

/// What injects the well-known sidecars reads their requests from annotations
/// of the pod template.
fn annotation(container: &str, resource: &str) -> Option<String> {
    match (container, resource) {
        ("linkerd-proxy", resource) => Some(format!("config.linkerd.io/proxy-{resource}-request")),
        ("istio-proxy", "cpu") => Some("sidecar.istio.io/proxyCPU".to_owned()),
        ("istio-proxy", "memory") => Some("sidecar.istio.io/proxyMemory".to_owned()),
        ("daprd", resource) => Some(format!("dapr.io/sidecar-{resource}-request")),
        _ => None,
    }
}

/// The container is not in the pod template, which a request cannot be set in.
fn injected(
    finding: Finding,
    container: &str,
    gaps: &[&Gap],
    requests: &[(String, String)],
) -> Finding {
    let annotations = requests.iter().filter_map(|(resource, amount)| {
        let key = annotation(container, resource)?;
        Some((key, amount.as_str()))
    });
    let annotations: BTreeMap<String, &str> = annotations.collect();
    let names: BTreeSet<&String> = gaps.iter().flat_map(|gap| &gap.resources).collect();
    let names = names.into_iter().filter_map(|it| annotation(container, it));
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        return finding.advice(format!(
            "set a {} request for container {container} in its injector's configuration, or measure \
             other containers with ContainerResource metrics",
            resources(gaps)
        ));
    }
    let says = format!(
        "set the request by annotating the pod template with {}; this replaces all pods (a rollout)",
        names.join(" and ")
    );
    if annotations.is_empty() {
        return finding.advice(says);
    }
    let metadata = json!({"annotations": annotations});
    finding.patch(says, &json!({"spec": {"template": {"metadata": metadata}}}))
}

/// The most that the container uses in any pod now, of each resource.
fn most_used(snapshot: &Snapshot, container: &str, gaps: &[&Gap]) -> Vec<(String, String)> {
    let resources: BTreeSet<&String> = gaps.iter().flat_map(|gap| &gap.resources).collect();
    let lacking = pods(gaps);
    let items = snapshot.metrics.samples().iter();
    let own = items.filter(|item| lacking.contains(item.metadata.name.as_str()));
    let containers = own.flat_map(|item| &item.containers);
    let used = |resource: &str| {
        let own = containers.clone().filter(|own| own.name == container);
        let amounts = own.filter_map(|own| own.usage.get(resource));
        amounts.max_by_key(|amount: &&Quantity| amount.milli_value())
    };
    let written = |resource: &str| {
        let amount = used(resource)?.milli_value();
        // A request of 0 is one, and lets no percentage be told.
        (amount > 0).then(|| request(resource, amount))
    };
    resources
        .into_iter()
        .filter_map(|resource| Some((resource.clone(), written(resource)?)))
        .collect()
}

/// An amount in thousandths as a manifest has it, rounded up.
fn request(resource: &str, milli: i64) -> String {
    const MEBI: i64 = 1 << 20;
    if resource == "cpu" {
        return format!("{milli}m");
    }
    let units = milli / 1000 + i64::from(milli % 1000 > 0);
    match units {
        ..MEBI => units.to_string(),
        _ => format!("{}Mi", units / MEBI + i64::from(units % MEBI > 0)),
    }
}

/// Where one container is left that has requests, it can be measured alone.
pub(super) fn measured_alone(
    finding: Finding,
    case: &Case,
    trace: &Trace,
    lacking: &[String],
) -> Finding {
    let failed: Vec<&MetricRecord> = trace
        .metrics
        .iter()
        .filter(|metric| {
            metric.kind == MetricKind::Resource
                && matches!(metric.cause(), Some(FailureCause::MissingRequest { .. }))
        })
        .collect();
    let selected = case.selected;
    let containers = selected.iter().flat_map(|pod| pod.spec.containers.iter());
    let names = containers.map(|own| own.name.as_str());
    let lacking: BTreeSet<&str> = lacking.iter().map(String::as_str).collect();
    let names: BTreeSet<&str> = names.filter(|name| !lacking.contains(name)).collect();
    let (Some(container), 1, false) = (names.first(), names.len(), failed.is_empty()) else {
        return finding;
    };
    let is_in_all = selected.iter().all(|pod| {
        let mut own = pod.spec.containers.iter();
        own.any(|own| {
            let mut names = failed.iter().map(|metric| &metric.source.name);
            own.name == *container && names.all(|name| own.request(name).is_some())
        })
    });
    if !is_in_all || !case.settings.gates.container_metrics {
        return finding;
    }
    finding.patch(
        format!("measure container {container} alone, whatever the other containers request"),
        &container_metrics(failed.iter().map(|metric| (*metric, *container))),
    )
}
