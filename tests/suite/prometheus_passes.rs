//! What scrapes tell of each pass, held against the controller's own log.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::thread;

use flate2::read::GzDecoder;
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::history::{ControllerLog, ScrapedPass, Scrapes, Stored, Subject};
use hpa_explain::snapshot::{Snapshot, read_documents};
use hpa_explain::trace::Range;
use jiff::Timestamp;
use serde_json::Value;

use crate::prometheus::{file, server, with_a_hole};
use crate::support::binary::{run, stderr, stdout};
use crate::support::golden;
use crate::support::prometheus::{Stored as Server, unpacked};

const INTERVALS: [&str; 2] = ["15s", "30s"];

/// The HPAs as they were at 20:17:38.
fn snapshots() -> Vec<Snapshot> {
    let documents = read_documents(&unpacked("snapshots.jsonl.gz")).into_iter();
    documents
        .map(|it| it.snapshot.expect("a snapshot"))
        .collect()
}

/// A pass of the log.
struct Logged {
    at: Timestamp,
    asked: i32,
    metric: String,
    after: i32,
}

/// The passes of an HPA after its first scrape and before its last one.
fn logged(snapshot: &Snapshot) -> Vec<Logged> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = File::open(root.join("tests/recordings/restless/controller.log.gz"));
    let log = BufReader::new(GzDecoder::new(file.expect("the log")));
    let logs = ControllerLog::read(log, vec![Subject::of(snapshot)]).expect("a log");
    let log = logs.into_iter().next().expect("a log");
    let begin: Timestamp = "2026-11-22T19:49:00Z".parse().expect("a time");
    let end = snapshot.captured_at - jiff::SignedDuration::from_secs(15);
    let passes = log.passes.iter();
    let passes = passes.filter(|it| it.at > begin && it.at < end);
    let pass = passes.map(|pass| {
        let near = |at: &Timestamp| *at >= pass.at && at.duration_since(pass.at).as_secs() < 5;
        let rescaled = log.rescales.iter().find(|it| near(&it.at)).map(|it| it.to);
        let mut unchanged = log.unchanged.iter();
        let kept = unchanged.find(|it| near(&it.at)).map(|it| it.replicas);
        Logged {
            at: pass.at,
            asked: pass.recommendation,
            metric: pass.metric.clone(),
            after: rescaled.or(kept).expect("an end"),
        }
    });
    pass.collect()
}

fn holds(range: Range, count: i32) -> bool {
    range.from <= count && count <= range.to
}

/// What is told of a pass: whether it is within that, and whether it is that.
fn is_exact(pass: &Logged, passes: &[ScrapedPass], name: &str) -> bool {
    let at = pass.at.as_nanosecond();
    let of_then = passes.iter();
    let of_then: Vec<&ScrapedPass> = of_then
        .filter(|it| it.at.from <= at && at <= it.at.to)
        .collect();
    let said = format!("{name} at {}: {of_then:?}", pass.at);
    let asked = of_then.iter().filter_map(|it| match it.proposal {
        Stored::Within(range) => Some(range),
        Stored::None | Stored::Unknown => None,
    });
    let asked = asked.reduce(Range::join).expect(&said);
    assert!(holds(asked, pass.asked), "asked for {}: {said}", pass.asked);
    let after: Option<Vec<Range>> = of_then.iter().map(|it| it.after.map(Range::of)).collect();
    let after = after.and_then(|all| all.into_iter().reduce(Range::join));
    let is_left = after.is_none_or(|it| holds(it, pass.after));
    assert!(is_left, "left {}: {said}", pass.after);
    let winners = of_then.iter().map(|it| {
        let metric = &it.spec.metrics[it.winner?];
        Some(pass.metric.contains(metric.name().expect("a name")))
    });
    let winners: Vec<Option<bool>> = winners.collect();
    let is_told = winners.iter().all(|it| *it == Some(true));
    assert!(
        !winners.contains(&Some(false)) || of_then.len() > 1,
        "{}: {said}",
        pass.metric
    );
    asked.from == asked.to && is_told
}

#[test]
fn every_pass_is_within_what_is_told() {
    let mut table = "HPA  passes  exact at 15 s  exact at 30 s\n".to_owned();
    let servers = INTERVALS.map(Server::read);
    let mut all = [0; 2];
    let mut count = 0;
    for snapshot in snapshots() {
        let hpa = &snapshot.horizontal_pod_autoscaler;
        let name = hpa.metadata.name.to_string();
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        let logged = logged(&snapshot);
        let exact = servers.each_ref().map(|server| {
            let series = server.series(&name, snapshot.captured_at, true);
            let scrapes = Scrapes::new(hpa, &series, &[]).expect("scrapes");
            let passes = scrapes.passes(&snapshot, &settings);
            let exact = logged.iter().filter(|it| is_exact(it, &passes, &name));
            exact.count()
        });
        let [at_15, at_30] = exact;
        writeln!(table, "{name:4} {:6} {at_15:14} {at_30:14}", logged.len()).expect("a text");
        all = [all[0] + at_15, all[1] + at_30];
        count += logged.len();
    }
    writeln!(table, "all  {count:6} {:14} {:14}", all[0], all[1]).expect("a text");
    assert!(all[0] * 10 >= count * 9, "{table}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/prometheus/exact.txt");
    golden::check(&path, &table);
}

/// The page of a moment, by what was scraped every so often.
fn page(name: &str, interval: &str, at: &str, more: &[&str]) -> (String, String) {
    let stored = Server::read(interval);
    let address = server(move |request| stored.reply(request));
    let (_folder, path) = file();
    let path = path.to_str().expect("a path");
    let own = [
        name,
        "--snapshot",
        path,
        "--prometheus",
        &address,
        "--at",
        at,
    ];
    let output = run(Path::new("/dev/null"), &[&own, more].concat());
    let words: Vec<&str> = stdout(&output).split_whitespace().collect();
    (words.join(" "), stderr(&output).to_owned())
}

#[test]
fn the_page_of_a_moment_says_what_is_sure() {
    let (text, errors) = page("s3", "15s", "2026-11-22T19:57:45.5Z", &[]);
    assert!(
        text.contains("36% 50% (50m) 0.72 17 of 17 13"),
        "{text}{errors}"
    );
    assert!(text.contains("it asked for 13, and left 17"), "{text}");
    let (text, _) = page("s4", "15s", "2026-11-22T19:57:45.5Z", &[]);
    assert!(
        text.contains("the behavior is unknown before 20:03:44"),
        "{text}"
    );
    let (text, _) = page("s4", "15s", "2026-11-22T20:07:00Z", &[]);
    assert!(!text.contains("the behavior is unknown"), "{text}");
    assert!(text.contains("a restart since then is possible"), "{text}");
    let (_, errors) = page("s3", "15s", "2026-11-22T18:00:00Z", &[]);
    assert!(errors.contains("no series of HPA soak/s3"), "{errors}");
}

#[test]
fn the_story_of_a_time_has_each_change_with_its_cause() {
    let story = |name: &str, interval: &str, since: &str| {
        let stored = Server::read(interval);
        let address = server(move |request| stored.reply(request));
        let (_folder, path) = file();
        let path = path.to_str().expect("a path");
        let own = [name, "--snapshot", path, "--prometheus", &address];
        let times = ["--since", since, "--until", "2026-11-22T20:15:00Z"];
        let output = run(Path::new("/dev/null"), &[own.as_slice(), &times].concat());
        let words: Vec<&str> = stdout(&output).split_whitespace().collect();
        (words.join(" "), stderr(&output).to_owned())
    };
    let (text, errors) = story("s2", "15s", "2026-11-22T20:00:00Z");
    for said in [
        "12 → 15 cpu asked for 15",
        "edited: maxReplicas from 20 to 9",
        "15 → 9 the size lay beyond minReplicas or maxReplicas",
        "20:08:12 - another controller took over, and remembers nothing of before",
        "the metrics began to fail",
        "the metrics are there again",
    ] {
        assert!(text.contains(said), "{said}: {text}{errors}");
    }
    assert!(text.contains("6 changes until 20:15:00"), "{text}");
    let (text, _) = story("s9", "15s", "-15m");
    assert_eq!(
        text.matches("someone else set the size").count(),
        8,
        "{text}"
    );
    assert_eq!(
        text.matches("9 → 10 requests_per_second").count(),
        1,
        "{text}"
    );
    let (_, errors) = story("s9", "15s", "2026-11-22T20:16:00Z");
    assert!(errors.contains("--since 03:00 --until 04:00"), "{errors}");
    let (_, errors) = story("s9", "15s", "3 o'clock");
    assert!(errors.contains("must be a time such as 03:00"), "{errors}");
}

/// Of a hole nothing is said, and what came before it counts no more.
#[test]
fn nothing_is_concluded_across_a_hole() {
    let page = |at: &str| {
        let stored = Server::read("15s");
        let address = server(move |request| {
            let (status, body) = stored.reply(request);
            (status, with_a_hole(&body))
        });
        let (_folder, path) = file();
        let path = path.to_str().expect("a path");
        let own = ["s3", "--snapshot", path, "--prometheus", &address];
        let more = ["--at", at, "-v", "--show-requests"];
        let output = run(Path::new("/dev/null"), &[own.as_slice(), &more].concat());
        let words: Vec<&str> = stdout(&output).split_whitespace().collect();
        (words.join(" "), stderr(&output).to_owned())
    };
    let (text, errors) = page("2026-11-22T20:02:00Z");
    assert_eq!(text, "");
    assert!(errors.contains("nothing was scraped around"), "{errors}");
    let (text, errors) = page("2026-11-22T20:05:31.5Z");
    assert!(text.contains("unknown Prometheus"), "{text}{errors}");
    let (text, errors) = page("2026-11-22T20:06:46.5Z");
    assert!(!text.contains("unknown Prometheus"), "{text}");
    let asked = errors.lines().filter(|it| it.starts_with("GET")).count();
    assert_eq!(asked, 4, "{errors}");
}

/// By the JSON document of its page, what is told of each tenth pass holds what
/// the log has.
#[test]
fn a_document_of_a_moment_holds_the_pass() {
    let snapshot = snapshots().into_iter();
    let mut snapshot = snapshot.filter(|it| it.horizontal_pod_autoscaler.metadata.name == "s7");
    let logged = logged(&snapshot.next().expect("s7"));
    let mut threads = Vec::new();
    for (index, pass) in logged.into_iter().enumerate().step_by(10) {
        let interval = INTERVALS[index / 10 % 2];
        threads.push(thread::spawn(move || {
            let at = pass.at.to_string();
            let (text, errors) = page("s7", interval, &at, &["-o", "json"]);
            let document: Value = serde_json::from_str(&text).expect(&errors);
            let told = &document["trace"]["scraped"];
            let range = |name: &str| -> BTreeMap<String, i32> {
                serde_json::from_value(told[name].clone()).expect(&text)
            };
            let (asked, after) = (range("asked"), range("after"));
            assert!(
                asked["from"] <= pass.asked && pass.asked <= asked["to"],
                "{at}: {told}"
            );
            assert!(
                after["from"] <= pass.after && pass.after <= after["to"],
                "{at}: {told}"
            );
        }));
    }
    for thread in threads {
        thread.join().expect("a pass");
    }
}
