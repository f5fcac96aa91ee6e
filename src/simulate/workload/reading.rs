//! What a pass sees of the pods, and what the metrics API tells it of them.

use jiff::Timestamp;

use crate::controller::prepared::{Phase, Pod, ReadyCondition, Sample};
use crate::controller::{Nanos, SECOND};

use super::super::controller::moment;
use super::fleet::SimulatedPod;
use super::model::{Model, Spread};
use super::usage::{Usage, milli, rate};

impl SimulatedPod {
    /// The pod as the controller sees it.
    pub fn seen(self, second: i64, start: Timestamp) -> Pod<'static> {
        let is_ready = self.ready <= second;
        let changed = if is_ready { self.ready } else { self.scheduled };
        let at = |second| moment(start, second);
        Pod {
            name: "simulated",
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
    from: i64,
    to: i64,
    taken: Nanos,
    /// Of a pod that served all the time, in billionths.
    full: i128,
}

impl<'a> Reading<'a> {
    /// What it tells at a second, and what that moment is.
    pub fn new(model: &'a Model, usage: &'a Usage, second: i64, now: Nanos) -> Self {
        let taken = second - model.lag;
        // Without a window it is the second that begins at that moment.
        let (from, to) = match model.window {
            0 => (taken, taken + 1),
            window => (taken - window, taken),
        };
        Self {
            model,
            usage,
            from,
            to,
            taken: now - Nanos::from(model.lag) * SECOND,
            full: (usage.until(to) - usage.until(from)) / i128::from(to - from),
        }
    }

    /// A value that is for all, in thousandths.
    pub fn value(&self) -> i64 {
        milli(self.full)
    }

    /// The sample of a pod, once it has been running for a whole window.
    pub fn sample(&self, pod: SimulatedPod) -> Option<Sample> {
        if pod.running > self.from {
            return None;
        }
        Some(Sample {
            taken: self.taken,
            window: Nanos::from(self.model.window) * SECOND,
            value: milli(self.served(pod) + self.burst(pod)),
        })
    }

    fn served(&self, pod: SimulatedPod) -> i128 {
        let begins = match self.model.spread {
            Spread::EachPod => pod.running,
            _ => pod.ready,
        };
        if begins <= self.from {
            return self.full;
        }
        if begins >= self.to {
            return 0;
        }
        let sum = self.usage.until(self.to) - self.usage.until(begins);
        sum / i128::from(self.to - self.from)
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
