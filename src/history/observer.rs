//! What was seen of earlier passes: samples of their inputs, and the
//! controller's own log.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;

use super::recall::outcome::ANYTHING;
use super::recall::rescales::times;
use super::recall::restarts::{is_untouched, since};
use super::recall::written::BEFORE_WRITE;
use super::story::Explain;
use crate::api::{HpaSpec, HpaStatus, SUCCESSFUL_RESCALE};
use crate::controller::{
    Decision, Memory, Nanos, Prepared, SECOND, Settings, WhatIf, reconcile_autoscaler, timestamp,
};
use crate::document::snapshot::Snapshot;
use crate::history::{ControllerLog, ScrapedPass, Scrapes, Span};
use crate::trace::{Nothing, Range, ScrapedPassRecord, Story};

/// Samples older than this cannot matter: no window and no period is longer
/// than an hour.
const KEPT: Nanos = 2 * 3_600 * SECOND;
/// More samples than this are not kept, whatever their age.
const MOST_KEPT: usize = 10_000;

/// Where more metrics differ between two samples, too many mixtures of them
/// are possible.
const MOST_MIXED: usize = 6;

/// What was seen of earlier passes of one HPA. It keeps the last two hours.
#[derive(Clone, Debug, Default)]
pub struct Observer {
    samples: VecDeque<Observation>,
    pub(super) occurrences: BTreeSet<Occurrence>,
    /// The last two samples that are neighbors, the older one first.
    last: Vec<Arc<Snapshot>>,
    replay: Replay,
    pub(super) log: Option<ControllerLog>,
    scrapes: Scrapes,
    /// The passes that scrapes show.
    pub(super) passes: Vec<ScrapedPass>,
}

/// A moment of the past, by what was scraped around it.
#[derive(Debug)]
pub struct ScrapedMoment {
    /// What its pass found.
    pub snapshot: Snapshot,
    /// What was seen until then.
    pub observer: Observer,
    /// What scrapes tell of the pass.
    pub record: ScrapedPassRecord,
}

/// What passes have in common of which one is that of a moment.
fn record_of(passes: &[&ScrapedPass], base: &Snapshot) -> Option<ScrapedPassRecord> {
    let proposal = passes.iter().filter_map(|it| match it.proposal {
        Stored::Within(range) => Some(range),
        Stored::Unknown => Some(ANYTHING),
        Stored::None => None,
    });
    let of_all = |size: fn(&ScrapedPass) -> Option<i32>| {
        let all = passes.iter().map(|it| size(it).map(Range::of));
        let all: Option<Vec<Range>> = all.collect();
        all.and_then(|all| all.into_iter().reduce(Range::join))
    };
    let from = passes.iter().map(|it| it.at.from).min()?;
    let to = passes.iter().map(|it| it.at.to).max()?;
    let written = base.hpa.tuning_written();
    Some(ScrapedPassRecord {
        from: timestamp(from),
        to: timestamp(to),
        is_measured: passes.iter().all(|it| it.is_measured()),
        proposal: proposal.reduce(Range::join),
        before: of_all(|it| it.before),
        after: of_all(|it| it.after),
        behavior_unknown_before: written.filter(|written| *written > timestamp(from)),
    })
}

/// What a sample of the inputs tells.
#[derive(Clone, Debug)]
pub(super) struct Observation {
    /// When it was taken.
    pub at: Nanos,
    /// What a pass since the sample before would have recommended.
    pub since_last: Stored,
    /// The size, where it could be read.
    pub size: Option<i32>,
    /// When the HPA was created.
    pub created: Option<Timestamp>,
    /// What passes since the sample before recommended that left the status as
    /// it is here: they measured what it reports.
    pub reported: Option<Range>,
    pub spec: Arc<HpaSpec>,
    /// The status, and when it was written.
    pub status: Arc<HpaStatus>,
    pub written: Option<Timestamp>,
    /// When the spec was written, as far as that is known.
    pub spec_written: Option<Timestamp>,
    /// Whether the status says that it is about an older spec.
    pub is_of_older_spec: bool,
    /// The edit that its pass came after, where the status says so.
    pub edited: Option<Timestamp>,
}

/// What a pass stores as its recommendation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// One within these bounds.
    Within(Range),
    /// None: the metrics fail, or are not asked.
    None,
    /// Nobody knows.
    Unknown,
}

impl Stored {
    /// What was stored, where it is known.
    pub fn within(self) -> Option<Range> {
        match self {
            Self::Within(range) => Some(range),
            Self::None | Self::Unknown => None,
        }
    }
}

/// A moment at which an event was said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    /// The moment, in whole seconds.
    pub at: Timestamp,
    /// The event's message.
    pub message: String,
}

/// The memory itself, as long as every pass since the controller's first one
/// is known.
#[derive(Clone, Debug, Default)]
struct Replay {
    memory: Option<Memory>,
    last_pass: Option<Nanos>,
}

impl Observer {
    /// Takes in a sample of the inputs, taken at its `captured_at`. Samples
    /// come in the order of time; one that is older than the last is left
    /// out. `pass_at` is the moment of a pass that is known to have run on
    /// just these inputs.
    pub fn observe(
        &mut self,
        snapshot: impl Into<Arc<Snapshot>>,
        settings: &Settings,
        pass_at: Option<Timestamp>,
    ) {
        let snapshot = snapshot.into();
        let at = snapshot.captured_at.as_nanosecond();
        if self.samples.back().is_some_and(|last| last.at > at) {
            return;
        }
        if let Some(pass_at) = pass_at.map(Timestamp::as_nanosecond) {
            self.replay.pass(&snapshot, settings, pass_at);
        }
        // Where there is room for two passes, the inputs can have changed and
        // changed back.
        let last = self.last.last();
        if last.is_some_and(|it| at - it.captured_at.as_nanosecond() > settings.sync_period) {
            self.last.clear();
        }
        let since_last = match self.last.last() {
            // Every pass is known: there was none in between.
            Some(_) if self.replay.memory.is_some() && pass_at.is_some() => {
                let prepared = Prepared::new(&snapshot, settings);
                stored(&prepared, settings, at)
            }
            Some(last) => between(last, &snapshot, settings),
            None => Stored::Unknown,
        };
        let reported = reported(&self.last, &snapshot, settings);
        self.note_rescales(&snapshot);
        let hpa = &snapshot.hpa;
        let previous = self.samples.back();
        let spec = shared(previous.map(|sample| &sample.spec), &hpa.spec);
        let status = shared(previous.map(|sample| &sample.status), &hpa.status);
        self.samples.push_back(Observation {
            at,
            since_last,
            size: snapshot.size(),
            created: hpa.metadata.creation_timestamp,
            reported,
            spec,
            status,
            written: hpa.status_written(),
            spec_written: hpa.spec_written(),
            is_of_older_spec: hpa.is_status_of_older_spec(),
            edited: hpa.edited_before_status(),
        });
        if self.last.len() == 2 {
            self.last.remove(0);
        }
        self.last.push(snapshot);
        self.prune(at);
    }

    /// A time that nothing was sampled of: what lies before is no neighbour
    /// of what follows.
    pub fn gap(&mut self) {
        self.last.clear();
        self.replay = Replay::default();
    }

    /// Takes in what the controller itself has logged.
    pub fn read_log(&mut self, log: ControllerLog) {
        self.log = Some(log);
    }

    /// Takes in what a Prometheus has scraped. It tells of sizes and specs, and
    /// nothing of what a pass ran on.
    pub fn read_scrapes(&mut self, scrapes: Scrapes) {
        self.scrapes = scrapes;
    }

    /// What scrapes tell of the pass of a moment, and what was seen until then;
    /// nothing where no scrape is near.
    pub fn scraped_moment(
        &self,
        base: &Snapshot,
        settings: &Settings,
        at: Timestamp,
    ) -> Option<ScrapedMoment> {
        let passes = self.scrapes.passes(base, settings);
        self.moment(&passes, base, settings, at)
    }

    /// The same of passes that are known.
    pub(super) fn moment(
        &self,
        passes: &[ScrapedPass],
        base: &Snapshot,
        settings: &Settings,
        at: Timestamp,
    ) -> Option<ScrapedMoment> {
        let moment = at.as_nanosecond();
        let of_then = |pass: &&ScrapedPass| pass.at.from <= moment && moment <= pass.at.to;
        let first = passes.iter().position(|it| of_then(&it))?;
        let own: Vec<&ScrapedPass> = passes.iter().filter(of_then).collect();
        let record = record_of(&own, base)?;
        let shown = own.into_iter().max_by_key(|it| it.is_measured())?;
        let snapshot = self.scrapes.inputs(shown, base, settings, at)?;
        let mut observer = self.clone();
        observer.passes = passes[..first].to_vec();
        Some(ScrapedMoment {
            snapshot,
            observer,
            record,
        })
    }

    /// What happened between two moments, by what was scraped; with the passes where
    /// they can be explained.
    pub fn story(
        &self,
        base: &Snapshot,
        settings: &Settings,
        times: (Timestamp, Timestamp),
        explain: Option<&Explain>,
    ) -> Story {
        let passes = self.scrapes.passes(base, settings);
        let of_passes = explain.map(|it| self.scraped_story(&passes, base, settings, times, it));
        self.scrapes
            .story(&passes, base, times, of_passes.unwrap_or_default())
    }

    /// What a Prometheus has scraped.
    pub fn scrapes(&self) -> &Scrapes {
        &self.scrapes
    }

    /// The samples, the oldest first.
    pub(super) fn samples(&self) -> impl DoubleEndedIterator<Item = &Observation> {
        self.samples.iter()
    }

    /// What samples up to a moment showed, from when on each.
    pub(super) fn shown<T: PartialEq>(
        &self,
        until: Timestamp,
        of: impl Fn(&Observation) -> T,
    ) -> Vec<(Timestamp, T)> {
        let mut shown: Vec<(Timestamp, T)> = Vec::new();
        let until = until.as_nanosecond();
        for sample in self.samples.iter().take_while(|it| it.at <= until) {
            let value = of(sample);
            if shown.last().is_none_or(|(_, last)| *last != value) {
                shown.push((timestamp(sample.at), value));
            }
        }
        shown
    }

    /// The samples from the first one after a time began, each with the moment
    /// of the one before it; nothing where the time began before all samples.
    pub(super) fn samples_around(
        &self,
        span: Span,
    ) -> Option<impl Iterator<Item = (Nanos, &Observation)>> {
        let is_moment = span.from == span.to;
        let is_before =
            |sample: &Observation| sample.at < span.from || (sample.at == span.from && !is_moment);
        let first = self.samples.partition_point(is_before);
        let before = self.samples.range(first.checked_sub(1)?..);
        let after = self.samples.range(first..);
        Some(before.map(|sample| sample.at).zip(after))
    }

    /// The memory itself at `now`, where every pass before is known.
    pub(super) fn replayed(&self, settings: &Settings, now: Nanos) -> Option<&Memory> {
        let memory = self.replay.memory.as_ref()?;
        let last = self.replay.last_pass?;
        follows(last, now, settings).then_some(memory)
    }

    fn note_rescales(&mut self, snapshot: &Snapshot) {
        for event in snapshot.own_events() {
            if event.reason != SUCCESSFUL_RESCALE {
                continue;
            }
            let Some((first, last, _)) = times(event) else {
                continue;
            };
            // Of a merged event that counts several, the first moment is that of
            // another message.
            let is_merged = event.message.starts_with('(');
            let moments = [first, last].into_iter().skip(usize::from(is_merged));
            self.occurrences.extend(moments.map(|at| Occurrence {
                at,
                message: event.message.clone(),
            }));
        }
    }

    fn prune(&mut self, now: Nanos) {
        let is_old = |at: Nanos| at < now - KEPT;
        while self.samples.len() > MOST_KEPT
            || self.samples.front().is_some_and(|sample| is_old(sample.at))
        {
            self.samples.pop_front();
        }
        self.occurrences
            .retain(|occurrence| !is_old(occurrence.at.as_nanosecond()));
    }
}

impl Replay {
    /// Runs a pass that is known, on what was remembered before it.
    fn pass(&mut self, snapshot: &Snapshot, settings: &Settings, at: Nanos) {
        let last = self.last_pass;
        if !last.is_some_and(|last| follows(last, at, settings)) {
            self.memory = is_first(snapshot, settings, at).then(Memory::empty);
        }
        self.last_pass = Some(at);
        if let Some(memory) = &mut self.memory {
            let prepared = Prepared::new(snapshot, settings);
            reconcile_autoscaler(&prepared, settings, memory, at, &mut Nothing);
        }
        self.memory.take_if(|memory| !memory.is_known());
    }
}

/// Whether there is no room for another pass between two: the controller
/// lets a whole period go by after each.
fn follows(earlier: Nanos, later: Nanos, settings: &Settings) -> bool {
    later > earlier && later - earlier < 2 * settings.sync_period
}

/// Whether there is no room for a pass before this one.
fn is_first(snapshot: &Snapshot, settings: &Settings, at: Nanos) -> bool {
    if is_untouched(snapshot) {
        return true;
    }
    since(snapshot).is_some_and(|since| {
        let start = since.at.as_nanosecond();
        at >= start && at - start < 2 * settings.sync_period
    })
}

pub(super) fn shared<T: Clone + PartialEq>(previous: Option<&Arc<T>>, value: &T) -> Arc<T> {
    match previous {
        Some(previous) if **previous == *value => previous.clone(),
        _ => Arc::new(value.clone()),
    }
}

/// What a pass of a moment on these inputs stores.
fn stored(prepared: &Prepared, settings: &Settings, at: Nanos) -> Stored {
    let mut memory = Memory::empty();
    let decision = reconcile_autoscaler(prepared, settings, &mut memory, at, &mut Nothing);
    match decision {
        Decision {
            recommendation: Some(recommendation),
            ..
        } => Stored::Within(Range::of(recommendation)),
        // What we may not read leaves no memory behind.
        _ if !memory.is_known() => Stored::Unknown,
        _ => Stored::None,
    }
}

/// Puts a part of one sample into another, and tells whether it was other there.
type Take<'t> = Box<dyn Fn(&mut Snapshot, &Snapshot) -> bool + 't>;

fn put<T: Clone + PartialEq>(to: &mut T, from: &T) -> bool {
    let is_other = to != from;
    if is_other {
        to.clone_from(from);
    }
    is_other
}

/// Visits all that a pass can have found that read each part of its inputs as one of
/// some samples has it.
fn mix(
    mixed: &mut Snapshot,
    samples: &[&Snapshot],
    parts: &[Take],
    visit: &mut dyn FnMut(&Snapshot),
) {
    let Some((take, rest)) = parts.split_first() else {
        return visit(mixed);
    };
    for (at, sample) in samples.iter().enumerate() {
        if take(mixed, sample) || at == 0 {
            mix(mixed, samples, rest, visit);
        }
    }
}

/// What a pass between two samples can have stored: its inputs are those of
/// the one or of the other, each of them.
fn between(last: &Snapshot, next: &Snapshot, settings: &Settings) -> Stored {
    let (one, other) = (&last.metrics, &next.metrics);
    let custom = different(&one.custom, &other.custom);
    let external = different(&one.external, &other.external);
    if custom.len() + external.len() > MOST_MIXED {
        return Stored::Unknown;
    }
    let mut parts: Vec<Take> = vec![
        Box::new(|to, from| put(&mut to.pods, &from.pods)),
        Box::new(|to, from| put(&mut to.scale, &from.scale)),
    ];
    if last.hpa.spec == next.hpa.spec {
        // The controller asks for one metric after the other.
        parts.push(Box::new(|to, from| {
            put(&mut to.metrics.resource, &from.metrics.resource)
        }));
        for at in custom {
            parts.push(Box::new(move |to, from| {
                put(&mut to.metrics.custom[at], &from.metrics.custom[at])
            }));
        }
        for at in external {
            parts.push(Box::new(move |to, from| {
                put(&mut to.metrics.external[at], &from.metrics.external[at])
            }));
        }
    } else {
        parts.push(Box::new(|to, from| put(&mut to.metrics, &from.metrics)));
        parts.push(Box::new(|to, from| put(&mut to.hpa.spec, &from.hpa.spec)));
    }
    let samples = [next, last];
    // What a pass counts depends on its moment as well.
    let times = samples.map(|it| it.captured_at.as_nanosecond());
    let mut all = Vec::new();
    mix(&mut next.clone(), &samples, &parts, &mut |mixed| {
        let prepared = Prepared::new(mixed, settings);
        all.extend(times.map(|at| stored(&prepared, settings, at)));
    });
    join(&all)
}

/// What passes between the last sample and the next recommended that left the
/// next one's status: they measured what it reports, with the pods and the size
/// of a sample. One that wrote its status right after a sample may have read
/// its inputs before it.
fn reported(last: &[Arc<Snapshot>], next: &Snapshot, settings: &Settings) -> Option<Range> {
    let status = &next.hpa.status;
    let written = next.hpa.status_written()?;
    let (newest, older) = last.split_last()?;
    let is_old = |it: &Snapshot| {
        let hpa = &it.hpa;
        hpa.status == *status && hpa.status_written() == Some(written)
    };
    let begun = written.as_nanosecond() - BEFORE_WRITE;
    let is_before = !is_old(newest) && begun < newest.captured_at.as_nanosecond();
    let rescaled = (!is_old(newest)).then(|| before_rescale(newest, next));
    let next = rescaled.as_ref().unwrap_or(next);
    // A pass on an edited spec came after all that was sampled before the edit.
    let observed = status.observed_generation;
    let generation = |it: &Snapshot| it.hpa.metadata.generation;
    let is_its_spec = |it: &Snapshot| observed.is_none() || generation(it) == observed;
    let mut samples = vec![next, &**newest];
    let older = older.iter().map(|it| &**it);
    samples.extend(older.filter(|it| is_before && is_its_spec(it)));
    let parts: [Take; 4] = [
        Box::new(|to, from| put(&mut to.pods, &from.pods)),
        Box::new(|to, from| put(&mut to.metrics, &from.metrics)),
        Box::new(|to, from| put(&mut to.scale, &from.scale)),
        Box::new(|to, from| {
            let (to, from) = (&mut to.hpa, &from.hpa);
            let is_other = put(&mut to.metadata.generation, &from.metadata.generation);
            put(&mut to.spec, &from.spec) || is_other
        }),
    ];
    let times = samples.iter().map(|it| it.captured_at.as_nanosecond());
    let mut range: Option<Range> = None;
    mix(&mut next.clone(), &samples, &parts, &mut |mixed| {
        if !is_its_spec(mixed) {
            return;
        }
        let (prepared, spec) = (Prepared::new(mixed, settings), &mixed.hpa.spec);
        let proposals = times.clone().filter_map(|now| {
            let what_if = WhatIf::new(&prepared, settings, now, &BTreeSet::new())?;
            let is_its_size = what_if.size() == status.current_replicas;
            let reported = is_its_size.then(|| what_if.as_reported(spec, &status.current_metrics));
            Some(reported??.0)
        });
        range = proposals.chain(range).reduce(Range::join);
    });
    range
}

/// What a pass saw of the pods whose status is the next one: where it changed the
/// size, and just as many pods are gone, or no more have come, that came of it.
fn before_rescale(newest: &Snapshot, next: &Snapshot) -> Snapshot {
    let mut before = next.clone();
    let status = &next.hpa.status;
    if !status.has_rescaled() {
        return before;
    }
    let names = |snapshot: &Snapshot| -> BTreeSet<String> {
        let pods = snapshot.pods.iter();
        pods.map(|pod| pod.metadata.name.to_string()).collect()
    };
    let (old, new) = (names(newest), names(next));
    let count = |names: &BTreeSet<String>, others: &BTreeSet<String>| {
        i64::try_from(names.difference(others).count()).unwrap_or(i64::MAX)
    };
    let (gone, came) = (count(&old, &new), count(&new, &old));
    let change = i64::from(status.desired_replicas) - i64::from(status.current_replicas);
    let is_own = (gone == 0 && came <= change) || (came == 0 && gone == -change);
    if !is_own {
        return before;
    }
    let is_new = |name: &str| !old.contains(name);
    let is_gone = |name: &str| !new.contains(name);
    before.pods.retain(|pod| !is_new(&pod.metadata.name));
    let pods = newest.pods.iter().cloned();
    before
        .pods
        .extend(pods.filter(|pod| is_gone(&pod.metadata.name)));
    if let Some(samples) = before.metrics.samples_mut() {
        samples.retain(|item| !is_new(&item.metadata.name));
        let newest = newest.metrics.samples().iter();
        let gone = newest.filter(|item| is_gone(&item.metadata.name));
        samples.extend(gone.cloned());
    }
    before
}

/// The metrics, by their place, that have another answer.
fn different<T: PartialEq>(last: &[T], next: &[T]) -> Vec<usize> {
    let pairs = last.iter().zip(next).enumerate();
    let different = pairs.filter(|(_, (last, next))| last != next);
    different.map(|(at, _)| at).collect()
}

/// What is true of all.
fn join(all: &[Stored]) -> Stored {
    if all.contains(&Stored::Unknown) {
        return Stored::Unknown;
    }
    let ranges = all.iter().filter_map(|it| it.within());
    ranges
        .reduce(Range::join)
        .map_or(Stored::None, Stored::Within)
}
