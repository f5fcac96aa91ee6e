//! At which value a metric would propose another count.

use std::cmp::Ordering;

use crate::controller::{MetricProposal, Trial};
use crate::trace::{BreakPoint, BreakPoints, Direction};

use super::Question;
use crate::findings::at_limits;

/// No sum beyond this is looked at: a percentage of it overflows in the
/// controllers up to 1.37.
const LARGEST: i64 = i64::MAX / 200;

impl Question<'_> {
    /// For each metric that proposes a count, the nearest values both ways.
    pub(super) fn break_points(self) -> Vec<BreakPoints> {
        let metrics = 0..self.trace.metrics.len();
        let metrics = metrics.filter_map(|metric| Some((metric, self.what_if.metric(metric)?)));
        metrics
            .map(|(metric, trial)| self.with_reach(break_points(metric, trial, self.current())))
            .collect()
    }

    /// With whether the limits of the pods that count allow of more.
    fn with_reach(self, points: BreakPoints) -> BreakPoints {
        let metric = self.trace.metrics.get(points.metric);
        let at_limits = metric.and_then(|metric| at_limits(self.case, metric));
        let is_beyond = |up: BreakPoint| at_limits.is_some_and(|it| it.limits < up.total.into());
        BreakPoints {
            is_up_out_of_reach: points.up.is_some_and(is_beyond),
            ..points
        }
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
        at(distance).is_some_and(|recommended| match way {
            Direction::Up => recommended.replicas > current,
            Direction::Down => recommended.replicas < current,
        })
    };
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

/// The parts of all values in which a proposal moves one way only: below the
/// target and above it, and inside the tolerance or not. Other rules apply in
/// each.
fn part(recommended: MetricProposal) -> (Option<Ordering>, bool) {
    (
        recommended.ratio.partial_cmp(&1.0),
        recommended.is_tolerated,
    )
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
