//! The load comes and goes, and the scaleDown window ends before it is back:
//! the size falls in each trough and rises again.

use jiff::Timestamp;

use super::metric_noise::{Demand, OWN_REVERSALS};
use super::movement::{Movement, looks_like};
use super::{percent, unit};
use crate::api::LONGEST_WINDOW_SECONDS;
use crate::controller::whole_seconds;
use crate::flaps::pass_facts::{PassFacts, advised};
use crate::flaps::proof::change;
use crate::flaps::swings::Episode;
use crate::history::{Moves, ProposedAt};
use crate::trace::{Change, Direction, Fact, Mechanism, MechanismKind, SizeChange, seconds_text};

/// Windows are suggested in steps of so many seconds.
const STEP: i64 = 30;

pub(super) fn tell(facts: &PassFacts) -> Option<Mechanism> {
    let episode = facts.flapping()?;
    if episode.own_reversals() < OWN_REVERSALS {
        return None;
    }
    let window = window(facts);
    let trough = outlasting(facts, episode)?;
    let longest = seconds_text(trough.seconds);
    let (back, average) = if trough.by == By::Average {
        ("within", " on average")
    } else {
        ("after up to", "")
    };
    let says = format!(
        "the high load returns {back} {longest}{average}, but the scaleDown window is only {}",
        seconds_text(window)
    );
    let mut evidence = vec![Fact::new("trough", trough.arithmetic())];
    let kind = MechanismKind::ShortWindow;
    let demand = Demand::of(facts, episode);
    let mechanism = if let Some(movement) = Movement::of(facts, episode) {
        if demand.is_some_and(|demand| !movement.is_enough(&demand)) {
            return None;
        }
        evidence.push(movement.fact(facts));
        Mechanism::known(kind, says)
    } else {
        evidence.extend(demand.map(|demand| load(facts, &demand)));
        looks_like(facts, kind, says)
    };
    Some(Mechanism {
        evidence,
        changes: vec![longer(facts, trough)],
        ..mechanism
    })
}

/// How far the load moves at the least.
fn load(facts: &PassFacts, demand: &Demand) -> Fact {
    let [fall, rise] = if demand.is_recommended {
        ["asking for", "asking for"]
    } else {
        ["a typical fall to", "the rise to"]
    };
    let [above, below] = demand.edges();
    let says = format!(
        "{fall} {} means a load of at most {below}, and {rise} {} a load of more than {above}{}. \
         So the load varies by ±{} around its midpoint, or more",
        demand.least,
        demand.most,
        unit(facts),
        percent(demand.least_deviation())
    );
    Fact::new("load", says)
}

/// The longest trough, where it is longer than the window holds: a window that
/// holds for longer is not too short.
pub(super) fn outlasting(facts: &PassFacts, episode: &Episode) -> Option<Trough> {
    Trough::longest(facts, episode).filter(|it| it.seconds > window(facts))
}

/// The window that would have held the size through a trough, and one pass
/// more.
pub(super) fn longer(facts: &PassFacts, trough: Trough) -> Change {
    let pass = facts.case.settings.sync_period_seconds();
    let needed = trough.seconds.saturating_add(pass);
    let needed = needed.saturating_add(STEP - 1) / STEP * STEP;
    let longest = i64::from(LONGEST_WINDOW_SECONDS);
    if needed > longest {
        return advised(format!(
            "limit how many pods a scaleDown policy removes at a time: a window of {} would hold the \
             size, but the API allows at most {}",
            seconds_text(needed),
            seconds_text(longest)
        ));
    }
    let which = if trough.by == By::Average {
        "average"
    } else {
        "longest"
    };
    let says = format!(
        "set a scaleDown window of {} instead of {}: it holds the size through the {which} trough",
        seconds_text(needed),
        seconds_text(window(facts)),
    );
    change(needed, says)
}

fn window(facts: &PassFacts) -> i64 {
    let spec = &facts.case.hpa().spec;
    whole_seconds(facts.case.settings.windows(spec).1)
}

/// Of a time without so many passes, nothing is known.
const GAP: i64 = 4;

/// A time without the high load: how long it was gone between a fall of the
/// size and the rise after it.
///
/// The window keeps the highest recommendation for as long as it is. So the
/// load was gone for the window that was in force at the fall, and then from
/// the fall to the rise; where what the metrics asked for is known pass by
/// pass, it is the time between two passes that asked for more than the size
/// that was left.
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
    pub(super) fn longest(facts: &PassFacts, episode: &Episode) -> Option<Self> {
        let pass = facts.case.settings.sync_period_seconds();
        let undated = !episode.undated.is_empty();
        let troughs = falls(episode).filter_map(|(fall, rise)| {
            let by_passes = || Self::by_passes(facts.case.moves, (fall, rise), pass);
            // What only is counted may have come between a fall and a rise.
            let by_sizes = || Self::by_sizes(facts.case.moves, (fall, rise)).filter(|_| !undated);
            by_passes().or_else(by_sizes)
        });
        troughs.max().or_else(|| {
            let period = episode.swing.period_seconds.filter(|_| undated)?;
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
        let split = moves.proposals.partition_point(|it| it.at < fall.from);
        let (before, after) = moves.proposals.split_at_checked(split)?;
        let last = before.iter().rposition(|it| is_high(&it))?;
        let next = after.iter().position(|it| is_high(&it))?;
        let between = moves.proposals.get(last..=split + next)?;
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
                format!("at most {whole}, a whole cycle: the times in between are not on record")
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
        let reversals = fall.way == Some(Direction::Down) && rise.way == Some(Direction::Up);
        // Nobody moved it in between.
        let follows = rise.before.is_none() || rise.before == fall.after;
        (is_own && reversals && follows).then_some((fall, rise))
    })
}

fn seconds(from: Timestamp, to: Timestamp) -> i64 {
    to.duration_since(from).as_secs().max(0)
}
