//! The load of a record, sample by sample.

use jiff::Timestamp;

use crate::controller::{
    Demand, Nanos, Overrides, Prepared, SECOND, Settings, WhatIf, selected_pods, timestamp,
};
use crate::diagnose::owners::foreign_pods;
use crate::snapshot::{HpaSpec, SAMPLE_REACH_SECONDS, Snapshot};
use crate::trace::{Lapse, LoadAhead};

/// What the metrics of each side measured in all, at each sample of a record.
#[derive(Clone, Debug)]
pub struct Recorded {
    specs: Vec<HpaSpec>,
    overrides: Overrides,
    samples: Vec<Sampled>,
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
        }
    }

    /// Takes in a sample; they come in the order of time. One without a
    /// readable scale tells no load.
    pub fn take(&mut self, sample: &Snapshot) {
        let specs = self.specs.iter();
        let demands: Option<Vec<Demand>> = specs.map(|spec| self.demand_of(sample, spec)).collect();
        if let Some(demands) = demands {
            let at = sample.captured_at.as_nanosecond();
            self.samples.push(Sampled { at, demands });
        }
    }

    fn demand_of(&self, sample: &Snapshot, spec: &HpaSpec) -> Option<Demand> {
        let mut sample = sample.clone();
        sample.horizontal_pod_autoscaler.spec = spec.clone();
        let settings = Settings::resolve(&sample, &self.overrides);
        let prepared = Prepared::new(&sample, &settings);
        let foreign = foreign_pods(&sample, selected_pods(&sample).into_iter());
        let names = foreign.iter().map(|pod| pod.name.as_str()).collect();
        let now = sample.captured_at.as_nanosecond();
        let what_if = WhatIf::new(&prepared, &settings, now, &names)?;
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
