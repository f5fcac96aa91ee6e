//! Recorded answers of the real kube-controller-manager code: one case a
//! line, a snapshot and what the controller made of it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::Value;

/// The versions that were recorded, with the number of their cases.
pub const RECORDED: [(&str, usize); 14] = [
    ("v1.25.10", 420),
    ("v1.26.5", 477),
    ("v1.27.7", 428),
    ("v1.28.3", 428),
    ("v1.29.1", 478),
    ("v1.30.1", 418),
    ("v1.31.14", 360),
    ("v1.32.13", 420),
    ("v1.33.13", 479),
    ("v1.34.9", 480),
    ("v1.35.6", 477),
    ("v1.36.2", 2359),
    ("v1.37.0", 1042),
    ("v1.38.0-dev", 2737),
];

/// The answers of a controller that was changed as merged pull requests
/// describe; each row names them.
pub const DERIVED: (&str, usize) = ("v1.38-pr", 141);

/// A recorded case.
#[derive(Deserialize)]
#[allow(dead_code, reason = "each test program uses a part of this")]
pub struct Vector {
    pub id: String,
    pub snapshot: Value,
    pub expect: Value,
}

/// The recorded cases of a version, each as its line.
pub fn lines(version: &str) -> impl Iterator<Item = String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/conformance/reconcile-{version}.jsonl.gz"));
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines.map(|line| line.expect("the file is readable"))
}

/// A recorded case of a line.
pub fn vector(line: &str) -> Vector {
    serde_json::from_str(line).expect("every line is a case")
}

/// The recorded cases of a version.
pub fn vectors(version: &str) -> impl Iterator<Item = Vector> {
    lines(version).map(|line| vector(&line))
}
