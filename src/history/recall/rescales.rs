//! The rescales that the controller reported: by its events on the HPA, by its
//! log, and by the HPA's status.
//!
//! Each source tells of a part, and what one tells is not taken back because
//! another is silent about it. A rescale that both events and the log tell of is one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::api::{Direction, Event, HpaStatus, SUCCESSFUL_RESCALE};
use crate::controller::{Nanos, SECOND, timestamp, whole_seconds};
use crate::document::snapshot::Snapshot;
use crate::history::recall::{Logged, Sources};
use crate::history::{Occurrence, Span};
use crate::trace::amount::counted;
use crate::trace::{Evidence, EvidenceKind, RescaleReason, seconds_text};

/// Stamps of one rescale in two sources lie no further apart.
const APART: Nanos = 2 * SECOND;

/// A change of the size, or several of which it is only known how many there were, and
/// between which moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scaling {
    /// When its event was written, by the clock of who wrote it.
    pub at: Span,
    /// How many there were, at least 1.
    pub count: u32,
    /// The size before, where it is known.
    pub before: Option<i32>,
    /// The size after; absent where similar events were merged into one.
    pub after: Option<i32>,
    /// Whether the HPA made it: it is a rescale; absent where nothing tells.
    pub is_own: Option<bool>,
    /// Why.
    pub reason: RescaleReason,
    /// What its evidence says.
    pub message: String,
    /// What tells of it; the controller's log does so to the microsecond.
    pub source: EvidenceKind,
}

/// What is told of rescales.
#[derive(Clone, Debug, Default)]
pub struct Rescales {
    /// Those whose moment is known to the second, the oldest first.
    pub known: Vec<Scaling>,
    /// Those that aggregated events only count.
    pub between: Vec<Scaling>,
    /// From when on no event can have been dropped; absent where that is
    /// never certain.
    pub complete_since: Option<Nanos>,
    /// From when on no event can have been dropped, if those of that time are
    /// still kept.
    pub undropped_since: Option<Nanos>,
    /// From when on samples show every rescale.
    pub shown_since: Option<Nanos>,
    /// From when until when the controller's log tells of all.
    pub log_from: Option<(Nanos, Nanos)>,
    /// Until when the log lacks rescales that events tell of.
    pub log_lacks_until: Option<Nanos>,
    /// What a reader should know of the sources.
    pub remarks: Vec<String>,
}

/// Reads the rescales of the last hour.
pub(super) fn rescales(sources: Sources, logged: &Logged) -> Rescales {
    let Sources { snapshot, now, .. } = sources;
    let events: Vec<&Event> = snapshot.own_events().collect();
    let mut rescales = join(&Reports::of(sources, &events), logged);
    rescales.complete_since = complete(&events, now);
    rescales.undropped_since = undropped(&events, now).map(|(since, _)| since);
    rescales.log_from = logged.covers.map(|covers| {
        let since = [logged.start, rescales.log_lacks_until].into_iter();
        (since.flatten().fold(covers.from, Nanos::max), covers.to)
    });
    for sample in sources.samples() {
        if sample.status.has_rescaled() {
            rescales.newest(&sample.status, sample.written);
        }
    }
    let hpa = &snapshot.hpa;
    rescales.newest(&hpa.status, hpa.status_written());
    rescales.known.sort_by_key(|rescale| rescale.at);
    rescales
}

impl Rescales {
    /// The newest rescale of a status, where only that tells of it.
    fn newest(&mut self, status: &HpaStatus, written: Option<Timestamp>) {
        let (Some(last), Some(_)) = (status.last_scale_time, written) else {
            return;
        };
        let at = Span::second(last);
        let is_this =
            status.has_rescaled() && status.current_replicas >= 0 && status.desired_replicas >= 0;
        // Where an edit queued a pass, another rescale can come just after one.
        let is_known = |it: &&mut Scaling| {
            let is_same = it.after.is_none_or(|size| size == status.desired_replicas);
            (it.at.from - at.from).abs() <= APART && (!is_this || is_same)
        };
        if let Some(known) = self.known.iter_mut().find(is_known) {
            if is_this && known.after.is_some() {
                known.before = known.before.or(Some(status.current_replicas));
            }
            return;
        }
        self.known.push(Scaling {
            before: is_this.then_some(status.current_replicas),
            after: is_this.then_some(status.desired_replicas),
            ..Scaling::new(at, Some(true), EvidenceKind::LastScaleTime)
        });
    }

    /// Whether the log should have what it has not; it is not complete before
    /// that then.
    fn is_lacking(&mut self, logged: &Logged, at: Span) -> bool {
        let covers = |it: Span| at.from > it.from && at.to <= it.to;
        let is_covered = logged.covers.is_some_and(covers);
        if is_covered {
            self.log_lacks_until = self.log_lacks_until.max(Some(at.to));
        }
        is_covered
    }

    /// Those whose moments begin within a time.
    pub fn known_within(&self, from: Nanos, to: Nanos) -> impl Iterator<Item = &Scaling> {
        let first = self.known.partition_point(|it| it.at.from < from);
        let rest = self.known.iter().skip(first);
        rest.take_while(move |it| it.at.from <= to)
    }
}

impl Scaling {
    /// One of which nothing else is known.
    pub const fn new(at: Span, is_own: Option<bool>, source: EvidenceKind) -> Self {
        Self {
            at,
            count: 1,
            before: None,
            after: None,
            is_own,
            reason: RescaleReason::NONE,
            message: String::new(),
            source,
        }
    }

    /// Which way it goes. A reason of the log that is none of the known ones is
    /// about a metric, too.
    pub fn way(&self) -> Option<Direction> {
        let is_logged = self.source == EvidenceKind::ControllerLog;
        let by_sizes = self.by_sizes().filter(|_| is_logged);
        self.reason.way().or(by_sizes)
    }

    /// Which way it goes by the sizes.
    pub fn by_sizes(&self) -> Option<Direction> {
        Direction::between(self.before?, self.after?)
    }

    /// Which way the metrics led.
    pub fn recommended(&self) -> Option<Direction> {
        self.way().filter(|_| !self.reason.is_outside())
    }

    /// Where it is known from.
    pub fn evidence(&self) -> Evidence {
        Evidence::at(self.source, timestamp(self.at.from), self.message.clone())
    }
}

/// Puts together what events say, those seen earlier included, and the log.
fn join(reported: &Reports, logged: &Logged) -> Rescales {
    let mut joined = Rescales {
        known: logged.rescales.clone(),
        remarks: reported.remarks(),
        ..Rescales::default()
    };
    let mut lacking = 0;
    for (at, text) in &reported.moments {
        if is_logged(logged, *at, size(text)) {
            continue;
        }
        let rescale = rescale(*at, text);
        if joined.is_lacking(logged, rescale.at) {
            lacking += 1;
        }
        joined.known.push(rescale);
    }
    let moments = Moments::of(reported, logged);
    for group in reported.groups.values() {
        let undated = group.count.saturating_sub(moments.of_group(group));
        if undated == 0 {
            continue;
        }
        let repeated = group.repeated(undated);
        if joined.is_lacking(logged, repeated.at) {
            lacking += undated as usize;
        }
        joined.between.push(repeated);
    }
    if lacking > 0 {
        let rescales = counted(lacking, "rescale");
        joined.remarks.push(format!(
            "the controller's log has gaps: it lacks {rescales} that events show"
        ));
    }
    joined
}

/// Whether the log tells of a rescale to this size at this second.
fn is_logged(logged: &Logged, at: Nanos, size: Option<i32>) -> bool {
    let first = logged
        .rescales
        .partition_point(|it| it.at.from < at - APART);
    let mut near = logged.rescales[first..]
        .iter()
        .take_while(|it| it.at.from <= at + APART);
    near.any(|it| it.after == size)
}

fn rescale(at: Nanos, text: &str) -> Scaling {
    let at = Span::new(at, at + SECOND - 1);
    Scaling {
        after: size(text),
        reason: RescaleReason::parse(why(text)),
        message: text.to_owned(),
        ..Scaling::new(at, Some(true), EvidenceKind::Event)
    }
}

/// The moments of what has one, in the order of time.
struct Moments<'a> {
    /// Those that merged events can count.
    merged: Vec<Nanos>,
    /// By what the event says.
    by_text: BTreeMap<Cow<'a, str>, Vec<Nanos>>,
}

impl<'a> Moments<'a> {
    fn of(reported: &Reports<'a>, logged: &Logged) -> Self {
        let only_logged = logged.rescales.iter().filter_map(|it| {
            let size = it.after?;
            let text = message(size, &it.reason);
            (!reported.tells(it.at.from, size)).then_some((it.at.from, Cow::Owned(text), true))
        });
        let moments = reported.moments.iter();
        let is_single = |at: &Nanos| reported.single.contains(at);
        let moments = moments.map(|(at, text)| (*at, Cow::Borrowed(*text), is_single(at)));
        let mut by_text: BTreeMap<_, Vec<Nanos>> = BTreeMap::new();
        let mut merged = Vec::new();
        for (at, text, is_similar) in moments.chain(only_logged) {
            if !is_single(&at) {
                merged.push(at);
            }
            // What a merged event tells, no event of its own counts.
            if is_similar {
                by_text.entry(text).or_default().push(at);
            }
        }
        merged.sort_unstable();
        for times in by_text.values_mut() {
            times.sort_unstable();
        }
        Self { merged, by_text }
    }

    /// How many of those that an event counts have a moment.
    fn of_group(&self, group: &Repeats) -> u32 {
        let times = match self.by_text.get(group.text) {
            _ if group.is_merged => &self.merged,
            Some(times) => times,
            None => return 0,
        };
        let before = |end: Nanos| times.partition_point(|at| *at < end);
        let within = before(group.last + SECOND) - before(group.first);
        u32::try_from(within).unwrap_or(u32::MAX)
    }
}

impl Repeats<'_> {
    fn repeated(&self, count: u32) -> Scaling {
        let mut rescale = rescale(self.first, self.text);
        rescale.at = Span::new(self.first, self.until);
        rescale.count = count;
        // What merged events say is said of the last one alone.
        if self.is_merged {
            (rescale.after, rescale.reason) = (None, RescaleReason::NONE);
        }
        rescale
    }
}

/// What the client puts before the message of merged events.
pub const PREFIX: &str = "(combined from similar events): ";

/// The first and the last moment of an event, and how often it was said.
pub fn times(event: &Event) -> Option<(Timestamp, Timestamp, i32)> {
    let series = event.series.as_ref();
    let first = event.first_timestamp.or(event.event_time)?;
    let observed = series.and_then(|series| series.last_observed_time);
    let last = event.last_timestamp.or(observed).unwrap_or(first);
    let count = event.count.or(series.and_then(|series| series.count));
    Some((first, last.max(first), count.unwrap_or(1).max(1)))
}

/// The new size that an event tells. Without one it is not the controller's, which
/// has reported a rescale in the same words in all releases.
pub fn size(message: &str) -> Option<i32> {
    let rest = message.strip_prefix("New size: ")?;
    let size: i32 = rest.split(';').next()?.trim().parse().ok()?;
    (size >= 0).then_some(size)
}

/// The controller's words for why.
pub fn why(message: &str) -> &str {
    message.split_once("reason: ").map_or("", |(_, why)| why)
}

/// The message of an event about a rescale.
pub fn message(size: i32, why: &RescaleReason) -> String {
    format!("New size: {size}; reason: {why}")
}

/// The client drops events of an object beyond 25 at once and one each 300 s,
/// and the server forgets them, after an hour unless it was told otherwise.
/// Where fewer are seen than it would let through in any case, none was
/// dropped; none was forgotten that is younger than the oldest one seen.
pub fn complete(events: &[&Event], now: Nanos) -> Option<Nanos> {
    let (undropped, oldest) = undropped(events, now)?;
    let since = undropped.max(oldest);
    (since < now).then_some(since)
}

/// How long it takes until the client lets one more event of an object through.
const REFILL: Nanos = 300 * SECOND;

/// Whether no event of a moment can have been dropped: the client has let more
/// through soon after than it had gained by then. A client that began later
/// tells nothing of it: each begins with all that it lets through at once. It
/// is the same one as long as it leads, or counts on what it said before.
pub fn none_dropped(snapshot: &Snapshot, at: Nanos) -> bool {
    let lease = snapshot.controller_lease.as_ref();
    let led_since = lease.and_then(|lease| lease.spec.acquire_time);
    let is_led = led_since.map(|since| since.as_nanosecond() <= at);
    if is_led == Some(false) {
        return false;
    }
    let reported = snapshot.own_events().filter_map(times);
    let reported = reported.map(|(first, last, _)| (first.as_nanosecond(), last.as_nanosecond()));
    let reported: Vec<(Nanos, Nanos)> = reported.filter(|(_, last)| *last > at).collect();
    let counted_on = reported.iter().filter(|(first, _)| *first <= at);
    let same_until = match is_led {
        Some(_) => Some(Nanos::MAX),
        None => counted_on.map(|(_, last)| *last).max(),
    };
    let last = reported.iter().map(|(_, last)| *last);
    let mut later: Vec<Nanos> = last.filter(|last| Some(*last) <= same_until).collect();
    later.sort_unstable();
    let mut gained = later.iter().zip(0..);
    gained.any(|(later, gains)| gains > 0 && later - at <= gains * REFILL)
}

/// From when on none of the events can have been dropped, and the oldest that
/// is kept; absent where there are none.
pub fn undropped(events: &[&Event], now: Nanos) -> Option<(Nanos, Nanos)> {
    const KEPT: Nanos = 3_600 * SECOND;
    let times = events.iter().filter_map(|event| times(event));
    let times = times.map(|(_, last, count)| (last.as_nanosecond(), Nanos::from(count)));
    let recent: Vec<(Nanos, Nanos)> = times.filter(|(last, _)| *last > now - KEPT).collect();
    let reported: Nanos = recent.iter().map(|(_, count)| count).sum();
    let oldest = recent.iter().map(|(last, _)| *last).min()?;
    Some((now - KEPT + REFILL * (reported + 1), oldest))
}

/// Stamps that are ahead by no more are taken to be of this clock.
const CLOCK_SKEW: Nanos = 5 * SECOND;

/// Several rescales of which an event tells the first and the last moment.
struct Repeats<'e> {
    pub first: Nanos,
    /// The second of the last one, and its end.
    pub last: Nanos,
    pub until: Nanos,
    pub text: &'e str,
    /// Whether it tells of others than the last one.
    pub is_merged: bool,
    pub count: u32,
}

/// What the events say.
#[derive(Default)]
struct Reports<'e> {
    /// What has a moment of its own, in the order in which it was listed.
    pub moments: Vec<(Nanos, &'e str)>,
    /// The same, in the order of time.
    sorted: BTreeSet<(Nanos, &'e str)>,
    /// Those that an event tells which is not merged: no merged one counts them.
    pub single: BTreeSet<Nanos>,
    /// What is counted between two moments; equal ones are one.
    pub groups: BTreeMap<(Nanos, Nanos, &'e str, bool), Repeats<'e>>,
    equal: usize,
    without_size: usize,
    future: usize,
    furthest: Nanos,
}

impl<'e> Reports<'e> {
    fn of(sources: Sources<'e>, events: &[&'e Event]) -> Self {
        let now = sources.now;
        let mut reported = Self::default();
        let is_rescale = |event: &&&Event| event.reason == SUCCESSFUL_RESCALE;
        for event in events.iter().filter(is_rescale) {
            reported.read(event, now);
        }
        for Occurrence { at, message } in &sources.observer.occurrences {
            let at = at.as_nanosecond();
            if at <= now + CLOCK_SKEW && size(bare(message)).is_some() {
                reported.note(at, message);
            }
        }
        reported
    }

    /// Whether it is told for the first time.
    fn note(&mut self, at: Nanos, message: &'e str) -> bool {
        let text = bare(message);
        if text == message {
            self.single.insert(at);
        }
        let is_new = self.sorted.insert((at, text));
        if is_new {
            self.moments.push((at, text));
        }
        is_new
    }

    fn read(&mut self, event: &'e Event, now: Nanos) {
        let Some((first, last, count)) = times(event) else {
            return;
        };
        let text = bare(&event.message);
        if size(text).is_none() {
            self.without_size += 1;
            return;
        }
        let (first, last) = (first.as_nanosecond(), last.as_nanosecond());
        if last > now + CLOCK_SKEW {
            self.future += 1;
            self.furthest = self.furthest.max(last - now);
        }
        let is_merged = event.message.starts_with(PREFIX);
        let ends = [(first, !is_merged), (last, count > 1 || is_merged)];
        for (at, is_reported) in ends {
            let is_new = !is_reported || at > now + CLOCK_SKEW || self.note(at, &event.message);
            self.equal += usize::from(!is_new && count == 1);
        }
        if count > 1 && first <= now + CLOCK_SKEW {
            let key = (first, last, text, is_merged);
            let group = self.groups.entry(key).or_insert(Repeats {
                first,
                last,
                until: (last + SECOND - 1).min(now).max(first),
                text,
                is_merged,
                count: 0,
            });
            let count = u32::try_from(count).unwrap_or_default();
            group.count = group.count.saturating_add(count);
        }
    }

    /// Whether an event tells of a rescale to this size about then.
    fn tells(&self, at: Nanos, of: i32) -> bool {
        let mut near = self.sorted.range((at - APART, "")..(at + APART + 1, ""));
        near.any(|(_, text)| size(text) == Some(of))
    }

    /// What a reader of the result should know.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.future > 0 {
            let (events, furthest) = (counted(self.future, "event"), whole_seconds(self.furthest));
            let furthest = seconds_text(furthest);
            let says =
                format!("ignored {events} up to {furthest} in the future: the clocks differ");
            remarks.push(says);
        }
        if self.without_size > 0 {
            let events = counted(self.without_size, "event");
            remarks.push(format!("ignored {events} without a valid new size"));
        }
        if self.equal > 0 {
            let events = counted(self.equal, "event");
            let says = format!("ignored {events} with the same second and text as another");
            remarks.push(says);
        }
        remarks
    }
}

/// The message without what merging puts before it.
fn bare(message: &str) -> &str {
    message.strip_prefix(PREFIX).unwrap_or(message)
}
