//! The statuses that the controller wrote, and what each tells of its pass
//! and of those after it that changed nothing.

use std::sync::Arc;

use jiff::Timestamp;

use crate::api::{ConditionKind, ConditionReason, ConditionStatus, HpaSpec, HpaStatus, OneOf};
use crate::controller::{Nanos, SECOND, timestamp};
use crate::history::recall::{Implied, Outcome, Sources, between};
use crate::history::{Observation, Span};
use crate::trace::{Evidence, EvidenceKind, Range};

/// How long before its status is written a pass stores its recommendation.
pub const BEFORE_WRITE: Nanos = 3 * SECOND;

/// A status that the controller wrote.
#[derive(Clone, Debug)]
pub struct Written {
    /// When its pass ran.
    pub at: Span,
    /// When it was last seen unchanged: every pass until then had the same
    /// outcome.
    pub until: Nanos,
    pub status: Arc<HpaStatus>,
    /// The spec that the pass ran on, where that is known.
    pub spec: Option<Arc<HpaSpec>>,
    /// What its first pass recommended, by what it reports of the metrics.
    pub reported: Option<Range>,
    /// What queued its first pass.
    pub queued_by: QueuedBy,
}

/// What queued a pass: from 1.37 on an edit of the spec does so at once, and
/// the next one comes when it would have come without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueuedBy {
    /// The period since the pass before it.
    Period,
    Edit,
    /// It is the first of an edited spec, or the first that is known, and
    /// nothing tells which.
    Either,
}

/// What the passes of a status did with their recommendation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalized {
    /// They stored it, and this is known.
    Stored(Implied),
    /// Only the first pass did; a later one would have written another
    /// status.
    StoredOnce(Implied),
    /// They stored none.
    Nothing,
    /// Nobody knows.
    Unknown,
}

/// The statuses that were seen, the oldest first.
pub(super) fn written(mut sources: Sources) -> Vec<Written> {
    let hpa = &sources.snapshot.hpa;
    // What came after the inputs were read is not in their status.
    let captured_at = sources.snapshot.captured_at.as_nanosecond();
    sources.now = sources.now.min(captured_at);
    let (rules, now) = (sources.rules, sources.now);
    let mut all: Vec<Written> = Vec::new();
    let mut before: Option<&Observation> = None;
    for sample in sources.samples() {
        if let Some(time) = sample.written {
            let is_same = before.is_some_and(|before| before.written == sample.written);
            match all.last_mut() {
                Some(last) if is_same && last.status == sample.status => last.until = sample.at,
                _ => all.push(Written {
                    at: pass_span(time, before.map(|it| it.at), sample.at, sample.edited),
                    until: sample.at,
                    status: sample.status.clone(),
                    spec: spec_of(sample, before, time),
                    reported: sample.reported,
                    queued_by: QueuedBy::Period,
                }),
            }
        }
        before = Some(sample);
    }
    if let Some(time) = hpa.status_written() {
        match all.last_mut() {
            Some(last)
                if *last.status == hpa.status
                    && before.is_some_and(|it| it.written == Some(time)) =>
            {
                last.until = now;
            }
            _ => {
                let is_same = hpa.spec_written().is_none_or(|spec| spec < time)
                    && !hpa.is_status_of_older_spec();
                all.push(Written {
                    at: pass_span(
                        time,
                        before.map(|it| it.at),
                        now,
                        hpa.edited_before_status(),
                    ),
                    until: now,
                    status: Arc::new(hpa.status.clone()),
                    spec: is_same.then(|| Arc::new(hpa.spec.clone())),
                    reported: None,
                    queued_by: QueuedBy::Period,
                });
            }
        }
    }
    if rules.is_at_once_on_edits {
        tell_edits(&mut all, rules.sync_period);
    }
    all
}

/// Tells which passes an edit queued: those that are the first of their spec,
/// and lie off whole periods after the others, or before the next one.
fn tell_edits(all: &mut [Written], sync_period: Nanos) {
    let mut regular = None;
    let mut known = None;
    for at in 0..all.len() {
        let generation = all[at].status.observed_generation;
        let moment = all[at].at.to;
        let next = all
            .get(at + 1)
            .filter(|it| it.status.observed_generation == generation);
        let is_off =
            |pair: (Nanos, Nanos)| matches!(between(pair.0, pair.1, sync_period), Some(Err(_)));
        let lies_off = regular.is_some_and(|it| is_off((it, moment)))
            || next.is_some_and(|it| is_off((moment, it.at.to)));
        all[at].queued_by = match generation.is_none() || generation != known {
            true if generation > known && known.is_some() && lies_off => QueuedBy::Edit,
            true => QueuedBy::Either,
            false => QueuedBy::Period,
        };
        if all[at].queued_by != QueuedBy::Edit {
            regular = Some(moment);
        }
        known = generation;
    }
}

/// A pass ends with its write; one that was not seen in a sample came later,
/// and one on an edited spec came after the edit.
fn pass_span(
    time: Timestamp,
    unseen_at: Option<Nanos>,
    observed_at: Nanos,
    edited: Option<Timestamp>,
) -> Span {
    let second = Span::second(time);
    let begun = second.from - BEFORE_WRITE;
    let unseen = unseen_at.map(|it| it - BEFORE_WRITE);
    let edited = edited.map(|it| Span::second(it).from);
    let to = second.to.min(observed_at);
    let from = unseen.into_iter().chain(edited).fold(begun, Nanos::max);
    Span::new(from.min(to), to)
}

/// The spec of a status, if it was not changed in between.
fn spec_of(
    sample: &Observation,
    before: Option<&Observation>,
    written: Timestamp,
) -> Option<Arc<HpaSpec>> {
    let is_same = match before {
        Some(before) => before.spec == sample.spec,
        None => sample.spec_written.is_none_or(|spec| spec < written),
    };
    (is_same && !sample.is_of_older_spec).then(|| sample.spec.clone())
}

/// Since when the scale could be read and written, if it can; this holds
/// whenever the status was written.
pub fn able_since(status: &HpaStatus) -> Option<Nanos> {
    since(status, ConditionKind::AbleToScale, ConditionStatus::True)
}

/// Since when a condition has had a value, if it has: the time moves with the
/// value, whatever becomes of reason and message.
fn since(status: &HpaStatus, kind: ConditionKind, value: ConditionStatus) -> Option<Nanos> {
    let condition = status.condition(kind).filter(|it| it.status == value)?;
    Some(Span::second(condition.last_transition_time?).to)
}

impl Written {
    /// The reason of `AbleToScale`; empty without one.
    pub fn able_to_scale(&self) -> OneOf<ConditionReason> {
        let condition = self.status.condition(ConditionKind::AbleToScale);
        condition.map_or_else(OneOf::default, |it| it.reason.clone())
    }

    /// Whether the scaling was limited, and why.
    fn limited(&self) -> Option<(bool, Option<ConditionReason>)> {
        let condition = self.status.condition(ConditionKind::ScalingLimited)?;
        let is_limited = condition.status == ConditionStatus::True;
        Some((is_limited, condition.reason.known()))
    }

    /// Since when `ScalingLimited` has been False, if it is: no pass since
    /// then was limited. One that did not normalize left it as it was.
    pub fn unlimited_since(&self) -> Option<Nanos> {
        since(
            &self.status,
            ConditionKind::ScalingLimited,
            ConditionStatus::False,
        )
    }

    /// Since when `AbleToScale` has been True, if it is: every pass since then
    /// could read the scale, and write it where it had to.
    pub fn able_since(&self) -> Option<Nanos> {
        able_since(&self.status)
    }

    /// What its passes did.
    pub fn normalized(&self) -> Normalized {
        let implied = || {
            let implied = self.outcome().and_then(|outcome| outcome.implied());
            implied.unwrap_or(Implied::NOTHING)
        };
        match self.able_to_scale().known() {
            Some(
                ConditionReason::ReadyForNewScale
                | ConditionReason::ScaleDownStabilized
                | ConditionReason::ScaleUpStabilized,
            ) => Normalized::Stored(implied()),
            // The branches beyond the bounds leave no metrics behind.
            Some(ConditionReason::SucceededRescale) if self.status.current_metrics.is_empty() => {
                Normalized::Nothing
            }
            Some(ConditionReason::SucceededRescale) => Normalized::StoredOnce(implied()),
            Some(ConditionReason::SucceededGetScale | ConditionReason::FailedGetScale) => {
                Normalized::Nothing
            }
            _ => Normalized::Unknown,
        }
    }

    /// Whether its passes stored something, and no recommendation leads to
    /// what it says.
    pub fn contradicts_itself(&self) -> bool {
        let has_stored = matches!(
            self.normalized(),
            Normalized::Stored(_) | Normalized::StoredOnce(_)
        );
        has_stored && self.outcome().is_some_and(|it| it.implied().is_none())
    }

    /// How its passes ended, if their spec is known.
    fn outcome(&self) -> Option<Outcome> {
        let able_to_scale = self.able_to_scale().known();
        Some(Outcome {
            has_behavior: self.spec.as_ref()?.behavior.is_some(),
            current: Some(self.status.current_replicas),
            desired: self.status.desired_replicas,
            // It stands in place of what the stabilization said.
            able_to_scale: able_to_scale.filter(|it| *it != ConditionReason::SucceededRescale),
            limited: self.limited(),
            recommended: None,
        })
    }

    /// Where this is known from.
    pub fn evidence(&self) -> Evidence {
        Evidence::at(
            EvidenceKind::Status,
            timestamp(self.at.to),
            self.able_to_scale().as_str(),
        )
    }
}
