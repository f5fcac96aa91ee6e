//! Whole timelines of the real controller, as somebody beside it sees them:
//! its decision is never outside the set of what is possible, and with a
//! record from the start the set is that decision.

#![expect(clippy::print_stdout, reason = "the figures are to be read")]

#[path = "support/timeline.rs"]
mod timeline;

use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::history::{Observer, explain};
use hpa_explain::snapshot::Snapshot;
use hpa_explain::trace::{CheckVerdict, Range, Trace};
use timeline::{Observed, RECORDED, Sight, timelines};

/// How many steps there were, and in how many the decision was one count.
#[derive(Default)]
struct Tally {
    timelines: usize,
    steps: usize,
    exact: usize,
}

fn decision(trace: &Trace) -> Range {
    let decided = trace.outcome.desired_replicas.map(Range::of);
    let possible = trace.outcome.possible.or(decided);
    possible.expect("a decision or a set of them")
}

fn settings(snapshot: &Snapshot) -> Settings {
    Settings::resolve(snapshot, &Overrides::default())
}

/// Runs through every timeline of a version.
fn run(version: &str, sight: Sight, most: usize, is_recording: bool) -> Tally {
    let mut tally = Tally::default();
    for timeline in timelines(version).into_iter().take(most) {
        let id = timeline.id.clone();
        let mut observed = Observed::new(timeline, sight);
        let mut seen = Observer::default();
        tally.timelines += 1;
        for step in 0..observed.steps() {
            let snapshot = observed.next(sight).expect("a step");
            let settings = settings(&snapshot);
            let trace = explain(&snapshot, &settings, snapshot.captured_at, &seen);
            let (range, decided) = (decision(&trace), observed.decided(step));
            assert!(
                range.contains(decided),
                "{id}, step {step}: {decided} is not within {range:?}\n{:#?}\n{:#?}",
                trace.recollection,
                snapshot.horizontal_pod_autoscaler.status
            );
            let check = trace.check.as_ref().expect("a comparison");
            assert_ne!(
                check.verdict,
                CheckVerdict::Unexplained,
                "{id}, step {step}: {check:?}"
            );
            tally.steps += 1;
            tally.exact += usize::from(range.single().is_some());
            if is_recording {
                seen.observe(&snapshot, &settings, Some(snapshot.captured_at));
            }
        }
    }
    tally
}

fn share(part: usize, whole: usize) -> String {
    let thousandths = part * 1_000 / whole.max(1);
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

/// Prints the exactness; soundness is asserted step by step.
fn is_sound(version: &str, expected: usize) {
    let sights = [
        ("an event a change, lease", true, false),
        ("an event a change, no lease", false, false),
        ("equal events counted in one, lease", true, true),
    ];
    for (what, lease, aggregated) in sights {
        // Every timeline as the API shows it; the rest on some of them.
        let most = if lease && !aggregated {
            expected
        } else {
            expected.min(30)
        };
        let tally = run(version, Sight { lease, aggregated }, most, false);
        assert_eq!(tally.timelines, most);
        println!(
            "{version}, {what}: {} timelines, {} steps, all within the set, {} of them one count",
            tally.timelines,
            tally.steps,
            share(tally.exact, tally.steps)
        );
    }
}

#[test]
fn what_the_api_keeps_never_excludes_the_decision_1_25() {
    is_sound(RECORDED[0].0, RECORDED[0].1);
}

#[test]
fn what_the_api_keeps_never_excludes_the_decision_1_32() {
    is_sound(RECORDED[1].0, RECORDED[1].1);
}

#[test]
fn what_the_api_keeps_never_excludes_the_decision_1_36() {
    is_sound(RECORDED[2].0, RECORDED[2].1);
}

#[test]
fn a_record_from_the_start_tells_every_decision() {
    let sight = Sight {
        lease: true,
        aggregated: false,
    };
    let mut timelines = 0;
    for (version, expected) in RECORDED {
        let tally = run(version, sight, expected, true);
        assert_eq!(tally.timelines, expected);
        assert_eq!(tally.exact, tally.steps, "{version}");
        println!(
            "{version}, recorded: {} of {} exact",
            tally.exact, tally.steps
        );
        timelines += tally.timelines;
    }
    assert_eq!(timelines, 200);
}
