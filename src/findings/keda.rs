//! An HPA that KEDA made: what KEDA does beside it.

use crate::api::{Designed, MetricKind, ScaledObject, TargetKind};
use crate::findings::{Case, shared_findings};
use crate::trace::{Code, Finding, MetricRecord, Severity, Trace, amount, seconds_text};

/// Where a `ScaledObject` sets the behavior of its HPA.
pub(crate) const BEHAVIOR: &str = "spec.advanced.horizontalPodAutoscalerConfig.behavior";

/// KEDA made the HPA.
pub(super) fn keda_owned(case: &Case, trace: &Trace) -> Option<Finding> {
    let hpa = case.hpa();
    let name = hpa.scaled_object()?;
    let message = format!(
        "KEDA created this HPA for ScaledObject/{name}; KEDA scales between 0 and 1, the HPA from 1 up"
    );
    let zero = case.snapshot.scaled_object.iter().flat_map(zero);
    let finding = Finding::new(Code::KedaOwned, message)
        .facts(zero.map(|(field, says)| (format!("ScaledObject/{name} {field}"), says)));
    Some(finding.change(
        "change the ScaledObject, because KEDA reverts changes to the HPA",
        trace.kubectl("kubectl edit scaledobject", &[name]),
    ))
}

/// What decides between 0 and 1.
fn zero(object: &ScaledObject) -> impl Iterator<Item = (&'static str, String)> {
    let (spec, active) = (&object.spec, object.status.last_active_time);
    let cooldown = spec.cooldown_period.map(|cooldown| {
        format!(
            "{} without activity before KEDA scales from 1 to 0; above 1, the HPA's stabilization \
             window applies",
            seconds_text(cooldown.into())
        )
    });
    let [min, idle] = [spec.min_replica_count, spec.idle_replica_count];
    let all = [
        ("spec.minReplicaCount", min.map(|min| min.to_string())),
        ("spec.idleReplicaCount", idle.map(|idle| idle.to_string())),
        ("spec.cooldownPeriod", cooldown),
        ("status.lastActiveTime", active.map(|at| at.to_string())),
    ];
    let all = all.into_iter();
    all.filter_map(|(field, says)| Some((field, says?)))
}

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
    let keys = [
        ("autoscaling.keda.sh/paused-replicas", size),
        ("autoscaling.keda.sh/paused", paused),
    ];
    let set = keys.into_iter();
    let set = set.filter_map(|(key, value)| Some((key, value?)));
    let condition = object.is("Paused").then_some(("Paused", "True"));
    let finding = Finding::new(Code::KedaPaused, message).facts(
        (set.clone().chain(condition))
            .map(|(about, says)| (format!("ScaledObject/{name} {about}"), says)),
    );
    let remove: Vec<String> = set.map(|(key, _)| format!("{key}-")).collect();
    if remove.is_empty() {
        return Some(finding);
    }
    let command = trace.kubectl("kubectl annotate scaledobject", &[name]);
    let command = remove.iter().fold(command, |it, key| it.word(key));
    Some(finding.change("resume scaling", command))
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
    // KEDA makes up the target times the replicas.
    let is_made_up =
        |it: &&MetricRecord| replicas.is_some() && multiple(it) == replicas.map(i64::from);
    let made_up: Vec<&MetricRecord> = trace.metrics.iter().filter(is_made_up).collect();
    let message = match (made_up.as_slice(), replicas) {
        ([metric, ..], Some(replicas)) => format!(
            "{} is not a measurement but the fallback (replicas {replicas}), because KEDA cannot read its \
             source",
            metric.source.name,
        ),
        _ => format!("ScaledObject/{name} uses its fallback, because KEDA cannot read a source"),
    };
    let conditions = object.status.conditions.iter();
    let conditions = conditions.filter(|it| it.kind.as_str() == "Fallback");
    let finding = Finding::new(Code::KedaFallback, message)
        .facts(conditions.map(|condition| {
            let says = format!("True: {} {}", condition.reason, condition.message);
            let about = format!("ScaledObject/{name} Fallback");
            (about, says.trim_end().to_owned())
        }))
        .facts(made_up.into_iter().filter_map(|metric| {
            let says = format!(
                "{} = target {} × fallback.replicas {}",
                amount::amount(metric, metric.measured.as_ref()?.total),
                amount::amount(metric, metric.target?.value),
                replicas?,
            );
            Some((metric.source.name.clone(), says))
        }))
        .facts(object.status.health.iter().filter_map(|(metric, health)| {
            let failures = health.number_of_failures.filter(|it| *it > 0)?;
            let says = format!("{}; consecutive failures: {failures}", health.status);
            Some((format!("ScaledObject/{name} {metric}"), says))
        }));
    let command = trace.kubectl("kubectl describe scaledobject", &[name]);
    Some(finding.look("see why the source fails", command))
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
    let name = case.hpa().scaled_object()?;
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
    let command = trace.kubectl("kubectl describe scaledobject", &[name]);
    Some(finding.look("check whether the ScaledObject uses its fallback", command))
}

/// The spec sets a field that no release has, the fallback of an External
/// metric (KEP-5679), and the rule is not switched on.
pub(super) fn ignored(case: &Case, _trace: &Trace) -> Option<Finding> {
    if case.settings.gates.external_metric_fallback.is_on() {
        return None;
    }
    let fallbacks = case.hpa().spec.fallbacks();
    let fallbacks: Vec<_> = fallbacks.collect();
    let (first, _) = fallbacks.first()?;
    let who = match fallbacks.len() {
        1 => format!("{first} is"),
        all => format!("{first} and {} more are", all - 1),
    };
    let message = format!("{who} ignored: no Kubernetes release has this field");
    let finding = Finding::new(Code::FallbackIgnored, message);
    let finding = finding.facts(fallbacks.into_iter().map(|(field, fallback)| {
        let says = match fallback {
            Designed::Fits(fallback) => shared_findings::designed(fallback),
            Designed::Other(_) => "does not match the design of KEP-5679 either".to_owned(),
        };
        (field, says)
    }));
    Some(finding.advice(shared_findings::TRY_THE_DESIGN))
}
