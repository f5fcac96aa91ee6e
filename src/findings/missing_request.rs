//! Requests that utilization is measured by, and that are not there: in pods of the target,
//! or of nobody knows whom, and how a container comes to a request.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::metrics_apis::worst;
use crate::api::{MetricKind, Phase, Pod, Quantity};
use crate::controller::missing_requests;
use crate::document::snapshot::Snapshot;
use crate::findings::Case;
use crate::findings::containers::container_metrics;
use crate::findings::words::{
    MOST, each_once, listed, once, other_labels, some, whole_name as name,
};
use crate::trace::amount::{counted, now, plural};
use crate::trace::{Code, FailureCause, Finding, MetricRecord, Severity, Trace};

/// One container without a request fails the metric for all pods, also if its
/// pod is another workload's, or has long ended. All of them are told, not
/// only the one that the controller came to first.
pub(super) fn missing_request(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let gaps = gaps(case, trace);
    let (foreign, own): (Vec<&Gap>, Vec<&Gap>) = gaps.iter().partition(|gap| gap.foreign.is_some());
    let is_it = |it: &FailureCause| matches!(it, FailureCause::MissingRequest { .. });
    let mut causes = trace.metrics.iter().filter_map(MetricRecord::cause);
    let at_most = if causes.any(is_it) {
        worst(trace)
    } else {
        Severity::Warning
    };
    if !own.is_empty() {
        findings.push(in_own_pods(case, trace, &own).at_most(at_most));
    }
    if !foreign.is_empty() {
        findings.push(in_foreign_pods(case, trace, &foreign).at_most(at_most));
    }
}

/// Pods that count request nothing at all, which is a request, too.
pub(super) fn zero_request(_case: &Case, trace: &Trace) -> Option<Finding> {
    let cause = Some(&FailureCause::NoReadyPodWithRequest);
    // Where all samples are of other pods, none of the pods counts.
    let counts = |it: &MetricRecord| it.groups.is_none_or(|it| it.ready > 0);
    let zero = trace
        .metrics
        .iter()
        .filter(|it| it.cause() == cause && counts(it));
    let names = each_once(zero.map(|metric| metric.source.name.as_str()));
    if names.is_empty() {
        return None;
    }
    let message =
        format!("all counted pods request 0 {names}, so the utilization cannot be computed");
    let command = trace.kubectl_pods("kubectl describe pods");
    Some(
        Finding::new(Code::MissingRequest, message)
            .look("see the requests of each container", command),
    )
}

/// More containers are counted, not named.
const MOST_CONTAINERS: usize = 20;

fn in_own_pods(case: &Case, trace: &Trace, gaps: &[&Gap]) -> Finding {
    let by_container = by_container(gaps);
    let names: Vec<&str> = by_container.keys().copied().flatten().collect();
    let pods = pods(gaps);
    let injected = names
        .iter()
        .filter(|name| is_in_template(case.snapshot, name) == Some(false));
    let lacks = format!("no {} request", resources(gaps));
    let all = case.selected.len();
    let message = if names.is_empty() {
        let (count, of) = (pods.len(), counted(all, "pod"));
        format!("{count} of {of} {} {lacks}", plural(count, "has", "have"))
    } else {
        let who = plural(names.len(), "container", "containers");
        let who = format!("{who} {}", some(&names, 3));
        let has = plural(names.len(), "has", "have");
        match (pods.first(), pods.len()) {
            (Some(pod), 1) => format!("{who} of pod {pod} {has} {lacks}"),
            (_, count) if count == all => format!("{who} {has} {lacks} in any of the {all} pods"),
            (_, count) => format!("{who} {has} {lacks} in {count} of {all} pods"),
        }
    };
    let how = match (injected.count(), names.len()) {
        (0, _) => "",
        (1, 1) => "; it is injected, not in the pod template",
        (injected, all) if injected == all => "; they are injected, not in the pod template",
        _ => "; some of them are injected, not in the pod template",
    };
    let message = format!("{message}{how}");
    let shown = by_container.iter().take(MOST_CONTAINERS);
    let mut finding = Finding::new(Code::MissingRequest, message)
        .facts(shown.map(|(container, of)| (about(*container, of), says(case, of))));
    if let Some(more @ 1..) = by_container.len().checked_sub(MOST_CONTAINERS) {
        finding = finding.fact(counted(more, "more container"), lacks);
    }
    let is_part = pods.len() < case.selected.len();
    if is_part {
        finding = without_them(finding, case, trace, &pods);
    }
    finding = removal(finding, trace, gaps);
    for (container, of) in by_container.iter().take(MOST_CONTAINERS) {
        finding = match *container {
            // Others of the target's pods have the request, so that its
            // template does.
            Some(container) if is_part && has_elsewhere(case, container, of) => {
                let pod = of.first().map_or("", |gap| &gap.pod.metadata.name);
                finding.look("see the pod and what created it", trace.look_at_pod(pod))
            }
            Some(container) => repair(finding, case, trace, container, of),
            None => finding,
        };
    }
    measured_alone(finding, case, trace, &names)
}

/// Whether another pod has what is missing here.
fn has_elsewhere(case: &Case, container: &str, gaps: &[&Gap]) -> bool {
    let desired: BTreeSet<&String> = gaps.iter().flat_map(|gap| &gap.resources).collect();
    case.selected.iter().any(|pod| {
        let mut containers = pod.spec.containers.iter();
        containers.any(|own| {
            own.name == container && desired.iter().all(|name| own.request(name).is_some())
        })
    })
}

fn by_container<'g>(gaps: &[&'g Gap<'g>]) -> BTreeMap<Option<&'g str>, Vec<&'g Gap<'g>>> {
    let mut by_container: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for gap in gaps {
        let of_it = by_container.entry(gap.container.as_deref());
        of_it.or_default().push(*gap);
    }
    by_container
}

fn about(container: Option<&str>, gaps: &[&Gap]) -> String {
    let pod = gaps.first().map_or("", |gap| &gap.pod.metadata.name);
    match container {
        Some(container) => format!("Pod/{pod} container {container}"),
        None => format!("Pod/{pod}"),
    }
}

fn says(case: &Case, gaps: &[&Gap]) -> String {
    let mut parts = vec![format!("no {} request", resources(gaps))];
    if let Some(container) = gaps.first().and_then(|gap| gap.container.as_deref()) {
        if is_sidecar(gaps, container) {
            parts.push("a native sidecar, whose request counts".to_owned());
        }
        match is_in_template(case.snapshot, container) {
            Some(true) => parts.push("in the pod template".to_owned()),
            Some(false) => {
                parts.push("injected, not in the pod template".to_owned());
            }
            None => {}
        }
    }
    let first = gaps.first().map(|gap| gap.pod);
    if let Some(pod) = first.filter(|pod| pod.status.phase != Phase::Running) {
        parts.push(format!("phase {}", state(pod)));
    }
    let others = gaps.iter().skip(1);
    let others: Vec<&str> = others.map(|gap| gap.pod.metadata.name.as_str()).collect();
    if !others.is_empty() {
        parts.push(format!("also in {}", some(&others, 2)));
    }
    parts.join("; ")
}

fn is_sidecar(gaps: &[&Gap], container: &str) -> bool {
    gaps.iter().any(|gap| {
        let mut init = gap.pod.spec.init_containers.iter();
        init.any(|own| own.name == container && own.is_sidecar())
    })
}

/// Whether the target's pod template has the container; unknown where the
/// template was not read.
fn is_in_template(snapshot: &Snapshot, container: &str) -> Option<bool> {
    let template = snapshot.target.as_ref()?.spec.template.as_ref()?;
    let mut names = template.spec.as_ref()?.names();
    Some(names.any(|name| name == container))
}

fn in_foreign_pods(case: &Case, trace: &Trace, gaps: &[&Gap]) -> Finding {
    let pods = pods(gaps);
    let owners = gaps.iter().filter_map(|gap| gap.foreign);
    let owners = once(owners.filter(|owner| !owner.is_empty()));
    let of = match owners.as_slice() {
        [] => "without an owner".to_owned(),
        owners => format!("of {}", some(owners, 2)),
    };
    let (who, has) = match pods.first() {
        Some(pod) if pods.len() == 1 => (format!("pod {pod}"), "has"),
        _ => (format!("{} pods", pods.len()), "have"),
    };
    let message = format!(
        "{who} {of} (not {}'s) {has} no {} request",
        trace.target_name(),
        resources(gaps)
    );
    let shown = gaps.iter().take(MOST).map(|gap| {
        let says = format!("no {} request; phase {}", resources(&[gap]), state(gap.pod));
        (about(gap.container.as_deref(), &[gap]), says)
    });
    let more = gaps.len().checked_sub(MOST).filter(|more| *more > 0);
    let more = more.map(|more| format!("{more} more containers without a request"));
    let selector = trace.scale.as_ref().and_then(|it| it.selector.as_ref());
    let matches = selector.map(|selector| format!("{selector} matches them"));
    let finding = Finding::new(Code::MissingRequest, message)
        .facts(shown)
        .facts(more.map(|more| ("pods", more)))
        .facts(matches.map(|matches| ("scale.status.selector", matches)));
    let finding = without_them(finding, case, trace, &pods);
    // What has ended can be given nothing any more.
    if gaps.iter().all(|gap| gap.pod.has_ended()) {
        return removal(finding, trace, gaps).advice(other_labels(&owners));
    }
    let finding = finding.advice(format!(
        "give the pods {of} labels that the selector does not match, or set their requests"
    ));
    removal(finding, trace, gaps)
}

/// What has ended can go, if nobody needs its logs.
fn removal(finding: Finding, trace: &Trace, gaps: &[&Gap]) -> Finding {
    let Some(gap) = gaps.iter().find(|gap| gap.pod.has_ended()) else {
        return finding;
    };
    finding.change(
        "delete the pod, which has ended (its logs are lost)",
        trace.kubectl("kubectl delete pod", &[&gap.pod.metadata.name]),
    )
}

/// `Succeeded`, `Running, terminating`.
fn state(pod: &Pod) -> String {
    let phase = &pod.status.phase;
    if pod.metadata.deletion_timestamp.is_some() {
        return format!("{phase}, terminating");
    }
    phase.to_string()
}

/// What the pass would come to if the selector did not match these pods.
fn without_them(finding: Finding, case: &Case, trace: &Trace, pods: &BTreeSet<&str>) -> Finding {
    let without = case.without_pods(pods);
    let metrics = trace.metrics.iter().zip(&without.metrics);
    let measured: Vec<String> = metrics
        .filter(|(failed, _)| matches!(failed.cause(), Some(FailureCause::MissingRequest { .. })))
        .filter_map(|(_, metric)| {
            let proposal = metric.asks_for()?;
            let measured = metric.measured.as_ref()?;
            let name = name(metric);
            Some(format!(
                "{name} is at {} and asks for {proposal}",
                now(metric, measured)
            ))
        })
        .collect();
    if measured.is_empty() {
        return finding;
    }
    let size = without.outcome.desired_replicas;
    let size = size.map_or_else(String::new, |size| format!("; the size would be {size}"));
    let them = plural(pods.len(), "without it", "without them");
    finding.fact(them, format!("{}{size}", measured.join(", ")))
}

/// A container, or a whole pod, that lacks requests.
struct Gap<'s> {
    pod: &'s Pod,
    /// Whose the pod is, where it is not the target's; empty without an owner.
    foreign: Option<&'s str>,
    /// Absent where the pod's own request is missing.
    container: Option<String>,
    resources: BTreeSet<String>,
}

fn gaps<'s>(case: &Case<'s>, trace: &'s Trace) -> Vec<Gap<'s>> {
    let foreign = trace.foreign_pods().iter();
    let foreign = foreign.map(|it| (&*it.name, it.owner.as_deref().unwrap_or_default()));
    let foreign: BTreeMap<&str, &str> = foreign.collect();
    let metrics = trace.metrics.iter();
    let utilizations = metrics.filter(|it| it.is_of_resource() && it.is_utilization());
    let utilizations = utilizations.filter(|it| case.unmeasured(it).is_none());
    let utilizations: Vec<&MetricRecord> = utilizations.collect();
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

/// The names of the pods that have the gaps.
fn pods<'s>(gaps: &[&Gap<'s>]) -> BTreeSet<&'s str> {
    let pods = gaps.iter().map(|gap| gap.pod);
    pods.map(|pod| pod.metadata.name.as_str()).collect()
}

/// `cpu or memory`, of all gaps.
fn resources(gaps: &[&Gap]) -> String {
    let all: BTreeSet<&String> = gaps.iter().flat_map(|gap| &gap.resources).collect();
    let all: Vec<String> = all.into_iter().cloned().collect();
    listed(&all, "or")
}

/// How the container comes to a request. The amount is what it uses, where
/// that is known.
fn repair(finding: Finding, case: &Case, trace: &Trace, container: &str, gaps: &[&Gap]) -> Finding {
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
    let amounts = requests.iter();
    let amounts = amounts.map(|(resource, amount)| format!("{resource}={amount}"));
    let amounts: Vec<String> = amounts.collect();
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
    let command = trace.kubectl_target("kubectl set resources");
    let command = command.and("-c").word(container);
    finding.change(says, command.value("--requests=", &amounts.join(",")))
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
    let resources = resources.into_iter();
    let requests = resources.filter_map(|it| Some((it.clone(), written(it)?)));
    requests.collect()
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
fn measured_alone(finding: Finding, case: &Case, trace: &Trace, lacking: &[&str]) -> Finding {
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
