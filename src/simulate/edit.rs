//! A field of a spec that is set to another value, by itself or with others.

use crate::api::{
    Behavior, Direction, HpaSpec, MetricSpec, PolicyKind, Quantity, ScalingPolicy, SelectPolicy,
};

/// The period of the policies, in seconds.
const PERIOD: i32 = 60;

/// A field, and the value that it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The target of the metric that the load is of, in percent of what it is.
    Target(i64),
    /// The lower bound.
    Min(i32),
    /// The upper bound.
    Max(i32),
    /// A stabilization window, in seconds.
    Window(Direction, i32),
    /// The one policy of a direction: pods or percent a minute.
    Policy(Direction, PolicyKind, i32),
    /// A direction that was disabled takes the policy that allows most.
    Enabled(Direction),
    /// The tolerance in both directions, in thousandths.
    Tolerance(i64),
}

impl Edit {
    /// Whether only some releases know its field.
    pub const fn is_tolerance(self) -> bool {
        matches!(self, Self::Tolerance(_))
    }

    /// Whether both are of one field.
    pub fn is_of_field_of(self, other: Self) -> bool {
        let direction = |edit| match edit {
            Self::Window(direction, _) | Self::Policy(direction, ..) | Self::Enabled(direction) => {
                Some(direction)
            }
            _ => None,
        };
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
            && direction(self) == direction(other)
    }

    /// Sets the field, and says how in words; nothing where the metric has no
    /// target that can be set.
    pub fn apply(self, spec: &mut HpaSpec, metric: &MetricSpec) -> Option<String> {
        match self {
            Self::Target(percent) => return set_target(spec, metric, percent),
            Self::Min(pods) => {
                spec.min_replicas = Some(pods);
                return Some(format!("minReplicas {pods}"));
            }
            Self::Max(pods) => {
                spec.max_replicas = pods;
                return Some(format!("maxReplicas {pods}"));
            }
            _ => {}
        }
        // Where there is none, the API's default.
        let behavior = spec.behavior.get_or_insert_with(Behavior::of_defaults);
        Some(match self {
            Self::Window(direction, seconds) => {
                behavior.rules_mut(direction).stabilization_window_seconds = Some(seconds);
                format!("{direction} window {seconds}s")
            }
            Self::Policy(direction, kind, value) => {
                behavior.rules_mut(direction).policies = Some(vec![ScalingPolicy {
                    kind: kind.into(),
                    value,
                    period_seconds: PERIOD,
                }]);
                format!("{direction} {kind} {value}/{PERIOD}s")
            }
            Self::Enabled(direction) => {
                behavior.rules_mut(direction).select_policy = Some(SelectPolicy::Max.into());
                format!("{direction} not disabled")
            }
            Self::Tolerance(milli) => {
                let tolerance: Quantity = format!("{milli}m").parse().ok()?;
                for direction in [Direction::Up, Direction::Down] {
                    behavior.rules_mut(direction).tolerance = Some(tolerance.clone());
                }
                format!("tolerance {}", crate::trace::milli_text(milli))
            }
            Self::Target(_) | Self::Min(_) | Self::Max(_) => return None,
        })
    }
}

/// Another target of the metric that the load is of.
fn set_target(spec: &mut HpaSpec, metric: &MetricSpec, percent: i64) -> Option<String> {
    let target = spec.metric_like_mut(metric)?.targets_mut().next()?;
    if let Some(utilization) = &mut target.average_utilization {
        let scaled = i64::from(*utilization) * percent / 100;
        *utilization = i32::try_from(scaled.max(1)).ok()?;
        return Some(format!("target {utilization}%"));
    }
    let average = target.average_value.as_mut()?;
    let milli = i128::from(average.milli_value()) * i128::from(percent) / 100;
    *average = Quantity::from_milli(i64::try_from(milli.max(1)).ok()?, average.format());
    Some(format!("target {}", average.text()))
}
