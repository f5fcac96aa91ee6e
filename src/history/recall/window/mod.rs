//! The recommendations that the windows can hold: those of known passes,
//! those that known outcomes require, and those of passes that nobody
//! recorded, bounded by what they did not do.

mod pass;
mod unrecorded;

use crate::api::ConditionReason;
use crate::controller::{Bounded, Nanos, SECOND, timestamp};
use crate::history::recall::{Logged, MemoryRules, Rescales, Sizes, Written};
use crate::history::{Observation, Observer, Span, Stored};
use crate::trace::{Evidence, EvidenceKind, Notice, Range};
use pass::{Beat, CertainPass};

/// A recommendation, or any number of them, with where it is known from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub bounded: Bounded,
    pub evidence: Evidence,
}

impl Entry {
    /// What was stored at one moment of a time, if that is certain, or else any
    /// number of times in it.
    pub fn within(at: Span, replicas: Range, is_certain: bool, evidence: Evidence) -> Self {
        let bounded = Bounded {
            replicas,
            from: at.from,
            to: at.to,
            is_certain,
        };
        Self { bounded, evidence }
    }
}

pub struct Known<'a> {
    pub rules: &'a MemoryRules,
    pub now: Nanos,
    /// Until when passes can have run.
    pub others_until: Nanos,
    /// When the next pass is, where that is asked for.
    pub next: Option<Nanos>,
    pub since: Option<Nanos>,
    /// Since when the process leads, and until when it is known to have led.
    pub led_since: Option<Nanos>,
    pub led_until: Option<Nanos>,
    /// The generation of the spec.
    pub generation: Option<i64>,
    /// Since when the scale can be read and written.
    pub able_since: Option<Nanos>,
    pub written: &'a [Written],
    pub rescales: &'a Rescales,
    pub sizes: &'a Sizes,
    pub observer: &'a Observer,
    pub logged: &'a Logged,
}

/// The recommendations, the newest first, what does not fit together, and the
/// beat of the passes.
pub fn recommendations(known: &Known) -> (Vec<Entry>, Vec<Notice>, Option<Beat>) {
    let mut notices = Vec::new();
    let passes = known.passes(&mut notices);
    let regular = known.regular(&passes);
    let steady = known.steady(&regular);
    let regions = known.regions(&passes, &steady);
    let entries = passes.iter().filter_map(|it| known.entry(it, &passes));
    let mut entries: Vec<Entry> = entries.collect();
    entries.extend(known.seed(&passes));
    entries.extend(known.certain(&passes, &steady));
    let required = known.required(&passes, &entries, &regions);
    entries.extend(required);
    entries.extend(regions);
    entries.retain(|entry| entry.bounded.to >= known.horizon());
    for entry in &mut entries {
        // The slot of the latest pass is free for none but the next.
        let rules = known.rules;
        let held = (rules.longest_window() + SECOND).max(rules.sync_period);
        let is_held = entry.bounded.to >= known.now - held;
        entry.bounded.is_certain &= is_held && rules.is_kept(entry.bounded.from);
    }
    let beat = known.beat(&regular, &passes);
    if let Some(beat) = &beat {
        beat.settle(&mut entries);
    }
    entries.sort_by_key(|entry| std::cmp::Reverse((entry.bounded.to, entry.bounded.from)));
    (entries, notices, beat)
}

impl Known<'_> {
    /// Nothing older counts.
    fn horizon(&self) -> Nanos {
        self.now - self.rules.kept - SECOND
    }

    /// What passes within a time would have stored, where all of it lies
    /// between samples.
    fn sampled(&self, span: Span) -> Option<Stored> {
        self.joined(span, |sample| sample.since_last)
    }

    /// What passes within a time recommended that left the status as it was,
    /// by what it reports of the metrics.
    fn reported(&self, span: Span) -> Option<Range> {
        let reported =
            |sample: &Observation| sample.reported.map_or(Stored::Unknown, Stored::Within);
        self.joined(span, reported)?.within()
    }

    fn joined(&self, span: Span, stored: impl Fn(&Observation) -> Stored) -> Option<Stored> {
        let mut joined: Option<Range> = None;
        let mut covered_to = None;
        for (from, sample) in self.observer.samples_around(span)? {
            if covered_to.is_some() && from >= span.to {
                break;
            }
            let stored = stored(sample);
            if stored == Stored::Unknown {
                return Some(stored);
            }
            joined = stored
                .within()
                .into_iter()
                .chain(joined)
                .reduce(Range::join);
            covered_to = Some(sample.at);
        }
        (covered_to? >= span.to).then(|| joined.map_or(Stored::None, Stored::Within))
    }

    /// Bounds that later passes set for everything that their windows held.
    fn universal(&self, at: Span, range: Range, passes: &[CertainPass]) -> Range {
        let mut bound = range;
        for pass in passes {
            let Some(implied) = &pass.implied else {
                continue;
            };
            let holds = |window: Nanos| at.from > pass.at.to - window && at.to <= pass.at.from;
            if holds(self.rules.down_window) {
                bound.to = bound.to.min(implied.down_at_most);
            }
            if holds(self.rules.up_window) {
                bound.from = bound.from.max(implied.up_at_least);
            }
        }
        if bound.from > bound.to { range } else { bound }
    }

    /// Whether a pass that changed the size did so without a limit. What was
    /// written before it tells nothing of that, even if it was seen last in
    /// the very second of the pass.
    fn rescaled_unlimited(&self, at: Span) -> bool {
        let mut later = self.written.iter().filter(|it| it.at.to >= at.from);
        later.any(|it| it.unlimited_since().is_some_and(|since| since <= at.from))
    }

    /// Whether a status tells that something had begun by then and still was.
    fn has_been(&self, at: Nanos, since: impl Fn(&Written) -> Option<Nanos>) -> bool {
        let mut written = self.written.iter();
        written.any(|it| since(it).is_some_and(|since| since <= at) && it.until >= at)
    }
}

/// How long after its start a controller runs its first pass at the latest.
const FIRST_PASS: Nanos = 300 * SECOND;

impl Known<'_> {
    /// A controller that knows nothing of an HPA begins with its size, as
    /// soon as it can read it.
    fn seed(&self, passes: &[CertainPass]) -> Option<Entry> {
        let since = self.since?;
        let at = Span::new(since, self.read_by(since).max(since));
        if let Some((at, size)) = self.logged.first
            && self.logged.start == Some(since)
        {
            return Some(Entry {
                bounded: Bounded::exactly(size, at - 1),
                evidence: Evidence::at(EvidenceKind::FirstSize, timestamp(at), ""),
            });
        }
        let replicas = self.universal(at, self.sizes.within(at), passes);
        let evidence = Evidence::at(EvidenceKind::FirstSize, timestamp(since), "");
        Some(Entry::within(at, replicas, true, evidence))
    }

    /// By when a controller that began at a moment has read the scale: the
    /// target may have been missing for long.
    fn read_by(&self, since: Nanos) -> Nanos {
        let written = self.written.iter();
        let observed = written.filter(|it| it.able_to_scale() != ConditionReason::FailedGetScale);
        let observed = observed.map(|it| it.at);
        let rescaled = self.rescales.known.iter();
        let rescaled = rescaled.map(|it| it.at.widened(0, SECOND));
        let logged = self.logged.passes.iter().map(|(at, _)| Span::at(*at));
        let read = observed.chain(rescaled).chain(logged);
        let read = read.filter(|at| self.is_since(*at, since)).map(|at| at.to);
        let first = since + FIRST_PASS;
        let able = self.able_since;
        let able = able.map(|able| if able > since { able } else { first });
        read.chain(able).min().unwrap_or(self.now).min(self.now - 1)
    }

    /// What known passes require their windows to have held.
    fn required(&self, passes: &[CertainPass], entries: &[Entry], regions: &[Entry]) -> Vec<Entry> {
        let mut required = Vec::new();
        for pass in passes {
            let Some(implied) = &pass.implied else {
                continue;
            };
            let all = || entries.iter().chain(regions);
            if let Some(least) = implied.earlier_at_least {
                let held = pass.at.widened(self.rules.down_window, 0);
                let fits = |range: Range| Range::new(range.from.max(least), range.to);
                required.extend(one_of(pass, held, all(), fits));
            }
            if let Some(most) = implied.earlier_at_most {
                let held = pass.at.widened(self.rules.up_window, 0);
                let fits = |range: Range| Range::new(range.from, range.to.min(most));
                required.extend(one_of(pass, held, all(), fits));
            }
        }
        required
    }
}

/// One entry of the window fits; nothing where one is known that does.
fn one_of<'e>(
    pass: &CertainPass,
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
