//! Targets whose type and value do not belong together, and metrics that are
//! there twice: the API server does not compare them; and fallbacks, a design that
//! no release has.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Found, Lint, at};
use crate::api::{
    Designed, HpaSpec, MetricKind, MetricSource, MetricSpec, MetricTarget, Quantity, TargetKind,
};
use crate::controller::FALLBACK_DESIGN;
use crate::document::FieldPath;
use crate::findings::shared_findings;
use crate::trace::{Code, Finding};

/// What a target sets, by the type that belongs to it.
fn is_set(target: &MetricTarget, kind: TargetKind) -> bool {
    match kind {
        TargetKind::Utilization => target.average_utilization.is_some(),
        TargetKind::AverageValue => target.average_value.is_some(),
        TargetKind::Value => target.value.is_some(),
    }
}

/// An Object metric needs the value of its type, or fails in every pass.
pub(super) fn object_target(spec: &HpaSpec, findings: &mut Vec<Found>) {
    for (index, metric) in spec.metrics.iter().enumerate() {
        let Some(MetricSource::Object(object)) = metric.source() else {
            continue;
        };
        let kind = &object.target.kind;
        let field = match kind.known() {
            Some(kind @ (TargetKind::Value | TargetKind::AverageValue))
                if is_set(&object.target, kind) =>
            {
                continue;
            }
            Some(TargetKind::Value) => "value",
            Some(TargetKind::AverageValue) => "averageValue",
            _ => "value or averageValue",
        };
        let wrong = match kind.as_str() {
            "" => "has no type".to_owned(),
            kind => format!("has type {kind} but does not set {field}"),
        };
        let message = format!(
            "the target of {} {wrong}, so this metric fails in every pass",
            name(metric)
        );
        let finding = Finding::new(Code::MetricSpecInvalid, message);
        let field = path_of(index).join("object.target.type");
        let finding = finding
            .advice("set the value that the type needs, or change the type to match the value");
        findings.push(at(field, finding));
    }
}

/// Everywhere else the controller takes the value that it finds, whatever the
/// type says.
pub(super) fn ignored_type(spec: &HpaSpec, findings: &mut Vec<Found>) {
    for (index, metric) in spec.metrics.iter().enumerate() {
        let Some((source, target, counts)) = counting(metric) else {
            continue;
        };
        let is_refused = !target.kind.as_str().is_empty() && target.kind.known().is_none();
        if is_refused || target.kind == counts || !is_set(target, counts) {
            continue;
        }
        let name = name(metric);
        let message = match target.kind.as_str() {
            "" => format!("the target of {name} has no type, so its {counts} counts"),
            kind => format!("the target of {name} has type {kind}, but its {counts} counts"),
        };
        let finding = Finding::new(Code::TargetTypeIgnored, message);
        let field = path_of(index).field(source).join("target.type");
        let finding = finding.patch(
            "set the type that takes effect",
            &json!({"target": {"type": counts}}),
        );
        findings.push(at(field, finding));
    }
}

/// What the metric is called; nothing stands for one without a name.
fn name(metric: &MetricSpec) -> &str {
    let name = metric.name().filter(|name| !name.is_empty());
    name.unwrap_or("a metric without a name")
}

/// The type that the controller acts by, for the sources where the target's
/// own does not matter.
fn counting(metric: &MetricSpec) -> Option<(&'static str, &MetricTarget, TargetKind)> {
    let source = metric.source()?;
    let target = source.target();
    let counts = match source {
        MetricSource::Object(_) => return None,
        MetricSource::Pods(_) => TargetKind::AverageValue,
        _ if target.average_value.is_some() => TargetKind::AverageValue,
        MetricSource::External(_) => TargetKind::Value,
        MetricSource::Resource(_) | MetricSource::ContainerResource(_) => TargetKind::Utilization,
    };
    Some((metric.kind.known()?.field(), target, counts))
}

/// A resource that is never measured.
pub(super) fn not_measured(spec: &HpaSpec, findings: &mut Vec<Found>) {
    let found = held(spec).filter_map(|metric| {
        let finding = shared_findings::not_measured(metric.resource)?;
        Some(at(metric.field, finding))
    });
    findings.extend(found);
}

/// The same metric against a second target of one type.
pub(super) fn twice(spec: &HpaSpec, findings: &mut Vec<Found>) {
    let mut known: BTreeMap<String, (usize, String)> = BTreeMap::new();
    // To be held against another one, a metric is written out, which takes long.
    let mut names: BTreeMap<_, usize> = BTreeMap::new();
    for metric in &spec.metrics {
        *names.entry(metric.name()).or_default() += 1;
    }
    let all = spec.metrics.iter().enumerate();
    for (index, metric) in all.filter(|(_, it)| names[&it.name()] > 1) {
        let Some((key, target)) = identity(metric) else {
            continue;
        };
        let Some((first, other)) = known.get(&key) else {
            known.insert(key, (index, target));
            continue;
        };
        let name = name(metric);
        let message = if *other == target {
            format!("{name} is listed twice with the same target, {target}")
        } else {
            format!(
                "{name} is listed twice, with targets {other} and {target}; only the larger proposal \
                 counts"
            )
        };
        let field = path_of(index);
        let finding = Finding::new(Code::MetricTwice, message)
            .fact(format!("spec.metrics[{first}]"), format!("target {other}"))
            .fact(format!("spec.metrics[{index}]"), format!("target {target}"))
            .advice("remove one of the two");
        findings.push(at(field, finding));
    }
}

/// What a metric measures and the type of target that counts, as text, and the
/// target's value.
fn identity(metric: &MetricSpec) -> Option<(String, String)> {
    let target = metric.source()?.target();
    let counts = counting(metric).map_or(target.kind.clone(), |(_, _, counts)| counts.into());
    let value = match counts.known() {
        Some(TargetKind::Utilization) => format!("{}%", target.average_utilization?),
        Some(TargetKind::AverageValue) => target.average_value.as_ref()?.to_string(),
        _ => target.value.as_ref()?.to_string(),
    };
    let mut source = metric.clone();
    for target in source.targets_mut() {
        *target = MetricTarget {
            kind: counts.clone(),
            ..MetricTarget::default()
        };
    }
    Some((format!("{source:?}"), value))
}

/// The path of a metric.
fn path_of(index: usize) -> FieldPath {
    FieldPath::from("spec.metrics").item(index)
}

/// A metric of what each pod uses of a resource.
pub(super) struct Held<'s> {
    /// Where the metric stands.
    pub field: FieldPath,
    /// What is used.
    pub resource: &'s str,
    /// The only container that is measured.
    pub container: Option<&'s str>,
    /// The target in percent of the requests.
    pub percent: Option<i32>,
    /// The target as an amount, which counts before the percentage.
    pub average: Option<&'s Quantity>,
}

/// The metrics of what each pod uses of a resource.
pub(super) fn held(spec: &HpaSpec) -> impl Iterator<Item = Held<'_>> {
    let metrics = spec.metrics.iter().enumerate();
    metrics.filter_map(|(index, metric)| {
        let source = metric.source()?;
        let (resource, container) = source.resource()?;
        let target = source.target();
        let average = target.average_value.as_ref();
        Some(Held {
            field: path_of(index),
            resource,
            container,
            percent: target.average_utilization.filter(|_| average.is_none()),
            average,
        })
    })
}

/// Those whose target is in percent of the requests, with that.
pub(super) fn percents(spec: &HpaSpec) -> impl Iterator<Item = (Held<'_>, i32)> {
    held(spec).filter_map(|metric| metric.percent.map(|percent| (metric, percent)))
}

/// Words of names of what waits to be worked off.
const WAITING: [&str; 10] = [
    "backlog",
    "depth",
    "jobs",
    "lag",
    "length",
    "messages",
    "pending",
    "queue",
    "tasks",
    "undelivered",
];

/// Words of names of what is no amount: a time, a share or a speed.
const NO_AMOUNT: [&str; 16] = [
    "age",
    "avg",
    "average",
    "duration",
    "latency",
    "ms",
    "p50",
    "p90",
    "p95",
    "p99",
    "percent",
    "rate",
    "ratio",
    "seconds",
    "time",
    "utilization",
];

/// A queue of which the whole is the target: it does not fall as pods are added
/// as a load for each of them does.
pub(super) fn whole_queue(spec: &HpaSpec, findings: &mut Vec<Found>) {
    for (index, metric) in spec.metrics.iter().enumerate() {
        let source = metric.source().filter(|_| metric.is_one_value());
        let Some((source, identifier)) = source.and_then(|it| Some((it, it.metric()?))) else {
            continue;
        };
        let target = source.target();
        let words = words(&identifier.name);
        let has = |all: &[&str]| words.iter().any(|word| all.contains(&word.as_str()));
        let value = target.value.as_ref();
        let Some(value) = value.filter(|_| target.average_value.is_none()) else {
            continue;
        };
        if target.kind != TargetKind::Value || !has(&WAITING) || has(&NO_AMOUNT) {
            continue;
        }
        let message = format!(
            "{} seems to be a queue, but its target has type Value: while it is above {value}, \
             the size grows in every pass, up to maxReplicas {}",
            name(metric),
            spec.max_replicas
        );
        let finding = Finding::new(Code::ValueForAverage, message)
            .fact(&path_of(index), shared_findings::VALUE_IS_OF_THE_WHOLE)
            .patch(
                shared_findings::AVERAGE_IN_PLACE_OF_VALUE,
                &json!({"target": {"type": "AverageValue", "averageValue": value}}),
            );
        let field = metric.kind.known().map_or("", MetricKind::field);
        let field = path_of(index).field(field).join("target.type");
        findings.push(at(field, finding));
    }
}

/// The words of a name such as `queue_length` or `queueLength`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_lower = false;
    for char in name.chars() {
        let begins = char.is_uppercase() && is_lower || !char.is_alphanumeric();
        if begins {
            words.push(String::new());
        }
        is_lower = char.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| char.is_alphanumeric()) {
            word.extend(char.to_lowercase());
        }
    }
    words
}

/// Whoever tries the design is told that no cluster follows it.
pub(super) fn fallback_design(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    let is_sound = lint.manifest.faults.is_empty() && lint.manifest.errors(lint.rules).is_empty();
    for (index, metric) in spec.metrics.iter().enumerate() {
        let Some(fallback) = metric.external.as_ref().and_then(|it| it.fallback) else {
            continue;
        };
        let field = path_of(index).join("external.fallback");
        let message =
            format!("fallback is {FALLBACK_DESIGN}: no Kubernetes release has this field");
        let mut finding = Finding::new(Code::FallbackIgnored, message);
        if let (Designed::Fits(fallback), true) = (fallback, is_sound) {
            finding = finding.fact(&field, shared_findings::designed(fallback));
            let (size, min) = (fallback.replicas, spec.min_replicas.unwrap_or(1));
            let bound = match spec.max_replicas {
                max if size > max => Some(("spec.maxReplicas", max)),
                _ if size < min => Some(("spec.minReplicas", min)),
                _ => None,
            };
            if let Some((field, bound)) = bound {
                finding = finding.fact(field, format!("{bound}, which would apply instead"));
            }
        }
        let finding = finding.advice(shared_findings::unknown_field("remove it"));
        findings.push(at(field, finding));
    }
}
