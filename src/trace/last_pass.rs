//! Our result held against the controller's latest pass, and what comes next.
//!
//! The last pass, where nothing better can be had of this one, and since when
//! an answer holds: what the status of an HPA shows, and never more.

use std::cmp::Reverse;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{FailureCause, Hold, MetricResult, Range, Trace, Verdict, WindowEntry};
use crate::api::{Condition, ConditionKind, ConditionReason, ConditionStatus, Direction, OneOf};

/// What the status of an HPA shows of the last pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastPass {
    /// `status.desiredReplicas`; absent where the pass came to nothing, which
    /// leaves there whatever was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desired_replicas: Option<i32>,
    /// Why this pass is not computed.
    pub because: String,
    /// The same as a kind.
    #[serde(skip)]
    pub cause: FailureCause,
}

impl Trace {
    /// The answer, or where it rests on answers that are not there, what the
    /// controller itself decided last by the HPA's status.
    pub fn answer(&self) -> (Verdict, Option<LastPass>) {
        match last_pass(self) {
            None => (self.verdict.clone(), None),
            last => (Verdict::of_last_pass(self), last),
        }
    }
}

/// The last pass, where this one cannot be told because of a missing answer
/// and nothing that is known speaks against it.
fn last_pass(trace: &Trace) -> Option<LastPass> {
    let reported = &trace.reported;
    let (because, cause) = missing(trace).filter(|_| trace.outcome.desired_replicas.is_none())?;
    let is_decided = reported.failing().is_none() && !reported.is_paused();
    let desired = is_decided.then_some(reported.desired_replicas);
    let agrees = match (desired, trace.outcome.possible) {
        (Some(desired), Some(range)) => range.contains(desired),
        _ => true,
    };
    (agrees && !reported.conditions.is_empty()).then(|| LastPass {
        desired_replicas: desired,
        because: because.to_owned(),
        cause,
    })
}

/// Why an answer is missing: that somebody may not look comes before that
/// nobody asked.
fn missing(trace: &Trace) -> Option<(&str, FailureCause)> {
    let scale = trace.scale.as_ref();
    let unreadable = scale.and_then(|scale| Some((scale, scale.unreadable.clone()?)));
    if let Some((scale, cause)) = unreadable {
        return Some((scale.error.as_deref()?, cause));
    }
    let metrics = trace.metrics.iter();
    let reasons = metrics.filter_map(|metric| match &metric.result {
        Some(MetricResult::Unreadable { reason, cause, .. }) => {
            Some((reason.as_str(), cause.clone()))
        }
        _ => None,
    });
    reasons.max_by_key(|(_, cause)| *cause != FailureCause::NotAsked)
}

/// Since when a pass is held as it is, or its size is what it is; `is_last`
/// where the conditions stand in for the pass.
pub(super) fn since(trace: &Trace, hold: Option<Hold>, is_last: bool) -> Option<Timestamp> {
    let facts = StatusFacts { trace, is_last };
    let at = match hold {
        None | Some(Hold::Tolerance) => settled(trace, is_last),
        Some(hold) => facts.held(hold),
    };
    at.filter(|at| *at <= trace.at)
}

/// Since when the size is what it is, where it is what the metrics ask for.
fn settled(trace: &Trace, is_last: bool) -> Option<Timestamp> {
    let outcome = &trace.outcome;
    let current = outcome.current_replicas;
    let is_kept = is_last || outcome.rescale == Some(false);
    let is_settled = is_kept && trace.reported.desired_replicas == current;
    trace.reported.last_scale_time.filter(|_| is_settled)
}

/// What the status tells.
struct StatusFacts<'t> {
    trace: &'t Trace,
    is_last: bool,
}

impl StatusFacts<'_> {
    fn held(&self, hold: Hold) -> Option<Timestamp> {
        match hold {
            Hold::Failure | Hold::FailedMetric => self.failing(),
            Hold::Paused => self.condition(ConditionKind::ScalingActive, ConditionStatus::False),
            Hold::MaxReplicas | Hold::MinReplicas => self.at_bound(),
            Hold::ScaleUpWindow => self.recommended_otherwise(Direction::Up),
            Hold::ScaleDownWindow => self.recommended_otherwise(Direction::Down),
            _ => None,
        }
    }

    /// The transition of a condition, where the pass leaves it as it is: a
    /// transition is of the status alone, so status and reason must agree.
    fn condition(&self, kind: ConditionKind, status: ConditionStatus) -> Option<Timestamp> {
        let reported = self.trace.reported.condition(kind)?;
        let ours = Condition::of(&self.trace.conditions, kind);
        // What cannot be told of this pass contradicts nothing.
        let agrees = ours.is_some_and(|ours| {
            let both = (&ours.status, &ours.reason);
            ours.status == ConditionStatus::Unknown || both == (&reported.status, &reported.reason)
        });
        let is_reported = reported.status == status && (agrees || self.is_last);
        reported.last_transition_time.filter(|_| is_reported)
    }

    /// `AbleToScale` tells of the scale, `ScalingActive` of all else.
    fn failing(&self) -> Option<Timestamp> {
        let scale = self.condition(ConditionKind::AbleToScale, ConditionStatus::False);
        scale.or_else(|| self.condition(ConditionKind::ScalingActive, ConditionStatus::False))
    }

    /// `ScalingLimited` stays True when a policy's limit becomes a bound's,
    /// but a size that was not changed since then was at the bound all along.
    fn at_bound(&self) -> Option<Timestamp> {
        let outcome = &self.trace.outcome;
        let stays = outcome.desired_replicas == Some(outcome.current_replicas);
        let bound = if outcome.current_replicas == self.trace.bounds.max_replicas {
            ConditionReason::TooManyReplicas
        } else {
            ConditionReason::TooFewReplicas
        };
        let status = &self.trace.reported;
        let reported = status.condition(ConditionKind::ScalingLimited)?;
        let is_kept = (stays || self.is_last) && reported.reason == bound;
        let limited = self.condition(ConditionKind::ScalingLimited, ConditionStatus::True);
        let limited = limited.filter(|_| is_kept)?;
        let scaled = status.last_scale_time.unwrap_or(limited);
        Some(limited.max(scaled))
    }

    /// Since the first of the latest passes, without a gap, that asked for a
    /// change in the direction. What the windows hold tells it, where all of
    /// that is known.
    fn recommended_otherwise(&self, way: Direction) -> Option<Timestamp> {
        let current = self.trace.outcome.current_replicas;
        let stabilization = self.trace.stabilization.as_ref()?;
        let mut entries: Vec<_> = stabilization.entries.iter().collect();
        entries.sort_by_key(|entry| Reverse(entry.timestamp));
        let is_end = |it: &&WindowEntry| Direction::between(current, it.replicas) != Some(way);
        let end = entries.iter().position(is_end)?;
        let first = entries[..end].last();
        Some(first.map_or(self.trace.at, |it| it.timestamp))
    }
}

/// What scrapes tell of the pass of a moment. The pages of the moment run it
/// again on one set of inputs; these bounds hold whichever it was.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScrapedPassRecord {
    /// The pass ran then at the earliest.
    pub from: Timestamp,
    /// And then at the latest.
    pub to: Timestamp,
    /// Whether a scrape has what it measured: another pass may have followed
    /// before the next scrape.
    pub is_measured: bool,
    /// What it asked for; absent where it asked for nothing, since its metrics
    /// failed or were not read.
    #[serde(rename = "asked", skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Range>,
    /// The size that it found; absent where other passes or somebody else may have
    /// set it since the last scrape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Range>,
    /// The size that it left; absent where another pass or somebody else may have
    /// set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Range>,
    /// When the behavior was last written, where that was after the pass: it is
    /// unknown before. Windows and policies are then those of now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behavior_unknown_before: Option<Timestamp>,
}

/// Our result against what status, conditions and events show of the
/// controller's latest pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// How they compare.
    pub verdict: CheckVerdict,
    /// When the status was last written; a pass that changes nothing writes
    /// nothing.
    pub written: Option<Timestamp>,
    /// `status.desiredReplicas`.
    pub desired_replicas: i32,
    /// The reason of the condition `AbleToScale`; empty without one.
    pub able_to_scale: OneOf<ConditionReason>,
    /// What differs, or why nothing can be said, in a clause.
    pub says: String,
}

/// How our result compares with the controller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckVerdict {
    /// The same inputs lead us where they led the controller.
    Agrees,
    /// The inputs have changed since.
    InputsNewer,
    /// What the controller remembers makes, or may make, the difference.
    Memory,
    /// Nothing explains the difference.
    Unexplained,
    /// There is no pass to compare with.
    NoPass,
}

/// When the size can next change, if what the metrics ask for stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Outlook {
    /// The next pass; absent where no moment for it is known.
    pub next_pass: Option<NextPass>,
    /// The next step upwards.
    pub up: Step,
    /// The next step downwards.
    pub down: Step,
}

impl Outlook {
    /// Whether a step certainly comes with the next pass.
    pub fn is_at_next_pass(&self, step: Step) -> bool {
        let next = self.next_pass.map(|next| next.latest);
        step.earliest.is_none() && step.latest.is_some_and(|latest| next >= Some(latest))
    }
}

/// The pass that comes next. Passes lie a sync period apart, so when it runs,
/// what an earlier one stored is at least as old.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NextPass {
    /// Not before.
    pub earliest: Timestamp,
    /// By then, unless the controller is late.
    pub latest: Timestamp,
    /// The sizes that it can lead to, whenever within a sync period it runs.
    pub replicas: Range,
}

/// The next step one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Step {
    /// Whether the metrics ask for it now; otherwise this is what would
    /// happen if from now on they did.
    #[serde(rename = "asked")]
    pub recommended: bool,
    /// Not before; absent where nothing but the next pass is waited for.
    pub earliest: Option<Timestamp>,
    /// By then at the latest; absent where it may never come.
    pub latest: Option<Timestamp>,
    /// The sizes that it can lead to; absent where it never comes.
    pub replicas: Option<Range>,
}
