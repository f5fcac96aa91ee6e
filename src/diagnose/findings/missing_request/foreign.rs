//! Pods that the selector catches and the target does not own.

use std::collections::BTreeSet;

use crate::api::Pod;
use crate::diagnose::Case;
use crate::diagnose::findings::words::{MOST, on_pod, once, some, whole_name as name};
use crate::trace::amount::{now, proposal};
use crate::trace::{Code, FailureCause, Finding, Trace};

use super::gap::{Gap, resources};
use super::own::about;

pub(super) fn in_foreign_pods(case: &Case, trace: &Trace, gaps: &[&Gap]) -> Finding {
    let pods: BTreeSet<&str> = gaps
        .iter()
        .map(|gap| gap.pod.metadata.name.as_str())
        .collect();
    let owners = once(gaps.iter().filter_map(|gap| gap.foreign));
    let (who, verb) = match pods.first() {
        Some(pod) if pods.len() == 1 => (format!("pod {pod}"), "requests"),
        _ => (format!("{} pods", pods.len()), "request"),
    };
    let message = format!(
        "{who} of {}, not of {}, {verb} no {}",
        some(&owners, 2),
        trace.target_name(),
        resources(gaps)
    );
    let mut finding = Finding::new(Code::MissingRequest, message);
    for gap in gaps.iter().take(MOST) {
        let container = gap.container.as_deref();
        finding = finding.fact(
            about(container, &[gap]),
            format!("no request for {}; {}", resources(&[gap]), state(gap.pod)),
        );
    }
    if gaps.len() > MOST {
        let more = gaps.len() - MOST;
        finding = finding.fact("pods", format!("{more} more containers like these"));
    }
    if let Some(scale) = &trace.scale
        && let Some(selector) = &scale.selector
    {
        finding = finding.fact("scale.status.selector", format!("{selector} matches them"));
    }
    finding = without_them(finding, case, trace, &pods);
    let finding = finding.advice(format!(
        "give the pods of {} labels that the selector does not match, or the requests",
        some(&owners, 2)
    ));
    removal(finding, trace, gaps)
}

/// What has ended can go, if nobody needs its logs.
pub(super) fn removal(finding: Finding, trace: &Trace, gaps: &[&Gap]) -> Finding {
    let ended = gaps
        .iter()
        .find(|gap| matches!(gap.pod.status.phase.as_str(), "Succeeded" | "Failed"));
    let Some(gap) = ended else { return finding };
    finding.command(
        "removes the pod, which has ended; the next one may come back with these labels",
        on_pod(trace, "delete", &gap.pod.metadata.name),
    )
}

/// `Succeeded`, `Running, terminating`.
pub(super) fn state(pod: &Pod) -> String {
    let phase = &pod.status.phase;
    if pod.metadata.deletion_timestamp.is_some() {
        return format!("{phase}, terminating");
    }
    phase.to_string()
}

/// What the pass would come to if the selector did not match these pods.
pub(super) fn without_them(
    finding: Finding,
    case: &Case,
    trace: &Trace,
    pods: &BTreeSet<&str>,
) -> Finding {
    let without = case.without_pods(pods);
    let metrics = trace.metrics.iter().zip(&without.metrics);
    let measured: Vec<String> = metrics
        .filter(|(failed, _)| matches!(failed.cause(), Some(FailureCause::MissingRequest { .. })))
        .filter_map(|(_, metric)| {
            let proposal = proposal(metric)?;
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
    finding.fact("without them", format!("{}{size}", measured.join(", ")))
}
