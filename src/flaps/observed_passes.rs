//! What was found and measured at earlier passes, where a record has their
//! inputs: a burst at start-up, a surge and a fallback show only while they
//! last.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::api::TargetKind;
use crate::controller::{Memory, Prepared, Settings, reconcile_once};
use crate::document::snapshot::Snapshot;
use crate::findings::{found, owner};
use crate::trace::{Code, CodeKind, Fact, Finding, MetricRecord, Severity, Trace, ago_text};

/// What was found at the samples of a record.
#[derive(Clone, Debug, Default)]
pub struct ObservedPasses {
    observed: Vec<(Timestamp, Finding)>,
    measured: Vec<Measurements>,
}

impl ObservedPasses {
    /// Whether no sample was looked at.
    pub(crate) fn is_empty(&self) -> bool {
        self.measured.is_empty() && self.observed.is_empty()
    }

    /// Looks at a sample. Samples come in the order of time.
    pub fn note(&mut self, snapshot: &Snapshot, settings: &Settings) {
        let at = snapshot.captured_at;
        let prepared = Prepared::new(snapshot, settings);
        let pass = reconcile_once(&prepared, settings, Memory::default(), at);
        self.measured.extend(Measurements::of(&pass, at));
        if !is_worth_it(snapshot, &pass) {
            return;
        }
        let found = found(&prepared, settings, pass).into_iter().filter(|it| {
            let is_fleeting = it.severity > Severity::Info && it.code.is(CodeKind::Fleeting);
            is_fleeting || it.code.is(CodeKind::FleetingNote)
        });
        self.observed.extend(found.map(|finding| (at, finding)));
    }

    /// What the metric measured in a time that asked for most at most of the samples, and
    /// its place in the spec.
    pub(super) fn loads(&self, since: Timestamp, until: Timestamp) -> Option<(usize, Vec<Load>)> {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for it in self
            .measured
            .iter()
            .filter(|it| (since..=until).contains(&it.at))
        {
            *counts.entry(it.winner).or_default() += 1;
        }
        let (winner, _) = counts.into_iter().rev().max_by_key(|(_, count)| *count)?;
        Some((winner, self.loads_of(winner, since, until)))
    }

    /// What a metric measured in a time.
    pub(super) fn loads_of(&self, metric: usize, since: Timestamp, until: Timestamp) -> Vec<Load> {
        let measured = self.measured.iter();
        let of_time = measured.filter(|it| (since..=until).contains(&it.at));
        of_time
            .filter_map(|it| it.loads.get(&metric).copied())
            .collect()
    }

    /// The latest sighting since a moment.
    pub(super) fn latest(&self, code: Code, since: Timestamp) -> Option<&Finding> {
        let mut of_code = self.of(code, since);
        of_code.next_back().map(|(_, finding)| finding)
    }

    /// How often it was seen since a moment, and how long before `now` last.
    pub(super) fn fact(&self, code: Code, since: Timestamp, now: Timestamp) -> Option<Fact> {
        let count = self.of(code, since).count();
        let (last, _) = self.of(code, since).next_back()?;
        let ago = ago_text(now, *last, *last);
        let says = match count {
            1 => format!("in 1 sample, {ago}"),
            _ => format!("in {count} samples, the last {ago}"),
        };
        Some(Fact::new("seen in the record", says))
    }

    fn of(
        &self,
        code: Code,
        since: Timestamp,
    ) -> impl DoubleEndedIterator<Item = &(Timestamp, Finding)> {
        let observed = self.observed.iter();
        observed.filter(move |(at, finding)| *at >= since && finding.code == code)
    }
}

/// Only what asks for more pods, is in fallback, or is owned by another writer,
/// can be one of these.
fn is_worth_it(snapshot: &Snapshot, pass: &Trace) -> bool {
    let object = snapshot.scaled_object.as_ref();
    if object.is_some_and(|object| object.is("Fallback")) || owner(snapshot).is_some() {
        return true;
    }
    let recommended = pass.recommended();
    recommended.is_some_and(|recommended| recommended > pass.outcome.current_replicas)
}

/// What was measured at a sample.
#[derive(Clone, Debug)]
pub(super) struct Measurements {
    at: Timestamp,
    /// The metric that asked for most, by its place in the spec.
    winner: usize,
    /// What each measured, by its place.
    loads: BTreeMap<usize, Load>,
}

/// What a metric measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// When.
    pub at: Timestamp,
    /// Measured divided by target.
    pub ratio: f64,
    /// How many pods bring it to its target: of a metric that is compared as
    /// a whole, how many times its target it is. Absent while pods are
    /// without a sample, for what they carry is not known.
    pub amount: Option<f64>,
}

impl Measurements {
    /// Those of a pass, where a metric decided.
    pub(super) fn of(trace: &Trace, at: Timestamp) -> Option<Self> {
        let winner = trace.winner()?.index;
        let metrics = trace.metrics.iter();
        let loads = metrics.filter_map(|it| Some((it.index, load(it, at)?)));
        Some(Self {
            at,
            winner,
            loads: loads.collect(),
        })
    }
}

fn load(metric: &MetricRecord, at: Timestamp) -> Option<Load> {
    let measured = metric.measured.as_ref()?;
    let ratio = measured.ratio;
    let is_whole = metric.target?.kind == TargetKind::Value;
    let pods = i32::try_from(measured.count).map_or(f64::INFINITY, f64::from);
    let amount = if is_whole { ratio } else { ratio * pods };
    let is_full = metric.filled_in.is_none() && amount.is_finite();
    ratio.is_finite().then_some(Load {
        at,
        ratio,
        amount: is_full.then_some(amount),
    })
}
