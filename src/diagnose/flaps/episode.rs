//! The latest ups and downs: which changes belong together, and how often
//! they turn round.

use jiff::{SignedDuration, Timestamp};

use crate::history::Moves;
use crate::trace::{SizeChange, Swing, Way, Within};

/// So many turns make a flapping HPA, if each comes within so many seconds.
const TURNS: i32 = 4;
const APART: i64 = 600;
/// Where somebody else writes the size, fewer are enough: each write of his
/// that the HPA takes back is one too many.
const TURNS_WITH_OTHERS: i32 = 2;
const WRITES: usize = 2;
/// After a pause this long, what follows is another story.
const PAUSE: SignedDuration = SignedDuration::from_secs(2 * APART);

/// Changes that follow each other without a long pause.
pub(in crate::diagnose) struct Episode {
    /// Those whose moments are known, the oldest first.
    pub moves: Vec<SizeChange>,
    /// Those that aggregated events only count, by event.
    pub untold: Vec<SizeChange>,
    /// The ways that the size went, one after the other.
    pub legs: Vec<Leg>,
    /// How often, how far, since when.
    pub swing: Swing,
}

/// One way that the size went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::diagnose) struct Leg {
    /// When, at the earliest.
    pub at: Timestamp,
    /// Which way.
    pub way: Way,
    /// Who took it there.
    pub by: By,
}

/// Who changed a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::diagnose) enum By {
    /// The HPA.
    Hpa,
    /// Somebody else, as was reported.
    Other,
    /// Somebody else, for the HPA's next change cannot follow its last.
    Unseen,
}

impl Episode {
    /// The latest one before a moment, where the size changed at all.
    pub(super) fn latest(moves: &Moves, now: Timestamp) -> Option<Self> {
        let first = first(moves)?;
        let known = moves.known.get(first..)?.to_vec();
        let (begin, end) = (known.first()?.from, known.last()?.from);
        let belongs = |it: &&SizeChange| it.to >= begin && it.from <= end;
        let untold: Vec<SizeChange> = moves.untold.iter().filter(belongs).cloned().collect();
        let legs = legs(&known, &untold);
        let counted = Counted::of(&known, &untold, &legs, moves.complete_since);
        let sizes = known.iter().chain(&untold);
        let sizes = sizes.flat_map(|it| [it.before, it.after]).flatten();
        let mut swing = Swing {
            reversals: counted.reversals,
            changes: counted.changes,
            least: sizes.clone().min()?,
            most: sizes.max()?,
            since: begin,
            until: end,
            period_seconds: period(&known, &untold, &legs, counted.reversals),
            goes_on: false,
        };
        let age = now.duration_since(end).as_secs();
        swing.goes_on = age <= APART.max(2 * apart(&swing));
        Some(Self {
            moves: known,
            untold,
            legs,
            swing,
        })
    }

    /// Whether the size went back and forth often enough, and fast enough,
    /// for that to be called flapping, whether or not it still does.
    pub(super) fn flaps(&self) -> bool {
        let turns = self.swing.reversals.from;
        let enough = if self.writes() >= WRITES {
            TURNS_WITH_OTHERS
        } else {
            TURNS
        };
        turns >= enough && apart(&self.swing) <= APART
    }

    /// How often somebody else set the size, as far as that is known.
    pub(super) fn writes(&self) -> usize {
        self.legs.iter().filter(|leg| leg.by != By::Hpa).count()
    }

    /// How often the HPA went this way, repetitions included.
    pub(super) fn own(&self, way: Way) -> u32 {
        let all = self.moves.iter().chain(&self.untold);
        let own = all.filter(|it| it.is_own && it.way == Some(way));
        own.map(|it| it.count).fold(0, u32::saturating_add)
    }

    /// How often the HPA alone turned round: without anybody's change in
    /// between.
    pub(super) fn own_turns(&self) -> i32 {
        if self.own(Way::Up) < 2 || self.own(Way::Down) < 2 {
            return 0;
        }
        if self.writes() == 0 && self.is_only_own() {
            return self.swing.reversals.from;
        }
        let pairs = self.legs.windows(2);
        let turns = pairs
            .filter(|pair| pair.iter().all(|leg| leg.by == By::Hpa) && pair[0].way != pair[1].way);
        i32::try_from(turns.count()).unwrap_or(i32::MAX)
    }

    fn is_only_own(&self) -> bool {
        self.moves.iter().all(|it| it.is_own)
    }
}

/// Seconds between two turns, on average, at the most.
pub(super) fn apart(swing: &Swing) -> i64 {
    let seconds = swing.until.duration_since(swing.since).as_secs();
    seconds / i64::from(swing.reversals.from.max(1))
}

/// Where the latest row of changes begins. Aggregated events fill the time
/// between their first and their last moment.
fn first(moves: &Moves) -> Option<usize> {
    let known = &moves.known;
    let mut first = known.len().checked_sub(1)?;
    while first > 0 {
        let (earlier, later) = (known[first - 1].from, known[first].from);
        let is_filled = |it: &SizeChange| it.from <= earlier && it.to >= later;
        if later.duration_since(earlier) > PAUSE && !moves.untold.iter().any(is_filled) {
            break;
        }
        first -= 1;
    }
    Some(first)
}

/// The ways that the size went. Where a change cannot follow the one before
/// it, the size was moved in between: by the HPA itself where aggregated
/// events count changes of that time, else by somebody whom nobody saw.
fn legs(known: &[SizeChange], untold: &[SizeChange]) -> Vec<Leg> {
    let mut legs: Vec<Leg> = Vec::new();
    let mut last: Option<(i32, Timestamp)> = None;
    for change in known {
        let hidden = last.and_then(|(size, _)| moved(size, change));
        if let Some((way, (_, since))) = hidden.zip(last) {
            let is_counted = |it: &SizeChange| it.from <= change.from && it.to >= since;
            let by = if untold.iter().any(is_counted) {
                By::Hpa
            } else {
                By::Unseen
            };
            let at = change.from;
            legs.push(Leg { at, way, by });
        }
        let by_size = || Way::between(change.before.or(last.map(|it| it.0))?, change.after?);
        if let Some(way) = change.way.or_else(by_size) {
            let by = if change.is_own { By::Hpa } else { By::Other };
            let at = change.from;
            legs.push(Leg { at, way, by });
        }
        last = change.after.map(|size| (size, change.from));
    }
    legs
}

/// Which way the size moved between a change that ended at a size and the
/// next one that is known.
fn moved(size: i32, next: &SizeChange) -> Option<Way> {
    if let Some(before) = next.before {
        return Way::between(size, before);
    }
    // Who goes down to a size comes from above it.
    match (next.way?, next.after?) {
        (Way::Down, after) if size <= after => Some(Way::Up),
        (Way::Up, after) if size >= after => Some(Way::Down),
        _ => None,
    }
}

/// How often the direction changes in a row of ways. Leaving some out never
/// makes it more.
fn turns<'l>(legs: impl Iterator<Item = &'l Leg> + Clone) -> i32 {
    let next = legs.clone().skip(1);
    let turns = legs.zip(next).filter(|(one, other)| one.way != other.way);
    i32::try_from(turns.count()).unwrap_or(i32::MAX)
}

/// How many changes and reversals there were.
struct Counted {
    changes: Within,
    reversals: Within,
}

impl Counted {
    fn of(
        known: &[SizeChange],
        untold: &[SizeChange],
        legs: &[Leg],
        complete_since: Option<Timestamp>,
    ) -> Self {
        let hidden = untold.iter().map(|it| it.count);
        let hidden = hidden.fold(0, u32::saturating_add);
        let hidden = i32::try_from(hidden).unwrap_or(i32::MAX);
        let all = i32::try_from(known.len()).unwrap_or(i32::MAX);
        let all = all.saturating_add(hidden);
        let begin = known.first().map(|it| it.from);
        let is_complete = complete_since.is_some_and(|since| begin >= Some(since));
        let least = turns(legs.iter()).max(returns(known, untold, legs));
        let most = if hidden == 0 {
            least
        } else {
            all.saturating_sub(1).max(least)
        };
        Self {
            changes: Within {
                from: all,
                to: is_complete.then_some(all),
            },
            reversals: Within {
                from: least,
                to: is_complete.then_some(most),
            },
        }
    }
}

/// The first and the last arrival at a size of which an aggregated event
/// counts those in between, and how many there were in all.
struct Arrivals<'k> {
    first: &'k SizeChange,
    last: &'k SizeChange,
    count: i32,
}

impl<'k> Arrivals<'k> {
    fn of(group: &SizeChange, known: &'k [SizeChange]) -> Option<Self> {
        let is_same = |it: &&SizeChange| {
            it.is_own && it.after == group.after && it.way == group.way && it.way.is_some()
        };
        let mut same = known.iter().filter(is_same);
        let told = same.clone().count();
        let hidden = i32::try_from(group.count).unwrap_or(i32::MAX);
        Some(Self {
            first: same.next()?,
            last: same.next_back()?,
            count: i32::try_from(told).ok()?.saturating_add(hidden),
        })
    }

    /// The mean time from one to the next, in seconds.
    fn apart(&self) -> Option<i64> {
        let whole = self.last.from.duration_since(self.first.from);
        whole.as_secs().checked_div(i64::from(self.count) - 1)
    }
}

/// Who arrives at the same size the same way again went the other way in
/// between: two turns each time. What comes before the first arrival and
/// after the last adds its own.
fn returns(known: &[SizeChange], untold: &[SizeChange], legs: &[Leg]) -> i32 {
    let counts = untold.iter().filter_map(|group| {
        let arrivals = Arrivals::of(group, known)?;
        let is_leg =
            |change: &SizeChange, leg: &Leg| leg.at == change.from && Some(leg.way) == change.way;
        let begin = legs.iter().position(|leg| is_leg(arrivals.first, leg))?;
        let end = legs.iter().rposition(|leg| is_leg(arrivals.last, leg))?;
        let (before, after) = (legs.iter().take(begin + 1), legs.iter().skip(end));
        let between = 2i32.saturating_mul(arrivals.count - 1);
        Some(
            between
                .saturating_add(turns(before))
                .saturating_add(turns(after)),
        )
    });
    counts.max().unwrap_or(0)
}

/// How long one way and back takes: two turns, or from one arrival at a size
/// to the next.
fn period(
    known: &[SizeChange],
    untold: &[SizeChange],
    legs: &[Leg],
    reversals: Within,
) -> Option<Within> {
    let seconds = |seconds: i64| i32::try_from(seconds).unwrap_or(i32::MAX);
    if untold.is_empty() {
        let pairs = legs.windows(2).filter(|pair| pair[0].way != pair[1].way);
        let moments: Vec<Timestamp> = pairs.map(|pair| pair[1].at).collect();
        let (first, last) = (moments.first()?, moments.last()?);
        let between = i64::try_from(moments.len()).ok()?.checked_sub(1)?;
        let whole = last.duration_since(*first).as_secs();
        let period = whole.checked_mul(2)?.checked_div(between)?;
        return Some(Within::exactly(seconds(period)));
    }
    let (begin, end) = (known.first()?.from, known.last()?.from);
    let whole = end.duration_since(begin).as_secs();
    let by = |turns: i32| whole.checked_mul(2)?.checked_div(i64::from(turns));
    let arrivals = untold.iter().filter_map(|it| Arrivals::of(it, known));
    let apart = arrivals.filter_map(|arrivals| arrivals.apart());
    Some(Within {
        from: reversals.to.and_then(by).map_or(0, seconds),
        to: apart.chain(by(reversals.from)).min().map(seconds),
    })
}
