//! What the tool says where it cannot see: every count that is possible, and
//! no other; never a guess.

use crate::support;

use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::document::snapshot::read_documents;
use hpa_explain::render::{Explanation, Format, TextOptions};
use hpa_explain::trace::Trace;
use serde_json::{Value, json};
use support::build::Case;

/// The explanation as a document and as text.
struct Explained {
    trace: Trace,
    text: String,
}

fn explain(case: &Case) -> Explained {
    let mut documents = read_documents(&case.document().to_string());
    let snapshot = documents.remove(0).snapshot.expect("a readable snapshot");
    let settings = Settings::resolve(&snapshot, &Overrides::default());
    let trace = reconcile(&snapshot, &settings, snapshot.captured_at);
    let mut text = Vec::new();
    Format::Text
        .write(&trace, &TextOptions::default(), &mut text)
        .expect("memory is writable");
    Explained {
        trace,
        text: String::from_utf8(text).expect("text"),
    }
}

impl Explained {
    /// The ends of `possible`; `None` with a prediction, which goes without.
    fn possible(&self) -> Option<(i32, i32)> {
        let document = serde_json::to_value(Explanation::of(&self.trace)).expect("a document");
        let possible = document.get("possible").and_then(Value::as_array);
        assert_eq!(possible.is_none(), document.get("prediction").is_some());
        let count = |value: &Value| i32::try_from(value.as_i64().expect("a count")).expect("small");
        let possible = possible?;
        Some((count(possible.first()?), count(possible.last()?)))
    }
}

fn forgotten(case: Case) -> Case {
    case.set("/history", Value::Null)
}

/// An External metric that we may not look at, beside those that there are.
fn with_unreadable(case: Case) -> Case {
    let case = case.fails("");
    let entries = case.document()["metrics"]["external"]
        .as_array()
        .map_or(0, Vec::len);
    let name = case.document()["metrics"]["external"][entries - 1]["metric"].clone();
    case.set(
        &format!("/metrics/external/{}", entries - 1),
        json!({"metric": name, "unreadable": "you may not read this"}),
    )
}

#[test]
fn unknown_memory_allows_what_some_memory_allows() {
    let ten = || Case::new().replicas(10).bounds(2, 20);
    let behavior = |value: Value| ten().behavior(value);
    let no_window = json!({"scaleUp": {"stabilizationWindowSeconds": 0}});
    let up_window = json!({"scaleUp": {"stabilizationWindowSeconds": 60}});
    let down_now = json!({"scaleDown": {"stabilizationWindowSeconds": 0}});
    let six_a_minute = json!({"scaleDown": {"stabilizationWindowSeconds": 0, "policies": [
        {"type": "Pods", "value": 6, "periodSeconds": 60},
    ]}});
    let never_down = json!({"scaleDown": {"selectPolicy": "Disabled"}});
    let more_than_all = json!({"scaleDown": {"stabilizationWindowSeconds": 0, "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 200, "periodSeconds": 60},
    ]}});
    let rows = [
        (
            "legacy, down: an older one can hold it, or lead up",
            ten().wants(4),
            Some((4, 20)),
        ),
        (
            "legacy, up: an older one can ask for more",
            ten().wants(15),
            Some((15, 20)),
        ),
        (
            "up at once, but policies may be used up",
            behavior(no_window).wants(15),
            Some((10, 15)),
        ),
        (
            "up: the window can hold it",
            behavior(up_window).wants(15),
            Some((10, 15)),
        ),
        (
            "down: the window can hold it",
            behavior(json!({})).wants(4),
            Some((4, 10)),
        ),
        (
            "down at once, and 100% is never used up",
            behavior(down_now).wants(4),
            None,
        ),
        (
            "down at once, but the policy may be used up",
            behavior(six_a_minute).wants(4),
            Some((4, 10)),
        ),
        (
            "a policy of more than all",
            behavior(more_than_all).wants(4),
            Some((4, 10)),
        ),
        (
            "Disabled: nothing can change it",
            behavior(never_down).wants(4),
            Some((10, 10)),
        ),
        (
            "on target: nothing to hold",
            behavior(json!({})).wants(10),
            None,
        ),
        (
            "above max: no memory is asked",
            Case::new().replicas(30).bounds(2, 20).wants(4),
            None,
        ),
        (
            "at zero: paused",
            Case::new().replicas(0).bounds(2, 20).wants(4),
            None,
        ),
        ("every metric fails", ten().fails("down"), None),
    ];
    for (what, case, possible) in rows {
        assert_eq!(explain(&forgotten(case)).possible(), possible, "{what}");
    }
}

/// At the end of what a size can be, the start of a period may overflow, and
/// a policy's limit with it: then no change is possible, too.
#[test]
fn a_size_that_changes_overflow_can_stay() {
    let policy = |kind: &str, value: i32, period: i32| json!({"type": kind, "value": value, "periodSeconds": period});
    let policies = [
        policy("Pods", 16, 30),
        policy("Percent", 2, 60),
        policy("Pods", 4, 15),
        policy("Pods", i32::MAX, 60),
    ];
    let case = Case::new()
        .replicas(i32::MAX - 1)
        .bounds(1, i32::MAX)
        .wants(4)
        .behavior(json!({"scaleDown": {"selectPolicy": "Min",
            "stabilizationWindowSeconds": 0, "policies": policies}}));
    let possible = explain(&forgotten(case)).trace.outcome.possible;
    assert_eq!(possible.expect("a set").to, i32::MAX - 1);
}

#[test]
fn one_count_with_several_reasons_is_a_decision() {
    // An idle HPA at its lower bound: held by the window or by the bound.
    let idle = Case::new()
        .replicas(10)
        .bounds(10, 20)
        .behavior(json!({}))
        .wants(5);
    let explained = explain(&forgotten(idle));
    assert_eq!(explained.possible(), Some((10, 10)));
    assert_eq!(explained.trace.outcome.desired_replicas, Some(10));
    assert!(explained.text.contains("stays at 10"), "{}", explained.text);
    assert!(!explained.text.contains("Unknown"), "{}", explained.text);
    let basis = "controller memory: unknown, but the size is 10 in any case";
    let text = explained.text.split_whitespace().collect::<Vec<_>>();
    assert!(text.join(" ").contains(basis), "{}", explained.text);
}

#[test]
fn what_is_not_known_is_said_with_what_it_can_do() {
    let ten = || Case::new().replicas(10).bounds(2, 20).wants(4);
    let legacy = explain(&forgotten(ten())).text;
    let behavior = explain(&forgotten(ten().behavior(json!({})))).text;
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [&legacy, &behavior] {
        assert!(
            words(text).contains("which the snapshot does not hold"),
            "{text}"
        );
        assert!(
            text.contains("--history FILE or --controller-log FILE"),
            "{text}"
        );
        assert!(text.contains("at the next pass"), "{text}");
    }
    let further = "or take the size further";
    assert!(words(&legacy).contains(further), "{legacy}");
    assert!(!words(&behavior).contains(further), "{behavior}");
}

#[test]
fn an_unreadable_metric_can_ask_for_more_or_block() {
    let ten = || Case::new().replicas(10).bounds(2, 20).just_started();
    let rows = [
        // It can fail, so that everything stays, or ask for anything.
        ("alone", with_unreadable(ten()), (10, 20)),
        // Failing, it would not block a change upwards.
        (
            "beside one that asks for more",
            with_unreadable(ten().wants(15)),
            (15, 20),
        ),
        // Failing, it blocks the change downwards.
        (
            "beside one that asks for less",
            with_unreadable(ten().wants(4)),
            (10, 20),
        ),
    ];
    for (what, case, possible) in rows {
        let explained = explain(&case);
        assert_eq!(explained.possible(), Some(possible), "{what}");
        assert!(
            !explained.text.contains("Failing"),
            "{what}: {}",
            explained.text
        );
    }
}

#[test]
fn an_unreadable_metric_at_zero_can_leave_it_there() {
    let at_zero = Case::new()
        .replicas(0)
        .bounds(3, 20)
        .gate("HPAScaleToZero", true)
        .condition("ScaledToZero", "True")
        .just_started();
    assert_eq!(explain(&with_unreadable(at_zero)).possible(), Some((0, 4)));
}

#[test]
fn an_unreadable_scale_leaves_everything_open() {
    let rows = [
        ("deployments.apps \"web\" is forbidden", "you may not read"),
        ("the answer broke off", "could not be read from here"),
    ];
    for (reason, says) in rows {
        let case = Case::new()
            .wants(4)
            .set("/scale", json!({"unreadable": reason}));
        let explained = explain(&case);
        let document = serde_json::to_value(Explanation::of(&explained.trace)).expect("a document");
        assert!(document.get("prediction").is_none());
        assert!(document.get("possible").is_none());
        assert!(explained.text.contains(says), "{}", explained.text);
        assert!(explained.trace.memory.recommendations.is_none());
    }
}
