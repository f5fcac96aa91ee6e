//! A time of the past, told change by change: of a record, or as it was scraped.

use std::path::Path;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::confirm::{RecordedLoads, confirm};
use super::moment::{is_not_of, moment};
use super::record::{Record, SPAN};
use crate::cli::{
    failure::Failure, options, page::PageOutput, past::reading::Instant, select::Selection,
    terminal::Terminal,
};
use crate::controller::{Overrides, Settings};
use crate::document::snapshot::{RecordEntry, SAMPLE_REACH_SECONDS, Snapshot};
use crate::flaps::ObservedPasses;
use crate::history::{Explain, Observer, Teller};
use crate::trace::{Flaps, Story};
use crate::what_if;

/// So long after a pass, a sample shows what came of it.
const SHOWN: SignedDuration = SignedDuration::from_secs(SAMPLE_REACH_SECONDS);

/// A time of a record, and the HPA that it is to be of.
pub struct RecordTime<'a> {
    pub path: &'a Path,
    pub names: &'a [String],
    pub namespace: Option<&'a str>,
    pub since: Instant,
    pub until: Option<Instant>,
    /// The answer for its end, where it is known already.
    pub flaps: Option<&'a Flaps>,
}

/// Tells what happened in a time of a record.
/// Errors: the record cannot be read, is of another HPA, or has no sample of the time.
pub fn of_record(
    request: &RecordTime,
    settings: &options::Settings,
    terminal: &mut Terminal,
) -> anyhow::Result<Story> {
    let overrides = &settings.overrides();
    let page = terminal.page.clone();
    let explain = explains(page.as_ref());
    let record = Record::open(request.path)?;
    let end = moment(&record, Instant::BeforeTheEnd(SignedDuration::ZERO))?;
    let times @ (_, until) = checked((request.since, request.until), end, terminal)?;
    let mut teller = Teller::new(times, overrides, explain.as_deref());
    let (mut sightings, mut observer) = (ObservedPasses::default(), Observer::default());
    let (mut metrics, mut recorded) = (Vec::new(), RecordedLoads::default());
    let (mut last, mut is_other) = (None, false);
    let span = (times.0, until.saturating_add(SHOWN)?);
    // What ends the time is judged by what `flaps` would read then.
    let judged_from = until.saturating_sub(SPAN)?;
    let (_, left_out) = record.entries(span, terminal, |entry| match entry {
        RecordEntry::Sample(sample) => {
            let intended = |name: &String| Selection::parse(name).matches(&sample.snapshot);
            is_other |= !request.names.iter().all(intended);
            let snapshot = Arc::new(sample.snapshot);
            let is_judged = (judged_from..=until).contains(&sample.at);
            if !is_other && request.flaps.is_none() && is_judged {
                let settings = Settings::resolve(&snapshot, overrides);
                observer.observe(snapshot.clone(), &settings, sample.pass_at);
                sightings.note(&snapshot, &settings);
                // What helps is tried on the load of the metrics that there are in the end.
                if metrics != snapshot.hpa.spec.metrics {
                    metrics.clone_from(&snapshot.hpa.spec.metrics);
                    recorded = RecordedLoads::new(&snapshot, overrides);
                }
                recorded.take(&snapshot);
                last = Some(snapshot.clone());
            }
            if !is_other {
                teller.sample(snapshot);
            }
        }
        RecordEntry::Gap(_) => {
            observer.gap();
            teller.gap();
        }
    })?;
    let (own, _) = record.autoscaler();
    if is_other || request.namespace.is_some_and(|requested| requested != own) {
        return Err(is_not_of(&record, request.names, request.namespace));
    }
    let judged = || {
        let inputs = last.as_ref()?;
        let inputs = terminal.shown(inputs);
        let (at, resolved) = (inputs.captured_at, Settings::resolve(&inputs, overrides));
        let mut flaps = what_if::flaps(&inputs, &resolved, at, &observer, &sightings);
        confirm(&mut flaps, &inputs, recorded, settings);
        Some(flaps)
    };
    let mut flaps = request.flaps.cloned().or_else(judged).map(Box::new);
    // Whoever reads a page does not see what was said beside it.
    if let Some(flaps) = &mut flaps {
        flaps.coverage.remarks.extend(left_out);
    }
    let story = teller.story().map(|story| Story { flaps, ..story });
    story.ok_or_else(|| {
        let message = format!(
            "{}: nothing was sampled from {} to {until}",
            record.name(),
            times.0
        );
        Failure::error(message, "--at -0s explains the last sample")
    })
}

/// Tells what happened in a time that was scraped.
pub fn of_scrapes(
    snapshot: &Snapshot,
    observer: &Observer,
    overrides: &Overrides,
    times: (Timestamp, Timestamp),
    flaps: Option<&Flaps>,
    terminal: &Terminal,
) -> Story {
    let settings = Settings::resolve(snapshot, overrides);
    let judged = || {
        let end = observer.scraped_moment(snapshot, &settings, times.1)?;
        let (inputs, observer) = (terminal.shown(&end.snapshot), &end.observer);
        let none = ObservedPasses::default();
        Some(what_if::flaps(&inputs, &settings, times.1, observer, &none))
    };
    let flaps = flaps.cloned().or_else(judged).map(Box::new);
    let explain = explains(terminal.page.as_ref());
    let story = observer.story(snapshot, &settings, times, explain.as_deref());
    Story { flaps, ..story }
}

/// Explains the passes of a page, if there is one, on what it may show: what came after
/// each is known.
fn explains(page: Option<&PageOutput>) -> Option<Box<Explain<'_>>> {
    let page = page?;
    Some(Box::new(|snapshot, settings, at, observer| {
        what_if::summarize(&page.shown(snapshot), settings, at, observer)
    }))
}

/// A time that can be told, up to an end; where it is most of a day, the day of a clock's
/// time is said.
/// Errors: it is none, or too long.
pub fn checked(
    (from, to): (Instant, Option<Instant>),
    end: Timestamp,
    terminal: &mut Terminal,
) -> anyhow::Result<(Timestamp, Timestamp)> {
    let is_of_clock = matches!(from, Instant::OfDay(_));
    let (since, until) = from.to(to, end);
    let is_cut = until > end && matches!(to, Some(Instant::OfDay(_)));
    let hint = "give --since a time before --until, such as --since 03:00 --until 04:00";
    let span = until.duration_since(since);
    // A whole day, from one time to the same one, is asked for with a purpose.
    if is_cut && span > LONGEST_STORY / 2 && span < LONGEST_STORY {
        let message = format!("--until is before --since, or is {until}, after the last sample");
        return Err(Failure::error(message, hint));
    }
    let until = if is_cut { end } else { until };
    if until.duration_since(since) > LONGEST_STORY || since >= until {
        let message = format!("{since} to {until} is not a period of at most 24 hours");
        return Err(Failure::error(message, hint));
    }
    if is_of_clock && until.duration_since(since) > LONGEST_STORY / 2 {
        terminal.complain(&format!(
            "note: --since is read as {since}, the last such time before {until}"
        ));
    }
    if is_cut {
        let note = format!("note: --until is read as {until}: nothing is known after it");
        terminal.complain(&note);
    }
    Ok((since, until))
}

/// No longer time is told.
pub const LONGEST_STORY: SignedDuration = SignedDuration::from_hours(24);
