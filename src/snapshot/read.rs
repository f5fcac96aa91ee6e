//! Snapshot files: one JSON document, JSON lines, or YAML documents.
//!
//! A document that cannot be read does not hide the others: each comes back
//! on its own, with its number and, where it failed, the path inside it and
//! the reason.

use std::cell::RefCell;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::error::Category;
use serde_path_to_error::Segment;
use thiserror::Error;

use super::Snapshot;
use super::check::Flaw;
use super::unknown::{Seen, Watch};
use super::words::{in_words, misplaced};
use super::yaml_limits;

/// More warnings than this about one document are only counted.
const MOST_WARNINGS: usize = 20;

/// A document of a file: its number, counted from 1, and the snapshot or why
/// there is none.
#[derive(Debug)]
pub struct Document {
    /// The document's number in the file, counted from 1.
    pub number: usize,
    /// The snapshot, or why there is none.
    pub snapshot: Result<Snapshot, ReadError>,
    /// What is probably not meant as it stands there: misspelt fields, and
    /// values that no API server returns. Each names document and path.
    pub warnings: Vec<String>,
}

/// Why a document could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {reason}", at(*.document, .path))]
pub struct ReadError {
    /// The document's number in the file, counted from 1.
    pub document: usize,
    /// The path of the field at fault, such as `pods[3].metadata.name`;
    /// empty where the document as a whole is at fault.
    pub path: String,
    /// What is wrong there, and on which line where the parser knows.
    pub reason: String,
}

fn at(document: usize, path: &str) -> String {
    if path.is_empty() {
        return format!("document {document}");
    }
    format!("document {document}, {path}")
}

/// Reads every document of a file's text, in the file's order.
///
/// Text whose first character that is not blank is `{` is JSON: one document,
/// or one a line. Everything else is YAML.
#[must_use]
pub fn read_documents(text: &str) -> Vec<Document> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        read_json(text)
    } else {
        read_yaml(text)
    }
}

fn read_json(text: &str) -> Vec<Document> {
    if is_one_document(text) {
        return vec![document(1, json(text), || plain_json(text))];
    }
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .zip(1..)
        .map(|((index, line), number)| {
            let attempt = json(line).on_line(index + 1);
            document(number, attempt, || plain_json(line))
        })
        .collect()
}

fn plain_json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// Whether the text is one document over several lines, not one a line: its
/// first line holds less than a document, and no other line begins one.
fn is_one_document(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    if lines.any(|line| line.starts_with('{')) {
        return false;
    }
    let whole = serde_json::from_str::<IgnoredAny>(first);
    whole.is_err_and(|error| error.classify() == Category::Eof)
}

fn read_yaml(text: &str) -> Vec<Document> {
    let mut documents = Vec::new();
    let mut lines_before = 0;
    for part in yaml_parts(text) {
        if !is_blank(part) {
            let limits = yaml_limits::check(part);
            let attempt = match &limits {
                Ok(()) => yaml(part).after_lines(lines_before),
                Err(reason) => Attempt::refused(reason),
            };
            let plain = || limits.is_ok().then(|| serde_yaml::from_str(part).ok())?;
            documents.push(document(documents.len() + 1, attempt, plain));
        }
        lines_before += part.matches('\n').count();
    }
    documents
}

/// The documents of a YAML stream, split at the lines that begin one, so that
/// a syntax error in one does not end the stream.
fn yaml_parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (part, next) = match separator(text) {
            Some((start, end)) => (&text[..start], Some(&text[end..])),
            None => (text, None),
        };
        rest = next;
        Some(part)
    })
}

/// The first line that is `---` or begins with `--- `: its start and the
/// start of what follows the marker.
fn separator(text: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(rest) = line.strip_prefix("---")
            && (rest.is_empty() || rest.starts_with(char::is_whitespace))
        {
            return Some((start, start + 3));
        }
        start += line.len();
    }
    None
}

fn is_blank(part: &str) -> bool {
    part.lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#') || line == "..."
    })
}

/// What one try at a document gave.
struct Attempt {
    snapshot: Result<Snapshot, Fault>,
    seen: Seen,
    /// The document's line, where a line is all that it has.
    line: Option<usize>,
}

impl Attempt {
    /// A text that is not even tried.
    fn refused(reason: &str) -> Self {
        Self {
            snapshot: Err(Fault::new(None, reason)),
            seen: Seen::default(),
            line: None,
        }
    }

    /// The parser sees a part of the file only; this says how many lines come
    /// before it.
    fn after_lines(mut self, lines: usize) -> Self {
        if let Err(Fault {
            position: Some(position),
            ..
        }) = &mut self.snapshot
        {
            position.line += lines;
        }
        self
    }

    /// The parser sees a line only; this says which.
    fn on_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        if let Err(Fault {
            position: Some(position),
            ..
        }) = &mut self.snapshot
        {
            position.line = line;
        }
        self
    }
}

/// What the parser has to say.
struct Fault {
    path: String,
    /// The path as a JSON pointer.
    pointer: String,
    /// The last name in the path.
    key: String,
    reason: String,
    position: Option<Position>,
}

struct Position {
    line: usize,
    column: usize,
}

fn json(text: &str) -> Attempt {
    // Keeping track of the path costs time, so only a failure pays for it.
    let seen = RefCell::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let snapshot = Snapshot::deserialize(Watch::new(&mut deserializer, &seen));
    if let Ok(snapshot) = snapshot
        && deserializer.end().is_ok()
    {
        return Attempt {
            snapshot: Ok(snapshot),
            seen: seen.into_inner(),
            line: None,
        };
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let mut attempt = with_path(&mut deserializer);
    if attempt.snapshot.is_ok()
        && let Err(error) = deserializer.end()
    {
        attempt.snapshot = Err(Fault::new(None, &error.to_string()));
    }
    attempt
}

fn yaml(text: &str) -> Attempt {
    with_path(serde_yaml::Deserializer::from_str(text))
}

fn with_path<'de, D>(deserializer: D) -> Attempt
where
    D: serde::Deserializer<'de>,
    D::Error: std::fmt::Display,
{
    let seen = RefCell::default();
    let mut track = serde_path_to_error::Track::new();
    let deserializer = serde_path_to_error::Deserializer::new(deserializer, &mut track);
    let snapshot = Snapshot::deserialize(Watch::new(deserializer, &seen));
    let snapshot = snapshot.map_err(|error| Fault::new(Some(&track.path()), &error.to_string()));
    Attempt {
        snapshot,
        seen: seen.into_inner(),
        line: None,
    }
}

impl Fault {
    fn new(path: Option<&serde_path_to_error::Path>, reason: &str) -> Self {
        let mut fault = Self {
            path: String::new(),
            pointer: String::new(),
            key: String::new(),
            reason: String::new(),
            position: None,
        };
        for segment in path.into_iter().flatten() {
            let step = match segment {
                Segment::Seq { index } => {
                    fault.path.push_str(&segment.to_string());
                    index.to_string()
                }
                Segment::Map { key } | Segment::Enum { variant: key } => {
                    if !fault.path.is_empty() {
                        fault.path.push('.');
                    }
                    fault.path.push_str(key);
                    fault.key.clone_from(key);
                    key.replace('~', "~0").replace('/', "~1")
                }
                // A key that is no text: the place around it is known.
                Segment::Unknown => break,
            };
            fault.pointer.push('/');
            fault.pointer.push_str(&step);
        }
        // The YAML parser says the path as well, or its beginning.
        let reason = match reason.split_once(": ") {
            Some((start, rest)) if !start.is_empty() && fault.path.starts_with(start) => rest,
            _ => reason,
        };
        let (reason, position) = without_position(reason);
        reason.clone_into(&mut fault.reason);
        fault.position = position;
        fault
    }
}

/// The parser's words, and the place that ends them.
fn without_position(text: &str) -> (&str, Option<Position>) {
    let parts = || {
        let (reason, place) = text.split_once(" at line ")?;
        let (line, column) = place.split_once(" column ")?;
        let (line, column) = (line.parse().ok()?, column.parse().ok()?);
        Some((reason, Some(Position { line, column })))
    };
    parts().unwrap_or((text, None))
}

fn document(number: usize, attempt: Attempt, plain: impl FnOnce() -> Option<Value>) -> Document {
    let Seen {
        unknown: mut warnings,
        scale_kind,
    } = attempt.seen;
    let read = attempt.snapshot.and_then(|snapshot| {
        let complete = snapshot.complete(scale_kind.as_deref());
        complete.map_err(|flaw| Fault {
            path: flaw.path,
            pointer: String::new(),
            key: String::new(),
            reason: flaw.reason,
            position: None,
        })
    });
    let snapshot = match read {
        Ok((snapshot, remarks)) => {
            warnings.extend(remarks);
            Ok(snapshot)
        }
        Err(fault) => Err(explained(
            number,
            fault,
            attempt.line,
            plain().as_ref(),
            &mut warnings,
        )),
    };
    Document {
        number,
        snapshot,
        warnings: told(number, &warnings),
    }
}

fn explained(
    number: usize,
    fault: Fault,
    line: Option<usize>,
    document: Option<&Value>,
    warnings: &mut Vec<Flaw>,
) -> ReadError {
    let (path, reason, position) = if let Some(flaw) = document.and_then(misplaced) {
        // Its fields are unknown there because it does not belong there.
        warnings.retain(|warning| warning.path != flaw.path);
        (flaw.path, flaw.reason, None)
    } else {
        let value = document.and_then(|document| document.pointer(&fault.pointer));
        let reason = in_words(&fault.reason, &fault.path, &fault.key, value);
        (fault.path, reason, fault.position)
    };
    let place = match (position, line) {
        (Some(Position { line, column }), _) => format!(" (line {line} column {column})"),
        (None, Some(line)) => format!(" (line {line})"),
        (None, None) => String::new(),
    };
    let reason = reason + &place;
    ReadError {
        document: number,
        path,
        reason,
    }
}

fn told(number: usize, warnings: &[Flaw]) -> Vec<String> {
    let mut told: Vec<String> = warnings
        .iter()
        .take(MOST_WARNINGS)
        .map(|warning| format!("{}: {}", at(number, &warning.path), warning.reason))
        .collect();
    if warnings.len() > MOST_WARNINGS {
        let more = warnings.len() - MOST_WARNINGS;
        told.push(format!("{}: {more} more warnings", at(number, "")));
    }
    told
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Document, read_documents};

    const WEB: &str = r#"{"apiVersion":"hpa-explain/v1","kind":"Snapshot","capturedAt":"2026-11-01T12:00:00Z","horizontalPodAutoscaler":{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"maxReplicas":5}},"scale":{"error":"gone"}}"#;

    fn errors(text: &str) -> Vec<String> {
        let documents = read_documents(text).into_iter();
        let errors = documents.filter_map(|document| document.snapshot.err());
        errors.map(|error| error.to_string()).collect()
    }

    fn readable(documents: &[Document]) -> Vec<usize> {
        let readable = documents
            .iter()
            .filter(|document| document.snapshot.is_ok());
        readable.map(|document| document.number).collect()
    }

    /// The document as people lay it out, over several lines.
    fn pretty() -> String {
        let value: serde_json::Value = serde_json::from_str(WEB).expect("a document");
        serde_json::to_string_pretty(&value).expect("a document")
    }

    #[test]
    fn every_form_of_file_is_read() {
        let yaml = serde_yaml::to_string(
            &serde_json::from_str::<serde_json::Value>(WEB).expect("a document"),
        )
        .expect("a document");
        let rows = [
            ("one JSON document", WEB.to_owned(), 1),
            ("over several lines", pretty(), 1),
            ("with a byte order mark", format!("\u{feff}{WEB}"), 1),
            ("JSON lines", format!("{WEB}\n\n{WEB}\n"), 2),
            ("one YAML document", yaml.clone(), 1),
            (
                "YAML documents",
                format!("---\n{yaml}---\n# nothing\n---\n{yaml}...\n"),
                2,
            ),
            ("nothing", "\n# nothing\n".to_owned(), 0),
        ];
        for (form, text, count) in rows {
            let documents = read_documents(&text);
            assert_eq!(
                readable(&documents).len(),
                count,
                "{form}: {:?}",
                errors(&text)
            );
            assert_eq!(documents.len(), count, "{form}");
        }
    }

    #[test]
    fn one_bad_document_does_not_hide_the_others() {
        let cut = &WEB[..80];
        let rows = [
            (format!("{WEB}\n{cut}\n{WEB}"), vec![1, 3]),
            (format!("{cut}\n{WEB}"), vec![2]),
            (format!("{WEB}\nnot JSON\n{WEB}"), vec![1, 3]),
            (format!("{WEB}\nnot JSON"), vec![1]),
            (format!("a: [\n---\n{WEB}\n---\n\tb\n"), vec![2]),
        ];
        for (text, numbers) in rows {
            assert_eq!(readable(&read_documents(&text)), numbers, "{text}");
        }
    }

    #[test]
    fn errors_name_document_place_and_reason() {
        let change = |from: &str, to: &str| format!("{WEB}\n{}", WEB.replacen(from, to, 1));
        let rows = [
            (
                change(":5}", r#":"5"}"#),
                "document 2, horizontalPodAutoscaler.spec.maxReplicas: must be an integer, not the string \"5\" (line 2 column 278)",
            ),
            (
                change(r#""error":"gone""#, ""),
                "document 2, scale: must hold exactly one of `response`, `error` and `unreadable` (line 2)",
            ),
            (
                change(":5}", r#":5,"metrics":[{"type":"Pods"}]}"#),
                "document 2, horizontalPodAutoscaler.spec.metrics[0].pods: required for type Pods (line 2)",
            ),
            (
                change("hpa-explain/v1", "v1"),
                "document 2, apiVersion: must be `hpa-explain/v1`, not `v1` (line 2)",
            ),
            (
                change(
                    r#""scale""#,
                    r#""pods":[{"metadata":{"name":"a"}},{"metadata":{"name":"a"}}],"scale""#,
                ),
                "document 2, pods[1].metadata.name: a second pod named `a` (line 2)",
            ),
            (
                "kind: Snapshot\n---\nkind: [\n".to_owned(),
                "document 2, kind: must be a string, not a list (line 3 column 7)",
            ),
        ];
        for (text, error) in rows {
            assert_eq!(errors(&text).last().map(String::as_str), Some(error));
        }
    }

    fn plain() -> Value {
        serde_json::from_str(WEB).expect("a document")
    }

    /// The document over several lines, so that reasons stand alone.
    fn with(change: impl Fn(&mut Value)) -> String {
        let mut document = plain();
        change(&mut document);
        serde_yaml::to_string(&document).expect("a document")
    }

    #[test]
    fn reasons_are_in_peoples_words() {
        let hpa = || plain()["horizontalPodAutoscaler"].clone();
        let rows = [
            (
                serde_yaml::to_string(&hpa()).expect("an HPA"),
                "document 1: this is a HorizontalPodAutoscaler, not a Snapshot: put it under `horizontalPodAutoscaler:`",
            ),
            (
                with(|it| {
                    it["horizontalPodAutoscaler"] = json!({"kind": "List", "items": [hpa()]});
                }),
                "document 1, horizontalPodAutoscaler: is a List: paste one item",
            ),
            (
                with(|it| it["scale"] = json!({"kind": "Scale", "spec": {"replicas": 1}})),
                "document 1, scale: put the object under `response:`",
            ),
            (
                with(|it| it["metrics"] = json!({"resource": {"items": []}})),
                "document 1, metrics.resource: put the object under `response:`",
            ),
            (
                with(|it| drop(it.as_object_mut().expect("an object").remove("scale"))),
                "document 1: the field `scale` is missing: paste what `kubectl get deploy NAME --subresource=scale -o yaml` prints under `scale.response:`, see docs/snapshot.md",
            ),
            (
                with(|it| it["capturedAt"] = "yesterday".into()),
                "document 1, capturedAt: must be a time such as 2026-11-20T10:00:00Z, not `yesterday` (line 2 column 13)",
            ),
            (
                with(|it| it["metrics"] = 5.into()),
                "document 1, metrics: must be an object, not `5` (line 14 column 10)",
            ),
            (
                with(|it| {
                    it["horizontalPodAutoscaler"]["spec"]["maxReplicas"] =
                        99_999_999_999_u64.into();
                }),
                "document 1, horizontalPodAutoscaler.spec.maxReplicas: must be an integer from -2147483648 to 2147483647, not `99999999999` (line 9 column 18)",
            ),
            (
                with(|it| {
                    let requests = json!({"nvidia.com/gpu": 1, "cpu/x": "200 m"});
                    let containers = json!([{"resources": {"requests": requests}, "name": "a"}]);
                    it["pods"] =
                        json!([{"metadata": {"name": "a"}, "spec": {"containers": containers}}]);
                }),
                "document 1, pods[0].spec.containers[0].resources.requests.cpu/x: `200 m` is no quantity such as 200m or 1Gi (line 22 column 18)",
            ),
            (
                with(|it| {
                    let sample = json!({"metadata": {"name": "a"}, "timestamp": "2026-11-01T12:00:00Z", "window": "30"});
                    it["metrics"] = json!({"resource": {"response": {"items": [sample]}}});
                }),
                "document 1, metrics.resource.response.items[0].window: must be a duration such as 30s or 1m30s, not `30` (line 18 column 9)",
            ),
            (
                WEB.replacen(
                    '{',
                    "kind: Snapshot\npods:\n- metadata: {name: a, labels: {[5]: a}}\n# {",
                    1,
                ),
                "document 1, pods[0].metadata.labels: must be a string, not a list (line 3 column 32)",
            ),
        ];
        for (text, error) in rows {
            assert_eq!(errors(&text), [error]);
        }
    }

    fn warnings(text: &str) -> Vec<String> {
        let documents = read_documents(text).into_iter();
        documents.flat_map(|document| document.warnings).collect()
    }

    #[test]
    fn unknown_fields_of_the_snapshot_are_warned_of() {
        let rows = [
            (
                with(|it| it["metric"] = json!({})),
                "document 1: unknown field `metric`, ignored; did you mean `metrics`?",
            ),
            (
                with(|it| it["weather"] = "fine".into()),
                "document 1: unknown field `weather`, ignored",
            ),
            (
                with(|it| it["controller"] = json!({"tolerence": 0.1})),
                "document 1, controller: unknown field `tolerence`, ignored; did you mean `tolerance`?",
            ),
            (
                with(|it| it["scale"]["reponse"] = json!({})),
                "document 1, scale: unknown field `reponse`, ignored; did you mean `response`?",
            ),
            (
                with(|it| it["metrics"] = json!({"custm": []})),
                "document 1, metrics: unknown field `custm`, ignored; did you mean `custom`?",
            ),
            (
                with(|it| {
                    it["metrics"] =
                        json!({"external": [{"metric": "a", "error": "b", "selector": ""}]});
                }),
                "document 1, metrics.external[0]: unknown field `selector`, ignored",
            ),
            (
                with(|it| it["history"] = json!({"scaleUpEvent": []})),
                "document 1, history: unknown field `scaleUpEvent`, ignored; did you mean `scaleUpEvents`?",
            ),
            (
                with(|it| {
                    let entry =
                        json!({"replicas": 1, "timestamp": "2026-11-01T11:59:00Z", "time": 1});
                    it["history"] = json!({"recommendations": [entry]});
                }),
                "document 1, history.recommendations[0]: unknown field `time`, ignored",
            ),
            (
                with(|it| {
                    it["otherAutoscalers"] =
                        json!([{"namespace": "a", "name": "b", "selector": "", "pods": 1}]);
                }),
                "document 1, otherAutoscalers[0]: unknown field `pods`, ignored",
            ),
        ];
        for (text, warning) in rows {
            assert_eq!(warnings(&text), [warning], "{text}");
            let json = serde_yaml::from_str::<Value>(&text).expect("a document");
            assert_eq!(warnings(&json.to_string()), [warning], "{text}");
            assert_eq!(readable(&read_documents(&text)), [1], "{text}");
        }
    }

    #[test]
    fn fields_that_others_know_are_not_warned_of() {
        let text = with(|it| {
            it["events"] = json!([]);
            it["target"] = json!({"kind": "Deployment"});
            it["provenance"] = json!("a capture");
            it["pods"] = json!({"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "a", "uid": "b"}}]});
            it["horizontalPodAutoscaler"]["spec"]["metric"] = json!([]);
            it["scale"] =
                json!({"response": {"kind": "Scale", "metadata": {}, "spec": {"more": 1}}});
            it["metrics"] =
                json!({"resource": {"response": {"kind": "PodMetricsList", "items": null}}});
            it["history"] = Value::Null;
        });
        assert_eq!(warnings(&text), [""; 0]);
        assert_eq!(readable(&read_documents(&text)), [1]);
    }

    #[test]
    fn what_is_hardly_meant_is_warned_of() {
        let web = |change: &dyn Fn(&mut Value)| {
            with(|it| {
                let pod = json!({"metadata": {"name": "a", "namespace": "default", "labels": {"app": "web"}}});
                it["pods"] = json!([pod]);
                let status = json!({"replicas": 1, "selector": "app=web"});
                it["scale"] = json!({"response": {"kind": "Scale", "spec": {"replicas": 1}, "status": status}});
                let metadata = json!({"name": "a", "labels": {"app": "web"}});
                let sample = json!({"metadata": metadata, "timestamp": "2026-11-01T12:00:00Z", "window": "30s"});
                it["metrics"] = json!({"resource": {"response": {"items": [sample]}}});
                change(it);
            })
        };
        assert_eq!(warnings(&web(&|_| ())), [""; 0]);
        let rows: [(&str, Value, &str); 8] = [
            (
                "/horizontalPodAutoscaler/spec/maxReplicas",
                json!(0),
                "maxReplicas: 0 is below 1",
            ),
            (
                "/scale/response/spec/replicas",
                json!(-1),
                "scale.response.spec.replicas: -1 is below 0",
            ),
            (
                "/scale/response/kind",
                json!("Deployment"),
                "scale.response.kind: `Deployment` is no Scale",
            ),
            (
                "/pods/0/metadata/namespace",
                json!("shop"),
                "no namespace, so `default`; but every pod is in `shop`",
            ),
            (
                "/pods/0/status",
                json!({"phase": "Runing"}),
                "pods[0].status.phase: `Runing` is none of Pending",
            ),
            (
                "/metrics/resource/response/items/0/timestamp",
                json!("2026-11-01T12:00:06Z"),
                "timestamp: 2026-11-01T12:00:06Z is after capturedAt",
            ),
            (
                "/metrics/resource/response/items/0/metadata/labels",
                json!({}),
                "1 sample carries no labels that match app=web",
            ),
            (
                "/horizontalPodAutoscaler/spec/metrics",
                json!([{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Much"}}}]),
                "spec.metrics[0].resource.target.type: `Much` is none of",
            ),
        ];
        for (pointer, value, text) in rows {
            let document = web(&|it| {
                let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
                it.pointer_mut(parent).expect(parent)[field] = value.clone();
            });
            let told = warnings(&document);
            assert!(
                told.iter().any(|told| told.contains(text)),
                "{pointer}: {told:?}"
            );
            assert_eq!(readable(&read_documents(&document)), [1], "{pointer}");
        }
    }
}
