//! What each metric asked for over a time, by all passes that are known, from
//! whatever source.

use std::sync::Arc;

use jiff::Timestamp;

use super::recall::logged::logged;
use crate::api::{HpaSpec, HpaStatus, MetricSpec, MetricStatus, Quantity};
use crate::controller::{Nanos, SECOND, Settings, timestamp};
use crate::document::snapshot::Snapshot;
use crate::history::{Observer, Stored};
use crate::trace::{Bounds, EvidenceKind, Range};

/// So long back it is looked at; a record is kept for no longer.
const REACH: Nanos = 2 * 3_600 * SECOND;
/// Over a longer time without a pass that is known nothing is concluded.
const LONGEST: Nanos = 150 * SECOND;

/// What a metric asked for under the bounds and the target of now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastProposals {
    /// The first pass that is known.
    pub from: Timestamp,
    /// The last one.
    pub to: Timestamp,
    /// The least and the most that it can have asked for in any of them.
    pub replicas: Range,
    /// The least and the most that it was at, in percent or in thousandths as its
    /// target has it, as far as a status tells.
    pub values: Option<(i64, i64)>,
    /// Where this is from, each once.
    pub sources: Vec<EvidenceKind>,
}

/// A pass, as far as it is known.
struct KnownPass {
    at: Nanos,
    source: EvidenceKind,
    /// What the metrics asked for.
    proposal: Stored,
    /// Whether it was seen itself; of one that another followed before the next
    /// scrape, only that counts which it must have asked for.
    is_observed: bool,
    /// The metric that decided.
    winner: Option<usize>,
    spec: Arc<HpaSpec>,
    /// What it reported; a log has none.
    status: Option<Arc<HpaStatus>>,
}

/// What each metric of the spec asked for in the two hours before a moment: since
/// its target or the bounds were edited, and since the last time that nothing
/// tells of.
pub fn past_proposals(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> Vec<Option<PastProposals>> {
    let passes = known(snapshot, settings, now.as_nanosecond(), observer);
    let spec = &snapshot.hpa.spec;
    let metrics = spec.metrics.iter();
    metrics.map(|it| proposals_of(it, spec, &passes)).collect()
}

fn known(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Nanos,
    observer: &Observer,
) -> Vec<KnownPass> {
    let mut all = Vec::new();
    let hpa = &snapshot.hpa;
    // What a log tells of several metrics is the largest of what they asked for.
    if let ([_], Some(written)) = (hpa.spec.metrics.as_slice(), hpa.spec_written()) {
        let logged = logged(observer.log.as_ref(), now);
        let spec = Arc::new(hpa.spec.clone());
        let from = logged.covers.map_or(now, |it| it.from);
        let from = from.max(written.as_nanosecond() + SECOND);
        let own = logged.passes.into_iter().filter(|(at, _)| *at >= from);
        all.extend(own.map(|(at, replicas)| KnownPass {
            at,
            source: EvidenceKind::ControllerLog,
            proposal: Stored::Within(Range::of(replicas)),
            is_observed: true,
            winner: Some(0),
            spec: spec.clone(),
            status: None,
        }));
    }
    // Of the time before the first sample, none tells.
    all.extend(observer.samples().skip(1).map(|it| KnownPass {
        at: it.at,
        source: EvidenceKind::Record,
        proposal: it.since_last,
        is_observed: true,
        winner: (it.spec.metrics.len() == 1).then_some(0),
        spec: it.spec.clone(),
        status: Some(it.status.clone()),
    }));
    let since = now - REACH;
    let computed;
    let scraped = match observer.passes.as_slice() {
        [] => {
            computed = observer.scrapes().measured_since(since, snapshot, settings);
            &computed
        }
        passes => passes,
    };
    all.extend(scraped.iter().map(|it| KnownPass {
        at: it.at.to,
        source: EvidenceKind::Prometheus,
        proposal: it.proposal,
        is_observed: it.is_observed,
        winner: it.winner,
        spec: it.spec.clone(),
        status: Some(it.status.clone()),
    }));
    // One that asked for nothing tells nothing.
    all.retain(|it| since <= it.at && it.at <= now && it.proposal != Stored::None);
    all.sort_by_key(|it| it.at);
    all
}

fn proposals_of(
    metric: &MetricSpec,
    spec: &HpaSpec,
    passes: &[KnownPass],
) -> Option<PastProposals> {
    let mut past: Option<PastProposals> = None;
    for pass in passes.iter().rev() {
        let place = pass.spec.metrics.iter().position(|it| it == metric);
        let (Some(place), Stored::Within(proposal)) = (place, pass.proposal) else {
            break;
        };
        if Bounds::of(&pass.spec) != Bounds::of(spec) {
            break;
        }
        let mut value = None;
        if let Some(status) = &pass.status {
            let mut reported = status.current_metrics.iter();
            let Some(reported) = reported.find(|it| it.is_of(metric)) else {
                // It failed, and asked for nothing.
                continue;
            };
            value = value_of(metric, reported).filter(|_| pass.is_observed);
        }
        // It asked for no more than all together; for as much, if it decided.
        let decided = pass.winner == Some(place);
        let (least, most) = if pass.is_observed {
            (if decided { proposal.from } else { 0 }, proposal.to)
        } else {
            (proposal.to, proposal.from)
        };
        let at = timestamp(pass.at);
        match &mut past {
            None if pass.is_observed => {
                past = Some(PastProposals {
                    from: at,
                    to: at,
                    replicas: Range::new(least, most),
                    values: value.map(|it| (it, it)),
                    sources: vec![pass.source],
                });
            }
            None => {}
            Some(own) if own.from.as_nanosecond() - pass.at > LONGEST => break,
            Some(own) => {
                if pass.is_observed {
                    own.from = at;
                    own.sources.push(pass.source);
                }
                own.replicas.from = own.replicas.from.min(least);
                own.replicas.to = own.replicas.to.max(most);
                own.values = own
                    .values
                    .into_iter()
                    .chain(value.map(|it| (it, it)))
                    .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
            }
        }
    }
    let mut past = past?;
    past.sources.sort();
    past.sources.dedup();
    Some(past)
}

/// What a status has of a metric, as the metric's target has it.
fn value_of(metric: &MetricSpec, reported: &MetricStatus) -> Option<i64> {
    let target = metric.source()?.target();
    let current = reported.current()?;
    let milli = |it: &Option<Quantity>| it.as_ref().map(Quantity::milli_value);
    if target.average_utilization.is_some() {
        return current.average_utilization.map(i64::from);
    }
    match target.average_value {
        Some(_) => milli(&current.average_value),
        None => milli(&current.value),
    }
}
