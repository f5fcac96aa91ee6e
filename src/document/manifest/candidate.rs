//! A spec that somebody thinks of, from a file or by fields that are set: as
//! the API server would store it, or what it has against it.

use serde_json::json;

use super::assign::Assignment;
use super::decode::{Expected, FieldFault, FieldFaultKind, Suggestion};
use super::field_error::Refusal;
use super::read::{Content, Document, from_node, unknown_in};
use super::version::Version;
use super::{Manifest, Rules};
use crate::api::{Behavior, HorizontalPodAutoscaler, HpaSpec};
use crate::controller::{FALLBACK_DESIGN, FALLBACK_GATE};
use crate::document::snapshot::MOST_POLICIES;
use crate::document::{FieldPath, Node, Place, SyntaxError, Value};

/// Of more HPAs than this a message says how many there are.
const MOST_LISTED: usize = 10;

/// The HPA of a name among the documents of a file. A document that cannot be
/// read is refused, for it may be the one.
///
/// # Errors
///
/// There is none, or more than one.
pub fn find(
    documents: Vec<Document>,
    (namespace, name): (&str, &str),
) -> Result<Manifest, Vec<Refusal>> {
    let mut all = Vec::new();
    let mut refusals = Vec::new();
    let mut other_kind = None;
    for Document {
        place,
        content,
        hint,
    } in documents
    {
        match content {
            Ok(Content::Autoscaler(manifest)) => all.push((place, *manifest)),
            Ok(Content::Neighbor(other)) => {
                other_kind.get_or_insert(other.object.kind);
            }
            Ok(Content::Nothing) => {}
            Err(SyntaxError { place, reason }) => {
                let hint = hint.map(|hint| format!("; {}", hint.says()));
                let says = format!("{reason}{}", hint.unwrap_or_default());
                refusals.push(Refusal::at(place, says));
            }
        }
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let is_intended = |(_, it): &(Place, Manifest)| {
        let own = it.metadata.namespace.as_str();
        it.metadata.name == name && (own.is_empty() || own == namespace)
    };
    let (mut intended, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_intended);
    match (intended.pop(), intended.as_slice()) {
        (Some((_, only)), []) => Ok(only),
        (None, _) if others.is_empty() => {
            let other_kind = other_kind.map(|kind| format!(", but an object of kind {kind}"));
            Err(vec![Refusal::whole(format!(
                "holds no HorizontalPodAutoscaler{}: give a manifest such as `kubectl get hpa \
                 {name} -o yaml` prints",
                other_kind.unwrap_or_default()
            ))])
        }
        (None, _) => Err(vec![Refusal::whole(not_found(&others, namespace, name))]),
        (Some((last, _)), [(first, _), others @ ..]) => {
            let second = others.first().map_or(last, |(place, _)| *place);
            let says = match others.len() {
                0 => format!("a second HPA named {name}"),
                more => format!(
                    "a second HPA named {name}, and {} more below",
                    grouped(more)
                ),
            };
            let first = first.line;
            let says = format!("{says}; the first one is at line {first}: keep only one");
            Err(vec![Refusal::at(second, says)])
        }
    }
}

fn not_found(all: &[(Place, Manifest)], namespace: &str, name: &str) -> String {
    let more = match all.len().saturating_sub(MOST_LISTED) {
        0 => String::new(),
        more => format!(" and {} more", grouped(more)),
    };
    let listed = all.iter().take(MOST_LISTED).map(|(place, manifest)| {
        let own = &manifest.metadata;
        let namespace = if own.namespace.is_empty() {
            String::new()
        } else {
            format!("{}/", own.namespace)
        };
        format!("{namespace}{} (line {})", own.name, place.line)
    });
    let listed = listed.collect::<Vec<_>>().join(", ");
    format!("contains no HPA {namespace}/{name}, but {listed}{more}")
}

/// `19,990`.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The spec of a manifest as the server would store it in the place of the
/// current one, or of none.
///
/// # Errors
///
/// What kubectl or the server has against it, in their order.
pub fn accepted(
    manifest: &Manifest,
    current: Option<&HpaSpec>,
    rules: Rules,
) -> Result<HpaSpec, Vec<Refusal>> {
    if let Some(unserved) = manifest.unserved(rules) {
        let field = "apiVersion".into();
        return Err(vec![Refusal::of(
            manifest.place_of(&field),
            &field,
            unserved,
        )]);
    }
    let rules = current.map_or(rules, |current| rules.on_update_of(current));
    let faults = manifest.faults.iter();
    let mut refusals: Vec<Refusal> = faults
        .map(|fault| Refusal::of(fault.place, &fault.field, fault.reason()))
        .collect();
    let unknown_fields = manifest.unknown_fields.iter();
    refusals.extend(unknown_fields.map(|it| Refusal::of(it.place, &it.field, unknown(it))));
    let errors = manifest.errors(rules);
    refusals.extend(manifest.own(&errors).map(|error| {
        let place = manifest.place_of(&error.field);
        Refusal::of(place, &error.field, &error.problem)
    }));
    let spec = manifest.defaulted(rules);
    let behavior = spec.behavior.iter().flat_map(Behavior::directions);
    let too_many = behavior.filter(|(_, rules)| {
        let policies = rules.policies.as_ref();
        policies.is_some_and(|it| it.len() > MOST_POLICIES)
    });
    refusals.extend(too_many.map(|(direction, _)| {
        let field = FieldPath::from("spec.behavior")
            .field(direction.field())
            .field("policies");
        let says = format!("more than {MOST_POLICIES} policies cannot be tried");
        Refusal::of(manifest.place_of(&field), &field, says)
    }));
    if refusals.is_empty() {
        return Ok(spec);
    }
    Err(refusals)
}

/// That the API does not have a field; kubectl refuses it.
fn unknown(fault: &FieldFault) -> String {
    const UNKNOWN: &str = "no such field";
    if fault.is_of_design() {
        return format!(
            "{UNKNOWN}; it is {FALLBACK_DESIGN}, which --feature-gates {FALLBACK_GATE}=true tries"
        );
    }
    match &fault.kind {
        FieldFaultKind::Unknown(Suggestion::Newer(version)) => {
            format!("only {version} has this field")
        }
        FieldFaultKind::Unknown(suggestion) => match suggestion.question() {
            Some(question) => format!("{UNKNOWN}; {question}"),
            None => UNKNOWN.to_owned(),
        },
        FieldFaultKind::Duplicate => "is set twice".to_owned(),
    }
}

/// The spec of an HPA with fields set to other values, as the server would
/// store it. The values take the types of their fields.
///
/// # Errors
///
/// What is wrong with a path or a value, or what the server has against it.
pub fn edited(
    hpa: &HorizontalPodAutoscaler,
    assignments: &[Assignment],
    rules: Rules,
) -> Result<HpaSpec, Vec<Refusal>> {
    let mut is_text = vec![false; assignments.len()];
    let mut manifest = assigned(hpa, assignments, &is_text, rules)?;
    // `name=5` sets a name: the type is the field's.
    let faults = manifest.faults.iter();
    let requested = faults.filter(|fault| fault.expected == Expected::Text);
    let requested: Vec<&FieldPath> = requested.map(|fault| &fault.field).collect();
    if !requested.is_empty() {
        for (is_text, assignment) in is_text.iter_mut().zip(assignments) {
            *is_text = requested.contains(&&assignment.field);
        }
        manifest = assigned(hpa, assignments, &is_text, rules)?;
    }
    accepted(&manifest, Some(&hpa.spec), rules).map_err(|refusals| {
        let named = refusals.into_iter().map(|refusal| {
            let field = refusal.field.as_ref();
            let is_about = |it: &&Assignment| field.is_some_and(|field| it.is_about(field));
            let own: Vec<&Assignment> = assignments.iter().filter(is_about).collect();
            // What is wrong elsewhere is so because of all of them.
            let blamed = if own.is_empty() {
                assignments.iter().collect()
            } else {
                own
            };
            let blamed: Vec<String> = blamed.iter().map(|it| format!("--set {it}")).collect();
            let blamed = blamed.join(" ");
            Refusal::whole(format!("{blamed}: {refusal}"))
        });
        named.collect()
    })
}

/// What the server has against a stored HPA as it is today: it was created
/// under other rules, or past the server. The controller runs it all the same.
pub fn refusals(hpa: &HorizontalPodAutoscaler, rules: Rules) -> Vec<String> {
    let manifest = assigned(hpa, &[], &[], rules);
    let accepted = manifest.and_then(|it| accepted(&it, Some(&hpa.spec), rules));
    let refusals = accepted.err().unwrap_or_default();
    refusals.iter().map(Refusal::to_string).collect()
}

fn assigned(
    hpa: &HorizontalPodAutoscaler,
    assignments: &[Assignment],
    is_text: &[bool],
    rules: Rules,
) -> Result<Manifest, Vec<Refusal>> {
    // The HPA is a manifest of `autoscaling/v2`. A field that the API does not have is not
    // there, whatever a snapshot holds.
    let mut spec = hpa.spec.clone();
    spec.drop_fallbacks(rules.external_metric_fallback);
    let mut document = Node::from(json!({
        "apiVersion": Version::V2.name(),
        "kind": "HorizontalPodAutoscaler",
        "metadata": {
            "name": hpa.metadata.name,
            "namespace": hpa.metadata.namespace,
        },
        "spec": serde_json::to_value(&spec).unwrap_or_default(),
    }));
    for (assignment, is_text) in assignments.iter().zip(is_text) {
        // What is not there any more tells nothing of its name.
        let value = assignment.value(*is_text);
        if value == Value::Null
            && let Some(fault) = unknown_in(&assignment.field, &document, rules)
        {
            let says = format!("--set {assignment}: {}: {}", fault.field, unknown(&fault));
            return Err(vec![Refusal::whole(says)]);
        }
        let applied = assignment.apply(&mut document, value);
        applied.map_err(|refusal| {
            vec![Refusal::whole(format!(
                "--set {assignment}: {}",
                refusal.says
            ))]
        })?;
    }
    match from_node(document, rules) {
        Ok(Content::Autoscaler(manifest)) => Ok(*manifest),
        Ok(_) => Err(vec![Refusal::whole("is not an HPA")]),
        Err(error) => Err(vec![Refusal::whole(error.reason)]),
    }
}
