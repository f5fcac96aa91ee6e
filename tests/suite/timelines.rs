//! Whole timelines of the real controller, as somebody beside it sees them:
//! its decision is never outside the set of what is possible, and with a
//! record from the start the set is that decision.

#![expect(clippy::print_stdout, reason = "the figures are to be read")]

use crate::support::timeline::{Observed, RECORDED, Sight, timelines};
use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::document::snapshot::{History, Recommendation, ScaleEvent, Snapshot};
use hpa_explain::history::{Observer, explain};
use hpa_explain::trace::{CheckVerdict, Range, Remembered, Trace, WitnessRecord};

/// How many steps there were, and in how many the decision was one count.
#[derive(Default)]
struct Tally {
    timelines: usize,
    steps: usize,
    exact: usize,
    witnesses: usize,
}

fn decision(trace: &Trace) -> Range {
    let decided = trace.outcome.desired_replicas.map(Range::of);
    let possible = trace.outcome.possible.or(decided);
    possible.expect("a decision or a set of them")
}

fn settings(snapshot: &Snapshot) -> Settings {
    Settings::resolve(snapshot, &Overrides::default())
}

/// A pass on just what a witness remembers leads to its count.
fn is_confirmed(snapshot: &Snapshot, settings: &Settings, witness: &WitnessRecord) -> bool {
    let Some(memory) = witness.memory.clone() else {
        return false;
    };
    let events = |slots: Option<Vec<Remembered>>| {
        let slots = slots.into_iter().flatten();
        let events = slots.map(|slot| ScaleEvent {
            replica_change: slot.replicas,
            timestamp: slot.timestamp,
        });
        Some(events.collect())
    };
    let recommendations = memory.recommendations.into_iter().flatten();
    let recommendations = recommendations.map(|slot| Recommendation {
        replicas: slot.replicas,
        timestamp: slot.timestamp,
    });
    let mut snapshot = snapshot.clone();
    snapshot.history = Some(History {
        recommendations: Some(recommendations.collect()),
        scale_up_events: events(memory.scale_up_events),
        scale_down_events: events(memory.scale_down_events),
    });
    let trace = reconcile(&snapshot, settings, snapshot.captured_at);
    trace.outcome.desired_replicas == Some(witness.replicas)
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
                snapshot.hpa.status
            );
            let check = trace.check.as_ref().expect("a comparison");
            assert_ne!(
                check.verdict,
                CheckVerdict::Unexplained,
                "{id}, step {step}: {check:?}"
            );
            tally.steps += 1;
            if range.single().is_some() {
                tally.exact += 1;
            } else {
                let ends: Vec<i32> = trace.witnesses.iter().map(|it| it.replicas).collect();
                assert_eq!(ends, [range.from, range.to], "{id}, step {step}");
                for witness in &trace.witnesses {
                    let is_confirmed = is_confirmed(&snapshot, &settings, witness);
                    assert!(is_confirmed, "{id}, step {step}: {witness:?}");
                    tally.witnesses += 1;
                }
            }
            if is_recording {
                seen.observe(snapshot.clone(), &settings, Some(snapshot.captured_at));
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
        assert_eq!(tally.witnesses, 2 * (tally.steps - tally.exact));
        // What is wide enough is always sound.
        assert!(tally.exact * 10 > tally.steps * 7);
        println!(
            "{version}, {what}: {} timelines, {} steps, all within the set, {} of them one count; \
             {} ends confirmed by a re-run",
            tally.timelines,
            tally.steps,
            share(tally.exact, tally.steps),
            tally.witnesses
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
fn what_the_api_keeps_never_excludes_the_decision_1_38() {
    is_sound(RECORDED[3].0, RECORDED[3].1);
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
    assert_eq!(timelines, 244);
}
