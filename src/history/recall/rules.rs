//! The rules that decide what is remembered, and for how long it counts.

use std::sync::Arc;

use crate::api::{Behavior, HpaSpec, ScalingRules};
use crate::controller::{Nanos, SECOND, Settings};
use crate::document::snapshot::Snapshot;
use crate::history::recall::CLOSER;
use crate::history::{Observer, Span};

/// The rules that decide what is remembered, and for how long it counts.
#[derive(Clone, Debug)]
pub struct MemoryRules {
    /// Whether the spec has a `behavior`.
    pub has_behavior: bool,
    /// The stabilization windows.
    pub up_window: Nanos,
    pub down_window: Nanos,
    /// The longest periods of the policies each way.
    pub longest_up_period: Nanos,
    pub longest_down_period: Nanos,
    /// How far back changes can count: as far as the longest period does, or
    /// that of a spec that is thought of.
    pub reach: Nanos,
    /// How far back recommendations can be there: as far as the windows hold
    /// them, or those of a spec that is thought of where earlier ones can have
    /// held them.
    pub kept: Nanos,
    /// Whether the policies always allow a step up, unless changes use it up.
    pub can_step_up: bool,
    /// `maxReplicas`.
    pub max: i32,
    /// The time between two passes.
    pub sync_period: Nanos,
    /// Whether an edit leads to a pass at once (1.37 and later).
    pub is_at_once_on_edits: bool,
    /// When the spec was last changed, as far as that is known.
    pub spec_written: Option<Nanos>,
    /// From when on samples show a `behavior`, whatever it was.
    behavior_from: Nanos,
    /// The longer windows of older specs, each with the time in which it may
    /// have applied, as far as samples show them.
    older: Vec<(Span, Nanos)>,
}

impl MemoryRules {
    /// The rules of the HPA, and since when they have been what they are.
    pub fn new(snapshot: &Snapshot, settings: &Settings, observer: &Observer) -> Self {
        let spec = &snapshot.hpa.spec;
        let (up_window, down_window) = settings.windows(spec);
        let behavior = spec.behavior.as_ref();
        let up = behavior.and_then(|it| it.scale_up.as_ref());
        let down = behavior.and_then(|it| it.scale_down.as_ref());
        let longest = |rules: Option<&ScalingRules>| rules.map_or(0, longest_period);
        let (longest_up_period, longest_down_period) = (longest(up), longest(down));
        Self {
            has_behavior: behavior.is_some(),
            up_window,
            down_window,
            longest_up_period,
            longest_down_period,
            reach: longest_up_period.max(longest_down_period),
            kept: up_window.max(down_window),
            can_step_up: behavior.is_none() || up.is_none_or(|up| !up.is_disabled()),
            max: spec.max_replicas,
            sync_period: settings.sync_period,
            is_at_once_on_edits: settings.gates.generation,
            spec_written: spec_written(snapshot, observer),
            behavior_from: behavior_from(observer),
            older: older_windows(spec, settings, observer),
        }
    }

    /// The same rules, for a pass under another spec: what is remembered is
    /// by these, how much of it counts is by that spec.
    ///
    /// A pass writes over one slot that has left the windows: the last to leave
    /// them is there until the next pass, and what windows of before an edit
    /// held can be there for long.
    pub fn reaching(self, spec: &HpaSpec, settings: &Settings, now: Nanos) -> Self {
        let window = settings.longest_window(spec);
        let kept = if self.is_edited_since(now - window - SECOND) {
            self.kept.max(window)
        } else {
            let last = self.kept + self.sync_period + CLOSER;
            self.kept.max(window.min(last))
        };
        let directions = spec.behavior.iter().flat_map(Behavior::directions);
        let periods = directions.map(|(_, rules)| longest_period(rules));
        Self {
            reach: periods.fold(self.reach, Nanos::max),
            kept,
            ..self
        }
    }

    /// What came earlier neither counts in a pass of a moment nor explains it.
    pub fn counts_from(&self, now: Nanos) -> Nanos {
        now - self.kept.max(self.reach) - 60 * SECOND
    }

    /// Whether a recommendation of a moment is still there: its slot is free
    /// for another as soon as no window of its time holds it, even where the
    /// windows have grown since.
    pub fn is_kept(&self, at: Nanos) -> bool {
        if !self.is_edited_since(at) {
            return true;
        }
        let is_observed = self.older.first().is_some_and(|(span, _)| span.from <= at);
        let holds = |(span, window): &(Span, Nanos)| span.to - at <= *window;
        let later = self.older.iter().filter(|(span, _)| span.to >= at);
        is_observed && later.clone().all(holds)
    }

    /// Whether a rescale of the moment can be remembered: without `behavior`
    /// nothing is.
    pub fn can_have_had_behavior(&self, at: Nanos) -> bool {
        self.has_behavior || self.is_edited_since(at)
    }

    /// Whether a rescale of the moment was remembered.
    pub fn had_behavior(&self, at: Nanos) -> bool {
        self.has_behavior && (!self.is_edited_since(at) || at >= self.behavior_from)
    }

    /// The longer of the two windows.
    pub fn longest_window(&self) -> Nanos {
        self.up_window.max(self.down_window)
    }

    /// Whether a pass of a moment or later can lie less than a sync period from
    /// another: one that an edit queued.
    pub fn may_be_at_once(&self, at: Nanos) -> bool {
        let is_edited = |written: Nanos| written >= at - self.sync_period;
        self.is_at_once_on_edits && self.spec_written.is_none_or(is_edited)
    }

    /// Whether the spec was changed at a moment or later.
    pub fn is_edited_since(&self, at: Nanos) -> bool {
        self.spec_written.is_some_and(|written| written >= at)
    }
}

fn longest_period(rules: &ScalingRules) -> Nanos {
    Nanos::from(rules.longest_period()) * SECOND
}

/// When the spec last changed, as far as that is known: by who wrote it, or
/// by samples that differ.
fn spec_written(snapshot: &Snapshot, observer: &Observer) -> Option<Nanos> {
    let hpa = &snapshot.hpa;
    let reported = hpa.spec_written().map(|at| Span::second(at).to);
    // Most samples share their spec with the one after them.
    let mut later: Option<&Arc<HpaSpec>> = None;
    let mut earlier = observer.samples().rev();
    let edited = earlier.find_map(|it| {
        let is_known = later.replace(&it.spec) == Some(&it.spec);
        (!is_known && *it.spec != hpa.spec).then_some(it.at)
    });
    reported.max(edited)
}

/// The specs that samples show before the one of now, from first to last.
fn older_windows(spec: &HpaSpec, settings: &Settings, observer: &Observer) -> Vec<(Span, Nanos)> {
    let mut older: Vec<(Span, Nanos)> = Vec::new();
    let mut before: Option<(Nanos, &Arc<HpaSpec>)> = None;
    for sample in observer.samples() {
        let is_same = before.is_some_and(|(_, known)| *known == sample.spec);
        if let Some((last, _)) = older.last_mut() {
            last.to = sample.at;
        }
        if !is_same {
            // It was changed at some time since the sample before.
            let from = before.map_or(sample.at, |(at, _)| at);
            let span = Span::new(from, sample.at);
            older.push((span, settings.longest_window(&sample.spec)));
        }
        before = Some((sample.at, &sample.spec));
    }
    if before.is_some_and(|(_, last)| **last == *spec) {
        older.pop();
    }
    older
}

/// From when on every sample shows a `behavior`.
fn behavior_from(observer: &Observer) -> Nanos {
    let samples = observer.samples().rev();
    let with = samples.take_while(|sample| sample.spec.behavior.is_some());
    with.last().map_or(Nanos::MAX, |sample| sample.at)
}
