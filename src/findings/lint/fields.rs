//! Fields and versions that the API does not have.

use super::{Found, Lint, at};
use crate::api::HpaSpec;
use crate::controller::FALLBACK_DESIGN;
use crate::document::FieldPath;
use crate::document::manifest::{FieldFaultKind, METRICS_ANNOTATION, Suggestion};
use crate::findings::shared_findings;
use crate::trace::{Code, Finding, Severity};

/// Fields that are unknown, or given twice.
pub(super) fn unknown_fields(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    for fault in &lint.manifest.unknown_fields {
        let field = &fault.field;
        let finding = match &fault.kind {
            _ if fault.is_of_design() => of_design(field),
            FieldFaultKind::Unknown(intended) => {
                let finding = unknown(lint, field, intended);
                if is_about_metrics(field, intended) && has_default_metric(spec) {
                    finding.advice(DEFAULT_METRIC)
                } else {
                    finding
                }
            }
            FieldFaultKind::Duplicate => Finding::new(
                Code::DuplicateField,
                format!("{field} is set twice: kubectl rejects the file, and other clients keep the last value"),
            )
            .advice("keep one of them"),
        };
        findings.push(at(field, finding));
    }
}

/// What takes the place of a target that is dropped.
const DEFAULT_METRIC: &str =
    "note that without it the API server sets the default metric: cpu at 80% of the request";

fn of_design(field: &FieldPath) -> Finding {
    let message = format!("unknown field {field}: {FALLBACK_DESIGN}, in no Kubernetes release");
    Finding::new(Code::UnknownField, message)
        .advice(shared_findings::unknown_field("remove it"))
        .advice(shared_findings::TRY_THE_DESIGN)
}

fn unknown(lint: &Lint, field: &FieldPath, intended: &Suggestion) -> Finding {
    let question = || intended.question().map(|it| format!("; {it}"));
    let (says, step) = match intended {
        Suggestion::Nothing => (None, "remove it".to_owned()),
        Suggestion::Renamed(_) => (question(), "fix the name".to_owned()),
        Suggestion::Moved(_) => (question(), "move it there".to_owned()),
        Suggestion::Newer(newer) => {
            let own = lint.manifest.api_version();
            let says = format!(": {newer} has it, {own} does not");
            (Some(says), format!("use apiVersion: {newer}, or remove it"))
        }
    };
    let says = says.unwrap_or_default();
    Finding::new(Code::UnknownField, format!("unknown field {field}{says}"))
        .advice(shared_findings::unknown_field(&step))
}

/// Whether a field was probably meant to say what the HPA aims at.
fn is_about_metrics(field: &FieldPath, intended: &Suggestion) -> bool {
    let is_metric = |name: &str| {
        let name = name.to_lowercase();
        name.contains("metric") || name.contains("utilization")
    };
    let is_target = |name: &str| name.starts_with("target");
    let is_metrics =
        |path: &FieldPath| path.name().is_some_and(is_target) || path.names().any(is_metric);
    match intended {
        Suggestion::Renamed(names) => names.iter().any(|it| is_target(it) || is_metric(it)),
        Suggestion::Moved(paths) => paths.iter().any(is_metrics),
        Suggestion::Nothing | Suggestion::Newer(_) => is_metrics(field),
    }
}

/// Whether the metrics are those that the API server puts where there are
/// none.
fn has_default_metric(spec: &HpaSpec) -> bool {
    let mut bare = spec.clone();
    bare.metrics.clear();
    bare.set_defaults();
    spec.metrics == bare.metrics
}

/// Parts of the spec in annotations that the API server passes over.
pub(super) fn annotations(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    for key in &lint.manifest.ignored_annotations {
        let message = format!(
            "annotation {key} does not parse, so the API server ignores it without an error"
        );
        let finding = Finding::new(Code::AnnotationIgnored, message)
            .advice("fix its JSON, or use apiVersion: autoscaling/v2, which has fields for it");
        let finding = if *key == METRICS_ANNOTATION && has_default_metric(spec) {
            finding.advice(DEFAULT_METRIC)
        } else {
            finding
        };
        findings.push(at(
            FieldPath::from("metadata.annotations").field(*key),
            finding,
        ));
    }
}

/// A version that is converted, which no recorded answer covers.
pub(super) fn old_version(lint: &Lint, _spec: &HpaSpec, findings: &mut Vec<Found>) {
    let manifest = lint.manifest;
    if !manifest.is_converted() {
        return;
    }
    let version = manifest.api_version();
    let is_served = manifest.unserved(lint.rules).is_none();
    let (message, severity) = match manifest.last_served() {
        Some(last) if is_served => (
            format!(
                "apiVersion {version} is served only up to Kubernetes {last}; its conversion was \
                 not checked against a real API server"
            ),
            Severity::Warning,
        ),
        // That it is not served is an error already.
        Some(_) => (
            format!(
                "the other findings read {version} as autoscaling/v2; this conversion was not \
                 checked against a real API server"
            ),
            Severity::Info,
        ),
        None => (
            format!(
                "apiVersion {version} is converted to autoscaling/v2; this conversion was not \
                 checked against a real API server"
            ),
            Severity::Info,
        ),
    };
    let field = "apiVersion";
    let finding = Finding::new(Code::OldVersion, message)
        .at_most(severity)
        .fact(
            "the conversion",
            "taken from the API server's source, not checked against a real one",
        )
        .advice(match manifest.last_served().filter(|_| !is_served) {
            Some(last) => format!(
                "use `lint --kubernetes-version {last} -o json` to print the autoscaling/v2 spec \
                 as `defaulted`"
            ),
            None => "use apiVersion: autoscaling/v2; `-o json` prints its spec as `defaulted`"
                .to_owned(),
        });
    findings.push(at(field, finding));
}
