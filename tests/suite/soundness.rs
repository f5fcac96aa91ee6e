//! Made-up worlds in which everything happens that happens to an HPA, seen
//! by somebody who has only the API: the decision is never outside the set.
//!
//! The controller of these worlds is the algorithm itself, which other tests
//! hold against the real one; what is tested here is the recalling.
//! `WORLDS=5000` runs more of them.

#![expect(clippy::print_stdout, reason = "the figures are to be read")]

mod world;

use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::Snapshot;
use hpa_explain::history::{Observer, explain};
use hpa_explain::trace::{CheckVerdict, Range, Trace};
use world::{Sight, World};

fn settings(snapshot: &Snapshot) -> Settings {
    Settings::resolve(snapshot, &Overrides::default())
}

fn decision(trace: &Trace) -> Option<Range> {
    let decided = trace.outcome.desired_replicas.map(Range::of);
    trace.outcome.possible.or(decided)
}

#[derive(Default)]
struct Tally {
    passes: usize,
    exact: usize,
}

/// Follows a world pass by pass.
fn follow(seed: u64, sight: Sight, tally: &mut Tally) {
    let mut world = World::new(seed, sight);
    let mut observer = Observer::default();
    for _ in 0..160 {
        for sample in world.samples() {
            if sight.records {
                observer.observe(sample.clone(), &settings(&sample), None);
            }
        }
        let snapshot = world.snapshot();
        let trace = explain(
            &snapshot,
            &settings(&snapshot),
            snapshot.captured_at,
            &observer,
        );
        let decided = world.pass();
        let range = decision(&trace).expect("a decision");
        assert!(
            range.contains(decided),
            "world {seed} ({sight:?}) at {}: {decided} is not within {range:?}\n{:#?}\n{:#?}\n{:#?}\n{:#?}",
            snapshot.captured_at,
            trace.recollection,
            snapshot.hpa,
            snapshot.events,
            world.memory(),
        );
        let check = trace.check.expect("a comparison");
        assert_ne!(
            check.verdict,
            CheckVerdict::Unexplained,
            "world {seed}: {check:?}"
        );
        tally.passes += 1;
        tally.exact += usize::from(range.single().is_some());
    }
}

#[test]
fn whatever_happens_the_decision_is_within_the_set() {
    let worlds = std::env::var("WORLDS").ok();
    let worlds: u64 = worlds.and_then(|text| text.parse().ok()).unwrap_or(12);
    let first: u64 = std::env::var("FIRST")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let sights = [
        ("the API, with the lease", true, false),
        ("the API, without the lease", false, false),
        ("a record, with the lease", true, true),
        ("a record, without the lease", false, true),
    ];
    for (what, lease, records) in sights {
        let mut tally = Tally::default();
        for seed in first..first + worlds {
            follow(seed, Sight { lease, records }, &mut tally);
        }
        println!(
            "{what}: {} passes of {worlds} worlds within the set, {} % of them one count",
            tally.passes,
            tally.exact * 100 / tally.passes.max(1)
        );
        assert_eq!(tally.passes, usize::try_from(worlds).expect("few") * 160);
    }
}
