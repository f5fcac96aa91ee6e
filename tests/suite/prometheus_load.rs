//! The load that scrapes tell of, held against the record of the same half hour;
//! and what a Prometheus answered, kept in a file.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::prometheus::{file, server, with_a_hole};
use crate::support::binary::{run, stderr, stdout};
use crate::support::prometheus::Stored;

/// The address of a server of what was scraped every so often.
fn address(interval: &str) -> String {
    let stored = Stored::read(interval);
    server(move |request| stored.reply(request))
}

/// Runs on the HPAs as they were.
fn on_snapshots(arguments: &[&str]) -> Output {
    let (_folder, path) = file();
    let path = path.to_str().expect("a path");
    run(
        Path::new("/dev/null"),
        &[arguments, &["--snapshot", path]].concat(),
    )
}

fn words(output: &Output) -> String {
    let words: Vec<&str> = stdout(output).split_whitespace().collect();
    words.join(" ")
}

/// The size on average of a simulation on a load.
fn average(name: &str, more: &[&str]) -> f64 {
    let own = ["simulate", name, "-o", "json"];
    let output = on_snapshots(&[&own, more].concat());
    let document: Value = serde_json::from_str(stdout(&output)).expect("a document");
    let scores = &document["runs"][0]["scores"];
    let number = |it: &Value| it.as_f64().expect("a number");
    number(&scores["podSeconds"]) / number(&document["seconds"])
}

/// Simulated on it, an HPA has the size that it has on the load of its record.
#[test]
fn a_scraped_load_is_that_of_the_record() {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/restless");
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["s3", "s6", "s9"] {
        let packed = fs::File::open(recordings.join(format!("{name}.jsonl.gz"))).expect(name);
        let path = folder.path().join(name);
        let mut plain = fs::File::create(&path).expect("a file");
        std::io::copy(&mut flate2::read::GzDecoder::new(packed), &mut plain).expect(name);
        let history = format!("history:{}", path.display());
        let recorded = average(name, &["--load", &history, "--for", "28m"]);
        for interval in ["15s", "30s"] {
            let address = address(interval);
            let load = ["--load", "history", "--prometheus", &address];
            let scraped = average(name, &[load.as_slice(), &["--for", "28m"]].concat());
            let off = (scraped - recorded).abs() / recorded;
            assert!(off < 0.1, "{name} at {interval}: {scraped}, not {recorded}");
        }
    }
}

#[test]
fn what_is_not_known_of_a_load_is_said() {
    let address_30 = address("30s");
    let own = ["simulate", "s3", "--load", "history", "--for", "28m"];
    let output = on_snapshots(&[own.as_slice(), &["--prometheus", &address_30]].concat());
    let text = words(&output);
    assert!(
        text.contains("51 samples of soak/s3 in Prometheus (in 2 of 51 passes, the number of pods is only known to within 37%)"),
        "{text}{}",
        stderr(&output)
    );
    let stored = Stored::read("15s");
    let holed = server(move |request| {
        let (status, body) = stored.reply(request);
        (status, with_a_hole(&body))
    });
    let output = on_snapshots(&[own.as_slice(), &["--prometheus", &holed]].concat());
    let errors = stderr(&output);
    assert!(errors.contains("no scrape between"), "{errors}");
    assert!(words(&output).contains("gap of"), "{}", words(&output));
    let output = on_snapshots(&["simulate", "s3", "--load", "history"]);
    let errors = stderr(&output);
    assert!(errors.contains("--prometheus go together"), "{errors}");
    let output = on_snapshots(&["simulate", "s3", "--load", "spike", "--prometheus", &holed]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_dry_run_takes_the_load_of_then() {
    let address = address("15s");
    let own = ["dry-run", "s3", "--set", "spec.maxReplicas=12"];
    let more = ["--prometheus", &address, "--for", "20m"];
    let output = on_snapshots(&[own, more].concat());
    let text = words(&output);
    for said in [
        "2026-11-22 19:57:39 UTC",
        "proposed: 15 changes and 8 reversals in 20m instead of 20 changes and 10 reversals; the size first differs at",
        "in 5 of 81 passes a metric fails, so the size stays",
    ] {
        assert!(text.contains(said), "{said}: {text}{}", stderr(&output));
    }
    let more = ["--prometheus", &address, "--for", "20h"];
    let output = on_snapshots(&[own, more].concat());
    let errors = stderr(&output);
    assert!(errors.contains("nothing was scraped around"), "{errors}");
}

/// What was kept leads to the pages that the server leads to.
#[test]
fn what_was_kept_is_read_without_a_server() {
    let address = address("15s");
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("kept.jsonl");
    let kept = kept.to_str().expect("a path");
    let live = ["--prometheus", &address];
    let record = ["record", "s3", "--for", "2h", "--file", kept];
    let output = on_snapshots(&[record.as_slice(), &live].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(kept).expect("a file");
    assert!(
        text.starts_with("{\"kind\":\"Scrapes\","),
        "{}",
        &text[..80]
    );
    assert!(!text.contains("instance"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(kept).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let nowhere = Path::new("/dev/null");
    let times = [
        "--since",
        "2026-11-22T20:00:00Z",
        "--until",
        "2026-11-22T20:15:00Z",
    ];
    let rows: [&[&str]; 5] = [
        &["s3"],
        &["s3", "--at", "2026-11-22T19:57:45.5Z"],
        &["s3", times[0], times[1], times[2], times[3]],
        &["flaps", "s3", "--for", "2h"],
        &["s3", "--at", "2026-11-22T20:06:46.5Z", "-o", "json"],
    ];
    for row in rows {
        let asked = on_snapshots(&[row, &live].concat());
        let read = run(nowhere, &[row, &["--history", kept]].concat());
        assert_eq!(stdout(&read), stdout(&asked), "{row:?}: {}", stderr(&read));
        assert!(!stdout(&read).is_empty(), "{row:?}: {}", stderr(&read));
    }
    let history = format!("history:{kept}");
    let average_of = |load: &[&str]| average("s3", &[load, &["--for", "28m"]].concat());
    let read = average_of(&["--load", &history]);
    let asked = average_of(&["--load", "history", "--prometheus", &address]);
    assert!((read - asked).abs() < 1e-9, "{read} {asked}");
    // It replaces one of its kind, and nothing else.
    let output = on_snapshots(&[record.as_slice(), &live].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let (_folder, other) = file();
    let other = other.to_str().expect("a path");
    let record = ["record", "s3", "--file", other];
    let output = on_snapshots(&[record.as_slice(), &live].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("not a file of `record`"),
        "{}",
        stderr(&output)
    );
    // What is too much in every line is said once.
    let more = text.replace("\"runs\":", "\"run\":1,\"runs\":");
    fs::write(kept, more).expect("a file");
    let warning =
        format!("warning: {kept}: document 1: unknown field `run`, ignored; did you mean `runs`?");
    let load = ["simulate", "s3", "--load", &history];
    let outputs =
        ["explain", "flaps", "tune"].map(|it| run(nowhere, &[it, "s3", "--history", kept]));
    for output in outputs.into_iter().chain([on_snapshots(&load)]) {
        assert_eq!(stderr(&output).matches(&warning).count(), 1);
    }
    // Another HPA's, and what is broken, lead to words.
    for (name, broken, said) in [
        ("s4", text.clone(), "s4"),
        (
            "s3",
            text.replace("\"runs\":[[0,", "\"runs\":[[9999999,"),
            "a run has no times",
        ),
        (
            "s3",
            text.replace("hpa-explain/v1\",\"tool", "hpa-explain/v9\",\"tool"),
            "its form is hpa-explain/v9",
        ),
        (
            "s3",
            text.lines().next().expect("a line").to_owned(),
            "kept.jsonl:2: ",
        ),
    ] {
        fs::write(kept, broken).expect("a file");
        let output = run(nowhere, &[name, "--history", kept]);
        assert_eq!(output.status.code(), Some(1), "{said}: {}", stdout(&output));
        assert!(
            stderr(&output).contains(said),
            "{said}: {}",
            stderr(&output)
        );
    }
}
