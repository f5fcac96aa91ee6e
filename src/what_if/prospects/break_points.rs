//! At which value a metric would propose another count, and what would be asked for if
//! other pods counted.

use std::collections::BTreeSet;

use super::Question;
use crate::api::TargetKind;
use crate::controller::{MetricProposal, Trial};
use crate::document::snapshot::Snapshot;
use crate::findings::at_limits;
use crate::trace::{
    BreakPoint, BreakPoints, Counterfactual, Direction, Group, Measured, MetricRecord, PodRecord,
    Premise, Trace,
};

/// No sum beyond this is looked at: a percentage of it overflows in the
/// controllers up to 1.37.
const LARGEST: i64 = i64::MAX / 200;

impl Question<'_> {
    /// For each metric that proposes a count, the nearest values both ways.
    pub(super) fn break_points(self) -> Vec<BreakPoints> {
        let metrics = self.trace.metrics.iter().enumerate();
        let points = metrics.filter_map(|(at, metric)| {
            let points = break_points(at, self.what_if.metric(at)?, self.current());
            // The limits of the pods that count may allow of no more.
            let at_limits = at_limits(self.case, metric);
            let is_beyond =
                |up: BreakPoint| at_limits.is_some_and(|it| it.limits < up.total.into());
            Some(BreakPoints {
                is_up_out_of_reach: points.up.is_some_and(is_beyond),
                ..points
            })
        });
        points.collect()
    }
}

/// The nearest values both ways at which a metric alone would ask for more,
/// or less, than `current`.
pub(super) fn break_points(metric: usize, trial: &Trial, current: i32) -> BreakPoints {
    BreakPoints {
        metric,
        up: nearest(trial, current, Direction::Up),
        is_up_out_of_reach: false,
        down: nearest(trial, current, Direction::Down),
    }
}

fn nearest(trial: &Trial, current: i32, way: Direction) -> Option<BreakPoint> {
    let now = trial.total();
    let farthest = match way {
        Direction::Up => LARGEST.checked_sub(now)?,
        Direction::Down => now,
    };
    let at = |distance: i64| {
        let total = match way {
            Direction::Up => now.checked_add(distance)?,
            Direction::Down => now.checked_sub(distance)?,
        };
        trial.with_total(total).ask()
    };
    let hits = |distance: i64| {
        let goes = |it: MetricProposal| Direction::between(current, it.replicas) == Some(way);
        at(distance).is_some_and(goes)
    };
    // The parts of all values in which a proposal moves one way only: below the target
    // and above it, and inside the tolerance or not. Other rules apply in each.
    let part = |it: MetricProposal| (it.ratio.partial_cmp(&1.0), it.is_tolerated);
    let distance = search(farthest, hits, |distance| at(distance).map(part))?;
    let (first, last) = (at(distance)?, at(distance - 1)?);
    Some(BreakPoint {
        value: first.value,
        last: last.value,
        last_in_thousandths: last.value_in_thousandths,
        total: first.total,
        replicas: first.replicas,
    })
}

/// More parts than this have no meaning: below the target, tolerated below
/// it, on it, tolerated above, and above.
const MOST_PARTS: usize = 16;

/// The nearest distance that is a hit and not 0, part by part.
fn search<P: PartialEq>(
    farthest: i64,
    hits: impl Fn(i64) -> bool,
    part: impl Fn(i64) -> P,
) -> Option<i64> {
    if farthest <= 0 || hits(0) {
        return None;
    }
    let mut from = 0;
    // An overflowing ratio can change sides billions of times.
    for _ in 0..MOST_PARTS {
        let own = part(from);
        let next = first_after(from, farthest, |distance| part(distance) != own);
        let end = next.map_or(farthest, |next| next - 1);
        if let Some(hit) = first_after(from, end, &hits) {
            return Some(hit);
        }
        from = next?;
        if hits(from) {
            return Some(from);
        }
    }
    None
}

/// The first distance after `from`, up to `end`, for which the question is
/// answered with yes, if from some distance on it always is: by ever larger
/// strides, then by halves.
fn first_after(from: i64, end: i64, is_so: impl Fn(i64) -> bool) -> Option<i64> {
    let mut no = from;
    let mut stride = 1;
    let mut yes = loop {
        if no >= end {
            return None;
        }
        let next = no.saturating_add(stride).min(end);
        if is_so(next) {
            break next;
        }
        no = next;
        stride = stride.saturating_mul(2);
    };
    while yes - no > 1 {
        let middle = no + (yes - no) / 2;
        if is_so(middle) {
            yes = middle;
        } else {
            no = middle;
        }
    }
    Some(yes)
}

impl Question<'_> {
    /// Each answer that differs from the pass's, or that explains it.
    pub(super) fn counterfactuals(self, foreign: &BTreeSet<&str>) -> Vec<Counterfactual> {
        let mut all = Vec::new();
        all.extend(self.without_foreign_pods(foreign));
        all.extend(self.counting_set_aside());
        all.extend(self.average_in_place_of_value());
        all
    }

    fn without_foreign_pods(self, foreign: &BTreeSet<&str>) -> Option<Counterfactual> {
        if foreign.is_empty() {
            return None;
        }
        let premise = Premise::WithoutForeignPods {
            pods: foreign.len(),
        };
        Some(self.answer(premise, &self.case.without_pods(foreign)))
    }

    /// What the pods change that the deciding metric set aside and filled in.
    fn counting_set_aside(self) -> Vec<Counterfactual> {
        let Some((metric, trial)) = self.dampened() else {
            return Vec::new();
        };
        let silent: Vec<&PodRecord> = metric.filled_in_pods().collect();
        let Some(first) = silent.iter().min_by_key(|pod| pod.group != Group::Missing) else {
            return Vec::new();
        };
        let one = Premise::OneCounts {
            pod: first.name.to_string(),
        };
        let all = Premise::AllCount { pods: silent.len() };
        let request = first.request.unwrap_or_default();
        let one_counts = trial.counting_one(first.group == Group::Missing, request);
        let mut answers = Vec::new();
        let answer = |premise, recommended| self.alone(metric.index, premise, recommended);
        answers.extend(one_counts.and_then(|it| Some(answer(one, it.ask()?))));
        let all_count = trial.counting_all();
        answers.extend(all_count.and_then(|it| Some(answer(all, it.ask()?))));
        answers
    }

    /// The deciding metric, where it filled in pods that are set aside.
    fn dampened(&self) -> Option<(&MetricRecord, &Trial<'_>)> {
        let metric = self.trace.winner()?;
        metric.filled_in.as_ref()?;
        Some((metric, self.what_if.metric(metric.index)?))
    }

    /// A target of type Value that is not met makes no size rest, if the value
    /// does not fall as pods are added.
    fn average_in_place_of_value(self) -> Option<Counterfactual> {
        let metric = self.trace.winner()?;
        let is_value = metric.target?.kind == TargetKind::Value;
        let proposed = metric.asks_for()?;
        if !is_value || proposed <= self.current() {
            return None;
        }
        let altered = with_average(self.case.snapshot, metric.index)?;
        let premise = Premise::AverageInPlaceOfValue {
            metric: metric.index,
        };
        let trace = self.case.on(&altered);
        let metric = trace.metrics.get(metric.index);
        Some(Counterfactual {
            proposal: metric.and_then(MetricRecord::asks_for),
            ..self.answer(premise, &trace)
        })
    }

    /// What the pass on other inputs asks for.
    fn answer(self, premise: Premise, trace: &Trace) -> Counterfactual {
        let recommendation = trace.recommended();
        let winner = trace.winner().filter(|_| recommendation.is_some());
        Counterfactual {
            premise,
            metric: winner.map(|metric| metric.index),
            value: winner.and_then(|metric| value(metric, metric.measured.as_ref()?)),
            proposal: None,
            recommendation,
            replicas: recommendation.map(|replicas| self.within_bounds(replicas)),
        }
    }

    /// What is asked for if one metric proposes something else.
    fn alone(self, metric: usize, premise: Premise, recommended: MetricProposal) -> Counterfactual {
        let others = self.trace.metrics.iter();
        let others = others.filter(|other| other.index != metric);
        let others = others.filter_map(MetricRecord::asks_for);
        let recommendation = others.fold(recommended.replicas, i32::max).max(0);
        Counterfactual {
            premise,
            metric: Some(metric),
            value: Some(recommended.value),
            proposal: Some(recommended.replicas),
            recommendation: Some(recommendation),
            replicas: Some(self.within_bounds(recommendation)),
        }
    }
}

/// What a metric is measured at, in the unit of its break-points.
fn value(metric: &MetricRecord, measured: &Measured) -> Option<i64> {
    match metric.target?.kind {
        TargetKind::Utilization => measured.utilization.map(i64::from),
        TargetKind::AverageValue if metric.groups.is_some() => measured.average,
        TargetKind::AverageValue | TargetKind::Value => Some(measured.total),
    }
}

/// The snapshot with a metric's target of type Value as one of type
/// `AverageValue`.
fn with_average(snapshot: &Snapshot, metric: usize) -> Option<Snapshot> {
    let mut altered = snapshot.clone();
    let spec = &mut altered.hpa.spec;
    let target = spec.metrics.get_mut(metric)?.targets_mut().next()?;
    target.kind = TargetKind::AverageValue.into();
    target.average_value = Some(target.value.take()?);
    Some(altered)
}
