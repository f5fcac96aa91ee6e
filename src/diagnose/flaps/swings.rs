//! The ways that a size went and who took it there, how often it changed and
//! turned round, and how long one way and back takes: a number where every
//! change is known, else bounds.

use jiff::Timestamp;

use crate::trace::{Direction, SizeChange, Within};

use super::episode::times;

/// How often the direction changes in a row of ways. Leaving some out never
/// makes it more.
fn turns<'l>(trends: impl Iterator<Item = &'l Trend> + Clone) -> i32 {
    let next = trends.clone().skip(1);
    let turns = trends.zip(next).filter(|(one, other)| one.way != other.way);
    i32::try_from(turns.count()).unwrap_or(i32::MAX)
}

/// How many changes and reversals there were.
pub(super) struct SwingCount {
    pub changes: Within,
    pub reversals: Within,
}

impl SwingCount {
    pub(super) fn of(
        known: &[SizeChange],
        untold: &[SizeChange],
        trends: &[Trend],
        complete_since: Option<Timestamp>,
    ) -> Self {
        let hidden = i32::try_from(times(untold.iter())).unwrap_or(i32::MAX);
        let all = i32::try_from(known.len()).unwrap_or(i32::MAX);
        let all = all.saturating_add(hidden);
        let begin = known.first().map(|it| it.from);
        let is_complete = complete_since.is_some_and(|since| begin >= Some(since));
        let least = turns(trends.iter()).max(returns(known, untold, trends));
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
            it.is_by_hpa() && it.after == group.after && it.way == group.way && it.way.is_some()
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
fn returns(known: &[SizeChange], untold: &[SizeChange], trends: &[Trend]) -> i32 {
    let counts = untold.iter().filter_map(|group| {
        let arrivals = Arrivals::of(group, known)?;
        let is_leg =
            |change: &SizeChange, leg: &Trend| leg.at == change.from && Some(leg.way) == change.way;
        let begin = trends.iter().position(|leg| is_leg(arrivals.first, leg))?;
        let end = trends.iter().rposition(|leg| is_leg(arrivals.last, leg))?;
        let (before, after) = (trends.iter().take(begin + 1), trends.iter().skip(end));
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
pub(super) fn period(
    known: &[SizeChange],
    untold: &[SizeChange],
    trends: &[Trend],
    reversals: Within,
) -> Option<Within> {
    let seconds = |seconds: i64| i32::try_from(seconds).unwrap_or(i32::MAX);
    if untold.is_empty() {
        let pairs = trends.windows(2).filter(|pair| pair[0].way != pair[1].way);
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
    let to = apart.chain(by(reversals.from)).min().map(seconds);
    let from = reversals.to.and_then(by).map_or(0, seconds);
    // Moments of a log and of events differ by less than a second.
    let from = to.map_or(from, |to| from.min(to));
    Some(Within { from, to })
}

/// One way that the size went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::diagnose) struct Trend {
    /// When, at the earliest.
    pub at: Timestamp,
    /// Which way.
    pub way: Direction,
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
    /// Nothing tells who.
    Unknown,
}

/// The ways that the size went. Where a change cannot follow the one before
/// it, the size was moved in between: by the HPA itself where aggregated
/// events count changes of that time, by somebody whom nobody saw where every
/// change by the HPA is told of. Where one may be missing, nobody knows.
pub(super) fn trends(
    known: &[SizeChange],
    untold: &[SizeChange],
    complete_since: Option<Timestamp>,
) -> Vec<Trend> {
    let mut trends: Vec<Trend> = Vec::new();
    let mut last: Option<(i32, Timestamp)> = None;
    for change in known {
        let hidden = last.and_then(|(size, _)| moved(size, change));
        // Who arrives where he was left it in between, whichever way: on the way
        // that he was on he turned round least often.
        let is_return = change.way.is_none() && last.map(|it| it.0) == change.after;
        let away = is_return.then(|| trends.last().map_or(Direction::Down, |leg| leg.way));
        let hidden = hidden.or(away);
        if let Some((way, (_, since))) = hidden.zip(last) {
            let is_counted = |it: &SizeChange| it.from <= change.from && it.to >= since;
            let by = if untold.iter().any(is_counted) {
                By::Hpa
            } else if complete_since.is_some_and(|complete| complete <= since) {
                By::Unseen
            } else {
                By::Unknown
            };
            let at = change.from;
            trends.push(Trend { at, way, by });
        }
        let by_size = || Direction::between(change.before.or(last.map(|it| it.0))?, change.after?);
        let back = away.map(Direction::opposite);
        if let Some(way) = change.way.or_else(by_size).or(back) {
            let by = match change.is_own {
                Some(true) => By::Hpa,
                Some(false) => By::Other,
                None => By::Unknown,
            };
            let at = change.from;
            trends.push(Trend { at, way, by });
        }
        last = change.after.map(|size| (size, change.from));
    }
    trends
}

/// Which way the size moved between a change that ended at a size and the
/// next one that is known.
fn moved(size: i32, next: &SizeChange) -> Option<Direction> {
    if let Some(before) = next.before {
        return Direction::between(size, before);
    }
    // Who goes down to a size comes from above it.
    match (next.way?, next.after?) {
        (Direction::Down, after) if size <= after => Some(Direction::Up),
        (Direction::Up, after) if size >= after => Some(Direction::Down),
        _ => None,
    }
}
