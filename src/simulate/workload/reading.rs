//! What a pass sees of the pods, and what the metrics API tells it of them.

use jiff::Timestamp;

use crate::api::Phase;
use crate::controller::prepared::{
    Metric, Pod, ReadyCondition, Sample, Samples, Source, none_returned,
};
use crate::controller::{Nanos, SECOND};

use super::fleet::SimulatedPod;
use super::model::{Model, SHARE, Spread};
use super::usage::{Usage, milli, rate};
use crate::simulate::run::moment;

impl SimulatedPod {
    /// The pod as the controller sees it.
    pub fn observed(self, second: i64, start: Timestamp) -> Pod<'static> {
        let is_ready = self.ready <= second;
        let changed = if is_ready { self.ready } else { self.scheduled };
        let at = |second| moment(start, second);
        Pod {
            name: "",
            terminating: false,
            phase: if self.running <= second {
                Phase::Running
            } else {
                Phase::Pending
            },
            started: self.has_node().then(|| at(self.scheduled)),
            ready: self.has_node().then(|| ReadyCondition {
                is_true: is_ready,
                is_false: !is_ready,
                changed: at(changed),
            }),
        }
    }
}

/// What the metrics API tells at a pass.
pub struct Reading<'a> {
    model: &'a Model,
    usage: &'a Usage,
    /// Whose usage it tells.
    from: i64,
    to: i64,
    /// Until when was measured: the second, and the moment.
    until: i64,
    taken: Nanos,
    /// The load of which usage is a share of [`SHARE`].
    demand: Option<i64>,
    /// Of a pod that served all the time, in billionths.
    full: i64,
    is_silent: bool,
}

impl<'a> Reading<'a> {
    /// What it tells at a second, and what that moment and the demand are.
    pub fn new(
        model: &'a Model,
        usage: &'a Usage,
        (second, now): (i64, Nanos),
        demand: i64,
    ) -> Self {
        let timing = model.timing.as_ref();
        let (taken, demand) = match timing {
            Some(timing) => (timing.taken(second), Some(demand)),
            None => (second - model.lag, None),
        };
        // Without a window it is the second that begins at that moment.
        let (from, to) = match (timing, model.window) {
            (Some(timing), _) if timing.is_of_moment => (second, second + 1),
            (_, 0) => (taken, taken + 1),
            (_, window) => (taken - window, taken),
        };
        let mut reading = Self {
            model,
            usage,
            from,
            to,
            until: taken,
            taken: now - Nanos::from(second - taken) * SECOND,
            demand,
            full: 0,
            is_silent: timing.is_some_and(|timing| timing.is_silent(second)),
        };
        reading.full = milli(reading.mean(from));
        reading
    }

    /// A value that is for all, in thousandths, where there is an answer.
    pub fn value(&self) -> Option<i64> {
        (!self.is_silent).then_some(self.full)
    }

    /// The usage since a second, as an average over all of the time.
    fn mean(&self, since: i64) -> i128 {
        let sum = self.usage.until(self.to) - self.usage.until(since);
        let sum = match self.demand {
            Some(demand) => sum.saturating_mul(i128::from(demand)) / i128::from(SHARE),
            None => sum,
        };
        sum / i128::from(self.to - self.from)
    }

    /// The sample of a pod, once it has been there for long enough.
    pub fn sample(&self, pod: SimulatedPod) -> Option<Sample> {
        let window = pod.running.saturating_add(self.model.window);
        if self.is_silent || pod.sampled.unwrap_or(window) > self.until {
            return None;
        }
        Some(Sample {
            taken: self.taken,
            window: Nanos::from(self.model.window) * SECOND,
            value: self.used(pod),
        })
    }

    /// The sample of a pod that is not of the workload.
    pub fn other(&self, sample: Option<Sample>) -> Option<Sample> {
        sample.filter(|_| !self.is_silent)
    }

    /// What a pod used, in thousandths.
    fn used(&self, pod: SimulatedPod) -> i64 {
        let begins = match self.model.spread {
            Spread::EachPod => pod.running,
            _ => pod.ready,
        };
        let served = match begins {
            // Nearly every pod of every pass.
            _ if begins <= self.from && self.model.burst.is_none() => return self.full,
            _ if begins >= self.to => 0,
            _ => self.mean(begins.max(self.from)),
        };
        milli(served + self.burst(pod))
    }

    /// What it used of its own to start, in billionths.
    fn burst(&self, pod: SimulatedPod) -> i128 {
        let Some(burst) = self.model.burst else {
            return 0;
        };
        let ends = pod.running.saturating_add(burst.seconds);
        let overlap = ends.min(self.to) - pod.running.max(self.from);
        if overlap <= 0 {
            return 0;
        }
        rate(burst.usage, None) * i128::from(overlap) / i128::from(self.to - self.from)
    }
}

/// What was measured pod by pod, in the pods' order. `request` is what each
/// of them requests, in thousandths.
pub fn put_samples(
    metric: &mut Metric,
    request: Option<i64>,
    measured: impl Iterator<Item = Option<Sample>>,
) {
    let (api, samples, requests) = match &mut metric.source {
        Source::Resource(it) => ("resource", &mut it.samples, Some(&mut it.requests)),
        Source::Pods(pods) => ("custom", &mut pods.samples, None),
        _ => return,
    };
    // The lists of the pass before are used again.
    let mut by_pod = match samples {
        Ok(samples) => std::mem::take(&mut samples.by_pod),
        Err(_) => Vec::new(),
    };
    by_pod.clear();
    by_pod.extend(measured);
    if let (Some(requests), Some(request)) = (requests, request) {
        let mut each = requests.as_mut().map(std::mem::take).unwrap_or_default();
        each.clear();
        each.resize(by_pod.len(), request);
        *requests = Ok(each);
    }
    *samples = if by_pod.iter().any(Option::is_some) {
        Ok(Samples {
            by_pod,
            foreign_pods: Vec::new(),
        })
    } else {
        Err(none_returned(api))
    };
}

/// A value that is for all, in thousandths, or none.
pub fn put_value(metric: &mut Metric, value: Option<i64>) {
    match &mut metric.source {
        Source::Object(object) => object.value = value.ok_or_else(|| none_returned("custom")),
        Source::External(external) => match (&mut external.values, value) {
            (Ok(values), Some(value)) => {
                values.clear();
                values.push(value);
            }
            (values, value) => {
                let value = value.map(|value| vec![value]);
                *values = value.ok_or_else(|| none_returned("external"));
            }
        },
        _ => {}
    }
}
