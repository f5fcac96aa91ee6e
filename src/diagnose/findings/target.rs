//! What is wrong with the target itself.

use crate::trace::{Code, Finding, Rule, ScaleRecord, Trace};

use super::Case;

/// The kinds that have a scale subresource and come with Kubernetes, with the
/// API version that serves them.
const SCALABLE: [(&str, &str); 4] = [
    ("Deployment", "apps/v1"),
    ("StatefulSet", "apps/v1"),
    ("ReplicaSet", "apps/v1"),
    ("ReplicationController", "v1"),
];

/// The scale of the target cannot be read, and not because we may not.
pub(super) fn no_scale(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let Some(scale) = &trace.scale else { return };
    let finding = match scale.rule {
        Rule::ScaleApiVersion | Rule::ScaleNoMapping => Some(unknown_kind(trace)),
        Rule::ScaleFailed => failed(trace, scale),
        _ => None,
    };
    let error = scale.error.as_deref().unwrap_or_default();
    findings.extend(finding.map(|finding| finding.fact(trace.target_name(), error)));
}

/// No API serves the kind: mostly it has moved to another group.
fn unknown_kind(trace: &Trace) -> Finding {
    let target = &trace.target;
    let version = &target.api_version;
    let known = SCALABLE
        .iter()
        .find(|(kind, _)| kind.eq_ignore_ascii_case(&target.kind));
    let named = if version.is_empty() {
        "scaleTargetRef has no apiVersion".to_owned()
    } else {
        format!(
            "scaleTargetRef.apiVersion {version} serves no {}",
            target.kind
        )
    };
    let Some((kind, home)) = known else {
        return Finding::new(Code::TargetUnknownKind, named)
            .command("lists the kinds that there are", "kubectl api-resources");
    };
    let message = format!("{named}; {kind} is in {home}");
    Finding::new(Code::TargetUnknownKind, message).patch(
        "names the kind as it is served",
        format!("spec:\n  scaleTargetRef:\n    apiVersion: {home}\n    kind: {kind}"),
    )
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
    let is_scalable = SCALABLE.iter().any(|(kind, _)| *kind == target.kind);
    if !is_scalable && error.contains("could not find the requested resource") {
        let message = format!(
            "kind {} has no scale subresource, so nothing can set its size",
            target.kind
        );
        return Some(Finding::new(Code::TargetCannotScale, message).advice(cannot_scale(trace)));
    }
    None
}

fn cannot_scale(trace: &Trace) -> &'static str {
    match trace.target.kind.as_str() {
        "DaemonSet" => "a DaemonSet runs one pod a node; use a Deployment for a size of its own",
        "Pod" | "Job" | "CronJob" => "aim the HPA at a Deployment or StatefulSet",
        _ => "its CRD has to declare spec.versions[].subresources.scale",
    }
}
