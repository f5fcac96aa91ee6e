//! Both sides run on, pass by pass.

#![expect(clippy::print_stdout, reason = "the figures are to be read")]

use hpa_explain::api::{GoDuration, HpaSpec};
use hpa_explain::controller::Overrides;
use hpa_explain::document::snapshot::Snapshot;
use hpa_explain::history::Observer;
use hpa_explain::trace::{Coming, Decided, DryRun, ForecastLoad};
use hpa_explain::what_if::{Candidate, Given, Horizon, Inputs, Recorded, dry_run};
use jiff::SignedDuration;
use serde_json::json;

use super::{snapshot, snapshots};
use crate::support::build::Case;
use crate::support::pod::{cpu, silent};
use crate::support::timeline::{Observed, RECORDED, Sight, timelines};

/// What is run on.
struct Whole<'a> {
    snapshot: &'a Snapshot,
    spec: &'a HpaSpec,
    overrides: &'a Overrides,
    horizon: Horizon<'a>,
}

impl Whole<'_> {
    fn run(&self) -> DryRun {
        let inputs = Inputs {
            snapshot: self.snapshot,
            overrides: self.overrides,
            observer: &Observer::default(),
            now: self.snapshot.captured_at,
            given: &Given::default(),
            is_new: false,
            horizon: Some(self.horizon),
        };
        let candidate = Candidate {
            name: "new.yaml".to_owned(),
            spec: self.spec.clone(),
            patch: None,
            create: None,
            server: None,
        };
        dry_run(&inputs, &[candidate]).expect("inputs")
    }
}

fn minutes(snapshot: &Snapshot, spec: &HpaSpec, seconds: i64) -> DryRun {
    let whole = Whole {
        snapshot,
        spec,
        overrides: &Overrides::default(),
        horizon: Horizon {
            seconds,
            record: None,
            explains: false,
        },
    };
    whole.run()
}

fn now(dry_run: &DryRun) -> &Coming {
    let current = dry_run.current.as_ref().expect("a side of now");
    current.coming.as_ref().expect("minutes")
}

fn other(dry_run: &DryRun) -> &Coming {
    super::other(dry_run).coming.as_ref().expect("minutes")
}

/// The sizes that the passes leave behind, where each is known.
fn sizes(coming: &Coming) -> Vec<i32> {
    let passes = coming.passes.iter();
    let sizes = passes.map(|pass| pass.replicas.single().expect("one size"));
    sizes.collect()
}

#[test]
fn the_first_pass_is_the_one_that_is_explained() {
    let (mut compared, mut stopped) = (0, 0);
    for version in ["v1.25.10", "v1.31.14", "v1.35.6"] {
        for (id, snapshot) in snapshots(version) {
            let spec = &snapshot.hpa.spec;
            let answer = minutes(&snapshot, spec, 60);
            assert_eq!(now(&answer), other(&answer), "{id}");
            let trace = &answer.current.as_ref().expect("a side of now").trace;
            let decided = Decided::of(trace);
            match now(&answer).passes.first() {
                // What cannot be seen, or cannot be read, stops it.
                None => stopped += 1,
                Some(pass) => {
                    assert_eq!(Some(pass.replicas), decided.to, "{version} {id}");
                    compared += 1;
                }
            }
        }
    }
    println!("{compared} first passes agree, {stopped} could not be run");
    assert_eq!(compared + stopped, 420 + 360 + 477);
    assert!(stopped < 60, "{stopped}");
}

/// A timeline's inputs at every step, and the time between two.
fn steps(observed: &mut Observed, sight: Sight) -> (Vec<Snapshot>, SignedDuration) {
    let every = observed.at(1).duration_since(observed.at(0));
    let mut all = Vec::new();
    while let Some(snapshot) = observed.next(sight) {
        all.push(snapshot);
    }
    (all, every)
}

/// Runs a timeline on from a step, on its own demand.
fn run_on(all: &[Snapshot], every: SignedDuration) -> DryRun {
    let overrides = Overrides {
        sync_period: Some(GoDuration(every.as_secs() * 1_000_000_000)),
        ..Overrides::default()
    };
    let spec = &all[0].hpa.spec;
    let mut recorded = Recorded::new(&[spec, spec], &overrides);
    for sample in &all[1..] {
        recorded.take(sample);
    }
    let length = i64::try_from(all.len() - 1).expect("few steps") * every.as_secs();
    let whole = Whole {
        snapshot: &all[0],
        spec,
        overrides: &overrides,
        horizon: Horizon {
            seconds: length,
            record: Some(&recorded),
            explains: false,
        },
    };
    whole.run()
}

const SIGHT: Sight = Sight {
    lease: true,
    aggregated: false,
};

/// The real controller went through these, each step on the size that the one
/// before it left.
#[test]
fn a_recorded_load_leads_where_the_real_controller_went() {
    let (mut passes, mut whole) = (0, 0);
    for (version, expected) in RECORDED {
        let all = timelines(version);
        assert_eq!(all.len(), expected);
        for timeline in all {
            let id = timeline.id.clone();
            let want = timeline.expect.desired_replicas.clone();
            let mut observed = Observed::new(timeline, SIGHT);
            let (all, every) = steps(&mut observed, SIGHT);
            let answer = run_on(&all, every);
            let coming = now(&answer);
            assert_eq!(coming, other(&answer), "{id}");
            assert_eq!(coming.stopped, None, "{id}");
            assert_eq!(sizes(coming), want, "{version} {id}");
            passes += want.len();
            whole += 1;
        }
    }
    println!("{whole} timelines, {passes} passes: every size is the real one");
    assert_eq!(whole, 244);
}

/// The same from the middle on, with what the API keeps of the steps before.
#[test]
fn where_the_memory_is_open_the_real_size_is_among_those_that_are_said() {
    let (mut runs, mut passes, mut single) = (0, 0, 0);
    for (version, _) in RECORDED {
        for timeline in timelines(version) {
            let id = timeline.id.clone();
            let want = timeline.expect.desired_replicas.clone();
            let mut observed = Observed::new(timeline, SIGHT);
            let (all, every) = steps(&mut observed, SIGHT);
            let start = all.len() / 2;
            let answer = run_on(&all[start..], every);
            let coming = now(&answer);
            assert_eq!(coming.stopped, None, "{id}");
            for (pass, want) in coming.passes.iter().zip(&want[start..]) {
                let said = pass.replicas;
                assert!(said.contains(*want), "{id}, {}: {want}, {said:?}", pass.at);
                passes += 1;
                single += usize::from(said.single().is_some());
            }
            let turns = Permits::of(want[start - 1], &want[start..]);
            assert!(coming.changes.contains(turns.changes), "{id}");
            assert!(coming.reversals.contains(turns.reversals), "{id}");
            runs += 1;
        }
    }
    println!("{runs} runs, {passes} passes: the real size is among those said, {single} say one");
    assert_eq!(runs, 244);
    // What is wide enough is always sound.
    assert!(single * 10 > passes * 8, "{single} of {passes}");
}

/// How often a real size changed and turned.
struct Permits {
    changes: i32,
    reversals: i32,
}

impl Permits {
    fn of(first: i32, sizes: &[i32]) -> Self {
        let (mut size, mut last) = (first, None);
        let mut turns = Self {
            changes: 0,
            reversals: 0,
        };
        for next in sizes.iter().copied() {
            if next != size {
                let is_up = Some(next > size);
                turns.changes += 1;
                turns.reversals += i32::from(last.is_some() && last != is_up);
                last = is_up;
            }
            size = next;
        }
        turns
    }
}

#[test]
fn what_cannot_be_run_on_says_why() {
    let web = || Case::new().replicas(4).cpu(60);
    let rows = [
        ("", web().pods(4, &cpu(300, 500)), 5, None),
        (
            "no scale",
            web().set("/scale", json!({"error": "timeout"})),
            0,
            Some("the scale cannot be read"),
        ),
        (
            "no metric that may be read",
            web()
                .pods(4, &cpu(300, 500))
                .set("/metrics/resource", json!({"unreadable": "forbidden"})),
            0,
            Some("a metric that cannot be read could ask for more"),
        ),
        // What fails keeps the size for as long as it fails.
        ("no sample", web().pods(4, &silent(500)), 5, None),
        ("paused", web().replicas(0), 5, None),
    ];
    for (what, case, passes, why) in &rows {
        let snapshot = snapshot(&case.document());
        let spec = &snapshot.hpa.spec;
        let answer = minutes(&snapshot, spec, 60);
        let coming = now(&answer);
        assert_eq!(sizes(coming).len(), *passes, "{what}");
        let stopped = coming.stopped.as_ref().map(|it| it.why.as_str());
        assert_eq!(stopped, *why, "{what}");
    }
    assert_eq!(rows.len(), 5);
}

/// A change of the spec, and the sizes on both sides at a pass every 15s.
#[test]
fn each_side_goes_its_own_way() {
    let busy = || {
        let case = Case::new().bounds(2, 20).replicas(4).cpu(50);
        case.pods(4, &cpu(450, 500))
    };
    let rows = [
        // 90% of the request asks for 8; what stands above a bound is cut at
        // once.
        (
            busy(),
            json!({"maxReplicas": 6}),
            vec![8, 8, 8],
            vec![6, 6, 6],
        ),
        (
            busy(),
            json!({"maxReplicas": 3}),
            vec![8, 8, 8],
            vec![3, 3, 3],
        ),
        (
            busy(),
            json!({"minReplicas": 9}),
            vec![8, 8, 8],
            vec![9, 9, 9],
        ),
        (
            busy(),
            json!({"behavior": {"scaleUp": {"policies": [
                {"type": "Pods", "value": 1, "periodSeconds": 15}]}}}),
            vec![8, 8, 8],
            vec![5, 6, 7],
        ),
        // The load of four pods goes on; a metric for all does not spread.
        (
            busy().external_value("delay", "100", &["130"]),
            json!({"maxReplicas": 9}),
            vec![8, 11, 15],
            vec![8, 9, 9],
        ),
    ];
    for (case, change, here, there) in &rows {
        let snapshot = snapshot(&case.document());
        let hpa = &snapshot.hpa;
        let mut spec = serde_json::to_value(&hpa.spec).expect("JSON");
        crate::support::apiserver::dry_run::merge(&mut spec, change);
        let mut spec: HpaSpec = serde_json::from_value(spec).expect("a spec");
        spec.set_defaults();
        let answer = minutes(&snapshot, &spec, 30);
        assert_eq!(sizes(now(&answer)), *here, "{change}");
        assert_eq!(sizes(other(&answer)), *there, "{change}");
    }
    assert_eq!(rows.len(), 5);
}

#[test]
fn a_record_with_gaps_says_so() {
    let case = Case::new().bounds(1, 20).replicas(4).cpu(50);
    let first = snapshot(&case.pods(4, &cpu(250, 500)).document());
    let spec = &first.hpa.spec;
    let overrides = Overrides::default();
    let mut recorded = Recorded::new(&[spec, spec], &overrides);
    let at = |seconds| first.captured_at + SignedDuration::from_secs(seconds);
    // Twice the load at 10s, and nothing between 40s and 150s.
    for (seconds, milli) in [(10, 500), (40, 500), (150, 250)] {
        let case = Case::new().bounds(1, 20).replicas(4).cpu(50);
        let mut sample = snapshot(&case.pods(4, &cpu(milli, 500)).document());
        sample.captured_at = at(seconds);
        let measured = sample.metrics.resource.as_mut();
        let list = measured.and_then(|it| it.response_mut());
        for item in &mut list.expect("samples").items {
            item.timestamp = at(seconds);
        }
        recorded.take(&sample);
    }
    let whole = Whole {
        snapshot: &first,
        spec,
        overrides: &overrides,
        horizon: Horizon {
            seconds: 600,
            record: Some(&recorded),
            explains: false,
        },
    };
    let answer = whole.run();
    let minutes = answer.minutes.as_ref().expect("minutes");
    let ForecastLoad::Recorded { until, gaps, .. } = &minutes.load else {
        panic!("{minutes:?}");
    };
    assert_eq!(*until, Some(at(150)));
    let gaps: Vec<_> = gaps.iter().map(|gap| (gap.from, gap.to)).collect();
    assert_eq!(gaps, [(at(40), at(150))]);
    // The load before the gap stays in it; the window holds after it.
    let sizes = sizes(now(&answer));
    assert_eq!(sizes[..3], [4, 8, 8]);
    assert_eq!((sizes.len(), sizes.last()), (41, Some(&4)));
}
