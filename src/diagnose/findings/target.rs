//! What is wrong with the target itself.

use crate::controller::Switch;
use crate::diagnose::target_kind;
use crate::trace::{Code, Finding, Rule, ScaleRecord, SelectorRecord, Severity, Trace, shell_word};

use super::Case;
use super::words::apart;

/// The scale of the target cannot be read, and not because we may not.
pub(super) fn no_scale(_case: &Case, trace: &Trace) -> Option<Finding> {
    let scale = trace.scale.as_ref()?;
    let finding = match scale.rule {
        Rule::ScaleApiVersion | Rule::ScaleNoMapping => target_kind::unknown(&trace.target),
        Rule::ScaleFailed => failed(trace, scale)?,
        _ => return None,
    };
    let error = scale.error.as_deref().unwrap_or_default();
    Some(finding.fact(trace.target_name(), error))
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
        return Some(Finding::new(Code::TargetNotFound, message).look(
            "list the objects of this kind",
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

/// Something holds an HPA that somebody deleted; the controller does not mind.
pub(super) fn hpa_deleted(case: &Case, trace: &Trace) -> Option<Finding> {
    let metadata = &case.snapshot.horizontal_pod_autoscaler.metadata;
    let at = metadata.deletion_timestamp?;
    let message = format!(
        "the HPA was deleted {} ago and works only until its finalizers are removed; then nothing \
         changes the size",
        apart(trace, at)
    );
    let command = format!(
        "kubectl get hpa {} {} -o {}",
        shell_word(&trace.name),
        trace.namespace_argument(),
        shell_word("jsonpath={.metadata.finalizers}")
    );
    Some(
        Finding::new(Code::HpaDeleted, message)
            .fact("metadata.deletionTimestamp", at.to_string())
            .look(
                "see which finalizers keep it (no output: it is already gone)",
                command,
            ),
    )
}

/// More HPAs than this are not named in one line, or as evidence.
const MOST_NAMED: usize = 3;
const MOST_FACTS: usize = 20;

/// The selector is missing, or is not one.
pub(super) fn missing(_case: &Case, trace: &Trace) -> Option<Finding> {
    let selector = trace.selector.as_ref()?;
    let target = trace.target_name();
    let finding = match selector.rule {
        Rule::SelectorRequired => Finding::new(
            Code::SelectorMissing,
            format!(
                "the scale subresource of {target} has no status.selector, so its pods are unknown"
            ),
        ),
        Rule::SelectorInvalid => Finding::new(
            Code::SelectorMissing,
            format!("status.selector in the scale subresource of {target} does not parse"),
        )
        .fact("status.selector", &selector.selector),
        _ => return None,
    };
    let finding = match trace.target.api_version.split_once('/') {
        Some((group, _)) if group != "apps" => finding.advice(format!(
            "set spec.versions[].subresources.scale.labelSelectorPath in the CRD of {} ({group}); its \
             operator must fill that field",
            trace.target.kind
        )),
        _ => finding,
    };
    Some(finding.look(
        "see the scale subresource as the controller reads it",
        format!(
            "kubectl get {} {} --subresource=scale -o yaml",
            trace.target_argument(),
            trace.namespace_argument()
        ),
    ))
}

/// Several HPAs select the same pods. Before 1.26 nothing forbids it: the rule
/// of 1.26 tells which.
pub(super) fn ambiguous(case: &Case, trace: &Trace) -> Option<Finding> {
    let is_refused = case.settings.release.has(Switch::AmbiguousSelector);
    let is_recommended = !is_refused && !case.snapshot.other_autoscalers.is_empty();
    let judged = is_recommended.then(|| case.with_rule(Switch::AmbiguousSelector));
    let selector = judged.as_ref().unwrap_or(trace).selector.as_ref();
    let selector = selector.filter(|it| it.rule == Rule::SelectorAmbiguous)?;
    let others = others(trace, selector);
    let (what, rest) = match (others.as_slice(), is_refused) {
        ([_], true) => ("HPA", "selects the same pods, so neither HPA scales"),
        (_, true) => ("HPAs", "select the same pods, so none of these HPAs scales"),
        ([_], false) => (
            "HPA",
            "also selects the same pods, so each sets its own size",
        ),
        (_, false) => (
            "HPAs",
            "also select the same pods, so each sets its own size",
        ),
    };
    let shown = others.iter().take(MOST_NAMED).copied();
    let mut named = shown.collect::<Vec<_>>().join(", ");
    if others.len() > MOST_NAMED {
        named = format!("{named} and {} more", others.len() - MOST_NAMED);
    }
    let message = format!("{what} {named} {rest}");
    let own = trace.name.as_str();
    let all = others.iter().copied().chain([own]);
    let words: Vec<String> = all.map(shell_word).collect();
    let mut finding =
        Finding::new(Code::AmbiguousSelector, message).fact("status.selector", &selector.selector);
    for other in others.iter().take(MOST_FACTS) {
        finding = finding.fact(
            format!("HorizontalPodAutoscaler/{other}"),
            "also selects these pods",
        );
    }
    if !is_refused {
        // It scales all the same.
        finding = finding
            .at_most(Severity::Warning)
            .fact("from Kubernetes 1.26 on", "none of them scales");
    }
    Some(
        finding
            .look(
                "see what each of them scales",
                format!(
                    "kubectl get hpa {} {}",
                    words.join(" "),
                    trace.namespace_argument()
                ),
            )
            .advice(merge(case)),
    )
}

/// The names of the other HPAs; they are in the same namespace.
fn others<'a>(trace: &Trace, selector: &'a SelectorRecord) -> Vec<&'a str> {
    let own = format!("{}/{}", trace.namespace, trace.name);
    let others = selector.autoscalers.iter().filter(|name| **name != own);
    others
        .map(|name| {
            name.rsplit_once('/')
                .map_or(name.as_str(), |(_, name)| name)
        })
        .collect()
}

fn merge(case: &Case) -> &'static str {
    let hpa = &case.snapshot.horizontal_pod_autoscaler.metadata;
    let mut owners = hpa.owner_references.iter();
    if owners.any(|owner| owner.kind == "ScaledObject") {
        return "move the other HPA's metrics to triggers of the ScaledObject and delete that HPA, if \
                both scale the same target (the highest proposal counts)";
    }
    "merge them into one HPA with several metrics if they scale the same target (the highest \
     proposal counts); otherwise give each target its own labels"
}
