//! The load of a record, sample by sample.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::controller::{
    Demand, Nanos, Overrides, Prepared, SECOND, Settings, WhatIf, selected_pods, timestamp,
};
use crate::diagnose::owners::foreign_pods;
use crate::simulate::load;
use crate::snapshot::{HpaSpec, SAMPLE_REACH_SECONDS, Snapshot};
use crate::trace::{Lapse, LoadAhead};

/// What the metrics of each side measured in all, at each sample of a record.
#[derive(Clone, Debug)]
pub struct Recorded {
    specs: Vec<HpaSpec>,
    overrides: Overrides,
    samples: Vec<Sampled>,
    /// The load of each metric of each side.
    loads: Vec<Vec<load::Recorded>>,
}

#[derive(Clone, Debug)]
struct Sampled {
    at: Nanos,
    /// One a side.
    demands: Vec<Demand>,
}

impl Recorded {
    /// Nothing yet, for sides with these specs.
    #[must_use]
    pub fn new(specs: &[&HpaSpec], overrides: &Overrides) -> Self {
        Self {
            specs: specs.iter().copied().cloned().collect(),
            overrides: overrides.clone(),
            samples: Vec::new(),
            loads: specs
                .iter()
                .map(|spec| {
                    let metrics = spec.metrics.iter();
                    metrics
                        .map(|it| load::Recorded::new(it, overrides))
                        .collect()
                })
                .collect(),
        }
    }

    /// Takes in a sample; they come in the order of time. One without a
    /// readable scale tells no load.
    pub fn take(&mut self, sample: &Snapshot) {
        let foreign = foreign_pods(sample, selected_pods(sample).into_iter());
        let foreign = foreign.iter().map(|pod| pod.name.as_str()).collect();
        for load in self.loads.iter_mut().flatten() {
            load.take_without(sample, &foreign);
        }
        let specs = self.specs.iter();
        let demand = |spec| self.demand_of(sample, spec, &foreign);
        let demands: Option<Vec<Demand>> = specs.map(demand).collect();
        if let Some(demands) = demands {
            let at = sample.captured_at.as_nanosecond();
            self.samples.push(Sampled { at, demands });
        }
    }

    /// The same once all samples are there: pods that are Ready take load
    /// before they have a sample that counts.
    #[must_use]
    pub fn filled(mut self) -> Self {
        for (place, loads) in std::mem::take(&mut self.loads).into_iter().enumerate() {
            let loads = loads.into_iter().map(load::Recorded::load).enumerate();
            for (index, load) in loads.filter_map(|(index, load)| Some((index, load?))) {
                for sample in &mut self.samples {
                    let total = load.at(timestamp(sample.at).as_second());
                    if let Some(demand) = sample.demands.get_mut(place) {
                        demand.set_own_total(index, total);
                    }
                }
            }
        }
        self
    }

    fn demand_of(
        &self,
        sample: &Snapshot,
        spec: &HpaSpec,
        foreign: &BTreeSet<&str>,
    ) -> Option<Demand> {
        let mut sample = sample.clone();
        sample.horizontal_pod_autoscaler.spec = spec.clone();
        let settings = Settings::resolve(&sample, &self.overrides);
        let prepared = Prepared::new(&sample, &settings);
        let now = sample.captured_at.as_nanosecond();
        let what_if = WhatIf::new(&prepared, &settings, now, foreign)?;
        Some(what_if.demand())
    }

    /// What a side finds at a moment: that of the latest sample.
    pub(super) fn demand(&self, place: usize, now: Nanos) -> Option<&Demand> {
        let until = self.samples.partition_point(|sample| sample.at <= now);
        let latest = self.samples.get(until.checked_sub(1)?)?;
        latest.demands.get(place)
    }

    /// What is to be said of it.
    pub(super) fn load(&self, start: Nanos, end: Nanos) -> LoadAhead {
        let times = self.samples.iter().map(|sample| sample.at);
        let times: Vec<Nanos> = times.filter(|at| (start..=end).contains(at)).collect();
        let to_time = |at: Nanos| -> Timestamp { timestamp(at) };
        let before = std::iter::once(start).chain(times.iter().copied());
        let reach = Nanos::from(SAMPLE_REACH_SECONDS) * SECOND;
        let gaps = before.zip(&times).filter(|(from, to)| **to - from > reach);
        LoadAhead::Recorded {
            until: times.last().copied().map(to_time),
            gaps: gaps
                .map(|(from, to)| Lapse {
                    from: to_time(from),
                    to: to_time(*to),
                })
                .collect(),
        }
    }
}
