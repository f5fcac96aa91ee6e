//! A recording as it lies in its file: what a real API server answered.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use hyper::body::Bytes;
use jiff::Timestamp;
use serde_json::Value;

use super::reply::Reply;
use super::target::Target;

/// The recorded answers, in order.
pub struct Tape {
    pub recorded_at: Timestamp,
    pub namespace: String,
    pub answers: Vec<Answer>,
}

/// A request and what was answered.
pub struct Answer {
    pub target: Target,
    pub accept: Option<String>,
    pub reply: Reply,
}

impl Tape {
    /// Reads `tests/recordings/NAME.jsonl.gz`.
    pub fn open(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
        let file = File::open(folder.join(format!("{name}.jsonl.gz"))).expect(name);
        let mut lines = BufReader::new(GzDecoder::new(file))
            .lines()
            .map(|line| line.expect(name));
        let header = lines.next().expect("a recording begins with a header");
        let header: Value = serde_json::from_str(&header).expect(name);
        let recorded_at = text(&header["recordedAt"]);
        Self {
            recorded_at: recorded_at.parse().expect(&recorded_at),
            namespace: text(&header["namespace"]),
            answers: lines.map(|line| answer(&line)).collect(),
        }
    }
}

/// The body is the last member of a line and is cut out of it, since reading
/// and writing it again would change its bytes.
fn answer(line: &str) -> Answer {
    let (head, body) = line
        .strip_suffix('}')
        .and_then(|line| line.split_once(",\"body\":"))
        .expect("a line ends with the body");
    let head: Value = serde_json::from_str(&format!("{head}}}")).expect(head);
    // What is not JSON is written as a string.
    let body = match serde_json::from_str::<String>(body) {
        Ok(text) => text,
        Err(_) => body.to_owned(),
    };
    let status = head["status"]
        .as_u64()
        .and_then(|code| code.try_into().ok());
    Answer {
        target: Target::parse(&text(&head["path"])),
        accept: head["accept"].as_str().map(str::to_owned),
        reply: Reply::bytes(
            status.expect("a status"),
            &text(&head["contentType"]),
            Bytes::from(body),
        ),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
