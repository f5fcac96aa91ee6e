//! Metrics below 0.

use crate::controller::Switch;
use crate::diagnose::Case;
use crate::snapshot::MetricSpec;
use crate::trace::amount::{amount, exact, now, proposal};
use crate::trace::{Code, Finding, MetricRecord, Severity, TargetKind, Trace, shell_word};

use super::metrics_apis::asked;
use super::words::{MOST, field, first_with, whole_name};

/// A metric that is below 0: most ask for 0 pods then. An External average asks
/// for as many as there can be, for a sum below 0 is taken for an overflow
/// (`GetExternalPerPodMetricReplicas`).
pub(super) fn negative_metric(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let specs = &case.snapshot.horizontal_pod_autoscaler.spec.metrics;
    for metric in &trace.metrics {
        let (Some(measured), Some(asks)) = (&metric.measured, proposal(metric)) else {
            continue;
        };
        let series = specs.get(metric.index).and_then(|spec| series(case, spec));
        let overflowed = series
            .as_deref()
            .filter(|_| is_capped(case, metric))
            .filter(|series| falls_below_zero(series));
        let (name, min) = (whole_name(metric), trace.bounds.min_replicas);
        let finding = if let Some(series) = overflowed {
            let sum: i128 = series.iter().copied().map(i128::from).sum();
            let sum = i64::try_from(sum).unwrap_or(i64::MIN);
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
            Finding::new(Code::NegativeMetric, message).fact(
                field(metric),
                format!("series: {}", super::words::some(&values, MOST)),
            )
        } else if measured.total < 0 {
            let value = match metric.groups {
                Some(_) => now(metric, measured),
                None => amount(metric, measured.total),
            };
            let message = format!(
                "{name} is {value}: a metric below 0 asks for {}, which leads to minReplicas {min}",
                asks.max(0),
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
    kind == Some(TargetKind::AverageValue)
        && case.settings.release.has(Switch::ExternalAverageCapped)
}

/// The values of the series that an External metric adds up, in thousandths.
fn series(case: &Case, spec: &MetricSpec) -> Option<Vec<i64>> {
    let metrics = &case.snapshot.metrics;
    let metric = &spec.external.as_ref()?.metric;
    let asked = metrics.external.get(metrics.external_at(metric).ok()??)?;
    let items = asked.response.as_ref()?.items.iter();
    Some(items.map(|item| item.value.milli_value()).collect())
}

/// Whether the sum is below 0 at any series, and not for an overflow.
fn falls_below_zero(series: &[i64]) -> bool {
    let mut sum = 0_i128;
    series.iter().any(|value| {
        sum += i128::from(*value);
        sum < 0
    })
}
