//! What the metrics measured at the samples of a record, as loads.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::trace::{MetricRecord, TargetKind, Trace};

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

/// The loads of the metric that asked for most at most of the samples since a
/// moment, and its place in the spec.
pub(super) fn of_winner(
    all: &[Measurements],
    since: Timestamp,
    until: Timestamp,
) -> Option<(usize, Vec<Load>)> {
    let of_time = || all.iter().filter(|it| (since..=until).contains(&it.at));
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for it in of_time() {
        *counts.entry(it.winner).or_default() += 1;
    }
    let (winner, _) = counts.into_iter().rev().max_by_key(|(_, count)| *count)?;
    Some((winner, of_metric(all, winner, since, until)))
}

/// The loads of a metric in a time.
pub(super) fn of_metric(
    all: &[Measurements],
    index: usize,
    since: Timestamp,
    until: Timestamp,
) -> Vec<Load> {
    let of_time = all.iter().filter(|it| (since..=until).contains(&it.at));
    of_time
        .filter_map(|it| it.loads.get(&index).copied())
        .collect()
}
