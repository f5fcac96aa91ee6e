//! From 1.37 on an edit of an HPA queues a pass at once, and `watch` says at
//! once what that pass will do: nothing can be sampled in between.

use std::fs::File;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use hpa_explain::api::HorizontalPodAutoscaler;
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::{RecordEntry, RecordReader, Snapshot, read_documents};
use hpa_explain::history::{Agreement, Follower};
use jiff::{SignedDuration, Timestamp};

/// Five minutes of samples, every 5 s, as a controller of 1.37 would have
/// them: it counts the generations that it has seen.
fn samples() -> Vec<Snapshot> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let file = File::open(root.join("tests/recordings/restless/s2.jsonl.gz")).expect("a record");
    let mut reader = RecordReader::default();
    let entries = reader.read(std::io::BufReader::new(GzDecoder::new(file)));
    let samples = entries.take(60).map(|entry| match entry.expect("a line") {
        RecordEntry::Sample(sample) => {
            let mut snapshot = sample.snapshot;
            snapshot.server_version = Some("v1.37.0".to_owned());
            let mut documents =
                read_documents(&serde_json::to_string(&snapshot).expect("a document"));
            let mut snapshot = documents.remove(0).snapshot.expect("a snapshot");
            let hpa = &mut snapshot.hpa;
            hpa.metadata.generation = Some(1);
            hpa.status.observed_generation = Some(1);
            snapshot
        }
        RecordEntry::Gap(gap) => panic!("{gap:?}"),
    });
    samples.collect()
}

/// The HPA as the pass on its edited spec leaves it.
fn passed(
    edited: &HorizontalPodAutoscaler,
    desired: i32,
    at: Timestamp,
) -> HorizontalPodAutoscaler {
    let mut hpa = edited.clone();
    hpa.status.observed_generation = hpa.metadata.generation;
    hpa.status.desired_replicas = desired;
    let status = hpa.metadata.managed_fields.iter_mut();
    for entry in status.filter(|it| it.subresource == "status") {
        entry.time = Some(at);
    }
    hpa
}

#[test]
fn the_pass_that_an_edit_queues_is_foreseen_at_once() {
    let samples = samples();
    let last = samples.last().expect("samples");
    let size = last.size().expect("a size");
    let before = &last.hpa;
    // The new bounds, and where the pass leads to.
    let rows = [
        ("a lower maximum", (1, size - 2), size - 2),
        ("a maximum of 1", (1, 1), 1),
        ("a higher minimum", (size + 3, size + 9), size + 3),
    ];
    for (what, (min, max), desired) in rows {
        let mut follower = Follower::new(&samples[0].hpa, samples[0].captured_at);
        for sample in &samples {
            let settings = Settings::resolve(sample, &Overrides::default());
            assert!(settings.gates.generation, "1.37 counts generations");
            let hpa = &sample.hpa;
            let written = follower.written(hpa, sample.captured_at);
            follower.sampled(sample.clone(), settings.clone(), written.is_empty());
        }
        let at = last.captured_at + SignedDuration::from_secs(1);
        let at = Timestamp::from_second(at.as_second()).expect("a time");
        let mut edited = before.clone();
        edited.spec.min_replicas = Some(min);
        edited.spec.max_replicas = max;
        edited.metadata.generation = Some(2);
        assert!(edited.is_status_of_older_spec(), "{what}");
        let told = follower.written(&edited, at + SignedDuration::from_millis(300));
        assert!(told.is_empty(), "{what}: an edit is no pass: {told:?}");
        let hpa = passed(&edited, desired, at);
        assert!(!hpa.is_status_of_older_spec(), "{what}");
        let told = follower.written(&hpa, at + SignedDuration::from_millis(600));
        let pass = told.last().expect("a pass");
        assert_eq!(pass.at, at, "{what}");
        assert_eq!(pass.prediction, Agreement::Predicted, "{what}: {pass:?}");
        assert_eq!(pass.desired_replicas, desired, "{what}");
        assert!(pass.moved.is_empty(), "{what}: {:?}", pass.moved);
    }
}
