//! What is said of the passes to come, against what a controller with its true
//! memory goes on to do: `tests/future/make.py` made the worlds.

use std::fs::File;
use std::path::Path;

use flate2::read::GzDecoder;
use hpa_explain::controller::{Overrides, Prepared, Settings};
use hpa_explain::document::snapshot::Snapshot;
use hpa_explain::history::{Observer, explain_edited};
use hpa_explain::trace::{Code, End, Range, Settling, Step, Trace};
use hpa_explain::what_if;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;

/// What is seen before a pass, and what comes of it.
#[derive(Deserialize)]
struct Case {
    name: String,
    what: String,
    snapshot: Value,
    /// Each pass to come, until the size has rested for long.
    #[serde(default)]
    path: Vec<(Timestamp, i32, i32)>,
    /// What is known to be true where the passes themselves are not recorded.
    #[serde(default)]
    next: Option<i32>,
    #[serde(default)]
    step: Option<i32>,
    #[serde(default)]
    rests: Option<i32>,
    /// Another spec, and what the pass at this moment decides under it.
    #[serde(default)]
    spec: Option<Value>,
    #[serde(default)]
    decides: Option<i32>,
}

fn cases(file: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/future");
    let file = GzDecoder::new(File::open(folder.join(file)).expect("the cases"));
    let cases = serde_json::Deserializer::from_reader(file).into_iter();
    cases.map(|case| case.expect("a case")).collect()
}

fn snapshot(value: &Value) -> Snapshot {
    serde_json::from_value(value.clone()).expect("a snapshot")
}

fn explain(snapshot: &Snapshot) -> Trace {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    what_if::explain(
        snapshot,
        &settings,
        snapshot.captured_at,
        &Observer::default(),
    )
}

fn settling(trace: &Trace) -> Option<&Settling> {
    trace.prospects.as_ref()?.settling.as_ref()
}

fn rests(settling: &Settling) -> Range {
    settling
        .possible
        .or(settling.replicas.map(Range::of))
        .expect("a size")
}

impl Case {
    /// The first pass that changes the size.
    fn first_step(&self) -> Option<(Timestamp, i32)> {
        let step = self.path.iter().find(|(_, from, to)| from != to);
        let played = step.map(|(at, _, to)| (*at, *to));
        played.or_else(|| Some((Timestamp::MIN, self.step?)))
    }

    fn wrong(&self, trace: &Trace) -> Vec<String> {
        let mut wrong = Vec::new();
        let outlook = trace.outlook.as_ref().expect("an outlook");
        let next = self.path.first().map(|(_, _, to)| *to).or(self.next);
        let said = outlook.next_pass.expect("a next pass").replicas;
        if next.is_some_and(|next| !said.contains(next)) {
            wrong.push(format!("the next pass: {said:?}, true {next:?}"));
        }
        let current = trace.outcome.current_replicas;
        if let Some((at, to)) = self.first_step() {
            let step = if to > current {
                outlook.up
            } else {
                outlook.down
            };
            if step.recommended && !is_true(step, trace.at, at, to) {
                wrong.push(format!("the next step: {step:?}, true {to} at {at}"));
            }
        }
        let end = self.path.last().map(|(_, _, to)| *to).or(self.rests);
        if let (Some(settling), Some(end)) = (settling(trace), end)
            && (settling.end == End::Cycle || !rests(settling).contains(end))
        {
            wrong.push(format!("rests: {settling:?}, true {end}"));
        }
        if let (Some(spec), Some(decides)) = (&self.spec, self.decides) {
            let before = snapshot(&self.snapshot);
            let mut after = self.snapshot.clone();
            after["horizontalPodAutoscaler"]["spec"] = spec.clone();
            let (after, now) = (snapshot(&after), before.captured_at);
            let settings = Settings::resolve(&after, &Overrides::default());
            let prepared = Prepared::new(&after, &settings);
            let (edited, _) =
                explain_edited(&before, &prepared, &settings, now, &Observer::default());
            let outcome = &edited.outcome;
            let said = outcome.possible.or(outcome.desired_replicas.map(Range::of));
            if !said.is_some_and(|said| said.contains(decides)) {
                wrong.push(format!("under the other spec: {said:?}, true {decides}"));
            }
        }
        wrong
    }
}

/// Whether a step is told as it came. Passes lie a little more than a period
/// apart, so a few seconds come together over hundreds of them.
fn is_true(step: Step, now: Timestamp, at: Timestamp, to: i32) -> bool {
    let is_size = step.replicas.is_some_and(|sizes| sizes.contains(to));
    if at == Timestamp::MIN {
        return is_size;
    }
    let late = SignedDuration::from_millis(200) + at.duration_since(now) / 200;
    let is_early = step.earliest.is_some_and(|earliest| at < earliest);
    let waits = step.latest.filter(|latest| *latest > now);
    is_size && !is_early && waits.is_none_or(|latest| at.duration_since(latest) <= late)
}

#[test]
fn what_is_said_of_the_future_comes_true() {
    let cases = cases("cases.jsonl.gz");
    let mut wrong = Vec::new();
    for case in &cases {
        let found = case.wrong(&explain(&snapshot(&case.snapshot)));
        let all = found
            .iter()
            .map(|it| format!("{} ({}): {it}", case.name, case.what));
        wrong.extend(all);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(cases.len(), CASES, "cases");
}

const CASES: usize = 26;

/// What is said is not only true but tells something.
#[test]
fn what_is_said_of_the_future_is_narrow() {
    // The next pass, the step that is asked for, and where it ends.
    type Said<'a> = (&'a str, (i32, i32), Option<(i32, i32)>, (i32, i32));
    let rows: [Said; 8] = [
        ("next-size-known-memory", (6, 6), Some((6, 6)), (1, 1)),
        ("next-size-open-memory", (27, 30), Some((23, 29)), (23, 25)),
        ("rests-at-1000-813", (9, 14), Some((10, 14)), (12, 14)),
        ("rests-at-1000-85", (52, 52), None, (52, 52)),
        ("rests-at-5000-715", (14, 14), Some((11, 13)), (11, 12)),
        ("rests-at-5000-981", (58, 59), Some((58, 58)), (45, 47)),
        ("next-pass-15s-policy", (30, 30), Some((30, 30)), (29, 30)),
        ("policy-period-6-not-6", (2, 2), Some((2, 2)), (1, 1)),
    ];
    let cases = cases("cases.jsonl.gz");
    let mut checked = 0;
    for (name, next, step, rest) in rows {
        let case = cases.iter().find(|case| case.name == name).expect(name);
        let trace = explain(&snapshot(&case.snapshot));
        let outlook = trace.outlook.as_ref().expect(name);
        let ends = |range: Range| (range.from, range.to);
        let asked = [outlook.up, outlook.down]
            .into_iter()
            .find(|step| step.recommended);
        let found = (
            outlook.next_pass.map(|next| ends(next.replicas)),
            asked.and_then(|step| step.replicas).map(ends),
            settling(&trace).map(rests).map(ends),
        );
        assert_eq!(found, (Some(next), step, Some(rest)), "{name}");
        checked += 1;
    }
    assert_eq!(checked, 8);
}

/// Changes both ways that come to nothing have not moved the start of a period.
#[test]
fn a_period_that_was_not_moved_is_no_finding() {
    let cases = cases("cases.jsonl.gz");
    let case = cases
        .iter()
        .find(|case| case.name == "policy-period-6-not-6");
    let given = snapshot(&case.expect("the case").snapshot);
    // Added, removed, and whether that is told.
    let rows = [(1, 1, false), (2, 2, false), (5, 5, false), (5, 1, true)];
    for (added, removed, is_told) in rows {
        let mut snapshot = given.clone();
        let history = snapshot.history.as_mut().expect("a history");
        for (events, change) in [
            (&mut history.scale_up_events, added),
            (&mut history.scale_down_events, removed),
        ] {
            let events = events.as_mut().expect("events");
            assert_eq!(events.len(), 1);
            events[0].replica_change = change;
        }
        let trace = explain(&snapshot);
        let mut codes = trace.findings.iter().map(|finding| finding.code);
        let found = codes.any(|code| code == Code::PolicyPeriod);
        assert_eq!(found, is_told, "{added} added, {removed} removed");
    }
}

/// A step that the metrics do not ask for leads to whatever they come to ask
/// for, from the next size on.
#[test]
fn a_step_that_is_not_asked_for_can_be_small() {
    let mut checked = 0;
    for case in cases("cases.jsonl.gz") {
        let trace = explain(&snapshot(&case.snapshot));
        let (outlook, current) = (
            trace.outlook.expect("an outlook"),
            trace.outcome.current_replicas,
        );
        // Without `behavior` older recommendations can lead further at once.
        let has_behavior = !case.snapshot["horizontalPodAutoscaler"]["spec"]["behavior"].is_null();
        for (step, one) in [(outlook.up, current + 1), (outlook.down, current - 1)] {
            let Some(sizes) = step.replicas.filter(|_| !step.recommended && has_behavior) else {
                continue;
            };
            assert!(sizes.contains(one), "{}: {step:?} of {current}", case.name);
            checked += 1;
        }
    }
    assert!(checked >= 10, "{checked}");
}
