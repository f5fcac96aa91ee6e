//! Our result held against the controller's latest pass, as status and
//! conditions show it.

use jiff::Timestamp;

use super::recall::outcome::text;
use super::recall::written::{BEFORE_WRITE, Normalized, Written};
use crate::api::{
    Condition, ConditionKind, ConditionReason, ConditionStatus, HpaStatus, MetricStatus,
    MetricValueStatus, OneOf, Quantity,
};
use crate::controller::timestamp;
use crate::document::snapshot::Snapshot;
use crate::trace::{Check, CheckVerdict, Trace, milli_text};

/// What a metric without a name is called.
pub(super) const UNNAMED: &str = "the metric";

/// Compares a pass on today's inputs with the latest one of the controller.
pub fn check(snapshot: &Snapshot, trace: &Trace, last: Option<&Written>) -> Check {
    let hpa = &snapshot.hpa;
    let comparison = Comparison {
        snapshot,
        status: &hpa.status,
        written: hpa.status_written(),
        trace,
    };
    let (verdict, says) = comparison.verdict(last);
    Check {
        verdict,
        written: comparison.written,
        desired_replicas: hpa.status.desired_replicas,
        able_to_scale: comparison.reason(ConditionKind::AbleToScale),
        says,
    }
}

struct Comparison<'a> {
    snapshot: &'a Snapshot,
    status: &'a HpaStatus,
    written: Option<Timestamp>,
    trace: &'a Trace,
}

impl Comparison<'_> {
    fn verdict(&self, last: Option<&Written>) -> (CheckVerdict, String) {
        if self.status.conditions.is_empty() {
            let says = "no pass to compare with: the status has no conditions yet";
            return (CheckVerdict::NoPass, says.to_owned());
        }
        if let Some(says) = self.newer() {
            return (CheckVerdict::InputsNewer, says);
        }
        if self.agrees() {
            return (CheckVerdict::Agrees, String::new());
        }
        if self.written.is_none() {
            let says = "not compared with the last pass: the time of its status is unknown";
            return (CheckVerdict::NoPass, says.to_owned());
        }
        if let Some(says) = self.contradicted(last) {
            return match self.pods_changed().or_else(|| self.sampled_since()) {
                Some(pods) => (CheckVerdict::InputsNewer, pods),
                None => (CheckVerdict::Unexplained, says),
            };
        }
        (CheckVerdict::Memory, self.remembered())
    }

    /// What has changed since the pass.
    fn newer(&self) -> Option<String> {
        self.edited()
            .or_else(|| self.resized())
            .or_else(|| self.failing())
            .or_else(|| self.measured())
    }

    fn edited(&self) -> Option<String> {
        let hpa = &self.snapshot.hpa;
        let is_later = hpa.spec_written() >= self.written && self.written.is_some();
        let is_edited = is_later || hpa.is_pass_of_older_spec();
        is_edited.then(|| "the spec changed".to_owned())
    }

    /// The size is another one, if only by what the pass itself did.
    fn resized(&self) -> Option<String> {
        let current = self.trace.size()?;
        let before = self.status.current_replicas;
        if self.reason(ConditionKind::AbleToScale) == ConditionReason::SucceededRescale {
            let after = self.status.desired_replicas;
            return Some(format!("that pass scaled from {before} to {after}"));
        }
        (current != before).then(|| format!("the size changed from {before} to {current}"))
    }

    /// A metric failed then, or fails now.
    fn failing(&self) -> Option<String> {
        let then = self.status.condition(ConditionKind::ScalingActive);
        let failed = then.filter(|then| then.status == ConditionStatus::False);
        let now = self.ours(ConditionKind::ScalingActive);
        let fails = now.filter(|now| now.status == ConditionStatus::False);
        match (failed, fails) {
            (Some(then), Some(now)) if then.reason == now.reason => None,
            (Some(then), _) => Some(format!("that pass failed with {}", then.reason)),
            (None, Some(now)) => Some(format!("that pass did not fail with {}", now.reason)),
            (None, None) => None,
        }
    }

    /// A metric has another value.
    fn measured(&self) -> Option<String> {
        // A pass that does not get to the metrics leaves no values.
        self.trace.recommendation.as_ref()?;
        self.trace.metrics.iter().find_map(|metric| {
            let specs = &self.snapshot.hpa.spec.metrics;
            let spec = specs.get(metric.index)?;
            let mut then = self.status.current_metrics.iter();
            let then = then.find(|then| then.is_of(spec));
            let now = metric.proposed()?.current.current()?;
            let name = spec.name().unwrap_or(UNNAMED);
            match then.and_then(MetricStatus::current) {
                None => Some(format!("{name} had no value")),
                Some(then) if is_same_value(then, now) => None,
                Some(then) => Some(changed(name, then, now)),
            }
        })
    }

    fn agrees(&self) -> bool {
        let outcome = &self.trace.outcome;
        let is_same = |kind| {
            let (then, now) = (self.status.condition(kind), self.ours(kind));
            match (then, now) {
                // Where the reasons rest on what cannot be seen, they do not
                // differ.
                (Some(then), Some(now)) => {
                    now.status == ConditionStatus::Unknown || then.reason == now.reason
                }
                (None, None) => true,
                _ => false,
            }
        };
        outcome.desired_replicas == Some(self.status.desired_replicas)
            && [
                ConditionKind::AbleToScale,
                ConditionKind::ScalingActive,
                ConditionKind::ScalingLimited,
            ]
            .into_iter()
            .all(is_same)
    }

    /// The outcome of that pass excludes what this one recommends, on the
    /// same inputs.
    fn contradicted(&self, last: Option<&Written>) -> Option<String> {
        let ours = self.trace.recommendation.as_ref()?.replicas?;
        let implied = match last?.normalized() {
            Normalized::Stored(implied) | Normalized::StoredOnce(implied) => implied,
            Normalized::Nothing | Normalized::Unknown => return None,
        };
        let own = text(implied.own);
        let is_possible = implied.own.contains(ours);
        (!is_possible).then(|| format!("that pass asked for {own}, this one for {ours}"))
    }

    /// A pod that came, went or changed after the pass had read it.
    fn pods_changed(&self) -> Option<String> {
        let is_new = self.since_pass()?;
        let changed = self.snapshot.pods.iter().any(|pod| {
            let mut conditions = pod.status.conditions.iter();
            is_new(pod.metadata.creation_timestamp)
                || is_new(pod.metadata.deletion_timestamp)
                || conditions.any(|condition| is_new(condition.last_transition_time))
        });
        changed.then(|| "pods changed".to_owned())
    }

    /// A sample that the pass cannot have seen: the value that the status
    /// shows can be the same, and other pods behind it.
    fn sampled_since(&self) -> Option<String> {
        let is_new = self.since_pass()?;
        let metrics = &self.snapshot.metrics;
        let mut resource = metrics.samples().iter();
        let mut custom = metrics.custom.iter().flat_map(|it| it.answer.items());
        let mut external = metrics.external.iter().flat_map(|it| it.answer.items());
        let is_newer = resource.any(|item| is_new(Some(item.timestamp)))
            || custom.any(|item| is_new(item.timestamp))
            || external.any(|item| is_new(item.timestamp));
        is_newer.then(|| "there are newer samples".to_owned())
    }

    /// Whether a moment is after the earliest at which the pass that wrote the status
    /// can have read its inputs.
    fn since_pass(&self) -> Option<impl Fn(Option<Timestamp>) -> bool + use<>> {
        let since = timestamp(self.written?.as_nanosecond() - BEFORE_WRITE);
        Some(move |at: Option<Timestamp>| at.is_some_and(|at| at >= since))
    }

    /// Which part of what is remembered makes the difference.
    fn remembered(&self) -> String {
        let then = self.reason(ConditionKind::AbleToScale);
        let now = self.ours(ConditionKind::AbleToScale);
        let now = now.map_or_else(OneOf::default, |now| now.reason.clone());
        let was_limited = self.reason(ConditionKind::ScalingLimited);
        if is_stabilized(&then) && now == ConditionReason::ReadyForNewScale {
            return "the recommendation that held the size has left the window".to_owned();
        }
        if is_stabilized(&now) && then == ConditionReason::ReadyForNewScale {
            return "here, the window still holds the size".to_owned();
        }
        if matches!(
            was_limited.known(),
            Some(ConditionReason::ScaleUpLimit | ConditionReason::ScaleDownLimit)
        ) {
            return "the changes that used up the policy have left its period".to_owned();
        }
        match self.trace.outcome.possible {
            Some(range) if range.single().is_none() => {
                format!("{} to {} are possible here", range.from, range.to)
            }
            _ => "older recommendations or changes may differ".to_owned(),
        }
    }

    /// Empty where the condition is not there.
    fn reason(&self, kind: ConditionKind) -> OneOf<ConditionReason> {
        let condition = self.status.condition(kind);
        condition.map_or_else(OneOf::default, |it| it.reason.clone())
    }

    fn ours(&self, kind: ConditionKind) -> Option<&Condition> {
        Condition::of(&self.trace.conditions, kind)
    }
}

/// Whether `AbleToScale` says that a window holds a change back.
fn is_stabilized(reason: &OneOf<ConditionReason>) -> bool {
    matches!(
        reason.known(),
        Some(ConditionReason::ScaleUpStabilized | ConditionReason::ScaleDownStabilized)
    )
}

/// A file may hold less of the status than the controller writes.
pub(super) fn is_same_value(then: &MetricValueStatus, now: &MetricValueStatus) -> bool {
    let quantities = |then: &Option<Quantity>, now: &Option<Quantity>| {
        let pair = then.as_ref().zip(now.as_ref());
        pair.map(|(then, now)| then.cmp_value(now).is_eq())
    };
    let percent = then.average_utilization.zip(now.average_utilization);
    let compared = [
        percent.map(|(then, now)| then == now),
        quantities(&then.average_value, &now.average_value),
        quantities(&then.value, &now.value),
    ];
    let mut compared = compared.into_iter().flatten().peekable();
    compared.peek().is_some() && compared.all(|is_same| is_same)
}

/// What became of a value, in words that differ: the same percentage can be that of
/// another amount.
pub(super) fn changed(name: &str, then: &MetricValueStatus, now: &MetricValueStatus) -> String {
    let (then, now) = match (then.average_utilization, now.average_utilization) {
        (Some(then), Some(now)) if then != now => (format!("{then}%"), format!("{now}%")),
        _ => (amount(then), amount(now)),
    };
    format!("{name} changed from {then} to {now}")
}

fn amount(value: &MetricValueStatus) -> String {
    let quantity = value.average_value.as_ref().or(value.value.as_ref());
    quantity.map_or_else(String::new, |quantity| {
        let (text, milli) = (quantity.to_string(), quantity.milli_value());
        // 90910m is for machines.
        if text.ends_with('m') && milli.unsigned_abs() >= 1000 {
            return milli_text(milli);
        }
        text
    })
}
