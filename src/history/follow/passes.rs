//! Which passes there were: one that changes nothing of the status writes
//! nothing, and only the time between those that do tells of it.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::Written;
use super::foresight::Prediction;
use crate::api::{Condition, ConditionKind, ConditionReason, ConditionStatus, HpaStatus, OneOf};
use crate::document::snapshot::Snapshot;
use crate::trace::{PassFigures, Range, Verdict};

/// More passes in a row than this are not told of: this machine slept, or a
/// clock jumped.
const MOST: i64 = 1_000;

/// No pass is later than this after a whole period, as times are whole seconds;
/// none is early.
const NEAR: SignedDuration = SignedDuration::from_secs(2);

/// The latest pass, seen or inferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    latest: Option<Timestamp>,
}

impl Passes {
    /// Goes on from a pass, if one is known.
    pub fn since(latest: Option<Timestamp>) -> Self {
        Self { latest }
    }

    /// A pass has written the status: the passes before it that have not. As
    /// the controller waits as long after each, they are evenly spread.
    pub fn written(&mut self, at: Timestamp, period: SignedDuration) -> Vec<Timestamp> {
        let Some(latest) = self.latest.replace(at) else {
            return Vec::new();
        };
        let between = at.duration_since(latest);
        let steps = whole(between.saturating_add(period / 2), period);
        if steps > MOST {
            return Vec::new();
        }
        spread(latest, between, steps)
            .take_while(|pass| *pass < at)
            .collect()
    }

    /// Whether a pass lies off whole periods since the latest one: an edit queued
    /// it by itself, and those after it come when they would have come without.
    pub fn is_off(self, at: Timestamp, period: SignedDuration) -> bool {
        let Some(latest) = self.latest else {
            return false;
        };
        let since = at.duration_since(latest).as_nanos();
        since.rem_euclid(period.as_nanos().max(1)) > NEAR.as_nanos()
    }

    /// Until now, nothing was written: the passes that must have been. One may
    /// be late by half a period.
    pub fn unwritten(&mut self, now: Timestamp, period: SignedDuration) -> Vec<Timestamp> {
        let Some(latest) = self.latest else {
            return Vec::new();
        };
        let since = now.duration_since(latest).saturating_sub(period / 2);
        let steps = whole(since, period);
        if steps > MOST {
            self.latest = Some(now);
            return Vec::new();
        }
        let count = i32::try_from(steps).unwrap_or_default();
        let passes: Vec<Timestamp> = spread(latest, period * count, steps).collect();
        self.latest = passes.last().copied().or(self.latest);
        passes
    }

    /// When the next pass is due after a moment; that moment where no pass is
    /// known.
    pub fn due(self, after: Timestamp, period: SignedDuration) -> Timestamp {
        let next = self.latest.and_then(|it| it.checked_add(period).ok());
        let latest = after.checked_add(period).unwrap_or(after);
        next.map_or(after, |next| next.clamp(after, latest))
    }
}

/// How many whole periods a time has; none where it runs backwards.
fn whole(time: SignedDuration, period: SignedDuration) -> i64 {
    let count = time.as_nanos() / period.as_nanos().max(1);
    i64::try_from(count.max(0)).unwrap_or(i64::MAX)
}

/// So many moments after a first one, evenly spread over a time.
fn spread(first: Timestamp, time: SignedDuration, steps: i64) -> impl Iterator<Item = Timestamp> {
    (1..=steps).filter_map(move |step| {
        let nanos = time.as_nanos() * i128::from(step) / i128::from(steps);
        let since = SignedDuration::from_nanos(i64::try_from(nanos).ok()?);
        first.checked_add(since).ok()
    })
}

/// Times are whole seconds of the server's clock, cut off: what was read this
/// much before a pass was read before it.
const SURE: SignedDuration = SignedDuration::from_secs(2);

/// The inputs of the latest sample, and since when they are the same.
#[derive(Default)]
pub struct Inputs {
    latest: Option<Arc<Snapshot>>,
    since: Timestamp,
    /// A pass that was seen after the latest sample began.
    pass: Option<Timestamp>,
}

impl Inputs {
    /// A pass wrote the status.
    pub fn passed(&mut self, at: Timestamp) {
        self.pass = Some(at);
    }

    /// Nothing could be sampled.
    pub fn unknown(&mut self) {
        *self = Self::default();
    }

    /// A sample, and whether it began to be taken after the latest pass: that
    /// pass, if it is known to have run on just these inputs.
    pub fn sampled(&mut self, snapshot: &Arc<Snapshot>, is_after_pass: bool) -> Option<Timestamp> {
        let latest = self.latest.as_ref();
        if !latest.is_some_and(|latest| are_same(latest, snapshot)) {
            self.since = snapshot.captured_at;
        }
        self.latest = Some(snapshot.clone());
        let pass = self.pass.take_if(|_| is_after_pass)?;
        (pass.duration_since(self.since) >= SURE).then_some(pass)
    }
}

/// Whether a pass would find the same.
fn are_same(one: &Snapshot, other: &Snapshot) -> bool {
    let spec = |snapshot: &Snapshot| {
        let hpa = &snapshot.hpa;
        (hpa.metadata.uid.clone(), hpa.spec.clone())
    };
    spec(one) == spec(other)
        && one.scale == other.scale
        && one.pods == other.pods
        && one.metrics == other.metrics
        && one.other_autoscalers == other.other_autoscalers
        && one.controller == other.controller
        && one.server_version == other.server_version
}

/// A pass of the controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pass {
    #[schemars(extend("const" = "Pass"))]
    kind: &'static str,
    /// When it ran: when the status was written, or by the sync period.
    pub at: Timestamp,
    /// Whether it wrote nothing, so that only the time tells of it.
    pub inferred: bool,
    /// The size before it.
    pub current_replicas: i32,
    /// The size that it decided on.
    pub desired_replicas: i32,
    /// What the metrics asked for, by our prediction.
    pub asks_for: Option<i32>,
    /// The reasons that its conditions give, those that tell something.
    pub reasons: Vec<OneOf<ConditionReason>>,
    /// The answer that our prediction gave, and why; absent without a sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// How it compares with our prediction.
    pub prediction: Agreement,
    /// The sizes that were possible by our prediction.
    pub expected: Option<Range>,
    /// Which inputs the pass saw otherwise than the sample behind our
    /// prediction: `cpu moved from 60% to 110%`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<String>,
    /// Whether the controller could not do its work.
    #[serde(skip)]
    pub is_failing: bool,
    /// What our prediction rests on, in numbers.
    #[serde(skip)]
    pub figures: Option<PassFigures>,
}

/// How a pass compares with our prediction, made from the sample before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Agreement {
    /// One size was possible, and that is it.
    Predicted,
    /// It is among several that were possible.
    Inside,
    /// It was not among the possible ones.
    Missed,
    /// There was no sample shortly before it.
    NoSample,
}

impl Pass {
    /// A pass with the status that it left.
    pub(super) fn new(
        at: Timestamp,
        inferred: bool,
        written: &Written,
        prediction: Option<&Prediction>,
    ) -> Self {
        let status = &written.status;
        let desired = status.desired_replicas;
        Self {
            kind: "Pass",
            at,
            inferred,
            current_replicas: status.current_replicas,
            desired_replicas: desired,
            asks_for: prediction.and_then(|it| it.asks_for),
            reasons: reasons(status),
            verdict: prediction.map(|it| it.verdict.clone()),
            prediction: prediction.map_or(Agreement::NoSample, |it| compared(it.expected, desired)),
            expected: prediction.and_then(|it| it.expected),
            moved: prediction.map_or_else(Vec::new, |it| it.inputs.moved(written)),
            is_failing: status.conditions.iter().any(is_failing),
            figures: prediction.map(|it| it.figures.clone()),
        }
    }
}

/// Where nothing could be told, every size was possible.
fn compared(expected: Option<Range>, desired: i32) -> Agreement {
    match expected {
        None => Agreement::Inside,
        Some(range) if range.single() == Some(desired) => Agreement::Predicted,
        Some(range) if range.contains(desired) => Agreement::Inside,
        Some(_) => Agreement::Missed,
    }
}

fn is_failing(condition: &Condition) -> bool {
    let is_vital = matches!(
        condition.kind.known(),
        Some(ConditionKind::AbleToScale | ConditionKind::ScalingActive)
    );
    is_vital && condition.status == ConditionStatus::False
}

/// What fails says it all; otherwise what was done, and what limited it.
fn reasons(status: &HpaStatus) -> Vec<OneOf<ConditionReason>> {
    let reasons = |tells: fn(&Condition) -> bool| -> Vec<_> {
        let telling = status.conditions.iter().filter(|it| tells(it));
        telling.map(|it| it.reason.clone()).collect()
    };
    let failing = reasons(is_failing);
    if !failing.is_empty() {
        return failing;
    }
    reasons(|it| match it.kind.known() {
        Some(ConditionKind::AbleToScale) => true,
        Some(ConditionKind::ScalingLimited) => it.status == ConditionStatus::True,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{Agreement, Passes, compared};
    use crate::history::follow::tests::{PERIOD, second};
    use crate::trace::Range;

    fn seconds(passes: &[Timestamp]) -> Vec<i64> {
        passes
            .iter()
            .map(|pass| pass.as_second() - 1_000_000)
            .collect()
    }

    #[test]
    fn between_two_writes_lie_the_passes_that_wrote_nothing() {
        let rows: [(i64, &[i64]); 10] = [
            (15, &[]),
            // A pass takes its time, and a second is cut off.
            (14, &[]),
            (22, &[]),
            (23, &[11]),
            (30, &[15]),
            (32, &[16]),
            (61, &[15, 30, 45]),
            // Another write soon after, and a clock that jumps.
            (3, &[]),
            (-100, &[]),
            (1_000_000, &[]),
        ];
        for (at, between) in rows {
            let mut passes = Passes::since(Some(second(0)));
            assert_eq!(
                seconds(&passes.written(second(at), PERIOD)),
                between,
                "{at}"
            );
            assert_eq!(passes, Passes::since(Some(second(at))));
        }
        assert_eq!(Passes::default().written(second(15), PERIOD), []);
    }

    /// Until when nothing was written, which passes that tells of, and when the
    /// next one is due.
    #[test]
    fn time_that_goes_by_tells_of_passes() {
        let rows: [(i64, &[i64], i64); 7] = [
            (0, &[], 15),
            (15, &[], 15),
            (22, &[], 22),
            (23, &[15], 30),
            (60, &[15, 30, 45], 60),
            (-20, &[], -5),
            (1_000_000, &[], 1_000_015),
        ];
        for (now, reported, due) in rows {
            let mut passes = Passes::since(Some(second(0)));
            assert_eq!(
                seconds(&passes.unwritten(second(now), PERIOD)),
                reported,
                "{now}"
            );
            assert_eq!(seconds(&[passes.due(second(now), PERIOD)]), [due], "{now}");
        }
        assert_eq!(Passes::default().unwritten(second(60), PERIOD), []);
        assert_eq!(Passes::default().due(second(60), PERIOD), second(60));
    }

    #[test]
    fn a_pass_that_an_edit_queued_is_off_the_beat() {
        let rows = [
            (0, false),
            (2, false),
            (3, true),
            (12, true),
            (14, true),
            (15, false),
            (17, false),
            (37, true),
            (-7, true),
        ];
        for (at, is_off) in rows {
            let passes = Passes::since(Some(second(0)));
            assert_eq!(passes.is_off(second(at), PERIOD), is_off, "{at}");
        }
        assert!(!Passes::default().is_off(second(7), PERIOD));
    }

    /// A pass is told of once, whether by time or by the next write.
    #[test]
    fn no_pass_is_told_of_twice() {
        let mut passes = Passes::since(Some(second(0)));
        let mut reported = Vec::new();
        for now in (0..=50).step_by(5) {
            reported.extend(passes.unwritten(second(now), PERIOD));
        }
        reported.extend(passes.written(second(61), PERIOD));
        assert_eq!(seconds(&reported), [15, 30, 45]);
    }

    #[test]
    fn a_decision_is_held_against_what_was_possible() {
        let rows = [
            (Some((3, 3)), 3, Agreement::Predicted),
            (Some((3, 5)), 3, Agreement::Inside),
            (Some((3, 5)), 5, Agreement::Inside),
            (Some((3, 5)), 6, Agreement::Missed),
            (Some((3, 3)), 4, Agreement::Missed),
            (None, 4, Agreement::Inside),
        ];
        for (expected, desired, mark) in rows {
            let expected = expected.map(|(from, to)| Range::new(from, to));
            assert_eq!(compared(expected, desired), mark, "{expected:?} {desired}");
        }
    }
}
