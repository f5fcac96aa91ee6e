//! How far the load itself moves, in pods that it needs, told from what the
//! metrics asked for, or from the sizes that came of it.
//!
//! A count is asked for because a fraction of a pod is rounded up: who asks
//! for 12 needs more than 11. And nobody asks for another size than there is
//! inside the tolerance: who goes up from 10 needs more than 11 at 10%.

use jiff::Timestamp;

use crate::api::Behavior;
use crate::controller::{Memory, decision, tolerated};
use crate::diagnose::flaps::episode::Episode;
use crate::diagnose::flaps::pass_facts::PassFacts;
use crate::trace::{Direction, SizeChange};

use super::trough::falls;

/// What is known of the load at the top and at the bottom of the swing.
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
    pub is_asked: bool,
    /// The tolerated deviations: downwards, upwards.
    pub tolerated: (f64, f64),
}

/// More than any policy lets through.
const EVERYTHING: i32 = i32::MAX / 2;

impl Demand {
    /// The load of an episode of which the HPA's own changes go both ways:
    /// that of a fall and the rise after it, in the middle of all of these;
    /// where their moments are not told, that of the whole.
    pub(super) fn of(ground: &PassFacts, episode: &Episode) -> Option<Self> {
        let falls = falls(episode).filter_map(|(fall, rise)| {
            let time = (fall.from, rise.to);
            Self::between(ground, &[fall, rise], time)
        });
        let mut all: Vec<Self> = falls.collect();
        if all.is_empty() {
            let own = episode.moves.iter().filter(|it| it.is_by_hpa());
            let time = (episode.swing.since, episode.swing.until);
            return Self::between(ground, &own.collect::<Vec<_>>(), time);
        }
        all.sort_by(|one, other| one.least_deviation().total_cmp(&other.least_deviation()));
        all.get(all.len() / 2).copied()
    }

    fn between(
        ground: &PassFacts,
        own: &[&SizeChange],
        time: (Timestamp, Timestamp),
    ) -> Option<Self> {
        let spec = &ground.case.snapshot.horizontal_pod_autoscaler.spec;
        let tolerated = tolerated(spec, ground.case.settings);
        let sizes = own.iter().filter_map(|it| it.after);
        let (top, bottom) = (sizes.clone().max()?, sizes.min()?);
        let asked = asked(ground, time);
        let (least, most) = asked.unwrap_or((bottom, top));
        let bounds = ground.trace.bounds;
        let is_at_bound = top >= bounds.max_replicas || bottom <= bounds.min_replicas;
        let is_limited = own.iter().any(|it| is_limited(ground, it, bottom, top));
        let above = f64::from(bottom) * (1.0 + tolerated.1);
        let below = f64::from(top) * (1.0 - tolerated.0);
        Some(Self {
            most,
            least,
            top,
            bottom,
            high: above.max(f64::from(most) - 1.0),
            low: below.min(f64::from(least)),
            is_open: asked.is_none() && (is_at_bound || is_limited),
            is_asked: asked.is_some(),
            tolerated,
        })
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
fn asked(ground: &PassFacts, (begin, end): (Timestamp, Timestamp)) -> Option<(i32, i32)> {
    let passes = ground.moves.asked.iter();
    let of_time = passes.filter(|pass| (begin..=end).contains(&pass.at));
    let counts = of_time.filter_map(|pass| pass.replicas.single());
    let (least, most) = (counts.clone().min()?, counts.max()?);
    // One alone is no swing.
    (least < most).then_some((least, most))
}

/// Whether a policy let no more of a change through, so that the metrics may
/// have asked for more of it.
pub(super) fn is_limited(ground: &PassFacts, change: &SizeChange, bottom: i32, top: i32) -> bool {
    let (Some(way), Some(after)) = (change.way, change.after) else {
        return true;
    };
    let (before, asked) = match way {
        Direction::Up => (change.before.unwrap_or(bottom), EVERYTHING),
        Direction::Down => (change.before.unwrap_or(top), 0),
    };
    let Some(furthest) = furthest(ground, before, asked) else {
        return true;
    };
    match way {
        Direction::Up => after >= furthest,
        Direction::Down => after <= furthest,
    }
}

/// How far the policies and bounds let a change go that no window holds.
fn furthest(ground: &PassFacts, before: i32, asked: i32) -> Option<i32> {
    let mut spec = ground.case.snapshot.horizontal_pod_autoscaler.spec.clone();
    let behavior = spec.behavior.get_or_insert_with(Behavior::of_defaults);
    for rules in [&mut behavior.scale_up, &mut behavior.scale_down] {
        rules.get_or_insert_default().stabilization_window_seconds = Some(0);
    }
    let now = ground.case.now.as_nanosecond();
    let memory = Memory::empty();
    decision(&spec, ground.case.settings, &memory, now, (before, asked))
}
