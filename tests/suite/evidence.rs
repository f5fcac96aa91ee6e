//! What each piece of evidence bounds, in cases small enough to follow: the
//! memories that are true all lie within what is recalled.

use crate::support;

use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::history::{Observer, explain};
use hpa_explain::trace::{CheckVerdict, NoticeKind, Range, Trace};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use support::build::Case;

/// The moment of every pass here.
fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().expect("a moment")
}

fn ago(seconds: i64) -> Timestamp {
    now() - SignedDuration::from_secs(seconds)
}

fn snapshot(document: &Value) -> Snapshot {
    let mut documents = read_documents(&document.to_string());
    documents.remove(0).snapshot.expect("a readable snapshot")
}

fn settings(snapshot: &Snapshot) -> Settings {
    Settings::resolve(snapshot, &Overrides::default())
}

fn recalled(case: &Case) -> Trace {
    let snapshot = snapshot(&case.clone().set("/history", Value::Null).document());
    let now = snapshot.captured_at;
    explain(&snapshot, &settings(&snapshot), now, &Observer::default())
}

fn decision(trace: &Trace) -> (i32, i32) {
    let decided = trace.outcome.desired_replicas.map(Range::of);
    let range = trace.outcome.possible.or(decided).expect("a decision");
    (range.from, range.to)
}

/// What the controller would do if it remembered just this.
fn truth(case: &Case) -> i32 {
    let snapshot = snapshot(&case.document());
    let trace = reconcile(&snapshot, &settings(&snapshot), snapshot.captured_at);
    trace.outcome.desired_replicas.expect("a known memory")
}

fn has(trace: &Trace, kind: NoticeKind) -> bool {
    let notices = &trace.recollection.notices;
    notices.iter().any(|notice| notice.kind == kind)
}

fn rescaled(to: i32, reason: &str, first: i64, last: i64, count: i32) -> Value {
    json!({
        "involvedObject": {"kind": "HorizontalPodAutoscaler", "name": "web"},
        "type": "Normal", "reason": "SuccessfulRescale", "count": count,
        "message": format!("New size: {to}; reason: {reason}"),
        "firstTimestamp": ago(first), "lastTimestamp": ago(last),
    })
}

const MORE: &str = "external metric load(nil) above target";
const LESS: &str = "All metrics below target";

/// The controller has led for a day.
fn led(case: Case) -> Case {
    led_since(case, 86_400)
}

fn led_since(case: Case, seconds: i64) -> Case {
    case.set(
        "/controllerLease",
        json!({"spec": {"acquireTime": ago(seconds)}}),
    )
}

/// A status that was written so long ago.
struct Status {
    able: &'static str,
    limited: &'static str,
    sizes: (i32, i32),
    written: i64,
    scaled: Option<i64>,
}

fn with_status(case: Case, status: &Status) -> Case {
    let limited = if status.limited == "DesiredWithinRange" {
        "False"
    } else {
        "True"
    };
    let condition = |kind: &str, word: &str, reason: &str| {
        json!({"type": kind, "status": word, "reason": reason, "message": "",
            "lastTransitionTime": ago(86_400)})
    };
    let reported = json!({
        "currentReplicas": status.sizes.0, "desiredReplicas": status.sizes.1,
        "lastScaleTime": status.scaled.map(ago),
        "currentMetrics": [{"type": "External", "external": {
            "metric": {"name": "load-0"}, "current": {"averageValue": "1"}}}],
        "conditions": [
            condition("AbleToScale", "True", status.able),
            condition("ScalingActive", "True", "ValidMetricFound"),
            condition("ScalingLimited", limited, status.limited),
        ],
    });
    case.set("/horizontalPodAutoscaler/status", reported).set(
        "/horizontalPodAutoscaler/metadata/managedFields",
        json!([{"manager": "kube-controller-manager", "operation": "Update",
            "subresource": "status", "time": ago(status.written), "fieldsV1": {}}]),
    )
}

fn steady(size: i32, written: i64, scaled: Option<i64>) -> Status {
    Status {
        able: "ReadyForNewScale",
        limited: "DesiredWithinRange",
        sizes: (size, size),
        written,
        scaled,
    }
}

#[test]
fn a_size_held_by_the_window_is_known_from_the_event_that_made_it() {
    // +3 to 9 some minutes ago; the last pass held it.
    let status = Status {
        able: "ScaleDownStabilized",
        ..steady(9, 15, Some(165))
    };
    let case = led(Case::new()
        .replicas(9)
        .bounds(2, 20)
        .behavior(json!({}))
        .wants(5));
    let case = with_status(case, &status).set("/events", json!([rescaled(9, MORE, 165, 165, 1)]));
    let trace = recalled(&case);
    assert_eq!(decision(&trace), (9, 9));
    let down = trace.outlook.as_ref().expect("an outlook").down;
    assert!(down.recommended);
    // Not before the event's recommendation leaves the window; by then the
    // last one that nobody saw has left it, and one more pass has run.
    let earliest = down.earliest.expect("a moment");
    let latest = down.latest.expect("a moment");
    assert!(earliest >= ago(165 - 300 + 3), "{earliest}");
    assert!(latest <= ago(15 - 300 - 16), "{latest}");
    assert_eq!(
        down.replicas.map(|range| (range.from, range.to)),
        Some((5, 8))
    );
}

#[test]
fn repeated_events_bound_the_times_between() {
    // 4 → 8 → 4 → 8 → 4 → 8, told in two events of which one repeats.
    let policies = |period: i32| {
        json!({"scaleUp": {"stabilizationWindowSeconds": 0, "policies": [
            {"type": "Pods", "value": 6, "periodSeconds": period}]}})
    };
    let count = [
        rescaled(8, MORE, 500, 100, 3),
        rescaled(4, LESS, 400, 200, 2),
    ];
    let series = count.clone().map(|event| {
        let mut event = event;
        let (first, last) = (
            event["firstTimestamp"].take(),
            event["lastTimestamp"].take(),
        );
        event["series"] = json!({"count": event["count"].take(), "lastObservedTime": last});
        event["eventTime"] = first;
        event
    });
    let mut tried = 0;
    for events in [count, series] {
        for period in [150, 250, 350, 600] {
            let case = led(Case::new()
                .replicas(8)
                .bounds(2, 40)
                .behavior(policies(period))
                .wants(30));
            let status = steady(8, 80, Some(100));
            let case = with_status(case, &status).set("/events", json!(events));
            let set = decision(&recalled(&case));
            for middle in [250, 300, 390] {
                let real = case
                    .clone()
                    .remembers(&[(600, 8)])
                    .added(&[(500, 4), (middle, 4), (100, 4)])
                    .removed(&[(400, 4), (200, 4)]);
                let real = truth(&real);
                assert!(
                    (set.0..=set.1).contains(&real),
                    "{period} s, {middle}: {real} in {set:?}"
                );
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 24);
}

#[test]
fn an_hpa_that_was_created_again_may_remember_the_old_one() {
    let case = led(Case::new().replicas(8).bounds(2, 40).wants(4)).set(
        "/horizontalPodAutoscaler/metadata/creationTimestamp",
        json!(ago(10)),
    );
    let fresh = recalled(&case);
    // No pass has run: the first one begins with the size that it finds.
    assert_eq!(decision(&fresh), (8, 8));
    assert!(!has(&fresh, NoticeKind::Recreated));
    let again = case.set("/events", json!([rescaled(8, LESS, 200, 200, 1)]));
    let trace = recalled(&again);
    assert!(has(&trace, NoticeKind::Recreated));
    // Created again within a sync period, it inherits what the old one left.
    let inherited = truth(&again.remembers(&[(100, 12)]));
    assert_eq!(inherited, 12);
    let set = decision(&trace);
    assert!((set.0..=set.1).contains(&inherited), "{set:?}");
}

/// A sample of an HPA of 8 that the load asks to have `wants`.
fn sample(wants: i32, seconds: i64) -> Snapshot {
    let case = led(Case::new()
        .replicas(8)
        .bounds(2, 40)
        .behavior(json!({}))
        .wants(wants));
    let held = Status {
        able: "ScaleDownStabilized",
        ..steady(8, 700, None)
    };
    let case = with_status(case, &held);
    let mut sample = snapshot(&case.set("/history", Value::Null).document());
    sample.captured_at = ago(seconds);
    sample
}

#[test]
fn two_passes_between_samples_can_have_seen_anything() {
    let rows = [
        // Three samples a sync period: what lies between is what they show.
        ("close", 5, (4, 4)),
        // Room for two passes: the load can have come and gone, though never so
        // far that a pass did not ask for less than there is.
        ("far", 40, (4, 7)),
    ];
    for (what, apart, expected) in rows {
        let mut seen = Observer::default();
        for seconds in (0..=400).rev().filter(|seconds| seconds % apart == 0) {
            let sample = sample(4, seconds);
            seen.observe(sample.clone(), &settings(&sample), None);
        }
        let sample = sample(4, 0);
        let trace = explain(&sample, &settings(&sample), now(), &seen);
        assert_eq!(decision(&trace), expected, "{what}");
    }
}

#[test]
fn a_controller_that_leads_for_less_than_the_window_holds_its_first_size() {
    let case = Case::new()
        .replicas(8)
        .bounds(2, 40)
        .behavior(json!({}))
        .wants(4);
    let held = Status {
        able: "ScaleDownStabilized",
        ..steady(8, 400, None)
    };
    let case = with_status(case, &held);
    // What held it has left the window, unless the controller began anew:
    // nothing rules that out, nor says that it did.
    assert_eq!(decision(&recalled(&case)), (4, 8));
    let young = led_since(case, 100);
    let trace = recalled(&young);
    assert_eq!(decision(&trace), (8, 8));
    let since = trace.recollection.since.expect("the lease").at;
    assert_eq!(since, ago(100));
}

#[test]
fn clocks_that_contradict_each_other_tell_no_ages() {
    let case = || {
        led(Case::new()
            .replicas(8)
            .bounds(2, 40)
            .behavior(json!({}))
            .wants(4))
    };
    let rescaled_at = |written: i64, scaled: i64| Status {
        able: "SucceededRescale",
        limited: "DesiredWithinRange",
        sizes: (4, 8),
        written,
        scaled: Some(scaled),
    };
    let rows = [
        ("agree", rescaled_at(30, 30), false),
        ("one was set back", rescaled_at(-600, -600), true),
        ("they differ", rescaled_at(30, 330), true),
    ];
    for (what, status, is_noticed) in rows {
        let trace = recalled(&with_status(case(), &status));
        assert_eq!(has(&trace, NoticeKind::ClockJumped), is_noticed, "{what}");
        let expected = if is_noticed { (4, 8) } else { (8, 8) };
        assert_eq!(decision(&trace), expected, "{what}");
    }
    // The controller's clock is ahead, so its lease tells of no beginning.
    let status = rescaled_at(400, 400);
    let trace = recalled(&led_since(with_status(case(), &status), -600));
    assert!(has(&trace, NoticeKind::ClockJumped));
    assert_eq!(decision(&trace), (4, 8));
}

/// Statuses and rescales that no pass ends with tell nothing, and are no end.
#[test]
fn evidence_that_contradicts_itself_is_reported() {
    let case = || {
        led(Case::new()
            .replicas(8)
            .bounds(2, 40)
            .behavior(json!({}))
            .wants(4))
    };
    let held_at_none = Status {
        able: "ScaleDownStabilized",
        ..steady(0, 30, None)
    };
    let status = with_status(case(), &held_at_none);
    let less_than_before = Status {
        able: "SucceededRescale",
        limited: "DesiredWithinRange",
        sizes: (12, 8),
        written: 30,
        scaled: Some(30),
    };
    let event = with_status(case(), &less_than_before)
        .set("/events", json!([rescaled(8, MORE, 30, 30, 1)]));
    for (what, case) in [("a status", status), ("an event", event)] {
        let trace = recalled(&case);
        assert!(
            has(&trace, NoticeKind::Contradiction),
            "{what}: {:#?}",
            trace.recollection
        );
    }
}

/// Every event of its own would be compared with every other one.
#[test]
fn an_event_told_anew_a_thousand_times_is_noticed_once_each() {
    let event = |number: i64| {
        json!({"involvedObject": {"kind": "HorizontalPodAutoscaler", "name": "web"},
            "reason": "FailedGetScale", "message": "no",
            "firstTimestamp": ago(2 * number + 2), "lastTimestamp": ago(2 * number + 1)})
    };
    let events: Vec<Value> = (0..1_000).map(event).collect();
    let case = Case::new().replicas(8).behavior(json!({})).wants(8);
    let trace = recalled(&case.set("/events", json!(events)));
    let restarts = trace.recollection.notices.iter();
    let restarts = restarts.filter(|notice| notice.kind == NoticeKind::Restarted);
    assert!((100..1_000).contains(&restarts.count()));
}

#[test]
fn contradicting_evidence_is_reported() {
    // The pass scaled up to 8 without a limit, so it was asked for 8; the
    // samples around it ask for 4.
    let mut seen = Observer::default();
    for seconds in [50, 45, 40] {
        let sample = sample(4, seconds);
        seen.observe(sample.clone(), &settings(&sample), None);
    }
    let case = led(Case::new()
        .replicas(8)
        .bounds(2, 40)
        .behavior(json!({}))
        .wants(4));
    let case = with_status(case, &steady(8, 20, Some(45)));
    let case = case.set("/events", json!([rescaled(8, MORE, 45, 45, 1)]));
    let last = snapshot(&case.set("/history", Value::Null).document());
    let trace = explain(&last, &settings(&last), now(), &seen);
    assert!(
        has(&trace, NoticeKind::Contradiction),
        "{:#?}",
        trace.recollection
    );
}

#[test]
fn the_check_tells_why_results_differ() {
    let case = |wants: i32| {
        led(Case::new()
            .replicas(8)
            .bounds(2, 40)
            .behavior(json!({}))
            .wants(wants))
    };
    let status = || steady(8, 30, None);
    let verdict = |case: &Case| recalled(case).check.expect("a comparison").verdict;
    // Eight of target 1 are reported as 1 each.
    assert_eq!(
        verdict(&with_status(case(8), &status())),
        CheckVerdict::Agrees
    );
    assert_eq!(
        verdict(&with_status(case(4), &status())),
        CheckVerdict::InputsNewer
    );
    assert_eq!(verdict(&case(8)), CheckVerdict::NoPass);
    let resized = Status {
        sizes: (6, 6),
        ..status()
    };
    assert_eq!(
        verdict(&with_status(case(8), &resized)),
        CheckVerdict::InputsNewer
    );
    // The same inputs, but the pass held more than is asked for.
    let held = Status {
        able: "ScaleDownStabilized",
        ..status()
    };
    assert_eq!(
        verdict(&with_status(case(8), &held)),
        CheckVerdict::Unexplained
    );
}

/// What is recalled holds the decision that such a memory leads to.
fn holds(case: &Case, real: &Case, expected: i32) {
    let real = truth(real);
    assert_eq!(real, expected);
    let set = decision(&recalled(case));
    assert!((set.0..=set.1).contains(&real), "{real} in {set:?}");
}

/// The status of a pass that could not read the scale, which leaves what else
/// there is as it was.
fn with_scale_unread(case: Case, since: i64) -> Case {
    case.set(
        "/horizontalPodAutoscaler/status/conditions/0",
        json!({"type": "AbleToScale", "status": "False", "reason": "FailedGetScale",
            "message": "", "lastTransitionTime": ago(since)}),
    )
}

#[test]
fn a_controller_begins_when_it_first_reads_the_scale() {
    // The target was missing until now; the HPA is older than every window.
    let case = Case::new().replicas(7).bounds(1, 20).wants(4);
    let case = with_scale_unread(
        with_status(led_since(case, 700), &steady(7, 685, None)),
        685,
    );
    holds(&case, &case.clone().just_started(), 7);
}

#[test]
fn a_recommendation_outlives_a_scale_that_could_not_be_written() {
    // A pass asked for 8 and was refused; the next could not read the scale.
    let case = led(Case::new().replicas(4).bounds(2, 20).wants(4));
    let case = with_scale_unread(with_status(case, &steady(4, 15, None)), 30);
    holds(&case, &case.clone().remembers(&[(30, 8)]), 8);
}

#[test]
fn each_metric_is_read_at_its_own_time() {
    // 4 and 12 in one sample, 12 and 4 in the next; a pass in between saw 4
    // of both, which holds a rise for as long as the window is.
    let case = |loads: (i32, i32)| {
        let window = json!({"scaleUp": {"stabilizationWindowSeconds": 300}});
        let case = led(Case::new().replicas(9).bounds(2, 40).behavior(window));
        let case = case.wants(loads.0).wants(loads.1);
        // A status that tells of no recommendation.
        let status = Status {
            able: "FailedUpdateScale",
            ..steady(9, 700, None)
        };
        with_status(case, &status)
    };
    let mut seen = Observer::default();
    for seconds in (0..=400).rev().filter(|seconds| seconds % 5 == 0) {
        let loads = if seconds % 10 == 0 { (4, 12) } else { (12, 4) };
        let mut sample = snapshot(&case(loads).set("/history", Value::Null).document());
        sample.captured_at = ago(seconds);
        seen.observe(sample.clone(), &settings(&sample), None);
    }
    let case = case((12, 12));
    let real = truth(&case.clone().remembers(&[(62, 4)]));
    let last = snapshot(&case.set("/history", Value::Null).document());
    let set = decision(&explain(&last, &settings(&last), now(), &seen));
    assert_eq!(real, 9);
    assert!((set.0..=set.1).contains(&real), "{real} in {set:?}");
}

#[test]
fn during_a_rollout_nothing_tells_what_others_did() {
    // 4 → 8, by hand 8 → 6, then 6 → 9 while a replica set is replaced.
    let on_target = |set: &str, from: i32, to: i32, at: i64| {
        let way = if to > from { "up" } else { "down" };
        json!({"involvedObject": {"kind": "Deployment", "name": "web"},
            "type": "Normal", "reason": "ScalingReplicaSet", "count": 1,
            "message": format!("Scaled {way} replica set {set} from {from} to {to}"),
            "firstTimestamp": ago(at), "lastTimestamp": ago(at)})
    };
    let policies = json!({"scaleUp": {"policies": [
        {"type": "Pods", "value": 6, "periodSeconds": 120}]}});
    let case = Case::new().replicas(9).bounds(2, 40).behavior(policies);
    let case = with_status(led(case.wants(30)), &steady(9, 30, Some(60))).set(
        "/events",
        json!([
            rescaled(8, MORE, 300, 300, 1),
            rescaled(9, MORE, 60, 60, 1),
            on_target("web-1", 4, 8, 300),
            on_target("web-1", 8, 7, 250),
            on_target("web-2", 0, 1, 250),
            on_target("web-1", 7, 5, 100),
        ]),
    );
    holds(&case, &case.clone().added(&[(300, 4), (60, 3)]), 12);
}
