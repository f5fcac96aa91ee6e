//! Many behaviors on the same load, and those of them that nothing beats.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::api::{
    Direction, HpaSpec, MetricSpec, PolicyKind, Quantity, ScalingPolicy, SelectPolicy,
};
use crate::controller::Settings;
use crate::trace::{Scores, milli_text};

use super::compare::{CompareError, Subject, metric_name};

/// More pods in all passes of all variants together are not simulated: minutes
/// of work.
const MOST_WORK: i64 = 20_000_000_000;
/// A variant may take so much more work than the spec as it is.
const ROOM: i64 = 4;
/// What the spec as it is is called where the search is too much work.
const SEARCH: &str = "the search";

/// A behavior that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// What it changes, in words; empty for the spec as it is.
    pub name: String,
    /// The whole spec.
    pub spec: HpaSpec,
    /// What came of it.
    pub scores: Scores,
}

impl Tried {
    /// Whether it is better than others in one of the three things that count,
    /// and in none worse.
    pub fn beats(&self, others: &Scores) -> bool {
        let (own, others) = (costs(&self.scores), costs(others));
        own != others && own.iter().zip(others).all(|(own, other)| *own <= other)
    }
}

/// Those that nothing beats in all three: time with too few pods, pod-hours,
/// and reversals.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// How many were tried, the spec as it is included.
    pub tried: usize,
    /// How many of them could not be simulated.
    pub failed: usize,
    /// Why not the first of them.
    pub failure: Option<String>,
    /// What came of the spec as it is.
    pub own: Scores,
    /// Those that nothing beats, the least time with too few pods first.
    pub front: Vec<Tried>,
}

/// Tries windows, policies, tolerances and targets in place of those of a
/// spec, on all cores; `begun` is told of how many there are, and `tried` of
/// each that is done: where it says no, no more are begun. The answer of a
/// whole search does not depend on the number of cores.
///
/// # Errors
///
/// The spec as it is cannot be simulated, or takes too much work to do it so
/// often; what is too few pods is not known of its metric.
pub fn search(
    subject: &Subject,
    spec: &HpaSpec,
    begun: impl FnOnce(usize),
    tried: impl Fn() -> bool + Sync,
) -> Result<Found, CompareError> {
    let settings = Settings::resolve(subject.snapshot, subject.overrides);
    if subject.capacity(&subject.lead, &settings).is_none() {
        let metric = metric_name(subject.lead.metric).to_owned();
        return Err(CompareError::NoCapacity { metric });
    }
    let has_tolerance = settings.gates.configurable_tolerance;
    let mut variants = vec![(String::new(), spec.clone())];
    variants.extend(grid(spec, subject.lead.metric, has_tolerance));
    let each = MOST_WORK / i64::try_from(variants.len()).unwrap_or(i64::MAX).max(1);
    let own = subject.scores_within(each, SEARCH, spec)?;
    begun(variants.len());
    // In the order of the variants, however many threads there are.
    let goes_on = AtomicBool::new(true);
    let all: Vec<Result<Tried, CompareError>> = variants
        .into_par_iter()
        .filter_map(|(name, spec)| {
            let scores = if name.is_empty() {
                Ok(own)
            } else if goes_on.load(Ordering::Relaxed) {
                let scores = subject.scores_within(each.saturating_mul(ROOM), &name, &spec);
                goes_on.fetch_and(tried(), Ordering::Relaxed);
                scores
            } else {
                return None;
            };
            Some(scores.map(|scores| Tried { name, spec, scores }))
        })
        .collect();
    let count = all.len();
    let failure = all.iter().find_map(|it| it.as_ref().err());
    let failure = failure.map(ToString::to_string);
    let all: Vec<Tried> = all.into_iter().flatten().collect();
    Ok(Found {
        tried: count,
        failed: count - all.len(),
        failure,
        own,
        front: front(all, |tried| costs(&tried.scores)),
    })
}

/// What is tried of each field, beside what there is: every combination.
const AXES: [&[Edit]; 6] = [
    &[Edit::Target(85), Edit::Target(115)],
    &[
        Edit::Window(Direction::Down, 60),
        Edit::Window(Direction::Down, 180),
        Edit::Window(Direction::Down, 600),
        Edit::Window(Direction::Down, 1_800),
    ],
    &[
        Edit::Window(Direction::Up, 60),
        Edit::Window(Direction::Up, 180),
    ],
    &[
        Edit::Policy(Direction::Up, PolicyKind::Percent, 50),
        Edit::Policy(Direction::Up, PolicyKind::Pods, 2),
    ],
    &[
        Edit::Policy(Direction::Down, PolicyKind::Percent, 10),
        Edit::Policy(Direction::Down, PolicyKind::Pods, 1),
    ],
    &[Edit::Tolerance(50), Edit::Tolerance(200)],
];

/// Changes of a spec, with what they are called.
type Variants = Vec<(String, HpaSpec)>;

/// Every combination but the spec as it is.
fn grid(spec: &HpaSpec, metric: &MetricSpec, has_tolerance: bool) -> Variants {
    let mut variants = vec![(String::new(), spec.clone())];
    for edits in AXES {
        // Only some releases know the field of a tolerance.
        if has_tolerance || !matches!(edits, [Edit::Tolerance(_), ..]) {
            variants = combined(variants, metric, edits);
        }
    }
    variants.retain(|(name, _)| !name.is_empty());
    variants
}

/// Each of the variants as it is, and with each of the edits that can be made.
fn combined(variants: Variants, metric: &MetricSpec, edits: &[Edit]) -> Variants {
    let mut all = Vec::with_capacity(variants.len() * (edits.len() + 1));
    for (name, spec) in variants {
        all.push((name.clone(), spec.clone()));
        for edit in edits {
            let mut spec = spec.clone();
            if let Some(own) = edit.apply(&mut spec, metric) {
                let before = if name.is_empty() { "" } else { ", " };
                all.push((format!("{name}{before}{own}"), spec));
            }
        }
    }
    all
}

/// What counts, each the less the better: time with too few pods, pod-hours,
/// reversals.
fn costs(scores: &Scores) -> [i64; 3] {
    [
        scores.under_provisioned_seconds.unwrap_or_default(),
        scores.pod_seconds,
        i64::from(scores.reversals),
    ]
}

/// Those that no other is better than in one thing and as good in the rest,
/// in the order of what they cost. Of equals, the first stays.
fn front<T>(mut all: Vec<T>, costs: impl Fn(&T) -> [i64; 3]) -> Vec<T> {
    // A stable sort: of equals, the one that was tried first comes first.
    all.sort_by_key(&costs);
    let mut front: Vec<T> = Vec::new();
    for tried in all {
        let own = costs(&tried);
        let is_beaten = front.iter().any(|other| {
            let other = costs(other);
            other.iter().zip(own).all(|(other, own)| *other <= own)
        });
        if !is_beaten {
            front.push(tried);
        }
    }
    front
}

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
                let rules = own(direction)?;
                rules.policies.as_ref().map(|_| rules.policies_text())
            }
            Self::Enabled(direction) => {
                let is_off = own(direction)?.is_disabled();
                let says = if is_off { "disabled" } else { "enabled" };
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
                spec.rules_mut(direction).stabilization_window_seconds = Some(seconds);
            }
            Self::Policy(direction, kind, value) => {
                let policy = ScalingPolicy::new(kind, value, PERIOD);
                spec.rules_mut(direction).policies = Some(vec![policy]);
            }
            Self::Enabled(direction) => {
                spec.rules_mut(direction).select_policy = Some(SelectPolicy::Max.into());
            }
            Self::Tolerance(milli) => {
                let tolerance: Quantity = format!("{milli}m").parse().ok()?;
                for direction in [Direction::Up, Direction::Down] {
                    spec.rules_mut(direction).tolerance = Some(tolerance.clone());
                }
            }
        }
        Some(format!("{} {}", self.field(), self.value_in(spec, metric)?))
    }
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

#[cfg(test)]
mod tests {
    use super::front;

    #[test]
    fn nothing_of_the_front_is_beaten_and_the_rest_is() {
        let all = vec![
            ("dear", [0, 90, 2]),
            ("calm", [30, 80, 0]),
            ("worse than calm", [30, 81, 0]),
            ("the same as calm", [30, 80, 0]),
            ("cheap", [60, 40, 6]),
            ("late and dear", [61, 90, 6]),
        ];
        let front = front(all, |(_, costs)| *costs);
        let names: Vec<&str> = front.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["dear", "calm", "cheap"]);
    }
}
