//! What makes one spec of another: field by field, and as a merge patch, with
//! quantities as the server stores them: `0.05` comes back as `50m`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::api::{HpaSpec, MetricKind, MetricSpec, Quantity, ScalingRules};
use crate::controller::{Release, Switch};
use crate::document::FieldPath;
use crate::trace::FieldChange;

/// The fields that two specs differ in, each as deep inside as it goes. A
/// metric is held against the one that measures the same, wherever that
/// stands; one that only one of the specs has is told as a whole. Quantities
/// are compared as the API server prints them.
pub fn changes(before: &HpaSpec, after: &HpaSpec) -> Vec<FieldChange> {
    let mut found = Vec::new();
    let pairs = metric_pairs(&before.metrics, &after.metrics);
    let (old, new) = (json(before), json(after));
    for name in names(&old, &new) {
        match &pairs {
            Some(pairs) if name == "metrics" => {
                for pair in pairs {
                    metric(*pair, (before, after), (&old, &new), &mut found);
                }
            }
            _ => collect(
                FieldPath::from("spec").field(name),
                old.get(name),
                new.get(name),
                &mut found,
            ),
        }
    }
    found
}

/// The places of metrics that measure the same, and of those that only one of
/// the lists has; nothing where those of both do not come in the same order,
/// which is a change, too.
fn metric_pairs(before: &[MetricSpec], after: &[MetricSpec]) -> Option<Vec<Pair>> {
    let mut rest = after.iter().enumerate();
    let mut pairs = Vec::new();
    let mut is_new = vec![true; after.len()];
    for (at, metric) in before.iter().enumerate() {
        // Most come in the same order.
        let is_next = |it: &&MetricSpec| it.measures_the_same(metric);
        let is_there =
            after.get(at).is_some_and(|it| is_next(&it)) || after.iter().any(|it| is_next(&it));
        if !is_there {
            pairs.push((Some(at), None));
            continue;
        }
        let (there, _) = rest.find(|(_, it)| it.measures_the_same(metric))?;
        is_new[there] = false;
        pairs.push((Some(at), Some(there)));
    }
    let new = is_new.into_iter().enumerate().filter(|(_, is_new)| *is_new);
    pairs.extend(new.map(|(at, _)| (None, Some(at))));
    Some(pairs)
}

/// The place of a metric in the one spec, and in the other.
type Pair = (Option<usize>, Option<usize>);

fn metric(
    (from, to): Pair,
    (before, after): (&HpaSpec, &HpaSpec),
    (old, new): (&Value, &Value),
    found: &mut Vec<FieldChange>,
) {
    let Some(place) = to.or(from) else {
        return;
    };
    let first = found.len();
    let item = |spec: &'_ Value, at: Option<usize>| spec["metrics"].get(at?).cloned();
    let (from_json, to_json) = (item(old, from), item(new, to));
    let path = FieldPath::from("spec.metrics").item(place);
    collect(path, from_json.as_ref(), to_json.as_ref(), found);
    let only = match (from, to) {
        (Some(_), Some(_)) => None,
        _ => from
            .and_then(|at| before.metrics.get(at))
            .or_else(|| after.metrics.get(to?)),
    };
    for change in &mut found[first..] {
        change.metric = only.map(what);
    }
}

/// `resource cpu`, `containerResource cpu of container app`,
/// `object requests of Ingress/web`.
fn what(metric: &MetricSpec) -> String {
    let kind = metric.kind.known().map_or("", MetricKind::field);
    let name = metric.name().unwrap_or_default();
    let of = match (&metric.container_resource, &metric.object) {
        (Some(source), _) => format!(" of container {}", source.container),
        (_, Some(source)) => {
            let object = &source.described_object;
            format!(" of {}/{}", object.kind, object.name)
        }
        _ => String::new(),
    };
    format!("{kind} {name}{of}")
}

fn names<'v>(before: &'v Value, after: &'v Value) -> BTreeSet<&'v String> {
    let all = [before, after].into_iter().filter_map(Value::as_object);
    all.flat_map(Map::keys).collect()
}

/// The JSON merge patch (RFC 7386) that makes the one of the other, with the
/// `spec` around it; nothing where they are the same. It replaces lists as a
/// whole.
pub fn merge_patch(before: &HpaSpec, after: &HpaSpec) -> Option<String> {
    let patch = patch(&json(before), &json(after))?;
    let mut whole = Map::new();
    whole.insert("spec".to_owned(), patch);
    Some(Value::Object(whole).to_string())
}

/// A spec has nothing that JSON could not hold.
fn json(spec: &HpaSpec) -> Value {
    let mut spec = spec.clone();
    // In full: a patch is to say what is meant.
    print_quantities(&mut spec, Release::NEWEST);
    serde_json::to_value(spec).unwrap_or_default()
}

fn collect(
    path: FieldPath,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<FieldChange>,
) {
    if before == after {
        return;
    }
    match (before, after) {
        (Some(before @ Value::Object(_)), Some(after @ Value::Object(_))) => {
            for name in names(before, after) {
                let path = path.clone().field(name);
                collect(path, before.get(name), after.get(name), found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            for index in 0..before.len().max(after.len()) {
                let path = path.clone().item(index);
                collect(path, before.get(index), after.get(index), found);
            }
        }
        _ => found.push(FieldChange {
            field: path,
            metric: None,
            from: before.cloned(),
            to: after.cloned(),
        }),
    }
}

fn patch(before: &Value, after: &Value) -> Option<Value> {
    if before == after {
        return None;
    }
    let (Value::Object(before), Value::Object(after)) = (before, after) else {
        return Some(after.clone());
    };
    let mut patched = Map::new();
    for (name, value) in after {
        let changed = match before.get(name) {
            Some(old) => patch(old, value),
            None => Some(value.clone()),
        };
        patched.extend(changed.map(|value| (name.clone(), value)));
    }
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    patched.extend(gone.map(|name| (name.clone(), Value::Null)));
    Some(Value::Object(patched))
}

/// Gives every quantity of a spec the text that the server answers with.
pub(super) fn print_quantities(spec: &mut HpaSpec, release: Release) {
    let targets = spec.metrics.iter_mut().flat_map(MetricSpec::targets_mut);
    for target in targets {
        print(&mut target.value, release);
        print(&mut target.average_value, release);
    }
    let behavior = spec.behavior.iter_mut();
    let rules = behavior.flat_map(|it| [&mut it.scale_up, &mut it.scale_down]);
    for ScalingRules { tolerance, .. } in rules.flatten() {
        print(tolerance, release);
    }
}

fn print(quantity: &mut Option<Quantity>, release: Release) {
    // What is printed can be read again.
    let printed = quantity.as_ref().map(|it| text(it, release));
    if let Some(printed) = printed.and_then(|printed| printed.parse().ok()) {
        *quantity = Some(printed);
    }
}

/// A quantity as the server prints it.
pub(super) fn text(quantity: &Quantity, release: Release) -> String {
    if release.has(Switch::ExactPrinting) {
        quantity.printed_in_full()
    } else {
        quantity.to_string()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::changes;
    use crate::api::HpaSpec;

    fn spec(metrics: &[Value]) -> HpaSpec {
        let target = json!({"kind": "Deployment", "name": "web"});
        let spec = json!({"scaleTargetRef": target, "maxReplicas": 9, "metrics": metrics});
        serde_json::from_value(spec).expect("a spec")
    }

    fn resource(name: &str, target: i32) -> Value {
        let target = json!({"type": "Utilization", "averageUtilization": target});
        json!({"type": "Resource", "resource": {"name": name, "target": target}})
    }

    fn queue(target: &str) -> Value {
        let target = json!({"type": "AverageValue", "averageValue": target});
        json!({"type": "External", "external": {"metric": {"name": "queue"}, "target": target}})
    }

    /// Metrics before and after, and what is said of it.
    #[test]
    fn metrics_are_told_by_what_they_measure() {
        let (cpu, memory) = (resource("cpu", 60), resource("memory", 60));
        let both = [cpu.clone(), queue("5")];
        let rows: [(&[Value], &[Value], &[&str]); 9] = [
            (&both, &both, &[]),
            (&both, &[queue("5")], &["metrics[0] resource cpu: removed"]),
            (&both, &both[..1], &["metrics[1] external queue: removed"]),
            (&both[..1], &both, &["metrics[1] external queue: added"]),
            (
                &both,
                &[memory.clone(), queue("5")],
                &[
                    "metrics[0] resource cpu: removed",
                    "metrics[0] resource memory: added",
                ],
            ),
            (
                &both,
                &[queue("7")],
                &[
                    "metrics[0] resource cpu: removed",
                    "metrics[0].external.target.averageValue: \"5\" \"7\"",
                ],
            ),
            (
                &both[..1],
                &[resource("cpu", 50)],
                &["metrics[0].resource.target.averageUtilization: 60 50"],
            ),
            // Of two that measure the same, the later one is the new one.
            (
                &both[..1],
                &[cpu.clone(), resource("cpu", 50)],
                &["metrics[1] resource cpu: added"],
            ),
            // The order alone is a change, too.
            (
                &[cpu.clone(), memory.clone()],
                &[memory, cpu],
                &[
                    "metrics[0].resource.name: \"cpu\" \"memory\"",
                    "metrics[1].resource.name: \"memory\" \"cpu\"",
                ],
            ),
        ];
        for (before, after, expected) in rows {
            let changes = changes(&spec(before), &spec(after));
            let reported = changes.iter().map(|change| {
                let field = change.below_spec();
                match (&change.metric, &change.from, &change.to) {
                    (Some(metric), Some(_), None) => format!("{field} {metric}: removed"),
                    (Some(metric), None, Some(_)) => format!("{field} {metric}: added"),
                    (None, Some(from), Some(to)) => format!("{field}: {from} {to}"),
                    _ => format!("{change:?}"),
                }
            });
            assert_eq!(
                reported.collect::<Vec<_>>(),
                expected,
                "{before:?} {after:?}"
            );
        }
    }
}
