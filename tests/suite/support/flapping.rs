//! Twenty-five minutes of one HPA that flaps, sampled every 5 s by another
//! tool, and the log that its controller wrote at that time.

#![allow(dead_code, reason = "each test program uses a part of this")]

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use hpa_explain::document::snapshot::{RecordEntry, RecordReader, Sample};

/// `tests/recordings/flapping-run.jsonl.gz`, unpacked.
pub fn lines() -> impl Read {
    unpacked("flapping-run.jsonl.gz")
}

/// `tests/recordings/flapping-run.controller.log.gz`, unpacked.
pub fn controller_log() -> String {
    let mut text = String::new();
    let mut log = unpacked("flapping-run.controller.log.gz");
    log.read_to_string(&mut text).expect("a log");
    text
}

/// All samples; there is nothing else in it.
pub fn samples() -> Vec<Sample> {
    let mut reader = RecordReader::default();
    let entries = reader.read(BufReader::new(lines()));
    let samples = entries.map(|entry| match entry.expect("a readable line") {
        RecordEntry::Sample(sample) => *sample,
        RecordEntry::Gap(gap) => panic!("{gap:?}"),
    });
    samples.collect()
}

fn unpacked(name: &str) -> impl Read {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    GzDecoder::new(File::open(folder.join(name)).expect(name))
}
