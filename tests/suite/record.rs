//! Records: written, cut off, damaged, and read.

use crate::support::flapping;

use std::io::Read;

use hpa_explain::document::snapshot::{
    Gap, RecordEntry, RecordError, RecordReader, RecordWriter, Sample, Snapshot, last_sample_at,
    read_documents,
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::RngExt;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// A small snapshot whose parts differ with the number.
fn snapshot(number: i64) -> Snapshot {
    let text = format!(
        r#"{{"apiVersion":"hpa-explain/v1","kind":"Snapshot","capturedAt":"2026-11-01T12:00:00Z",
        "serverVersion":"v1.36.2","horizontalPodAutoscaler":{{"apiVersion":"autoscaling/v2",
        "kind":"HorizontalPodAutoscaler","metadata":{{"name":"web","namespace":"shöp"}},
        "spec":{{"scaleTargetRef":{{"kind":"Deployment","name":"web"}},"maxReplicas":5}}}},
        "scale":{{"response":{{"spec":{{"replicas":{number}}},"status":{{"selector":"a=b"}}}}}}}}"#
    );
    let document = read_documents(&text).remove(0);
    let mut snapshot = document.snapshot.expect("a snapshot");
    snapshot.captured_at = at(number);
    snapshot
}

/// The moment of a sample: they are five seconds and a bit apart.
fn at(number: i64) -> Timestamp {
    let start: Timestamp = "2026-11-01T12:00:00Z".parse().expect("a time");
    start + SignedDuration::from_millis(5_001 * number)
}

/// A record of that many samples, a line each behind the first.
fn record(samples: i64) -> Vec<String> {
    let mut writer = RecordWriter::default();
    let header = writer.header("shöp", "web", at(0));
    let lines = (0..samples).filter_map(|number| writer.line(&snapshot(number), None));
    [header].into_iter().chain(lines).collect()
}

/// What a reader makes of a text: the numbers of the samples, and the gaps.
#[derive(Debug, Default, PartialEq)]
struct Found {
    samples: Vec<i64>,
    gaps: Vec<String>,
    remarks: Vec<String>,
    is_cut: bool,
}

fn read(text: &[u8]) -> Found {
    let mut reader = RecordReader::default();
    let mut found = Found::default();
    for entry in reader.read(text) {
        match entry.expect("a record of one HPA") {
            RecordEntry::Sample(sample) => found.samples.push(number(&sample)),
            RecordEntry::Gap(Gap { error, .. }) => found.gaps.push(error),
        }
    }
    found.remarks = reader.remarks();
    found.is_cut = found.remarks.iter().any(|it| it.contains("cut off"));
    found
}

/// Which sample it is, all of it.
fn number(sample: &Sample) -> i64 {
    let scale = sample.snapshot.scale.response().expect("a scale");
    let number = i64::from(scale.spec.replicas);
    assert_eq!(sample.snapshot, snapshot(number));
    assert_eq!(sample.at, at(number));
    number
}

#[test]
fn what_is_written_is_read() {
    let samples = flapping::samples();
    assert_eq!(samples.len(), 300);
    let mut writer = RecordWriter::default();
    let mut text = writer.header("flap", "api", samples[0].at) + "\n";
    for (number, sample) in samples.iter().enumerate() {
        if number % 100 == 50 {
            writer.restart();
        }
        let pass_at = (number % 3 == 0).then_some(sample.at);
        text += &writer.line(&sample.snapshot, pass_at).expect("a line");
        text += "\n";
    }
    assert_eq!(text.matches("\"full\":true").count(), 4);
    let mut reader = RecordReader::default();
    let mut read = 0;
    for (entry, sample) in reader.read(text.as_bytes()).zip(&samples) {
        let Ok(RecordEntry::Sample(found)) = entry else {
            panic!("{entry:?}");
        };
        assert_eq!(found.snapshot, sample.snapshot);
        assert_eq!(found.pass_at.is_some(), read % 3 == 0);
        read += 1;
    }
    assert_eq!(read, 300);
    assert_eq!(reader.autoscaler(), Some(("flap", "api")));
    assert!(reader.remarks().is_empty());
}

/// What is known of others comes, changes and goes.
#[test]
fn others_in_the_cluster_are_written_and_read() {
    let parts = r#"{"apiVersion":"hpa-explain/v1","kind":"Snapshot","capturedAt":"2026-11-01T12:00:00Z",
        "horizontalPodAutoscaler":{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",
        "metadata":{"name":"web","namespace":"shöp"},
        "spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"maxReplicas":5}},
        "scale":{"response":{"spec":{"replicas":1}}},
        "verticalPodAutoscalers":[{"metadata":{"name":"vpa"},"spec":{"updatePolicy":{"updateMode":"Off"}}}],
        "scaledObject":{"metadata":{"name":"web","annotations":{"autoscaling.keda.sh/paused":"true"}}},
        "apiServices":[{"metadata":{"name":"v1beta1.metrics.k8s.io"}}]}"#;
    let with = read_documents(parts)
        .remove(0)
        .snapshot
        .expect("a snapshot");
    let without = Snapshot {
        captured_at: at(1),
        vertical_pod_autoscalers: Vec::new(),
        scaled_object: None,
        api_services: Vec::new(),
        ..with.clone()
    };
    assert_eq!(with.vertical_pod_autoscalers[0].mode(), "Off");
    assert_eq!(with.api_services[0].group(), "metrics.k8s.io");
    let again = Snapshot {
        captured_at: at(2),
        ..with.clone()
    };
    let samples = [with, without, again];
    let mut writer = RecordWriter::default();
    let mut text = writer.header("shöp", "web", at(0)) + "\n";
    for sample in &samples {
        text += &writer.line(sample, None).expect("a line");
        text += "\n";
    }
    let mut reader = RecordReader::default();
    let mut read = Vec::new();
    for entry in reader.read(text.as_bytes()) {
        match entry {
            Ok(RecordEntry::Sample(sample)) => read.push(sample.snapshot),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(read, samples);
}

#[test]
fn a_foreign_recording_is_complete_at_every_sample() {
    let samples = flapping::samples();
    let errors: Vec<_> = samples
        .iter()
        .filter_map(|sample| {
            let resource = sample.snapshot.metrics.resource.as_ref()?;
            Some((sample.at, resource.error()?))
        })
        .collect();
    assert_eq!(errors.len(), 10);
    assert!(
        errors
            .iter()
            .all(|(_, text)| *text == "metrics not available")
    );
    let first = &samples[0].snapshot;
    assert_eq!(
        first.target.as_ref().and_then(|it| it.spec.replicas),
        Some(4)
    );
    let mut sizes = samples.iter().map(|sample| {
        assert!(!sample.snapshot.pods.is_empty());
        assert!(!sample.snapshot.replica_sets.is_empty());
        sample.snapshot.events.len()
    });
    assert!(sizes.by_ref().max().expect("samples") > 5);
}

#[test]
fn a_record_cut_at_any_byte_reads_up_to_its_last_whole_line() {
    let lines = record(6);
    let text = lines.join("\n") + "\n";
    let last = lines[6].len() + 1;
    let two = last + lines[5].len() + 1;
    let mut cuts = 0;
    for length in text.len() - two..=text.len() {
        let found = read(&text.as_bytes()[..length]);
        // A line is whole once its last brace is there.
        let missing = text.len() - length;
        let whole = match missing {
            0 | 1 => 6,
            missing if missing <= last + 1 => 5,
            _ => 4,
        };
        assert_eq!(found.samples, (0..whole).collect::<Vec<_>>(), "{length}");
        let is_between = [0, 1, last, last + 1, two].contains(&missing);
        assert_eq!(found.is_cut, !is_between, "{length}");
        assert_eq!(found.remarks.len(), usize::from(!is_between), "{length}");
        assert_eq!(found.gaps, Vec::<String>::new());
        cuts += 1;
    }
    assert_eq!(cuts, two + 1);
    assert!(cuts > 200, "{cuts}");
}

/// What is changed; the samples that remain; gaps; the remarks' beginnings.
type Damage<'t> = (
    &'t [(usize, &'t str)],
    &'t [i64],
    &'t [&'t str],
    &'t [&'t str],
);

#[test]
fn what_a_lost_line_changed_is_not_known_until_all_parts_are_there() {
    const LOST: &str = "a line before it cannot be read, so its changes are unknown";
    let mut writer = RecordWriter::default();
    let mut lines = vec![writer.header("shöp", "web", at(0))];
    for number in 0..8 {
        if number == 6 {
            writer.restart();
        }
        lines.extend(writer.line(&snapshot(number), None));
    }
    let gap = writer.gap(at(2), "timeout");
    let foreign = r#"{"label":"x","namespace":"shöp","horizontalPodAutoscaler":"web"}"#;
    let change = |changes: &[(usize, &str)]| {
        let mut lines = lines.clone();
        for (line, text) in changes {
            (*text).clone_into(&mut lines[*line]);
        }
        lines.join("\n") + "\n"
    };
    let late = lines[1].replace("12:00:00Z", "11:00:00Z");
    let not_full = lines[1].replace("\"full\":true,", "");
    let ten = lines[1].replacen("\"maxReplicas\":5", "\"maxReplicas\":\"ten\"", 1);
    let other = ten.replacen("\"scaleTargetRef\"", "\"scaleTargetref\"", 1);
    let rows: [Damage; 12] = [
        (&[], &[0, 1, 2, 3, 4, 5, 6, 7], &[], &[]),
        (&[(3, "")], &[0, 1, 3, 4, 5, 6, 7], &[], &[]),
        (&[(3, &gap)], &[0, 1, 3, 4, 5, 6, 7], &["timeout"], &[]),
        (
            &[(3, "{\"t\":")],
            &[0, 1, 6, 7],
            &[LOST; 3],
            &["line 4 cannot be read: it is not JSON"],
        ),
        (
            &[(1, "\0\0")],
            &[6, 7],
            &[LOST; 5],
            &["line 2 cannot be read"],
        ),
        (
            &[(1, &ten)],
            &[6, 7],
            &[LOST; 5],
            &[
                "line 2 cannot be read: horizontalPodAutoscaler.spec.maxReplicas: must be a whole number, not the string \"ten\"",
            ],
        ),
        (
            &[(1, &other)],
            &[6, 7],
            &[LOST; 5],
            &[
                "line 2 cannot be read: horizontalPodAutoscaler.spec.maxReplicas: must be a whole number, not the string \"ten\"; horizontalPodAutoscaler.spec: unknown field `scaleTargetref`, ignored; did you mean `scaleTargetRef`?",
            ],
        ),
        // Only the end of a record.
        (
            &[(0, &lines[2]), (1, "")],
            &[6, 7],
            &[LOST; 6],
            &["line 1 does not contain all parts: the lines before it are missing"],
        ),
        (
            &[(3, &late)],
            &[0, 1, 3, 4, 5, 6, 7],
            &[],
            &["line 4: 2026-11-01T11:00:00Z is before the line above, so the line is left out"],
        ),
        (
            &[(3, &late), (4, &late)],
            &[0, 1, 4, 5, 6, 7],
            &[],
            &[
                "line 4: 2026-11-01T11:00:00Z is before the line above, so the line is left out; the same goes for 1 more",
            ],
        ),
        (
            &[(0, "[]")],
            &[0, 1, 2, 3, 4, 5, 6, 7],
            &[],
            &["line 1 cannot be read"],
        ),
        (
            &[(0, foreign), (1, &not_full), (3, "{}")],
            &[0, 1, 3, 4, 5, 6, 7],
            &[],
            &["line 4 cannot be read: it has no time `t`, and is not a first line"],
        ),
    ];
    for (changes, samples, gaps, remarks) in rows {
        let found = read(change(changes).as_bytes());
        assert_eq!(found.samples, samples, "{changes:?}");
        assert_eq!(found.gaps, gaps, "{changes:?}");
        assert_eq!(found.remarks.len(), remarks.len(), "{:?}", found.remarks);
        for (found, expected) in found.remarks.iter().zip(remarks) {
            assert!(found.starts_with(expected), "{found}");
        }
    }
}

#[test]
fn a_misspelt_field_of_a_header_is_named() {
    let lines = record(2);
    let header = lines[0].replace("horizontalPodAutoscaler", "horizontalPodAutoscalr");
    let found = read([&header, &*lines[1], ""].join("\n").as_bytes());
    let said = "line 1 cannot be read: unknown field `horizontalPodAutoscalr`; did you mean `horizontalPodAutoscaler`?";
    assert_eq!(found.remarks, [said]);
    assert_eq!(found.samples.len(), 1);
}

#[test]
fn what_is_no_record_of_one_hpa_is_refused() {
    let lines = record(2);
    let newer = lines[0].replace("hpa-explain/v1", "hpa-explain/v2");
    let other = lines[1].replace("\"web\"", "\"api\"");
    let rows = [
        (
            vec![newer.as_str()],
            "line 1 has apiVersion hpa-explain/v2; this version of the plugin reads only hpa-explain/v1",
        ),
        (
            vec![&lines[0], &other],
            "line 2 belongs to shöp/api, but the lines before it belong to shöp/web",
        ),
        (
            vec![&lines[1], &other],
            "line 2 belongs to shöp/api, but the lines before it belong to shöp/web",
        ),
    ];
    for (lines, message) in rows {
        let text = lines.join("\n");
        let mut reader = RecordReader::default();
        let error: RecordError = reader
            .read(text.as_bytes())
            .find_map(Result::err)
            .expect(message);
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn files_are_read_one_after_the_other_and_only_as_far_back_as_asked() {
    let mut writer = RecordWriter::default();
    let mut file = |numbers: std::ops::Range<i64>| {
        writer.restart();
        let lines = numbers.filter_map(|number| writer.line(&snapshot(number), None));
        let lines: Vec<_> = lines.collect();
        let header = RecordWriter::default().header("shöp", "web", at(0));
        format!("{header}\n{}\n", lines.join("\n"))
    };
    let files = [file(0..4), file(4..8)];
    let mut reader = RecordReader::between(at(2), at(5));
    let mut samples = Vec::new();
    for file in &files {
        for entry in reader.read(file.as_bytes()) {
            let Ok(RecordEntry::Sample(sample)) = entry else {
                panic!("{entry:?}");
            };
            samples.push(number(&sample));
        }
    }
    // The first one after the end tells when that was.
    assert_eq!(samples, [2, 3, 4, 5, 6]);
    let end = last_sample_at(files.iter().map(String::as_bytes));
    assert_eq!(end.expect("readable"), Some(at(7)));
}

/// Whatever a file holds, reading it ends, and without a panic.
#[test]
fn damaged_records_are_read_without_a_panic() {
    let mut head = Vec::new();
    let limit = 400_000;
    flapping::lines()
        .take(limit)
        .read_to_end(&mut head)
        .expect("lines");
    let texts = [head, record(20).join("\n").into_bytes()];
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let (mut entries, mut remarks) = (0, 0);
    for round in 0..60 {
        let mut text = texts[round % 2].clone();
        for _ in 0..10 {
            let at = rng.random_range(0..text.len());
            text[at] = rng.random();
        }
        let mut reader = RecordReader::default();
        entries += reader.read(text.as_slice()).count();
        remarks += reader.remarks().len();
    }
    assert!(entries > 200, "{entries}");
    assert!(remarks > 60, "{remarks}");
}
