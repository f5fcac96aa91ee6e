//! What other releases would decide.

use crate::support;

use crate::support::case;

use std::path::Path;

use crate::support::vectors::{RECORDED, vectors};
use hpa_explain::controller::{Overrides, Release, Settings};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::history::Observer;
use hpa_explain::trace::{OwnRelease, Preview, ReleaseAnswer};
use hpa_explain::what_if;
use serde_json::Value;
use support::build::Case;
use support::pod::{Pod, container};

fn snapshot(document: &Value) -> Snapshot {
    let mut documents = read_documents(&document.to_string());
    documents.remove(0).snapshot.expect("a snapshot")
}

/// The inputs of a reported case: its file, and which of its runs.
fn case(id: &str, variant: &str) -> Snapshot {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cases/{id}.yaml"));
    let text = std::fs::read_to_string(path).expect(id);
    let runs = case::read(&text).expect(id);
    let is_it = |run: &&case::Run| run.name.as_deref().unwrap_or_default() == variant;
    let run = runs.iter().find(is_it).expect(variant);
    snapshot(&run.case().expect("a release since 1.23").document())
}

fn preview(snapshot: &Snapshot) -> Preview {
    let (overrides, observer) = (Overrides::default(), Observer::default());
    what_if::preview(snapshot, &overrides, snapshot.captured_at, &observer)
}

/// `1.33..1.38 9` with a mark for the own release, the rule at the step that
/// differs, and the rules that are to blame.
fn line(answer: &ReleaseAnswer) -> String {
    let own = if answer.is_own { "*" } else { "" };
    let size = match (answer.desired_replicas, answer.possible) {
        (Some(size), _) => size.to_string(),
        (None, Some(range)) => format!("{}..{}", range.from, range.to),
        (None, None) => "?".to_owned(),
    };
    let step = answer.step.as_ref();
    let step = step.map_or_else(String::new, |step| format!(" {}", step.rule));
    let rules = answer.new_rules.iter().map(|rule| rule.name);
    let rules: String = rules.flat_map(|rule| [" +", rule]).collect();
    format!("{own}{}..{} {size}{step}{rules}", answer.from, answer.to)
}

/// Per reported case: what the releases decide.
#[rustfmt::skip] // one case a line, as far as that goes
const REPORTED: [(&str, &str, &[&str]); 16] = [
    // Succeeded pods fill in until 1.37: held, then free to fall or to rise.
    ("C1", "high-1.36", &["*1.23..1.37 10 replicas.tolerated-filled-in", "1.38..1.38 18 replicas.ready-pods +SucceededIgnored"]),
    ("C1", "low-1.38", &["1.23..1.37 10 replicas.reversed", "*1.38..1.38 4 replicas.ready-pods +SucceededIgnored"]),
    // Here the window holds what 1.38 would ask for: other steps, the same size.
    ("C1", "low-1.36", &["*1.23..1.37 10 replicas.reversed", "1.38..1.38 10 replicas.ready-pods +SucceededIgnored"]),
    ("E3", "old", &["*1.23..1.25 7 replicas.filled-in", "1.26..1.38 8 replicas.filled-in +MissingFilledAtTarget"]),
    ("V3", "upper-edge", &["1.23..1.32 10 average.total", "*1.33..1.38 9 average.tolerated +ToleranceRange"]),
    // The lower edge was tolerated before, too, and what is outside never was.
    ("V3", "lower-edge", &["*1.23..1.38 9"]),
    ("V3", "just-above", &["*1.23..1.38 10"]),
    ("I3", "before-109058", &["*1.23..1.24 8 limit.scale-up", "1.25..1.38 16 limit.scale-up +PeriodStartFromBothDirections"]),
    ("I3", "now", &["1.23..1.24 8 limit.scale-up", "*1.25..1.38 16 limit.scale-up +PeriodStartFromBothDirections"]),
    ("I4", "", &["1.23..1.24 6 limit.scale-down", "*1.25..1.38 2 limit.scale-down +PeriodStartFromBothDirections"]),
    // It fails either way; since 1.33 only after the pods are set aside.
    ("A7", "nobody-has-it", &["1.23..1.32 3 pod.ready", "*1.33..1.38 3 pod.missing.no-sample +MissingContainerTolerated"]),
    ("A7", "rename-half-way", &["1.23..1.32 3 pod.ready", "1.33..1.34 5 replicas.filled-in +MissingContainerTolerated", "*1.35..1.38 3 metric.failed +ContainerRequired"]),
    ("B4", "", &["1.23..1.25 10 selector.accepted", "*1.26..1.38 5 selector.ambiguous +AmbiguousSelector"]),
    ("F1", "t37-tolerance-0", &["1.23..1.34 9 average.tolerated", "*1.35..1.38 10 average.total +ConfigurableToleranceOn"]),
    // No release since 1.23 moves out of the band, and all adopt the surge.
    ("H1", "since-1.21", &["*1.23..1.38 17"]),
    ("L2", "", &["*1.23..1.38 11"]),
];

#[test]
fn reported_cases_differ_where_the_rules_do() {
    for (id, variant, want) in REPORTED {
        let lines: Vec<String> = preview(&case(id, variant))
            .answers
            .iter()
            .map(line)
            .collect();
        assert_eq!(lines, want, "{id}/{variant}");
    }
    assert_eq!(REPORTED.len(), 16);
}

/// One pod of 160 gives no sample of the container that the metric is about.
fn one_pod_without_the_container() -> Case {
    let pod = |sampled: bool| {
        let app = container("app")
            .requests("cpu", "1000m")
            .uses("cpu", "300m");
        let app = if sampled { app } else { app.unsampled() };
        Pod::of(vec![app, container("proxy").uses("cpu", "5m")])
    };
    Case::new()
        .container_cpu("app", 60)
        .bounds(20, 160)
        .replicas(160)
        .pods(159, &pod(true))
        .pod("crash", pod(false))
}

#[test]
fn one_pod_without_a_sample_fails_the_metric_before_1_33() {
    let lines = |case: &Case| -> Vec<String> {
        let preview = preview(&snapshot(&case.document()));
        preview.answers.iter().map(line).collect()
    };
    assert_eq!(
        lines(&one_pod_without_the_container()),
        [
            "1.23..1.32 160 metric.failed",
            "*1.33..1.38 80 replicas.filled-in +MissingContainerTolerated"
        ]
    );
}

/// A pod that has ended, and whose request nobody finds.
#[test]
fn releases_that_set_pods_aside_by_other_rules_do_not_take_the_same_steps() {
    let ended = Pod::of(vec![container("job").unsampled()]).phase("Succeeded");
    let running = Pod::of(vec![
        container("app").requests("cpu", "100m").uses("cpu", "50m"),
    ]);
    let case = Case::new()
        .cpu(80)
        .bounds(1, 5)
        .replicas(2)
        .pods(2, &running)
        .pod("ended", ended);
    let snapshot = snapshot(&case.document());
    let lines: Vec<String> = preview(&snapshot).answers.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "*1.23..1.37 2 pod.missing.no-sample",
            "1.38..1.38 2 pod.ignored.succeeded +SucceededIgnored"
        ]
    );
    let own = own_release(&snapshot, 38).expect("another release");
    assert!(!own.is_same);
    assert_eq!(
        line(&own.answer),
        "*1.36..1.36 2 pod.missing.no-sample +SucceededIgnored"
    );
}

#[test]
fn gates_that_are_seen_stay_and_defaults_follow_the_release() {
    let case = |gates: &[(&str, bool)]| {
        let case = Case::new()
            .bounds(1, 20)
            .replicas(9)
            .external_average("jobs", "4", &["37"]);
        let case = case.behavior(serde_json::json!({"scaleUp": {"tolerance": "0"}}));
        let case = gates
            .iter()
            .fold(case, |case, (name, on)| case.gate(name, *on));
        let preview = preview(&snapshot(&case.document()));
        preview.answers.iter().map(line).collect::<Vec<_>>()
    };
    let gate = "HPAConfigurableTolerance";
    assert_eq!(
        case(&[]),
        [
            "1.23..1.34 9 average.tolerated",
            "*1.35..1.38 10 average.total +ConfigurableToleranceOn"
        ]
    );
    assert_eq!(
        case(&[(gate, true)]),
        [
            "1.23..1.32 9 average.tolerated",
            "*1.33..1.38 10 average.total +ConfigurableTolerance"
        ]
    );
    // Locked on, it cannot be switched off.
    assert_eq!(
        case(&[(gate, false)]),
        [
            "*1.23..1.36 9 average.tolerated",
            "1.37..1.38 10 average.total +ConfigurableToleranceLocked"
        ]
    );
}

#[test]
fn of_a_memory_that_is_not_known_the_possible_sizes_are_told() {
    let mut document = Case::new()
        .bounds(1, 40)
        .replicas(9)
        .external_average("jobs", "4", &["39600m"])
        .document();
    let fields = document.as_object_mut().expect("a snapshot");
    fields.remove("history");
    let preview = preview(&snapshot(&document));
    let lines: Vec<String> = preview.answers.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "1.23..1.32 10..18 average.total",
            "*1.33..1.38 9..18 average.tolerated +ToleranceRange"
        ]
    );
}

/// What the cluster's own release decides, beside a pass by other rules.
fn own_release(snapshot: &Snapshot, asked: u32) -> Option<OwnRelease> {
    let observer = Observer::default();
    let overrides = Overrides {
        release: Some(Release::minor(asked)),
        ..Overrides::default()
    };
    let settings = Settings::resolve(snapshot, &overrides);
    let now = snapshot.captured_at;
    let trace = what_if::explain(snapshot, &settings, now, &observer);
    what_if::own_release(&trace, snapshot, &overrides, &observer)
}

#[test]
fn the_own_release_stands_beside_another_one() {
    let snapshot = case("V3", "upper-edge");
    let own = own_release(&snapshot, 32).expect("another release");
    assert!(!own.is_same);
    assert_eq!(
        line(&own.answer),
        "*1.36..1.36 9 average.tolerated +ToleranceRange"
    );
    assert_eq!(own.instead.expect("a step").rule.id(), "average.total");
    // On the same side of the change, and of the same release.
    let own = own_release(&snapshot, 34).expect("another release");
    assert!(own.is_same);
    assert_eq!(line(&own.answer), "*1.36..1.36 9");
    assert_eq!(own_release(&snapshot, 36), None);
    // Of a cluster whose release is not known there is nothing to compare.
    let unknown = Snapshot {
        server_version: None,
        ..snapshot
    };
    assert_eq!(own_release(&unknown, 32), None);
}

#[test]
fn at_each_change_a_rule_of_that_release_is_named() {
    let (mut previews, mut changes) = (0, 0);
    for (version, _) in RECORDED {
        for vector in vectors(version).step_by(24) {
            let preview = preview(&snapshot(&vector.snapshot));
            previews += 1;
            assert_eq!(preview.answers.iter().filter(|it| it.is_own).count(), 1);
            let ends = preview.answers.first().zip(preview.answers.last());
            let ends = ends.map(|(first, last)| (first.from.as_str(), last.to.as_str()));
            assert_eq!(ends, Some(("1.23", "1.38")), "{}", vector.id);
            for answer in preview.answers.iter().skip(1) {
                changes += 1;
                assert!(
                    !answer.new_rules.is_empty(),
                    "{} {}",
                    vector.id,
                    line(answer)
                );
                assert!(
                    answer
                        .new_rules
                        .iter()
                        .all(|rule| rule.since == answer.from)
                );
            }
        }
    }
    assert_eq!((previews, changes), (463, 148));
}
