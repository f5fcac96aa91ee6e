//! The latest ups and downs: which changes belong together, and how often
//! they turn round.

use jiff::{SignedDuration, Timestamp};

use crate::history::Moves;
use crate::trace::{Direction, SizeChange, Swing};

use super::swings::{By, SwingCount, Trend, period, trends};

/// So many turns make a flapping HPA, if each comes within so many seconds.
const TURNS: i32 = Swing::TURNS;
const APART: i64 = Swing::SECONDS_APART;
/// Where somebody else writes the size, fewer are enough: each write of his
/// that the HPA takes back is one too many.
const TURNS_WITH_OTHERS: i32 = 2;
pub(super) const WRITES: usize = 2;
/// After a pause this long, what follows is another story.
const PAUSE: SignedDuration = SignedDuration::from_secs(2 * APART);

/// Changes that follow each other without a long pause.
pub(in crate::diagnose) struct Episode {
    /// Those whose moments are known, the oldest first.
    pub moves: Vec<SizeChange>,
    /// Those that aggregated events only count, by event.
    pub untold: Vec<SizeChange>,
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
        let untold: Vec<SizeChange> = moves.untold.iter().filter(belongs).cloned().collect();
        let trends = trends(&known, &untold, moves.complete_since);
        let counted = SwingCount::of(&known, &untold, &trends, moves.complete_since);
        let sizes = known.iter().chain(&untold);
        let sizes = sizes.flat_map(|it| [it.before, it.after]).flatten();
        let swing = Swing {
            reversals: counted.reversals,
            changes: counted.changes,
            least: sizes.clone().min()?,
            most: sizes.max()?,
            since: begin,
            until: end,
            until_latest,
            period_seconds: period(&known, &untold, &trends, counted.reversals),
            is_flapping: false,
            goes_on: false,
            edited: None,
        };
        let mut episode = Self {
            moves: known,
            untold,
            trends,
            swing,
        };
        let age = now.duration_since(end).as_secs();
        let apart = episode.swing.seconds_apart();
        let is_recent = age <= APART.max(apart.saturating_mul(2));
        let edited = moves.edited.filter(|at| episode.is_of_before(*at));
        episode.swing.goes_on = is_recent && edited.is_none();
        episode.swing.edited = edited;
        episode.swing.is_flapping = episode.is_flapping();
        Some(episode)
    }

    /// Whether the HPA's turns are all older than an edit of it: they tell
    /// nothing of what it does since. What others do goes on after it.
    fn is_of_before(&self, edited: Timestamp) -> bool {
        let later = |leg: &&Trend| leg.at > edited;
        let mut since = self.trends.iter().filter(later).map(|leg| leg.way);
        let first = since.next();
        let is_told = self.untold.iter().all(|it| it.to <= edited);
        let turns = self.swing.reversals.from;
        turns > 0
            && self.own_turns().saturating_mul(2) >= turns
            && is_told
            && since.all(|way| Some(way) == first)
    }

    /// All changes, those that are only counted included.
    pub(super) fn all(&self) -> impl Iterator<Item = &SizeChange> + Clone {
        self.moves.iter().chain(&self.untold)
    }

    /// Whether the size went back and forth often enough, and fast enough.
    fn is_flapping(&self) -> bool {
        let enough = if self.writes() >= WRITES {
            TURNS_WITH_OTHERS
        } else {
            TURNS
        };
        self.swing.reversals.from >= enough && self.swing.seconds_apart() <= APART
    }

    /// How often somebody else set the size, as far as that is known.
    pub(super) fn writes(&self) -> usize {
        let by_others = |leg: &&Trend| matches!(leg.by, By::Other | By::Unseen);
        self.trends.iter().filter(by_others).count()
    }

    /// How often somebody else can have set the size: what nobody reported of
    /// the HPA included.
    pub(super) fn possible_writes(&self) -> usize {
        self.trends.iter().filter(|leg| leg.by != By::Hpa).count()
    }

    /// How often the HPA went this way, repetitions included.
    pub(super) fn own(&self, way: Direction) -> u32 {
        times(
            self.all()
                .filter(|it| it.is_by_hpa() && it.way == Some(way)),
        )
    }

    /// How often the HPA alone turned round: without anybody's change in
    /// between.
    pub(super) fn own_turns(&self) -> i32 {
        if self.own(Direction::Up) < 2 || self.own(Direction::Down) < 2 {
            return 0;
        }
        if self.trends.iter().all(|leg| leg.by == By::Hpa) && self.is_only_own() {
            return self.swing.reversals.from;
        }
        let pairs = self.trends.windows(2);
        let turns = pairs
            .filter(|pair| pair.iter().all(|leg| leg.by == By::Hpa) && pair[0].way != pair[1].way);
        i32::try_from(turns.count()).unwrap_or(i32::MAX)
    }

    fn is_only_own(&self) -> bool {
        self.moves.iter().all(SizeChange::is_by_hpa)
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
        if later.duration_since(earlier) > PAUSE && !moves.untold.iter().any(is_filled) {
            break;
        }
        first -= 1;
    }
    Some(first)
}
