//! What a run leaves behind, however it ends.

use std::fs;
use std::path::Path;

use hpa_explain::document::snapshot::{RecordEntry, RecordReader, Sample};
use serde_json::Value;

use crate::support::apiserver::{Fault, Interrupt};
use crate::watch::process::Process;
use crate::watch::world::World;

/// The whole lines of a file that may be cut off.
fn whole_lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = whole.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn record(path: &Path) -> Vec<&str> {
    let path = path.to_str().expect("plain");
    vec!["--record", path, "--quiet", "--request-timeout=500ms"]
}

/// What is killed leaves whole lines, and the next run goes on behind them.
#[test]
fn a_killed_run_leaves_a_record_that_goes_on() {
    let mut world = World::start();
    let directory = tempfile::tempdir().expect("a scratch directory");
    let path = directory.path().join("web.jsonl");
    let process = Process::watch(&world.kubeconfig(), &record(&path));
    world.wait_until("a watch", |server| World::watches(server) == 1);
    world.run(40);
    world.wait_until("samples", |_| whole_lines(&path).len() > 20);
    process.signal("KILL");
    let (status, lines, complaints) = process.end();
    assert_eq!(status.code(), None);
    assert_eq!(lines, [""; 0], "quiet");
    let said = complaints
        .iter()
        .any(|line| line.starts_with("Recording shop/web to "));
    assert!(said, "{complaints:?}");
    let left = whole_lines(&path);

    // As if the machine had gone, too.
    let mut bytes = fs::read(&path).expect("a record");
    bytes.extend_from_slice(br#"{"t":"2026-11-01T12:"#);
    fs::write(&path, bytes).expect("writable");
    let watches = World::watches(&world.server);
    let process = Process::watch(&world.kubeconfig(), &record(&path));
    world.wait_until("another watch", |server| World::watches(server) > watches);
    world.run(20);
    world.wait_until("samples", |_| whole_lines(&path).len() > left.len() + 5);
    process.signal("INT");
    let (status, _, complaints) = process.end();
    assert_eq!(status.code(), Some(0), "{complaints:?}");
    let after = whole_lines(&path);
    assert_eq!(after[..left.len()], left);
    assert_eq!(after[left.len()]["error"], "no watch was running");
    assert_eq!(after[left.len() + 1]["full"], true);
    let full = after.iter().filter(|line| line["full"] == true).count();
    assert_eq!(full, 2, "one a run");
    let recorded = format!(
        "recorded in {}: {} lines",
        path.display(),
        after.len() - left.len()
    );
    assert_eq!(complaints.last(), Some(&recorded));
}

/// The header, the samples in order, the gap, and passes of which the inputs
/// are known: those that the controller ran.
#[test]
fn a_record_holds_samples_gaps_and_passes() {
    let mut world = World::start();
    let directory = tempfile::tempdir().expect("a scratch directory");
    let path = directory.path().join("web.jsonl");
    let process = Process::watch(&world.kubeconfig(), &record(&path));
    world.wait_until("a watch", |server| World::watches(server) == 1);
    world.run(40);
    let fault = world.server.fault("/", Fault::Status(500));
    world.server.interrupt(Interrupt::End);
    world.run(3);
    world.server.lift(fault);
    world.run(40);
    let has_pass = |line: &Value| line.get("passAt").is_some();
    for _ in 0..10 {
        if !whole_lines(&path).iter().any(has_pass) {
            world.run(20);
        }
    }
    process.signal("TERM");
    let (status, _, complaints) = process.end();
    assert_eq!(status.code(), Some(0), "{complaints:?}");
    let gap = |what: &str| complaints.iter().any(|line| line.contains(what));
    assert!(gap("gap: no sample: Error from server"), "{complaints:?}");
    assert!(gap("gap: the watch was interrupted: "), "{complaints:?}");

    let lines = whole_lines(&path);
    let header = &lines[0];
    assert_eq!(header["apiVersion"], "hpa-explain/v1");
    assert_eq!(header["kind"], "Record");
    assert_eq!(header["namespace"], "shop");
    assert_eq!(header["horizontalPodAutoscaler"], "web");
    let times = lines[1..].iter().map(|line| line["t"].as_str().expect("t"));
    assert!(times.is_sorted());
    let gaps = lines.iter().filter_map(|line| line["error"].as_str());
    let failed = gaps.filter(|error| error.starts_with("Error from server"));
    assert_eq!(failed.count(), 1);
    let images: Vec<&Value> = lines[1]["pods"]
        .as_array()
        .expect("pods")
        .iter()
        .map(|pod| &pod["spec"]["containers"][0]["image"])
        .collect();
    assert!(!images.contains(&&"registry/app:1".into()), "{images:?}");
    let written: Vec<String> = world.written.iter().map(ToString::to_string).collect();
    let mut known = 0;
    for line in lines.iter().filter(|line| has_pass(line)) {
        let pass = line["passAt"].as_str().expect("a time").to_owned();
        assert!(written.contains(&pass), "{pass}");
        known += 1;
    }
    assert!(known > 0, "no pass is known to have run on just its inputs");
}

/// Cut at every byte of its last two lines, it reads up to its last whole one.
#[test]
fn a_record_that_is_cut_off_reads_up_to_its_last_whole_line() {
    let mut world = World::start();
    let directory = tempfile::tempdir().expect("a scratch directory");
    let path = directory.path().join("web.jsonl");
    let process = Process::watch(&world.kubeconfig(), &record(&path));
    world.wait_until("a watch", |server| World::watches(server) == 1);
    world.run(5);
    world.wait_until("samples", |_| whole_lines(&path).len() > 5);
    process.signal("INT");
    process.end();
    let bytes = fs::read(&path).expect("a record");
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let ends: Vec<usize> = ends.map(|(at, _)| at + 1).collect();
    let [.., before, _, end] = ends.as_slice() else {
        panic!("too short");
    };
    assert_eq!(*end, bytes.len());
    let whole = read(&bytes);
    assert_eq!(whole.len(), ends.len() - 1, "all but the header");
    let mut read_up_to = 0;
    for cut in *before..=*end {
        // A line is whole without its break, too.
        let lines = ends.iter().filter(|end| **end <= cut + 1).count();
        assert_eq!(read(&bytes[..cut]), whole[..lines - 1], "cut at {cut}");
        read_up_to += 1;
    }
    assert!(read_up_to > 50, "{read_up_to}");
}

/// The samples, as every other command reads them.
fn read(bytes: &[u8]) -> Vec<Sample> {
    let mut reader = RecordReader::default();
    let entries = reader.read(bytes).map(|entry| match entry {
        Ok(RecordEntry::Sample(sample)) => *sample,
        other => panic!("{other:?}"),
    });
    entries.collect()
}
