//! A field of the spec that no release has: the fallback of an External
//! metric (KEP-5679).

use crate::diagnose::Case;
use crate::trace::{Code, Finding, Trace, seconds_text};

/// The spec sets it, and the rule is not switched on.
pub(super) fn ignored(case: &Case, _trace: &Trace, findings: &mut Vec<Finding>) {
    if case.settings.gates.external_metric_fallback.is_on() {
        return;
    }
    let metrics = &case.snapshot.horizontal_pod_autoscaler.spec.metrics;
    let fallbacks = metrics.iter().enumerate().filter_map(|(index, metric)| {
        let source = metric.external.as_ref()?;
        Some((
            format!("spec.metrics[{index}].external.fallback"),
            source.fallback?,
        ))
    });
    let fallbacks: Vec<_> = fallbacks.collect();
    let Some((first, _)) = fallbacks.first() else {
        return;
    };
    let message = match fallbacks.len() {
        1 => format!("{first} is ignored: no Kubernetes release has this field"),
        all => format!(
            "{first} and {} more are ignored: no Kubernetes release has this field",
            all - 1
        ),
    };
    let mut finding = Finding::new(Code::FallbackIgnored, message);
    for (field, fallback) in fallbacks {
        let says = format!(
            "{} after {} of failures, by the design of KEP-5679 alone",
            fallback.replicas,
            seconds_text(fallback.failure_seconds())
        );
        finding = finding.fact(field, says);
    }
    findings.push(
        finding.advice(
            "--feature-gates HPAExternalMetricFallback=true shows what the design would do",
        ),
    );
}
