//! Made-up clusters as `watch` samples them, a second before each pass that is
//! due: of the passes whose inputs did not move after the sample, 95 in 100 are
//! foreseen exactly, and none is outside what was said.
//!
//! `tests/reference/played.py tests/recordings/played` made the records.

#![expect(clippy::print_stdout, reason = "the figures are to be read")]

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use hpa_explain::history::Agreement;
use hpa_explain::snapshot::{RecordEntry, RecordReader, Snapshot};
use jiff::SignedDuration;

use crate::restless::{Told, told};

/// The records, and how long the longest window or period of each is, in
/// seconds: before, what was recommended earlier is not known.
const RECORDS: [(&str, i64); 6] = [
    ("noise", 70),
    ("square", 100),
    ("steps", 50),
    ("no-window", 15),
    ("queue", 80),
    ("flag", 200),
];

fn samples(name: &str) -> Vec<Snapshot> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/played");
    let file = File::open(folder.join(format!("{name}.jsonl.gz"))).expect(name);
    let mut reader = RecordReader::new();
    let entries = reader.read(BufReader::new(GzDecoder::new(file)));
    let samples = entries.map(|entry| match entry.expect("a readable line") {
        RecordEntry::Sample(sample) => sample.snapshot,
        RecordEntry::Gap(gap) => panic!("{gap:?}"),
    });
    samples.collect()
}

#[test]
fn passes_on_steady_samples_are_foreseen() {
    println!("record     passes  moved  still  exact  inside  outside");
    let mut all = [0; 5];
    for (name, window) in RECORDS {
        let samples = samples(name);
        let known_from = samples[0].captured_at + SignedDuration::from_secs(window);
        let [mut passes, mut moved, mut exact, mut inside, mut outside] = [0; 5];
        let own = told(&samples).into_iter();
        for Told {
            pass, moved: what, ..
        } in own.filter(|it| it.pass.at >= known_from)
        {
            passes += 1;
            let prediction = pass.prediction;
            let said = format!("{name} {} {prediction:?}", pass.at);
            match prediction {
                _ if !what.is_empty() => {
                    moved += 1;
                    println!("{said}: {}", what.join(", "));
                    continue;
                }
                Agreement::Predicted => exact += 1,
                Agreement::Inside | Agreement::NoSample => inside += 1,
                Agreement::Missed => outside += 1,
            }
            if prediction != Agreement::Predicted {
                println!("{said}: {:?} of {:?}", pass.desired_replicas, pass.expected);
            }
        }
        let row = [passes, moved, exact, inside, outside];
        print(name, row);
        for (sum, one) in all.iter_mut().zip(row) {
            *sum += one;
        }
    }
    print("all", all);
    let [passes, moved, exact, _, outside] = all;
    let still = passes - moved;
    assert!(still > 500, "{still}");
    assert_eq!(outside, 0);
    assert!(exact * 100 >= still * 95, "{exact} of {still}");
}

fn print(name: &str, [passes, moved, exact, inside, outside]: [usize; 5]) {
    let still = passes - moved;
    println!("{name:<10} {passes:>6} {moved:>6} {still:>6} {exact:>6} {inside:>7} {outside:>8}");
}
