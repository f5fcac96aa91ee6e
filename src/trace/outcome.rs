//! What a pass decided and why, the conditions and events that it leaves, and what it
//! remembers.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::{FailureCause, Reason, Record, Rule, Trace};
use crate::api::{
    Condition, ConditionKind, ConditionStatus, Direction, OneOf, PolicyKind, SelectPolicy,
};

/// What the pass decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// What the pass does to the scale.
    pub rule: Rule,
    /// The comparison of wanted and current size, with its numbers.
    pub formula: String,
    /// `status.currentReplicas` after the pass; the one before it where the
    /// scale could not be read.
    pub current_replicas: i32,
    /// `status.desiredReplicas` after the pass; absent where it depends on
    /// what cannot be seen.
    pub desired_replicas: Option<i32>,
    /// The counts that are possible, where not everything about the outcome
    /// is known: several, or a single one whose reasons are not known.
    pub possible: Option<Range>,
    /// Whether the scale is written; absent where that is not known.
    pub rescale: Option<bool>,
    /// The event's reason text, where the scale is written.
    pub reason: Option<String>,
    /// The error that the reconcile returns.
    pub error: Option<String>,
}

impl Outcome {
    /// The sizes that the pass can leave, as far as they are known.
    pub fn left(&self) -> Option<Range> {
        self.desired_replicas.map(Range::of).or(self.possible)
    }

    /// A pass that leaves the scale alone.
    pub fn kept(current: i32, desired: i32) -> Self {
        Self {
            rule: Rule::NoRescale,
            formula: format!("stays at {current}"),
            current_replicas: current,
            desired_replicas: Some(desired),
            rescale: Some(false),
            ..Self::default()
        }
    }

    /// A pass whose decision depends on what cannot be seen.
    pub fn undecided(current: i32, possible: Option<Range>) -> Self {
        Self {
            formula: match possible {
                Some(range) => format!("{current} becomes {} to {}", range.from, range.to),
                None => "unknown".to_owned(),
            },
            current_replicas: current,
            possible,
            ..Self::default()
        }
    }
}

/// A range of counts, both ends included; not every count between them need
/// be possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Range {
    /// The smallest count.
    pub from: i32,
    /// The largest count.
    pub to: i32,
}

impl Range {
    /// The range between two counts.
    pub const fn new(from: i32, to: i32) -> Self {
        Self { from, to }
    }

    /// The range of a single count.
    pub const fn of(count: i32) -> Self {
        Self::new(count, count)
    }

    /// The smallest range that holds both.
    pub fn join(self, other: Self) -> Self {
        Self::new(self.from.min(other.from), self.to.max(other.to))
    }

    /// What both allow, if anything.
    pub fn meet(self, other: Self) -> Option<Self> {
        let both = Self::new(self.from.max(other.from), self.to.min(other.to));
        (both.from <= both.to).then_some(both)
    }

    /// The one count, if there is only one.
    pub fn single(self) -> Option<i32> {
        (self.from == self.to).then_some(self.from)
    }

    /// Whether the count is possible.
    pub fn contains(self, count: i32) -> bool {
        (self.from..=self.to).contains(&count)
    }
}

/// What a pass makes of the size, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeDecision {
    /// The size before.
    pub from: Range,
    /// What the metrics ask for; absent where they are not asked.
    pub recommended: Option<Range>,
    /// The size after.
    pub to: Range,
    /// What makes it another size than the metrics ask for.
    pub held_by: Option<Reason>,
}

impl SizeDecision {
    /// Whether the size is another one afterwards.
    pub fn is_change(&self) -> bool {
        self.from != self.to
    }

    /// What passes in a row that decide the same have in common: also whether the size
    /// is what the metrics ask for, but not how much that is.
    pub fn in_common(&self) -> (Range, Range, Option<Reason>, Option<bool>) {
        let is_recommended = self.recommended.map(|it| it == self.to);
        (self.from, self.to, self.held_by, is_recommended)
    }
}

/// The count of the outcome is certain, but not what holds it there: memories
/// that agree with all that is known give it different reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReasonsUnknown;

impl Record for ReasonsUnknown {
    fn enter(self, trace: &mut Trace) {
        trace.outcome.possible = trace.outcome.desired_replicas.map(Range::of);
        if trace.outcome.rescale != Some(true) {
            forget(trace, ConditionKind::AbleToScale);
        }
        forget(trace, ConditionKind::ScalingLimited);
    }
}

impl Record for Outcome {
    fn enter(self, trace: &mut Trace) {
        if self.rule == Rule::Undecided {
            for kind in [ConditionKind::AbleToScale, ConditionKind::ScalingLimited] {
                forget(trace, kind);
            }
            // Not even the way that the pass takes is known.
            if self.possible.is_none() {
                for kind in [ConditionKind::ScalingActive, ConditionKind::ScaledToZero] {
                    forget(trace, kind);
                }
            }
        }
        trace.outcome = self;
    }
}

/// Takes back what a condition says, where that cannot be known.
fn forget(trace: &mut Trace, kind: ConditionKind) {
    for condition in trace.conditions.iter_mut().filter(|c| c.kind == kind) {
        condition.status = ConditionStatus::Unknown.into();
        condition.reason = OneOf::default();
        "depends on what cannot be read".clone_into(&mut condition.message);
        condition.last_transition_time = None;
    }
}

/// `setConditionInList`: a type keeps its place in the list, and its
/// transition time moves only when the status changes.
impl Record for Condition {
    fn enter(mut self, trace: &mut Trace) {
        self.last_transition_time = Some(trace.at);
        match trace.conditions.iter_mut().find(|c| c.kind == self.kind) {
            Some(known) => {
                if known.status == self.status {
                    self.last_transition_time = known.last_transition_time;
                }
                *known = self;
            }
            None => trace.conditions.push(self),
        }
    }
}

/// A condition that the pass takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConditionRemoved(
    /// The condition's type.
    pub ConditionKind,
);

impl Record for ConditionRemoved {
    fn enter(self, trace: &mut Trace) {
        trace.conditions.retain(|c| c.kind != self.0);
    }
}

/// An event that a pass emits on the HPA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Event {
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// Why, in one word.
    pub reason: String,
    /// The controller's sentence.
    pub message: String,
}

/// How serious an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum EventType {
    /// All is well.
    Normal,
    /// Something failed.
    Warning,
}

impl Record for Event {
    fn enter(self, trace: &mut Trace) {
        trace.events.push(self);
    }
}

/// How much of something is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Knowledge {
    /// All of it.
    Known,
    /// Some of it.
    Partly,
    /// Nothing.
    #[default]
    Unknown,
}

/// The controller's memory after the pass, each list in slot order; a list
/// is absent where it is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryRecord {
    /// The recommendations before stabilization.
    pub recommendations: Option<Vec<Remembered>>,
    /// The changes upwards.
    pub scale_up_events: Option<Vec<Remembered>>,
    /// The changes downwards.
    pub scale_down_events: Option<Vec<Remembered>>,
}

/// One slot of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remembered {
    /// The recommended replicas, or the replicas added or removed.
    pub replicas: i32,
    /// When it was stored.
    pub timestamp: Timestamp,
}

impl Record for MemoryRecord {
    fn enter(self, trace: &mut Trace) {
        trace.memory = self;
    }
}

/// What reading the scale subresource gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScaleRecord {
    /// What happened.
    pub rule: Rule,
    /// `scale.spec.replicas`: what every rule calls the current size.
    pub current_replicas: Option<i32>,
    /// `scale.status.replicas`: the size that per-pod averages divide by.
    pub status_replicas: Option<i32>,
    /// `scale.status.selector`.
    pub selector: Option<String>,
    /// Why there is no scale.
    pub error: Option<String>,
    /// Why we may not read it, where the controller may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<FailureCause>,
}

/// Which way the pass went once it knew the current size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BranchRecord {
    /// The way.
    pub rule: Rule,
    /// The comparison that chose it, with its numbers.
    pub formula: String,
}

/// What checking the pod selector gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SelectorRecord {
    /// What happened.
    pub rule: Rule,
    /// The selector's text.
    pub selector: String,
    /// What was found, with its numbers.
    pub formula: String,
    /// How many pods it matches, where it parses.
    pub selected: Option<usize>,
    /// The HPAs that select the same pods, this one included; sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub autoscalers: Vec<String>,
    /// The controller's sentence, where the selector was refused.
    pub error: Option<String>,
}

/// How the proposals were merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecommendationRecord {
    /// The rule that decided.
    pub rule: Rule,
    /// The recommendation, not below 0; absent where there is none or where
    /// an unreadable metric could raise it.
    pub replicas: Option<i32>,
    /// The largest proposal that is known.
    pub largest: Option<i32>,
    /// The metric that it comes from, by its place in the spec.
    pub winner: Option<usize>,
    /// How many metrics failed.
    pub failed: usize,
    /// How many metrics we may not read.
    pub unreadable: usize,
    /// The comparison, with its numbers.
    pub formula: String,
}

/// How the stabilized count was limited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LimitRecord {
    /// The rule that applied.
    pub rule: Rule,
    /// The stabilized count that went in.
    pub stabilized: i32,
    /// What came out.
    pub result: i32,
    /// The furthest that the policies (or, without `behavior`, doubling)
    /// allow in this direction; absent where nothing was to be limited, and
    /// where the changes of the last periods are unknown.
    pub rate_limit: Option<i32>,
    /// `Max`, `Min` or `Disabled`; absent without `behavior`.
    pub select_policy: Option<SelectPolicy>,
    /// Each policy with its numbers; none where the changes of the last
    /// periods are unknown.
    pub policies: Vec<PolicyRecord>,
    /// The condition's reason, such as `ScaleUpLimit`.
    pub reason: Reason,
    /// Whether the count was limited.
    pub limited: bool,
    /// The comparison, with its numbers.
    pub formula: String,
}

/// One policy with its numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRecord {
    /// What its value means.
    #[serde(rename = "type")]
    pub kind: PolicyKind,
    /// Pods, or percent of the size at the start of the period.
    pub value: i32,
    /// The length of the period.
    pub period_seconds: i32,
    /// What was added within the period, as far as the release counts it.
    pub added: i32,
    /// What was removed within the period, as far as the release counts it.
    pub removed: i32,
    /// What changed the other way within the period and is left out: up to
    /// 1.24 (kubernetes#108354).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncounted: Option<i32>,
    /// The size at the start of the period, as the release counts it.
    pub period_start: i32,
    /// The furthest that this policy allows.
    pub limit: i32,
    /// Whether this policy was selected; several can give the same limit.
    pub selected: bool,
    /// When changes leave the period that give room for more; absent where
    /// none does.
    pub changes_at: Option<Timestamp>,
    /// The limit's formula, with its numbers.
    pub formula: String,
}

/// A workload at zero was raised to its lower bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ZeroClamp {
    /// Always `zero.clamp`.
    pub rule: Rule,
    /// The comparison, with its numbers.
    pub formula: String,
    /// The count before.
    pub from: i32,
    /// The count after.
    pub to: i32,
}

/// How the recommendation was stabilized.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StabilizationRecord {
    /// The algorithm.
    pub rule: Rule,
    /// The recommendation that went in.
    pub recommendation: i32,
    /// What came out.
    pub result: i32,
    /// What keeps the size from rising; absent without `behavior`.
    pub up: Option<WindowEdge>,
    /// What keeps the size from falling.
    pub down: WindowEdge,
    /// The memory that was looked at, in slot order; none where it is
    /// unknown.
    pub entries: Vec<WindowEntry>,
    /// The condition's reason: `ReadyForNewScale`, `ScaleUpStabilized` or
    /// `ScaleDownStabilized`.
    pub reason: Reason,
    /// The comparison, with its numbers.
    pub formula: String,
}

/// One side of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WindowEdge {
    /// The length of the window.
    pub window_seconds: i64,
    /// Whether the spec sets the window; otherwise the controller's flag does.
    pub from_spec: bool,
    /// The lowest (up) or highest (down) recommendation that counts.
    pub value: i32,
    /// Of the entries of the memory that keep the stabilized count where it
    /// is, the one that lets go last; absent where none does.
    pub held_by: Option<usize>,
    /// From when on that entry no longer counts, so that the stabilized count
    /// changes if the recommendation stays.
    pub expires: Option<Timestamp>,
}

/// One remembered recommendation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WindowEntry {
    /// The recommended replicas.
    pub replicas: i32,
    /// When it was stored.
    pub timestamp: Timestamp,
    /// Whether it counts against rising.
    pub counts_up: bool,
    /// Whether it counts against falling.
    pub counts_down: bool,
}

/// Why the controller writes a size. It has been the same text in all releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RescaleReason {
    /// The size lay above `maxReplicas`; no metric was asked.
    AboveMax,
    /// The size lay below `minReplicas`; no metric was asked.
    BelowMin,
    /// A metric, in the controller's words for it, asked for more.
    AboveTarget(String),
    /// The metrics asked for less.
    BelowTarget,
    /// Another text; empty where the controller gives no reason, or where it
    /// is not known.
    Other(String),
}

const ABOVE_MAX: &str = "Current number of replicas above Spec.MaxReplicas";
const BELOW_MIN: &str = "Current number of replicas below Spec.MinReplicas";
const BELOW_TARGET: &str = "All metrics below target";
const ABOVE_TARGET: &str = " above target";

impl RescaleReason {
    /// No reason.
    pub const NONE: Self = Self::Other(String::new());

    /// The reason that a text of the controller gives.
    pub fn parse(text: &str) -> Self {
        match text {
            ABOVE_MAX => Self::AboveMax,
            BELOW_MIN => Self::BelowMin,
            BELOW_TARGET => Self::BelowTarget,
            _ => match text.strip_suffix(ABOVE_TARGET) {
                Some(metric) => Self::AboveTarget(metric.to_owned()),
                None => Self::Other(text.to_owned()),
            },
        }
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// Which way a change for this reason goes.
    pub const fn way(&self) -> Option<Direction> {
        match self {
            Self::AboveTarget(_) | Self::BelowMin => Some(Direction::Up),
            Self::BelowTarget | Self::AboveMax => Some(Direction::Down),
            Self::Other(_) => None,
        }
    }

    /// Whether the size lay outside the bounds.
    pub const fn is_outside(&self) -> bool {
        matches!(self, Self::AboveMax | Self::BelowMin)
    }

    /// The name of the metric that asked for more.
    pub fn metric(&self) -> Option<&str> {
        let Self::AboveTarget(metric) = self else {
            return None;
        };
        let metric = without_selector(metric);
        match metric.split_once(" metric ") {
            Some((_, name)) => Some(name),
            None => metric.split(' ').next(),
        }
    }

    /// The text without the selector of an external metric.
    pub fn short(&self) -> String {
        match self {
            Self::AboveTarget(metric) => format!("{}{ABOVE_TARGET}", without_selector(metric)),
            _ => self.to_string(),
        }
    }
}

/// The controller prints the selector of an external metric as Go has it.
fn without_selector(metric: &str) -> &str {
    let around = metric.split_once('(');
    let around = around.filter(|_| metric.starts_with("external metric "));
    around.map_or(metric, |(name, _)| name)
}

impl fmt::Display for RescaleReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AboveMax => f.write_str(ABOVE_MAX),
            Self::BelowMin => f.write_str(BELOW_MIN),
            Self::BelowTarget => f.write_str(BELOW_TARGET),
            Self::AboveTarget(metric) => write!(f, "{metric}{ABOVE_TARGET}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl Serialize for RescaleReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
