//! The passes that nobody recorded, bounded by what they did not do.

use super::Known;
use super::pass::CertainPass;
use crate::controller::Nanos;
use crate::history::recall::restarts::{LATER_EACH, MOST_PERIODS};
use crate::history::recall::written::BEFORE_WRITE;
use crate::history::recall::{ANYTHING, CLOSER, Entry, Normalized, QueuedBy, Written, between};
use crate::history::{Span, Stored};
use crate::trace::{Evidence, EvidenceKind, Range};

/// The times in which it is known how many passes ran.
#[derive(Debug, Default)]
pub(super) struct Steady {
    /// Between two known ones.
    between: Vec<Span>,
    /// When each ran that nobody recorded.
    slots: Vec<Span>,
}

/// A pass that no edit queued.
#[derive(Clone, Copy, Debug)]
pub(super) struct Regular {
    pub at: Span,
    /// Whether all passes up to the next regular one, or up to now, are known
    /// but those that come by the period.
    pub is_steady: bool,
}

impl Steady {
    /// Whether a pass can have run within a time.
    fn has_room(&self, span: Span) -> bool {
        let is_between = |it: &Span| it.from <= span.from && span.to <= it.to;
        let overlaps = |it: &Span| it.from < span.to && span.from < it.to;
        !self.between.iter().any(is_between) || self.slots.iter().any(overlaps)
    }
}

impl Known<'_> {
    /// The passes that nobody recorded, by the times between which the same
    /// is known of them.
    pub(super) fn regions(&self, passes: &[CertainPass], steady: &Steady) -> Vec<Entry> {
        let edges = self.edges(passes, steady);
        let mut regions: Vec<Entry> = Vec::new();
        for pair in edges.windows(2) {
            let span = Span::new(pair[0], pair[1].min(self.others_until));
            let Some((replicas, evidence)) = self.unrecorded(span, passes, steady) else {
                continue;
            };
            match regions.last_mut() {
                Some(last)
                    if last.bounded.to == span.from
                        && last.bounded.replicas == replicas
                        && last.evidence == evidence =>
                {
                    last.bounded.to = span.to;
                }
                _ => regions.push(Entry::within(span, replicas, false, evidence)),
            }
        }
        regions
    }

    /// The passes that no edit queued, and for each two that follow each other
    /// whether all in between are known but those that come by the period; for
    /// the last one, whether all after it are.
    pub(super) fn regular(&self, passes: &[CertainPass]) -> Vec<Regular> {
        let mut regular: Vec<Regular> = Vec::new();
        let mut edits = 0;
        let is_steady = |one: &CertainPass, generation: Option<i64>, edits: i64| {
            let generations = generation.zip(one.generation);
            let is_reported = generations.is_some_and(|(later, own)| later - own == edits);
            !self.rules.may_be_at_once(one.at.from)
                || is_reported && one.queued_by == QueuedBy::Period
        };
        let mut one: Option<&CertainPass> = None;
        for pass in passes {
            if pass.queued_by == QueuedBy::Edit {
                edits += 1;
                continue;
            }
            if let (Some(last), Some(one)) = (regular.last_mut(), one) {
                last.is_steady = is_steady(one, pass.generation, edits);
            }
            regular.push(Regular {
                at: pass.at,
                is_steady: false,
            });
            (one, edits) = (Some(pass), 0);
        }
        if let (Some(last), Some(one)) = (regular.last_mut(), one) {
            last.is_steady = is_steady(one, self.generation, edits);
        }
        regular
    }

    /// When the passes ran that nobody recorded, as long as one process led: its
    /// passes never lay off whole sync periods, and each began a period after
    /// the one before it at the earliest.
    pub(super) fn steady(&self, regular: &[Regular]) -> Steady {
        let period = self.rules.sync_period;
        let pairs = regular.windows(2).filter(|pair| pair[0].is_steady);
        let pairs = pairs.map(|pair| (pair[0].at, pair[1].at));
        let pairs = pairs.filter_map(|(one, other)| {
            let steps = between(one.to, other.to, period)?;
            Some(steps.map(|steps| (one, other, steps)))
        });
        let Ok(pairs) = pairs.collect::<Result<Vec<_>, _>>() else {
            return Steady::default();
        };
        let is_led = |at: Nanos| self.led_until.is_some_and(|until| at <= until);
        // When a pass began at the earliest.
        let begun = |at: Span| at.from.min(at.to - BEFORE_WRITE);
        let mut steady = Steady::default();
        let is_known = !pairs.is_empty();
        for (one, other, steps) in pairs {
            if !is_led(other.from) {
                continue;
            }
            steady.between.push(Span::new(one.from, other.to));
            steady.slots.extend((1..steps).map(|step| {
                Span::new(
                    begun(one) + step * period,
                    other.to - (steps - step) * period + CLOSER,
                )
            }));
        }
        // Those after the last known one may be late by half a period, and a
        // little more each; there are no others up to the one that is awaited.
        if let Some(last) = regular.last().filter(|it| is_known && it.is_steady) {
            let slots = (1..MOST_PERIODS).map(|step| {
                Span::new(
                    begun(last.at) + step * period,
                    last.at.to + step * (period + LATER_EACH) + period / 2,
                )
            });
            let is_past = |slot: &Span| is_led(slot.to) && slot.to <= self.others_until;
            let slots: Vec<Span> = slots.take_while(is_past).collect();
            let latest = slots.last().map_or(begun(last.at), |slot| slot.from);
            if is_led(latest + period) {
                steady
                    .between
                    .push(Span::new(last.at.from, latest + period));
            }
            steady.slots.extend(slots);
        }
        steady
    }

    /// The passes that nobody recorded, and that ran for certain: a status that
    /// each of them would have written anew had it gone otherwise stayed as it
    /// was.
    pub(super) fn certain(&self, passes: &[CertainPass], steady: &Steady) -> Vec<Entry> {
        let entries = steady.slots.iter().filter_map(|span| {
            let mut written = self.written.iter();
            let has_stayed = written.any(|it| {
                let is_stored = matches!(it.normalized(), Normalized::Stored(_));
                is_stored && it.at.from <= span.from && span.to <= it.until
            });
            let unrecorded = self.unrecorded(*span, passes, steady);
            let (replicas, evidence) = unrecorded.filter(|_| has_stayed)?;
            Some(Entry::within(*span, replicas, true, evidence))
        });
        entries.collect()
    }

    /// The moments at which more or less becomes known of a pass.
    fn edges(&self, passes: &[CertainPass], steady: &Steady) -> Vec<Nanos> {
        let start = self
            .since
            .map_or(self.horizon(), |since| since.max(self.horizon()));
        let end = self.now.min(self.others_until + 1);
        let mut edges = vec![start, end];
        for pass in passes {
            let apart = self.rules.sync_period - CLOSER;
            edges.extend([
                pass.at.from,
                pass.at.to,
                pass.at.to - apart,
                pass.at.from + apart,
                pass.at.to - self.rules.down_window + 1,
                pass.at.to - self.rules.up_window + 1,
            ]);
        }
        let spans = steady.between.iter().chain(&steady.slots);
        edges.extend(spans.flat_map(|span| [span.from, span.to]));
        for written in self.written {
            edges.extend([written.at.from, written.until]);
            edges.extend(written.unlimited_since());
            edges.extend(written.able_since());
        }
        for change in &self.sizes.changes {
            edges.extend([change.at.from, change.at.to]);
        }
        edges.extend(
            self.since
                .map(|since| since + self.rules.sync_period - CLOSER),
        );
        let complete = self.sizes.complete_since;
        edges.extend([
            complete,
            complete.saturating_add(self.rules.longest_up_period),
        ]);
        edges.extend(self.rules.spec_written);
        edges.extend(self.logged.covers.iter().flat_map(|it| [it.from, it.to]));
        let sampled = self.observer.samples().rev().map(|sample| sample.at);
        edges.extend(sampled.take_while(|at| *at >= start));
        edges.retain(|edge| (start..=end).contains(edge));
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// What passes within a time can have stored; nothing where there is no
    /// room for one, or where they stored none.
    fn unrecorded(
        &self,
        span: Span,
        passes: &[CertainPass],
        steady: &Steady,
    ) -> Option<(Range, Evidence)> {
        if !self.has_room(span, passes) || !steady.has_room(span) {
            return None;
        }
        let mut range = ANYTHING;
        let mut evidence = Evidence::of(EvidenceKind::Unrecorded, "");
        if let Some(size) = self.most_by_size(span) {
            range.to = size;
        }
        match self.sampled(span) {
            Some(Stored::Within(sampled)) => {
                range = range.meet(sampled).unwrap_or(sampled);
                evidence = Evidence::of(EvidenceKind::Record, "");
            }
            Some(Stored::None) => return None,
            Some(Stored::Unknown) | None => {}
        }
        for written in self.written {
            if span.from < written.at.from || span.to > written.until {
                continue;
            }
            match written.normalized() {
                Normalized::Stored(implied) => {
                    let own = self.reported(span).and_then(|it| implied.own.meet(it));
                    let own = own.unwrap_or(implied.own);
                    range = range.meet(own).unwrap_or(own);
                    evidence = written.evidence();
                }
                Normalized::StoredOnce(_) | Normalized::Nothing if span.from >= written.at.to => {
                    return None;
                }
                Normalized::StoredOnce(_) | Normalized::Nothing | Normalized::Unknown => {}
            }
        }
        let range = self.universal(span, range, passes);
        if range == ANYTHING {
            evidence = Evidence::of(EvidenceKind::Nothing, "");
        }
        Some((range, evidence))
    }

    /// Two passes lie at least a sync period apart.
    fn has_room(&self, span: Span, passes: &[CertainPass]) -> bool {
        let covers = |it: Span| span.from >= it.from && span.to <= it.to;
        if self.logged.covers.is_some_and(covers) {
            return false;
        }
        let apart = self.rules.sync_period - CLOSER;
        if apart <= 0 || self.rules.may_be_at_once(span.from) {
            return true;
        }
        // A controller, and a new HPA, waits a whole period before its first.
        let is_waiting = |since: Nanos| span.to <= since + apart;
        if !self.rules.is_at_once_on_edits && self.since.is_some_and(is_waiting) {
            return false;
        }
        let mut passes = passes.iter();
        !passes.any(|it| span.from >= it.at.to - apart && span.to <= it.at.from + apart)
    }

    /// The most that a pass can have recommended without a rescale: more
    /// would have led up at once, unless the scale could not be written.
    fn most_by_size(&self, span: Span) -> Option<i32> {
        let rules = self.rules;
        let is_held_back = rules.has_behavior && rules.up_window > 0;
        let is_able = self.has_been(span.from, Written::able_since);
        if is_held_back || self.rules.is_edited_since(span.from) || !is_able {
            return None;
        }
        // Others can have made it larger in between, and smaller again.
        let known_since = self.sizes.others_known_since;
        if known_since.is_none_or(|since| since > span.from) {
            return None;
        }
        let size = self.sizes.within(span).to;
        if size == i32::MAX || size <= 0 {
            return None;
        }
        let is_free = || {
            let before = Span::new(span.from.saturating_sub(rules.longest_up_period), span.to);
            let no_change = !self.sizes.changes.iter().any(|change| {
                change.is_own == Some(true)
                    && change.at.to >= before.from
                    && change.at.from <= before.to
            });
            before.from > self.sizes.complete_since && no_change && rules.can_step_up
        };
        let unlimited = self.has_been(span.from, Written::unlimited_since);
        (unlimited || (size < rules.max && is_free())).then_some(size)
    }
}
