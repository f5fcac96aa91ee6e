//! Metrics below 0.

use crate::api::{MetricSpec, Quantity};
use crate::controller::Switch;
use crate::diagnose::Case;
use crate::trace::amount::{amount, exact, now, proposal};
use crate::trace::{Code, Finding, MetricRecord, Severity, TargetKind, Trace, shell_word};

use super::metrics_apis::asked;
use super::words::{MOST, alone, field, first_with, some, whole_name};

/// A metric that is below 0: most ask for 0 pods then. An External average asks
/// for as many as there can be, for a sum below 0 is taken for an overflow
/// (`GetExternalPerPodMetricReplicas`).
pub(super) fn negative_metric(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let specs = &case.snapshot.horizontal_pod_autoscaler.spec.metrics;
    for metric in &trace.metrics {
        let (Some(measured), Some(asks)) = (&metric.measured, proposal(metric)) else {
            continue;
        };
        let spec = specs.get(metric.index);
        // Where the controller's sum overflows, that is another story.
        let Some(series) = spec.and_then(|spec| values(case, spec)) else {
            continue;
        };
        let sum: i128 = series.iter().copied().map(i128::from).sum();
        let sum = i64::try_from(sum).unwrap_or(i64::MIN);
        let (name, min) = (whole_name(metric), trace.bounds.min_replicas);
        let finding = if is_capped(case, metric) && falls_below_zero(&series) {
            let below = if sum < 0 {
                ""
            } else {
                " after some of its series"
            };
            let message = format!(
                "{name} is {}: a sum below 0{below} counts as the largest number from {} on, and \
                 asks for {asks}",
                amount(metric, sum),
                first_with(Switch::ExternalAverageCapped),
            );
            let values: Vec<String> = series.iter().map(|value| exact(*value)).collect();
            Finding::new(Code::NegativeMetric, message)
                .fact(field(metric), format!("series: {}", some(&values, MOST)))
        } else if measured.total < 0 && sum < 0 {
            let value = match metric.groups {
                Some(_) => now(metric, measured),
                None => amount(metric, measured.total),
            };
            let leads = if trace.asked().is_some_and(|asked| asked <= min) {
                format!(", which leads to minReplicas {min}")
            } else {
                String::new()
            };
            let message = format!(
                "{name} is {value}: a metric below 0 asks for {}{leads}",
                alone(trace, metric, asks),
            );
            Finding::new(Code::NegativeMetric, message)
                .at_most(Severity::Warning)
                .fact(field(metric), measured.formula.clone())
        } else {
            continue;
        };
        let finding = finding.advice("let its query give 0 at least, such as by clamp_min(..., 0)");
        findings.push(match asked(case, trace, metric) {
            Some(path) => finding.command(
                "asks what the controller asks",
                format!("kubectl get --raw {}", shell_word(&path)),
            ),
            None => finding,
        });
    }
}

fn is_capped(case: &Case, metric: &MetricRecord) -> bool {
    let kind = metric.target.map(|target| target.kind);
    metric.kind == "External"
        && kind == Some(TargetKind::AverageValue)
        && case.settings.release.has(Switch::ExternalAverageCapped)
}

/// What answered for a metric that is no resource, in thousandths; `None` where
/// a value is beyond what the controller can add up.
fn values(case: &Case, spec: &MetricSpec) -> Option<Vec<i64>> {
    const EXACT: f64 = 9e15;
    let (metrics, hpa) = (
        &case.snapshot.metrics,
        &case.snapshot.horizontal_pod_autoscaler,
    );
    let custom = |metric, object| {
        let asked = metrics
            .custom
            .get(metrics.custom_at(metric, object).ok()??)?;
        let items = asked.response.as_ref()?.items.iter();
        Some(items.map(|item| &item.value).collect::<Vec<_>>())
    };
    let answered = match (&spec.pods, &spec.object, &spec.external) {
        (Some(pods), _, _) => custom(&pods.metric, None)?,
        (_, Some(object), _) => {
            let described = object.described_object.asked_as(&hpa.metadata.namespace);
            custom(&object.metric, Some(described))?
        }
        (_, _, Some(external)) => {
            let at = metrics.external_at(&external.metric).ok()??;
            let items = metrics.external.get(at)?.response.as_ref()?.items.iter();
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

/// Whether the sum is below 0 at any series, and not for an overflow.
fn falls_below_zero(series: &[i64]) -> bool {
    let mut sum = 0_i128;
    series.iter().any(|value| {
        sum += i128::from(*value);
        sum < 0
    })
}
