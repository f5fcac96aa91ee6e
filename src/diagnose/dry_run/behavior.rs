//! The rules of `spec.behavior` that are in effect, each with its origin.

use crate::api::{Behavior, HpaSpec, ScalingPolicy, ScalingRules};
use crate::controller::Settings;
use crate::trace::{BehaviorValue, Origin, ValueOrigin, seconds_text};

/// The names of one direction's fields.
struct Fields {
    window: &'static str,
    select: &'static str,
    policies: &'static str,
    tolerance: &'static str,
}

const UP: Fields = Fields {
    window: "scaleUp.stabilizationWindowSeconds",
    select: "scaleUp.selectPolicy",
    policies: "scaleUp.policies",
    tolerance: "scaleUp.tolerance",
};

const DOWN: Fields = Fields {
    window: "scaleDown.stabilizationWindowSeconds",
    select: "scaleDown.selectPolicy",
    policies: "scaleDown.policies",
    tolerance: "scaleDown.tolerance",
};

const WINDOW_FLAG: &str = "--horizontal-pod-autoscaler-downscale-stabilization";
const TOLERANCE_FLAG: &str = "--horizontal-pod-autoscaler-tolerance";

/// The rules that are in effect under a spec, as the API server stores it:
/// window, selection, policies and tolerance, upwards and then downwards. The
/// list has the same fields for every spec.
#[must_use]
pub fn effective(spec: &HpaSpec, settings: &Settings) -> Vec<BehaviorValue> {
    let Some(behavior) = &spec.behavior else {
        return without_behavior(settings);
    };
    let defaults = Behavior::of_defaults();
    let mut values = Vec::new();
    let directions = [
        (UP, &behavior.scale_up, &defaults.scale_up),
        (DOWN, &behavior.scale_down, &defaults.scale_down),
    ];
    for (fields, rules, defaults) in directions {
        let (rules, defaults) = (rules.clone(), defaults.clone());
        let (rules, defaults) = (rules.unwrap_or_default(), defaults.unwrap_or_default());
        values.extend(direction(&fields, &rules, &defaults, settings));
    }
    values
}

fn direction(
    fields: &Fields,
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
            field: fields.window,
            value: seconds_text(i64::from(seconds)),
            origin: origin(
                rules.stabilization_window_seconds == defaults.stabilization_window_seconds,
            ),
        },
        None => window_of_the_flag(fields.window, settings),
    };
    let select = BehaviorValue {
        field: fields.select,
        value: rules
            .select_policy
            .clone()
            .unwrap_or_else(|| "Max".to_owned()),
        origin: origin(rules.select_policy == defaults.select_policy),
    };
    let policies = BehaviorValue {
        field: fields.policies,
        value: policies(rules.policies.as_deref().unwrap_or_default()),
        origin: origin(rules.policies == defaults.policies),
    };
    let own = rules.tolerance.as_ref();
    let tolerance = match own.filter(|_| settings.gates.configurable_tolerance) {
        Some(tolerance) => BehaviorValue {
            field: fields.tolerance,
            value: tolerance.as_approximate_float().to_string(),
            origin: ValueOrigin::Spec,
        },
        None => tolerance_of_the_flag(fields.tolerance, settings),
    };
    [window, select, policies, tolerance]
}

/// The older algorithm: no window upwards, doubling, nothing that slows the
/// way down.
fn without_behavior(settings: &Settings) -> Vec<BehaviorValue> {
    let fixed = |field, value: &str| BehaviorValue {
        field,
        value: value.to_owned(),
        origin: ValueOrigin::WithoutBehavior,
    };
    vec![
        fixed(UP.window, "0s"),
        fixed(UP.select, "Max"),
        fixed(UP.policies, "to twice the size or 4 in a pass"),
        tolerance_of_the_flag(UP.tolerance, settings),
        window_of_the_flag(DOWN.window, settings),
        fixed(DOWN.select, "Max"),
        fixed(DOWN.policies, "none: all at once"),
        tolerance_of_the_flag(DOWN.tolerance, settings),
    ]
}

fn window_of_the_flag(field: &'static str, settings: &Settings) -> BehaviorValue {
    BehaviorValue {
        field,
        value: seconds_text(settings.downscale_stabilization_seconds()),
        origin: of_flag(settings, WINDOW_FLAG),
    }
}

fn tolerance_of_the_flag(field: &'static str, settings: &Settings) -> BehaviorValue {
    BehaviorValue {
        field,
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
