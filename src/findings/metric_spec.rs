//! Metrics that cannot be evaluated as the spec has them, or not by us.

use super::metrics_apis::{measures_pods, same_request, worst};
use crate::api::{MetricKind, MetricSpec, Quantity, TargetKind};
use crate::controller::Switch;
use crate::findings::words::{
    MOST, alone, each_once, field, first_with, line, some, whole_name, whole_name as name,
};
use crate::findings::{Case, lint};
use crate::trace::amount::{amount, now};
use crate::trace::{
    Code, CodeKind, FailureCause, Finding, MetricRecord, MetricResult, Origin, Rule, Severity,
    ShellCommand, Trace, milli_text, rbac_command,
};

/// The metric's own fields keep it from being computed.
pub(super) fn metric_spec_invalid(
    case: &Case,
    trace: &Trace,
    metric: &MetricRecord,
) -> Option<Finding> {
    let why = metric.cause().filter(|_| metric.is_failed())?;
    let finding = match case.unmeasured(metric) {
        Some(finding) => finding,
        None => Finding::new(Code::MetricSpecInvalid, wrong(metric, why)?),
    };
    let error = match &metric.result {
        Some(MetricResult::Failed { error, .. }) => Some((field(metric), line(error))),
        _ => None,
    };
    let command = trace
        .kubectl_hpa("kubectl get hpa.v2.autoscaling")
        .and("-o yaml");
    let says = "see the metrics as the API server stores them";
    let finding = finding.facts(error).at_most(worst(trace));
    Some(finding.look(says, command))
}

fn wrong(metric: &MetricRecord, cause: &FailureCause) -> Option<String> {
    let name = name(metric);
    let why = match cause {
        FailureCause::NoTarget if metric.is_of_resource() => {
            format!("the target of {name} sets neither averageUtilization nor averageValue")
        }
        FailureCause::NoTarget => format!(
            "the target of {name} does not set the field of its type (value or averageValue)"
        ),
        FailureCause::UnknownType => {
            let kind = metric.kind.as_str();
            format!("the controller does not know metrics of type {kind:?}")
        }
        FailureCause::GateOff => {
            format!("{name} is not computed, because feature gate HPAContainerMetrics is off")
        }
        FailureCause::InvalidSelector => {
            format!("the selector of metric {name} is not a valid label selector")
        }
        FailureCause::UnknownKind => {
            let object = metric.source.object.as_deref().unwrap_or_default();
            let name = &metric.source.name;
            format!("no API serves the kind of {object}, the object of metric {name}")
        }
        FailureCause::NotOne { items } if *items > 1 => format!(
            "the API returns {items} series for {name}, but exactly one is needed: narrow its selector"
        ),
        _ => return None,
    };
    Some(why)
}

/// The selector matches nothing although there should be pods.
pub(super) fn no_pods(_case: &Case, trace: &Trace) -> Option<Finding> {
    let branch = trace.branch.as_ref().map(|branch| branch.rule);
    let selector = trace.selector.as_ref();
    let selector = selector.filter(|it| it.selected == Some(0))?;
    if branch != Some(Rule::BranchMetrics) {
        return None;
    }
    let needs_pods = |metric: &MetricRecord| match metric.cause() {
        Some(FailureCause::NoPods) => true,
        Some(FailureCause::NoMetrics) => measures_pods(metric),
        _ => false,
    };
    if !trace.metrics.iter().any(needs_pods) {
        return None;
    }
    let size = trace.outcome.current_replicas;
    let message = format!(
        "the selector {} matches no pods, although the size of {} is {size}",
        selector.selector,
        trace.target_name(),
    );
    Some(
        Finding::new(Code::NoPods, message)
            .fact("scale.spec.replicas", size.to_string())
            .fact("scale.status.selector", selector.selector.clone())
            .look(
                "list what the selector matches",
                trace.kubectl_pods("kubectl get pods").and("--show-labels"),
            )
            .at_most(worst(trace)),
    )
}

/// What keeps part of the answer from us alone.
pub(super) fn metric_unreadable(_case: &Case, trace: &Trace) -> Option<Finding> {
    let mut reasons: Vec<(&str, &FailureCause, Vec<String>)> = Vec::new();
    let mut note = |reason, cause, what| match reasons.iter_mut().find(|(it, ..)| *it == reason) {
        Some((_, _, whats)) => whats.push(what),
        None => reasons.push((reason, cause, vec![what])),
    };
    if let Some(scale) = &trace.scale
        && let (Some(cause), Some(reason)) = (&scale.unreadable, &scale.error)
    {
        let what = format!("the scale of {}", trace.target_name());
        note(reason, cause, what);
    } else {
        for metric in &trace.metrics {
            if let Some(MetricResult::Unreadable { cause, reason, .. }) = &metric.result
                && *cause != FailureCause::NotAsked
            {
                note(reason, cause, name(metric));
            }
        }
    }
    let (_, cause, _) = reasons.first()?;
    let whats = each_once(reasons.iter().flat_map(|(_, _, whats)| whats.clone()));
    let message = if cause.is_refusal() {
        format!("you are not allowed to read {whats}; the controller probably is")
    } else {
        format!("{whats} could not be read from here; the controller may still be able to read it")
    };
    let facts = reasons.iter();
    let facts = facts.map(|(reason, _, whats)| (each_once(whats.clone()), line(reason)));
    let finding = Finding::new(Code::MetricUnreadable, message).facts(facts);
    Some(match cause {
        FailureCause::Unauthorized => finding.look(
            "see who you are to the API server",
            ShellCommand::new("kubectl auth whoami"),
        ),
        FailureCause::Refused => finding.look("print the role that you need", rbac_command(trace)),
        _ => finding.look(
            "check whether the API server is ready",
            ShellCommand::new("kubectl get --raw /readyz"),
        ),
    })
}

/// A metric that is below 0: most ask for 0 pods then. An External average asks
/// for as many as there can be, for a sum below 0 is taken for an overflow
/// (`GetExternalPerPodMetricReplicas`).
pub(super) fn negative_metric(
    case: &Case,
    trace: &Trace,
    metric: &MetricRecord,
) -> Option<Finding> {
    let spec = case.hpa().spec.metrics.get(metric.index);
    let (measured, asks) = (metric.measured.as_ref()?, metric.asks_for()?);
    // Where the controller's sum overflows, that is another story.
    let series = spec.and_then(|spec| values(case, spec))?;
    let sum: i128 = series.iter().copied().map(i128::from).sum();
    let sum = i64::try_from(sum).unwrap_or(i64::MIN);
    let (name, min) = (whole_name(metric), trace.bounds.min_replicas);
    // Whether the sum is below 0 at any series, and not for an overflow.
    let mut so_far = 0_i128;
    let falls_below_zero = series.iter().any(|value| {
        so_far += i128::from(*value);
        so_far < 0
    });
    let finding = if is_capped(case, metric) && falls_below_zero {
        let later = " after some of its series";
        let below = if sum < 0 { "" } else { later };
        let message = format!(
            "{name} is {}: from {} on, a sum below 0{below} counts as the largest number and \
             asks for {asks}",
            amount(metric, sum),
            first_with(Switch::ExternalAverageCapped),
        );
        let values: Vec<String> = series.iter().map(|value| milli_text(*value)).collect();
        Finding::new(Code::NegativeMetric, message)
            .fact(field(metric), format!("series: {}", some(&values, MOST)))
    } else if measured.total < 0 && sum < 0 {
        let value = match metric.groups {
            Some(_) => now(metric, measured),
            None => amount(metric, measured.total),
        };
        let leads = match trace.recommended() {
            Some(recommended) if recommended <= min => {
                format!(", which leads to minReplicas {min}")
            }
            _ => String::new(),
        };
        let message = format!(
            "{name} is {value}; a metric below 0 asks for {}{leads}",
            alone(trace, metric, asks),
        );
        Finding::new(Code::NegativeMetric, message)
            .at_most(Severity::Warning)
            .fact(field(metric), measured.formula.clone())
    } else {
        return None;
    };
    let finding =
        finding.advice("make its query return at least 0, for example with clamp_min(..., 0)");
    Some(same_request(finding, case, trace, metric))
}

fn is_capped(case: &Case, metric: &MetricRecord) -> bool {
    metric.kind == MetricKind::External
        && metric.is_aimed_at(TargetKind::AverageValue)
        && case.settings.release.has(Switch::ExternalAverageCapped)
}

/// What answered for a metric that is no resource, in thousandths; `None` where
/// a value is beyond what the controller can add up.
fn values(case: &Case, spec: &MetricSpec) -> Option<Vec<i64>> {
    const EXACT: f64 = 9e15;
    let hpa = case.hpa();
    let custom = |metric, object| {
        let query = case.index.custom(metric, object).ok()??;
        let items = query.answer.response()?.items.iter();
        Some(items.map(|item| &item.value).collect::<Vec<_>>())
    };
    let answered = match (&spec.pods, &spec.object, &spec.external) {
        (Some(pods), _, _) => custom(&pods.metric, None)?,
        (_, Some(object), _) => {
            let described = &object.described_object;
            let described = described.request_target(&hpa.metadata.namespace);
            custom(&object.metric, Some(described))?
        }
        (_, _, Some(external)) => {
            let query = case.index.external(&external.metric).ok()??;
            let items = query.answer.response()?.items.iter();
            items.map(|item| &item.value).collect()
        }
        _ => return None,
    };
    let value = |quantity: &Quantity| {
        let is_exact = quantity.as_approximate_float().abs() < EXACT;
        is_exact.then(|| quantity.milli_value())
    };
    answered.into_iter().map(value).collect()
}

/// The bounds, the metrics and the periods of the spec, for this controller.
pub(super) fn of_spec(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let found = lint::of_spec(&case.hpa().spec, case.settings).into_iter();
    let found = found.filter(|finding| finding.code.is(CodeKind::OfSpec));
    let flag = "--horizontal-pod-autoscaler-sync-period";
    let flag = trace.basis.setting(flag);
    // Nobody has seen how often this controller looks.
    let is_assumed = flag.is_none_or(|flag| flag.origin == Origin::Assumed);
    findings.extend(found.map(|finding| {
        let is_unsure = is_assumed && finding.code.is(CodeKind::OfSyncPeriod);
        finding.info_if(is_unsure)
    }));
}
