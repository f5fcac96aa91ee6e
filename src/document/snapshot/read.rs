//! Snapshot files: one JSON document, JSON lines, or YAML documents.
//!
//! A document that cannot be read does not hide the others: each comes back
//! on its own, with its number and, where it failed, the place, the path inside
//! it and the reason.

use thiserror::Error;

use super::Snapshot;
use super::words::{self, in_words};
use crate::document::snapshot::check::is_known;
use crate::document::{
    DocumentText, Fault, FieldPath, Node, Place, Readable, UnknownField, document_texts, parse,
    typed,
};

pub use super::check::Flaw;

/// A document of a file: its number, counted from 1, and the snapshot or why
/// there is none.
#[derive(Debug)]
pub struct Document {
    /// The document's number in the file, counted from 1.
    pub number: usize,
    /// The snapshot, or why there is none.
    pub snapshot: Result<Snapshot, ReadError>,
    /// What is probably not meant as it stands there: misspelt fields, and
    /// values that no API server returns.
    pub warnings: Vec<Flaw>,
}

/// Why a document could not be read: line, column and flaw, to be put behind
/// the name of the file and a colon.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}:{}: {flaw}", .place.line, .place.column)]
pub struct ReadError {
    /// Where that is in the file.
    pub place: Place,
    /// The field at fault, and what is wrong there.
    pub flaw: Flaw,
}

impl From<Fault> for ReadError {
    fn from(fault: Fault) -> Self {
        let (reason, place) = in_words(&fault);
        let flaw = Flaw::new(fault.path, reason);
        Self { place, flaw }
    }
}

/// More warnings than this about one document are only counted.
const MOST_WARNINGS: usize = 20;

impl Document {
    /// The warnings, each with the document and the path.
    pub fn warning_lines(&self) -> Vec<String> {
        let more = self.warnings.len().saturating_sub(MOST_WARNINGS);
        let more = (more > 0).then(|| Flaw::new("", format!("{more} more warnings")));
        let warnings = self.warnings.iter().take(MOST_WARNINGS).cloned();
        let line = |flaw: Flaw| {
            let separator = if flaw.path.is_empty() { ":" } else { "," };
            format!("document {}{separator} {flaw}", self.number)
        };
        warnings.chain(more).map(line).collect()
    }
}

/// Reads every document of a file's text, in the file's order. After too many
/// that cannot be read, a last one says that the rest is not looked at.
pub fn read_documents(text: &str) -> Vec<Document> {
    let mut documents: Vec<Document> = Vec::new();
    let mut readable = Readable::default();
    for (text, number) in document_texts(text).into_iter().zip(1..) {
        documents.push(read(text, number));
        let is_readable = documents.last().is_some_and(|it| it.snapshot.is_ok());
        let Some(says) = readable.gives_up(is_readable) else {
            continue;
        };
        if readable.is_foreign() {
            // The others fail as it does.
            documents.truncate(1);
        }
        documents.push(Document {
            number,
            snapshot: Err(ReadError {
                place: text.place_of(&FieldPath::default()),
                flaw: Flaw::new("", says),
            }),
            warnings: Vec::new(),
        });
        break;
    }
    documents
}

fn read(text: DocumentText, number: usize) -> Document {
    let mut unknown = Vec::new();
    let mut remarks = Vec::new();
    let read = typed(text, &mut unknown, is_known);
    let read = read.map_err(|fault| explained(*fault, &mut unknown));
    let snapshot = read.and_then(|snapshot: Snapshot| {
        let complete = snapshot.complete();
        let complete = complete.and_then(|it| it.0.pairs().map(|()| it));
        let (snapshot, own) = complete.map_err(|flaw| {
            let document = parse(text.text, text.lines_before).ok();
            let misplaced = document.and_then(|it| misplaced(&it, &mut unknown));
            let flaw = misplaced.unwrap_or(flaw);
            let place = text.place_of(&flaw.path);
            ReadError { place, flaw }
        })?;
        remarks = own;
        Ok(snapshot)
    });
    Document {
        number,
        snapshot,
        warnings: unknown.into_iter().map(Flaw::from).chain(remarks).collect(),
    }
}

/// An object that is not where it belongs.
fn misplaced(document: &Node, unknown: &mut Vec<UnknownField>) -> Option<Flaw> {
    let flaw = words::misplaced(&document.to_json())?;
    // Its fields are unknown there because it does not belong there.
    unknown.retain(|field| field.path != flaw.path);
    Some(flaw)
}

/// What is wrong, in people's words.
fn explained(fault: Fault, unknown: &mut Vec<UnknownField>) -> ReadError {
    if let Some(document) = &fault.document
        && let Some(flaw) = misplaced(document, unknown)
    {
        let place = document.place_of(&flaw.path);
        return ReadError { place, flaw };
    }
    fault.into()
}

#[cfg(test)]
mod tests {
    // Every form of file, and what is said of broken ones.

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

    #[test]
    fn every_form_of_file_is_read() {
        let pretty = serde_json::to_string_pretty(&plain()).expect("a document");
        let yaml = with(|_| ());
        let rows = [
            ("one JSON document", WEB.to_owned(), 1),
            ("over several lines", pretty, 1),
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
    fn errors_name_place_and_reason() {
        let change = |from: &str, to: &str| format!("{WEB}\n{}", WEB.replacen(from, to, 1));
        let rows = [
            (
                change(":5}", r#":"5"}"#),
                "2:262: horizontalPodAutoscaler.spec.maxReplicas: must be a whole number, not the string \"5\"",
            ),
            (
                change(r#""error":"gone""#, ""),
                "2:280: scale: must hold exactly one of `response`, `error` and `unreadable`",
            ),
            (
                change(":5}", r#":5,"metrics":[{"type":"Pods"}]}"#),
                "2:289: horizontalPodAutoscaler.spec.metrics[0].pods: required for type Pods",
            ),
            (
                change("hpa-explain/v1", "v1"),
                "2:2: apiVersion: must be `hpa-explain/v1`, not `v1`",
            ),
            (
                change(
                    r#""scale""#,
                    r#""pods":[{"metadata":{"name":"a"}},{"metadata":{"name":"a"}}],"scale""#,
                ),
                "2:327: pods[1].metadata.name: a second pod named `a`",
            ),
            (
                "kind: Snapshot\n---\nkind: []\n".to_owned(),
                "3:1: kind: must be a string, not a list",
            ),
            (
                "kind: Snapshot\n---\nkind: [\n".to_owned(),
                "3:7: `[` is not closed before the document ends: close it, or copy the file again if it is cut off",
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
                "1:1: this is a HorizontalPodAutoscaler, not a Snapshot: `kubectl hpa-explain lint -f FILE` checks it; in a snapshot it is the value of `horizontalPodAutoscaler:`",
            ),
            (
                with(|it| {
                    it["horizontalPodAutoscaler"] = json!({"kind": "List", "items": [hpa()]});
                }),
                "3:1: horizontalPodAutoscaler: is a List: paste one item",
            ),
            (
                with(|it| it["scale"] = json!({"kind": "Scale", "spec": {"replicas": 1}})),
                "14:1: scale: put the object under `response:`",
            ),
            (
                with(|it| it["metrics"] = json!({"resource": {"items": []}})),
                "15:3: metrics.resource: put the object under `response:`",
            ),
            (
                with(|it| drop(it.as_object_mut().expect("an object").remove("scale"))),
                "1:1: the field `scale` is missing: paste what `kubectl get deploy NAME --subresource=scale -o yaml` prints under `scale.response:`",
            ),
            (
                with(|it| it["capturedAt"] = "yesterday".into()),
                "2:1: capturedAt: must be a time such as 2026-11-20T10:00:00Z, not `yesterday`",
            ),
            (
                with(|it| it["metrics"] = 5.into()),
                "14:1: metrics: must be an object, not `5`",
            ),
            (
                with(|it| {
                    it["horizontalPodAutoscaler"]["spec"]["maxReplicas"] =
                        99_999_999_999_u64.into();
                }),
                "9:5: horizontalPodAutoscaler.spec.maxReplicas: must be a whole number from -2147483648 to 2147483647, not `99999999999`",
            ),
            (
                with(|it| {
                    let requests = json!({"nvidia.com/gpu": 1, "cpu/x": "200 m"});
                    let containers = json!([{"resources": {"requests": requests}, "name": "a"}]);
                    it["pods"] =
                        json!([{"metadata": {"name": "a"}, "spec": {"containers": containers}}]);
                }),
                "22:11: pods[0].spec.containers[0].resources.requests.cpu/x: `200 m` is not a quantity; write it like 49, 200m or 1Gi",
            ),
            (
                with(|it| {
                    let sample = json!({"metadata": {"name": "a"}, "timestamp": "2026-11-01T12:00:00Z", "window": "30"});
                    it["metrics"] = json!({"resource": {"response": {"items": [sample]}}});
                }),
                "21:9: metrics.resource.response.items[0].window: must be a duration such as 30s or 1m30s, not `30`",
            ),
            (
                WEB.replacen(
                    '{',
                    "kind: Snapshot\npods:\n- metadata: {name: a, labels: {[5]: a}}\n# {",
                    1,
                ),
                "3:32: the name of a field must be a string, not a list",
            ),
        ];
        for (text, error) in rows {
            assert_eq!(errors(&text), [error]);
        }
    }

    fn warnings(text: &str) -> Vec<String> {
        let documents = read_documents(text).into_iter();
        documents
            .flat_map(|document| document.warning_lines())
            .collect()
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
                with(|it| it["horizontalPodAutoscaler"]["spec"]["metric"] = json!([])),
                "document 1, horizontalPodAutoscaler.spec: unknown field `metric`, ignored; did you mean `metrics`?",
            ),
            (
                with(|it| {
                    let target = json!({"type": "Utilization", "averageUtilization": 50, "averageUtilisation": 60});
                    let metric =
                        json!({"type": "Resource", "resource": {"name": "cpu", "target": target}});
                    it["horizontalPodAutoscaler"]["spec"]["metrics"] = json!([metric]);
                }),
                "document 1, horizontalPodAutoscaler.spec.metrics[0].resource.target: unknown field `averageUtilisation`, ignored; did you mean `averageUtilization`?",
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
    fn a_field_is_warned_of_once_in_a_document_that_cannot_be_read() {
        let text = r#"{"scael":1,"pods":5}"#;
        let warning = "document 1: unknown field `scael`, ignored; did you mean `scale`?";
        assert_eq!(warnings(text), [warning]);
    }

    #[test]
    fn a_field_that_is_missing_under_its_name_is_the_error_alone() {
        let text = WEB.replacen("capturedAt", "capturedat", 1);
        assert_eq!(
            errors(&text),
            ["1:50: unknown field `capturedat`; did you mean `capturedAt`?"]
        );
        assert_eq!(warnings(&text), [""; 0]);
    }

    #[test]
    fn fields_that_others_know_are_not_warned_of() {
        let text = with(|it| {
            it["events"] = json!([]);
            it["target"] = json!({"kind": "Deployment"});
            it["provenance"] = json!("a capture");
            it["pods"] = json!({"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "a", "uid": "b"}}]});
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
                "scale.response.kind: `Deployment` is not a Scale",
            ),
            (
                "/pods/0/metadata/namespace",
                json!("shop"),
                "no namespace, so `default`; but every pod is in `shop`",
            ),
            (
                "/pods/0/status",
                json!({"phase": "Runing"}),
                "pods[0].status.phase: `Runing` is not one of Pending",
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
                "spec.metrics[0].resource.target.type: `Much` is not one of",
            ),
        ];
        for (pointer, value, text) in rows {
            let document = web(&|it| {
                let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
                it.pointer_mut(parent).expect(parent)[field] = value.clone();
            });
            let reported = warnings(&document);
            assert!(
                reported.iter().any(|reported| reported.contains(text)),
                "{pointer}: {reported:?}"
            );
            assert_eq!(readable(&read_documents(&document)), [1], "{pointer}");
        }
    }
}
