//! Every recorded case, against itself and under the spec of another one.

#![expect(clippy::print_stdout, reason = "the figures are to be read")]

use std::sync::LazyLock;

use hpa_explain::api::HpaSpec;
use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::document::manifest::{self, Rules};
use hpa_explain::document::snapshot::Snapshot;
use hpa_explain::render::Prediction;
use hpa_explain::trace::{PassStep, Range, Rule, Stage, Trace};
use serde_json::json;

use super::{compare, other, snapshot};
use crate::support::apiserver::dry_run::merge;
use crate::support::vectors::{RECORDED, lines, vector};

/// Of so many cases in a row one is compared where all would take too long.
const ONE_OF: usize = 4;

/// A case and another one of its release, whose spec it is given.
#[derive(Clone)]
struct Pair {
    id: String,
    own: Snapshot,
    donor: Snapshot,
}

/// One of so many pairs of each release, from the first on.
fn pairs(one_of: usize) -> impl Iterator<Item = Pair> {
    RECORDED.into_iter().flat_map(move |(version, count)| {
        let all: Vec<String> = lines(version).collect();
        assert_eq!(all.len(), count, "{version}");
        let pair = move |at: usize| {
            let own = vector(&all[at]);
            let donor = vector(&all[(at + 7) % count]);
            Pair {
                id: format!("{version} {}", own.id),
                own: snapshot(&own.snapshot),
                donor: snapshot(&donor.snapshot),
            }
        };
        (0..count).step_by(one_of).map(pair)
    })
}

/// Read once for all.
static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| pairs(ONE_OF).collect());

fn count(one_of: usize) -> usize {
    let counts = RECORDED.iter();
    counts.map(|(_, count)| count.div_ceil(one_of)).sum()
}

/// The spec of an HPA, taken as the API server takes what somebody writes.
fn written_again(snapshot: &Snapshot) -> Result<HpaSpec, Vec<manifest::Refusal>> {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    let rules = Rules::new(settings.release, &snapshot.controller.feature_gates);
    manifest::edited(&snapshot.hpa, &[], rules)
}

fn unchanged(pairs: impl IntoIterator<Item = Pair>) -> usize {
    let (mut compared, mut written) = (0, 0);
    for Pair { id, own, .. } in pairs {
        let spec = &own.hpa.spec;
        let again = written_again(&own);
        written += usize::from(again.is_ok());
        let compared_with = compare(&own, &again.unwrap_or_else(|_| spec.clone()));
        let side = other(&compared_with);
        let difference = side.difference.as_ref().expect("two sides");
        assert!(difference.is_empty(), "{id}: {difference:#?}");
        assert_eq!(manifest::merge_patch(spec, spec), None, "{id}");
        compared += 1;
    }
    // Some vectors have specs that no API server would store.
    assert!(written * 10 > compared * 8, "{written} of {compared}");
    compared
}

fn exchanged(pairs: impl IntoIterator<Item = Pair>) -> usize {
    let (mut compared, mut differing) = (0, 0);
    for Pair { id, own, donor } in pairs {
        let spec = donor.hpa.spec;
        let compared_with = compare(&own, &spec);
        let mut changed = own;
        changed.hpa.spec = spec;
        let settings = Settings::resolve(&changed, &Overrides::default());
        let want = reconcile(&changed, &settings, changed.captured_at);
        let side = other(&compared_with);
        let want = Prediction::of(&want).expect("a memory that is known");
        assert_eq!(Prediction::of(&side.trace), Some(want), "{id}");
        let difference = side.difference.as_ref().expect("two sides");
        differing += usize::from(difference.decision.is_some());
        compared += 1;
    }
    assert!(differing * 3 > compared, "{differing} of {compared}");
    compared
}

#[test]
fn a_spec_that_is_the_same_makes_no_difference() {
    assert_eq!(unchanged(PAIRS.iter().cloned()), count(ONE_OF));
}

#[test]
#[ignore = "all 11,003 cases take about a minute"]
fn a_spec_that_is_the_same_makes_no_difference_in_any_case() {
    assert_eq!((unchanged(pairs(1)), count(1)), (11_003, 11_003));
}

#[test]
fn the_other_side_is_the_pass_on_the_changed_snapshot() {
    assert_eq!(exchanged(PAIRS.iter().cloned()), count(ONE_OF));
}

#[test]
#[ignore = "all 11,003 cases take about a minute"]
fn the_other_side_is_the_pass_on_the_changed_snapshot_in_every_case() {
    assert_eq!((exchanged(pairs(1)), count(1)), (11_003, 11_003));
}

/// What each stage of a pass leaves, in the order of the stages.
fn results(trace: &Trace) -> (Option<Rule>, [Option<Range>; 4]) {
    let recommended = trace.recommendation.as_ref().and_then(|it| it.replicas);
    let stabilized = trace.stabilization.as_ref().map(|it| it.result);
    let limited = trace.limit.as_ref().map(|it| it.result);
    let decided = trace.outcome.desired_replicas.map(Range::of);
    let stages = [recommended, stabilized, limited].map(|it| it.map(Range::of));
    let [recommended, stabilized, limited] = stages;
    let last = trace.outcome.possible.or(decided);
    let way = trace.branch.as_ref().map(|it| it.rule);
    (way, [recommended, stabilized, limited, last])
}

/// What a step leaves, the way of the pass being its rule.
fn result(step: &PassStep) -> (Option<Rule>, Option<Range>) {
    let rule = (step.stage == Stage::Branch).then_some(step.rule);
    (rule, step.replicas)
}

#[test]
fn the_stage_that_is_named_leaves_something_else_where_any_does() {
    let (mut differing, mut by_metric, mut otherwise) = (0, 0, 0);
    for Pair { id, own, donor } in PAIRS.iter().cloned() {
        let compared = compare(&own, &donor.hpa.spec);
        let side = other(&compared);
        let parting = side
            .difference
            .as_ref()
            .expect("two sides")
            .first_divergence
            .clone();
        let current = &compared.current.as_ref().expect("a side of now").trace;
        let (now, instead) = (results(current), results(&side.trace));
        if now == instead {
            otherwise += usize::from(parting.is_some_and(|it| it.same_counts));
            continue;
        }
        let parting = parting.expect(&id);
        let steps = [&parting.now, &parting.instead].map(Option::as_ref);
        assert!(!parting.same_counts, "{id}: {parting:#?}");
        assert_ne!(
            steps[0].map(result),
            steps[1].map(result),
            "{id}: {parting:#?}"
        );
        // A metric parts only what is recommended.
        let is_metric = steps.iter().flatten().any(|it| it.stage == Stage::Metric);
        assert!(!is_metric || now.1[0] != instead.1[0], "{id}: {parting:#?}");
        differing += 1;
        by_metric += usize::from(is_metric);
    }
    println!("{differing} pairs differ, {by_metric} by a metric; {otherwise} only in their rules");
    assert!(differing * 3 > count(ONE_OF), "{differing}");
    assert!(by_metric > 100 && otherwise > 0, "{by_metric}, {otherwise}");
}

#[test]
fn the_patch_makes_the_one_spec_of_the_other() {
    let (mut compared, mut patched) = (0, 0);
    for Pair { id, own, donor } in PAIRS.iter().cloned() {
        let before = &own.hpa.spec;
        let after = &donor.hpa.spec;
        let mut document = json!({ "spec": before });
        if let Some(patch) = manifest::merge_patch(before, after) {
            merge(&mut document, &serde_json::from_str(&patch).expect("JSON"));
            patched += 1;
        }
        let mut stored: HpaSpec = serde_json::from_value(document["spec"].take()).expect(&id);
        stored.set_defaults();
        assert_eq!(manifest::changes(&stored, after), [], "{id}");
        compared += 1;
    }
    assert_eq!(compared, count(ONE_OF));
    assert!(patched * 10 > compared * 8, "{patched} of {compared}");
}
