//! How long the load was gone between a fall of the size and the rise after
//! it.
//!
//! The window keeps the highest recommendation for as long as it is. So the
//! load was gone for the window that was in force at the fall, and then from
//! the fall to the rise; where what the metrics asked for is known pass by
//! pass, it is the time between two passes that asked for more than the size
//! that was left.

use jiff::Timestamp;

use crate::diagnose::flaps::episode::Episode;
use crate::diagnose::flaps::pass_facts::PassFacts;
use crate::history::{Moves, ProposedAt};
use crate::trace::{Direction, SizeChange, seconds_text};

/// Of a time without so many passes, nothing is known.
const GAP: i64 = 4;

/// A time without the high load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Trough {
    pub seconds: i64,
    by: By,
}

/// What tells how long it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    /// Two passes that asked for more.
    Passes,
    /// The window that was in force at the fall, and the seconds from the
    /// fall to the rise.
    Sizes { window: i64, gap: i64 },
    /// No more than how long one way and back takes on average.
    Average,
}

impl Trough {
    /// The longest one of an episode of which something can be said.
    pub(super) fn longest(ground: &PassFacts, episode: &Episode) -> Option<Self> {
        let pass = ground.case.settings.sync_period_seconds();
        let untold = !episode.untold.is_empty();
        let troughs = falls(episode).filter_map(|(fall, rise)| {
            let by_passes = || Self::by_passes(ground.moves, (fall, rise), pass);
            // What only is counted may have come between a fall and a rise.
            let by_sizes = || Self::by_sizes(ground.moves, (fall, rise)).filter(|_| !untold);
            by_passes().or_else(by_sizes)
        });
        troughs.max().or_else(|| {
            let period = episode.swing.period_seconds.filter(|_| untold)?;
            Some(Self {
                seconds: i64::from(period.to?),
                by: By::Average,
            })
        })
    }

    fn by_passes(
        moves: &Moves,
        (fall, rise): (&SizeChange, &SizeChange),
        pass: i64,
    ) -> Option<Self> {
        let left = fall.after?;
        let is_high = |it: &&ProposedAt| it.replicas.from > left;
        let split = moves.asked.partition_point(|it| it.at < fall.from);
        let (before, after) = moves.asked.split_at_checked(split)?;
        let last = before.iter().rposition(|it| is_high(&it))?;
        let next = after.iter().position(|it| is_high(&it))?;
        let between = moves.asked.get(last..=split + next)?;
        let apart = |pair: &[ProposedAt]| pair[1].at.duration_since(pair[0].at).as_secs();
        if between.windows(2).any(|pair| apart(pair) > GAP * pass) {
            return None;
        }
        let (last, next) = (between.first()?.at, between.last()?.at);
        // A rise that nothing asked for is not of the load.
        let is_of_the_rise = next.duration_since(rise.to).as_secs().abs() <= GAP * pass;
        is_of_the_rise.then(|| Self {
            seconds: next.duration_since(last).as_secs(),
            by: By::Passes,
        })
    }

    fn by_sizes(moves: &Moves, (fall, rise): (&SizeChange, &SizeChange)) -> Option<Self> {
        let window = moves.window_at(fall.from)?;
        let gap = seconds(fall.from, rise.from);
        Some(Self {
            seconds: window.saturating_add(gap),
            by: By::Sizes { window, gap },
        })
    }

    /// Whether no more is known than how long it is on average.
    pub(super) fn is_average(&self) -> bool {
        self.by == By::Average
    }

    /// How its length comes about.
    pub(super) fn arithmetic(&self) -> String {
        let whole = seconds_text(self.seconds);
        match self.by {
            By::Passes => format!("{whole} between two passes that asked for more"),
            By::Sizes { window, gap } => format!(
                "window {} + at most {} from a fall to the next rise = {whole}",
                seconds_text(window),
                seconds_text(gap)
            ),
            By::Average => {
                format!("{whole} at most, one way and back: the moments in between are not told")
            }
        }
    }
}

/// Each fall by the HPA that the HPA itself took back, with that rise.
pub(super) fn falls(episode: &Episode) -> impl Iterator<Item = (&SizeChange, &SizeChange)> {
    let pairs = episode.moves.windows(2);
    pairs.filter_map(|pair| {
        let [fall, rise] = pair else { return None };
        let is_own = fall.is_by_hpa() && rise.is_by_hpa();
        let turns = fall.way == Some(Direction::Down) && rise.way == Some(Direction::Up);
        // Nobody moved it in between.
        let follows = rise.before.is_none() || rise.before == fall.after;
        (is_own && turns && follows).then_some((fall, rise))
    })
}

fn seconds(from: Timestamp, to: Timestamp) -> i64 {
    to.duration_since(from).as_secs().max(0)
}
