//! The HPA's spec as numbers.

use crate::api::{self, Direction, HpaSpec, PolicyKind, Quantity, SelectPolicy};
use crate::controller::release::{Release, Switch};
use crate::controller::time::{Nanos, SECOND};

/// The part of the spec that is not about single metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// `minReplicas`.
    pub min: i32,
    /// `maxReplicas`.
    pub max: i32,
    /// `behavior`; its absence selects the older algorithm.
    pub behavior: Option<Behavior>,
    /// Whether a metric does not need pods to be measured: only such an HPA
    /// can come back from zero.
    pub has_object_or_external: bool,
}

/// `spec.behavior`.
#[derive(Clone, Debug, PartialEq)]
pub struct Behavior {
    /// Upwards.
    pub scale_up: Rules,
    /// Downwards.
    pub scale_down: Rules,
}

impl Behavior {
    /// The rules of both directions.
    pub const fn directions(&self) -> [(Direction, &Rules); 2] {
        [
            (Direction::Up, &self.scale_up),
            (Direction::Down, &self.scale_down),
        ]
    }

    /// The policies of both directions.
    pub fn policies(&self) -> impl Iterator<Item = (Direction, &Policy)> {
        let directions = self.directions().into_iter();
        directions.flat_map(|(way, rules)| rules.policies.iter().map(move |it| (way, it)))
    }
}

/// The rules of one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// The window in seconds; absent downwards means the controller's flag.
    pub window: Option<i32>,
    /// Which policy counts.
    pub select: SelectPolicy,
    /// The policies.
    pub policies: Vec<Policy>,
    /// The tolerance, a fraction of 1.
    pub tolerance: Option<f64>,
}

impl Rules {
    /// The longest period of the policies.
    pub fn longest_period(&self) -> Nanos {
        let periods = self.policies.iter().map(|policy| policy.period_seconds);
        Nanos::from(periods.max().unwrap_or(0).max(0)) * SECOND
    }
}

/// A scaling policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What the value means.
    pub kind: PolicyKind,
    /// Pods, or percent.
    pub value: i32,
    /// The length of the period in seconds.
    pub period_seconds: i32,
}

impl Spec {
    /// Reads the spec.
    pub fn new(spec: &HpaSpec, release: Release) -> Self {
        Self {
            min: spec.min_replicas.unwrap_or(1),
            max: spec.max_replicas,
            behavior: spec.behavior.as_ref().map(|it| Behavior::new(it, release)),
            has_object_or_external: spec.metrics.iter().any(api::MetricSpec::is_one_value),
        }
    }
}

impl Behavior {
    fn new(behavior: &api::Behavior, release: Release) -> Self {
        Self {
            scale_up: Rules::new(behavior.scale_up.as_ref(), release),
            scale_down: Rules::new(behavior.scale_down.as_ref(), release),
        }
    }
}

impl Rules {
    fn new(rules: Option<&api::ScalingRules>, release: Release) -> Self {
        let select = rules.and_then(|rules| rules.select_policy.as_ref()?.known());
        let policies = rules.and_then(|rules| rules.policies.as_ref());
        Self {
            window: rules.and_then(|rules| rules.stabilization_window_seconds),
            select: select.unwrap_or(SelectPolicy::Max),
            policies: policies.into_iter().flatten().map(Policy::new).collect(),
            tolerance: rules
                .and_then(|rules| rules.tolerance.as_ref())
                .map(|tolerance| fraction(tolerance, release)),
        }
    }
}

/// `tolerance.AsApproximateFloat64()`.
fn fraction(tolerance: &Quantity, release: Release) -> f64 {
    let fraction = tolerance.as_approximate_float();
    if fraction.is_nan() && release.has(Switch::ZeroTolerance) {
        return 0.0;
    }
    fraction
}

impl Policy {
    fn new(policy: &api::ScalingPolicy) -> Self {
        Self {
            kind: policy.kind.known().unwrap_or(PolicyKind::Percent),
            value: policy.value,
            period_seconds: policy.period_seconds,
        }
    }
}
