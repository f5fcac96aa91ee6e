//! Records: the inputs of one HPA's passes over time, as JSON lines.
//!
//! The first line of a file says of which HPA it is. Then comes a line a
//! sample, which holds those parts of a [`Snapshot`](super::Snapshot) that
//! differ from what the line before left, or a line a gap, in which nothing
//! could be sampled:
//!
//! ```json
//! {"kind":"Record","apiVersion":"hpa-explain/v1","namespace":"shop","horizontalPodAutoscaler":"web",…}
//! {"t":"2026-11-20T08:23:11.123Z","full":true,"serverVersion":"v1.36.2","horizontalPodAutoscaler":{…},…}
//! {"t":"2026-11-20T08:23:16.124Z","metrics":{…}}
//! {"t":"2026-11-20T08:23:21.124Z","error":"the server is currently unable to handle the request"}
//! ```
//!
//! A file grows by whole lines, so one that was cut off anywhere is readable
//! up to its last whole line.

mod parts;
mod read;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use crate::document::snapshot::{API_VERSION, Snapshot};
use parts::ChangedParts;

pub use parts::RecordHeader;
pub use read::{
    Ending, Gap, RecordEntry, RecordError, RecordReader, Sample, last_sample_at, next_line,
};

/// The `kind` of a record's first line; its `apiVersion` is that of a
/// snapshot.
pub const RECORD_KIND: &str = "Record";

/// How many seconds a sample speaks for what follows it: four passes, with the
/// default period. After that nothing is known.
pub const SAMPLE_REACH_SECONDS: i64 = 60;

/// Makes the lines of a record, each without the line break at its end; the first
/// sample holds all parts. It writes nothing itself, and remembers one snapshot.
///
/// A snapshot's `history` is left out: it is what no API shows.
#[derive(Debug, Default)]
pub struct RecordWriter {
    last: Option<Snapshot>,
}

/// A sample; what is absent is as the line before left it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SampleLine<'s> {
    t: Timestamp,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    full: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pass_at: Option<Timestamp>,
    #[serde(flatten)]
    parts: ChangedParts<'s>,
}

impl RecordWriter {
    /// The first line of a file: of which HPA the record is, and since when.
    pub fn header(&self, namespace: &str, name: &str, recorded_at: Timestamp) -> String {
        json!({
            "kind": RECORD_KIND,
            "apiVersion": API_VERSION,
            "namespace": namespace,
            "horizontalPodAutoscaler": name,
            "recordedAt": recorded_at,
            "toolVersion": env!("CARGO_PKG_VERSION"),
        })
        .to_string()
    }

    /// The line of a sample, taken at its `captured_at`. `pass_at` is the
    /// moment of a pass that is known to have run on just these inputs.
    ///
    /// A sample in which nothing has changed has a line, too: it says that
    /// nothing has. Nothing is said by the same sample once more.
    pub fn line(&mut self, snapshot: &Snapshot, pass_at: Option<Timestamp>) -> Option<String> {
        let last = self.last.as_ref();
        let parts = ChangedParts::changed(last, snapshot);
        let is_known = last.is_some_and(|last| last.captured_at == snapshot.captured_at)
            && parts == ChangedParts::default();
        if is_known && pass_at.is_none() {
            return None;
        }
        let line = serde_json::to_string(&SampleLine {
            t: snapshot.captured_at,
            full: last.is_none(),
            pass_at,
            parts,
        });
        Some(match line {
            Ok(line) => {
                self.last = Some(snapshot.clone());
                line
            }
            // No snapshot is known to end here. One that does is a gap, not
            // a hole that nobody sees.
            Err(error) => self.gap(snapshot.captured_at, &format!("not recorded: {error}")),
        })
    }

    /// The line of a gap: from the last sample to the next one, nothing was
    /// sampled, for this reason.
    pub fn gap(&self, at: Timestamp, error: &str) -> String {
        json!({ "t": at, "error": error }).to_string()
    }

    /// Lets the next sample hold all parts, as the first one of a file does,
    /// and the first one behind what another run has left.
    pub fn restart(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::RecordWriter;
    use crate::document::snapshot::{Snapshot, read_documents};

    fn snapshot() -> Snapshot {
        let text = r#"{"apiVersion":"hpa-explain/v1","kind":"Snapshot",
            "capturedAt":"2026-11-01T12:00:00.5Z","serverVersion":"v1.36.2",
            "horizontalPodAutoscaler":{"apiVersion":"autoscaling/v2",
            "kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},
            "spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"maxReplicas":5}},
            "scale":{"error":"gone"}}"#;
        let document = read_documents(text).remove(0);
        document.snapshot.expect("a snapshot")
    }

    fn at(time: &str, mut snapshot: Snapshot) -> Snapshot {
        snapshot.captured_at = time.parse().expect("a time");
        snapshot
    }

    #[test]
    fn a_line_holds_what_has_changed() {
        let first = snapshot();
        let unversioned = Snapshot {
            server_version: None,
            ..first.clone()
        };
        let mut writer = RecordWriter::default();
        let full = writer.line(&first, None).expect("a line");
        assert!(full.starts_with(r#"{"t":"2026-11-01T12:00:00.5Z","full":true,"serverVersion":"#));
        let pass = first.captured_at;
        let rows = [
            (&first, None, None),
            (
                &first,
                Some(pass),
                Some(r#"{"t":"2026-11-01T12:00:00.5Z","passAt":"2026-11-01T12:00:00.5Z"}"#),
            ),
            (
                &at("2026-11-01T12:00:05Z", first.clone()),
                None,
                Some(r#"{"t":"2026-11-01T12:00:05Z"}"#),
            ),
            (
                &at("2026-11-01T12:00:10Z", unversioned.clone()),
                None,
                Some(r#"{"t":"2026-11-01T12:00:10Z","serverVersion":null}"#),
            ),
        ];
        for (sample, pass_at, line) in rows {
            assert_eq!(writer.line(sample, pass_at).as_deref(), line);
        }
        assert_eq!(
            writer.gap(pass, "a \"word\""),
            r#"{"error":"a \"word\"","t":"2026-11-01T12:00:00.5Z"}"#
        );
        writer.restart();
        assert_eq!(writer.line(&first, None), Some(full));
    }
}
