//! What one pass did, and why: the single source of every number, word and
//! chart that the tool prints.
//!
//! A stage of the algorithm computes and records in the same act: it hands a
//! [`Record`] to the [`Recorder`] that it runs with. Explaining runs with a
//! [`Trace`], listing and simulating with [`Nothing`], and both run the same
//! code. Nothing here computes.

pub mod amount;
mod basis;
mod command;
mod dry_run;
mod finding;
mod flaps;
mod hold;
mod last_pass;
mod metric;
mod outcome;
mod preview;
mod prospects;
mod recollection;
mod recorder;
mod review;
mod room;
mod rule;
mod simulation;
mod story;
mod tune;
mod verdict;

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api::{Condition, CrossVersionObjectReference, HpaSpec};

pub use crate::api::Direction;
pub use amount::{exact_seconds_text, milli_text, quotient, seconds_text, short};
pub use basis::{
    Basis, DerivedRule, FallbackRecord, Nearest, Origin, ReleaseBasis, SettingRecord, SettingValue,
};
pub use command::{ShellCommand, ShellWord, kubectl_kind, rbac_command, shell_word, yaml};
pub use dry_run::{
    Average, BehaviorChange, BehaviorValue, Coming, ComingPass, Decided, Decisions, Difference,
    DryRun, FieldChange, FirstDivergence, Forecast, ForecastChange, ForecastLoad, Lapse,
    MergePatch, MetricChange, Minutes, Moved, NOW, Overwritten, Proposal, ServerAnswer, Side,
    Stopped, ValueOrigin,
};
pub use finding::{Code, CodeKind, Fact, Finding, Remedy, Role, Severity};
pub use flaps::{
    Change, Effect, FlapState, Flaps, Mechanism, MechanismKind, PastCoverage, Proof, SizeChange,
    Standing, Swing, Trial, ago_text,
};
pub use hold::{Hold, Reason};
pub use last_pass::{Check, CheckVerdict, LastPass, NextPass, Outlook, ScrapedPassRecord, Step};
pub use metric::{
    FailureCause, Fill, FilledIn, Group, Groups, Measured, MetricRecord, MetricResult, PodRecord,
    PodTimes, Proposed, ReadyPods, Source, TargetRecord, WaitingContainer,
};
pub use outcome::{
    BranchRecord, ConditionRemoved, Event, EventType, Knowledge, LimitRecord, MemoryRecord,
    Outcome, PolicyRecord, Range, ReasonsUnknown, RecommendationRecord, Remembered, RescaleReason,
    ScaleRecord, SelectorRecord, SizeDecision, StabilizationRecord, WindowEdge, WindowEntry,
    ZeroClamp,
};
pub use preview::{
    AtZero, Compared, Comparison, NewRule, OwnRelease, PassStep, Preview, ReleaseAnswer, Stage,
    Untold,
};
pub use prospects::{
    Attempt, BreakPoint, BreakPoints, Counterfactual, End, ForeignPod, Limit, Premise, Prospects,
    Reached, Settling,
};
pub use recollection::{
    Evidence, EvidenceKind, MemorySince, Notice, NoticeKind, ObservedSize, Recalled, Recollection,
    StandIn, Unsettled, Within, WitnessRecord, Witnesses,
};
pub use recorder::{Nothing, Record, Recorder, ThisPass};
pub use review::{PlacedFinding, PlacedProblem, Review, Unreadable};
pub use room::{LimitRangeRule, Room, RoomAnswer, RoomLimit, RoomUnknown};
pub use rule::Rule;
pub use simulation::{
    FailedPasses, ScenarioRun, Scores, Search, SimulatedRun, SimulatedStep, Simulation, Unbeaten,
    has_every_pass,
};
pub use story::{PassFigures, Story, StoryCause, StoryChange, StoryPass};
pub use tune::{
    BothSizes, Calibration, Delay, DelayCause, DelayPart, FieldStep, LEAST_GAIN, NoAdvice,
    NoAdviceCause, Proven, Reaction, RequestChange, Requests, SizeLimit, SizeLimitKind, SizeTotals,
    Tune, TuneAnswer, monthly,
};
pub use verdict::{Because, Grade, LimitHold, Verdict, WindowHold, Word};

/// What documents have as a word is printed as that word.
macro_rules! printed_as_written {
    ($($type:ident),+) => {$(
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.serialize(f)
            }
        }
    )+};
}

printed_as_written!(
    DelayCause,
    EventType,
    FlapState,
    LimitRangeRule,
    Nearest,
    Role,
    Severity
);

/// The version of the trace's shape; it grows when a field changes its
/// meaning or goes away, not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that one pass did, in the order in which it was done.
///
/// A stage that the pass did not reach is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// The version of this shape: [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// The HPA's scale target.
    pub target: CrossVersionObjectReference,
    /// The moment of the pass.
    pub at: Timestamp,
    /// What the answer rests on.
    pub basis: Basis,
    /// The HPA's bounds.
    pub bounds: Bounds,
    /// What the HPA's status shows of the last pass.
    pub reported: Reported,
    /// Reading the scale subresource.
    pub scale: Option<ScaleRecord>,
    /// Which way the pass went.
    pub branch: Option<BranchRecord>,
    /// Checking the pod selector.
    pub selector: Option<SelectorRecord>,
    /// Each metric of the spec, evaluated on its own; also those that the
    /// pass did not get to.
    pub metrics: Vec<MetricRecord>,
    /// Merging the metrics' proposals.
    pub recommendation: Option<RecommendationRecord>,
    /// Applying the stabilization window.
    pub stabilization: Option<StabilizationRecord>,
    /// Applying policies and bounds.
    pub limit: Option<LimitRecord>,
    /// Raising a workload at zero to its lower bound (1.36 and later).
    pub zero_clamp: Option<ZeroClamp>,
    /// What the pass decided.
    pub outcome: Outcome,
    /// The answer: what the pass does, or why it does nothing. Documents show
    /// it beside the trace.
    #[serde(skip)]
    pub verdict: Verdict,
    /// All conditions after the pass, as far as the outcome is known.
    pub conditions: Vec<Condition>,
    /// The events of the pass.
    pub events: Vec<Event>,
    /// How much of the controller's memory before the pass is known. Where
    /// that is not all and the pass is decided all the same, the stages show
    /// what they do with what is known.
    pub remembered: Knowledge,
    /// What that knowledge consists of, and where it is from.
    pub recollection: Recollection,
    /// Memories that agree with all that is known and lead to the ends of
    /// what is possible; none where the memory is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub witnesses: Vec<WitnessRecord>,
    /// What would settle the decision; absent where it is settled, and where
    /// it is not the memory that keeps it open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsettled: Option<Unsettled>,
    /// When the size can next change; absent where no metric decides.
    pub outlook: Option<Outlook>,
    /// The latest change of the size before the pass; absent where nobody
    /// looked, and where nothing tells of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_change: Option<SizeChange>,
    /// Our result against the controller's latest pass; absent where nobody
    /// compared.
    pub check: Option<Check>,
    /// What other inputs would lead to, found by running the same pass on
    /// them; absent where nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prospects: Option<Prospects>,
    /// Whether `maxReplicas` can be reached; absent where it matters to nobody, and
    /// where nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<Room>,
    /// How long a doubled load waits for its pods, with the usual times that pods
    /// and samples take; where somebody asked for detail, and it can be simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaction: Option<Reaction>,
    /// What scrapes tell of the pass, where it is one of the past that they show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scraped: Option<ScrapedPassRecord>,
    /// What the cluster's own release decides, where this is by the rules of
    /// another one; absent where nobody compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_release: Option<OwnRelease>,
    /// What somebody should know about this HPA, causes first.
    pub findings: Vec<Finding>,
    /// The selected pods whose containers do not all run; absent where nobody
    /// looked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingContainer>,
    /// Selected pods that are not Running and Ready, where a metric multiplies
    /// by those that are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_ready: Vec<String>,
    /// The controller's memory after the pass.
    pub memory: MemoryRecord,
}

/// What the HPA's status shows of the last pass. It is older than all that
/// is computed here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reported {
    /// `status.currentReplicas`.
    pub current_replicas: i32,
    /// `status.desiredReplicas`.
    pub desired_replicas: i32,
    /// When the controller last changed the scale.
    pub last_scale_time: Option<Timestamp>,
    /// The conditions.
    pub conditions: Vec<Condition>,
}

/// The HPA's bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Bounds {
    /// `spec.minReplicas`, or 1.
    pub min_replicas: i32,
    /// `spec.maxReplicas`.
    pub max_replicas: i32,
}

impl Bounds {
    /// Those of a spec.
    pub fn of(spec: &HpaSpec) -> Self {
        Self {
            min_replicas: spec.min_replicas.unwrap_or(1),
            max_replicas: spec.max_replicas,
        }
    }
}

impl Trace {
    /// How long before the pass something was or began, in whole seconds; a moment to
    /// come counts as now.
    pub fn age(&self, at: Timestamp) -> String {
        seconds_text(self.at.duration_since(at).as_secs().max(0))
    }

    /// The metric with the largest proposal that is known.
    pub fn winner(&self) -> Option<&MetricRecord> {
        let index = self.recommendation.as_ref()?.winner?;
        self.metrics.get(index)
    }

    /// The size at which the pass began, where it is known.
    pub fn size(&self) -> Option<i32> {
        self.scale.as_ref()?.current_replicas
    }

    /// What the metrics ask for, where they decide; not below 0.
    pub fn recommended(&self) -> Option<i32> {
        let recommendation = self.recommendation.as_ref()?;
        let decides = recommendation.rule == Rule::RecommendationLargest;
        recommendation.replicas.filter(|_| decides)
    }

    /// The target as `Kind/name`.
    pub fn target_name(&self) -> String {
        format!("{}/{}", self.target.kind, self.target.name)
    }

    /// The selected pods that are not the target's, as far as somebody looked.
    pub fn foreign_pods(&self) -> &[ForeignPod] {
        let prospects = self.prospects.as_ref();
        prospects.map_or(&[], |prospects| &prospects.foreign_pods)
    }

    /// Adds what was found, causes first, with which the answer is complete.
    pub fn conclude(&mut self, mut findings: Vec<Finding>) {
        findings.sort_by_key(Finding::rank);
        self.findings = findings;
        self.verdict = std::mem::take(&mut self.verdict).weighed(self, false);
    }

    /// The finding that is the reason of what the pass does.
    pub fn lead(&self) -> Option<&Finding> {
        self.findings.get(self.verdict.lead?)
    }

    /// Whether something of this kind was found.
    pub fn finds(&self, kind: CodeKind) -> bool {
        self.findings.iter().any(|it| it.code.is(kind))
    }

    /// How much the finding that matters most does.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }

    /// Whether pods give no sample that counts to a metric.
    pub fn has_set_aside(&self) -> bool {
        self.metrics.iter().any(|metric| {
            let groups = metric.groups.unwrap_or_default();
            let ready = metric.ready_pods;
            groups.unready + groups.missing > 0 || ready.is_some_and(|it| it.ready < it.selected)
        })
    }

    /// The metric that decides, where pods without numbers turn what the
    /// others ask for into the size that there is.
    pub fn dampened(&self) -> Option<&MetricRecord> {
        let (current, least) = (self.outcome.current_replicas, self.bounds.min_replicas);
        self.winner()
            .filter(|metric| metric.is_dampened(current, least))
    }

    /// The metrics that could not be computed, in the spec's order.
    pub fn failed_metrics(&self) -> impl Iterator<Item = &MetricRecord> {
        self.metrics.iter().filter(|metric| metric.is_failed())
    }

    /// Those of them that ask for nothing, and so forbid a change downwards.
    /// Without the design of KEP-5679 that is all of them.
    pub fn invalid_metrics(&self) -> impl Iterator<Item = &MetricRecord> {
        self.metrics.iter().filter(|metric| metric.is_invalid())
    }
}
