//! The fallback of External metrics, a design that no release has: each
//! scenario of KEP-5679, and that without the gate nothing is different.

mod manifests;
mod text;

use hpa_explain::api::{FALLBACK_ACTIVE, FALLBACK_NORMAL, MetricStatus};
use hpa_explain::controller::{FallbackGate, Overrides, Settings, reconcile};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::trace::{EventType, Origin, Rule, Trace};
use serde_json::{Value, json};

use crate::support::build::Case;
use crate::support::pass::Pass;

const GATE: &str = "HPAExternalMetricFallback";
const CONDITION: &str = "ExternalMetricFallbackActive";
const ACTIVATED: &str = "Fallback activated for external metric 'broken-0' after 3m0s of \
                         consecutive failures, using fallback replica count: 10";

/// The moment of a [`Case`], and some seconds before it.
fn before(seconds: i64) -> Value {
    let now: jiff::Timestamp = "2026-03-01T12:00:00Z".parse().expect("a moment");
    json!(now - jiff::SignedDuration::from_secs(seconds))
}

/// What the status remembers of an External metric.
fn status(name: &str, failing_for: Option<i64>, state: &str) -> Value {
    let mut external = json!({"metric": {"name": name}, "current": {}, "fallbackStatus": state});
    if let Some(seconds) = failing_for {
        external["firstFailureTime"] = before(seconds);
    }
    json!({"type": "External", "external": external})
}

fn waiting(name: &str, failing_for: i64) -> Value {
    status(name, Some(failing_for), FALLBACK_NORMAL)
}

trait WithFallback: Sized {
    fn fallback(self, index: usize, fallback: Value) -> Self;
    fn remembering(self, statuses: &[Value]) -> Self;
}

impl WithFallback for Case {
    fn fallback(self, index: usize, fallback: Value) -> Self {
        let pointer = format!("/horizontalPodAutoscaler/spec/metrics/{index}/external/fallback");
        self.set(&pointer, fallback)
    }

    fn remembering(self, statuses: &[Value]) -> Self {
        let pointer = "/horizontalPodAutoscaler/status/currentMetrics";
        self.set(pointer, json!(statuses))
    }
}

/// A size of 4, and the gate on.
fn on() -> Case {
    Case::new().replicas(4).gate(GATE, true)
}

/// One queue that fails, with a fallback of 10.
fn queue() -> Case {
    on().fails("gone").fallback(0, json!({"replicas": 10}))
}

struct Row {
    says: &'static str,
    case: Case,
    /// The size that the pass leaves.
    size: i32,
    /// What the metrics ask for together; `None` where they fail.
    asked: Option<i32>,
    condition: &'static str,
    activated: bool,
}

fn row(says: &'static str, case: Case, asked: Option<i32>, size: i32) -> Row {
    Row {
        says,
        case,
        size,
        asked,
        condition: "True/FallbackActive",
        activated: true,
    }
}

impl Row {
    fn quiet(self) -> Self {
        Self {
            activated: false,
            ..self
        }
    }

    fn inactive(self) -> Self {
        Self {
            condition: "False/FallbackInactive",
            ..self.quiet()
        }
    }

    fn unset(self) -> Self {
        Self {
            condition: "",
            ..self.quiet()
        }
    }
}

fn ripe() -> Case {
    queue().remembering(&[waiting("broken-0", 180)])
}

/// When a fallback is active.
fn clocks() -> Vec<Row> {
    vec![
        row("a queue that fails for 3 minutes", ripe(), Some(10), 8),
        row(
            "for longer",
            queue().remembering(&[waiting("broken-0", 4000)]),
            Some(10),
            8,
        ),
        row(
            "a second less",
            queue().remembering(&[waiting("broken-0", 179)]),
            None,
            4,
        )
        .inactive(),
        row("the first failure starts the clock", queue(), None, 4).inactive(),
        row(
            "an active one goes on without a further event",
            queue().remembering(&[status("broken-0", Some(200), FALLBACK_ACTIVE)]),
            Some(10),
            8,
        )
        .quiet(),
        row(
            "a state without a clock starts it",
            queue().remembering(&[status("broken-0", None, FALLBACK_ACTIVE)]),
            None,
            4,
        )
        .inactive(),
        row(
            "its own duration",
            ripe().fallback(0, json!({"replicas": 10, "failureDurationSeconds": 181})),
            None,
            4,
        )
        .inactive(),
    ]
}

/// Beside other metrics.
fn several() -> Vec<Row> {
    let two = || {
        on().fails("gone")
            .fails("gone")
            .fallback(0, json!({"replicas": 6}))
            .fallback(1, json!({"replicas": 7, "failureDurationSeconds": 300}))
    };
    let healthy = |asks: i32| {
        on().fails("gone")
            .fallback(0, json!({"replicas": 6}))
            .wants(asks)
            .remembering(&[waiting("broken-0", 180)])
    };
    vec![
        row(
            "two that fail: the larger",
            two().remembering(&[waiting("broken-0", 400), waiting("broken-1", 400)]),
            Some(7),
            7,
        ),
        row(
            "two with clocks of their own: one that waits counts as failed",
            two().remembering(&[waiting("broken-0", 299), waiting("broken-1", 299)]),
            Some(6),
            6,
        ),
        row(
            "a healthy one that asks for more decides",
            healthy(8),
            Some(8),
            8,
        ),
        row(
            "a healthy one that asks for less does not",
            healthy(2),
            Some(6),
            6,
        ),
        row(
            "an active one does not block a scale-down",
            on().replicas(9)
                .fails("gone")
                .fallback(0, json!({"replicas": 6}))
                .wants(2)
                .remembering(&[waiting("broken-0", 180)]),
            Some(6),
            6,
        ),
        row(
            "one that waits does",
            on().replicas(9)
                .fails("gone")
                .fallback(0, json!({"replicas": 6}))
                .wants(2)
                .remembering(&[waiting("broken-0", 100)]),
            None,
            9,
        )
        .inactive(),
        row(
            "and so does another without a fallback",
            on().replicas(9)
                .fails("gone")
                .fallback(0, json!({"replicas": 6}))
                .fails("gone")
                .remembering(&[waiting("broken-0", 180)]),
            None,
            9,
        ),
        row(
            "which does not stop a change upwards",
            on().fails("gone")
                .fallback(0, json!({"replicas": 6}))
                .fails("gone")
                .remembering(&[waiting("broken-0", 180)]),
            Some(6),
            6,
        ),
    ]
}

/// Under bounds, policies and window.
fn limits() -> Vec<Row> {
    let quick =
        json!({"scaleUp": {"policies": [{"type": "Pods", "value": 3, "periodSeconds": 60}]}});
    let window = json!({"scaleUp": {"stabilizationWindowSeconds": 120}});
    vec![
        row("maxReplicas holds", ripe().bounds(1, 6), Some(10), 6),
        row(
            "minReplicas holds",
            ripe().bounds(4, 20).fallback(0, json!({"replicas": 1})),
            Some(1),
            4,
        ),
        row("policies hold", ripe().behavior(quick), Some(10), 7),
        row(
            "the window holds",
            ripe().behavior(window).remembers(&[(60, 5)]),
            Some(10),
            5,
        ),
    ]
}

/// Where there is one at all.
fn scope() -> Vec<Row> {
    vec![
        row(
            "the entry of the same name and selector, wherever it is",
            queue().remembering(&[json!({"type": ""}), waiting("broken-0", 180)]),
            Some(10),
            8,
        ),
        row(
            "the entry of another metric does not count",
            queue().remembering(&[waiting("other", 180)]),
            None,
            4,
        )
        .inactive(),
        row(
            "nor that of another type",
            queue().remembering(&[
                json!({"type": "Pods", "external": waiting("broken-0", 180)["external"]}),
            ]),
            None,
            4,
        )
        .inactive(),
        row(
            "without the field the gate changes nothing",
            on().fails("gone").remembering(&[waiting("broken-0", 180)]),
            None,
            4,
        )
        .unset(),
        row(
            "without the gate the field is ignored",
            ripe().gate(GATE, false),
            None,
            4,
        )
        .unset(),
        row(
            "above maxReplicas nobody looks at metrics",
            ripe().bounds(1, 3),
            None,
            3,
        )
        .unset(),
    ]
}

#[test]
fn a_fallback_joins_the_ordinary_maximum() {
    let rows: Vec<Row> = [clocks(), several(), limits(), scope()]
        .into_iter()
        .flatten()
        .collect();
    for row in &rows {
        let pass = row.case.run();
        let trace = &pass.trace;
        let recommendation = trace.recommendation.as_ref();
        let asked = recommendation.and_then(|it| it.replicas);
        assert_eq!(asked, row.asked, "{}", row.says);
        assert_eq!(pass.size(), row.size, "{}", row.says);
        assert_eq!(pass.condition(CONDITION), row.condition, "{}", row.says);
        let events = trace.events.iter();
        let activated: Vec<_> = events
            .filter(|event| event.reason == "ExternalMetricFallbackActivated")
            .collect();
        assert_eq!(!activated.is_empty(), row.activated, "{}", row.says);
        assert!(activated.iter().all(|it| it.kind == EventType::Normal));
        // A metric asks for something or is complained about, never both.
        for metric in trace.failed_metrics().filter(|_| recommendation.is_some()) {
            assert_eq!(metric.is_invalid(), metric.asks_for().is_none());
        }
        let complaints = trace.events.iter();
        let complaints = complaints.filter(|it| it.reason == "FailedGetExternalMetric");
        let invalid = trace.invalid_metrics().filter(|_| recommendation.is_some());
        assert_eq!(complaints.count(), invalid.count(), "{}", row.says);
    }
    assert_eq!(rows.len(), 25);
}

#[test]
fn the_words_of_the_design() {
    let pass = queue().remembering(&[waiting("broken-0", 185)]).run();
    assert_eq!(
        pass.events()[0],
        format!("ExternalMetricFallbackActivated: {ACTIVATED}")
    );
    assert_eq!(
        pass.message(CONDITION),
        "external metrics in fallback: broken-0"
    );
    assert_eq!(pass.condition("ScalingActive"), "True/ValidMetricFound");
    let metric = &pass.outcome["metrics"][0];
    assert_eq!(metric["proposedReplicas"], 10);
    assert_eq!(metric["current"]["external"]["fallbackStatus"], "Fallback");
    assert_eq!(
        metric["current"]["external"]["firstFailureTime"],
        before(185)
    );
    assert_eq!(
        metric["reason"], "FailedGetExternalMetric",
        "it failed all the same"
    );
}

#[test]
fn the_trace_holds_the_clock() {
    let of = |case: Case| {
        let trace = case.run().trace;
        let fallback = trace.metrics[0].fallback.clone().expect("a fallback");
        (fallback.rule, fallback.seconds_left, fallback.formula)
    };
    let rows = [
        (
            queue(),
            Rule::FallbackWaiting,
            Some(180),
            "failing for 0s < 3m",
        ),
        (
            queue().remembering(&[waiting("broken-0", 80)]),
            Rule::FallbackWaiting,
            Some(100),
            "failing for 1m20s < 3m",
        ),
        (
            queue().remembering(&[waiting("broken-0", 300)]),
            Rule::FallbackActive,
            None,
            "failing for 5m >= 3m",
        ),
        (
            // A clock that runs ahead of ours.
            queue().remembering(&[waiting("broken-0", -20)]),
            Rule::FallbackWaiting,
            Some(200),
            "failing for -20s < 3m",
        ),
        (
            on().wants(5).fallback(0, json!({"replicas": 10})),
            Rule::FallbackNormal,
            None,
            "the metric does not fail",
        ),
    ];
    for (case, rule, left, formula) in rows {
        assert_eq!(of(case), (rule, left, formula.to_owned()));
    }
}

/// A clock whose readings are not whole seconds, and numbers at the edges of
/// their types: nothing overflows, and what is left is never 0 while it waits.
#[test]
fn clocks_at_the_edges() {
    let now = "2026-03-01T12:00:00.25Z";
    let mut rows = 0;
    for (since, duration, left) in [
        (None, 180, Some(180)),
        (Some("2026-03-01T11:57:00Z"), 180, None),
        (Some("2026-03-01T11:57:01Z"), 180, Some(1)),
        (Some("9999-01-01T00:00:00Z"), i64::MAX, Some(i64::MAX)),
        (Some("-009998-01-01T00:00:00Z"), i64::MIN, None),
        (None, 0, None),
        (None, -5, None),
    ] {
        let mut entry = status("broken-0", None, FALLBACK_NORMAL);
        if let Some(since) = since {
            entry["external"]["firstFailureTime"] = json!(since);
        }
        let case = queue()
            .set("/capturedAt", now)
            .fallback(
                0,
                json!({"replicas": 5, "failureDurationSeconds": duration}),
            )
            .remembering(&[entry]);
        let trace = case.run().trace;
        let fallback = trace.metrics[0].fallback.as_ref().expect("a fallback");
        assert_eq!(fallback.seconds_left, left, "{since:?} {duration}");
        assert_eq!(fallback.active, left.is_none(), "{since:?} {duration}");
        rows += 1;
    }
    assert_eq!(rows, 7);
}

/// The next pass, on what this one leaves in the status.
fn next(case: &Case, pass: &Pass, seconds: i64) -> Case {
    case.after(pass, seconds).remembering(&statuses(pass))
}

/// The entries of `status.currentMetrics` that a pass leaves; empty for a metric that
/// gives no value.
fn statuses(pass: &Pass) -> Vec<Value> {
    let statuses = pass.trace.metrics.iter().map(|metric| {
        let own = metric.proposed().map(|proposed| &proposed.current);
        let fallback = metric.fallback.as_ref();
        let status = own.or_else(|| fallback.and_then(|it| it.status.as_ref()));
        status.map_or_else(|| json!(MetricStatus::default()), |status| json!(status))
    });
    statuses.collect()
}

#[test]
fn passes_in_a_row() {
    let mut case = queue();
    let mut sizes = Vec::new();
    let mut activations = 0;
    // Failing from the first pass on, every 15 seconds.
    for _ in 0..14 {
        let pass = case.run();
        sizes.push(pass.size());
        let mut events = pass.trace.events.iter();
        activations += usize::from(events.any(|event| event.message == ACTIVATED));
        case = next(&case, &pass, 15);
    }
    assert_eq!(sizes, [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 10]);
    assert_eq!(activations, 1);
    // The first success clears the clock.
    let healthy = json!({"metric": "broken-0", "response": {"items": [{"value": "5"}]}});
    let answered = case.clone().set("/metrics/external/0", healthy).run();
    let status = &statuses(&answered)[0];
    assert_eq!(status["external"].get("firstFailureTime"), None);
    assert_eq!(status["external"]["fallbackStatus"], "Normal");
    assert_eq!(answered.condition(CONDITION), "False/FallbackInactive");
    // The next failure starts it anew.
    let again = next(&case, &answered, 15).run();
    let fallback = again.trace.metrics[0]
        .fallback
        .as_ref()
        .expect("a fallback");
    assert_eq!(fallback.seconds_left, Some(180));
}

#[test]
fn a_restart_of_the_controller_keeps_the_clock() {
    let case = queue().remembering(&[waiting("broken-0", 170)]);
    let pass = case.run();
    let restarted = next(&case, &pass, 15).just_started().run();
    let fallback = restarted.trace.metrics[0].fallback.as_ref();
    assert!(fallback.is_some_and(|fallback| fallback.active));
    assert_eq!(restarted.condition(CONDITION), "True/FallbackActive");
}

fn snapshot(case: &Case) -> Snapshot {
    let mut documents = read_documents(&case.document().to_string());
    documents.remove(0).snapshot.expect("a readable snapshot")
}

fn given(case: &Case, gate: Option<bool>) -> (Settings, Trace) {
    let snapshot = snapshot(case);
    let gates = gate.map(|on| (GATE.to_owned(), on)).into_iter();
    let overrides = Overrides {
        feature_gates: gates.collect(),
        ..Overrides::default()
    };
    let settings = Settings::resolve(&snapshot, &overrides);
    let trace = reconcile(&snapshot, &settings, snapshot.captured_at);
    (settings, trace)
}

/// Who turns the gate on in a cluster that has it off starts a new clock.
#[test]
fn the_gate_and_where_it_comes_from() {
    use FallbackGate::{Off, On, TurnedOn};
    use Origin::{Given, Observed};
    let case = || {
        Case::new()
            .replicas(4)
            .fails("gone")
            .fallback(0, json!({"replicas": 10}))
            .remembering(&[waiting("broken-0", 300)])
    };
    let rows = [
        (case(), None, Off, None, None),
        (case(), Some(false), Off, Some(Given), None),
        (case(), Some(true), On, Some(Given), Some(true)),
        (
            case().gate(GATE, true),
            None,
            On,
            Some(Observed),
            Some(true),
        ),
        (
            case().gate(GATE, true),
            Some(true),
            On,
            Some(Given),
            Some(true),
        ),
        (case().gate(GATE, true), Some(false), Off, Some(Given), None),
        (case().gate(GATE, false), None, Off, Some(Observed), None),
        (
            case().gate(GATE, false),
            Some(true),
            TurnedOn,
            Some(Given),
            Some(false),
        ),
    ];
    for (case, gate, resolved, origin, active) in rows {
        for release in [23, 36, 38] {
            let (settings, trace) = given(&case.clone().release(release), gate);
            assert_eq!(settings.gates.external_metric_fallback, resolved);
            let mut settings = trace.basis.settings.iter();
            let listed = settings.find(|setting| setting.name == GATE);
            assert_eq!(listed.map(|setting| setting.origin), origin, "{gate:?}");
            let fallback = trace.metrics[0].fallback.as_ref();
            assert_eq!(
                fallback.map(|it| it.active),
                active,
                "{gate:?} {resolved:?}"
            );
            let warned = trace
                .basis
                .warnings
                .iter()
                .any(|it| it.contains("a design (KEP-5679)"));
            assert_eq!(warned, resolved.is_on());
        }
    }
    let (_, without) = given(&Case::new().fails("gone"), Some(true));
    assert_eq!(
        without.basis.warnings,
        [format!("{GATE}: no External metric has a fallback")]
    );
}

/// What the gate off leaves of the field and of the status is nothing at all.
#[test]
fn without_the_gate_nothing_is_different() {
    let unreadable = json!({"metric": "broken-0", "unreadable": "forbidden"});
    let bare = || Case::new().replicas(4).fails("gone").wants(6);
    let plain =
        json!({"type": "External", "external": {"metric": {"name": "broken-0"}, "current": {}}});
    let cases = [
        bare(),
        bare().without_metrics().wants(6).wants(3),
        bare().set("/metrics/external/0", unreadable),
        bare().set("/scale", json!({"unreadable": "forbidden"})),
        bare().set("/scale/response/spec/replicas", 0),
        bare().selector(""),
    ];
    for case in &cases {
        let name = snapshot(case).hpa.spec.metrics[0]
            .external
            .as_ref()
            .map(|source| source.metric.name.clone())
            .expect("an External metric");
        let (_, without) = given(
            &case.clone().remembering(std::slice::from_ref(&plain)),
            None,
        );
        let with = case
            .clone()
            .fallback(0, json!({"replicas": 10}))
            .remembering(&[waiting(&name, 300)]);
        let (_, with) = given(&with, None);
        assert_eq!(json!(with), json!(without));
        assert!(!json!(with).to_string().contains("allback"));
    }
    assert_eq!(cases.len(), 6);
}

/// What we may not read is no failure of the controller.
#[test]
fn what_cannot_be_read_is_unknown() {
    let refused = json!({"metric": "broken-0", "unreadable": "forbidden"});
    let metric = queue()
        .remembering(&[waiting("broken-0", 300)])
        .set("/metrics/external/0", refused.clone());
    let scale = metric
        .clone()
        .set("/scale", json!({"unreadable": "forbidden"}));
    for case in [metric, scale] {
        let (_, trace) = given(&case, None);
        let fallback = trace.metrics[0].fallback.as_ref().expect("a fallback");
        assert_eq!(fallback.rule, Rule::FallbackUnknown);
        assert!(!fallback.active);
        assert_eq!(trace.metrics[0].asks_for(), None);
        let mut conditions = trace.conditions.iter();
        let condition = conditions
            .find(|it| it.kind.as_str() == CONDITION)
            .expect("the condition");
        assert_eq!(condition.status.as_str(), "Unknown");
        assert_eq!(trace.outcome.desired_replicas, None);
        assert!(trace.events.is_empty(), "{:?}", trace.events);
    }
    // One that is known to be in fallback is enough.
    let both = on()
        .fails("gone")
        .fails("gone")
        .fallback(0, json!({"replicas": 6}))
        .fallback(1, json!({"replicas": 7}))
        .remembering(&[waiting("broken-0", 300), waiting("broken-1", 300)])
        .set("/metrics/external/0", refused);
    let (_, trace) = given(&both, None);
    let mut conditions = trace.conditions.iter();
    let condition = conditions.find(|it| it.kind.as_str() == CONDITION);
    assert_eq!(condition.map(|it| it.status.as_str()), Some("True"));
    let possible = trace.outcome.possible.expect("bounds");
    assert!(
        possible.contains(7) && !possible.contains(3),
        "{possible:?}"
    );
}

/// With no metric that has a fallback, a condition of an earlier spec goes.
#[test]
fn a_condition_that_nothing_stands_for() {
    let case = on().wants(4).condition(CONDITION, "True");
    assert_eq!(case.run().condition(CONDITION), "");
    let off = case.gate(GATE, false).run();
    assert_eq!(off.condition(CONDITION), format!("True/{CONDITION}"));
}

/// A gate is not known when a snapshot is read: whatever the field holds can
/// be read, and counts for nothing.
#[test]
fn a_field_that_is_malformed_is_left_out() {
    let rows = [
        json!(5),
        json!("x"),
        json!([]),
        json!({}),
        json!({"replicas": "x"}),
        json!({"replicas": 1.5}),
        json!({"replicas": 1, "failureDurationSeconds": "3m"}),
    ];
    let bare = Case::new()
        .replicas(4)
        .fails("gone")
        .remembering(&[waiting("broken-0", 300)]);
    let (_, without) = given(&bare, None);
    for malformed in &rows {
        let case = bare.clone().fallback(0, malformed.clone());
        let (_, off) = given(&case, None);
        assert_eq!(json!(off), json!(without), "{malformed}");
        let (_, on) = given(&case, Some(true));
        assert!(on.metrics[0].fallback.is_none(), "{malformed}");
        let says = format!(
            "{GATE}: spec.metrics[0].external.fallback is left out: it must be {{replicas, \
             failureDurationSeconds}}"
        );
        assert_eq!(on.basis.warnings, [says], "{malformed}");
    }
    assert_eq!(rows.len(), 7);
}
