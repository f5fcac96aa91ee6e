//! Whether an HPA is set well for the load that it has had, and which change
//! pays.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::ShellCommand;
use super::amount::{amount_of, counted};
use super::{MergePatch, Room, Scores, SimulatedRun};
use crate::api::{CrossVersionObjectReference, MetricKind, OneOf};

/// What gains less is no advice, in percent of what pods and reversals cost.
pub const LEAST_GAIN: f64 = 10.0;

/// What came of tuning an HPA.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tune {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// The HPA's scale target.
    pub target: CrossVersionObjectReference,
    /// The first moment of the history that counts; absent where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// How long it is, in seconds.
    pub seconds: i64,
    /// How many samples tell of it.
    pub samples: usize,
    /// The metric that decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// That metric's type, such as `Resource`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric_type: Option<OneOf<MetricKind>>,
    /// The release whose rules apply, such as `1.36`.
    pub release: String,
    /// The simulation of the spec as it is, held against what happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// Metrics of which it is taken for granted that they do not answer the number
    /// of pods. A backlog that the pods work off does, and grows with fewer of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub load_from_outside: Vec<String>,
    /// The answer.
    pub answer: TuneAnswer,
    /// The simulated passes of the history, under the spec as it is and a proposed one;
    /// of one of several HPAs only those that change the size.
    #[serde(skip)]
    pub runs: Vec<SimulatedRun>,
    /// That `maxReplicas` is too low: it alone leaves more pods missing than may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<SizeLimit>,
    /// Whether `maxReplicas` can be reached: that of the proposed spec, or what the
    /// load needs beyond it; absent where the size is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<Room>,
    /// How long a doubled load waits for its pods; absent where that cannot be
    /// simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaction: Option<Reaction>,
    /// Another cpu request with another target, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<Requests>,
    /// What is taken for granted, and what the history lacks, in words.
    pub assumptions: Vec<String>,
    /// What a pod costs an hour, where prices were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_hour_price: Option<f64>,
    /// What a core costs an hour, where prices were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_hour_price: Option<f64>,
}

impl Tune {
    /// An amount of the metric that decides, given in thousandths, as a person reads it.
    pub fn amount(&self, milli: i64) -> String {
        let is_of_resource = self.metric_type.as_ref();
        let is_of_resource = is_of_resource.is_some_and(OneOf::is_of_resource);
        amount_of(
            self.metric.as_deref().unwrap_or_default(),
            is_of_resource,
            milli,
        )
    }

    /// The change that pays, if there is one.
    pub fn advice(&self) -> Option<&Proven> {
        match &self.answer {
            TuneAnswer::Advice { proposal, .. } => Some(proposal),
            TuneAnswer::Refused(_) | TuneAnswer::NothingToGain { .. } => None,
        }
    }

    /// The request that pays, if there is one.
    pub fn request(&self) -> Option<&RequestChange> {
        match self.requests.as_ref()? {
            Requests::Keep { .. } => None,
            Requests::Change(change) => Some(change),
        }
    }

    /// Whether any change pays.
    pub fn pays(&self) -> bool {
        self.advice().is_some() || self.request().is_some()
    }

    /// What its pods cost less in thirty days, with another request if there is one;
    /// where prices were given.
    pub fn saved_monthly(&self, request: Option<&RequestChange>) -> Option<f64> {
        let saved = self.advice().map_or(0.0, Proven::pod_hours_saved_monthly);
        let cores = request.map_or(0.0, |it| it.core_hours_saved_monthly);
        Some(saved * self.pod_hour_price? + cores * self.core_hour_price?)
    }
}

/// What is said to an HPA.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TuneAnswer {
    /// Nothing is said, for a reason.
    Refused(NoAdvice),
    /// No change pays.
    NothingToGain {
        /// How many specs were tried.
        tried: usize,
        /// What comes of the spec as it is on the part of the history that proves.
        now: Scores,
        /// The best of them.
        best: Box<Proven>,
    },
    /// A change pays.
    Advice {
        /// How many specs were tried.
        tried: usize,
        /// The smallest change that brings nearly all of the gain.
        proposal: Box<Proven>,
    },
}

/// Why nothing is said to an HPA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoAdvice {
    /// The kind of it, for programs.
    pub cause: NoAdviceCause,
    /// It in words, with its numbers.
    pub reason: String,
}

impl NoAdvice {
    /// One of a kind.
    pub fn new(cause: NoAdviceCause, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { cause, reason }
    }
}

/// What a history, or an HPA, does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoAdviceCause {
    /// The history does not show the load, or the size.
    NoLoad,
    /// The history shows another spec than the HPA has.
    Edited,
    /// The history is too short, or has too few samples.
    TooShort,
    /// The history is longer than a clock allows.
    TooLong,
    /// The target is a percentage of a request that is unknown.
    UnknownRequest,
    /// More pods do not carry more of the metric, or nobody knows whether.
    AnswersScaling,
    /// The simulation of the spec as it is does not show what happened.
    NotReproduced,
    /// The HPA cannot be simulated.
    NotSimulated,
}

/// The simulation of the spec as it is, held against what happened.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Calibration {
    /// For how long, in seconds.
    pub seconds: i64,
    /// What happened.
    pub happened: SizeTotals,
    /// What the simulation made of it.
    pub simulated: SizeTotals,
    /// How far the pod-hours are apart, in percent of those that happened.
    pub pod_hours_apart: f64,
    /// How far the changes are apart, in percent of those that happened.
    pub changes_apart: f64,
    /// Both sizes over time: whenever one of them changes.
    pub sizes: Vec<BothSizes>,
}

impl Calibration {
    /// Both sizes at a second.
    pub fn at(&self, second: i64) -> Option<BothSizes> {
        let next = self.sizes.partition_point(|it| it.second <= second);
        self.sizes.get(next.checked_sub(1)?).copied()
    }

    /// How far the missing pods are apart, summed over all seconds.
    pub const fn missing_apart(&self) -> i64 {
        (self.simulated.missing_pod_seconds - self.happened.missing_pod_seconds).abs()
    }
}

/// A size over time, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SizeTotals {
    /// How often the size changed.
    pub changes: u32,
    /// How often it reversed.
    pub reversals: u32,
    /// The pods, summed over all seconds.
    pub pod_seconds: i64,
    /// The pods that the load needed at the target beyond those that were Ready, summed
    /// over all seconds.
    pub missing_pod_seconds: i64,
}

/// Two sizes of one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BothSizes {
    /// When, in seconds since the first sample.
    pub second: i64,
    /// What it was.
    pub happened: i32,
    /// What it was in the simulation.
    pub simulated: i32,
    /// Whether that is another one for longer than between two samples, which show a
    /// change that late.
    #[serde(skip)]
    pub is_apart: bool,
    /// Whether what it was is what someone else than the HPA set.
    #[serde(skip)]
    pub set_by_others: bool,
}

/// Another spec, with what it brings on the part of the history that the
/// search did not see.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proven {
    /// What it changes, the easiest to change first.
    pub fields: Vec<FieldStep>,
    /// The change that leads to it.
    pub patch: MergePatch,
    /// For how long it was tried there, in seconds.
    pub seconds: i64,
    /// What comes of the spec as it is.
    pub now: Scores,
    /// What comes of this one.
    pub then: Scores,
    /// How many pods may be missing under it, summed over all seconds.
    pub allowed_missing_pod_seconds: i64,
    /// What is won: pod-hours, and ten minutes of a pod for each reversal, in percent.
    pub gain: f64,
    /// What the search won so, on the part of the history that it saw.
    pub searched_gain: f64,
}

impl Proven {
    /// How many pod-hours fewer there are in thirty days.
    pub fn pod_hours_saved_monthly(&self) -> f64 {
        monthly(self.now.pod_seconds - self.then.pod_seconds, self.seconds)
    }
}

/// Pods of some seconds, summed over all of them, as pod-hours in thirty days.
#[expect(clippy::cast_precision_loss, reason = "an estimate in a few digits")]
pub fn monthly(pod_seconds: i64, seconds: i64) -> f64 {
    pod_seconds as f64 / seconds.max(1) as f64 * 24.0 * 30.0
}

/// A field of a change.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldStep {
    /// The field and its new value, in words.
    pub name: String,
    /// The field alone.
    pub field: String,
    /// The value that it has; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The new one.
    pub to: String,
    /// What comes of the spec with it and the fields before it; absent where the
    /// rest is needed as well for it to be a spec.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<Scores>,
}

/// Whether a smaller cpu request with a higher target pays.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Requests {
    /// None does, for a reason.
    Keep {
        /// Why not.
        reason: String,
    },
    /// One does: both change, or neither.
    Change(Box<RequestChange>),
}

/// A smaller cpu request with a target that lets a pod carry as much as before.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestChange {
    /// What a pod requests, in thousandths of a core.
    pub from: i64,
    /// What it would request.
    pub to: i64,
    /// The target, in percent of the request.
    pub from_target: i32,
    /// The target that goes with it.
    pub to_target: i32,
    /// What a pod uses at the most in 99% of the time, in thousandths of a core.
    pub used: i64,
    /// How much less is requested, in percent.
    pub saved: f64,
    /// How many core-hours fewer are requested in thirty days.
    pub core_hours_saved_monthly: f64,
    /// The command that sets the request.
    #[schemars(with = "String")]
    pub command: ShellCommand,
    /// The change of the HPA that goes with it, the advised one included.
    pub patch: MergePatch,
}

/// How long a doubled load waits for the pods that it needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reaction {
    /// The pods before.
    pub from: i32,
    /// Under the spec as it is.
    pub now: Delay,
    /// Under the proposed one, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<Delay>,
}

/// A wait, the worst of several phases of the passes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delay {
    /// How long, in seconds; absent where the pods never come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<i64>,
    /// What it consists of, in the order in which it comes about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<DelayPart>,
    /// What keeps the pods away, where they do not come in the hour that is simulated;
    /// absent where it is the scaleUp policies, the window, or the start-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<SizeLimit>,
}

/// What keeps the size below what a load needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SizeLimit {
    /// What it is.
    pub kind: SizeLimitKind,
    /// The size that it allows.
    pub replicas: i32,
    /// How many pods the load needs at the target.
    pub needed: i32,
}

impl SizeLimit {
    /// That `maxReplicas` is too low, and for what.
    pub fn too_low(self) -> String {
        let needed = counted(self.needed, "pod");
        let own = self.replicas;
        format!("maxReplicas {own} is too low: the load needs up to {needed}")
    }
}

/// What can keep a size low.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SizeLimitKind {
    /// The upper bound.
    MaxReplicas,
    /// `scaleUp` is disabled.
    Disabled,
    /// The controller leaves a size as it is that is nearly enough.
    Tolerance,
}

/// A part of a wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DelayPart {
    /// What takes the time.
    pub cause: DelayCause,
    /// How much, in seconds.
    pub seconds: i64,
}

/// What a doubled load waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DelayCause {
    /// For the samples that show it.
    Samples,
    /// For the passes that read them.
    Pass,
    /// For the scaleUp window.
    Stabilization,
    /// For what the scaleUp policies allow.
    Policy,
    /// For the new pods to be Ready.
    StartUp,
}
