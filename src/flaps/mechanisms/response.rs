//! What becomes of a metric as pods are added. One that is shared by the pods
//! falls; one that is not multiplies the size by the same factor at every
//! step.

use jiff::{SignedDuration, Timestamp};

use super::metric_noise::is_limited;
use crate::flaps::pass_facts::PassFacts;
use crate::trace::{Direction, SizeChange};

/// By then, pods that were added carry their part.
const SETTLED: SignedDuration = SignedDuration::from_mins(3);
/// So soon a metric that the pods share falls after a rise; what was seen for
/// less time tells nothing.
const SOON: SignedDuration = SignedDuration::from_mins(1);
/// Factors that differ by less are the same.
const SAME: f64 = 1.1;

/// What becomes of a metric as pods are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Response {
    Falls,
    /// It stays, as a record has measured.
    Stays,
    /// Nothing tells that it falls.
    Unknown,
}

impl Response {
    /// That of a metric, by its place in the spec.
    pub(super) fn of(facts: &PassFacts, metric: usize) -> Self {
        if let Some(measured) = Self::measured(facts, metric) {
            return measured;
        }
        let measured = facts.trace.metrics.get(metric);
        let now = measured.and_then(|it| Some(it.measured.as_ref()?.ratio));
        let climbs = climbs(facts).into_iter();
        let all: Vec<RisingStep> = climbs.flat_map(|climb| steps(facts, &climb)).collect();
        if is_one_factor(&all, now) {
            Self::Unknown
        } else {
            Self::Falls
        }
    }

    /// Whether it stayed where it was in most of the climbs, as far as a record tells.
    pub(super) fn measured(facts: &PassFacts, metric: usize) -> Option<Self> {
        let loads = facts.loads_of(metric);
        let observed = climbs(facts);
        let stays = observed.iter().filter_map(|climb| {
            let (first, last) = (climb.first()?, climb.last()?);
            let before = loads.iter().rfind(|it| it.at <= first.change.to)?.ratio;
            let end = last.change.to;
            let until = end.checked_add(SETTLED).ok()?;
            let (fewer, more) = (first.before?, last.change.after?);
            let shared = f64::from(fewer) / f64::from(more.max(1));
            // Half of the way down, for the load may rise at the same time.
            let down = before * shared.max(0.0).sqrt();
            let mut after = loads.iter().filter(|it| it.at > end && it.at <= until);
            let latest = after.clone().next_back()?.at;
            let observed = |at: Timestamp| at.duration_since(end);
            match after.find(|it| it.ratio <= down) {
                // Later it may be the load that has left.
                Some(lower) => (observed(lower.at) <= SOON).then_some(false),
                None => (observed(latest) >= SOON).then_some(true),
            }
        });
        let stays: Vec<bool> = stays.collect();
        let staying = stays.iter().filter(|stays| **stays).count();
        let is_most = staying * 2 > stays.len();
        (!stays.is_empty()).then_some(if is_most { Self::Stays } else { Self::Falls })
    }
}

/// A rise by the HPA.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rise<'g> {
    /// The size before, as the change itself or the one before it tells.
    pub before: Option<i32>,
    pub change: &'g SizeChange,
}

/// Rises by the HPA that follow each other before the pods of one have
/// settled, the oldest first.
pub(super) fn climbs<'g>(facts: &'g PassFacts) -> Vec<Vec<Rise<'g>>> {
    let mut all: Vec<Vec<Rise>> = Vec::new();
    let Some(episode) = facts.episode.as_ref() else {
        return all;
    };
    let mut last: Option<&SizeChange> = None;
    for change in &episode.moves {
        let reported = last.and_then(|it| it.after);
        let reported = reported.filter(|_| episode.undated.is_empty());
        let before = change.before.or(reported);
        let is_rise = |it: &SizeChange| it.is_by_hpa() && it.way == Some(Direction::Up);
        let follows = last.is_some_and(|last| {
            let is_soon = change.from.duration_since(last.to) <= SETTLED;
            is_rise(last) && is_soon && before == last.after
        });
        last = Some(change);
        if !is_rise(change) {
            continue;
        }
        let rise = Rise { before, change };
        match all.last_mut().filter(|_| follows) {
            Some(climb) => climb.push(rise),
            None => all.push(vec![rise]),
        }
    }
    all
}

/// A rise, by what it multiplied the size.
#[derive(Clone, Copy, Debug)]
pub(super) struct RisingStep {
    /// More than this.
    pub above: f64,
    /// At most this; infinite where a policy or a bound cut it.
    pub at_most: f64,
}

/// The steps of a climb, as far as both of their sizes are known.
pub(super) fn steps(facts: &PassFacts, climb: &[Rise]) -> Vec<RisingStep> {
    let steps = climb.iter().filter_map(|rise| {
        let (before, after) = rise.before.zip(rise.change.after)?;
        let is_at_max = after >= facts.trace.bounds.max_replicas;
        let is_open = is_at_max || is_limited(facts, rise.change, before, after);
        let (size, after) = (f64::from(before.max(1)), f64::from(after));
        Some(RisingStep {
            above: (after - 1.0) / size,
            at_most: if is_open { f64::INFINITY } else { after / size },
        })
    });
    steps.collect()
}

/// Whether one factor explains all of these steps, and what is measured now.
pub(super) fn is_one_factor(steps: &[RisingStep], now: Option<f64>) -> bool {
    let lows = steps.iter().map(|it| it.above).chain(now);
    let highs = steps.iter().map(|it| it.at_most).chain(now);
    lows.fold(0.0, f64::max) <= highs.fold(f64::INFINITY, f64::min) * SAME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_that_falls_as_pods_are_added_makes_smaller_steps() {
        let exact = |before: f64, after: f64| RisingStep {
            above: (after - 1.0) / before,
            at_most: after / before,
        };
        let open = |before: f64, after: f64| RisingStep {
            at_most: f64::INFINITY,
            ..exact(before, after)
        };
        // The steps, the ratio of now, and whether one factor explains them.
        let rows: [(&[RisingStep], Option<f64>, bool); 7] = [
            (
                &[exact(1.0, 2.0), exact(2.0, 4.0), open(4.0, 8.0)],
                Some(2.0),
                true,
            ),
            (
                &[exact(1.0, 2.0), exact(2.0, 4.0), open(4.0, 8.0)],
                None,
                true,
            ),
            // 7 from 4 take more than 1.5, and it is 1.15 now.
            (&[exact(4.0, 7.0)], Some(1.15), false),
            (&[exact(2.0, 3.0), exact(6.0, 7.0)], Some(1.46), false),
            (&[open(4.0, 8.0)], Some(1.3), false),
            (&[], Some(2.0), true),
            (&[], None, true),
        ];
        for (steps, now, is_one) in rows {
            assert_eq!(is_one_factor(steps, now), is_one, "{steps:?} {now:?}");
        }
        assert_eq!(rows.len(), 7);
    }
}
