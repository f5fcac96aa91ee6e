//! The demand that a record tells of, sample by sample: what a metric measured
//! in all, or in a pod where each of them holds its own.

use std::collections::BTreeSet;

use crate::controller::{Overrides, Prepared, Settings, WhatIf};
use crate::snapshot::{MetricSpec, Snapshot};

use super::super::compare::spread;
use super::super::workload::Spread;
use super::Shape;
use super::gap::{is_gap, usual};

/// A demand in the making.
#[derive(Clone, Debug)]
pub struct Recorded<'a> {
    metric: &'a MetricSpec,
    overrides: &'a Overrides,
    /// The second of the first sample, and a demand from seconds on.
    points: Vec<(i64, i64)>,
    /// The last second that a sample tells of, with or without a value.
    last: Option<i64>,
}

/// A demand that was recorded.
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
}

impl<'a> Recorded<'a> {
    /// Nothing yet, of a metric.
    #[must_use]
    pub fn new(metric: &'a MetricSpec, overrides: &'a Overrides) -> Self {
        Self {
            metric,
            overrides,
            points: Vec::new(),
            last: None,
        }
    }

    /// Takes in a sample; a further one of the same second is left out. Where the metric gives no answer, the demand before it goes on.
    pub fn take(&mut self, sample: &Snapshot) {
        let second = sample.captured_at.as_second();
        if self.last.is_some_and(|last| second <= last) {
            return;
        }
        self.last = Some(second);
        if let Some(demand) = self.demand(sample) {
            self.points.push((second, demand));
        }
    }

    /// What the metric measured of the pods that count, in thousandths: of all
    /// of them together, or on average where they do not share it.
    fn demand(&self, sample: &Snapshot) -> Option<i64> {
        let settings = Settings::resolve(sample, self.overrides);
        let prepared = Prepared::new(sample, &settings);
        let metrics = &sample.horizontal_pod_autoscaler.spec.metrics;
        let index = metrics
            .iter()
            .position(|it| it.measures_the_same(self.metric))?;
        let now = sample.captured_at.as_nanosecond();
        let what_if = WhatIf::new(&prepared, &settings, now, &BTreeSet::new())?;
        let trial = what_if.metric(index)?;
        let demand = match spread(self.metric) {
            Spread::EachPod => trial.average()?,
            Spread::Shared | Spread::Whole => trial.total(),
        };
        Some(demand.max(0))
    }

    /// The demand; absent where no sample has a value.
    #[must_use]
    pub fn load(self) -> Option<RecordedLoad> {
        let (first, _) = *self.points.first()?;
        let last = self.last.unwrap_or(first);
        let ends = self.points.iter().skip(1).map(|(at, _)| *at).chain([last]);
        let distances = self.points.iter().zip(ends).map(|((at, _), end)| end - at);
        let apart = distances.clone().max().unwrap_or_default();
        let usual = usual(distances.clone().filter(|distance| *distance > 0));
        let gaps = usual.map_or(0, |usual| {
            distances
                .filter(|distance| is_gap(*distance, usual))
                .count()
        });
        let steps = self.points.iter().map(|(at, demand)| (at - first, *demand));
        Some(RecordedLoad {
            shape: Shape::Steps(steps.collect()),
            first,
            seconds: (last - first).max(1),
            samples: self.points.len(),
            apart,
            gaps,
        })
    }
}
