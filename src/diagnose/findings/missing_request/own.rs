//! Pods of the target, or of nobody knows whom.

use crate::trace::amount::plural;
use std::collections::{BTreeMap, BTreeSet};

use crate::diagnose::Case;
use crate::diagnose::findings::words::{on_pod, some};
use crate::snapshot::Snapshot;
use crate::trace::amount::counted;
use crate::trace::{Code, Finding, Trace};

use super::foreign::{removal, state, without_them};
use super::gap::{Gap, containers, resources};
use super::repair::{measured_alone, repair};

pub(super) fn in_own_pods(case: &Case, trace: &Trace, gaps: &[&Gap]) -> Finding {
    let names = containers(gaps);
    let pods: BTreeSet<&str> = gaps
        .iter()
        .map(|gap| gap.pod.metadata.name.as_str())
        .collect();
    let injected: Vec<&String> = names
        .iter()
        .filter(|name| is_in_template(case.snapshot, name) == Some(false))
        .collect();
    let who = if names.is_empty() {
        format!("{} without pod-level request", counted(pods.len(), "pod"))
    } else {
        let noun = plural(names.len(), "container", "containers");
        let all = case.selected.len();
        let of = match (pods.first(), pods.len()) {
            (Some(pod), 1) => format!("pod {pod}"),
            (_, count) if count == all => format!("all {all} pods"),
            (_, count) => format!("{count} of {all} pods"),
        };
        format!("{noun} {} of {of}", some(&names, 3))
    };
    let verb = if names.len() > 1 || names.is_empty() && pods.len() > 1 {
        "request"
    } else {
        "requests"
    };
    let how = match (injected.len(), names.len()) {
        (0, _) => "",
        (injected, all) if injected == all => ", and is not in the pod template: injected",
        _ => ", in part injected",
    };
    let message = format!("{who} {verb} no {}{how}", resources(gaps));
    let mut finding = Finding::new(Code::MissingRequest, message);
    for (container, of) in by_container(gaps) {
        finding = finding.fact(about(container.as_deref(), &of), says(case, &of));
    }
    let is_part = pods.len() < case.selected.len();
    if is_part {
        finding = without_them(finding, case, trace, &pods);
    }
    finding = removal(finding, trace, gaps);
    for (container, of) in by_container(gaps) {
        finding = match container {
            // Others of the target's pods have the request, so that its
            // template does.
            Some(container) if is_part && has_elsewhere(case, &container, &of) => {
                let pod = of.first().map_or("", |gap| &gap.pod.metadata.name);
                finding.command(
                    "shows the pod and who made it",
                    on_pod(trace, "describe", pod),
                )
            }
            Some(container) => repair(finding, case, trace, &container, &of),
            None => finding,
        };
    }
    measured_alone(finding, case, trace, &names)
}

/// Whether another pod has what is missing here.
fn has_elsewhere(case: &Case, container: &str, gaps: &[&Gap]) -> bool {
    let wanted: BTreeSet<&String> = gaps.iter().flat_map(|gap| &gap.resources).collect();
    case.selected.iter().any(|pod| {
        let mut containers = pod.spec.containers.iter();
        containers.any(|own| {
            own.name == container && wanted.iter().all(|name| own.request(name).is_some())
        })
    })
}

/// The gaps of each container.
fn by_container<'g>(gaps: &[&'g Gap<'g>]) -> BTreeMap<Option<String>, Vec<&'g Gap<'g>>> {
    let mut by_container: BTreeMap<Option<String>, Vec<&Gap>> = BTreeMap::new();
    for gap in gaps {
        by_container
            .entry(gap.container.clone())
            .or_default()
            .push(gap);
    }
    by_container
}

pub(super) fn about(container: Option<&str>, gaps: &[&Gap]) -> String {
    let pod = gaps.first().map_or("", |gap| &gap.pod.metadata.name);
    match container {
        Some(container) => format!("Pod/{pod} container {container}"),
        None => format!("Pod/{pod}"),
    }
}

fn says(case: &Case, gaps: &[&Gap]) -> String {
    let mut parts = vec![format!("no request for {}", resources(gaps))];
    if let Some(container) = gaps.first().and_then(|gap| gap.container.as_deref()) {
        if is_sidecar(gaps, container) {
            parts.push("a native sidecar, which counts".to_owned());
        }
        match is_in_template(case.snapshot, container) {
            Some(true) => parts.push("in the pod template".to_owned()),
            Some(false) => {
                parts.push("not in the pod template, so something injects it".to_owned());
            }
            None => {}
        }
    }
    let first = gaps.first().map(|gap| gap.pod);
    if let Some(pod) = first.filter(|pod| pod.status.phase != "Running") {
        parts.push(format!("the pod is {}", state(pod)));
    }
    let others = gaps.iter().skip(1);
    let others: Vec<&str> = others.map(|gap| gap.pod.metadata.name.as_str()).collect();
    if !others.is_empty() {
        parts.push(format!("the same in {}", some(&others, 2)));
    }
    parts.join("; ")
}

pub(super) fn is_sidecar(gaps: &[&Gap], container: &str) -> bool {
    gaps.iter().any(|gap| {
        let mut init = gap.pod.spec.init_containers.iter();
        init.any(|own| own.name == container && own.is_sidecar())
    })
}

/// Whether the target's pod template has the container; unknown where the
/// template was not read.
pub(super) fn is_in_template(snapshot: &Snapshot, container: &str) -> Option<bool> {
    let template = snapshot.target.as_ref()?.spec.template.as_ref()?;
    Some(template.spec.as_ref()?.has(container))
}
