//! The real binary with a record and with the controller's log.

use crate::support::flapping;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::apiserver::ApiServer;
use crate::support::binary::{run, stderr, stdout};
use flate2::read::GzDecoder;
use hpa_explain::document::snapshot::{RecordWriter, Snapshot, read_documents};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tempfile::TempDir;

/// A folder with a record, the log of its controller, and no cluster.
struct Files {
    folder: TempDir,
}

impl Files {
    /// The first samples of the recording, as many as asked for.
    fn with(samples: usize) -> Self {
        let folder = tempfile::tempdir().expect("a scratch directory");
        let files = Self { folder };
        let lines = BufReader::new(flapping::lines()).lines().take(samples + 1);
        let lines: Vec<String> = lines.map(|line| line.expect("text")).collect();
        let record = lines.join("\n") + "\n";
        fs::write(files.path("record.jsonl"), record).expect("writable");
        fs::write(files.path("kcm.log"), flapping::controller_log()).expect("writable");
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the binary, with the files' names in place of `@record` and the
    /// like.
    fn run(&self, kubeconfig: &Path, arguments: &str) -> Output {
        let folder = self.folder.path().to_str().expect("a plain path");
        let arguments = arguments.replace('@', &format!("{folder}/"));
        run(kubeconfig, &arguments.split(' ').collect::<Vec<_>>())
    }

    fn run_without_cluster(&self, arguments: &str) -> Output {
        self.run(&self.path("no-kubeconfig"), arguments)
    }
}

fn captured_at(output: &Output) -> String {
    let snapshot: Value = serde_yaml::from_slice(&output.stdout).expect("YAML");
    snapshot["capturedAt"].as_str().expect("a time").to_owned()
}

#[test]
fn a_moment_of_a_record_has_the_inputs_of_the_latest_sample_before_it() {
    let files = Files::with(300);
    let rows = [
        // What is typed, the moment that is meant, the sample's time.
        (
            "2026-11-20T08:23:11.123Z",
            "08:23:11.123",
            "2026-11-20T08:23:11.123Z",
        ),
        (
            "2026-11-20T08:39:30Z",
            "08:39:30",
            "2026-11-20T08:39:26.162Z",
        ),
        (
            "2026-11-20T10:39:30+02:00",
            "08:39:30",
            "2026-11-20T08:39:26.162Z",
        ),
        (
            "2026-11-20T08:48:30Z",
            "08:48:30",
            "2026-11-20T08:48:06.178Z",
        ),
        ("-0s", "08:48:06.178", "2026-11-20T08:48:06.178Z"),
        ("-5m", "08:43:06.178", "2026-11-20T08:43:06.17Z"),
    ];
    for (at, meant, sampled) in rows {
        let arguments = format!("api -n flap --history @record.jsonl --at {at}");
        let output = files.run_without_cluster(&format!("{arguments} -o snapshot"));
        assert_eq!(captured_at(&output), sampled, "{at}: {}", stderr(&output));
        let output = files.run_without_cluster(&format!("{arguments} -o json"));
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(document["trace"]["at"], format!("2026-11-20T{meant}Z"));
        let output = files.run_without_cluster(&arguments);
        let first = stdout(&output).lines().next().expect("a header");
        assert!(first.starts_with("flap/api  Deployment/api"), "{first}");
        assert!(first.contains(meant.split('.').next().expect("a time")));
        assert_eq!(stderr(&output), "");
    }
}

#[test]
fn what_the_controller_did_after_the_sample_is_not_held_against_it() {
    // Of 08:24:36.12 is the sample; at 08:24:36.26 the controller rescaled.
    let files = Files::with(60);
    let arguments = "--history @record.jsonl --at 2026-11-20T08:24:41Z";
    for log in ["", " --controller-log @kcm.log"] {
        let output = files.run_without_cluster(&format!("{arguments}{log}"));
        let text = stdout(&output);
        assert!(text.contains("4 → 8 at the next pass"), "{text}");
        assert!(!text.contains("not by a rescale"), "{text}");
    }
}

#[test]
fn what_would_narrow_it_is_what_was_not_read() {
    let files = Files::with(60);
    let snapshot = files.run_without_cluster("--history @record.jsonl --at -2m -o snapshot");
    fs::write(files.path("api.yaml"), &snapshot.stdout).expect("writable");
    let rows = [
        (
            "--snapshot @api.yaml",
            Some("--history FILE or --controller-log FILE"),
        ),
        (
            "--history @record.jsonl --at -2m",
            Some("--controller-log FILE"),
        ),
        (
            "--history @record.jsonl --at -2m --controller-log @kcm.log",
            None,
        ),
    ];
    for (arguments, flags) in rows {
        let output = files.run_without_cluster(&format!("{arguments} -v"));
        let text = stdout(&output);
        let mut lines = text.lines().map(str::trim);
        let narrows = lines.find_map(|line| line.strip_suffix(" from that time narrows the range"));
        assert_eq!(narrows, flags, "{arguments}: {text}");
    }
}

#[test]
fn what_a_record_does_not_say_is_refused_with_the_next_step() {
    let files = Files::with(80);
    let lines = fs::read_to_string(files.path("record.jsonl")).expect("text");
    let lines: Vec<&str> = lines.lines().collect();
    let gap = r#"{"t":"2026-11-20T08:24:00Z","error":"i/o timeout"}"#;
    let with_gap = [&lines[..10], &[gap], &lines[20..30]].concat().join("\n");
    fs::write(files.path("gap.jsonl"), with_gap).expect("writable");
    let with_hole = [&lines[..10], &lines[60..70]].concat().join("\n");
    fs::write(files.path("hole.jsonl"), with_hole).expect("writable");
    fs::write(files.path("empty.jsonl"), lines[0]).expect("writable");
    let mixed = [lines[0], lines[1], &lines[1].replace("\"api\"", "\"web\"")].join("\n");
    fs::write(files.path("mixed.jsonl"), mixed).expect("writable");
    fs::write(files.path("notes.txt"), "what we saw\n").expect("writable");
    let rows = [
        (
            "--history @ --at -0s",
            "is not a regular file",
            "watch NAME --record FILE",
        ),
        (
            "--history @record.jsonl --at 2026-11-20T08:00:00Z",
            "record.jsonl: begins after 2026-11-20T08:00:00Z",
            "the nearest sample is of --at 2026-11-20T08:23:11.123Z",
        ),
        (
            "--history @record.jsonl --at 2026-11-20T09:00:00Z",
            "record.jsonl: ends before 2026-11-20T09:00:00Z",
            "the nearest sample is of --at 2026-11-20T08:29:46.136Z",
        ),
        (
            "--history @gap.jsonl --at 2026-11-20T08:24:10Z",
            "nothing was sampled at 2026-11-20T08:24:10Z: i/o timeout",
            "the nearest samples are of --at 2026-11-20T08:23:51.124Z and --at 2026-11-20T08:24:46.126Z",
        ),
        (
            "--history @hole.jsonl --at 2026-11-20T08:25:30Z",
            "nothing was sampled at 2026-11-20T08:25:30Z",
            "the nearest samples are of --at 2026-11-20T08:23:51.124Z and",
        ),
        (
            "--history @empty.jsonl --at -0s",
            "empty.jsonl holds no sample",
            "`kubectl hpa-explain watch NAME --record FILE` writes a record",
        ),
        (
            "--history @notes.txt --at -0s",
            "notes.txt is not a record: line 1 cannot be read",
            "writes a record",
        ),
        (
            "--history @none.jsonl --at -0s",
            "none.jsonl: no such file",
            "writes a record",
        ),
        (
            "--history @mixed.jsonl --at -0s",
            "mixed.jsonl: line 3 belongs to flap/web, but the lines before it belong to flap/api",
            "--history reads the record of one HPA",
        ),
        (
            "web --history @record.jsonl --at -0s",
            "is the record of flap/api, not of web",
            "leave the name out",
        ),
        (
            "api -n shop --history @record.jsonl --at -0s",
            "is the record of flap/api, not of api in namespace shop",
            "leave the name out",
        ),
        (
            "--history @record.jsonl --at -0s --controller-log @none.log",
            "none.log: no such file",
            "kubectl logs -n kube-system",
        ),
    ];
    for (arguments, message, hint) in rows {
        let output = files.run_without_cluster(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        assert_eq!(stdout(&output), "", "{arguments}");
        let said: Vec<&str> = stderr(&output).lines().collect();
        assert_eq!(said.len(), 2, "{arguments}: {said:?}");
        assert!(
            said[0].starts_with("error: ") && said[0].contains(message),
            "{said:?}"
        );
        assert!(
            said[1].starts_with("hint: ") && said[1].contains(hint),
            "{said:?}"
        );
    }
}

#[test]
fn a_cut_line_and_a_file_put_aside_are_no_obstacle() {
    let files = Files::with(60);
    let text = fs::read_to_string(files.path("record.jsonl")).expect("text");
    let whole = files.run_without_cluster("--history @record.jsonl --at -5s -o json");
    let cut = &text[..text.len() - 10];
    fs::write(files.path("cut.jsonl"), cut).expect("writable");
    let cut = files.run_without_cluster("--history @cut.jsonl --at -0s -o json");
    assert_eq!(stdout(&cut), stdout(&whole));
    assert!(stderr(&cut).contains("cut.jsonl: the last line is cut off and left out"));
    // A page of the time says so itself: it goes on without what was said beside it.
    let told = files.run_without_cluster("--history @cut.jsonl --since -5m");
    assert!(stdout(&told).contains("the last line is cut off and left out"));
    // The same, written by ourselves, in two files.
    let mut writer = RecordWriter::default();
    let samples = flapping::samples();
    let mut file = |name: &str, numbers: std::ops::Range<usize>| {
        writer.restart();
        let mut text = writer.header("flap", "api", samples[0].at) + "\n";
        for sample in &samples[numbers] {
            text += &(writer.line(&sample.snapshot, None).expect("a line") + "\n");
        }
        fs::write(files.path(name), text).expect("writable");
    };
    file("two.jsonl.1", 0..40);
    file("two.jsonl", 40..60);
    for at in ["-0s", "-1m40s", "-2m", "2026-11-20T08:24:00Z"] {
        let one = files.run_without_cluster(&format!("--history @record.jsonl --at {at} -o json"));
        let two = files.run_without_cluster(&format!("--history @two.jsonl --at {at} -o json"));
        assert!(two.status.success(), "{}", stderr(&two));
        assert_eq!(stdout(&one), stdout(&two), "{at}");
        assert_eq!(stderr(&two), "");
    }
}

#[test]
fn a_log_is_read_beside_a_record_and_beside_a_snapshot() {
    let files = Files::with(60);
    let arguments = "--history @record.jsonl --at -0s";
    let snapshot = files.run_without_cluster(&format!("{arguments} -o snapshot"));
    fs::write(files.path("snapshot.yaml"), &snapshot.stdout).expect("writable");
    fs::write(files.path("notes.txt"), "what we saw\n").expect("writable");
    let rows = [
        (format!("{arguments} --controller-log @kcm.log"), None),
        (
            "--snapshot @snapshot.yaml --controller-log @kcm.log".to_owned(),
            None,
        ),
        (
            "--snapshot @snapshot.yaml --history @record.jsonl".to_owned(),
            None,
        ),
        (
            "list --snapshot @snapshot.yaml --history @record.jsonl --controller-log @kcm.log"
                .to_owned(),
            None,
        ),
        (
            "--snapshot @snapshot.yaml --controller-log @notes.txt".to_owned(),
            Some("this is not the log of a kube-controller-manager; it is ignored"),
        ),
    ];
    for (arguments, warning) in rows {
        let output = files.run_without_cluster(&arguments);
        assert!(output.status.success(), "{arguments}: {}", stderr(&output));
        assert!(stdout(&output).contains("api"), "{arguments}");
        match warning {
            None => assert_eq!(stderr(&output), "", "{arguments}"),
            Some(warning) => assert!(stderr(&output).contains(warning), "{arguments}"),
        }
    }
}

/// A rescale that the log tells of, right after the sample: the size is still
/// the one from before, and nobody else has changed it.
#[test]
fn what_was_logged_after_the_sample_is_left_aside() {
    let files = Files::with(60);
    let at = "--history @record.jsonl --at 2026-11-20T08:24:40Z";
    for log in ["", " --controller-log @kcm.log"] {
        let output = files.run_without_cluster(&format!("{at}{log}"));
        let text = stdout(&output);
        assert!(text.contains("4 → 8 at the next pass"), "{text}");
        assert!(!text.contains("not by a rescale"), "{text}");
    }
}

/// A record of an HPA of the recorded cluster: what was just read, and the
/// same a minute before.
fn record_of(snapshot: &Snapshot) -> String {
    let metadata = &snapshot.hpa.metadata;
    let mut writer = RecordWriter::default();
    let at = |ago: i64| -> Timestamp { snapshot.captured_at - SignedDuration::from_secs(ago) };
    let mut text = writer.header(&metadata.namespace, &metadata.name, at(60)) + "\n";
    for ago in [60, 55, 50, 45] {
        let sample = Snapshot {
            captured_at: at(ago),
            ..snapshot.clone()
        };
        text += &(writer.line(&sample, None).expect("a line") + "\n");
    }
    text
}

#[test]
fn a_record_goes_with_what_is_read_live() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    let files = Files::with(1);
    let output = run(&kubeconfig, &["web", "-n", "shop", "-o", "snapshot"]);
    let snapshot = read_documents(stdout(&output)).remove(0).snapshot;
    let record = record_of(&snapshot.expect("a snapshot"));
    fs::write(files.path("web.jsonl"), record).expect("writable");
    let other = "is the record of shop/web, not of";
    let rows = [
        ("web -n shop --history @web.jsonl", true, ""),
        ("web api -n shop --history @web.jsonl", true, ""),
        ("list -n shop --history @web.jsonl", true, ""),
        ("-n shop --history @web.jsonl", true, ""),
        ("api -n shop --history @web.jsonl", false, other),
        (
            "list -n shop --history @record.jsonl",
            false,
            "is the record of flap/api",
        ),
    ];
    for (arguments, succeeds, complaint) in rows {
        let output = files.run(&kubeconfig, arguments);
        assert_eq!(
            output.status.success(),
            succeeds,
            "{arguments}: {}",
            stderr(&output)
        );
        assert_eq!(stdout(&output).is_empty(), !succeeds, "{arguments}");
        // The recorded server's clock stands still.
        let said = stderr(&output).lines();
        let said: Vec<&str> = said.filter(|line| !line.contains("clock")).collect();
        assert_eq!(said.is_empty(), succeeds, "{said:?}");
        assert!(said.concat().contains(complaint), "{said:?}");
    }
    // Of a moment of the record, no cluster is asked.
    let asked = server.log().len();
    let output = files.run(&kubeconfig, "web -n shop --history @web.jsonl --at -5s");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(server.log().len(), asked);
}

/// Pods that do not count yet can change what is asked for at each pass to
/// come: what is said of the steps is so as long as they do not.
#[test]
fn a_step_to_come_is_told_with_the_pods_that_count() {
    let rows = [
        ("s9", "20:08:30", Some("10 of 13 pods still count")),
        ("s9", "20:08:32", Some("10 of 13 pods still count")),
        ("s9", "20:12:44", Some("3 of 4 pods still count")),
        ("s4", "19:50:13", Some("6 of 8 pods still count")),
        ("s7", "20:04:29", Some("19 of 20 pods still count for cpu")),
        ("s9", "20:08:35", None),
        ("s8", "20:05:14", None),
    ];
    for (name, time, still) in rows {
        let mut record = Vec::new();
        let stored = format!("tests/recordings/restless/{name}.jsonl.gz");
        let mut stored = GzDecoder::new(File::open(stored).expect("a record"));
        stored.read_to_end(&mut record).expect("a record");
        let files = Files::with(0);
        fs::write(files.path("restless.jsonl"), record).expect("writable");
        let output = files.run_without_cluster(&format!(
            "--history @restless.jsonl --at 2026-11-22T{time}Z"
        ));
        let text = stdout(&output).split_whitespace().collect::<Vec<_>>();
        let text = text.join(" ");
        let steps = text.split(" Next ").nth(1).expect("what comes next");
        let steps = steps.split(" Found ").next().expect("the steps");
        match still {
            Some(still) => assert!(steps.contains(still), "{steps}"),
            None => assert!(
                !steps.contains("pods still count"),
                "{name} {time}: {steps}"
            ),
        }
    }
}

/// What came after a time is not judged with it.
#[test]
fn a_time_is_judged_as_of_its_end() {
    let files = Files::with(100);
    let first = "api -n flap --history @record.jsonl --since -1h --until -2m";
    let output = files.run_without_cluster(first);
    let text = stdout(&output);
    let checked = text.split("Flapping check as of ").nth(1).expect("a check");
    let (at, _) = checked.split_once(' ').expect("a moment");
    let (_, until) = text.split_once(" until ").expect("an end");
    assert!(at <= &until[..at.len()], "{text}");
}

/// A time that ends with a flapping HPA is as bad as one that flaps now.
#[test]
fn a_time_has_the_exit_code_of_what_ended_it() {
    let files = Files::with(100);
    for (flag, code) in [(" --exit-code", 3), ("", 0)] {
        let time = "api -n flap --history @record.jsonl --since -1h";
        let output = files.run_without_cluster(&format!("{time}{flag}"));
        let text = stdout(&output);
        assert!(text.contains("This HPA is flapping"), "{text}");
        assert_eq!(output.status.code(), Some(code), "{flag}");
    }
}
