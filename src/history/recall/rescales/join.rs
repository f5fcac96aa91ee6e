//! Events and the log put together: a rescale that both tell of is one, and
//! what only one tells of stays.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::api::Event;
use crate::controller::{Nanos, SECOND};
use crate::history::observer::Occurrence;
use crate::history::span::Span;
use crate::trace::amount::counted;
use crate::trace::{EvidenceKind, RescaleReason};

use super::events::{Repeats, Reports, message, size, why};
use super::{APART, Logged, Repeated, Rescale};

/// What came of it.
pub(super) struct Joined {
    pub known: Vec<Rescale>,
    pub between: Vec<Repeated>,
    /// Until when the log lacks rescales, by the events.
    pub lacking_until: Option<Nanos>,
    pub remarks: Vec<String>,
}

/// Puts together what events say, those seen earlier included, and the log.
pub(super) fn join(
    observed: &[Occurrence],
    events: &[&Event],
    logged: &Logged,
    now: Nanos,
) -> Joined {
    let reported = Reports::of(observed, events, now);
    let mut joined = Joined {
        known: logged.rescales.clone(),
        between: Vec::new(),
        lacking_until: None,
        remarks: reported.remarks(),
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
    let moments = Moments::of(&reported, logged);
    for group in reported.groups.values() {
        let undated = group.count.saturating_sub(moments.of_group(group));
        if undated == 0 {
            continue;
        }
        let repeated = group.repeated(undated);
        if joined.is_lacking(logged, repeated.rescale.at) {
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

impl Joined {
    /// Whether the log should have what it has not; it is not complete before
    /// that then.
    fn is_lacking(&mut self, logged: &Logged, at: Span) -> bool {
        let is_covered = logged
            .covers
            .is_some_and(|covers| at.from > covers.from && at.to <= covers.to);
        if is_covered {
            self.lacking_until = self.lacking_until.max(Some(at.to));
        }
        is_covered
    }
}

/// Whether the log tells of a rescale to this size at this second.
fn is_logged(logged: &Logged, at: Nanos, size: Option<i32>) -> bool {
    let first = logged
        .rescales
        .partition_point(|it| it.at.from < at - APART);
    let mut near = logged.rescales[first..]
        .iter()
        .take_while(|it| it.at.from <= at + APART);
    near.any(|it| it.size == size)
}

fn rescale(at: Nanos, text: &str) -> Rescale {
    Rescale {
        at: Span::new(at, at + SECOND - 1),
        before: None,
        kind: EvidenceKind::Event,
        size: size(text),
        reason: RescaleReason::parse(why(text)),
        message: text.to_owned(),
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
            let size = it.size?;
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
    fn repeated(&self, count: u32) -> Repeated {
        let at = Span::new(self.first, self.until);
        let whole = rescale(self.first, self.text);
        // What merged events say is said of the last one alone.
        let rescale = if self.is_merged {
            Rescale {
                at,
                size: None,
                reason: RescaleReason::NONE,
                ..whole
            }
        } else {
            Rescale { at, ..whole }
        };
        Repeated { rescale, count }
    }
}
