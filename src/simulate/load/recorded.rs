//! The demand that a record tells of: what a metric measured in all, sample
//! by sample.

use std::collections::BTreeSet;

use crate::controller::{Overrides, Prepared, Settings, WhatIf};
use crate::snapshot::{MetricSpec, Snapshot};

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
    /// Samples that came too late to count.
    unordered: usize,
}

/// A demand that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedLoad {
    /// Its course.
    pub shape: Shape,
    /// How long it is, in seconds.
    pub seconds: i64,
    /// How many samples tell of it.
    pub samples: usize,
    /// The longest time without another value, in seconds.
    pub apart: i64,
    /// How many such times are much longer than usual.
    pub gaps: usize,
    /// How many samples were not later than one before, and left out.
    pub unordered: usize,
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
            unordered: 0,
        }
    }

    /// Takes in a sample; one that is not later than those before is left
    /// out. Where the metric gives no answer, the demand before it goes on.
    pub fn take(&mut self, sample: &Snapshot) {
        let second = sample.captured_at.as_second();
        if self.last.is_some_and(|last| second <= last) {
            self.unordered += 1;
            return;
        }
        self.last = Some(second);
        if let Some(total) = self.total(sample) {
            self.points.push((second, total));
        }
    }

    /// What the metric measured of all pods that count, in thousandths.
    fn total(&self, sample: &Snapshot) -> Option<i64> {
        let settings = Settings::resolve(sample, self.overrides);
        let prepared = Prepared::new(sample, &settings);
        let metrics = &sample.horizontal_pod_autoscaler.spec.metrics;
        let index = metrics
            .iter()
            .position(|it| it.measures_the_same(self.metric))?;
        let now = sample.captured_at.as_nanosecond();
        let what_if = WhatIf::new(&prepared, &settings, now, &BTreeSet::new())?;
        what_if.metric(index).map(|trial| trial.total().max(0))
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
        let steps = self.points.iter().map(|(at, total)| (at - first, *total));
        Some(RecordedLoad {
            shape: Shape::Steps(steps.collect()),
            seconds: (last - first).max(1),
            samples: self.points.len(),
            apart,
            gaps,
            unordered: self.unordered,
        })
    }
}
