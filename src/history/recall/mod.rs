//! What the controller must remember, put together from all that is known.
//!
//! In reading order: how far back it goes (`since`), what the controller
//! logged (`logged`) and reported (`rescales`, `written`), what an outcome
//! tells (`outcome`), the sizes in between (`sizes`), and from them what the
//! windows (`window`) and the policies' periods (`changes`) can hold; at last
//! what a restart that nobody saw would leave of it (`restarts`).

pub(super) mod logged;
pub(super) mod moves;
pub(super) mod outcome;
pub(super) mod rescales;
pub(super) mod restarts;
mod rules;
mod sampled;
mod scraped;
mod sizes;
mod window;
pub(super) mod written;

use jiff::Timestamp;

use crate::api::HpaSpec;
use crate::controller::{Account, BEYOND, Bounded, Memory, Nanos, SECOND, Settings, timestamp};
use crate::document::snapshot::Snapshot;
use crate::history::{ChangeByOthers, Observation, Observer, Span};
use crate::trace::{
    Direction, Evidence, EvidenceKind, MemorySince, Notice, NoticeKind, Range, Recalled,
    Recollection, Within,
};
use logged::{Logged, logged};
use outcome::{ANYTHING, Implied, Outcome};
use rescales::{Rescales, Scaling, none_dropped, rescales, times};
use restarts::{
    between, edited, is_untouched, lead, led_until, predecessor, reported_again, restarted,
    restarts, since,
};
use rules::MemoryRules;
use sampled::shown_since;
use scraped::{scraped_changes, scraped_recommendations};
use sizes::{Sizes, sizes};
use window::{Entry, Known, recommendations};
use written::{Normalized, QueuedBy, Written, able_since, written};

/// By how much less than the sync period two passes can lie apart. A period
/// begins with the last news of the HPA, and that can come while a pass still
/// waits for its metrics: this holds as long as they are answered within this
/// time.
const CLOSER: Nanos = 2 * SECOND;

/// Samples from so long before all that counts tell by which passes it came: what was
/// written last before it, and in which beat they ran.
const ANCHOR: Nanos = 600 * SECOND;

/// What the controller must remember at a moment, and where that is from.
#[derive(Debug)]
pub struct Recall {
    pub memory: Memory,
    pub recollection: Recollection,
    /// The latest status that the controller wrote.
    pub last: Option<Written>,
}

/// When a pass runs.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// The moment.
    pub at: Timestamp,
    /// Until when other passes can have run before it.
    pub others_until: Timestamp,
    /// Whether it is known to be the next one.
    pub is_next: bool,
}

impl When {
    /// A moment, whatever ran before it.
    pub fn at(at: Timestamp) -> Self {
        let others_until = timestamp(at.as_nanosecond() - 1);
        Self {
            at,
            others_until,
            is_next: false,
        }
    }

    /// The first pass after a sample.
    pub fn first_after(sampled: Timestamp, at: Timestamp) -> Self {
        let others_until = sampled.min(Self::at(at).others_until);
        Self {
            at,
            others_until,
            is_next: true,
        }
    }
}

/// What a memory is recalled from: the inputs and what was seen before them, by the
/// rules of the controller, up to a moment.
#[derive(Clone, Copy)]
struct Sources<'a> {
    snapshot: &'a Snapshot,
    observer: &'a Observer,
    rules: &'a MemoryRules,
    /// Samples from before tell of nothing that counts.
    since: Nanos,
    now: Nanos,
}

impl<'a> Sources<'a> {
    /// The samples since and up to then.
    fn samples(self) -> impl DoubleEndedIterator<Item = &'a Observation> {
        let samples = self.observer.samples();
        samples.filter(move |sample| self.since <= sample.at && sample.at <= self.now)
    }
}

/// Recalls what the controller must remember before a pass, as far back as
/// counts under a spec.
pub fn recall(
    snapshot: &Snapshot,
    spec: &HpaSpec,
    settings: &Settings,
    when: When,
    observer: &Observer,
) -> Recall {
    let moment = when.at.as_nanosecond();
    let given = Memory::new(snapshot.history.as_ref());
    let rules = MemoryRules::new(snapshot, settings, observer).reaching(spec, settings, moment);
    let sources = Sources {
        snapshot,
        observer,
        rules: &rules,
        since: rules.counts_from(moment) - ANCHOR.max(40 * rules.sync_period),
        now: moment,
    };
    let mut recall = from_evidence(sources, when);
    if given.is_known() {
        return recall.exactly(given, EvidenceKind::History);
    }
    if let Some(replayed) = observer.replayed(settings, moment) {
        return recall.exactly(replayed.clone(), EvidenceKind::Record);
    }
    if is_untouched(snapshot) && given == Memory::default() {
        return recall.exactly(Memory::empty(), EvidenceKind::Status);
    }
    // Lists that are given are known, whatever the evidence says.
    let memory = &mut recall.memory;
    memory.recommendations = given.recommendations.or(memory.recommendations.take());
    memory.scale_up_events = given.scale_up_events.or(memory.scale_up_events.take());
    memory.scale_down_events = given.scale_down_events.or(memory.scale_down_events.take());
    recall
}

/// The changes of the target's size that somebody else than the HPA made, as
/// the target's own controller reported them, the oldest first.
pub fn changes_by_others(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
) -> Vec<ChangeByOthers> {
    let observer = &Observer::default();
    let sources = Sources {
        snapshot,
        observer,
        rules: &MemoryRules::new(snapshot, settings, observer),
        since: Nanos::MIN,
        now: now.as_nanosecond(),
    };
    let rescales = rescales(sources, &Logged::default());
    sizes::reported_of_others(sources, &rescales)
}

/// What the controller reported: by its log, and by all that tells of rescales.
fn reported(sources: Sources) -> (Logged, Rescales) {
    // A log can tell of what came after the inputs were sampled: the size is
    // still the one from before.
    let sampled = sources.snapshot.captured_at.as_nanosecond();
    let mut logged = logged(sources.observer.log.as_ref(), sources.now.min(sampled));
    let mut rescales = rescales(sources, &logged);
    rescales.shown_since = shown_since(sources);
    if let Some(since) = rescales.shown_since {
        rescales.between.retain(|it| it.at.from < since);
        for repeated in &mut rescales.between {
            repeated.at.to = repeated.at.to.min(since);
        }
    }
    if let Some(until) = rescales.log_lacks_until {
        logged.tells_since(until);
    }
    (logged, rescales)
}

fn from_evidence(sources: Sources, when: When) -> Recall {
    let Sources {
        snapshot,
        observer,
        rules,
        now,
        ..
    } = sources;
    let (logged, rescales) = reported(sources);
    let since = memory_since(snapshot, &logged);
    let start = since.as_ref().map(|since| since.at.as_nanosecond());
    let sizes = sizes(sources, &rescales);
    let written = written(sources);
    let known = Known {
        rules,
        now,
        others_until: when.others_until.as_nanosecond(),
        next: when.is_next.then_some(now),
        since: start,
        led_since: lead(snapshot).map(Timestamp::as_nanosecond),
        led_until: led_until(snapshot).map(Timestamp::as_nanosecond),
        generation: snapshot.hpa.metadata.generation,
        able_since: able_since(&snapshot.hpa.status),
        written: &written,
        rescales: &rescales,
        sizes: &sizes,
        observer,
        logged: &logged,
    };
    let (mut recommendations, contradictions, beat) = recommendations(&known);
    let mut changes = changes(rules, &rescales, &sizes, start, now);
    let scraped = &observer.passes;
    if !scraped.is_empty() && logged.covers.is_none() {
        recommendations = scraped_recommendations(scraped, rules, now);
        changes = scraped_changes(scraped, rules, now);
    }
    if let Some(beat) = beat {
        beat.settle(&mut changes.up);
        beat.settle(&mut changes.down);
    }
    let is_logged = logged
        .covers
        .is_some_and(|it| now - it.to < rules.sync_period);
    let clocks = restarts::untrusted(snapshot, now);
    let may_have_restarted = lead(snapshot).is_none() && !is_logged;
    let account = Account {
        recommendations: bounded(&recommendations),
        scale_up_events: bounded(&changes.up),
        scale_down_events: bounded(&changes.down),
    };
    let mut accounts = vec![account];
    if may_have_restarted {
        accounts.extend(restarted(sources, &accounts[0], &sizes, start));
    }
    if clocks.is_some() {
        // Nothing can be said of ages; not even that nothing is newer.
        accounts.clear();
    }
    let mut notices = sizes.notices.clone();
    notices.extend(clocks);
    notices.extend(contradictions);
    notices.extend(logged.notices);
    notices.extend(restarts(&written, snapshot, rules.sync_period));
    notices.extend(reported_again(snapshot));
    notices.extend(predecessor(snapshot));
    notices.extend(edited(snapshot, rules, now));
    let is_of_log = |it: &Notice| it.source.kind == EvidenceKind::ControllerLog;
    let of_log = notices.iter().filter(|it| is_of_log(it)).map(|it| it.to);
    let known: Vec<Timestamp> = of_log.collect();
    // What a restart leads to can be seen long after it; since the lead began, there
    // was none.
    let led = lead(snapshot);
    let is_known = |notice: &Notice| {
        let is_then = |at: &Timestamp| notice.from <= Some(*at) && *at <= notice.to;
        led.is_some_and(|at| at <= notice.to) || known.iter().any(is_then)
    };
    let is_guessed_again = |notice: &Notice| {
        notice.kind == NoticeKind::Restarted && !is_of_log(notice) && is_known(notice)
    };
    notices.retain(|notice| !is_guessed_again(notice));
    let counts_from = rules.counts_from(now);
    notices.retain(|notice| notice.to.as_nanosecond() >= counts_from);
    notices.sort_by_key(|notice| notice.to);
    let recalled = recommendations.iter().map(|it| it.recalled(i32::MAX));
    Recall {
        memory: exact(accounts),
        recollection: Recollection {
            since,
            may_have_restarted,
            recommendations: recalled.collect(),
            scale_up_events: changes.up.iter().map(|it| it.recalled(BEYOND)).collect(),
            scale_down_events: changes.down.iter().map(|it| it.recalled(BEYOND)).collect(),
            notices,
            ..Recollection::default()
        },
        last: written.last().cloned(),
    }
}

/// A memory of which everything is known is known.
fn exact(accounts: Vec<Account>) -> Memory {
    match accounts.as_slice() {
        [account] => account
            .exactly()
            .unwrap_or_else(|| Memory::within(accounts)),
        _ => Memory::within(accounts),
    }
}

/// How far back the memory goes: the log tells of starts as well.
fn memory_since(snapshot: &Snapshot, logged: &Logged) -> Option<MemorySince> {
    let says = "the controller started";
    let start = logged.start.map(timestamp).map(|at| MemorySince {
        at,
        source: Evidence::at(EvidenceKind::ControllerLog, at, says),
    });
    let both = since(snapshot).into_iter().chain(start);
    both.max_by_key(|since| since.at)
}

fn bounded(entries: &[Entry]) -> Vec<Bounded> {
    entries.iter().map(|entry| entry.bounded).collect()
}

impl Entry {
    fn recalled(&self, anything: i32) -> Recalled {
        Recalled {
            replicas: Within::new(self.bounded.replicas, anything),
            from: Some(timestamp(self.bounded.from)),
            to: timestamp(self.bounded.to),
            certain: self.bounded.is_certain,
            source: self.evidence.clone(),
        }
    }
}

impl Recall {
    /// The memory is known exactly.
    fn exactly(self, memory: Memory, kind: EvidenceKind) -> Self {
        let recalled = |replicas: i32, at: Nanos| Recalled {
            replicas: Within::new(Range::of(replicas), i32::MAX),
            from: Some(timestamp(at)),
            to: timestamp(at),
            certain: true,
            source: Evidence::of(kind, ""),
        };
        let sorted = |mut list: Vec<Recalled>| {
            list.sort_by_key(|entry| std::cmp::Reverse(entry.to));
            list
        };
        let recommendations = memory.recommendations.iter().flatten();
        let recommendations = recommendations.map(|it| recalled(it.replicas, it.at));
        let up = memory.scale_up_events.iter().flatten();
        let down = memory.scale_down_events.iter().flatten();
        let recollection = Recollection {
            recommendations: sorted(recommendations.collect()),
            scale_up_events: sorted(up.map(|it| recalled(it.change, it.at)).collect()),
            scale_down_events: sorted(down.map(|it| recalled(it.change, it.at)).collect()),
            may_have_restarted: false,
            ..self.recollection
        };
        Self {
            memory,
            recollection,
            last: self.last,
        }
    }
}

/// No controller scales the same HPA more often: it waits for the API server
/// in each pass. It bounds what an event's count can cost.
const SHORTEST_SYNC: Nanos = SECOND / 10;

/// More that are only counted are no more than any number: no two hours of
/// passes hold as many.
const MOST_COUNTED: u64 = 1_000;

/// The changes upwards and downwards.
#[derive(Debug, Default)]
pub struct Changes {
    pub up: Vec<Entry>,
    pub down: Vec<Entry>,
}

/// The changes by the HPA that can count, the newest first.
pub fn changes(
    rules: &MemoryRules,
    rescales: &Rescales,
    sizes: &Sizes,
    since: Option<Nanos>,
    now: Nanos,
) -> Changes {
    let mut changes = Changes::default();
    let horizon = now - rules.reach - SECOND;
    let start = since.map_or(horizon, |since| since.max(horizon));
    if rules.reach == 0 || !rules.can_have_had_behavior(start) {
        return changes;
    }
    if sizes.reported_since > start {
        changes.unknown(start, sizes.reported_since.min(now - 1));
    }
    let counted = rescales.between.iter();
    let counted = counted.map(|it| (it, countable(it, rules, start)));
    let counted: Vec<(&Scaling, u32)> = counted.collect();
    let all = counted.iter().map(|(_, count)| u64::from(*count));
    if all.sum::<u64>() > MOST_COUNTED {
        changes.unknown(start, now - 1);
    } else {
        for (repeated, count) in counted {
            for _ in 0..count {
                changes.add(rules, repeated, false, now);
            }
        }
    }
    let own = sizes.changes.iter().filter(|it| it.is_own == Some(true));
    for rescale in own.filter(|it| it.at.to >= start) {
        // One of the second in which the controller began may be of the one
        // before it.
        let is_certain = since.is_none_or(|since| rescale.at.from >= since);
        changes.add(rules, rescale, is_certain, now);
    }
    changes.reuse(rules);
    changes.newest_first()
}

/// How many of the repetitions can be of the time since then: a pass makes one
/// rescale at most.
fn countable(rescale: &Scaling, rules: &MemoryRules, start: Nanos) -> u32 {
    let count = rescale.count;
    if rules.may_be_at_once(start) {
        return count;
    }
    let since = rescale.at.to - rescale.at.from.max(start);
    if since < 0 {
        return 0;
    }
    let passes = since / rules.sync_period.max(SHORTEST_SYNC) + 2;
    u32::try_from(passes).map_or(count, |passes| passes.min(count))
}

impl Changes {
    /// Any number of changes that nobody saw.
    fn unknown(&mut self, from: Nanos, to: Nanos) {
        let at = Span::new(from, to.max(from));
        let evidence = Evidence::of(EvidenceKind::Nothing, "");
        self.push(
            None,
            Entry::within(at, Range::new(0, BEYOND), false, evidence),
        );
    }

    /// Adds one that went a way; or, where that is not known, either.
    fn push(&mut self, way: Option<Direction>, entry: Entry) {
        match way {
            Some(Direction::Up) => self.up.push(entry),
            Some(Direction::Down) => self.down.push(entry),
            None => {
                self.up.push(entry.clone());
                self.down.push(entry);
            }
        }
    }

    fn newest_first(mut self) -> Self {
        for side in [&mut self.up, &mut self.down] {
            side.sort_by_key(|it| std::cmp::Reverse((it.bounded.to, it.bounded.from)));
        }
        self
    }

    fn add(&mut self, rules: &MemoryRules, rescale: &Scaling, is_certain: bool, now: Nanos) {
        if !rules.can_have_had_behavior(rescale.at.from) {
            return;
        }
        let goes = rescale.way().or_else(|| rescale.by_sizes());
        let replicas = size_of(goes, rescale.before, rescale.after);
        // Without `behavior` nothing was stored; it may have come later.
        let is_stored = is_certain && goes.is_some() && rules.had_behavior(rescale.at.from);
        let at = if rescale.source == EvidenceKind::ControllerLog {
            rescale.at
        } else {
            let late = SECOND.min((now - 1 - rescale.at.to).max(0));
            Span::new(rescale.at.from - SECOND, rescale.at.to.min(now - 1) + late)
        };
        let entry = Entry::within(at, replicas, is_stored, rescale.evidence());
        self.push(goes, entry);
    }

    /// A slot older than the longest period of its own direction is free for
    /// the next change that way, even where the other way looks back further,
    /// or where the periods have grown since.
    fn reuse(&mut self, rules: &MemoryRules) {
        for (side, own) in [
            (&mut self.up, rules.longest_up_period),
            (&mut self.down, rules.longest_down_period),
        ] {
            let Some(latest) = side.iter().map(|entry| entry.bounded.to).max() else {
                continue;
            };
            for entry in side.iter_mut() {
                let (from, to) = (entry.bounded.from, entry.bounded.to);
                let is_edited = to < latest && rules.is_edited_since(from);
                if latest > from + own || is_edited {
                    entry.bounded.is_certain = false;
                }
            }
        }
    }
}

/// By how much a rescale changed the size.
fn size_of(goes: Option<Direction>, before: Option<i32>, after: Option<i32>) -> Range {
    match (goes, before, after) {
        (_, Some(before), Some(after)) => Range::of(after.saturating_sub(before).saturating_abs()),
        // From nothing, at most.
        (Some(Direction::Up), None, Some(after)) => Range::new(1, after.max(1)),
        _ => Range::new(1, BEYOND),
    }
}
