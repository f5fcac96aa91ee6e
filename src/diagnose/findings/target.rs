//! What is wrong with the target itself.

use crate::trace::{Code, Finding, Rule, ScaleRecord, Trace};

use super::Case;
use crate::diagnose::target_kind;

/// The scale of the target cannot be read, and not because we may not.
pub(super) fn no_scale(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let Some(scale) = &trace.scale else { return };
    let finding = match scale.rule {
        Rule::ScaleApiVersion | Rule::ScaleNoMapping => Some(target_kind::unknown(&trace.target)),
        Rule::ScaleFailed => failed(trace, scale),
        _ => None,
    };
    let error = scale.error.as_deref().unwrap_or_default();
    findings.extend(finding.map(|finding| finding.fact(trace.target_name(), error)));
}

/// The kind is served, and its scale is not there.
fn failed(trace: &Trace, scale: &ScaleRecord) -> Option<Finding> {
    let target = &trace.target;
    let error = scale.error.as_deref()?;
    if error.ends_with("not found") && error.contains(&format!("{:?}", target.name)) {
        let message = format!(
            "{} does not exist in namespace {}",
            trace.target_name(),
            trace.namespace
        );
        return Some(Finding::new(Code::TargetNotFound, message).command(
            "lists what there is of this kind",
            format!(
                "kubectl get {} {}",
                crate::trace::shell_word(&trace.target_kind()),
                trace.namespace_argument()
            ),
        ));
    }
    let is_unscalable = !target_kind::is_scalable(&target.kind)
        && error.contains("could not find the requested resource");
    is_unscalable.then(|| target_kind::without_scale(&target.kind))
}
