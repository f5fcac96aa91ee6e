//! The latest ups and downs: which changes belong together, the ways that the
//! size went and who took it there, how often it changed and turned round, and
//! how long one way and back takes: a number where every change is known, else
//! bounds.

use jiff::{SignedDuration, Timestamp};

use crate::history::Moves;
use crate::trace::{Direction, EvidenceKind, SizeChange, Swing, Within};

/// How often the direction changes in a row of ways. Leaving some out never
/// makes it more.
fn reversals<'l>(trends: impl Iterator<Item = &'l Trend> + Clone) -> i32 {
    let next = trends.clone().skip(1);
    let reversals = trends.zip(next).filter(|(one, other)| one.way != other.way);
    i32::try_from(reversals.count()).unwrap_or(i32::MAX)
}

/// How many changes and reversals there were.
fn counted(
    known: &[SizeChange],
    undated: &[SizeChange],
    trends: &[Trend],
    complete_since: Option<Timestamp>,
) -> [Within; 2] {
    let hidden = i32::try_from(times(undated.iter())).unwrap_or(i32::MAX);
    let all = i32::try_from(known.len()).unwrap_or(i32::MAX);
    let all = all.saturating_add(hidden);
    let begin = known.first().map(|it| it.from);
    let is_complete = complete_since.is_some_and(|since| begin >= Some(since));
    let least = reversals(trends.iter()).max(returns(known, undated, trends));
    let most = if hidden == 0 {
        least
    } else {
        all.saturating_sub(1).max(least)
    };
    [(all, all), (least, most)].map(|(from, to)| Within {
        from,
        to: is_complete.then_some(to),
    })
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
        let reported = same.clone().count();
        let hidden = i32::try_from(group.count).unwrap_or(i32::MAX);
        Some(Self {
            first: same.next()?,
            last: same.next_back()?,
            count: i32::try_from(reported).ok()?.saturating_add(hidden),
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
fn returns(known: &[SizeChange], undated: &[SizeChange], trends: &[Trend]) -> i32 {
    let counts = undated.iter().filter_map(|group| {
        let arrivals = Arrivals::of(group, known)?;
        let is_it =
            |change: &SizeChange, it: &Trend| it.at == change.from && Some(it.way) == change.way;
        let begin = trends.iter().position(|it| is_it(arrivals.first, it))?;
        let end = trends.iter().rposition(|it| is_it(arrivals.last, it))?;
        let (before, after) = (trends.iter().take(begin + 1), trends.iter().skip(end));
        let between = 2i32.saturating_mul(arrivals.count - 1);
        let around = reversals(before).saturating_add(reversals(after));
        Some(between.saturating_add(around))
    });
    counts.max().unwrap_or(0)
}

/// How long one way and back takes: two turns, or from one arrival at a size
/// to the next.
pub(super) fn period(
    known: &[SizeChange],
    undated: &[SizeChange],
    trends: &[Trend],
    reversals: Within,
) -> Option<Within> {
    let seconds = |seconds: i64| i32::try_from(seconds).unwrap_or(i32::MAX);
    if undated.is_empty() {
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
    let by = |reversals: i32| whole.checked_mul(2)?.checked_div(i64::from(reversals));
    let arrivals = undated.iter().filter_map(|it| Arrivals::of(it, known));
    let apart = arrivals.filter_map(|arrivals| arrivals.apart());
    let to = apart.chain(by(reversals.from)).min().map(seconds);
    let from = reversals.to.and_then(by).map_or(0, seconds);
    // Moments of a log and of events differ by less than a second.
    let from = to.map_or(from, |to| from.min(to));
    Some(Within { from, to })
}

/// One way that the size went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trend {
    /// When, at the earliest.
    pub at: Timestamp,
    pub way: Direction,
    /// Who took it there.
    pub by: By,
}

/// Who changed a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Hpa,
    /// Somebody else, as was reported.
    Other,
    /// Somebody else, for the HPA's next change cannot follow its last.
    Unreported,
    /// Nothing tells who.
    Unknown,
    /// Nothing tells who, for between two scrapes was more than one pass.
    Blurred,
}

/// The ways that the size went. Where a change cannot follow the one before
/// it, the size was moved in between: by the HPA itself where aggregated
/// events count changes of that time, by somebody whom nobody saw where every
/// change by the HPA is told of. Where one may be missing, nobody knows.
pub(super) fn trends(
    known: &[SizeChange],
    undated: &[SizeChange],
    complete_since: Option<Timestamp>,
) -> Vec<Trend> {
    let mut trends: Vec<Trend> = Vec::new();
    let mut last: Option<(i32, Timestamp)> = None;
    for change in known {
        let hidden = last.and_then(|(size, _)| moved(size, change));
        // Who arrives where he was left it in between, whichever way: on the way
        // that he was on he turned round least often.
        let is_return = change.way.is_none() && last.map(|it| it.0) == change.after;
        let away = is_return.then(|| trends.last().map_or(Direction::Down, |it| it.way));
        let hidden = hidden.or(away);
        if let Some((way, (_, since))) = hidden.zip(last) {
            let is_counted = |it: &SizeChange| it.from <= change.from && it.to >= since;
            let by = if undated.iter().any(is_counted) {
                By::Hpa
            } else if complete_since.is_some_and(|complete| complete <= since) {
                By::Unreported
            } else {
                By::Unknown
            };
            let at = change.from;
            trends.push(Trend { at, way, by });
        }
        let by_size = || Direction::between(change.before.or(last.map(|it| it.0))?, change.after?);
        let back = away.map(Direction::opposite);
        // More than one pass between two scrapes: only the last has left its status.
        let is_scraped = change.source == Some(EvidenceKind::Prometheus);
        let is_blurred = is_scraped && change.to.duration_since(change.from) > ONE_PASS;
        if let Some(way) = change.way.or_else(by_size).or(back) {
            let by = match change.is_own {
                Some(true) => By::Hpa,
                Some(false) => By::Other,
                None if is_blurred => By::Blurred,
                None => By::Unknown,
            };
            let at = change.from;
            trends.push(Trend { at, way, by });
        }
        last = change.after.map(|size| (size, change.from));
    }
    trends
}

/// The default time between two passes, and what passes and scrapes deviate.
const ONE_PASS: SignedDuration = SignedDuration::from_secs(17);

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

/// Where somebody else writes the size, fewer are enough: each write of his
/// that the HPA takes back is one too many.
const REVERSALS_WITH_OTHERS: i32 = 2;
pub(super) const WRITES: usize = 2;
/// After a pause this long, what follows is another story.
const PAUSE: SignedDuration = SignedDuration::from_secs(2 * Swing::SECONDS_APART);

/// Changes that follow each other without a long pause.
pub(super) struct Episode {
    /// Those whose moments are known, the oldest first.
    pub moves: Vec<SizeChange>,
    /// Those that aggregated events only count, by event.
    pub undated: Vec<SizeChange>,
    /// The ways that the size went, one after the other.
    pub trends: Vec<Trend>,
    /// How often, how far, since when.
    pub swing: Swing,
}

impl Episode {
    /// The latest one before a moment, where the size changed at all.
    pub(super) fn latest(moves: &Moves, now: Timestamp) -> Option<Self> {
        Self::rows(moves, now).next()
    }

    /// The latest one in which the size turned round.
    pub(super) fn turned(moves: &Moves, now: Timestamp) -> Option<Self> {
        Self::rows(moves, now).find(|episode| episode.swing.reversals.from > 0)
    }

    /// Whether it is flapping that goes on.
    pub(super) fn flaps_now(&self) -> bool {
        self.swing.is_flapping && self.swing.goes_on
    }

    /// All of them, the latest first.
    fn rows(moves: &Moves, now: Timestamp) -> impl Iterator<Item = Self> {
        let mut end = moves.known.len();
        let rows = std::iter::from_fn(move || {
            let first = first(moves, end)?;
            let known = moves.known.get(first..end)?;
            end = first;
            Some(known)
        });
        rows.filter_map(move |known| Self::of(known, moves, now))
    }

    fn of(known: &[SizeChange], moves: &Moves, now: Timestamp) -> Option<Self> {
        let known = known.to_vec();
        let (begin, last) = (known.first()?.from, known.last()?);
        let (end, is_open) = (last.from, last.to.duration_since(last.from).as_secs() > 0);
        let until_latest = is_open.then_some(last.to);
        let belongs = |it: &&SizeChange| it.to >= begin && it.from <= end;
        let undated: Vec<SizeChange> = moves.undated.iter().filter(belongs).cloned().collect();
        let trends = trends(&known, &undated, moves.complete_since);
        let [changes, reversals] = counted(&known, &undated, &trends, moves.complete_since);
        let sizes = known.iter().chain(&undated);
        // At 0 that others set, the HPA does not scale.
        let scaled = |it: &SizeChange, size: &i32| *size > 0 || it.is_by_hpa();
        let both = |it: &SizeChange| [it.before, it.after].map(|at| at.filter(|at| scaled(it, at)));
        let sizes = sizes.flat_map(both).flatten();
        let swing = Swing {
            reversals,
            changes,
            least: sizes.clone().min()?,
            most: sizes.max()?,
            since: begin,
            until: end,
            until_latest,
            period_seconds: period(&known, &undated, &trends, reversals),
            is_flapping: false,
            goes_on: false,
            edited: None,
        };
        let mut episode = Self {
            moves: known,
            undated,
            trends,
            swing,
        };
        let age = now.duration_since(end).as_secs();
        let apart = episode.swing.seconds_apart();
        let is_recent = age <= Swing::SECONDS_APART.max(apart.saturating_mul(2));
        let edited = moves.edited.filter(|at| episode.is_of_before(*at));
        episode.swing.goes_on = is_recent && edited.is_none();
        episode.swing.edited = edited;
        episode.swing.is_flapping = episode.is_flapping();
        Some(episode)
    }

    /// Whether the HPA's turns are all older than an edit of it: they tell
    /// nothing of what it does since. What others do goes on after it.
    fn is_of_before(&self, edited: Timestamp) -> bool {
        let later = self.trends.iter().filter(|it| it.at > edited);
        let is_reported = self.undated.iter().all(|it| it.to <= edited);
        let reversals = self.swing.reversals.from;
        reversals > 0
            && self.own_reversals().saturating_mul(2) >= reversals
            && is_reported
            && self::reversals(later) == 0
    }

    /// How often the direction changed after a moment, as far as its moment is known.
    pub(super) fn reversals_since(&self, moment: Timestamp) -> i32 {
        let earlier = self.trends.iter().filter(|it| it.at <= moment).count();
        reversals(self.trends.iter().skip(earlier.saturating_sub(1)))
    }

    /// All changes, those that are only counted included.
    pub(super) fn all(&self) -> impl Iterator<Item = &SizeChange> + Clone {
        self.moves.iter().chain(&self.undated)
    }

    /// Whether the size went back and forth often enough, and fast enough.
    fn is_flapping(&self) -> bool {
        let enough = if self.writes() >= WRITES {
            REVERSALS_WITH_OTHERS
        } else {
            Swing::REVERSALS
        };
        let apart = self.swing.seconds_apart();
        self.swing.reversals.from >= enough && apart <= Swing::SECONDS_APART
    }

    /// How often somebody else set the size, as far as that is known.
    pub(super) fn writes(&self) -> usize {
        self.writes_by(By::Other) + self.writes_by(By::Unreported)
    }

    /// How often the size went a way that is put down to one.
    pub(super) fn writes_by(&self, by: By) -> usize {
        self.trends.iter().filter(|it| it.by == by).count()
    }

    /// How often somebody else can have set the size: what nobody reported of
    /// the HPA included.
    pub(super) fn possible_writes(&self) -> usize {
        let may_be_own = |it: &&Trend| matches!(it.by, By::Hpa | By::Blurred);
        self.trends.len() - self.trends.iter().filter(may_be_own).count()
    }

    /// How often the HPA went this way, repetitions included.
    pub(super) fn own(&self, way: Direction) -> u32 {
        let own = self.all().filter(|it| it.is_by_hpa());
        times(own.filter(|it| it.way == Some(way)))
    }

    /// How often the HPA alone turned round: without anybody's change in
    /// between.
    pub(super) fn own_reversals(&self) -> i32 {
        if self.own(Direction::Up) < 2 || self.own(Direction::Down) < 2 {
            return 0;
        }
        let is_only_own = self.moves.iter().all(SizeChange::is_by_hpa);
        if is_only_own && self.trends.iter().all(|it| it.by == By::Hpa) {
            return self.swing.reversals.from;
        }
        let pairs = self.trends.windows(2);
        let reversals = pairs
            .filter(|pair| pair.iter().all(|it| it.by == By::Hpa) && pair[0].way != pair[1].way);
        i32::try_from(reversals.count()).unwrap_or(i32::MAX)
    }
}

/// How often the size changed, repetitions included.
pub(super) fn times<'c>(changes: impl Iterator<Item = &'c SizeChange>) -> u32 {
    changes.fold(0, |all, it| all.saturating_add(it.count))
}

/// Where the row of changes begins that ends before `end`. Aggregated events
/// fill the time between their first and their last moment.
fn first(moves: &Moves, end: usize) -> Option<usize> {
    let known = &moves.known;
    let mut first = end.checked_sub(1)?;
    while first > 0 {
        let (earlier, later) = (known[first - 1].from, known[first].from);
        let is_filled = |it: &SizeChange| it.from <= earlier && it.to >= later;
        if later.duration_since(earlier) > PAUSE && !moves.undated.iter().any(is_filled) {
            break;
        }
        first -= 1;
    }
    Some(first)
}
