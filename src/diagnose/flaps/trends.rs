//! The ways that a size went, one after the other, and who took it there.

use jiff::Timestamp;

use crate::trace::{Direction, SizeChange};

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
