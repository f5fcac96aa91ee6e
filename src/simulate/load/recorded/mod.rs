//! The load that a record tells of, sample by sample: what a metric measured
//! in all, or in a pod where each of them holds its own.
//!
//! Pods that are Ready take load before they have a sample that counts. So
//! the load in all is what the pods with such a sample used on average, times
//! the pods that shared it.

mod starts;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::api::{Answered, MetricSource, MetricSpec, PodMetrics, Quantity};
use crate::controller::prepared::{Pod, Sample, Source, Unavailable};
use crate::controller::{Overrides, Prepared, Settings, WhatIf, whole_seconds};
use crate::document::snapshot::Snapshot;
use crate::trace::amount::median;

use super::super::compare::spread;
use super::super::workload::{Model, PodStart, SHARE, Spread, Timing, milli, rate};
use super::{Shape, is_gap, usual};

use starts::{Serving, Starts};

/// A load in the making.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    metric: MetricSpec,
    overrides: Overrides,
    samples: Vec<Sampled>,
    /// The last second that a sample tells of, with or without a value.
    last: Option<i64>,
    serving: Serving,
    starts: Starts,
    /// The seconds of passes, as `lastScaleTime` tells them.
    passes: Vec<i64>,
    /// From when until when the metric gave no answer.
    silent: Vec<(i64, i64)>,
}

/// What a sample of the record tells.
#[derive(Clone, Copy, Debug)]
struct Sampled {
    second: i64,
    measured: Measured,
}

#[derive(Clone, Copy, Debug)]
enum Measured {
    /// One value for all, in thousandths.
    Whole(i64),
    Pods(Counted),
}

/// The pods that were Ready for all of what their sample measured; where each
/// pod holds its own, those that have a sample.
#[derive(Clone, Copy, Debug)]
struct Counted {
    /// What they used together, in billionths.
    used: i128,
    pods: i64,
    /// Pods that are Ready and not among them.
    others: i64,
    /// Until when was measured, and for how long.
    taken: i64,
    window: i64,
}

/// A load that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedLoad {
    /// Its course.
    pub shape: Shape,
    /// The second at which it begins, counted from 1970.
    pub first: i64,
    /// How long it is, in seconds.
    pub seconds: i64,
    /// How many samples tell of it.
    pub samples: usize,
    /// The longest time without another value, in seconds.
    pub apart: i64,
    /// How many such times are much longer than usual.
    pub gaps: usize,
    /// What is not measured of it.
    pub filled: Option<Filled>,
    /// How many pods were Ready from which second on.
    pub serving: Vec<(i64, i64)>,
    /// When passes were, and what their samples measured.
    pub timing: Timing,
}

/// What is taken for granted of Ready pods without a sample that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    /// How many samples of the record have such pods.
    pub samples: usize,
    /// Their greatest share of the Ready pods, in percent.
    pub percent: i64,
}

impl Recorded {
    /// Nothing yet, of a metric.
    pub fn new(metric: &MetricSpec, overrides: &Overrides) -> Self {
        Self {
            metric: metric.clone(),
            overrides: overrides.clone(),
            ..Self::default()
        }
    }

    /// Takes in a sample; the last one of a second is kept. Where the metric
    /// gives no answer, the load before it goes on, and passes have none.
    pub fn take(&mut self, sample: &Snapshot) {
        self.take_without(sample, &BTreeSet::new());
    }

    /// The same without the load of some pods.
    pub fn take_without(&mut self, sample: &Snapshot, foreign: &BTreeSet<&str>) {
        let second = sample.captured_at.as_second();
        if self.last.is_some_and(|last| second < last) {
            return;
        }
        let is_first = self.last.is_none();
        self.last = Some(second);
        let status = &sample.hpa.status;
        let scaled = status.last_scale_time.map(Timestamp::as_second);
        let is_new = |at: &i64| !is_first && self.passes.last().is_none_or(|last| last < at);
        self.passes.extend(scaled.filter(is_new));
        if let Some(measured) = self.measured(sample, second, foreign) {
            self.samples.pop_if(|last| last.second == second);
            self.samples.push(Sampled { second, measured });
        }
    }

    fn measured(
        &mut self,
        sample: &Snapshot,
        second: i64,
        foreign: &BTreeSet<&str>,
    ) -> Option<Measured> {
        let settings = Settings::resolve(sample, &self.overrides);
        let prepared = Prepared::new(sample, &settings);
        let metrics = &sample.hpa.spec.metrics;
        let is_it = |it: &MetricSpec| it.measures_the_same(&self.metric);
        let index = metrics.iter().position(is_it)?;
        let source = &prepared.metrics.get(index)?.source;
        let is_intended = |pod: &Pod| pod.is_there() && !foreign.contains(pod.name);
        let pods = || prepared.pods.iter().filter(|pod| is_intended(pod));
        let ready = pods().filter(|pod| is_ready(pod));
        let ready: Vec<i64> = ready.map(ready_since).collect();
        let rescaled = self.passes.last().copied();
        self.serving.take(second, &ready, rescaled);
        let Some(samples) = source.samples() else {
            self.answered(second, !fails(source));
            let now = sample.captured_at.as_nanosecond();
            let what_if = WhatIf::new(&prepared, &settings, now, &BTreeSet::new())?;
            return Some(Measured::Whole(what_if.metric(index)?.total().max(0)));
        };
        let samples = samples.as_ref().ok();
        let is_without = samples.is_some_and(|it| it.by_pod.iter().all(Option::is_none));
        let is_silent = fails(source) || is_without && !ready.is_empty();
        self.answered(second, !is_silent);
        let each = prepared.pods.iter().zip(&samples?.by_pod);
        let each = each.filter(|(pod, _)| is_intended(pod));
        let each = each.map(|(pod, sample)| (pod, sample.as_ref()));
        let each: Vec<(&Pod, Option<&Sample>)> = each.collect();
        let times = each.iter().filter_map(|(_, sample)| *sample);
        let (taken, window) = median(times.map(|it| (it.taken, it.window)))?;
        let (taken, window) = (whole_seconds(taken), whole_seconds(window));
        self.starts.take(second, taken, &each);
        let is_counted = |pod: &Pod, sample: &Sample| match spread(&self.metric) {
            Spread::EachPod => true,
            _ => is_ready(pod) && ready_since(pod) <= whole_seconds(sample.taken - sample.window),
        };
        let counted = each
            .iter()
            .filter_map(|(pod, sample)| Some((*pod, (*sample)?)));
        let counted = counted.filter(|(pod, sample)| is_counted(pod, sample));
        let exact = exact(sample, &self.metric);
        let used = |(pod, sample): (&Pod, &Sample)| {
            let rounded = rate(sample.value, None);
            exact.get(pod.name).copied().flatten().unwrap_or(rounded)
        };
        let values: Vec<i128> = counted.map(used).collect();
        let count = |pods: usize| i64::try_from(pods).unwrap_or(i64::MAX);
        let counted = Counted {
            used: values.iter().sum(),
            pods: count(values.len()),
            others: count(ready.len().saturating_sub(values.len())),
            taken,
            window,
        };
        (counted.pods > 0).then_some(Measured::Pods(counted))
    }

    /// Whether the metric gave an answer at a second.
    fn answered(&mut self, second: i64, is_answered: bool) {
        match self.silent.last_mut() {
            Some((_, to)) if *to == i64::MAX && is_answered => *to = second,
            Some((_, i64::MAX)) => {}
            _ if !is_answered => self.silent.push((second, i64::MAX)),
            _ => {}
        }
    }

    /// The load from the first sample with a value on; absent where there is
    /// none.
    pub fn load(&self) -> Option<RecordedLoad> {
        let first = self.samples.first()?.second;
        let last_value = self.samples.last()?.second;
        let last = self.last.unwrap_or(last_value);
        let at = || self.samples.iter().map(|it| it.second);
        let ends = at().skip(1).chain([last]);
        let distances = at().zip(ends).map(|(at, end)| end - at);
        let apart = distances.clone().max().unwrap_or_default();
        let usual = usual(distances.clone().filter(|distance| *distance > 0));
        let gaps = distances.filter(|it| usual.is_some_and(|usual| is_gap(*it, usual)));
        let is_of_moment = self.is_of_moment();
        let demands = self.demands(is_of_moment);
        let counted = self.samples.iter().filter_map(|it| match it.measured {
            Measured::Pods(counted) => Some((it.second - first, counted)),
            Measured::Whole(_) => None,
        });
        let counted: Vec<(i64, Counted)> = counted.collect();
        let windows = counted.iter().map(|(_, it)| it.window);
        let taken = counted.iter().map(|(at, it)| (*at, it.taken - first));
        let passes = self.passes.iter().map(|at| at - first);
        let silent = self.silent.iter();
        let silent = silent.map(|(from, to)| (from - first, to.saturating_sub(first)));
        Some(RecordedLoad {
            shape: Shape::Steps(at().map(|at| at - first).zip(demands).collect()),
            first,
            seconds: (last - first).max(1),
            samples: self.samples.len(),
            apart,
            gaps: gaps.count(),
            filled: self.filled(),
            serving: self.serving.since(first),
            timing: Timing {
                passes: passes.collect(),
                taken: taken.collect(),
                window: median(windows).unwrap_or_default(),
                starts: self.starts.all(first),
                silent: silent.collect(),
                is_of_moment,
            },
        })
    }

    /// How many pods started in it, as far as it shows how.
    pub fn starts(&self) -> usize {
        self.starts.all(0).len()
    }

    /// The load of each sample: shared by the pods of its window, or of its
    /// moment.
    fn demands(&self, is_of_moment: bool) -> Vec<i64> {
        let is_shared = spread(&self.metric) == Spread::Shared;
        let demand = |measured: Measured| {
            let counted = match measured {
                Measured::Whole(value) => return value,
                Measured::Pods(counted) => counted,
            };
            let pods = i128::from(counted.pods);
            let share = if is_of_moment {
                rate(SHARE, Some(counted.pods + counted.others))
            } else {
                let from = counted.taken - counted.window;
                self.serving.share(from, counted.taken)
            };
            let demand = if is_shared {
                counted
                    .used
                    .saturating_mul(rate(SHARE, None))
                    .checked_div(pods * share)
            } else {
                counted.used.checked_div(pods)
            };
            milli(demand.unwrap_or_default().max(0))
        };
        self.samples.iter().map(|it| demand(it.measured)).collect()
    }

    /// Whether samples tell of their moment although they come with a window
    /// before it, as some adapters have it: where each is taken when it is read,
    /// or where they do not move as windows do. The wrong one of the two makes
    /// the load jump whenever pods come or go, so it is the one that moves less.
    fn is_of_moment(&self) -> bool {
        let mut samples = self.samples.iter();
        let is_at_once = |sampled: &Sampled| match sampled.measured {
            Measured::Pods(counted) => counted.taken == sampled.second,
            Measured::Whole(_) => true,
        };
        if samples.all(is_at_once) {
            return true;
        }
        let moved = |is_of_moment| -> i128 {
            let demands = self.demands(is_of_moment);
            let pairs = demands.iter().zip(demands.iter().skip(1));
            pairs
                .map(|(one, next)| (i128::from(*one) - i128::from(*next)).abs())
                .sum()
        };
        moved(true) < moved(false)
    }

    fn filled(&self) -> Option<Filled> {
        if spread(&self.metric) != Spread::Shared {
            return None;
        }
        let shares = self.samples.iter().filter_map(|it| match it.measured {
            Measured::Pods(it) if it.others > 0 => Some(it.others * 100 / (it.others + it.pods)),
            _ => None,
        });
        Some(Filled {
            samples: shares.clone().count(),
            percent: shares.max()?,
        })
    }
}

impl RecordedLoad {
    /// The same in seconds since one, counted from 1970.
    pub fn since(mut self, first: i64) -> Self {
        let by = first - self.first;
        self.first = first;
        self.seconds = (self.seconds - by).max(1);
        if let Shape::Steps(steps) = &mut self.shape {
            for (at, _) in steps {
                *at -= by;
            }
        }
        let timing = &mut self.timing;
        let starts = timing.starts.iter_mut().map(|it| &mut it.at);
        for at in timing.passes.iter_mut().chain(starts) {
            *at -= by;
        }
        for (from, to) in timing.taken.iter_mut().chain(&mut timing.silent) {
            *from -= by;
            *to = to.saturating_sub(by);
        }
        self
    }

    /// A workload whose pods start, and whose samples come, as the record
    /// shows it; what it does not show stays.
    pub fn followed_by(&self, model: Model) -> Model {
        let starts = &self.timing.starts;
        let usual = |time: fn(&PodStart) -> i64| median(starts.iter().map(time));
        let running = usual(|it| it.running);
        let readiness = usual(|it| it.ready - it.running);
        Model {
            start_up: running.unwrap_or(model.start_up),
            readiness: readiness.unwrap_or(model.readiness),
            window: self.timing.window,
            timing: Some(self.timing.clone()),
            ..model
        }
    }
}

/// Whether a metric gives the controller no answer.
fn fails(source: &Source) -> bool {
    let error = match source {
        Source::Object(object) => object.value.as_ref().err(),
        Source::External(external) => external.values.as_ref().err(),
        by_pod => by_pod.samples().and_then(|it| it.as_ref().err()),
    };
    error.is_some_and(|error| !matches!(error, Unavailable::Unreadable(_)))
}

/// What the metrics API says that each pod used, in billionths. The controller
/// reads it in thousandths, rounded up: times the pods, and rounded up once more
/// for another number of them, that would be a load that there never was.
fn exact<'s>(sample: &'s Snapshot, metric: &MetricSpec) -> BTreeMap<&'s str, Option<i128>> {
    let source = metric.source().and_then(MetricSource::resource);
    let answered = sample.metrics.resource.as_ref();
    let (Some((resource, container)), Some(list)) = (source, answered.and_then(Answered::response))
    else {
        return BTreeMap::new();
    };
    let is_intended = |name: &str| container.is_none_or(|it| it == name);
    let used = |item: &PodMetrics| -> Option<i128> {
        let containers = item.containers.iter().filter(|it| is_intended(&it.name));
        let usage = containers.map(|it| it.usage.get(resource).and_then(Quantity::nano_value));
        usage.sum()
    };
    let items = list.items.iter();
    items.map(|it| (&*it.metadata.name, used(it))).collect()
}

fn is_ready(pod: &Pod) -> bool {
    pod.ready.is_some_and(|ready| ready.is_true)
}

fn ready_since(pod: &Pod) -> i64 {
    pod.ready
        .map_or(i64::MAX, |ready| whole_seconds(ready.changed))
}
