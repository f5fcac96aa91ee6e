//! A field of the spec that no release has: the fallback of an External
//! metric (KEP-5679).

use crate::api::Designed;
use crate::diagnose::{Case, shared_findings};
use crate::trace::{Code, Finding, Trace};

/// The spec sets it, and the rule is not switched on.
pub(super) fn ignored(case: &Case, _trace: &Trace, findings: &mut Vec<Finding>) {
    if case.settings.gates.external_metric_fallback.is_on() {
        return;
    }
    let fallbacks = case.snapshot.horizontal_pod_autoscaler.spec.fallbacks();
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
        let says = match fallback {
            Designed::Fits(fallback) => shared_findings::designed(fallback),
            Designed::Other(_) => "not even what the design of KEP-5679 says".to_owned(),
        };
        finding = finding.fact(field, says);
    }
    findings.push(finding.advice(shared_findings::TRY_THE_DESIGN));
}
