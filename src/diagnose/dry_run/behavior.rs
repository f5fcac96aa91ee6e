//! The rules of `spec.behavior` that are in effect, each with its origin.

use crate::api::{Behavior, Direction, HpaSpec, OneOf, ScalingPolicy, ScalingRules};
use crate::controller::Settings;
use crate::trace::{BehaviorValue, Origin, ValueOrigin, seconds_text};

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
    let window = match rules.stabilization_window_seconds {
        Some(seconds) => BehaviorValue {
            field: format!("{side}.stabilizationWindowSeconds"),
            value: seconds_text(i64::from(seconds)),
            origin: origin(
                rules.stabilization_window_seconds == defaults.stabilization_window_seconds,
            ),
        },
        None => window_of_the_flag(side, settings),
    };
    let select = BehaviorValue {
        field: format!("{side}.selectPolicy"),
        value: rules
            .select_policy
            .as_ref()
            .map_or("Max", OneOf::as_str)
            .to_owned(),
        origin: origin(rules.select_policy == defaults.select_policy),
    };
    let policies = BehaviorValue {
        field: format!("{side}.policies"),
        value: policies(rules.policies.as_deref().unwrap_or_default()),
        origin: origin(rules.policies == defaults.policies),
    };
    let own = rules.tolerance.as_ref();
    let tolerance = match own.filter(|_| settings.gates.configurable_tolerance) {
        Some(tolerance) => BehaviorValue {
            field: format!("{side}.tolerance"),
            value: tolerance.as_approximate_float().to_string(),
            origin: ValueOrigin::Spec,
        },
        None => tolerance_of_the_flag(side, settings),
    };
    [window, select, policies, tolerance]
}

/// The older algorithm: no window upwards, doubling, nothing that slows the
/// way down.
fn without_behavior(settings: &Settings) -> Vec<BehaviorValue> {
    let fixed = |field: &str, value: &str| BehaviorValue {
        field: field.to_owned(),
        value: value.to_owned(),
        origin: ValueOrigin::WithoutBehavior,
    };
    vec![
        fixed("scaleUp.stabilizationWindowSeconds", "0s"),
        fixed("scaleUp.selectPolicy", "Max"),
        fixed(
            "scaleUp.policies",
            "twice the size or 4, whichever is larger",
        ),
        tolerance_of_the_flag(Direction::Up, settings),
        window_of_the_flag(Direction::Down, settings),
        fixed("scaleDown.selectPolicy", "Max"),
        fixed("scaleDown.policies", "no limit"),
        tolerance_of_the_flag(Direction::Down, settings),
    ]
}

fn window_of_the_flag(side: Direction, settings: &Settings) -> BehaviorValue {
    BehaviorValue {
        field: format!("{side}.stabilizationWindowSeconds"),
        value: seconds_text(settings.downscale_stabilization_seconds()),
        origin: of_flag(settings, WINDOW_FLAG),
    }
}

fn tolerance_of_the_flag(side: Direction, settings: &Settings) -> BehaviorValue {
    BehaviorValue {
        field: format!("{side}.tolerance"),
        value: settings.tolerance.to_string(),
        origin: of_flag(settings, TOLERANCE_FLAG),
    }
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
