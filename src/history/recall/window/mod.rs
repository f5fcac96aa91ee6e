//! The recommendations that the windows can hold: those of known passes,
//! those that known outcomes require, and those of passes that nobody
//! recorded, bounded by what they did not do.

mod pass;
mod required;
mod unrecorded;

use crate::controller::{Bounded, Nanos, SECOND};
use crate::history::observer::{Observation, Observer, Stored};
use crate::history::span::Span;
use crate::trace::{Evidence, Notice, Range};

use super::MemoryRules;
use super::logged::Logged;
use super::rescales::Rescales;
use super::sizes::Sizes;
use super::written::Written;

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
    let mut entries: Vec<Entry> = passes
        .iter()
        .filter_map(|pass| known.entry(pass, &passes))
        .collect();
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
        match self.joined(span, reported)? {
            Stored::Within(range) => Some(range),
            Stored::None | Stored::Unknown => None,
        }
    }

    fn joined(&self, span: Span, stored: impl Fn(&Observation) -> Stored) -> Option<Stored> {
        let mut joined: Option<Range> = None;
        let mut covered_to = None;
        for (from, sample) in self.observer.samples_around(span)? {
            if covered_to.is_some() && from >= span.to {
                break;
            }
            match stored(sample) {
                Stored::Within(range) => {
                    joined = Some(joined.map_or(range, |joined| joined.join(range)));
                }
                Stored::None => {}
                Stored::Unknown => return Some(Stored::Unknown),
            }
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
