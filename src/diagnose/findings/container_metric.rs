//! Patches that measure one container alone.

use crate::trace::{MetricRecord, TargetKind, milli_text};

use super::yaml::scalar;

/// A metric, measured on one container, as a part of the HPA's manifest.
pub(super) fn container_metric(metric: &MetricRecord, container: &str) -> String {
    container_metrics(&[metric], container)
}

/// The same of several metrics.
pub(super) fn container_metrics(metrics: &[&MetricRecord], container: &str) -> String {
    let entries = metrics.iter().map(|metric| entry(metric, container));
    manifest(entries)
}

/// Entries of `spec.metrics` where they stand.
pub(super) fn manifest(entries: impl IntoIterator<Item = String>) -> String {
    let entries: Vec<String> = entries.into_iter().collect();
    format!("spec:\n  metrics:\n{}", entries.join("\n"))
}

/// An entry of `spec.metrics`.
pub(super) fn entry(metric: &MetricRecord, container: &str) -> String {
    let target = metric.target.map_or_else(String::new, |target| {
        let (kind, field, value) = match target.kind {
            TargetKind::Utilization => (
                "Utilization",
                "averageUtilization",
                target.value.to_string(),
            ),
            _ => (
                "AverageValue",
                "averageValue",
                format!("\"{}\"", milli_text(target.value)),
            ),
        };
        format!("\n      target: {{type: {kind}, {field}: {value}}}")
    });
    format!(
        "  - type: ContainerResource\n    containerResource:\n      \
         name: {}\n      container: {}{target}",
        scalar(&metric.source.name),
        scalar(container),
    )
}
