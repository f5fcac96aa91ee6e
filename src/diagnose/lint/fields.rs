//! Fields and versions that the API does not have.

use crate::diagnose::alike;
use crate::manifest::StrayKind;
use crate::snapshot::HpaSpec;
use crate::trace::{Code, Finding, Severity};

use super::{Found, Lint, at};

/// Fields that are unknown, or given twice.
pub(super) fn strays(lint: &Lint, _spec: &HpaSpec, findings: &mut Vec<Found>) {
    for stray in &lint.manifest.strays {
        let field = &stray.field;
        let finding = match stray.kind {
            _ if stray.is_of_design() => Finding::new(
                Code::UnknownField,
                format!(
                    "unknown field {field}: a design (KEP-5679) and no shipped feature, in no \
                     Kubernetes release"
                ),
            )
            .advice(alike::NO_FIELD)
            .advice(alike::TRY_THE_DESIGN),
            StrayKind::Duplicate => Finding::new(
                Code::DuplicateField,
                format!("{field} is given twice; the last one counts, kubectl refuses both"),
            )
            .advice("keep one of them"),
            StrayKind::Unknown(Some(nearest)) => Finding::new(
                Code::UnknownField,
                format!("unknown field {field}; did you mean {nearest}?"),
            )
            .advice(
                "mend the name: kubectl refuses it, and without a check it is dropped silently",
            ),
            StrayKind::Unknown(None) => {
                Finding::new(Code::UnknownField, format!("unknown field {field}"))
                    .advice(alike::NO_FIELD)
            }
        };
        findings.push(at(field, finding));
    }
}

/// A version that is converted, which no recorded answer covers.
pub(super) fn old_version(lint: &Lint, _spec: &HpaSpec, findings: &mut Vec<Found>) {
    if !lint.manifest.is_converted() {
        return;
    }
    let version = &lint.manifest.api_version;
    let (message, severity) = match version.as_str() {
        "autoscaling/v2beta2" => (
            format!(
                "apiVersion {version} is served up to Kubernetes 1.25 only; its conversion was \
                 not checked against a real API server"
            ),
            Severity::Warning,
        ),
        _ => (
            format!(
                "apiVersion {version} is converted to autoscaling/v2, which was not checked \
                 against a real API server"
            ),
            Severity::Info,
        ),
    };
    findings.push(at(
        "apiVersion",
        Finding::new(Code::OldVersion, message)
            .at_most(severity)
            .fact(
                "the conversion",
                "read in the API server's source, not checked against a real one",
            )
            .advice(
                "write apiVersion: autoscaling/v2; `-o json` prints the spec of it as `defaulted`",
            ),
    ));
}
