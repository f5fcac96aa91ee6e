//! An HPA that KEDA made: what KEDA does beside it.

use crate::api::{Designed, MetricKind, ScaledObject, TargetKind};
use crate::diagnose::shared_findings;
use crate::trace::{
    Code, Finding, MetricRecord, Severity, Trace, amount, seconds_text, shell_word,
};

use super::Case;

/// KEDA made the HPA.
pub(super) fn keda_owned(case: &Case, trace: &Trace) -> Option<Finding> {
    let hpa = &case.snapshot.horizontal_pod_autoscaler;
    let name = hpa.scaled_object()?;
    let message = format!(
        "KEDA created this HPA for ScaledObject/{name}; KEDA scales between 0 and 1, the HPA from 1 up"
    );
    let mut finding = Finding::new(Code::KedaOwned, message);
    let scaled_object = case.snapshot.scaled_object.as_ref();
    for (field, says) in scaled_object.into_iter().flat_map(zero) {
        finding = finding.fact(format!("ScaledObject/{name} {field}"), says);
    }
    Some(finding.change(
        "change the ScaledObject, because KEDA reverts changes to the HPA",
        format!(
            "kubectl edit scaledobject {} {}",
            shell_word(name),
            trace.namespace_argument()
        ),
    ))
}

/// What decides between 0 and 1.
fn zero(object: &ScaledObject) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(min) = object.spec.min_replica_count {
        facts.push(("spec.minReplicaCount", min.to_string()));
    }
    if let Some(idle) = object.spec.idle_replica_count {
        facts.push(("spec.idleReplicaCount", idle.to_string()));
    }
    if let Some(cooldown) = object.spec.cooldown_period {
        let cooldown = seconds_text(cooldown.into());
        let says = format!(
            "{cooldown} without activity before KEDA scales from 1 to 0; \
             above 1, the HPA's stabilization window applies"
        );
        facts.push(("spec.cooldownPeriod", says));
    }
    if let Some(at) = object.status.last_active_time {
        facts.push(("status.lastActiveTime", at.to_string()));
    }
    facts
}

/// KEDA is paused.
pub(super) fn keda_paused(case: &Case, trace: &Trace) -> Option<Finding> {
    let object = case.snapshot.scaled_object.as_ref()?;
    let (annotations, name) = (&object.metadata.annotations, &object.metadata.name);
    let paused = annotations.paused.as_deref().filter(|text| !is_false(text));
    let size = annotations.paused_replicas.as_deref();
    if paused.is_none() && size.is_none() && !object.is("Paused") {
        return None;
    }
    let at = size.map_or_else(String::new, |size| format!(" (paused-replicas: {size})"));
    let message = format!("ScaledObject/{name} is paused{at}, so KEDA does not scale");
    let mut finding = Finding::new(Code::KedaPaused, message);
    let mut remove = Vec::new();
    for (key, value) in [
        ("autoscaling.keda.sh/paused-replicas", size),
        ("autoscaling.keda.sh/paused", paused),
    ] {
        if let Some(value) = value {
            finding = finding.fact(format!("ScaledObject/{name} {key}"), value);
            remove.push(format!("{key}-"));
        }
    }
    if object.is("Paused") {
        finding = finding.fact(format!("ScaledObject/{name} Paused"), "True");
    }
    Some(if remove.is_empty() {
        finding
    } else {
        finding.change(
            "resume scaling",
            format!(
                "kubectl annotate scaledobject {} {} {}",
                shell_word(name),
                trace.namespace_argument(),
                remove.join(" ")
            ),
        )
    })
}

/// As KEDA reads it: what is not a truth value counts as true.
fn is_false(text: &str) -> bool {
    matches!(text, "0" | "f" | "F" | "false" | "FALSE" | "False")
}

/// KEDA answers instead of a source that fails.
pub(super) fn keda_fallback(case: &Case, trace: &Trace) -> Option<Finding> {
    let Some(object) = &case.snapshot.scaled_object else {
        return maybe_made_up(case, trace);
    };
    if !object.is("Fallback") {
        return None;
    }
    let name = &object.metadata.name;
    let replicas = object.spec.fallback.as_ref().map(|it| it.replicas);
    let made_up: Vec<&MetricRecord> = trace
        .metrics
        .iter()
        .filter(|metric| replicas.is_some_and(|replicas| is_made_up(metric, replicas)))
        .collect();
    let message = match (made_up.as_slice(), replicas) {
        ([metric, ..], Some(replicas)) => format!(
            "{} is not a measurement: KEDA cannot read its source and returns the fallback for replicas {replicas}",
            metric.source.name,
        ),
        _ => format!("ScaledObject/{name} uses its fallback, because KEDA cannot read a source"),
    };
    let mut finding = Finding::new(Code::KedaFallback, message);
    let conditions = object.status.conditions.iter();
    for condition in conditions.filter(|it| it.kind.as_str() == "Fallback") {
        let says = format!("True: {} {}", condition.reason, condition.message);
        finding = finding.fact(format!("ScaledObject/{name} Fallback"), says.trim_end());
    }
    for metric in made_up {
        if let (Some(measured), Some(target), Some(replicas)) =
            (&metric.measured, metric.target, replicas)
        {
            let says = format!(
                "{} = target {} × fallback.replicas {replicas}",
                amount::amount(metric, measured.total),
                amount::amount(metric, target.value),
            );
            finding = finding.fact(metric.source.name.clone(), says);
        }
    }
    for (metric, health) in &object.status.health {
        let failures = health.number_of_failures.unwrap_or_default();
        if failures > 0 {
            let says = format!("{}; consecutive failures: {failures}", health.status);
            finding = finding.fact(format!("ScaledObject/{name} {metric}"), says);
        }
    }
    Some(finding.look(
        "see why the source fails",
        format!(
            "kubectl describe scaledobject {} {}",
            shell_word(name),
            trace.namespace_argument()
        ),
    ))
}

/// Whether a value is what KEDA makes up: the target times the replicas.
fn is_made_up(metric: &MetricRecord, replicas: i32) -> bool {
    multiple(metric) == Some(replicas.into())
}

/// How many times its target the value of an External metric is, where it is
/// that exactly.
fn multiple(metric: &MetricRecord) -> Option<i64> {
    let (total, target) = (metric.measured.as_ref()?.total, metric.target?);
    let is_average = metric.kind == MetricKind::External && target.kind == TargetKind::AverageValue;
    let is_exact = is_average && total.checked_rem(target.value)? == 0;
    total.checked_div(target.value).filter(|_| is_exact)
}

/// Of a smaller target many a measurement is a multiple.
const LEAST_TARGET: i64 = 10_000;

/// Where nobody could read whether KEDA's source fails: a value that it may
/// have made up.
fn maybe_made_up(case: &Case, trace: &Trace) -> Option<Finding> {
    let name = case.snapshot.horizontal_pod_autoscaler.scaled_object()?;
    let mut metrics = trace.metrics.iter();
    let (metric, target, times) = metrics.find_map(|metric| {
        let target = metric.target.filter(|it| it.value >= LEAST_TARGET)?;
        let times = multiple(metric).filter(|times| *times > 0)?;
        Some((metric, target, times))
    })?;
    let message = format!(
        "{} is exactly {times} times its target {}: it may be KEDA's fallback instead of a \
         measurement (ScaledObject/{name} was not read)",
        metric.source.name,
        amount::amount(metric, target.value)
    );
    let finding = Finding::new(Code::KedaFallback, message).at_most(Severity::Info);
    Some(finding.look(
        "check whether the ScaledObject uses its fallback",
        format!(
            "kubectl describe scaledobject {} {}",
            shell_word(name),
            trace.namespace_argument()
        ),
    ))
}

/// The spec sets a field that no release has, the fallback of an External
/// metric (KEP-5679), and the rule is not switched on.
pub(super) fn ignored(case: &Case, _trace: &Trace) -> Option<Finding> {
    if case.settings.gates.external_metric_fallback.is_on() {
        return None;
    }
    let fallbacks = case.snapshot.horizontal_pod_autoscaler.spec.fallbacks();
    let fallbacks: Vec<_> = fallbacks.collect();
    let (first, _) = fallbacks.first()?;
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
            Designed::Other(_) => "does not match the design of KEP-5679 either".to_owned(),
        };
        finding = finding.fact(field, says);
    }
    Some(finding.advice(shared_findings::TRY_THE_DESIGN))
}
