//! The changes of the size over time, put together from all that tells of
//! them.

use jiff::Timestamp;

use crate::controller::{Nanos, Settings};
use crate::history::moves::{AskedAt, Moves};
use crate::history::observer::{Observer, Stored};
use crate::history::span::Span;
use crate::snapshot::Snapshot;
use crate::trace::{EvidenceKind, Range, SizeChange, Way};

use super::logged::{Logged, logged};
use super::outcome::Asked;
use super::rescales::{Reason, Repeated, Rescale, Rescales, rescales};
use super::rules::Rules;
use super::sizes::{Change, Sizes, sizes};
use super::{to_timestamp, tuning};

/// Puts together how the size went before `now`.
pub fn moves(snapshot: &Snapshot, settings: &Settings, now: Nanos, observer: &Observer) -> Moves {
    let rules = Rules::new(snapshot, settings, observer);
    let sampled = snapshot.captured_at.as_nanosecond();
    let logged = logged(observer.log(), now.min(sampled));
    let rescales = rescales(snapshot, &observer.occurrences(), &logged, now);
    let sizes = sizes(snapshot, &rescales, rules.sync_period, now);
    let known = sizes.changes.iter();
    let (asked, asked_by) = asked(observer, &logged, now);
    Moves {
        known: known
            .map(|change| size_change(change, &rescales, observer))
            .collect(),
        untold: rescales.between.iter().map(untold).collect(),
        complete_since: complete_since(&sizes, &logged, now),
        asked,
        asked_by,
        edited: tuning::edited(snapshot, observer, now),
        windows: tuning::windows(snapshot, settings, observer, now),
    }
}

/// From when on every change by the HPA is told of. A restart that the log
/// tells of ends what the controller remembers, and not what the log tells.
fn complete_since(sizes: &Sizes, logged: &Logged, now: Nanos) -> Option<Timestamp> {
    let since = match (logged.start, logged.covers) {
        (Some(start), Some(covers)) if sizes.told_since == start => covers.from,
        _ => sizes.told_since,
    };
    (since < now).then(|| to_timestamp(since.max(0)))
}

fn size_change(change: &Change, rescales: &Rescales, observer: &Observer) -> SizeChange {
    let mut known = rescales.known.iter();
    let rescale = known.find(|it| change.is_own && it.at == change.at && it.size == change.to);
    let ways = change.from.zip(change.to);
    let by_sizes = ways.and_then(|(from, to)| Way::between(from, to));
    SizeChange {
        from: to_timestamp(change.at.from),
        to: to_timestamp(change.at.to),
        count: 1,
        before: change.from,
        after: change.to,
        way: by_sizes.or_else(|| rescale.and_then(|it| it.reason.way())),
        is_own: change.is_own,
        reason: rescale.map_or_else(String::new, |it| reason(it, observer)),
        source: rescale.map(|it| it.kind),
    }
}

/// What an aggregated event only counts.
fn untold(repeated: &Repeated) -> SizeChange {
    let Repeated { rescale, count } = repeated;
    SizeChange {
        from: to_timestamp(rescale.at.from),
        to: to_timestamp(rescale.at.to),
        count: *count,
        before: None,
        after: rescale.size,
        way: rescale.reason.way(),
        is_own: true,
        // That of merged events is of the last one alone.
        reason: rescale.size.map_or_else(String::new, |_| in_event(rescale)),
        source: Some(rescale.kind),
    }
}

/// The controller's words for why, by its log or its event.
fn reason(rescale: &Rescale, observer: &Observer) -> String {
    let logged = observer.log().into_iter().flat_map(|log| &log.rescales);
    let mut same = logged.filter(|it| Span::at(it.at.as_nanosecond()) == rescale.at);
    same.next()
        .map_or_else(|| in_event(rescale), |logged| logged.reason.clone())
}

fn in_event(rescale: &Rescale) -> String {
    let text = rescale.message.split_once("reason: ");
    text.map_or_else(String::new, |(_, reason)| reason.to_owned())
}

impl Reason {
    /// Which way a change for this reason goes.
    fn way(self) -> Option<Way> {
        match self {
            Self::Metrics(Asked::More) | Self::BelowMin => Some(Way::Up),
            Self::Metrics(Asked::Less) | Self::AboveMax => Some(Way::Down),
            Self::Unknown => None,
        }
    }
}

/// What the metrics asked for, and where that is from: the log knows it,
/// samples bound it.
fn asked(observer: &Observer, logged: &Logged, now: Nanos) -> (Vec<AskedAt>, Option<EvidenceKind>) {
    let passes = logged.passes.iter().map(|(at, replicas)| AskedAt {
        at: to_timestamp(*at),
        replicas: Range::of(*replicas),
    });
    let passes: Vec<AskedAt> = passes.collect();
    if !passes.is_empty() {
        return (passes, Some(EvidenceKind::ControllerLog));
    }
    let samples = observer.samples().filter(|sample| sample.at <= now);
    let asked = samples.filter_map(|sample| match sample.since_last {
        Stored::Within(replicas) => Some(AskedAt {
            at: to_timestamp(sample.at),
            replicas,
        }),
        Stored::None | Stored::Unknown => None,
    });
    let asked: Vec<AskedAt> = asked.collect();
    let source = (!asked.is_empty()).then_some(EvidenceKind::Record);
    (asked, source)
}
