//! The metrics of a pass by what its status reports of them.

use super::{AssumedLoad, Trial, WhatIf};
use crate::api::{HpaSpec, MetricStatus, MetricValueStatus, Quantity};
use crate::controller::release::Switch;
use crate::controller::replica_calculator::{Measure, Shown};
use crate::trace::Range;

impl WhatIf<'_> {
    /// What a pass with these pods and this size asked for that reported these
    /// values: one count, or a range where the rounding of what is reported
    /// leaves several, and the metric that decided, by its place in the spec,
    /// where it is the same for all. `None` where the pass had other pods or
    /// another size.
    pub fn as_reported(
        &self,
        spec: &HpaSpec,
        reported: &[MetricStatus],
    ) -> Option<(Range, Option<usize>)> {
        let (mut least, mut most) = (self.clone(), self.clone());
        for (index, spec) in spec.metrics.iter().enumerate() {
            let value = reported.iter().find(|it| it.is_of(spec));
            match (
                self.metrics.get(index)?,
                value.and_then(MetricStatus::current),
            ) {
                (Ok(trial), Some(value)) => {
                    let (from, to) = trial.reporting(value)?;
                    least.metrics[index] = Ok(from);
                    most.metrics[index] = Ok(to);
                }
                (Err(_), None) => {}
                _ => return None,
            }
        }
        let recommended = |what_if: &Self| match what_if.recommendation() {
            Some((replicas, Some(winner))) => Some((replicas, winner)),
            _ => None,
        };
        // More of a metric never asks for less.
        let ((least, one), (most, other)) = (recommended(&least)?, recommended(&most)?);
        let range = Range::of(least).join(Range::of(most));
        Some((range, Some(one).filter(|one| *one == other)))
    }
}

impl Trial<'_> {
    /// The same metric under the least and the most that is reported so.
    fn reporting(&self, value: &MetricValueStatus) -> Option<(Self, Self)> {
        let milli = |it: &Option<Quantity>| it.as_ref().map(|it| i128::from(it.milli_value()));
        let average = milli(&value.average_value).filter(|it| *it >= 0);
        let (from, to) = match &self.load {
            AssumedLoad::PerPod(load) => {
                let all = &load.all;
                let average = average?;
                let count = match all.measure {
                    Measure::Utilization { .. } => all.ready.pods,
                    Measure::Average { .. } => all.ready.entries(),
                };
                let count = i128::from(count);
                let (mut from, mut to) = (average * count, average * count + count - 1);
                // Of what is cut off twice, both have to fit.
                if let Measure::Utilization { .. } = all.measure {
                    let percent = i128::from(value.average_utilization?);
                    let requests = all.ready.requests;
                    from = from.max((percent * requests + 99) / 100);
                    to = to.min(((percent + 1) * requests - 1) / 100);
                }
                (from, to)
            }
            AssumedLoad::Value { .. } => {
                let value = milli(&value.value)?;
                (value, value)
            }
            AssumedLoad::Total { .. } => {
                let average = average?;
                let release = self.calculation.settings.release;
                match i128::from(self.calculation.status_replicas) {
                    0 if release.has(Switch::AverageOfZeroReplicas) => (average, average),
                    0 => return None,
                    // It is rounded up, and nothing is below 0.
                    count => (((average - 1) * count + 1).max(0), average * count),
                }
            }
        };
        if from > to {
            return None;
        }
        let [from, to] = [from, to].map(|total| i64::try_from(total).ok());
        let (from, to) = (self.with_total(from?), self.with_total(to?));
        (from.is_reported_as(value) && to.is_reported_as(value)).then_some((from, to))
    }

    /// Whether the status shows the metric so.
    fn is_reported_as(&self, value: &MetricValueStatus) -> bool {
        let milli = |it: &Option<Quantity>| it.as_ref().map(Quantity::milli_value);
        match self.compute().map(|it| it.shown) {
            Some(Shown::Utilization(percent, average)) => {
                value.average_utilization == Some(percent)
                    && milli(&value.average_value) == Some(average)
            }
            Some(Shown::Average(average)) => milli(&value.average_value) == Some(average),
            Some(Shown::Value(all)) => milli(&value.value) == Some(all),
            None => false,
        }
    }
}
