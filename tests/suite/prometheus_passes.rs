//! What scrapes tell of each pass, held against the controller's own log.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::thread;

use flate2::read::GzDecoder;
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::{Part, Snapshot, read_documents};
use hpa_explain::history::{
    ControllerLog, Observer, ScrapedPass, Scrapes, Stored, Subject, past_proposals,
};
use hpa_explain::trace::{Code, Range, StoryCause, Trace};
use hpa_explain::what_if::explain;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::prometheus::{file, server, with_a_hole};
use crate::support::binary::{run, stderr, stdout};
use crate::support::build::Case;
use crate::support::golden;
use crate::support::pod::cpu;
use crate::support::prometheus::{Stored as Server, unpacked};

const INTERVALS: [&str; 3] = ["15s", "30s", "60s"];

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
        Stored::Unknown => Some(Range::new(0, i32::MAX)),
        Stored::None => None,
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

fn row(table: &mut String, name: &str, passes: usize, [at_15, at_30, at_60]: [usize; 3]) {
    let line = format!("{name:4} {passes:6} {at_15:14} {at_30:14} {at_60:14}");
    writeln!(table, "{line}").expect("a text");
}

#[test]
fn every_pass_is_within_what_is_told() {
    let mut table = "HPA  passes  exact at 15 s  exact at 30 s  exact at 60 s\n".to_owned();
    let servers = INTERVALS.map(Server::read);
    let mut all = [0; 3];
    let mut count = 0;
    for snapshot in snapshots() {
        let hpa = &snapshot.hpa;
        let name = hpa.metadata.name.to_string();
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        let logged = logged(&snapshot);
        let exact = servers.each_ref().map(|server| {
            let series = server.series(&name, snapshot.captured_at, true);
            let scrapes = Scrapes::new(hpa, &series, &[], true).expect("scrapes");
            let passes = scrapes.passes(&snapshot, &settings);
            // Of what came after the last scrape, nothing is told.
            let last = passes.last().expect("passes").at.to;
            let told = logged.iter().filter(|it| it.at.as_nanosecond() <= last);
            told.filter(|it| is_exact(it, &passes, &name)).count()
        });
        row(&mut table, &name, logged.len(), exact);
        all = [0, 1, 2].map(|it| all[it] + exact[it]);
        count += logged.len();
    }
    row(&mut table, "all", count, all);
    assert!(all[0] * 10 >= count * 9, "{table}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/prometheus/exact.txt");
    golden::check(&path, &table);
}

/// The last status before a time without a leader is that of a pass that can lie
/// more than a sync period before the next scrape.
#[test]
fn the_last_pass_before_a_restart_is_within_what_is_told() {
    let server = Server::read("15s").thinned(1, 2);
    let all = snapshots();
    let snapshot = all.iter().find(|it| it.hpa.metadata.name == "s3");
    let snapshot = snapshot.expect("s3");
    let settings = Settings::resolve(snapshot, &Overrides::default());
    let series = server.series("s3", snapshot.captured_at, true);
    let scrapes = Scrapes::new(&snapshot.hpa, &series, &[], true);
    let passes = scrapes.expect("scrapes").passes(snapshot, &settings);
    let restart: Timestamp = "2026-11-22T20:07:55Z".parse().expect("a time");
    let logged = logged(snapshot).into_iter();
    let last = logged
        .take_while(|it| it.at < restart)
        .last()
        .expect("a pass");
    assert!(!is_exact(&last, &passes, "s3"));
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
        "20:08:12 - another kube-controller-manager took over: the HPA's windows and policies begin anew with the size of that moment",
        "the metrics began to fail",
        "the metrics are there again",
    ] {
        assert!(text.contains(said), "{said}: {text}{errors}");
    }
    assert!(text.contains("2 size changes until 20:15:00"), "{text}");
    let (text, _) = story("s9", "15s", "-15m");
    assert_eq!(
        text.matches("→ 3 someone else set the size").count(),
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
    let mut snapshot = snapshot.filter(|it| it.hpa.metadata.name == "s7");
    let logged = logged(&snapshot.next().expect("s7"));
    let mut threads = Vec::new();
    for (index, pass) in logged.into_iter().enumerate().step_by(10) {
        let interval = INTERVALS[index / 10 % INTERVALS.len()];
        threads.push(thread::spawn(move || {
            let at = pass.at.to_string();
            let (text, errors) = page("s7", interval, &at, &["-o", "json"]);
            let document: Value = serde_json::from_str(&text).expect(&errors);
            let told = &document["trace"]["scraped"];
            let range = |name: &str| -> Option<BTreeMap<String, i32>> {
                serde_json::from_value(told[name].clone()).expect(&text)
            };
            let holds = |range: &BTreeMap<String, i32>, size: i32| {
                range["from"] <= size && size <= range["to"]
            };
            let asked = range("asked").expect(&text);
            assert!(holds(&asked, pass.asked), "{at}: {told}");
            // At 60 s, only what a scrape shows.
            let after = range("after");
            assert!(after.is_some() || interval == "60s", "{at}: {told}");
            let is_left = after.is_none_or(|it| holds(&it, pass.after));
            assert!(is_left, "{at}: {told}");
        }));
    }
    for thread in threads {
        thread.join().expect("a pass");
    }
}

/// What each metric is said to have asked for over a time holds what the log has
/// of it, at 15 s also for the passes that no scrape shows.
#[test]
fn what_metrics_asked_for_over_a_time_holds_the_log() {
    let mut held = 0;
    for interval in INTERVALS {
        let server = Server::read(interval);
        for snapshot in snapshots() {
            let hpa = &snapshot.hpa;
            let name = hpa.metadata.name.to_string();
            let settings = Settings::resolve(&snapshot, &Overrides::default());
            let series = server.series(&name, snapshot.captured_at, true);
            let mut observer = Observer::default();
            observer.read_scrapes(Scrapes::new(hpa, &series, &[], true).expect("scrapes"));
            let all = past_proposals(&snapshot, &settings, snapshot.captured_at, &observer);
            for (metric, asked) in hpa.spec.metrics.iter().zip(all) {
                let Some(asked) = asked else {
                    continue;
                };
                let own = metric.name().expect("a name");
                let bounds = (hpa.spec.min_replicas.unwrap_or(1), hpa.spec.max_replicas);
                for pass in logged(&snapshot) {
                    let is_known = asked.from <= pass.at && pass.at <= asked.to;
                    if !is_known || !pass.metric.contains(own) {
                        continue;
                    }
                    let said = format!("{name} at {}: {} of {asked:?}", pass.at, pass.asked);
                    assert!(
                        asked.replicas.to > bounds.0 || pass.asked <= bounds.0,
                        "{said}"
                    );
                    assert!(
                        asked.replicas.from <= bounds.1 || pass.asked > bounds.1,
                        "{said}"
                    );
                    let is_shown = interval == "15s";
                    assert!(!is_shown || holds(asked.replicas, pass.asked), "{said}");
                    held += 1;
                }
            }
        }
    }
    assert!(held > 500, "{held}");
}

/// A Prometheus of an HPA between 2 and 4 pods that was at one size for two hours,
/// every 15 s at so many percent.
fn steady(size: i32, percent: impl Fn(usize) -> i32, end: Timestamp) -> Server {
    let scrapes = 480;
    let end = end.as_millisecond() - 5_000;
    let times: Vec<i64> = (0..scrapes)
        .map(|it| end - 15_000 * (scrapes - 1 - it))
        .collect();
    let scrapes = times.len();
    let begin = times[0] / 1_000 - 7_200;
    let mut series = Vec::new();
    let mut add = |labels: Value, value: String| {
        let mut labels = labels;
        labels["namespace"] = "default".into();
        series.push(json!([labels, [[0, scrapes, value]]]));
    };
    let of_hpa = |family: &str| {
        let family = format!("kube_horizontalpodautoscaler_{family}");
        json!({"__name__": family, "horizontalpodautoscaler": "web"})
    };
    for (family, value) in [
        ("spec_min_replicas", 2),
        ("spec_max_replicas", 4),
        ("status_current_replicas", size),
        ("status_desired_replicas", size),
    ] {
        add(of_hpa(family), value.to_string());
    }
    for kind in ["AbleToScale", "ScalingActive"] {
        let mut condition = of_hpa("status_condition");
        condition["condition"] = kind.into();
        condition["status"] = "true".into();
        add(condition, "1".to_owned());
    }
    for family in ["spec_replicas", "status_replicas"] {
        let family = format!("kube_deployment_{family}");
        add(
            json!({"__name__": family, "deployment": "web"}),
            size.to_string(),
        );
    }
    let set = "web-5d4f8b7c9";
    add(
        json!({"__name__": "kube_replicaset_owner", "replicaset": set,
            "owner_kind": "Deployment", "owner_name": "web"}),
        "1".to_owned(),
    );
    for pod in 0..size {
        let of_pod = |family: &str, more: Value| {
            let pod = format!("{set}-aaaa{pod}");
            let mut labels = json!({"__name__": format!("kube_pod_{family}"), "pod": pod});
            let all = labels.as_object_mut().expect("labels");
            all.extend(more.as_object().expect("labels").clone());
            labels
        };
        let owner = json!({"owner_kind": "ReplicaSet", "owner_name": set});
        add(of_pod("owner", owner), "1".to_owned());
        for family in ["created", "start_time", "status_ready_time"] {
            add(of_pod(family, json!({})), begin.to_string());
        }
        add(
            of_pod("status_ready", json!({"condition": "true"})),
            "1".to_owned(),
        );
        add(
            of_pod("status_phase", json!({"phase": "Running"})),
            "1".to_owned(),
        );
        let request = json!({"container": "app", "resource": "cpu", "unit": "core"});
        add(
            of_pod("container_resource_requests", request),
            "0.5".to_owned(),
        );
    }
    let of_metric = |family: &str, kind: &str| {
        let mut labels = of_hpa(family);
        labels["metric_name"] = "cpu".into();
        labels["metric_target_type"] = kind.into();
        labels
    };
    add(
        of_metric("spec_target_metric", "utilization"),
        "60".to_owned(),
    );
    for (kind, each) in [("utilization", 1.0), ("average", 0.005)] {
        let runs: Vec<Value> = (0..scrapes)
            .map(|it| json!([it, 1, (f64::from(percent(it)) * each).to_string()]))
            .collect();
        let mut labels = of_metric("status_target_metric", kind);
        labels["namespace"] = "default".into();
        series.push(json!([labels, runs]));
    }
    serde_json::from_value(json!({"times": times, "series": series})).expect("series")
}

/// A pass of that HPA, with a Prometheus of which some scrapes can be missing.
pub fn steadily(size: i32, percent: impl Fn(usize) -> i32, missing: &[usize]) -> Trace {
    let used = 5 * u32::try_from(percent(479)).expect("a percentage");
    let case = Case::new().cpu(60).bounds(2, 4).replicas(size);
    let case = case.remembers(&[(100.0, size)]);
    let pods = usize::try_from(size).expect("a size");
    let mut document = case.pods(pods, &cpu(used, 500)).document();
    document["horizontalPodAutoscaler"]["status"]["currentReplicas"] = size.into();
    let document = read_documents(&document.to_string()).remove(0);
    let snapshot = document.snapshot.expect("a snapshot");
    let hpa = &snapshot.hpa;
    let server = steady(size, percent, snapshot.captured_at);
    let (target, own) = (&hpa.spec.scale_target_ref.name, &hpa.metadata);
    assert_eq!((target.as_str(), own.name.as_str()), ("web", "web"));
    let mut series = server.of_hours("web", snapshot.captured_at, true, 3);
    for one in &mut series {
        let mut at = 0;
        one.values.retain(|_| {
            at += 1;
            !missing.contains(&(at - 1))
        });
    }
    let scrapes = Scrapes::new(hpa, &series, &[], true).expect("scrapes");
    let mut observer = Observer::default();
    observer.read_scrapes(scrapes);
    let settings = Settings::resolve(&snapshot, &Overrides::default());
    explain(&snapshot, &settings, snapshot.captured_at, &observer)
}

/// What is found of the metrics of that HPA, the evidence behind it.
fn beyond(size: i32, percent: impl Fn(usize) -> i32, missing: &[usize]) -> Vec<String> {
    let trace = steadily(size, percent, missing);
    let codes = [Code::NeverAboveMin, Code::AlwaysAboveMax];
    let found = trace.findings.iter().filter(|it| codes.contains(&it.code));
    found
        .flat_map(|it| {
            let facts = it
                .evidence
                .iter()
                .map(|it| format!("{}: {}", it.about, it.says));
            [format!("{}: {}", it.code, it.message)]
                .into_iter()
                .chain(facts)
        })
        .collect()
}

#[test]
fn a_metric_beyond_a_bound_for_long_is_told_with_what_it_would_take() {
    let wave = |low: i32| move |scrape: usize| low + i32::try_from(scrape % 20).expect("a number");
    let found = beyond(2, wave(20), &[]);
    let [message, value, takes, known] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(
        message,
        "never-above-min: for 1h59m, cpu has not asked for more than minReplicas 2"
    );
    assert_eq!(value, "cpu: 39% at most");
    assert_eq!(
        takes,
        "spec.metrics[0]: asks for more than 2 at 67% or more"
    );
    assert!(known.ends_with(", by Prometheus"), "{known}");
    let found = beyond(4, wave(80), &[]);
    assert_eq!(
        found[..3],
        [
            "always-above-max: for 1h59m, cpu has asked for more than maxReplicas 4 in every pass",
            "cpu: 80% at least",
            "spec.metrics[0]: asks for no more than 4 at 60% or less",
        ]
    );
    // One pass that asked for more, or for no more.
    let once = |usual: i32, other: i32| move |it: usize| if it == 300 { other } else { usual };
    let is_none = |found: Vec<String>| assert!(found.is_empty(), "{found:?}");
    is_none(beyond(2, once(30, 90), &[]));
    is_none(beyond(4, once(90, 60), &[]));
    // Nothing is concluded across a hole.
    let hole: Vec<usize> = (300..310).collect();
    is_none(beyond(2, |_| 30, &hole));
    // The time before the hole is long ago; that after it is not.
    let hole: Vec<usize> = (200..210).collect();
    let found = beyond(2, once(30, 30), &hole);
    assert!(found[0].contains("for 1h7m"), "{found:?}");
}

/// Where a Prometheus has no series of pods or conditions, that is told; nothing
/// is concluded from it.
#[test]
fn what_has_no_series_is_unknown() {
    let snapshot = &snapshots()[3];
    let settings = Settings::resolve(snapshot, &Overrides::default());
    let hpa = &snapshot.hpa;
    let (name, at) = (&hpa.metadata.name, snapshot.captured_at);
    let mut series = Server::read("15s").series(name, at, true);
    series.retain(|it| {
        let is_of_pods = !it.label("pod").is_empty() || !it.label("replicaset").is_empty();
        !is_of_pods && it.label("condition").is_empty()
    });
    let mut observer = Observer::default();
    observer.read_scrapes(Scrapes::new(hpa, &series, &[], true).expect("scrapes"));
    let ago = |minutes| at - SignedDuration::from_mins(minutes);
    let story = observer.story(snapshot, &settings, (ago(25), at), None);
    let holes = story
        .changes
        .iter()
        .filter(|it| it.cause == StoryCause::Hole);
    assert_eq!(holes.count(), 0, "{story:?}");
    assert!(story.changes.len() > 2, "{story:?}");
    let moment = observer.scraped_moment(snapshot, &settings, ago(5));
    let inputs = moment.expect("a moment").snapshot;
    let unread = inputs.provenance.not_read.iter();
    assert_eq!(unread.filter(|it| it.part == Part::Pods).count(), 1);
    let trace = explain(&inputs, &settings, inputs.captured_at, &Observer::default());
    assert!(trace.metrics.iter().all(|it| it.measured.is_none()));
    let late = trace
        .findings
        .iter()
        .find(|it| it.code == Code::ControllerLate);
    assert_eq!(late, None);
}
