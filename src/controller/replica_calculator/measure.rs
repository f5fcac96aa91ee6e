//! Measuring what counts against the target (`GetResourceUtilizationRatio`,
//! `GetMetricUsageRatio`).

use super::{Shown, Tolerances};
use crate::controller::conditions::Complaint;
use crate::controller::go::{to_f64, wrap_i32, wrap_i64};
use crate::controller::release::{Release, Switch};
use crate::trace::{FailureCause, Measured, Rule, milli_text, quotient};

/// What pods are measured by. Amounts are thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Usage in percent of the requests.
    Utilization {
        /// The target in percent.
        target: i32,
    },
    /// Usage per pod.
    Average {
        /// The target in thousandths.
        target: i64,
    },
}

/// Exact sums over entries that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub usage: i128,
    pub requests: i128,
    /// The entries of selected pods.
    pub pods: i64,
    /// The usage of pods that are not selected.
    pub foreign_usage: i128,
    /// The entries of pods that are not selected.
    pub foreign_pods: i64,
}

/// A measurement and its ratio to the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Measured divided by target.
    pub to_target: f64,
    /// The percentage of the requests, for utilization.
    pub utilization: Option<i32>,
    /// The average per entry, in thousandths.
    pub average: i64,
}

impl Tally {
    /// Adds a selected pod.
    pub fn add(&mut self, usage: i64, request: i64) {
        self.usage += i128::from(usage);
        self.requests += i128::from(request);
        self.pods += 1;
    }

    /// Adds a pod that is not selected.
    pub fn add_foreign(&mut self, usage: i64) {
        self.foreign_usage += i128::from(usage);
        self.foreign_pods += 1;
    }

    /// The number of all entries.
    pub fn entries(&self) -> i64 {
        self.pods + self.foreign_pods
    }
}

impl Ratio {
    /// What the status shows of the measurement.
    pub fn shown(&self) -> Shown {
        match self.utilization {
            Some(percent) => Shown::Utilization(percent, self.average),
            None => Shown::Average(self.average),
        }
    }
}

impl Measure {
    /// Measures a tally that has at least one entry.
    /// Errors: no entry belongs to a pod with a request above 0.
    pub fn ratio(self, tally: &Tally, release: Release) -> Result<Ratio, Complaint> {
        match self {
            Self::Utilization { target } => utilization(tally, target, release),
            Self::Average { target } => Ok(average(tally, target, release)),
        }
    }

    pub fn record(self, tally: &Tally, ratio: &Ratio, tolerances: Tolerances) -> Measured {
        let total = wrap_i64(self.usage(tally));
        let (tolerated_from, tolerated_to) = tolerances.range();
        let within_tolerance = tolerances.is_within(ratio.to_target);
        let (rule, requests, count, formula) = match self {
            Self::Utilization { target } => {
                let percent = ratio.utilization.unwrap_or_default();
                let requests = wrap_i64(tally.requests);
                let formula = format!(
                    "{} / {} = {percent}%; {percent} / {target} = {}",
                    milli_text(total),
                    milli_text(requests),
                    quotient(ratio.to_target),
                );
                (
                    Rule::MeasureUtilization,
                    Some(requests),
                    tally.pods,
                    formula,
                )
            }
            Self::Average { target } => {
                let formula = format!(
                    "{} / {} = {}; {} / {} = {}",
                    milli_text(total),
                    tally.entries(),
                    milli_text(ratio.average),
                    milli_text(ratio.average),
                    milli_text(target),
                    quotient(ratio.to_target),
                );
                (Rule::MeasureAverage, None, tally.entries(), formula)
            }
        };
        Measured {
            rule,
            total,
            requests,
            count,
            utilization: ratio.utilization,
            average: Some(ratio.average),
            ratio: ratio.to_target,
            tolerated_from,
            tolerated_to,
            within_tolerance,
            uncut_utilization: self.uncut_utilization(tally, within_tolerance, tolerances),
            spec_ratio: None,
            formula,
        }
    }

    /// The utilization before it is cut, where its ratio is not tolerated.
    fn uncut_utilization(
        self,
        tally: &Tally,
        is_tolerated: bool,
        tolerances: Tolerances,
    ) -> Option<f64> {
        let Self::Utilization { target } = self else {
            return None;
        };
        let percent = to_f64(wrap_i64(tally.usage)) * 100.0 / to_f64(wrap_i64(tally.requests));
        let ratio = percent / f64::from(target);
        (is_tolerated && ratio.is_finite() && !tolerances.is_within(ratio)).then_some(percent)
    }

    /// The usage that counts: utilization knows no request of a pod that is
    /// not selected, an average takes every entry.
    pub fn usage(self, tally: &Tally) -> i128 {
        match self {
            Self::Utilization { .. } => tally.usage,
            Self::Average { .. } => tally.usage + tally.foreign_usage,
        }
    }
}

/// `GetResourceUtilizationRatio`: the percentage is truncated before it is
/// compared with the target.
fn utilization(tally: &Tally, target: i32, release: Release) -> Result<Ratio, Complaint> {
    let no_requests = || {
        let text = "no metrics returned matched known pods";
        Complaint::new(text, FailureCause::NoReadyPodWithRequest)
    };
    let percent = if release.has(Switch::ExactTotals) {
        let percent = (tally.usage * 100)
            .checked_div(tally.requests)
            .ok_or_else(no_requests)?;
        i32::try_from(percent).unwrap_or(if percent < 0 { i32::MIN } else { i32::MAX })
    } else {
        let (usage, requests) = (wrap_i64(tally.usage), wrap_i64(tally.requests));
        if requests == 0 {
            return Err(no_requests());
        }
        wrap_i32(usage.wrapping_mul(100).wrapping_div(requests))
    };
    Ok(Ratio {
        to_target: f64::from(percent) / f64::from(target),
        utilization: Some(percent),
        average: mean(tally.usage, tally.pods, release),
    })
}

/// `GetMetricUsageRatio`: the average is truncated to a thousandth before it
/// is compared with the target.
fn average(tally: &Tally, target: i64, release: Release) -> Ratio {
    let usage = tally.usage + tally.foreign_usage;
    let average = mean(usage, tally.entries(), release);
    Ratio {
        to_target: to_f64(average) / to_f64(target),
        utilization: None,
        average,
    }
}

/// The total over the entries, truncated. Before 1.38 the total wraps.
fn mean(total: i128, entries: i64, release: Release) -> i64 {
    let total = if release.has(Switch::ExactTotals) {
        total
    } else {
        wrap_i64(total).into()
    };
    // Of numbers of 64 bits the mean has no more.
    wrap_i64(total / i128::from(entries.max(1)))
}
