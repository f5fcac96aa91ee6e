//! What holds for every snapshot.

#![expect(clippy::print_stdout, reason = "the shares are part of what is shown")]

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::support::generate::{read, snapshots};
use hpa_explain::api::{ConditionKind, ConditionStatus, Words};
use hpa_explain::controller::{
    Memory, Overrides, Prepared, Settings, reconcile, reconcile_autoscaler,
};
use hpa_explain::document::snapshot::Snapshot;
use hpa_explain::trace::{Group, MetricResult, Nothing, Rule, Trace};
use proptest::prelude::RngExt;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestRng, TestRunner};
use proptest::{prop_assert, prop_assert_eq};
use serde_json::Value;

const CASES: u32 = 3000;

/// Where there is time.
const MANY: u32 = 100_000;

/// The least share, in percent, that each kind of situation must have.
const LEAST_SHARE: usize = 5;

fn for_all(property: impl Fn(&Value) -> TestCaseResult) {
    for_some(CASES, property);
}

fn for_some(cases: u32, property: impl Fn(&Value) -> TestCaseResult) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let ran = RefCell::new(0);
    let outcome = runner.run(&snapshots(), |document| {
        *ran.borrow_mut() += 1;
        property(&document)
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    assert_eq!(ran.into_inner(), cases);
}

fn explain(snapshot: &Snapshot) -> Trace {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    reconcile(snapshot, &settings, snapshot.captured_at)
}

#[test]
fn generated_snapshots_cover_what_happens() {
    let tally = RefCell::new(BTreeMap::new());
    for_all(|document| {
        let trace = explain(&read(document));
        let mut tally = tally.borrow_mut();
        for situation in situations(&trace) {
            *tally.entry(situation).or_insert(0_usize) += 1;
        }
        Ok(())
    });
    let tally = tally.into_inner();
    assert_eq!(tally.len(), 9, "{tally:?}");
    for (situation, count) in tally {
        let share = count * 100 / CASES as usize;
        println!("{situation}: {share}% of {CASES}");
        assert!(share >= LEAST_SHARE, "{situation}: {share}%");
    }
}

/// What the explanation of a snapshot comes across.
fn situations(trace: &Trace) -> Vec<&'static str> {
    let has_group = |group| {
        let mut pods = trace.metrics.iter().flat_map(|metric| &metric.pods);
        pods.any(|pod| pod.group == group)
    };
    let has_error = trace
        .metrics
        .iter()
        .any(|metric| matches!(metric.result, Some(MetricResult::Failed { .. })));
    let is_held = trace
        .stabilization
        .as_ref()
        .is_some_and(|stage| stage.result != stage.recommendation);
    let limit_reason = trace
        .limit
        .as_ref()
        .map_or("", |stage| stage.reason.word().as_str());
    let scales = trace.outcome.rescale == Some(true);
    let all = [
        ("unready pods", has_group(Group::Unready)),
        ("missing pods", has_group(Group::Missing)),
        ("ignored pods", has_group(Group::Ignored)),
        (
            "filled in",
            trace
                .metrics
                .iter()
                .any(|metric| metric.filled_in.is_some()),
        ),
        ("a metric fails", has_error),
        ("a window holds", is_held),
        (
            "a policy wins",
            matches!(limit_reason, "ScaleUpLimit" | "ScaleDownLimit"),
        ),
        (
            "a bound wins",
            matches!(limit_reason, "TooManyReplicas" | "TooFewReplicas"),
        ),
        ("the scale changes", scales),
    ];
    let present = all.into_iter().filter(|(_, is_present)| *is_present);
    present.map(|(situation, _)| situation).collect()
}

#[test]
fn the_order_of_pods_and_samples_changes_no_count() {
    reorder(CASES);
}

#[test]
#[ignore = "100,000 cases take minutes"]
fn the_order_of_pods_and_samples_changes_no_count_in_many_cases() {
    reorder(MANY);
}

fn reorder(cases: u32) {
    let rng = RefCell::new(TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    for_some(cases, |document| {
        let one = explain(&read(document));
        let shuffled = shuffled(document.clone(), &mut rng.borrow_mut());
        let other = explain(&read(&shuffled));
        let outcomes = (
            &one.outcome.desired_replicas,
            &other.outcome.desired_replicas,
        );
        prop_assert_eq!(outcomes.0, outcomes.1);
        prop_assert_eq!(one.metrics.len(), other.metrics.len());
        for (one, other) in one.metrics.iter().zip(&other.metrics) {
            prop_assert_eq!(one.groups, other.groups);
            prop_assert_eq!(
                proposal(one.result.as_ref()),
                proposal(other.result.as_ref())
            );
        }
        Ok(())
    });
}

/// Every list of the inputs in another order. The metrics of the spec keep
/// theirs: the first failure and ties depend on it.
fn shuffled(mut document: Value, rng: &mut TestRng) -> Value {
    let mut lists = vec![
        "/pods".to_owned(),
        "/metrics/resource/response/items".to_owned(),
    ];
    for api in ["custom", "external"] {
        let asked = document["metrics"][api].as_array().map_or(0, Vec::len);
        let answers = 0..asked;
        lists.extend(answers.map(|index| format!("/metrics/{api}/{index}/response/items")));
    }
    for list in lists {
        if let Some(Value::Array(items)) = document.pointer_mut(&list) {
            for last in (1..items.len()).rev() {
                items.swap(last, rng.random_range(0..=last));
            }
        }
    }
    document
}

#[test]
fn without_recording_the_pass_is_the_same() {
    leave_unrecorded(CASES);
}

#[test]
#[ignore = "100,000 cases take minutes"]
fn without_recording_the_pass_is_the_same_in_many_cases() {
    leave_unrecorded(MANY);
}

fn leave_unrecorded(cases: u32) {
    for_some(cases, |document| {
        let snapshot = read(document);
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        let prepared = Prepared::new(&snapshot, &settings);
        let now = snapshot.captured_at.as_nanosecond();
        let mut memory = Memory::new(snapshot.history.as_ref());
        let decision = reconcile_autoscaler(&prepared, &settings, &mut memory, now, &mut Nothing);
        let trace = reconcile(&snapshot, &settings, snapshot.captured_at);
        let outcome = &trace.outcome;
        prop_assert_eq!(Some(decision.rescaled), outcome.rescale);
        prop_assert_eq!(memory.record(), trace.memory);
        // A pass that failed reports what was desired before.
        if outcome.error.is_none() {
            prop_assert_eq!(decision.replicas, outcome.desired_replicas);
        }
        let reason = |kind: &str| {
            let condition = trace.conditions.iter().find(|c| c.kind.as_str() == kind);
            condition.map(|condition| condition.reason.known())
        };
        if let Some(limited) = decision.scaling_limited {
            let recorded = reason("ScalingLimited");
            prop_assert_eq!(recorded.flatten(), Some(limited.word()));
        }
        let is_true = trace
            .conditions
            .iter()
            .any(|c| c.kind == ConditionKind::ScaledToZero && c.status == ConditionStatus::True);
        prop_assert_eq!(decision.scaled_to_zero, is_true);
        Ok(())
    });
}

fn proposal(result: Option<&MetricResult>) -> Option<i32> {
    match result {
        Some(MetricResult::Proposed(proposed)) => Some(proposed.replicas),
        _ => None,
    }
}

#[test]
fn the_outcome_is_what_the_last_stage_says() {
    for_all(|document| {
        let trace = explain(&read(document));
        let current = trace.outcome.current_replicas;
        let bounds = trace.bounds;
        let (last, is_written) = match trace.branch.as_ref().expect("a scale").rule {
            Rule::BranchDisabled => (0, false),
            Rule::BranchAboveMax => (bounds.max_replicas, true),
            Rule::BranchBelowMin => (bounds.min_replicas, true),
            _ => match (&trace.zero_clamp, &trace.limit) {
                (Some(clamp), _) => (clamp.to, clamp.to != current),
                (None, Some(limit)) => (limit.result, limit.result != current),
                // The metrics were unusable: what was reported before stays.
                (None, None) => (0, false),
            },
        };
        prop_assert_eq!(trace.outcome.desired_replicas, Some(last));
        prop_assert_eq!(trace.outcome.rescale, Some(is_written));
        Ok(())
    });
}

#[test]
fn stages_hand_over_what_they_were_given() {
    for_all(|document| {
        let trace = explain(&read(document));
        if let (Some(recommendation), Some(window), Some(limit)) =
            (&trace.recommendation, &trace.stabilization, &trace.limit)
        {
            prop_assert_eq!(recommendation.replicas, Some(window.recommendation));
            prop_assert_eq!(window.result, limit.stabilized);
            let proposals = trace
                .metrics
                .iter()
                .filter_map(|metric| proposal(metric.result.as_ref()));
            prop_assert_eq!(
                recommendation.replicas,
                proposals.max().map(|most| most.max(0))
            );
        }
        Ok(())
    });
}

#[test]
fn a_snapshot_survives_a_round_trip() {
    for_all(|document| {
        let snapshot = read(document);
        let json = serde_json::to_value(&snapshot).expect("a snapshot is a document");
        prop_assert_eq!(&read(&json), &snapshot);
        let yaml = serde_yaml::to_string(&snapshot).expect("a snapshot is a document");
        let mut documents = hpa_explain::document::snapshot::read_documents(&yaml);
        let again = documents.pop().expect("one document").snapshot;
        prop_assert_eq!(&again.expect("readable"), &snapshot);
        Ok(())
    });
}

#[test]
fn the_answer_on_unknown_memory_holds_the_true_one() {
    // Each of them runs on many memories.
    let cases = CASES / 3;
    let narrow = RefCell::new(0);
    for_some(cases, |document| {
        let decided = explain(&read(document))
            .outcome
            .desired_replicas
            .expect("known memory");
        for unknown in ["/recommendations", "/scaleUpEvents", "/scaleDownEvents", ""] {
            let outcome = explain(&read(&without(document.clone(), unknown))).outcome;
            match (outcome.desired_replicas, outcome.possible) {
                (Some(only), _) => {
                    *narrow.borrow_mut() += 1;
                    prop_assert_eq!(only, decided);
                }
                (None, Some(range)) => prop_assert!(range.contains(decided), "{range:?} {decided}"),
                (None, None) => prop_assert!(false, "nothing is possible"),
            }
        }
        Ok(())
    });
    println!(
        "decided all the same: {} of {}",
        narrow.into_inner(),
        4 * cases
    );
}

/// The document without one list of its memory, or without its memory.
fn without(mut document: Value, list: &str) -> Value {
    match list.strip_prefix('/') {
        Some(list) => document["history"]
            .as_object_mut()
            .expect("a memory")
            .remove(list),
        None => document
            .as_object_mut()
            .expect("a document")
            .remove("history"),
    };
    document
}
