//! Whole timelines of the real controller, stepped through by `simulate`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use hpa_explain::controller::Overrides;
use hpa_explain::simulate::read_scenarios;
use serde_json::Value;

use crate::support::timeline::RECORDED;

/// What the real controller answered, and what it is called in a step.
const FIELDS: [&str; 5] = [
    "currentReplicas",
    "recommendation",
    "desiredReplicas",
    "scalingLimitedReason",
    "ableToScaleReason",
];

fn recorded(version: &str) -> String {
    let file = format!("tests/conformance/timelines-{version}.jsonl.gz");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let mut text = String::new();
    let mut file = GzDecoder::new(File::open(path).expect("the timelines"));
    file.read_to_string(&mut text).expect("text");
    text
}

/// An absent reason is an empty one.
fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "\"\"".to_owned(),
        Some(value) => value.to_string(),
    }
}

#[test]
fn every_step_of_every_timeline_is_the_real_controllers() {
    let (mut timelines, mut steps) = (0, 0);
    for (version, expected) in RECORDED {
        let recorded = recorded(version);
        let scenarios: Vec<_> = read_scenarios(&recorded).collect();
        assert_eq!(scenarios.len(), expected, "{version}");
        for (scenario, line) in scenarios.iter().zip(recorded.lines()) {
            let scenario = scenario.as_ref().expect("a scenario");
            let run = scenario.run(&Overrides::default()).expect("a run");
            let told = serde_json::to_value(&run.steps).expect("steps");
            let truth: Value = serde_json::from_str(line).expect("a timeline");
            let told = told.as_array().expect("a list");
            for field in FIELDS {
                let real = truth["expect"][field].as_array().expect("a list");
                assert_eq!(real.len(), told.len(), "{}", scenario.id);
                for (at, (real, step)) in real.iter().zip(told).enumerate() {
                    let (real, step) = (text(Some(real)), text(step.get(field)));
                    assert_eq!(real, step, "{}, {field} of step {at}", scenario.id);
                }
            }
            steps += told.len();
            timelines += 1;
        }
    }
    assert_eq!((timelines, steps), (244, 35_120));
}

/// A scenario may be JSON over many lines, or YAML, as well.
#[test]
fn the_form_of_the_file_makes_no_difference() {
    let recorded = recorded("v1.36.2");
    let mut compared = 0;
    for line in recorded.lines().step_by(20) {
        let value: Value = serde_json::from_str(line).expect("a timeline");
        let pretty = serde_json::to_string_pretty(&value).expect("JSON");
        let yaml = serde_yaml::to_string(&value).expect("YAML");
        let runs: Vec<_> = [line, &pretty, &yaml]
            .iter()
            .map(|text| {
                let mut scenarios = read_scenarios(text);
                assert_eq!(scenarios.len(), 1);
                let scenario = scenarios.next().expect("one").expect("a scenario");
                scenario.run(&Overrides::default()).expect("a run")
            })
            .collect();
        assert_eq!(runs[0], runs[1]);
        assert_eq!(runs[0], runs[2]);
        compared += 1;
    }
    assert_eq!(compared, 7);
}

#[test]
fn the_documented_scenario_runs() {
    let page = include_str!("../../../docs/simulate.md");
    let example = page.split("```json\n").nth(1).expect("an example");
    let example = example.split("```").next().expect("its end");
    let mut scenarios = read_scenarios(example);
    assert_eq!(scenarios.len(), 1);
    let scenario = scenarios.next().expect("one").expect("a scenario");
    let run = scenario.run(&Overrides::default()).expect("a run");
    // 1200m over 300m a pod is 4; 2400m is 8. The window holds 8 at the end.
    let sizes: Vec<i32> = run.steps.iter().map(|it| it.desired_replicas).collect();
    assert_eq!(sizes, [4, 4, 8, 8, 8, 8]);
}
