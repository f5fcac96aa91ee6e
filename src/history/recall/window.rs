//! The recommendations that the windows can hold: those of known passes,
//! those that known outcomes require, and those of passes that nobody
//! recorded, bounded by what they did not do.

use std::collections::BTreeSet;

use crate::controller::{Bounded, Nanos, SECOND};
use crate::history::observer::{Observer, Stored};
use crate::history::span::Span;
use crate::trace::{Evidence, EvidenceKind, Notice, NoticeKind, Range};

use super::logged::Logged;
use super::outcome::{ANYTHING, Outcome, Told};
use super::rescales::{Reason, Rescale, Rescales};
use super::sizes::Sizes;
use super::written::{Normalized, Written};
use super::{CLOSER, Rules, to_timestamp};

/// How much earlier than its event a rescale's recommendation is stored: the
/// scale is written in between.
const BEFORE_EVENT: Nanos = 2 * SECOND;

/// A recommendation, or any number of them, with where it is known from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub bounded: Bounded,
    pub evidence: Evidence,
}

/// A pass that ran for certain.
#[derive(Clone, Debug)]
struct Pass {
    at: Span,
    /// What it stored; nothing where it stored none.
    told: Option<Told>,
    evidence: Evidence,
}

/// All that is known.
pub struct Known<'a> {
    pub rules: &'a Rules,
    pub now: Nanos,
    pub since: Option<Nanos>,
    pub written: &'a [Written],
    pub rescales: &'a Rescales,
    pub sizes: &'a Sizes,
    pub observer: &'a Observer,
    pub logged: &'a Logged,
    /// When the spec was last changed.
    pub spec_written: Option<Nanos>,
}

/// The recommendations, the newest first, and what does not fit together.
pub fn recommendations(known: &Known) -> (Vec<Entry>, Vec<Notice>) {
    let mut notices = Vec::new();
    let passes = known.passes(&mut notices);
    let regions = known.regions(&passes);
    let mut entries: Vec<Entry> = passes
        .iter()
        .filter_map(|pass| known.entry(pass, &passes))
        .collect();
    entries.extend(known.seed(&passes));
    let required = known.required(&passes, &entries, &regions);
    entries.extend(required);
    entries.extend(regions);
    entries.retain(|entry| entry.bounded.to >= known.horizon());
    entries.sort_by_key(|entry| std::cmp::Reverse((entry.bounded.to, entry.bounded.from)));
    (entries, notices)
}

impl Known<'_> {
    /// Nothing older counts.
    fn horizon(&self) -> Nanos {
        self.now - self.rules.longest_window() - SECOND
    }

    /// The passes that ran for certain, the oldest first.
    fn passes(&self, notices: &mut Vec<Notice>) -> Vec<Pass> {
        let mut passes: Vec<Pass> = self
            .rescales
            .known
            .iter()
            .map(|it| self.rescaled(it))
            .collect();
        let logged = self.logged.passes.iter();
        passes.extend(logged.map(|(at, replicas)| logged_pass(*at, *replicas)));
        passes.extend(self.written.iter().map(|written| {
            let told = match written.normalized() {
                Normalized::Stored(told) | Normalized::StoredOnce(told) => Some(told),
                Normalized::Nothing => None,
                Normalized::Unknown => Some(Told::NOTHING),
            };
            Pass {
                at: written.at,
                told,
                evidence: written.evidence(),
            }
        }));
        passes.retain(|pass| {
            pass.at.to >= self.horizon() - self.rules.longest_window()
                && self.since.is_none_or(|since| pass.at.to >= since)
        });
        passes.sort_by_key(|pass| pass.at);
        let mut merged: Vec<Pass> = Vec::new();
        for pass in passes {
            match merged.last_mut() {
                Some(last) if is_same_pass(last.at, pass.at, self.rules.sync_period) => {
                    last.merge(pass, notices);
                }
                _ => merged.push(pass),
            }
        }
        for pass in &mut merged {
            self.narrow(pass, notices);
        }
        merged
    }

    /// The pass of a rescale.
    fn rescaled(&self, rescale: &Rescale) -> Pass {
        let asked = match rescale.reason {
            Reason::Metrics(asked) => Some(asked),
            _ => None,
        };
        let told = match (rescale.reason, rescale.size) {
            (Reason::AboveMax | Reason::BelowMin, _) => None,
            (_, Some(size)) if !self.is_edited_since(rescale.at.from) => {
                let outcome = Outcome {
                    has_behavior: self.rules.has_behavior,
                    current: self.sizes.before(rescale.at),
                    desired: size,
                    able_to_scale: "",
                    limited: self.is_unlimited_at(rescale.at.from).then_some((false, "")),
                    asked,
                };
                Some(outcome.told())
            }
            _ => Some(Told::NOTHING),
        };
        Pass {
            at: rescale.at.widened(BEFORE_EVENT, SECOND),
            told,
            evidence: rescale.evidence(),
        }
    }

    /// What the samples say of a pass.
    fn narrow(&self, pass: &mut Pass, notices: &mut Vec<Notice>) {
        if pass.evidence.kind == EvidenceKind::ControllerLog {
            return;
        }
        let Some(told) = &mut pass.told else { return };
        match self.sampled(pass.at) {
            Some(Stored::Within(range)) => match meet(told.own, range) {
                Some(own) => told.own = own,
                None => notices.push(contradiction(
                    pass.at,
                    format!(
                        "a pass recommended {} by its outcome, {} by the inputs that were sampled",
                        text(told.own),
                        text(range)
                    ),
                    pass.evidence.clone(),
                )),
            },
            Some(Stored::None | Stored::Unknown) | None => {}
        }
    }

    /// What passes within a time would have stored, where all of it lies
    /// between samples.
    fn sampled(&self, span: Span) -> Option<Stored> {
        let mut before: Option<Nanos> = None;
        let mut joined: Option<Range> = None;
        let mut covered_to = None;
        for sample in self.observer.samples() {
            if let Some(from) = before
                && from <= span.to
                && sample.at >= span.from
            {
                if covered_to.is_none() && from > span.from {
                    return None;
                }
                match sample.since_last {
                    Stored::Within(range) => {
                        joined = Some(joined.map_or(range, |joined| joined.join(range)));
                    }
                    Stored::None => {}
                    Stored::Unknown => return Some(Stored::Unknown),
                }
                covered_to = Some(sample.at);
            }
            before = Some(sample.at);
        }
        (covered_to? >= span.to).then(|| joined.map_or(Stored::None, Stored::Within))
    }

    /// What a pass stored, within what all passes say of it.
    fn entry(&self, pass: &Pass, passes: &[Pass]) -> Option<Entry> {
        let told = pass.told.as_ref()?;
        let range = self.universal(pass.at, told.own, passes);
        Some(Entry {
            bounded: Bounded {
                replicas: range,
                from: pass.at.from,
                to: pass.at.to.min(self.now - 1),
                is_certain: true,
            },
            evidence: pass.evidence.clone(),
        })
    }

    /// Bounds that later passes set for everything that their windows held.
    fn universal(&self, at: Span, range: Range, passes: &[Pass]) -> Range {
        let mut bound = range;
        for pass in passes {
            let Some(told) = &pass.told else { continue };
            let holds = |window: Nanos| at.from > pass.at.to - window && at.to <= pass.at.from;
            if holds(self.rules.down_window) {
                bound.to = bound.to.min(told.down_at_most);
            }
            if holds(self.rules.up_window) {
                bound.from = bound.from.max(told.up_at_least);
            }
        }
        if bound.from > bound.to { range } else { bound }
    }

    /// A controller that knows nothing of an HPA begins with its size.
    fn seed(&self, passes: &[Pass]) -> Option<Entry> {
        let since = self.since.filter(|since| *since > self.horizon())?;
        let first = passes.first().map_or(self.now - 1, |pass| pass.at.to);
        let at = Span {
            from: since,
            to: first.max(since),
        };
        if let Some((at, size)) = self.logged.first
            && self.logged.start == Some(since)
        {
            return Some(Entry {
                bounded: Bounded::exactly(size, at - 1),
                evidence: log_evidence(at),
            });
        }
        Some(Entry {
            bounded: Bounded {
                replicas: self.universal(at, self.sizes.within(at), passes),
                from: at.from,
                to: at.to,
                is_certain: true,
            },
            evidence: Evidence::at(
                EvidenceKind::Status,
                to_timestamp(since),
                "a controller that starts begins with the size there is",
            ),
        })
    }

    /// What known passes require their windows to have held.
    fn required(&self, passes: &[Pass], entries: &[Entry], regions: &[Entry]) -> Vec<Entry> {
        let mut required = Vec::new();
        for pass in passes {
            let Some(told) = &pass.told else { continue };
            let all = || entries.iter().chain(regions);
            if let Some(least) = told.earlier_at_least {
                let held = pass.at.widened(self.rules.down_window, 0);
                let fits = |range: Range| Range {
                    from: range.from.max(least),
                    to: range.to,
                };
                required.extend(one_of(pass, held, all(), fits));
            }
            if let Some(most) = told.earlier_at_most {
                let held = pass.at.widened(self.rules.up_window, 0);
                let fits = |range: Range| Range {
                    from: range.from,
                    to: range.to.min(most),
                };
                required.extend(one_of(pass, held, all(), fits));
            }
        }
        required
    }

    /// The passes that nobody recorded, by the times between which the same
    /// is known of them.
    fn regions(&self, passes: &[Pass]) -> Vec<Entry> {
        let start = self
            .since
            .map_or(self.horizon(), |since| since.max(self.horizon()));
        let mut edges = BTreeSet::from([start, self.now]);
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
        for written in self.written {
            edges.extend([written.at.from, written.until]);
            edges.extend(written.unlimited_since());
        }
        for change in &self.sizes.changes {
            edges.extend([change.at.from, change.at.to]);
        }
        edges.extend(
            self.since
                .map(|since| since + self.rules.sync_period - CLOSER),
        );
        edges.insert(self.sizes.complete_since);
        edges.insert(
            self.sizes
                .complete_since
                .saturating_add(self.rules.longest_up_period),
        );
        edges.extend(self.spec_written);
        edges.extend(self.logged.covers.iter().flat_map(|it| [it.from, it.to]));
        edges.extend(self.observer.samples().map(|sample| sample.at));
        edges.retain(|edge| (start..=self.now).contains(edge));
        let edges: Vec<Nanos> = edges.into_iter().collect();
        let mut regions: Vec<Entry> = Vec::new();
        for pair in edges.windows(2) {
            let span = Span {
                from: pair[0],
                to: pair[1].min(self.now - 1),
            };
            let Some((replicas, evidence)) = self.unrecorded(span, passes) else {
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
                _ => regions.push(Entry {
                    bounded: Bounded {
                        replicas,
                        from: span.from,
                        to: span.to,
                        is_certain: false,
                    },
                    evidence,
                }),
            }
        }
        regions
    }

    /// What passes within a time can have stored; nothing where there is no
    /// room for one, or where they stored none.
    fn unrecorded(&self, span: Span, passes: &[Pass]) -> Option<(Range, Evidence)> {
        if !self.has_room(span, passes) {
            return None;
        }
        let mut range = ANYTHING;
        let mut evidence = Evidence::of(EvidenceKind::Unrecorded, "");
        if let Some(size) = self.most_by_size(span) {
            range.to = size;
        }
        match self.sampled(span) {
            Some(Stored::Within(sampled)) => {
                range = meet(range, sampled).unwrap_or(sampled);
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
                Normalized::Stored(told) => {
                    range = meet(range, told.own).unwrap_or(told.own);
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
    fn has_room(&self, span: Span, passes: &[Pass]) -> bool {
        if self
            .logged
            .covers
            .is_some_and(|it| span.from >= it.from && span.to <= it.to)
        {
            return false;
        }
        let apart = self.rules.sync_period - CLOSER;
        if apart <= 0 || self.rules.is_at_once_on_edits {
            return true;
        }
        // A controller, and a new HPA, waits a whole period before its first.
        if self.since.is_some_and(|since| span.to <= since + apart) {
            return false;
        }
        !passes
            .iter()
            .any(|pass| span.from >= pass.at.to - apart && span.to <= pass.at.from + apart)
    }

    /// The most that a pass can have recommended without a rescale: more
    /// would have led up at once.
    fn most_by_size(&self, span: Span) -> Option<i32> {
        let rules = self.rules;
        let is_held_back = rules.has_behavior && rules.up_window > 0;
        if is_held_back || self.is_edited_since(span.from) {
            return None;
        }
        let size = self.sizes.within(span).to;
        if size == i32::MAX || size == 0 {
            return None;
        }
        let is_free = || {
            let before = Span {
                from: span.from.saturating_sub(rules.longest_up_period),
                to: span.to,
            };
            let no_change = !self.sizes.changes.iter().any(|change| {
                change.is_own && change.at.to >= before.from && change.at.from <= before.to
            });
            before.from > self.sizes.complete_since && no_change && rules.can_step_up
        };
        let unlimited = self.is_unlimited_at(span.from);
        (unlimited || (size < rules.max && is_free())).then_some(size)
    }

    fn is_unlimited_at(&self, at: Nanos) -> bool {
        self.written.iter().any(|written| {
            written.unlimited_since().is_some_and(|since| since <= at) && written.until >= at
        })
    }

    fn is_edited_since(&self, at: Nanos) -> bool {
        self.spec_written.is_some_and(|written| written >= at)
    }
}

impl Pass {
    /// Two pieces of evidence of one pass.
    fn merge(&mut self, other: Self, notices: &mut Vec<Notice>) {
        let at = self.at.meet(other.at).unwrap_or(Span {
            from: self.at.from.min(other.at.from),
            to: self.at.to.max(other.at.to),
        });
        self.at = at;
        // The log tells what was, whatever else is concluded.
        let is_logged = |pass: &Self| pass.evidence.kind == EvidenceKind::ControllerLog;
        if is_logged(&other) || is_logged(self) {
            if is_logged(&other) {
                *self = other;
            }
            return;
        }
        let (Some(told), Some(more)) = (&mut self.told, other.told) else {
            // One that tells more of why nothing was stored.
            self.told = None;
            return;
        };
        match meet(told.own, more.own) {
            Some(own) => told.own = own,
            None => notices.push(contradiction(
                at,
                format!(
                    "one and the same pass recommended {} and {}",
                    text(told.own),
                    text(more.own)
                ),
                other.evidence.clone(),
            )),
        }
        told.down_at_most = told.down_at_most.min(more.down_at_most);
        told.up_at_least = told.up_at_least.max(more.up_at_least);
        told.earlier_at_least = told.earlier_at_least.max(more.earlier_at_least);
        told.earlier_at_most = match (told.earlier_at_most, more.earlier_at_most) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        if self.evidence.kind != EvidenceKind::Event {
            self.evidence = other.evidence;
        }
    }
}

/// One entry of the window fits; nothing where one is known that does.
fn one_of<'e>(
    pass: &Pass,
    held: Span,
    entries: impl Iterator<Item = &'e Entry>,
    fits: impl Fn(Range) -> Range,
) -> Option<Entry> {
    let mut found: Option<Bounded> = None;
    for entry in entries {
        let bounded = &entry.bounded;
        let (from, to) = (bounded.from.max(held.from), bounded.to.min(held.to));
        let range = fits(bounded.replicas);
        if from > to || range.from > range.to || bounded.from >= pass.at.from {
            continue;
        }
        let is_inside = bounded.from > held.from + (pass.at.to - pass.at.from);
        if bounded.is_certain && range == bounded.replicas && is_inside {
            return None;
        }
        let box_of = Bounded {
            replicas: range,
            from,
            to: to.min(pass.at.to),
            is_certain: true,
        };
        found = Some(match found {
            None => box_of,
            Some(found) => Bounded {
                replicas: found.replicas.join(box_of.replicas),
                from: found.from.min(box_of.from),
                to: found.to.max(box_of.to),
                is_certain: true,
            },
        });
    }
    found.map(|bounded| Entry {
        bounded,
        evidence: pass.evidence.clone(),
    })
}

/// A pass that the controller logged: the recommendation is stored within
/// moments of the line.
fn logged_pass(at: Nanos, replicas: i32) -> Pass {
    Pass {
        at: Span::at(at),
        told: Some(Told {
            own: Range::of(replicas.max(0)),
            ..Told::NOTHING
        }),
        evidence: log_evidence(at),
    }
}

fn log_evidence(at: Nanos) -> Evidence {
    Evidence::at(EvidenceKind::ControllerLog, to_timestamp(at), "")
}

/// Passes lie a sync period apart, so what lies closer is one.
fn is_same_pass(one: Span, other: Span, sync_period: Nanos) -> bool {
    let apart = other.from - one.to;
    apart < (sync_period - CLOSER).max(0) / 2
}

pub fn meet(one: Range, other: Range) -> Option<Range> {
    let both = Range {
        from: one.from.max(other.from),
        to: one.to.min(other.to),
    };
    (both.from <= both.to).then_some(both)
}

fn text(range: Range) -> String {
    match (range.from, range.to) {
        (from, to) if from == to => from.to_string(),
        (0, i32::MAX) => "anything".to_owned(),
        (from, i32::MAX) => format!("{from} or more"),
        (0, to) => format!("{to} or fewer"),
        (from, to) => format!("{from} to {to}"),
    }
}

fn contradiction(at: Span, says: String, source: Evidence) -> Notice {
    Notice {
        kind: NoticeKind::Contradiction,
        from: Some(to_timestamp(at.from)),
        to: to_timestamp(at.to),
        says,
        source,
    }
}
