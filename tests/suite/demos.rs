//! The built-in demos: what each of them decides.

pub mod common;

use std::path::{Path, PathBuf};

use hpa_explain::render::{Format, TextOptions};

use common::{decide, demo, explain, proposal, read};

/// What each demo decides: the decision, what the metrics ask for, the
/// stabilized count, the reasons of the conditions.
///
/// Where the memory is not known, the decision is the range of the possible.
#[rustfmt::skip] // one row a line
const DEMOS: [(&str, &str, &str, &str, &str); 14] = [
    ("ambiguous-selector", "stays at 5", "50", "-", "SucceededGetScale AmbiguousSelector"),
    ("canary-pins-the-count", "stays at 3", "3", "3", "ReadyForNewScale ValidMetricFound DesiredWithinRange"),
    ("foreign-pod-without-request", "stays at 2", "failed", "-", "SucceededGetScale FailedGetResourceMetric"),
    ("held-by-window", "9 -> 5..9", "5", "-", " ValidMetricFound "),
    ("partial-failure", "stays at 3", "1 failed", "-", "SucceededGetScale FailedGetExternalMetric"),
    ("period-start", "6 -> 16", "24", "24", "SucceededRescale ValidMetricFound ScaleUpLimit"),
    ("readiness-collapse", "10 -> 3", "0", "0", "SucceededRescale ValidMetricFound TooFewReplicas"),
    ("sidecar-without-request", "stays at 2", "failed", "-", "SucceededGetScale FailedGetResourceMetric"),
    ("slowed-by-policy", "12 -> 14", "30 22", "30", "SucceededRescale ValidMetricFound ScaleUpLimit"),
    ("stuck-without-samples", "stays at 8", "8", "8", "ReadyForNewScale ValidMetricFound DesiredWithinRange"),
    ("surge-adopted", "10 -> 11", "11", "11", "SucceededRescale ValidMetricFound DesiredWithinRange"),
    ("three-metrics-at-max", "stays at 12", "8 15 3", "15", "ReadyForNewScale ValidMetricFound TooManyReplicas NotScaledToZero"),
    ("up-below-target", "5 -> 6", "2", "6", "SucceededRescale ValidMetricFound DesiredWithinRange"),
    ("window-band", "stays at 17", "14", "17", "ScaleDownStabilized ValidMetricFound DesiredWithinRange"),
];

#[test]
fn each_demo_decides_as_announced() {
    let names: Vec<String> = files().iter().map(|file| name(file)).collect();
    assert_eq!(names, DEMOS.map(|demo| demo.0));
    for (name, decision, asks_for, stabilized, reasons) in DEMOS {
        let trace = explain(&demo(name));
        let metrics: Vec<String> = trace.metrics.iter().map(proposal).collect();
        let result = trace.stabilization.as_ref().map(|record| record.result);
        let conditions = trace.conditions.iter();
        let found: Vec<&str> = conditions.map(|found| found.reason.as_str()).collect();
        let got = (
            decide(&trace),
            metrics.join(" "),
            result.map_or("-".to_owned(), |replicas| replicas.to_string()),
            found.join(" "),
        );
        let want = [decision, asks_for, stabilized, reasons].map(str::to_owned);
        assert_eq!(<[String; 4]>::from(got), want, "{name}");
    }
}

/// What the text of a demo must say, whatever its lines.
#[rustfmt::skip] // one row a line
const SAYS: [(&str, &str); 10] = [
    ("window-band", "a recommendation of 19 from 8m5s ago, the last that holds 17, still counts until 09:31:55 (in 1m55s)"),
    ("window-band", "Next down to 16 between 09:31:55 (in 1m55s) and 09:32:10 (in 2m10s), if the load stays"),
    ("up-below-target", "Next 09:33:00 (in 3m) the last recommendation that holds 6 leaves the window"),
    ("held-by-window", "9 → 5..9 at the next pass"),
    ("held-by-window", "Sure next size: 5 to 9; older recommendations in the window decide"),
    ("three-metrics-at-max", "controller memory: unknown, but it makes no difference here"),
    ("partial-failure", "the server is currently unable to handle the request (get custom-metric"),
    ("foreign-pod-without-request", "no sample; its missing cpu request fails the metric"),
    ("readiness-collapse", "the ratio 5.00 is multiplied by the 0 of 10 pods that are Ready, so it asks for 0"),
    ("surge-adopted", "Scaling up because of a rollout"),
];

#[test]
fn each_demo_says_what_holds_it() {
    for (name, says) in SAYS {
        let mut text = Vec::new();
        Format::Text
            .write(&explain(&demo(name)), &TextOptions::default(), &mut text)
            .expect("memory is writable");
        let text = String::from_utf8(text).expect("text");
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(says), "{name}: {text}");
    }
}

#[test]
fn each_demo_begins_with_what_it_shows() {
    for file in files() {
        let text = std::fs::read_to_string(&file).expect("a demo is text");
        let comment: Vec<&str> = text
            .lines()
            .take_while(|line| line.starts_with('#'))
            .collect();
        let name = name(&file);
        assert!(comment.len() > 2, "{name}");
        assert!(comment[0].ends_with('.'), "{name}");
        assert_eq!(comment[1], "#", "{name}");
        assert!(comment.iter().all(|line| line.len() <= 78), "{name}");
    }
}

#[test]
fn each_demo_survives_being_written() {
    for (name, ..) in DEMOS {
        let snapshot = demo(name);
        let json = serde_json::to_string(&snapshot).expect(name);
        assert_eq!(read(&json), snapshot, "{name}");
        let yaml = serde_yaml::to_string(&snapshot).expect(name);
        assert_eq!(read(&yaml), snapshot, "{name}");
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("demos");
    let entries = std::fs::read_dir(folder).expect("the demos");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a demo").path()).collect();
    files.sort();
    files
}

fn name(file: &Path) -> String {
    let name = file.file_name().and_then(|name| name.to_str());
    let stem = name.and_then(|name| name.strip_suffix(".yaml"));
    stem.expect("a demo is a YAML file").to_owned()
}
