//! Numbers, times and names as a person reads them.

use jiff::Timestamp;

use super::TextOptions;
use super::page::Page;
use crate::trace::{
    MetricRecord, PodRecord, PolicyRecord, Range, Trace, exact_seconds_text, seconds_text,
};

pub(super) use crate::trace::amount::{
    amount, counted, counted_as, exact_amount, fills, now, ratio, reported, some, target, tolerated,
};

/// What every block reads.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) trace: &'a Trace,
    pub(super) options: &'a TextOptions,
    pub(super) page: Page,
}

/// A moment with its day.
pub(super) const DAY: &str = "%Y-%m-%d %H:%M:%S %Z";
/// The time of the day.
pub(super) const TIME: &str = "%H:%M:%S";

/// The most columns for a name inside a sentence.
pub(super) const NAME: usize = 60;

impl<'a> View<'a> {
    /// What the blocks of a pass read.
    pub(super) fn of(trace: &'a Trace, options: &'a TextOptions) -> Self {
        Self {
            trace,
            options,
            page: Page::new(options),
        }
    }

    /// A time of the day, with the date where it is another day's.
    pub(super) fn time(self, at: Timestamp) -> String {
        clock(at, self.trace.at, self.options)
    }

    /// The same with its distance: `03:16:56 (in 4m48s)`, `03:09:23 (2m45s ago)`.
    pub(super) fn moment(self, at: Timestamp) -> String {
        let seconds = at.duration_since(self.trace.at).as_millis();
        let seconds = i64::try_from((seconds + 500).div_euclid(1000)).unwrap_or(i64::MAX);
        let time = self.time(at);
        match seconds {
            0 => format!("{time} (now)"),
            1.. => format!("{time} (in {})", seconds_text(seconds)),
            _ => format!("{time} ({} ago)", seconds_text(-seconds)),
        }
    }

    /// A name from the cluster inside a sentence.
    pub(super) fn name(self, name: &str) -> String {
        self.page.name(name, NAME)
    }

    /// The size at which the pass began.
    pub(super) fn current(self) -> i32 {
        let outcome = &self.trace.outcome;
        self.trace.size().unwrap_or(outcome.current_replicas)
    }

    /// So many of a list, or all of it where nothing is to be left out.
    pub(super) fn most(self, few: usize) -> usize {
        if self.options.is_whole() {
            usize::MAX
        } else {
            few
        }
    }

    /// Why a pod does not run, harmless.
    pub(super) fn waiting(self, pod: &PodRecord) -> Option<String> {
        let mut waiting = self.trace.waiting.iter();
        let waiting = waiting.find(|it| it.pod == pod.name.as_str())?;
        Some(self.page.clean(&waiting.text()))
    }

    pub(super) fn metric_name(self, metric: &MetricRecord) -> String {
        let name = if metric.source.name.is_empty() {
            format!("metric {} of type {:?}", metric.index, metric.kind.as_str())
        } else {
            metric.source.name.clone()
        };
        self.name(&name)
    }
}

/// A time of the day, with the date where it is another day's.
pub(super) fn clock(at: Timestamp, now: Timestamp, options: &TextOptions) -> String {
    if options.is_simulated {
        return exact_seconds_text(at.as_second());
    }
    let zoned = |at: Timestamp| at.to_zoned(options.zone.clone());
    let at = at.round(jiff::Unit::Second).unwrap_or(at);
    let (then, now) = (zoned(at), zoned(now));
    let format = if then.date() == now.date() {
        "%H:%M:%S"
    } else {
        "%Y-%m-%d %H:%M:%S"
    };
    then.strftime(format).to_string()
}

/// A moment as `format` has it.
pub(super) fn moment(at: Timestamp, options: &TextOptions, format: &str) -> String {
    at.to_zoned(options.zone.clone())
        .strftime(format)
        .to_string()
}

/// A window as the spec has it: `300s`.
pub(super) fn window(seconds: i64) -> String {
    format!("{seconds}s")
}

/// A text as the beginning of a sentence.
pub(super) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// The first few of a list, and how many more: a single one more is named, too.
pub(super) fn list(names: impl IntoIterator<Item = String>, most: usize) -> String {
    let names = Vec::from_iter(names);
    let is_one_more = names.len() == most.saturating_add(1);
    some(&names, most + usize::from(is_one_more))
}

/// What belongs to the same, each where its first stands.
pub(super) fn by_key<K: PartialEq, V>(
    all: impl IntoIterator<Item = (K, V)>,
) -> impl Iterator<Item = (K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in all {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups.into_iter()
}

/// `9`, or `5..9` where only bounds are known.
pub(super) fn range(range: Range) -> String {
    ends(range, "..")
}

/// `9`, or `5 to 9` where only bounds are known, as a sentence has it.
pub(super) fn between(range: Range) -> String {
    ends(range, " to ")
}

fn ends(range: Range, to: &str) -> String {
    match range.single() {
        Some(count) => count.to_string(),
        None => format!("{}{to}{}", range.from, range.to),
    }
}

/// `Pods 4/60s`.
pub(super) fn policy(policy: &PolicyRecord) -> String {
    format!(
        "{} {}/{}s",
        policy.kind, policy.value, policy.period_seconds
    )
}

/// The count, where that is known but what leads to it is not: memories that
/// agree with all that is known give it different reasons.
pub(super) fn certain_count(view: View) -> Option<i32> {
    let outcome = &view.trace.outcome;
    let count = outcome.possible?.single()?;
    outcome.desired_replicas.map(|_| count)
}
