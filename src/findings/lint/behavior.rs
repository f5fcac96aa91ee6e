//! `spec.behavior`: windows, policies and tolerances that do not do what they
//! seem to.

use serde_json::json;

use super::{Found, Lint, at};
use crate::api::{
    Behavior, Direction, HpaSpec, PolicyKind, Quantity, ScalingPolicy, ScalingRules, SelectPolicy,
};
use crate::document::FieldPath;
use crate::findings::shared_findings;
use crate::trace::{Code, Finding, Severity};

/// How often the controller looks, in seconds, unless its flag says otherwise.
pub(super) const SYNC_PERIOD: i32 = 15;

/// Percent of the pods that are all of them.
pub(super) const ALL: i32 = 100;

pub(super) fn directions(spec: &HpaSpec) -> impl Iterator<Item = (Direction, &ScalingRules)> {
    spec.behavior.iter().flat_map(Behavior::directions)
}

/// The path of a direction.
pub(super) fn path_of(direction: Direction) -> FieldPath {
    FieldPath::from("spec.behavior").field(direction.field())
}

pub(super) fn policies(rules: &ScalingRules) -> &[ScalingPolicy] {
    rules.policies.as_deref().unwrap_or_default()
}

pub(super) fn text(policy: &ScalingPolicy) -> String {
    format!(
        "{} {} per {}s",
        policy.kind, policy.value, policy.period_seconds
    )
}

/// A `behavior` that sets nothing is not the same as none.
pub(super) fn empty(spec: &HpaSpec, findings: &mut Vec<Found>) {
    if spec.behavior != Some(Behavior::of_defaults()) {
        return;
    }
    let message = "behavior is empty, which is not the same as no behavior";
    let finding = Finding::new(Code::BehaviorEmpty, message);
    let finding = shared_findings::empty_behavior(finding, "the controller's window");
    findings.push(at("spec.behavior", finding));
}

/// A direction that is switched off.
pub(super) fn disabled(spec: &HpaSpec, findings: &mut Vec<Found>) {
    for (direction, rules) in directions(spec) {
        if !rules.is_disabled() {
            continue;
        }
        let (consequence, severity) = match direction {
            Direction::Up => (
                "the size never grows whatever the load is",
                Severity::Warning,
            ),
            Direction::Down => (
                "the size never shrinks, except to maxReplicas",
                Severity::Info,
            ),
        };
        let message = format!("{direction}.selectPolicy is Disabled, so {consequence}");
        let finding = Finding::new(Code::BehaviorDisabled, message).at_most(severity);
        let field = path_of(direction).field("selectPolicy");
        let finding = finding.advice("use Max or Min to allow this direction");
        findings.push(at(field, finding));
    }
}

/// What is written for a direction that is switched off, and not what the API
/// server puts there.
pub(super) fn disabled_rules(lint: &Lint, _spec: &HpaSpec, findings: &mut Vec<Found>) {
    for (direction, rules) in directions(&lint.manifest.spec) {
        if !rules.is_disabled() {
            continue;
        }
        let (field, what) = match rules.stabilization_window_seconds {
            Some(window) if window > 0 => (
                "stabilizationWindowSeconds",
                format!("window of {window}s has"),
            ),
            _ if !policies(rules).is_empty() => ("policies", "policies have".to_owned()),
            _ => continue,
        };
        let message = format!("{direction} {what} no effect, because selectPolicy is Disabled");
        let field = path_of(direction).field(field);
        let finding = redundant(message).at_most(Severity::Info);
        findings.push(at(field, finding));
    }
}

/// One of two that do no more together.
pub(super) fn redundant(message: String) -> Finding {
    Finding::new(Code::PolicyUnused, message).advice("remove one of the two")
}

/// A policy is for so much in its period; where passes are this many times
/// further apart, it is another one.
const MANY_TIMES: i64 = 4;

/// Less than a pass apart nothing can happen twice. What is as old as the
/// window is long does not count any more, so that one as long as the time
/// between two passes holds nothing, either; a period of that length allows
/// in each pass what it says.
pub(super) fn short_periods(spec: &HpaSpec, sync_period: i64, findings: &mut Vec<Found>) {
    for (direction, rules) in directions(spec) {
        let field = path_of(direction);
        let window = i64::from(rules.stabilization_window_seconds.unwrap_or_default());
        if (1..=sync_period).contains(&window) {
            let message = format!(
                "{direction} window of {window}s has no effect: the controller runs every \
                 {sync_period}s, so its previous recommendation is already outside the window"
            );
            let finding = Finding::new(Code::ShortPeriod, message);
            let field = field.clone().field("stabilizationWindowSeconds");
            let finding = finding.advice(format!(
                "set {}s or more to keep the previous recommendation in the window, or 0 for no \
                 window",
                sync_period.saturating_add(1)
            ));
            findings.push(at(field, finding));
        }
        for (index, policy) in policies(rules).iter().enumerate() {
            let period = i64::from(policy.period_seconds);
            let is_limit = direction == Direction::Up || !is_all(policy);
            if !is_limit || !(1..sync_period).contains(&period) {
                continue;
            }
            let message = format!(
                "{direction} policy {} allows that much per {sync_period}s, because the controller \
                 runs every {sync_period}s",
                text(policy)
            );
            let mut finding = Finding::new(Code::ShortPeriod, message);
            if sync_period < period.saturating_mul(MANY_TIMES) {
                finding = finding.at_most(Severity::Info);
            }
            let field = field.clone().field("policies").item(index);
            let field = field.field("periodSeconds");
            let finding =
                finding.advice("set a period of at least the sync period, 15s by default");
            findings.push(at(field, finding));
        }
    }
}

/// Slow up and fast down: the load has to wait for what it just lost.
pub(super) fn window_order(spec: &HpaSpec, findings: &mut Vec<Found>) {
    let window = |direction| {
        let rules = spec.behavior.as_ref()?.rules(direction)?;
        rules.stabilization_window_seconds
    };
    let (Some(up), Some(down)) = (window(Direction::Up), window(Direction::Down)) else {
        return;
    };
    if up <= down || up <= SYNC_PERIOD {
        return;
    }
    let message = format!(
        "the scaleUp window ({up}s) is longer than the scaleDown window ({down}s), so pods are \
         removed sooner than they are added"
    );
    let finding = Finding::new(Code::WindowOrder, message);
    let field = "spec.behavior.scaleUp.stabilizationWindowSeconds";
    let finding = finding.advice("make the scaleDown window the longer one");
    findings.push(at(field, finding));
}

/// Neither a window nor a policy slows the way down.
pub(super) fn sudden_drop(spec: &HpaSpec, findings: &mut Vec<Found>) {
    let behavior = spec.behavior.as_ref();
    let Some(down) = behavior.and_then(|it| it.rules(Direction::Down)) else {
        return;
    };
    let has_all = policies(down).iter().any(is_all);
    let is_open = down.select_policy == Some(SelectPolicy::Max.into()) && has_all;
    if down.stabilization_window_seconds != Some(0) || !is_open {
        return;
    }
    let min = spec.min_replicas.unwrap_or(1);
    let message = format!(
        "scaleDown has window 0 and allows 100%, so one low sample reduces the size to {min}"
    );
    let finding = Finding::new(Code::SuddenDrop, message).patch(
        "wait for five minutes of low load",
        &json!({"spec": {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 300}}}}),
    );
    let field = "spec.behavior.scaleDown.stabilizationWindowSeconds";
    findings.push(at(field, finding));
}

pub(super) fn is_all(policy: &ScalingPolicy) -> bool {
    policy.kind == PolicyKind::Percent && policy.value >= ALL
}

/// Tolerances that the API server drops. Where it does, the defaulted spec has
/// none.
pub(super) fn dropped_tolerance(lint: &Lint, _spec: &HpaSpec, findings: &mut Vec<Found>) {
    if lint.rules.configurable_tolerance {
        return;
    }
    for (direction, rules) in directions(&lint.manifest.spec) {
        if rules.tolerance.is_none() {
            continue;
        }
        let message = format!(
            "{direction}.tolerance is dropped, because feature gate HPAConfigurableTolerance is off in {}",
            lint.rules.release
        );
        let finding = Finding::new(Code::ToleranceUnused, message).advice(
            "set the controller's flag --horizontal-pod-autoscaler-tolerance instead, for all HPAs",
        );
        findings.push(at(path_of(direction).field("tolerance"), finding));
    }
}

/// Tolerances without use, or that forbid every change.
pub(super) fn wide_tolerance(spec: &HpaSpec, findings: &mut Vec<Found>) {
    for (direction, rules) in directions(spec) {
        let tolerance = rules.tolerance.as_ref();
        let useless = tolerance.and_then(|own| useless(direction, rules, own));
        let Some((message, advice)) = useless else {
            continue;
        };
        let finding = Finding::new(Code::ToleranceUnused, message).advice(advice);
        findings.push(at(path_of(direction).field("tolerance"), finding));
    }
}

fn useless(
    direction: Direction,
    rules: &ScalingRules,
    tolerance: &Quantity,
) -> Option<(String, &'static str)> {
    if rules.is_disabled() {
        let message =
            format!("{direction}.tolerance has no effect, because selectPolicy is Disabled");
        return Some((message, "remove one of the two"));
    }
    let fraction = tolerance.as_approximate_float();
    if direction == Direction::Down && fraction >= 1.0 {
        let message = format!(
            "scaleDown.tolerance {tolerance} is 100% or more, and no metric is that far below its target"
        );
        return Some((message, "write the tolerance as a fraction: 0.1 is 10%"));
    }
    if direction == Direction::Up && fraction >= 1.0 {
        let message = format!("scaleUp.tolerance {tolerance} still tolerates twice the target");
        return Some((message, "write the tolerance as a fraction: 0.1 is 10%"));
    }
    None
}
