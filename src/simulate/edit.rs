//! A field of a spec that is set to another value, by itself or with others.

use crate::api::{
    Behavior, Direction, HpaSpec, MetricSpec, PolicyKind, Quantity, ScalingPolicy, ScalingRules,
    SelectPolicy,
};
use crate::trace::milli_text;

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

    /// The field that it sets.
    pub fn field(self) -> String {
        match self {
            Self::Target(_) => "target".to_owned(),
            Self::Min(_) => "minReplicas".to_owned(),
            Self::Max(_) => "maxReplicas".to_owned(),
            Self::Window(direction, _) => format!("{direction} window"),
            Self::Policy(direction, ..) | Self::Enabled(direction) => direction.to_string(),
            Self::Tolerance(_) => "tolerance".to_owned(),
        }
    }

    /// What a spec has in the field, in words; absent where it has nothing there.
    pub fn value_in(self, spec: &HpaSpec, metric: &MetricSpec) -> Option<String> {
        let own = |direction| spec.behavior.as_ref()?.rules(direction);
        match self {
            Self::Target(_) => {
                let target = spec.metric_like(metric)?.source()?.target();
                let utilization = target.average_utilization.map(|it| format!("{it}%"));
                utilization.or_else(|| Some(target.average_value.as_ref()?.text().to_owned()))
            }
            Self::Min(_) => spec.min_replicas.map(|it| it.to_string()),
            Self::Max(_) => Some(spec.max_replicas.to_string()),
            Self::Window(direction, _) => {
                let seconds = own(direction)?.stabilization_window_seconds?;
                Some(format!("{seconds}s"))
            }
            Self::Policy(direction, ..) => {
                let policies = own(direction)?.policies.as_ref()?.iter();
                let policies =
                    policies.map(|it| format!("{} {}/{}s", it.kind, it.value, it.period_seconds));
                Some(policies.collect::<Vec<_>>().join(", "))
            }
            Self::Enabled(direction) => {
                let is_off = own(direction)?.is_disabled();
                let says = if is_off { "disabled" } else { "not disabled" };
                Some(says.to_owned())
            }
            Self::Tolerance(_) => {
                let both = [Direction::Up, Direction::Down].map(|it| own(it)?.tolerance.as_ref());
                let both = both.into_iter().flatten();
                let mut all: Vec<String> = both.map(|it| milli_text(it.milli_value())).collect();
                all.dedup();
                (!all.is_empty()).then(|| all.join(", "))
            }
        }
    }

    /// Sets the field, and says how in words; nothing where the metric has no
    /// target that can be set.
    pub fn apply(self, spec: &mut HpaSpec, metric: &MetricSpec) -> Option<String> {
        match self {
            Self::Target(percent) => set_target(spec, metric, percent)?,
            Self::Min(pods) => spec.min_replicas = Some(pods),
            Self::Max(pods) => spec.max_replicas = pods,
            Self::Window(direction, seconds) => {
                rules(spec, direction).stabilization_window_seconds = Some(seconds);
            }
            Self::Policy(direction, kind, value) => {
                rules(spec, direction).policies = Some(vec![ScalingPolicy {
                    kind: kind.into(),
                    value,
                    period_seconds: PERIOD,
                }]);
            }
            Self::Enabled(direction) => {
                rules(spec, direction).select_policy = Some(SelectPolicy::Max.into());
            }
            Self::Tolerance(milli) => {
                let tolerance: Quantity = format!("{milli}m").parse().ok()?;
                for direction in [Direction::Up, Direction::Down] {
                    rules(spec, direction).tolerance = Some(tolerance.clone());
                }
            }
        }
        Some(format!("{} {}", self.field(), self.value_in(spec, metric)?))
    }
}

/// The rules of a direction; where there is no behavior, the API's defaults.
fn rules(spec: &mut HpaSpec, direction: Direction) -> &mut ScalingRules {
    let behavior = spec.behavior.get_or_insert_with(Behavior::of_defaults);
    behavior.rules_mut(direction)
}

/// Another target of the metric that the load is of.
fn set_target(spec: &mut HpaSpec, metric: &MetricSpec, percent: i64) -> Option<()> {
    let target = spec.metric_like_mut(metric)?.targets_mut().next()?;
    if let Some(utilization) = &mut target.average_utilization {
        let scaled = i64::from(*utilization) * percent / 100;
        *utilization = i32::try_from(scaled.max(1)).ok()?;
    } else {
        let average = target.average_value.as_mut()?;
        let milli = i128::from(average.milli_value()) * i128::from(percent) / 100;
        *average = Quantity::from_milli(i64::try_from(milli.max(1)).ok()?, average.format());
    }
    Some(())
}
