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
    let manifest = lint.manifest;
    if !manifest.is_converted() {
        return;
    }
    let version = manifest.api_version();
    let is_served = manifest.unserved(lint.rules).is_none();
    let (message, severity) = match manifest.last_served() {
        Some(last) if is_served => (
            format!(
                "apiVersion {version} is served up to Kubernetes {last} only; its conversion was \
                 not checked against a real API server"
            ),
            Severity::Warning,
        ),
        // That it is not served is an error already.
        Some(_) => (
            format!(
                "what else is said here takes {version} as autoscaling/v2, a conversion that \
                 was not checked against a real API server"
            ),
            Severity::Info,
        ),
        None => (
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
            .advice(match manifest.last_served().filter(|_| !is_served) {
                Some(last) => format!(
                    "`lint --kubernetes-version {last} -o json` prints the spec of \
                     autoscaling/v2 as `defaulted`"
                ),
                None => "write apiVersion: autoscaling/v2; `-o json` prints the spec of it as \
                         `defaulted`"
                    .to_owned(),
            }),
    ));
}
