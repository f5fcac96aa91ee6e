//! What serves the load: pods with a life, and what the metrics APIs tell of
//! them.

mod fleet;
mod model;
mod reading;
mod usage;

use jiff::Timestamp;

use crate::controller::Prepared;
use crate::controller::prepared::{Metric, Pod, Sample, Source};

use super::load::Load;
use crate::simulate::run::moment;

use fleet::{Fleet, SimulatedPod};
use reading::Reading;
use usage::Usage;

pub(super) use model::SHARE;
pub use model::{Burst, Model, PodStart, Spread, Timing};
pub(super) use reading::{put_samples, put_value};
pub(super) use usage::{milli, rate};

/// Pods under the load of a metric, from second to second.
#[derive(Clone, Debug)]
pub struct Workload<'a> {
    load: &'a Load,
    model: &'a Model,
    pub(super) fleet: Fleet<'a>,
    usage: Usage,
    /// The moment of second 0.
    start: Timestamp,
    /// The second that it has come to.
    pub(super) second: i64,
    /// The demand of that second.
    pub(super) demand: i64,
    /// Until when it stays.
    quiet: i64,
}

impl<'a> Workload<'a> {
    /// So many pods that have been there for long.
    pub fn new(load: &'a Load, model: &'a Model, start: Timestamp, replicas: i32) -> Self {
        Self::of(load, model, start, Fleet::new(model, replicas))
    }

    /// The pods that are there, each with whether it has a sample, where so
    /// many are wanted.
    pub fn found(
        (load, model): (&'a Load, &'a Model),
        start: Timestamp,
        replicas: i32,
        pods: &[(Pod, bool)],
    ) -> Self {
        let found =
            |(pod, is_sampled): &(Pod, bool)| SimulatedPod::found(model, pod, *is_sampled, start);
        let fleet = Fleet::found(model, replicas, pods.iter().map(found).collect());
        Self::of(load, model, start, fleet)
    }

    fn of(load: &'a Load, model: &'a Model, start: Timestamp, fleet: Fleet<'a>) -> Self {
        let (demand, quiet) = load.lasting(0);
        let first = model.rate(demand, fleet.serving);
        let timing = model.timing.as_ref();
        let back = timing.map_or(model.lag + model.window.max(1), Timing::back);
        Self {
            load,
            model,
            fleet,
            usage: Usage::new(back, first),
            start,
            second: 0,
            demand,
            quiet,
        }
    }

    /// Its pods.
    pub fn pods(&self) -> i32 {
        i32::try_from(self.fleet.pods.len()).unwrap_or(i32::MAX)
    }

    /// Another size is asked for. A pass of a record runs within its second, so
    /// that pods serve until the end of it.
    pub fn resize(&mut self, replicas: i32) {
        self.fleet.resize(replicas, self.second);
        if self.model.timing.is_none() {
            self.begin();
        } else {
            self.quiet = self.second + 1;
        }
    }

    /// Until when nothing changes by itself: the next second, or a later one.
    pub(super) fn quiet_until(&self) -> i64 {
        self.quiet.min(self.fleet.next).max(self.second + 1)
    }

    /// All seconds go by until one before which nothing changes.
    pub(super) fn go_on_until(&mut self, second: i64) {
        self.usage.advance(second - self.second);
        self.second = second;
        if second >= self.quiet {
            (self.demand, self.quiet) = self.load.lasting(second);
        }
        self.fleet.tick(second);
        self.begin();
    }

    fn begin(&mut self) {
        self.usage.rate = self.model.rate(self.demand, self.fleet.serving);
    }

    /// All seconds go by until one.
    pub fn go_on_to(&mut self, second: i64) {
        while self.second < second {
            self.go_on_until(self.quiet_until().min(second));
        }
    }

    /// Puts its pods behind those that a pass finds.
    pub fn put_pods(&self, prepared: &mut Prepared) {
        let pods = self.fleet.pods.iter();
        let observed = pods.map(|pod| pod.observed(self.second, self.start));
        prepared.pods.extend(observed);
    }

    /// Puts what the metrics API tells of its pods, and after them of others,
    /// where a pass finds it.
    pub fn measure(&self, metric: &mut Metric, others: &[Option<Sample>]) {
        let now = (self.second, moment(self.start, self.second));
        let reading = Reading::new(self.model, &self.usage, now, self.demand);
        if let Source::Object(_) | Source::External(_) = &metric.source {
            put_value(metric, reading.value());
        } else {
            let samples = self.fleet.pods.iter().map(|pod| reading.sample(*pod));
            let others = others.iter().map(|sample| reading.other(*sample));
            let samples = samples.chain(others);
            put_samples(metric, self.model.request, samples);
        }
    }
}
