//! What an HPA would do under another spec, on the same inputs, and in the coming
//! minutes, pass by pass: each side comes from running the same pass.

use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::ShellCommand;
use super::{
    Attempt, BreakPoints, FallbackRecord, Finding, Origin, Outlook, PassStep, Range, Reason,
    Settling, SizeDecision, Trace, Verdict,
};
use crate::api::CrossVersionObjectReference;
use crate::document::FieldPath;

/// What the side of the spec that there is is called.
pub const NOW: &str = "now";

/// The pass as it is, and as it would be under other specs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRun {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// The HPA's scale target.
    pub target: CrossVersionObjectReference,
    /// The moment of the pass.
    pub at: Timestamp,
    /// What was altered in the inputs of every side, in words.
    pub premises: Vec<String>,
    /// What weakens the answer as a whole.
    pub warnings: Vec<String>,
    /// The time that every side's `coming` runs through; absent where none
    /// was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<Minutes>,
    /// The pass under the spec that there is; absent for an HPA that does not
    /// exist yet.
    pub current: Option<Box<Side>>,
    /// The pass under each of the other specs, in the order given.
    pub candidates: Vec<Side>,
}

/// The pass under one spec.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Side {
    /// What it is called: `now`, or where the spec comes from.
    pub name: String,
    /// The rules of `spec.behavior` that are in effect.
    pub behavior: Vec<BehaviorValue>,
    /// What differs from the pass under the spec that there is; absent for
    /// that one, and where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Box<Difference>>,
    /// The command that makes the change, ready for a shell; absent where
    /// there is nothing to change, or nothing to be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<MergePatch>,
    /// The command that creates an HPA that does not exist yet, ready for a
    /// shell; absent where a name in it would make it do something else, or
    /// where its manifest is in no file.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create: Option<ShellCommand>,
    /// What the API server answered to a dry run of its own; absent where it
    /// was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerAnswer>,
    /// The answer.
    pub verdict: Verdict,
    /// Everything that the pass does.
    pub trace: Arc<Trace>,
    /// The passes that follow; absent where none were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coming: Option<Coming>,
}

/// A value of `spec.behavior` that is in effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BehaviorValue {
    /// The field within `spec.behavior`, such as
    /// `scaleDown.stabilizationWindowSeconds`.
    pub field: String,
    /// The value in words, such as `300s` or `Percent 100/15s`.
    pub value: String,
    /// Where it comes from.
    pub origin: ValueOrigin,
}

/// Where a value of the behavior comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueOrigin {
    /// The spec.
    Spec,
    /// The API server's default, or a value of the spec that is the same: the
    /// server writes its defaults into the spec.
    ApiDefault,
    /// A flag of the controller that was given to this run.
    FlagGiven,
    /// A flag of the controller that was seen.
    #[serde(rename = "flag-seen")]
    FlagObserved,
    /// A flag of the controller that is not visible: the release's default.
    FlagAssumed,
    /// The older algorithm, which a spec without `behavior` selects.
    WithoutBehavior,
}

impl ValueOrigin {
    /// Those that are a flag of the controller.
    pub const FLAGS: [Self; 3] = [Self::FlagGiven, Self::FlagObserved, Self::FlagAssumed];

    /// A flag of the controller.
    pub const fn flag(origin: Origin) -> Self {
        match origin {
            Origin::Given => Self::FlagGiven,
            Origin::Observed => Self::FlagObserved,
            Origin::Assumed => Self::FlagAssumed,
        }
    }

    /// In words.
    pub const fn says(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::ApiDefault => "API default",
            Self::FlagGiven => "given flag",
            Self::FlagObserved => "controller flag",
            Self::FlagAssumed => "assumed default",
            Self::WithoutBehavior => "no behavior",
        }
    }
}

/// What differs between two passes on the same inputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The fields of the spec that are not the same.
    pub spec: Vec<FieldChange>,
    /// The decision on both sides; absent where it is the same.
    pub decision: Option<Decisions>,
    /// The first stage that leaves another count, or takes another way; of
    /// those before a stage that leaves the same on both sides, none parts the
    /// decisions. Where none leaves another count, the first that comes to its
    /// count by another rule. Absent
    /// where all their steps agree. A metric is told only where what the
    /// metrics come to together differs by it, or nothing else does.
    #[serde(rename = "parting")]
    pub first_divergence: Option<FirstDivergence>,
    /// The metrics that ask for something else, that are new, or gone.
    pub metrics: Vec<MetricChange>,
    /// The values of the behavior that are not the same.
    pub behavior: Vec<BehaviorChange>,
    /// What would change the size; absent where that is the same.
    #[serde(rename = "ahead")]
    pub forecast_change: Option<ForecastChange>,
    /// What is found only under the other spec.
    pub gained: Vec<Finding>,
    /// What is found only under the spec that there is.
    pub lost: Vec<Finding>,
}

impl Difference {
    /// Whether there is none at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A field of the spec that is not the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// The field, such as `spec.maxReplicas`.
    #[schemars(with = "String")]
    pub field: FieldPath,
    /// Of a metric that only one of the specs has, what it measures, such as
    /// `resource cpu`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Its value as JSON; absent where the spec has none.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "Option<String>")]
    pub from: Option<Value>,
    /// Its value under the other spec.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "Option<String>")]
    pub to: Option<Value>,
}

impl FieldChange {
    /// Whether it is of a field that the spec itself has, or inside of one.
    pub fn is_of(&self, own: &str) -> bool {
        self.field.is_within(&FieldPath::from("spec").field(own))
    }

    /// The field without the `spec.` that all of an HPA's begin with.
    pub fn below_spec(&self) -> FieldPath {
        FieldPath(self.field.0.iter().skip(1).cloned().collect())
    }
}

#[expect(clippy::ref_option, reason = "serde hands over the field itself")]
fn as_text<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
    let text = value.as_ref().map(Value::to_string);
    text.serialize(serializer)
}

/// A decision on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decisions {
    /// Under the spec that there is.
    pub now: Decided,
    /// Under the other one.
    pub instead: Decided,
}

/// What a pass does to the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decided {
    /// The size before.
    pub from: i32,
    /// The size after, or its bounds; absent where that is not known at all.
    pub to: Option<Range>,
    /// Whether the scale is written; absent where that is not known.
    pub rescale: Option<bool>,
}

impl Decided {
    /// What a pass decides. One that fails leaves the size.
    pub fn of(trace: &Trace) -> Self {
        let outcome = &trace.outcome;
        let from = outcome.current_replicas;
        let decided = match outcome.rescale {
            Some(false) => Some(Range::of(from)),
            _ => outcome.desired_replicas.map(Range::of),
        };
        Self {
            from,
            to: decided.or(outcome.possible),
            rescale: outcome.rescale,
        }
    }
}

/// Where two passes part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FirstDivergence {
    /// Whether every stage leaves the same on both sides, and only the rules
    /// that lead there are others.
    pub same_counts: bool,
    /// The step under the spec that there is, where it leaves the stage out
    /// the one that follows; absent where it does not have the metric.
    pub now: Option<PassStep>,
    /// The step under the other one.
    pub instead: Option<PassStep>,
}

/// What a metric asks for on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricChange {
    /// The metric's name, with what tells it from others of that name.
    pub metric: String,
    /// Under the spec that there is; absent where it has no such metric.
    pub now: Option<Proposal>,
    /// Under the other one.
    pub instead: Option<Proposal>,
}

/// What a metric asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// The count; absent where it fails, cannot be read, or is not looked at.
    pub replicas: Option<i32>,
}

/// A value of the behavior on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BehaviorChange {
    /// Under the spec that there is.
    pub now: BehaviorValue,
    /// Under the other one.
    pub instead: BehaviorValue,
}

/// What would change the size, on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastChange {
    /// Under the spec that there is.
    pub now: Forecast,
    /// Under the other one.
    pub instead: Forecast,
}

/// What would change the size.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Forecast {
    /// The values of the metrics at which they ask for something else.
    pub break_points: Vec<BreakPoints>,
    /// When the size can next change.
    pub outlook: Option<Outlook>,
    /// Where the size ends if the load stays.
    pub settling: Option<Settling>,
    /// Changes of the spec that would let the change through.
    pub attempts: Vec<Attempt>,
    /// What becomes of the fallbacks of External metrics, by a design that no
    /// release has; none where the gate `HPAExternalMetricFallback` is off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<FallbackRecord>,
}

/// A JSON merge patch (RFC 7386): it replaces lists as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergePatch {
    /// The patch as JSON on one line.
    pub patch: String,
    /// The command that applies it, ready for a shell; absent where a name in
    /// it would make it do something else.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<ShellCommand>,
    /// Who will write over the change; absent where nobody is known to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overwritten: Option<Overwritten>,
}

/// Who makes an HPA, and so writes over a change of its spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Overwritten {
    /// The object that the HPA is made for, such as `ScaledObject/web`.
    pub by: String,
    /// Where in that object the fields are set that change.
    pub fields: Vec<Moved>,
    /// The command that edits it, ready for a shell; absent where a name in it
    /// would make it do something else.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<ShellCommand>,
}

/// A field of an HPA that is set elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    /// The field of the HPA, such as `spec.maxReplicas`.
    // Here it has no `spec.`, which documents put before it.
    #[serde(serialize_with = "of_spec")]
    pub field: &'static str,
    /// The field that it comes from, such as `spec.maxReplicaCount`.
    pub there: &'static str,
}

fn of_spec<S: Serializer>(field: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("spec.{field}"))
}

/// What the API server answered to a request with `dryRun=All`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "answer")]
pub enum ServerAnswer {
    /// It would store the spec.
    Accepted,
    /// It would store the spec, but not all of it.
    FieldsDropped {
        /// The fields that do not come back.
        #[schemars(with = "Vec<String>")]
        fields: Vec<FieldPath>,
    },
    /// It would store another spec than the one that was sent.
    FieldsChanged {
        /// The fields that come back with another value, or that were not
        /// sent at all.
        #[schemars(with = "Vec<String>")]
        fields: Vec<FieldPath>,
        /// The fields that do not come back.
        #[schemars(with = "Vec<String>")]
        dropped: Vec<FieldPath>,
    },
    /// It would not.
    Refused {
        /// Its words.
        message: String,
    },
    /// It could not be asked: that says nothing of the spec.
    NotAsked {
        /// Why.
        reason: String,
    },
}

/// The time that is run through, the same for every side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Minutes {
    /// How much time, in seconds, from the moment of the explanation on.
    pub seconds: i64,
    /// The time between two passes, in seconds.
    pub every_seconds: i64,
    /// Which load the passes find.
    pub load: ForecastLoad,
}

/// Which load the passes to come find. It is spread over the pods of the size
/// that a side has by then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "source")]
pub enum ForecastLoad {
    /// That of the moment, which stays. All pods count at once.
    Constant,
    /// What the pods of a record served, sample by sample.
    Recorded {
        /// How many pods are seen to start in it: those of a side become
        /// Ready, and have their first sample, as they did. Where there is
        /// none, they count at once.
        starts: usize,
        /// The last sample; from then on its load stays. Absent where none
        /// follows the moment.
        until: Option<Timestamp>,
        /// Times without a sample, for longer than one speaks for what
        /// follows it. The load before them stays.
        gaps: Vec<Lapse>,
    },
}

/// A time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lapse {
    /// When it begins.
    pub from: Timestamp,
    /// When it ends.
    pub to: Timestamp,
}

/// What the controller would do in that time under one spec. Where what it
/// remembers leaves several sizes, every one of them is followed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Coming {
    /// How often the size changes.
    pub changes: Range,
    /// How often it turns: goes up after it went down, or down after it went
    /// up.
    pub reversals: Range,
    /// The size on average, over the time: what it costs.
    pub average_replicas: Average,
    /// The metrics, by their place in the spec, of which it is not known that
    /// they become less for each pod as pods are added: they are taken to stay
    /// as they are.
    pub taken_constant: Vec<usize>,
    /// Where it could not be run to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// The passes, the first one at the moment of the explanation.
    pub passes: Vec<ComingPass>,
}

/// An average, between bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Average {
    /// At least.
    pub from: f64,
    /// At most.
    pub to: f64,
}

/// A moment at which a run ends early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stopped {
    /// The pass that could not be run.
    pub at: Timestamp,
    /// Why, in words.
    pub why: String,
}

/// A pass to come.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComingPass {
    /// When.
    pub at: Timestamp,
    /// The size before.
    pub current_replicas: Range,
    /// What the metrics ask for; absent where they are not asked, or failed
    /// ones block the rest.
    #[serde(rename = "asked")]
    pub recommended: Option<Range>,
    /// What each of several metrics asks for, in the order of the spec; none where it
    /// gives no number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<Option<Range>>,
    /// What stabilization leaves of that; absent where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stabilized: Option<Range>,
    /// The size after.
    pub replicas: Range,
    /// What makes it another size than was asked for, as the reason of the
    /// condition that says so: `ScaleDownStabilized`, `ScaleUpLimit`; outside
    /// of the bounds, where the controller asks no metric, `TooManyReplicas`
    /// or `TooFewReplicas`. Absent where nothing does, or several things can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<Reason>,
    /// The pass itself, where a page opens it.
    #[serde(skip)]
    pub page: Option<Arc<Trace>>,
}

impl Coming {
    /// The first pass that leaves another size than that of another side.
    pub fn first_difference(&self, other: &Self) -> Option<Timestamp> {
        let mut both = self.passes.iter().zip(&other.passes);
        let first = both.find(|(own, other)| own.replicas != other.replicas);
        first.map(|(own, _)| own.at)
    }

    /// Whether every pass leaves the same size as that of another side.
    pub fn has_same_sizes(&self, other: &Self) -> bool {
        self.passes.len() == other.passes.len() && self.first_difference(other).is_none()
    }
}

impl ComingPass {
    /// Whether the size is another one afterwards, as far as it is known.
    pub fn is_change(&self) -> bool {
        self.replicas != self.current_replicas
    }

    /// Whether the metrics give no number, which keeps the size.
    pub fn is_mute(&self) -> bool {
        self.recommended.is_none()
            && self.held_by.is_none()
            && self.current_replicas != Range::of(0)
    }
}

impl From<&ComingPass> for SizeDecision {
    fn from(pass: &ComingPass) -> Self {
        Self {
            from: pass.current_replicas,
            recommended: pass.recommended,
            to: pass.replicas,
            held_by: pass.held_by,
        }
    }
}

impl Average {
    /// The average size over the time of the passes: each size holds until the
    /// next pass, so that of the last one lasts no time.
    pub fn of(passes: &[ComingPass]) -> Self {
        let lasting = match passes {
            [] | [_] => passes,
            [lasting @ .., _] => lasting,
        };
        let count = u32::try_from(lasting.len()).unwrap_or(u32::MAX).max(1);
        let average = |end: fn(&ComingPass) -> i32| {
            let sizes = lasting.iter().map(|pass| f64::from(end(pass)));
            sizes.sum::<f64>() / f64::from(count)
        };
        Self {
            from: average(|pass| pass.replicas.from),
            to: average(|pass| pass.replicas.to),
        }
    }
}
