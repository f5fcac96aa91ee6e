//! Made-up clusters as `watch` samples them, a second before each pass that is
//! due: of the passes whose inputs did not move after the sample, 99 in 100 are
//! foreseen exactly, and none is outside what was said.
//!
//! `PYTHONHASHSEED=0 tests/reference/played.py tests/recordings/played` made
//! the records.

#![expect(clippy::print_stdout, reason = "the figures are to be read")]

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::{RecordEntry, RecordReader, Snapshot};
use hpa_explain::history::{Agreement, Observer, explain};
use hpa_explain::trace::CheckVerdict;
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

/// One whose HPA is edited again and again, by a controller of 1.37: the passes
/// of edits lie off the beat, so that the ends of windows fall into the seconds
/// of which nobody knows when in them a pass stored what it recommended.
const EDITED: (&str, i64) = ("edited", 70);

fn samples(name: &str) -> Vec<Snapshot> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/played");
    let file = File::open(folder.join(format!("{name}.jsonl.gz"))).expect(name);
    let mut reader = RecordReader::default();
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
    for record in RECORDS {
        for (sum, one) in all.iter_mut().zip(foreseen(record)) {
            *sum += one;
        }
    }
    print("all", all);
    let [passes, moved, exact, _, outside] = all;
    println!("moved: {moved} passes, each listed above");
    let still = passes - moved;
    assert!(still > 900, "{still}");
    assert_eq!(outside, 0);
    assert!(exact * 100 >= still * 99, "{exact} of {still}");
    let [passes, moved, exact, _, outside] = foreseen(EDITED);
    let still = passes - moved;
    assert!(still > 150, "{still}");
    assert_eq!(outside, 0);
    assert!(exact * 100 >= still * 95, "{exact} of {still}");
}

/// Where the HPA is edited at any moment, and samples are missing, less can be
/// foreseen; but nothing else comes than was said.
#[test]
fn no_edit_leads_to_what_was_not_said() {
    let mut all = [0; 5];
    for number in 1..=8 {
        let name = format!("any-{number}");
        for (sum, one) in all.iter_mut().zip(foreseen((&name, 0))) {
            *sum += one;
        }
    }
    print("any", all);
    let [passes, moved, exact, _, outside] = all;
    let still = passes - moved;
    assert!(still > 500, "{still}");
    assert_eq!(outside, 0);
    assert!(exact * 100 >= still * 90, "{exact} of {still}");
}

/// How the passes of a record were foreseen: how many there were, and of these
/// moved, exact, inside and outside.
fn foreseen((name, window): (&str, i64)) -> [usize; 5] {
    let samples = samples(name);
    let known_from = samples[0].captured_at + SignedDuration::from_secs(window);
    let [mut passes, mut moved, mut exact, mut inside, mut outside] = [0; 5];
    let own = told(&samples).into_iter();
    for Told { pass, moved: what } in own.filter(|it| it.pass.at >= known_from) {
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
    row
}

fn print(name: &str, [passes, moved, exact, inside, outside]: [usize; 5]) {
    let still = passes - moved;
    println!("{name:<10} {passes:>6} {moved:>6} {still:>6} {exact:>6} {inside:>7} {outside:>8}");
}

/// An edit queues a pass at once (1.37 and later). What is said of it is said
/// by the new spec, as soon as that is seen, and the status that is there until
/// then is not taken for that pass.
#[test]
fn the_pass_that_an_edit_queues_is_foreseen_by_the_new_spec() {
    let samples = samples("edited");
    let told = told(&samples);
    let [mut edits, mut changing, mut moved, mut exact] = [0; 4];
    for (number, pair) in samples.windows(2).enumerate() {
        let [edited, passed] = pair else { continue };
        let hpa = &edited.hpa;
        if !hpa.is_status_of_older_spec() {
            continue;
        }
        edits += 1;
        let at = edited.captured_at;
        assert!(!passed.hpa.is_status_of_older_spec());
        let settings = Settings::resolve(edited, &Overrides::default());
        let trace = explain(edited, &settings, at, &Observer::default());
        let check = trace.check.expect("a comparison");
        assert_eq!(check.verdict, CheckVerdict::InputsNewer, "{at}");
        assert_eq!(check.says, "the spec changed", "{at}");
        let own: Vec<&Told> = told
            .iter()
            .filter(|it| !it.pass.inferred && it.pass.at.as_second() == at.as_second())
            .collect();
        let [it] = own.as_slice() else {
            panic!("{at}: {} passes", own.len());
        };
        let status = &passed.hpa.status;
        let (prediction, desired) = (it.pass.prediction, it.pass.desired_replicas);
        assert_eq!(desired, status.desired_replicas, "{at}");
        let before = &samples[number - 1].hpa.status;
        let changes = desired != before.desired_replicas;
        let expected = it.pass.expected;
        let what = it.moved.join(", ");
        println!("{at}: {desired}, {prediction:?} of {expected:?} {what}");
        changing += usize::from(changes);
        if what.is_empty() {
            assert_ne!(prediction, Agreement::Missed, "{at}");
            exact += usize::from(prediction == Agreement::Predicted);
        } else {
            moved += 1;
        }
    }
    println!("{edits} edits, {changing} change the size, {moved} moved, {exact} exact");
    assert_eq!(edits, 30);
    assert!(changing >= 15, "{changing}");
    assert!(moved <= 10, "{moved}");
    assert!(exact * 5 >= (edits - moved) * 4, "{exact}");
}
