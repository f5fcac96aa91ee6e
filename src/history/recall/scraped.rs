//! What scrapes tell of the size, and of what earlier passes stored. No series
//! has reasons or the moment of the last rescale, so that a rescale shows only
//! by what its pass reported: the size that it found, and the size that it
//! asked for.

use jiff::Timestamp;

use super::sampled::SizeSample;
use crate::api::{Direction, HpaSpec};
use crate::controller::{BEYOND, Nanos, SECOND, timestamp};
use crate::history::recall::{ANYTHING, Changes, Entry, MemoryRules, Sources};
use crate::history::scrapes::is_active;
use crate::history::{Scrape, ScrapedPass, Span, Stored};
use crate::trace::{Evidence, EvidenceKind, Range};

/// The sizes that were scraped before the inputs were sampled.
pub(super) fn scraped_sizes(sources: Sources) -> impl Iterator<Item = SizeSample> {
    scrapes(sources).map(|it| SizeSample {
        at: it.at,
        size: it.size,
        status: &it.status,
        target: &it.spec.scale_target_ref,
        created: it.created,
        is_scraped: true,
    })
}

fn scrapes(sources: Sources<'_>) -> impl Iterator<Item = &Scrape> {
    let captured_at = sources.snapshot.captured_at.as_nanosecond();
    let until = captured_at.min(sources.now);
    let all = sources.observer.scrapes().all.iter();
    all.filter(move |it| it.at < until)
}

/// The specs that were scraped since a moment and before the inputs were sampled.
/// Their behavior is that of now.
pub(super) fn scraped_specs(sources: Sources<'_>) -> impl Iterator<Item = (Timestamp, &HpaSpec)> {
    scrapes(sources).map(|it| (timestamp(it.at), &*it.spec))
}

/// The rescale between two scrapes that differ in size, as the status of the
/// later one tells of it, or that of the one after: the size and the status
/// come to whoever is scraped one after the other.
///
/// A pass that fails leaves an older size as the desired one, so that only one
/// whose metrics and whose scale could be read tells of a rescale. A status that
/// was there before can be of an earlier one.
pub fn rescaled(
    before: &SizeSample,
    after: &SizeSample,
    next: Option<&SizeSample>,
) -> Option<(i32, i32)> {
    let is_same = |it: &SizeSample| it.is_scraped && it.created == before.created;
    if !before.is_scraped || !is_same(after) || before.size == after.size {
        return None;
    }
    let sizes = |it: &SizeSample| (it.status.current_replicas, it.status.desired_replicas);
    let tells = |it: &SizeSample| {
        let (from, to) = sizes(it);
        let is_new = sizes(it) != sizes(before);
        from != to && to == after.size && it.size == to && is_new && is_active(it.status)
    };
    if tells(after) {
        return Some(sizes(after));
    }
    let is_late = |it: &&SizeSample| {
        is_same(it) && tells(it) && sizes(after) == sizes(before) && sizes(it).0 == before.size
    };
    next.filter(is_late).map(sizes)
}

/// What the passes that scrapes tell of recommended, and that nothing is known
/// of the times between them.
pub fn scraped_recommendations(
    passes: &[ScrapedPass],
    rules: &MemoryRules,
    now: Nanos,
) -> Vec<Entry> {
    let horizon = now - rules.kept - SECOND;
    let own = passes.iter().filter(|it| it.at.to >= horizon);
    let own = own.filter_map(|pass| {
        let replicas = match pass.proposal {
            Stored::Within(range) => range,
            Stored::None => return None,
            Stored::Unknown => ANYTHING,
        };
        Some(entry(replicas, pass.at, pass.is_certain, now))
    });
    let mut entries: Vec<Entry> = own.collect();
    let gaps = gaps(passes, rules, horizon, now);
    entries.extend(gaps.map(|at| entry(ANYTHING, at, false, now)));
    entries.sort_by_key(|it| std::cmp::Reverse((it.bounded.to, it.bounded.from)));
    entries
}

/// The changes that they made, and any number of them in between.
pub fn scraped_changes(passes: &[ScrapedPass], rules: &MemoryRules, now: Nanos) -> Changes {
    let horizon = now - rules.reach - SECOND;
    let mut changes = Changes::default();
    let beyond = Range::new(0, BEYOND);
    for pass in passes.iter().filter(|it| it.at.to >= horizon) {
        let Some((before, after)) = pass.before.zip(pass.after) else {
            changes.push(None, entry(beyond, pass.at, false, now));
            continue;
        };
        let way = Direction::between(before, after);
        if way.is_some() {
            let by = Range::of((after - before).abs());
            let is_certain = pass.is_certain || !pass.is_observed;
            changes.push(way, entry(by, pass.at, is_certain, now));
        }
    }
    for at in gaps(passes, rules, horizon, now) {
        changes.push(None, entry(beyond, at, false, now));
    }
    changes.newest_first()
}

fn entry(replicas: Range, at: Span, is_certain: bool, now: Nanos) -> Entry {
    let evidence = Evidence::at(EvidenceKind::Prometheus, timestamp(at.to), "");
    let at = Span::new(at.from, at.to.min(now - 1).max(at.from));
    Entry::within(at, replicas, is_certain, evidence)
}

/// The times since then of which no pass is known.
fn gaps(
    passes: &[ScrapedPass],
    rules: &MemoryRules,
    since: Nanos,
    now: Nanos,
) -> impl Iterator<Item = Span> {
    let most = 2 * rules.sync_period;
    let begin = passes.first().map_or(now, |it| it.at.from);
    let first = Span::new(since, begin);
    let between = passes
        .windows(2)
        .map(|pair| Span::new(pair[0].at.to, pair[1].at.from));
    let end = passes.last().map_or(now, |it| it.at.to);
    let last = Span::new(end, now);
    let all = [first].into_iter().chain(between).chain([last]);
    let all: Vec<Span> = all
        .filter(move |it| it.to - it.from > most || it.to == begin && it.from < it.to)
        .filter(|it| it.to > since)
        .collect();
    all.into_iter()
}
