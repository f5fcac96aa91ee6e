//! The rules of `spec.behavior` that are in effect, each with its origin.

use crate::api::{Behavior, Direction, HpaSpec, OneOf, ScalingPolicy, ScalingRules};
use crate::controller::Settings;
use crate::trace::{BehaviorValue, Origin, ValueOrigin, seconds_text};

const WINDOW: &str = "stabilizationWindowSeconds";
const SELECT: &str = "selectPolicy";
const POLICIES: &str = "policies";
const TOLERANCE: &str = "tolerance";

const WINDOW_FLAG: &str = "--horizontal-pod-autoscaler-downscale-stabilization";
const TOLERANCE_FLAG: &str = "--horizontal-pod-autoscaler-tolerance";

/// The rules that are in effect under a spec, as the API server stores it:
/// window, selection, policies and tolerance, upwards and then downwards. The
/// list has the same fields for every spec.
pub fn effective(spec: &HpaSpec, settings: &Settings) -> Vec<BehaviorValue> {
    let Some(behavior) = &spec.behavior else {
        return without_behavior(settings);
    };
    let defaults = Behavior::of_defaults();
    let mut values = Vec::new();
    for side in [Direction::Up, Direction::Down] {
        let rules = |behavior: &Behavior| behavior.rules(side).cloned().unwrap_or_default();
        values.extend(of_side(side, &rules(behavior), &rules(&defaults), settings));
    }
    values
}

fn of_side(
    side: Direction,
    rules: &ScalingRules,
    defaults: &ScalingRules,
    settings: &Settings,
) -> [BehaviorValue; 4] {
    let origin = |is_default: bool| {
        if is_default {
            ValueOrigin::ApiDefault
        } else {
            ValueOrigin::Spec
        }
    };
    let own = rules.stabilization_window_seconds;
    let window = own.map_or_else(
        || window_of_the_flag(side, settings),
        |seconds| {
            let origin = origin(own == defaults.stabilization_window_seconds);
            value(side, WINDOW, seconds_text(i64::from(seconds)), origin)
        },
    );
    let select = rules.select_policy.as_ref().map_or("Max", OneOf::as_str);
    let is_default = rules.select_policy == defaults.select_policy;
    let select = value(side, SELECT, select, origin(is_default));
    let policies = policies(rules.policies.as_deref().unwrap_or_default());
    let is_default = rules.policies == defaults.policies;
    let policies = value(side, POLICIES, policies, origin(is_default));
    let own = rules.tolerance.as_ref();
    let own = own.filter(|_| settings.gates.configurable_tolerance);
    let tolerance = own.map_or_else(
        || tolerance_of_the_flag(side, settings),
        |tolerance| {
            let tolerance = tolerance.as_approximate_float().to_string();
            value(side, TOLERANCE, tolerance, ValueOrigin::Spec)
        },
    );
    [window, select, policies, tolerance]
}

fn value(
    side: Direction,
    field: &str,
    value: impl Into<String>,
    origin: ValueOrigin,
) -> BehaviorValue {
    BehaviorValue {
        field: format!("{side}.{field}"),
        value: value.into(),
        origin,
    }
}

/// The older algorithm: no window upwards, doubling, nothing that slows the
/// way down.
fn without_behavior(settings: &Settings) -> Vec<BehaviorValue> {
    let (up, down) = (Direction::Up, Direction::Down);
    let fixed = |side, field, text| value(side, field, text, ValueOrigin::WithoutBehavior);
    vec![
        fixed(up, WINDOW, "0s"),
        fixed(up, SELECT, "Max"),
        fixed(up, POLICIES, "twice the size or 4, whichever is larger"),
        tolerance_of_the_flag(up, settings),
        window_of_the_flag(down, settings),
        fixed(down, SELECT, "Max"),
        fixed(down, POLICIES, "no limit"),
        tolerance_of_the_flag(down, settings),
    ]
}

fn window_of_the_flag(side: Direction, settings: &Settings) -> BehaviorValue {
    let seconds = seconds_text(settings.downscale_stabilization_seconds());
    value(side, WINDOW, seconds, of_flag(settings, WINDOW_FLAG))
}

fn tolerance_of_the_flag(side: Direction, settings: &Settings) -> BehaviorValue {
    let tolerance = settings.tolerance.to_string();
    value(
        side,
        TOLERANCE,
        tolerance,
        of_flag(settings, TOLERANCE_FLAG),
    )
}

fn of_flag(settings: &Settings, name: &str) -> ValueOrigin {
    let mut records = settings.basis().settings.iter();
    let record = records.find(|record| record.name == name);
    ValueOrigin::flag(record.map_or(Origin::Assumed, |record| record.origin))
}

/// `Pods 4/15s, Percent 100/15s`.
fn policies(policies: &[ScalingPolicy]) -> String {
    let texts = policies.iter().map(|policy| {
        let ScalingPolicy {
            kind,
            value,
            period_seconds,
        } = policy;
        format!("{kind} {value}/{period_seconds}s")
    });
    texts.collect::<Vec<_>>().join(", ")
}
