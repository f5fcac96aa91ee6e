//! What is wrong with the target itself, and which kinds can be scaled.

use serde_json::json;

use super::Case;
use super::words::{apart, some};
use crate::api::{AnswerErrorKind, Answered, CrossVersionObjectReference};
use crate::controller::Switch;
use crate::document::nearest;
use crate::trace::amount::plural;
use crate::trace::{Code, Finding, Rule, SelectorRecord, Severity, ShellCommand, Trace};

/// The scale of the target cannot be read, and not because we may not.
pub(super) fn no_scale(case: &Case, trace: &Trace) -> Option<Finding> {
    let scale = trace.scale.as_ref()?;
    let finding = match scale.rule {
        Rule::ScaleApiVersion | Rule::ScaleNoMapping => unknown(&trace.target),
        Rule::ScaleFailed => failed(case, trace)?,
        _ => return None,
    };
    let error = scale.error.as_deref().unwrap_or_default();
    Some(finding.fact(trace.target_name(), error))
}

/// The kind is served, and its scale is not there.
fn failed(case: &Case, trace: &Trace) -> Option<Finding> {
    let target = &trace.target;
    let Answered::Error(error) = &case.snapshot.scale else {
        return None;
    };
    if matches!(&error.kind, AnswerErrorKind::NotFound(name) if *name == target.name) {
        let message = format!(
            "{} does not exist in namespace {}",
            trace.target_name(),
            trace.namespace
        );
        return Some(Finding::new(Code::TargetNotFound, message).look(
            "list the objects of this kind",
            trace.kubectl("kubectl get", &[&trace.target_kind()]),
        ));
    }
    let is_unscalable = !is_scalable(&target.kind) && error.kind == AnswerErrorKind::ApiNotFound;
    is_unscalable.then(|| without_scale(&target.kind))
}

/// Something holds an HPA that somebody deleted; the controller does not mind.
pub(super) fn hpa_deleted(case: &Case, trace: &Trace) -> Option<Finding> {
    let metadata = &case.hpa().metadata;
    let at = metadata.deletion_timestamp?;
    let message = format!(
        "the HPA was deleted {} ago and works only until its finalizers are removed; then nothing \
         changes the size",
        apart(trace, at)
    );
    let command = trace.kubectl_hpa("kubectl get hpa").and("-o");
    Some(
        Finding::new(Code::HpaDeleted, message)
            .fact("metadata.deletionTimestamp", at.to_string())
            .look(
                "see which finalizers keep it (no output: it is already gone)",
                command.word("jsonpath={.metadata.finalizers}"),
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
        Rule::SelectorRequired => {
            let message = format!(
                "the scale subresource of {target} has no status.selector, so its pods are unknown"
            );
            Finding::new(Code::SelectorMissing, message)
        }
        Rule::SelectorInvalid => {
            let message =
                format!("status.selector in the scale subresource of {target} does not parse");
            Finding::new(Code::SelectorMissing, message).fact("status.selector", &selector.selector)
        }
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
    Some(
        finding.look(
            "see the scale subresource as the controller reads it",
            trace
                .kubectl_target("kubectl get")
                .and("--subresource=scale -o yaml"),
        ),
    )
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
    let what = plural(others.len(), "HPA", "HPAs");
    let rest = match (others.as_slice(), is_refused) {
        ([_], true) => "selects the same pods, so neither HPA scales",
        (_, true) => "select the same pods, so none of these HPAs scales",
        ([_], false) => "also selects the same pods, so each sets its own size",
        (_, false) => "also select the same pods, so each sets its own size",
    };
    let message = format!("{what} {} {rest}", some(&others, MOST_NAMED));
    let names = [others.as_slice(), &[&trace.name]].concat();
    let shown = others.iter().take(MOST_FACTS);
    let mut finding = Finding::new(Code::AmbiguousSelector, message)
        .fact("status.selector", &selector.selector)
        .facts(shown.map(|other| {
            let about = format!("HorizontalPodAutoscaler/{other}");
            (about, "also selects these pods")
        }));
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
                trace.kubectl("kubectl get hpa", &names),
            )
            .advice(merge(case)),
    )
}

/// The names of the other HPAs; they are in the same namespace.
fn others<'a>(trace: &Trace, selector: &'a SelectorRecord) -> Vec<&'a str> {
    let own = format!("{}/{}", trace.namespace, trace.name);
    let others = selector.autoscalers.iter().filter(|name| **name != own);
    let short = |name: &'a String| name.rsplit('/').next().unwrap_or(name);
    others.map(short).collect()
}

fn merge(case: &Case) -> &'static str {
    let hpa = &case.hpa().metadata;
    let mut owners = hpa.owner_references.iter();
    if owners.any(|owner| owner.kind == "ScaledObject") {
        return "move the other HPA's metrics to triggers of the ScaledObject and delete that HPA, if \
                both scale the same target (the highest proposal counts)";
    }
    "merge them into one HPA with several metrics if they scale the same target; otherwise give each \
     target a selector of its own (in a new Deployment: it is immutable)"
}

/// The kinds that have a scale subresource and come with Kubernetes, with the
/// API version that serves them.
const SCALABLE: [(&str, &str); 4] = [
    ("Deployment", "apps/v1"),
    ("StatefulSet", "apps/v1"),
    ("ReplicaSet", "apps/v1"),
    ("ReplicationController", "v1"),
];

/// Whether a kind comes with Kubernetes and can be scaled, in whichever group.
pub(super) fn is_scalable(kind: &str) -> bool {
    SCALABLE.iter().any(|(own, _)| *own == kind)
}

/// The kind that was probably meant, and the API version that serves it.
fn intended(kind: &str) -> Option<(&'static str, &'static str)> {
    let known = SCALABLE.map(|(kind, _)| kind);
    let mut all = SCALABLE.into_iter();
    let lower = kind.to_lowercase();
    all.find(|(own, _)| own.to_lowercase() == lower)
        .or_else(|| {
            // A DaemonSet is no misspelt ReplicaSet.
            let near = nearest(kind, &known).filter(|_| !is_without_scale(kind))?;
            SCALABLE.into_iter().find(|(own, _)| *own == near)
        })
}

fn is_without_scale(kind: &str) -> bool {
    matches!(kind, "DaemonSet" | "Pod" | "Job" | "CronJob")
}

/// No API serves the kind: mostly it has moved to another group.
pub(super) fn unknown(target: &CrossVersionObjectReference) -> Finding {
    let version = &target.api_version;
    let named = if version.is_empty() {
        "scaleTargetRef has no apiVersion".to_owned()
    } else {
        let kind = &target.kind;
        format!("scaleTargetRef.apiVersion {version} does not serve kind {kind}")
    };
    let Some((kind, home)) = intended(&target.kind) else {
        return Finding::new(Code::TargetUnknownKind, named).look(
            "list the kinds that the API server has",
            ShellCommand::new("kubectl api-resources"),
        );
    };
    let message = if kind == target.kind {
        format!("{named}; {kind} is in {home}")
    } else {
        format!("{named}; did you mean {kind} of {home}?")
    };
    Finding::new(Code::TargetUnknownKind, message).patch(
        "use the apiVersion and kind that are served",
        &json!({"spec": {"scaleTargetRef": {"apiVersion": home, "kind": kind}}}),
    )
}

/// The kind has no size that can be set.
pub(super) fn without_scale(kind: &str) -> Finding {
    let message = format!("kind {kind} has no scale subresource, so the HPA cannot set its size");
    Finding::new(Code::TargetCannotScale, message).advice(match kind {
        "DaemonSet" => "use a Deployment: a DaemonSet always runs one pod per node",
        "Pod" | "Job" | "CronJob" => "scale a Deployment or StatefulSet instead",
        _ => "declare spec.versions[].subresources.scale in its CRD",
    })
}

/// What is wrong with a target of a group that Kubernetes itself serves; of
/// other groups nothing is known. The version does not count.
pub(super) fn of_built_in(target: &CrossVersionObjectReference) -> Option<Finding> {
    let group = target.group();
    // A group that somebody adds has a dot in its name.
    if target.kind.is_empty() || group.contains('.') {
        return None;
    }
    let is_served = |(kind, home): (&str, &str)| {
        kind == target.kind && home.split_once('/').map_or("", |(group, _)| group) == group
    };
    if SCALABLE.into_iter().any(is_served) {
        return None;
    }
    Some(match intended(&target.kind) {
        Some(_) => unknown(target),
        None if is_without_scale(&target.kind) => without_scale(&target.kind),
        None => {
            let (version, kind) = (&target.api_version, &target.kind);
            let message =
                format!("apiVersion {version:?} has no kind {kind} that an HPA can scale");
            Finding::new(Code::TargetCannotScale, message).advice(
                "scale a Deployment or StatefulSet of apps/v1, or add the API group of the kind",
            )
        }
    })
}
