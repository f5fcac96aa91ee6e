//! How far the load moves, as a record has measured it, and how: from one
//! pass to the next, or for longer.
//!
//! What counts is what lies between neighbouring turns: over an hour a load
//! has a trend as well, and that turns nothing round.

use jiff::Timestamp;

use super::metric_noise::Demand;
use super::{percent, pods, unit};
use crate::api::TargetKind;
use crate::flaps::pass_facts::PassFacts;
use crate::flaps::swings::{By, Episode, Trend};
use crate::trace::{Fact, Mechanism, MechanismKind, Standing};

/// Of fewer measurements nothing is said.
const LEAST: usize = 4;
/// Of measurements that know nothing of each other, half the mean square of
/// the steps is the variance; of a load that stays for a while, far less. So
/// large a part of it is noise.
const JUMPS: f64 = 0.6;
/// A load that moves by more, either way of its middle, comes and goes, however
/// soon it is back.
const LARGE: f64 = 0.3;

/// How the load moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Movement {
    /// The metric, by its place in the spec.
    pub metric: usize,
    /// The lowest and the highest load between neighbouring turns, in the
    /// middle of all of these.
    pub low: f64,
    pub high: f64,
    /// Which part of it comes from one pass to the next.
    jumps: f64,
}

impl Movement {
    /// That of an episode, where a record has measured most of it.
    pub(super) fn of(facts: &PassFacts, episode: &Episode) -> Option<Self> {
        let (metric, loads) = facts.loads()?;
        let amounts = loads.iter().filter_map(|it| Some((it.at, it.amount?)));
        let amounts: Vec<(Timestamp, f64)> = amounts.collect();
        let period = facts.case.settings.sync_period_seconds();
        let amounts = by_passes(&amounts, period);
        let reversals = own_reversals(episode);
        let times = reversals.windows(3).filter_map(|it| match it {
            [Some(from), Some(_), Some(to)] => Some((*from, *to)),
            _ => None,
        });
        let (mut all, mut parts) = (0, Vec::new());
        for (from, to) in times {
            all += 1;
            let of_time = amounts.iter().filter(|(at, _)| *at > from && *at <= to);
            let of_time: Vec<(Timestamp, f64)> = of_time.copied().collect();
            parts.extend(Swing::of(&of_time, period));
        }
        if parts.len() * 2 < all {
            return None;
        }
        let variance: f64 = parts.iter().map(|it| it.variance).sum();
        let steps: f64 = parts.iter().map(|it| it.steps).sum();
        let width = |it: &Swing| deviation(it.low, it.high);
        parts.sort_by(|one, other| width(one).total_cmp(&width(other)));
        let middle = parts.get(parts.len() / 2)?;
        Some(Self {
            metric,
            low: middle.low,
            high: middle.high,
            jumps: jumpiness(steps, variance),
        })
    }

    /// By how much it moves either way of its middle, as a fraction of 1.
    pub(super) fn deviation(&self) -> f64 {
        deviation(self.low, self.high)
    }

    /// Whether it is enough to take the size from one end to the other; half of
    /// it is, for the controller saw more than the samples did.
    pub(super) fn is_enough(&self, demand: &Demand) -> bool {
        self.deviation() * 2.0 >= demand.least_deviation()
    }

    /// What the metric is called.
    pub(super) fn name(&self, facts: &PassFacts) -> String {
        let metric = facts.trace.metrics.get(self.metric);
        metric.map_or_else(|| "the metric".to_owned(), |it| it.source.name.clone())
    }

    /// What was measured.
    pub(super) fn fact(&self, facts: &PassFacts) -> Fact {
        let metric = facts.trace.metrics.get(self.metric);
        let kind = metric.and_then(|it| it.target).map(|it| it.kind);
        let (low, high) = (pods(self.low), pods(self.high));
        let range = if kind == Some(TargetKind::Value) {
            format!("{low} to {high} times the target")
        } else {
            format!("{low} to {high} pods{}", unit(facts))
        };
        let says = format!(
            "{range}, between two reversals by {} in the record: ±{} around the midpoint",
            self.name(facts),
            percent(self.deviation())
        );
        Fact::new("load", says)
    }

    /// Whether most of it comes from one pass to the next, and is not much.
    pub(super) fn jumps(&self) -> bool {
        self.jumps >= JUMPS && self.deviation() <= LARGE
    }
}

/// What was measured from a turn to the next but one.
struct Swing {
    low: f64,
    high: f64,
    variance: f64,
    /// Half the mean square of the steps.
    steps: f64,
}

impl Swing {
    fn of(loads: &[(Timestamp, f64)], period: i64) -> Option<Self> {
        let values = || loads.iter().map(|(_, load)| *load);
        let square = |it: f64| it * it;
        // Between two that are not of neighbouring passes lies more than a
        // step.
        let pairs = loads.windows(2).filter(|pair| {
            let apart = pair[1].0.duration_since(pair[0].0).as_secs();
            apart * 2 <= period.saturating_mul(3)
        });
        let steps = pairs.map(|pair| square(pair[1].1 - pair[0].1));
        let steps: Vec<f64> = steps.collect();
        if loads.len() < LEAST || steps.len() < LEAST - 1 {
            return None;
        }
        let mean = values().sum::<f64>() / count(loads.len());
        let spread: f64 = values().map(|load| square(load - mean)).sum();
        Some(Self {
            low: values().fold(f64::INFINITY, f64::min),
            high: values().fold(0.0, f64::max),
            variance: spread / count(loads.len() - 1),
            steps: steps.iter().sum::<f64>() / count(steps.len()) / 2.0,
        })
    }
}

/// Which part of a variance comes from one pass to the next; of a load that
/// never moves, none.
fn jumpiness(steps: f64, variance: f64) -> f64 {
    if variance > 0.0 {
        steps / variance
    } else {
        0.0
    }
}

#[expect(clippy::cast_precision_loss, reason = "few are measured in an hour")]
const fn count(many: usize) -> f64 {
    many as f64
}

fn deviation(low: f64, high: f64) -> f64 {
    let sum = high + low;
    if sum > 0.0 { (high - low) / sum } else { 0.0 }
}

/// One measurement for each pass: between two passes, nothing follows.
fn by_passes(loads: &[(Timestamp, f64)], period: i64) -> Vec<(Timestamp, f64)> {
    let mut kept: Vec<(Timestamp, f64)> = Vec::new();
    for (at, load) in loads {
        // A sample that comes a little early is that of its pass.
        let since = kept.last().map(|(last, _)| at.duration_since(*last));
        if since.is_none_or(|since| since.as_millis() * 10 >= i128::from(period) * 9_000) {
            kept.push((*at, *load));
        }
    }
    kept
}

/// The moments of the turns; nothing in place of one that somebody else had a
/// hand in.
fn own_reversals(episode: &Episode) -> Vec<Option<Timestamp>> {
    let pairs = episode.trends.windows(2);
    let reversals = pairs.filter(|pair| pair[0].way != pair[1].way);
    let is_own = |pair: &[Trend]| pair.iter().all(|it| it.by == By::Hpa);
    reversals
        .map(|pair| is_own(pair).then_some(pair[1].at))
        .collect()
}

/// A mechanism that the sizes look like, with what this HPA can have in its
/// place.
pub(super) fn looks_like(facts: &PassFacts, kind: MechanismKind, says: String) -> Mechanism {
    let snapshot = facts.case.snapshot;
    let metrics = || snapshot.hpa.spec.metrics.iter();
    // Whether KEDA made the HPA, and nothing tells that it has no fallback.
    let object = snapshot.scaled_object.as_ref();
    let can_fall_back =
        object.map_or_else(|| snapshot.is_by_keda(), |it| it.spec.fallback.is_some());
    let mut resources = metrics().filter_map(|it| it.source()?.resource());
    // Compared with their targets as a whole.
    let whole = metrics().filter(|it| it.is_one_value());
    let mut whole = whole.filter_map(|it| it.source()?.target().value.as_ref());
    let possible = [
        (MechanismKind::KedaFallback, can_fall_back),
        (
            MechanismKind::StartupBurst,
            resources.any(|(name, _)| name == "cpu"),
        ),
        (MechanismKind::ValueRunaway, whole.next().is_some()),
        (MechanismKind::MetricNoise, true),
        (MechanismKind::ShortWindow, true),
    ];
    let others = possible.into_iter();
    let others = others.filter(|(other, can)| *can && *other != kind);
    Mechanism {
        standing: Standing::Inferred,
        similar: others.map(|(other, _)| other).collect(),
        ..Mechanism::known(kind, says)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each_pass(loads: &[f64]) -> Vec<(Timestamp, f64)> {
        let times = (0..).map(|pass| Timestamp::constant(pass * 15, 0));
        times.zip(loads.iter().copied()).collect()
    }

    #[test]
    fn noise_jumps_from_pass_to_pass_and_a_load_stays() {
        // Loads between two turns, the deviation in percent, and whether it
        // jumps.
        let rows: [(&[f64], f64, bool); 7] = [
            (&[4.0, 4.0, 12.0, 12.0, 4.0, 4.0], 50.0, false),
            (&[9.0, 11.0, 9.0, 11.0, 9.0, 11.0], 10.0, true),
            (&[10.0, 11.2, 9.1, 10.4, 8.8, 10.9, 9.0, 11.2], 12.0, true),
            (
                &[2.0, 2.0, 2.0, 2.0, 2.0, 4.0, 4.0, 4.0, 4.0, 4.0],
                33.3,
                false,
            ),
            (
                &[10.0, 12.0, 14.0, 15.0, 14.0, 12.0, 10.0, 9.0],
                25.0,
                false,
            ),
            (&[5.0, 5.0, 5.0, 5.0], 0.0, false),
            (&[0.0, 0.0, 0.0, 0.0], 0.0, false),
        ];
        for (loads, percent, jumps) in rows {
            let part = Swing::of(&each_pass(loads), 15).expect("enough of them");
            let movement = Movement {
                metric: 0,
                low: part.low,
                high: part.high,
                jumps: jumpiness(part.steps, part.variance),
            };
            let deviation = movement.deviation() * 100.0;
            assert!((deviation - percent).abs() < 0.1, "{loads:?}: {deviation}");
            assert_eq!(movement.jumps(), jumps, "{loads:?}: {}", movement.jumps);
        }
        assert!(Swing::of(&each_pass(&[1.0, 2.0, 3.0]), 15).is_none());
        // Twice a pass apart: what was between them is not known.
        assert!(Swing::of(&each_pass(&[9.0, 11.0, 9.0, 11.0]), 7).is_none());
        assert_eq!(rows.len(), 7);
    }
}
