//! The load hardly moves, but it crosses the tolerance: what the metric shows
//! differs from pass to pass, and each time the size follows.

use jiff::Timestamp;

use super::movement::{Movement, looks_like};
use super::short_window::{self, falls};
use super::{percent, pods, unit};
use crate::controller::{Memory, decision, tolerated};
use crate::flaps::pass_facts::{PassFacts, scale_down};
use crate::flaps::swings::Episode;
use crate::trace::{Change, Direction, Fact, Mechanism, MechanismKind, SizeChange, short};

/// So often the HPA itself must have turned round.
pub(super) const OWN_REVERSALS: i32 = 3;
/// In percent: a wider tolerance keeps too many pods to be a remedy.
const WIDEST: u32 = 30;

pub(super) fn tell(facts: &PassFacts) -> Option<Mechanism> {
    let episode = facts.flapping()?;
    if episode.own_reversals() < OWN_REVERSALS {
        return None;
    }
    let demand = Demand::of(facts, episode)?;
    let tolerance = demand.tolerated.0.max(demand.tolerated.1);
    let mechanism = if let Some(movement) = Movement::of(facts, episode) {
        let is_noise = movement.jumps() || movement.deviation() <= tolerance;
        let is_noise = is_noise && movement.is_enough(&demand);
        is_noise.then(|| measured(facts, &movement, tolerance))?
    } else {
        let is_little = !demand.is_open && demand.least_deviation() <= tolerance;
        is_little.then(|| inferred(facts, &demand, tolerance))?
    };
    let wider = wider(&demand).filter(|_| facts.case.settings.gates.configurable_tolerance);
    let trough = short_window::outlasting(facts, episode);
    let longer = trough.map(|trough| short_window::longer(facts, trough));
    Some(Mechanism {
        changes: longer.into_iter().chain(wider).collect(),
        ..mechanism
    })
}

/// Noise that a record has measured.
fn measured(facts: &PassFacts, movement: &Movement, tolerance: f64) -> Mechanism {
    let how = if movement.jumps() {
        "from one pass to the next"
    } else {
        "between two reversals"
    };
    let says = format!(
        "{} varies by ±{} around its midpoint {how}, and the size stays only while the metric is \
         within {} of its target",
        movement.name(facts),
        percent(movement.deviation()),
        percent(tolerance)
    );
    Mechanism {
        evidence: vec![movement.fact(facts)],
        ..Mechanism::known(MechanismKind::MetricNoise, says)
    }
}

/// Sizes that noise is enough for.
fn inferred(facts: &PassFacts, demand: &Demand, tolerance: f64) -> Mechanism {
    let says = format!(
        "a load that varies by ±{} around its midpoint is enough to move the size between {} and \
         {}; a variation this small may be noise",
        percent(demand.least_deviation()),
        demand.bottom,
        demand.top
    );
    Mechanism {
        evidence: arithmetic(facts, demand, tolerance),
        ..looks_like(facts, MechanismKind::MetricNoise, says)
    }
}

fn arithmetic(facts: &PassFacts, demand: &Demand, tolerance: f64) -> Vec<Fact> {
    let (unit, [above, below]) = (unit(facts), demand.edges());
    let source = if demand.is_recommended {
        "what the metrics asked for"
    } else {
        "from the sizes alone"
    };
    vec![
        Fact::new(
            "at the top",
            format!(
                "{} ({source}): the load is more than {above}{unit}",
                demand.most
            ),
        ),
        Fact::new(
            "at the bottom",
            format!(
                "{} ({source}): the load is at most {below}{unit}",
                demand.least
            ),
        ),
        Fact::new(
            "why so little is enough",
            format!(
                "the tolerance of {} applies around the load of each size, not around the midpoint: \
                 it is a small step from the load at which {} pods are too few to the load at which \
                 {} are too many",
                percent(tolerance),
                demand.bottom,
                demand.top
            ),
        ),
    ]
}

/// The tolerance downwards under which the lowest load keeps the largest
/// size.
fn wider(demand: &Demand) -> Option<Change> {
    let percent = keeping(demand.least, demand.most).filter(|it| *it <= WIDEST)?;
    let (least, most) = (demand.least.saturating_sub(1), demand.most);
    let says = format!(
        "or set a scaleDown tolerance of {percent}%, which keeps {most} while the load needs more \
         than {least} pods"
    );
    Some(scale_down(says, "tolerance", format!("0.{percent:02}")))
}

/// The deviation, in whole percent, by which a load that asked for `least`
/// can lie below what `most` are for: it may need as little as one pod less.
fn keeping(least: i32, most: i32) -> Option<u32> {
    let most = u32::try_from(most).ok().filter(|most| *most > 0)?;
    let least = u32::try_from(least.saturating_sub(1)).unwrap_or(0);
    let missing = u64::from(most.saturating_sub(least)) * 100;
    u32::try_from(missing.div_ceil(u64::from(most))).ok()
}

/// What is known of the load at the top and at the bottom of the swing, in pods
/// that it needs, told from what the metrics asked for, or from the sizes that
/// came of it.
///
/// A count is asked for because a fraction of a pod is rounded up: who asks
/// for 12 needs more than 11. And nobody asks for another size than there is
/// inside the tolerance: who goes up from 10 needs more than 11 at 10%.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// The largest count that the load asked for.
    pub most: i32,
    /// The smallest one.
    pub least: i32,
    /// The largest and the smallest size that the HPA set.
    pub top: i32,
    pub bottom: i32,
    /// The load at the top is above this.
    pub high: f64,
    /// The load at the bottom is at most this.
    pub low: f64,
    /// Whether it may have been far more, or less: the sizes are those of a
    /// bound or of a policy.
    pub is_open: bool,
    /// Whether it is what the metrics asked for, and not only the sizes.
    pub is_recommended: bool,
    /// The tolerated deviations: downwards, upwards.
    pub tolerated: (f64, f64),
}

/// More than any policy lets through.
const EVERYTHING: i32 = i32::MAX / 2;

impl Demand {
    /// The load of an episode of which the HPA's own changes go both ways:
    /// that of a fall and the rise after it, in the middle of all of these;
    /// where their moments are not told, that of the whole.
    pub(super) fn of(facts: &PassFacts, episode: &Episode) -> Option<Self> {
        let falls = falls(episode).filter_map(|(fall, rise)| {
            let time = (fall.from, rise.to);
            Self::between(facts, &[fall, rise], time)
        });
        let mut all: Vec<Self> = falls.collect();
        if all.is_empty() {
            let own = episode.moves.iter().filter(|it| it.is_by_hpa());
            let time = (episode.swing.since, episode.swing.until);
            return Self::between(facts, &own.collect::<Vec<_>>(), time);
        }
        all.sort_by(|one, other| one.least_deviation().total_cmp(&other.least_deviation()));
        all.get(all.len() / 2).copied()
    }

    fn between(
        facts: &PassFacts,
        own: &[&SizeChange],
        time: (Timestamp, Timestamp),
    ) -> Option<Self> {
        let spec = &facts.case.hpa().spec;
        let tolerated = tolerated(spec, facts.case.settings);
        let sizes = own.iter().filter_map(|it| it.after);
        let (top, bottom) = (sizes.clone().max()?, sizes.min()?);
        let recommended = recommended(facts, time);
        let (least, most) = recommended.unwrap_or((bottom, top));
        let bounds = facts.trace.bounds;
        let is_at_bound = top >= bounds.max_replicas || bottom <= bounds.min_replicas;
        let is_limited = own.iter().any(|it| is_limited(facts, it, bottom, top));
        let is_open = recommended.is_none() && (is_at_bound || is_limited);
        let above = f64::from(bottom) * (1.0 + tolerated.1);
        let below = f64::from(top) * (1.0 - tolerated.0);
        // No load asks for these sizes, so it is not the load that led to them.
        let is_impossible = above >= f64::from(top) || below <= f64::from(bottom) - 1.0;
        if recommended.is_none() && !is_open && is_impossible {
            return None;
        }
        Some(Self {
            most,
            least,
            top,
            bottom,
            high: above.max(f64::from(most) - 1.0),
            low: below.min(f64::from(least)),
            is_open,
            is_recommended: recommended.is_some(),
            tolerated,
        })
    }

    /// What the load at the top is above, and at the bottom at most, in pods at the
    /// target, each with how it comes about.
    pub(super) fn edges(&self) -> [String; 2] {
        let edge = |load: f64, size: i32, part: f64, otherwise: String| {
            let is_tolerated = (f64::from(size) * part).total_cmp(&load).is_eq();
            let how = if is_tolerated {
                format!(" ({size} × {})", short(part, 3))
            } else {
                otherwise
            };
            format!("{} pods{how}", pods(load))
        };
        let (down, up) = self.tolerated;
        let rounded = format!(" (rounded up to {})", self.most);
        [
            edge(self.high, self.bottom, 1.0 + up, rounded),
            edge(self.low, self.top, 1.0 - down, String::new()),
        ]
    }

    /// By how much the load has to move either way of its middle, at the
    /// least, as a fraction of 1.
    pub(super) fn least_deviation(&self) -> f64 {
        let sum = self.high + self.low;
        if sum <= 0.0 {
            return 1.0;
        }
        ((self.high - self.low) / sum).max(0.0)
    }
}

/// The smallest and the largest count that the metrics asked for in a time,
/// where both are known exactly.
fn recommended(facts: &PassFacts, (begin, end): (Timestamp, Timestamp)) -> Option<(i32, i32)> {
    let passes = facts.case.moves.proposals.iter();
    let of_time = passes.filter(|pass| (begin..=end).contains(&pass.at));
    let counts = of_time.filter_map(|pass| pass.replicas.single());
    let (least, most) = (counts.clone().min()?, counts.max()?);
    // One alone is no swing.
    (least < most).then_some((least, most))
}

/// Whether a policy let no more of a change through, so that the metrics may
/// have asked for more of it.
pub(super) fn is_limited(facts: &PassFacts, change: &SizeChange, bottom: i32, top: i32) -> bool {
    let (Some(way), Some(after)) = (change.way, change.after) else {
        return true;
    };
    let (before, recommended) = match way {
        Direction::Up => (change.before.unwrap_or(bottom), EVERYTHING),
        Direction::Down => (change.before.unwrap_or(top), 0),
    };
    let Some(furthest) = furthest(facts, before, recommended) else {
        return true;
    };
    Direction::between(after, furthest) != Some(way)
}

/// How far the policies and bounds let a change go that no window holds.
fn furthest(facts: &PassFacts, before: i32, recommended: i32) -> Option<i32> {
    let mut spec = facts.case.hpa().spec.clone();
    for way in [Direction::Up, Direction::Down] {
        spec.rules_mut(way).stabilization_window_seconds = Some(0);
    }
    let now = facts.case.now.as_nanosecond();
    let memory = Memory::empty();
    decision(
        &spec,
        facts.case.settings,
        &memory,
        now,
        (before, recommended),
    )
}

#[cfg(test)]
mod tests {
    use super::keeping;

    #[test]
    fn a_tolerance_keeps_the_size_down_to_a_pod_less_than_was_asked_for() {
        // Asked for at the bottom and at the top, and percent.
        let rows = [
            ((20, 20), 5),
            ((8, 10), 30),
            ((10, 12), 25),
            ((9, 12), 34),
            ((1, 4), 100),
            ((0, 4), 100),
            ((i32::MIN, i32::MAX), 100),
            ((i32::MAX, i32::MAX), 1),
        ];
        for ((least, most), percent) in rows {
            assert_eq!(keeping(least, most), Some(percent), "{least} {most}");
        }
        assert_eq!(keeping(1, 0), None);
        assert_eq!(rows.len(), 8);
        // Exactly: no float's error makes it a percent more.
        for most in 1..=200u32 {
            for least in 1..=most {
                let (low, high) = (least.cast_signed(), most.cast_signed());
                let percent = keeping(low, high).expect("a size");
                let kept = |percent: u32| (100 - percent) * most <= 100 * (least - 1);
                assert!(kept(percent) && !kept(percent - 1), "{least} {most}");
            }
        }
    }
}
