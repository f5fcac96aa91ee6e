//! The fallback of an External metric: a design that no release has.

use crate::api::{Designed, HpaSpec};
use crate::controller::FALLBACK_DESIGN;
use crate::diagnose::shared_findings;
use crate::trace::{Code, Finding};

use super::{Found, Lint, at};

/// Whoever tries the design is told that no cluster follows it.
pub(super) fn design(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    let is_sound = lint.manifest.faults.is_empty() && lint.manifest.errors(lint.rules).is_empty();
    for (field, fallback) in spec.fallbacks() {
        let mut finding = Finding::new(
            Code::FallbackIgnored,
            format!("fallback is {FALLBACK_DESIGN}: no Kubernetes release has this field"),
        );
        if let (Designed::Fits(fallback), true) = (fallback, is_sound) {
            finding = finding.fact(&field, shared_findings::designed(fallback));
            let (size, min) = (fallback.replicas, spec.min_replicas.unwrap_or(1));
            let bound = match spec.max_replicas {
                max if size > max => Some(("spec.maxReplicas", max)),
                _ if size < min => Some(("spec.minReplicas", min)),
                _ => None,
            };
            if let Some((field, bound)) = bound {
                finding = finding.fact(field, format!("{bound}, which would count instead"));
            }
        }
        findings.push(at(
            field,
            finding.advice(shared_findings::unknown_field("take it out")),
        ));
    }
}
