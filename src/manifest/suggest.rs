//! What a field that the API does not have was probably meant to be.

use std::cell::RefCell;

use super::Rules;
use super::decode::{FieldFault, FieldFaultKind, Notes, Object, Suggestion, document};
use super::version::Version;
use crate::document::{Node, Place, Value, nearest};

/// Names of older versions, and where the fields stand since `v2beta2`.
const RENAMED: [(&str, &str); 6] = [
    ("metricName", ".metric.name"),
    ("metricSelector", ".metric.selector"),
    ("targetAverageUtilization", ".target.averageUtilization"),
    ("targetAverageValue", ".target.averageValue"),
    (
        "targetCPUUtilizationPercentage",
        ".resource.target.averageUtilization",
    ),
    ("targetValue", ".target.value"),
];

/// A shorter name is a part of too many.
const SHORTEST_PART: usize = 3;

/// Of more than this, none is near.
const MOST_SUGGESTED: usize = 2;

/// Of more unknown fields nobody reads what was meant.
const MOST_UNKNOWN: usize = 100;

/// Tells of the unknown fields of a document what they were meant to be.
pub(super) fn tell(unknown_fields: &mut [FieldFault], node: &Node, version: Version, rules: Rules) {
    let unknown = unknown_fields
        .iter_mut()
        .filter_map(|fault| match &mut fault.kind {
            FieldFaultKind::Unknown(intended) => Some((fault.field.as_str(), intended)),
            FieldFaultKind::Duplicate => None,
        });
    let mut unknown = unknown.take(MOST_UNKNOWN).peekable();
    if unknown.peek().is_none() {
        return;
    }
    let own = fields(version, rules);
    let newest = fields(Version::V2, rules);
    for (field, intended) in unknown {
        *intended = if newest.contains(&general(field)) {
            Suggestion::Newer(Version::V2.name())
        } else {
            Suggestion::of(near(field, node, &own))
        };
    }
}

impl Suggestion {
    fn of(fields: Vec<String>) -> Self {
        if (1..=MOST_SUGGESTED).contains(&fields.len()) {
            Self::Fields(fields)
        } else {
            Self::Nothing
        }
    }
}

/// The fields that a version has, such as `spec.metrics[].type`, in the order
/// in which they are read.
fn fields(version: Version, rules: Rules) -> Vec<String> {
    let notes = RefCell::new(Notes::of_fields());
    let nothing = Node {
        value: Value::Null,
        place: Place::default(),
    };
    Object::root(&nothing, &notes).read(|object| document(object, version.reader(rules)));
    notes.into_inner().fields.unwrap_or_default()
}

/// The path of a field in whichever item of a list.
fn general(field: &str) -> String {
    let steps = field.split('.').map(|step| match step.split_once('[') {
        Some((name, _)) => format!("{name}[]"),
        None => step.to_owned(),
    });
    steps.collect::<Vec<_>>().join(".")
}

/// A similar name in the same object, the name that the field has now, a
/// longer name, or the same one in another place; the first that there is.
fn near(field: &str, node: &Node, own: &[String]) -> Vec<String> {
    let (parent, name) = field.rsplit_once('.').unwrap_or(("", field));
    let peers = peers(&general(parent), own);
    if let Some(similar) = nearest(name, &peers) {
        return vec![similar.to_owned()];
    }
    if let Some((_, now)) = RENAMED.iter().find(|(old, _)| *old == name) {
        return elsewhere(field, now, node, own);
    }
    let longer = longer(name, &peers);
    if !longer.is_empty() {
        return longer;
    }
    elsewhere(field, &format!(".{name}"), node, own)
}

/// The names that an object has.
fn peers<'f>(parent: &str, own: &'f [String]) -> Vec<&'f str> {
    let names = own.iter().filter_map(|field| {
        let (at, name) = field.rsplit_once('.').unwrap_or(("", field));
        (at == parent).then_some(name)
    });
    names.collect()
}

/// The names that a name is a part of.
fn longer(name: &str, peers: &[&str]) -> Vec<String> {
    let part = name.to_lowercase();
    if part.len() < SHORTEST_PART {
        return Vec::new();
    }
    let longer = peers.iter().filter(|it| it.to_lowercase().contains(&part));
    longer.map(|it| (*it).to_owned()).collect()
}

/// The fields whose path ends so: those that are the least far from what the
/// document has, and from the field itself.
fn elsewhere(field: &str, end: &str, node: &Node, own: &[String]) -> Vec<String> {
    let mut nearest = Vec::new();
    let mut least = (0, 0);
    for candidate in own.iter().filter(|own| own.ends_with(end)) {
        let (path, shared) = placed(candidate, field);
        let score = (node.reached(&path), shared);
        if score > least {
            nearest.clear();
            least = score;
        }
        if score == least {
            nearest.push(path);
        }
    }
    nearest
}

/// A field with the items of lists as another field has them, and how many
/// steps the two share.
fn placed(candidate: &str, field: &str) -> (String, usize) {
    let name = |step: &str| step.split('[').next().map(str::to_owned);
    let both = candidate.split('.').zip(field.split('.'));
    let shared = both.take_while(|(one, other)| name(one) == name(other));
    let shared = shared.count();
    let own = field.split('.').take(shared);
    let steps = own.chain(candidate.split('.').skip(shared));
    (steps.collect::<Vec<_>>().join("."), shared)
}
