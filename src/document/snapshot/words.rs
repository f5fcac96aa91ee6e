//! Why a document could not be read, in people's words.
//!
//! The readers speak of types; whoever wrote a file thinks of objects and
//! where they belong. Only a failure gets here, so the document is looked at
//! a second time, as plain values.

use serde_json::Value;

use super::KIND;
use super::check::Flaw;
use crate::api::{DURATION, QUANTITY, truncated};
use crate::document::{Fault, FieldPath, Misfit, Node, Place};

/// Fields whose value is a time.
const TIMES: [&str; 7] = [
    "capturedAt",
    "timestamp",
    "startTime",
    "lastScaleTime",
    "lastTransitionTime",
    "creationTimestamp",
    "deletionTimestamp",
];

/// The parts of an answer.
const ANSWERS: [&str; 3] = ["response", "error", "unreadable"];

/// More of a value than this says nothing more.
const LONGEST: usize = 60;

/// An object that is not where it belongs: what people paste first.
pub(super) fn misplaced(document: &Value) -> Option<Flaw> {
    let is_not_one = |what: &str| Some(Flaw::new("", what.to_owned()));
    match document {
        Value::Array(_) => {
            return is_not_one(
                "this is a list, not a Snapshot: give one document after the other, as \
                 `kubectl hpa-explain capture -A --file FILE` writes them",
            );
        }
        Value::String(_) => {
            return is_not_one(
                "this is plain text, not a Snapshot: --controller-log FILE reads a log, \
                 `kubectl hpa-explain capture NAME --file FILE` writes a snapshot",
            );
        }
        _ => document.as_object()?,
    };
    if let Some(kind) = text(document, "/kind").filter(|kind| *kind != KIND) {
        return Some(Flaw::new("", wrong_document(kind)));
    }
    misplaced_autoscaler(document).or_else(|| misplaced_answer(document))
}

fn wrong_document(kind: &str) -> String {
    let place = match kind {
        "HorizontalPodAutoscaler" => {
            "`kubectl hpa-explain lint -f FILE` checks it; in a snapshot it is the value of \
             `horizontalPodAutoscaler:`"
        }
        "Record" => "`kubectl hpa-explain --history FILE --at -0s` reads it",
        "Scale" => "put it under `scale.response:`",
        "Pod" => "put it into the list under `pods:`",
        "PodMetricsList" => "put it under `metrics.resource.response:`",
        "MetricValueList" => "put it under `response:` in `metrics.custom`",
        "ExternalMetricValueList" => "put it under `response:` in `metrics.external`",
        "Explanation" => "explain with `-o snapshot` instead, that prints one",
        _ => "`kubectl hpa-explain capture NAME --file FILE` writes a snapshot",
    };
    let article = match kind.chars().next() {
        Some('A' | 'E' | 'I' | 'O') => "an",
        _ => "a",
    };
    format!("this is {article} {}, not a {KIND}: {place}", short(kind))
}

fn misplaced_autoscaler(document: &Value) -> Option<Flaw> {
    let hpa = document.get("horizontalPodAutoscaler")?;
    let path = FieldPath::from("horizontalPodAutoscaler");
    if hpa.get("items").is_some_and(Value::is_array) {
        return Some(Flaw::new(path, "is a List: paste one item".to_owned()));
    }
    match (text(hpa, "/kind"), text(hpa, "/apiVersion")) {
        (Some(kind), _) if kind != "HorizontalPodAutoscaler" => Some(Flaw::new(
            path.field("kind"),
            format!("must be `HorizontalPodAutoscaler`, not `{}`", short(kind)),
        )),
        (_, Some(version)) if version != "autoscaling/v2" => Some(Flaw::new(
            path.field("apiVersion"),
            format!(
                "must be `autoscaling/v2`, not `{}`: `kubectl get hpa.v2.autoscaling NAME -o yaml` prints that",
                short(version)
            ),
        )),
        _ => None,
    }
}

fn misplaced_answer(document: &Value) -> Option<Flaw> {
    let lists = ["custom", "external"].into_iter().flat_map(|list| {
        let entries = document.pointer(&format!("/metrics/{list}"));
        let entries = entries.and_then(Value::as_array).into_iter().flatten();
        let entries = entries.enumerate();
        let path = move |index| FieldPath::from("metrics").field(list).item(index);
        entries.map(move |(index, entry)| (path(index), entry))
    });
    let singles = [
        ("scale", "/scale"),
        ("metrics.resource", "/metrics/resource"),
    ];
    singles
        .into_iter()
        .filter_map(|(path, pointer)| Some((path.into(), document.pointer(pointer)?)))
        .chain(lists)
        .find(|(_, value)| is_bare(value))
        .map(|(path, _)| Flaw::new(path, "put the object under `response:`".to_owned()))
}

/// Whether an API object stands where its answer should.
fn is_bare(value: &Value) -> bool {
    let has = |field: &&str| value.get(*field).is_some();
    !ANSWERS.iter().any(has) && ["kind", "spec", "status", "items"].iter().any(has)
}

/// The reason in people's words, and where that is.
pub(super) fn in_words(fault: &Fault) -> (String, Place) {
    if let (Misfit::Missing(field), Some((name, place))) = (&fault.reason, &fault.misspelt) {
        let unknown = short(name);
        let text = format!("unknown field `{unknown}`; did you mean `{field}`?");
        return (text, *place);
    }
    (reason_in_words(fault), fault.place)
}

fn reason_in_words(fault: &Fault) -> String {
    if let Some(flaw) = without_value(fault) {
        return flaw;
    }
    let value = fault.document.as_ref().filter(|_| !fault.path.is_empty());
    let value = value.and_then(|it| it.at(&fault.path)).map(Node::to_json);
    if let Some(value) = &value
        && let Some(text) = of_value(fault, &show(value))
    {
        return text;
    }
    match &fault.reason {
        Misfit::Mismatch {
            found,
            is_integer,
            expected,
        } => format!(
            "must be {}, not {}",
            requested(expected, *is_integer),
            short(found)
        ),
        other => other.to_string(),
    }
}

/// What is wrong with a value that has a notation of its own.
fn of_value(fault: &Fault, value: &str) -> Option<String> {
    if TIMES.contains(&fault.key.as_str()) {
        return Some(format!(
            "must be a time such as 2026-11-20T10:00:00Z, not {value}"
        ));
    }
    match &fault.reason {
        Misfit::Mismatch { expected, .. } if expected == QUANTITY => Some(format!(
            "{value} is not a quantity; write it like 49, 200m or 1Gi"
        )),
        Misfit::Mismatch { expected, .. } if expected == DURATION => {
            Some(format!("must be {DURATION}, not {value}"))
        }
        _ => None,
    }
}

/// What is wrong with the names of fields; nothing where it is about a value.
pub fn without_value(fault: &Fault) -> Option<String> {
    match fault.reason {
        Misfit::Missing(field) => Some(missing(field, &fault.path)),
        Misfit::Twice(field) => Some(format!(
            "the field `{field}` is there twice; keep one of them"
        )),
        _ => None,
    }
}

/// What is expected in place of what is there, which may be secret.
pub fn expected(fault: &Fault) -> Option<&str> {
    match &fault.reason {
        Misfit::Mismatch { expected, .. } => Some(requested(expected, false)),
        _ => None,
    }
}

/// What a type asks for, which serde names as Rust does.
fn requested(expected: &str, is_integer: bool) -> &str {
    match expected {
        "i32" if is_integer => "a whole number from -2147483648 to 2147483647",
        "u32" if is_integer => "a whole number from 0 to 4294967295",
        "i8" | "i16" | "i32" | "i64" | "i128" | "u8" | "u16" | "u32" | "u64" | "u128" => {
            "a whole number"
        }
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        other => other,
    }
}

fn missing(field: &str, path: &FieldPath) -> String {
    let names: Vec<&str> = path.names().collect();
    let hint = match (names.as_slice(), field) {
        ([], "scale") => {
            ": paste what `kubectl get deploy NAME --subresource=scale -o yaml` prints under `scale.response:`"
        }
        ([], "horizontalPodAutoscaler") => {
            ": paste what `kubectl get hpa NAME -o yaml` prints under it"
        }
        ([], "apiVersion" | "kind") => {
            ": a snapshot begins with `apiVersion: hpa-explain/v1` and `kind: Snapshot`; `kubectl hpa-explain capture NAME --file FILE` writes one"
        }
        ([], "capturedAt") => {
            ": the moment at which the objects were read, as `date -u +%FT%TZ` prints it"
        }
        (["pods"], "items") => ": pods are an array or a List",
        _ => "",
    };
    format!("the field `{field}` is missing{hint}")
}

fn show(value: &Value) -> String {
    match value {
        Value::Null => "an empty value".to_owned(),
        Value::String(text) => format!("`{}`", short(text)),
        other => format!("`{}`", short(&other.to_string())),
    }
}

fn short(text: &str) -> String {
    truncated(text, LONGEST)
}

fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer)?.as_str()
}
