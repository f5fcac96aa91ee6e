//! Metrics that cannot be evaluated as the spec has them, or not by us.

use crate::diagnose::Case;
use crate::diagnose::findings::words::{each_once, field, line, selected, whole_name as name};
use crate::trace::{
    Code, FailureCause, Finding, MetricRecord, MetricResult, Rule, Trace, rbac_command, shell_word,
};

use super::metrics_apis::{measures_pods, worst};

/// The metric's own fields keep it from being computed.
pub(super) fn metric_spec_invalid(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    for metric in trace.failed_metrics() {
        let Some(why) = metric.cause().and_then(|cause| wrong(metric, cause)) else {
            continue;
        };
        let finding = Finding::new(Code::MetricSpecInvalid, why);
        let finding = match &metric.result {
            Some(MetricResult::Failed { error, .. }) => finding.fact(field(metric), line(error)),
            _ => finding,
        };
        findings.push(finding.at_most(worst(trace)).command(
            "shows the metrics as the API server has them",
            format!(
                "kubectl get hpa.v2.autoscaling {} {} -o yaml",
                shell_word(&trace.name),
                trace.namespace_argument()
            ),
        ));
    }
}

fn wrong(metric: &MetricRecord, cause: &FailureCause) -> Option<String> {
    let name = name(metric);
    let why = match cause {
        FailureCause::NoTarget => match metric.kind.as_str() {
            "Resource" | "ContainerResource" => {
                format!("the target of {name} sets neither averageUtilization nor averageValue")
            }
            _ => {
                format!("the target of {name} sets neither value nor averageValue as its type asks")
            }
        },
        FailureCause::UnknownType => {
            format!("the controller knows no metrics of type {:?}", metric.kind)
        }
        FailureCause::GateOff => {
            format!("{name} is not computed: the feature gate HPAContainerMetrics is off")
        }
        FailureCause::InvalidSelector => {
            format!("the selector of metric {name} is no label selector")
        }
        FailureCause::UnknownKind => {
            let object = metric.source.object.as_deref().unwrap_or_default();
            format!(
                "no API serves the kind of {object}, which {} describes",
                metric.source.name
            )
        }
        FailureCause::NotOne { items } if *items > 1 => {
            format!("{items} series answer for {name}, where one is needed: narrow its selector")
        }
        _ => return None,
    };
    Some(why)
}

/// The selector matches nothing although there should be pods.
pub(super) fn no_pods(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let decides = trace
        .branch
        .as_ref()
        .is_some_and(|branch| branch.rule == Rule::BranchMetrics);
    let selector = trace.selector.as_ref();
    let Some(selector) = selector.filter(|selector| selector.selected == Some(0) && decides) else {
        return;
    };
    let needs_pods = |metric: &MetricRecord| match metric.cause() {
        Some(FailureCause::NoPods) => true,
        Some(FailureCause::NoMetrics) => measures_pods(metric),
        _ => false,
    };
    if !trace.metrics.iter().any(needs_pods) {
        return;
    }
    let message = format!("the selector {} matches no pod", selector.selector);
    findings.push(
        Finding::new(Code::NoPods, message)
            .fact(
                "scale.spec.replicas",
                trace.outcome.current_replicas.to_string(),
            )
            .fact("scale.status.selector", selector.selector.clone())
            .command(
                "shows what the selector matches",
                format!("kubectl get pods {} --show-labels", selected(trace)),
            )
            .at_most(worst(trace)),
    );
}

/// What keeps part of the answer from us alone.
pub(super) fn metric_unreadable(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let mut reasons: Vec<(&str, &FailureCause, Vec<String>)> = Vec::new();
    let mut note = |reason, cause, what| match reasons.iter_mut().find(|(it, ..)| *it == reason) {
        Some((_, _, whats)) => whats.push(what),
        None => reasons.push((reason, cause, vec![what])),
    };
    if let Some(scale) = &trace.scale
        && let (Some(cause), Some(reason)) = (&scale.unreadable, &scale.error)
    {
        note(
            reason,
            cause,
            format!("the scale of {}", trace.target_name()),
        );
    } else {
        for metric in &trace.metrics {
            if let Some(MetricResult::Unreadable { cause, reason, .. }) = &metric.result
                && *cause != FailureCause::NotAsked
            {
                note(reason, cause, name(metric));
            }
        }
    }
    let Some((_, cause, _)) = reasons.first() else {
        return;
    };
    let whats = each_once(reasons.iter().flat_map(|(_, _, whats)| whats.clone()));
    let message = if cause.is_refusal() {
        format!("you may not read {whats}; the controller may well")
    } else {
        format!("{whats} could not be read from here; the controller may well have")
    };
    let mut finding = Finding::new(Code::MetricUnreadable, message);
    for (reason, _, whats) in &reasons {
        finding = finding.fact(each_once(whats.clone()), line(reason));
    }
    findings.push(match cause {
        FailureCause::Unauthorized => {
            finding.command("shows who you are to the API server", "kubectl auth whoami")
        }
        FailureCause::Refused => {
            finding.command("prints the role that is needed", rbac_command(trace))
        }
        _ => finding.command(
            "shows whether the API server is well",
            "kubectl get --raw /readyz",
        ),
    });
}
