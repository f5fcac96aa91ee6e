//! From measurements to a proposed count (`replica_calculator.go`).

mod group_pod;
mod measure;
mod one_value;
mod per_pod;

use super::conditions::Complaint;
use super::time::Nanos;
use crate::controller::prepared::{Pod, Spec};
use crate::controller::release::Switch;
use crate::controller::settings::Settings;
use crate::trace::{FailureCause, Rule, milli_text, short};

pub use group_pod::group_pod;
pub use measure::{Measure, Tally};
pub use one_value::{
    average_ratio, average_value_replicas, ready_pods, usage_ratio, usage_ratio_replicas,
};
pub use per_pod::{Counted, PerPod, SetAside, group_pods, per_pod_replicas};

/// What every calculation of one pass reads.
#[derive(Clone, Copy, Debug)]
pub struct Calculation<'a> {
    pub settings: &'a Settings,
    /// The tolerances that apply.
    pub tolerances: Tolerances,
    /// The moment of the pass.
    pub now: Nanos,
    /// `scale.spec.replicas`.
    pub current: i32,
    /// `scale.status.replicas`.
    pub status_replicas: i32,
    /// The pods that the selector matches.
    pub pods: &'a [Pod<'a>],
}

/// Said wherever pods are needed and the selector matches none.
fn no_pods() -> Complaint {
    let text = "no pods returned by selector while calculating replica count";
    Complaint::new(text, FailureCause::NoPods)
}

/// The tolerated deviations, as fractions of 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// Downwards.
    pub down: f64,
    /// Upwards.
    pub up: f64,
    /// Whether the range has two ends (1.33 and later) or is a distance.
    is_range: bool,
}

impl Tolerances {
    /// The controller's flag on both sides; the spec's own tolerance replaces
    /// a side where the gate is on.
    pub fn new(spec: &Spec, settings: &Settings) -> Self {
        let behavior = spec
            .behavior
            .as_ref()
            .filter(|_| settings.gates.configurable_tolerance);
        let flag = settings.tolerance;
        Self {
            down: behavior
                .and_then(|b| b.scale_down.tolerance)
                .unwrap_or(flag),
            up: behavior.and_then(|b| b.scale_up.tolerance).unwrap_or(flag),
            is_range: settings.release.has(Switch::ToleranceRange),
        }
    }

    /// The smallest and the largest tolerated ratio.
    pub fn range(&self) -> (f64, f64) {
        (1.0 - self.down, 1.0 + self.up)
    }

    /// Whether a ratio is tolerated. The two forms differ at the edges:
    /// |1 − 1.1| is a little more than 0.1.
    pub fn is_within(&self, ratio: f64) -> bool {
        if self.is_range {
            let (from, to) = self.range();
            return from <= ratio && ratio <= to;
        }
        (1.0 - ratio).abs() <= self.up
    }

    /// Whether a ratio of a per-pod average is tolerated. Before 1.33 the
    /// test was written the other way round, so that a ratio of 0/0 passes.
    pub fn is_within_for_average(&self, ratio: f64) -> bool {
        self.is_within(ratio) || (!self.is_range && ratio.is_nan())
    }
}

/// A proposed count, with the rule and the terms that gave it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Computed {
    /// The proposed count.
    pub replicas: i32,
    /// The rule that gave it.
    pub rule: Rule,
    /// What the status shows of the metric.
    pub shown: Shown,
    /// What the rule computed with.
    pub terms: Terms,
}

/// What the status shows of a metric; amounts are thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Percent of the requests, and the average per pod.
    Utilization(i32, i64),
    /// The average per pod.
    Average(i64),
    /// The whole metric.
    Value(i64),
}

/// What a rule computed with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Terms {
    /// A ratio alone.
    Ratio(f64),
    /// A ratio times a number of pods.
    Product(f64, i64),
    /// A usage divided by a target, both in thousandths.
    Quotient(i64, i64),
}

impl Computed {
    /// The rule's formula, with its numbers.
    pub fn formula(&self) -> String {
        let replicas = self.replicas;
        let terms = match self.terms {
            Terms::Ratio(ratio) => format!("ceil({})", factor(ratio, 1)),
            Terms::Product(ratio, pods) => {
                format!("ceil({} × {pods})", factor(ratio, pods))
            }
            Terms::Quotient(usage, target) => {
                format!("ceil({} / {})", milli_text(usage), milli_text(target))
            }
        };
        match self.rule {
            rule if rule.rounds_up() && self.is_exact() => format!("{terms} = {replicas}"),
            rule if rule.rounds_up() => {
                format!("{terms} is out of range and becomes {replicas}")
            }
            Rule::ReplicasOpposed => {
                format!("{terms} {}: stays at {replicas}", self.opposition())
            }
            _ => format!("stays at {replicas}"),
        }
    }
}

impl Computed {
    /// Which way it would go, and why it must not.
    fn opposition(&self) -> &'static str {
        match self.terms {
            Terms::Ratio(ratio) | Terms::Product(ratio, _) if ratio < 1.0 => {
                "would scale up, which a ratio below 1 never does"
            }
            _ => "would scale down, which a ratio above 1 never does",
        }
    }

    /// Whether the count is what the terms come to; beyond 32 bits it is not.
    #[expect(
        clippy::cast_precision_loss,
        reason = "what is that large is out of range"
    )]
    fn is_exact(&self) -> bool {
        let exact = match self.terms {
            Terms::Ratio(ratio) => ratio,
            Terms::Product(ratio, pods) => ratio * pods as f64,
            Terms::Quotient(usage, target) => usage as f64 / target as f64,
        };
        exact.ceil().total_cmp(&f64::from(self.replicas)).is_eq()
            || exact.ceil() == 0.0 && self.replicas == 0
    }
}

/// A ratio in four places or, where it takes more, in so many that the printed
/// product rounds up to what the exact one does. Two thirds of 6 are 4, but
/// 0.6667 × 6 is more: that is cut to 0.6666.
#[expect(clippy::cast_precision_loss, reason = "there are fewer pods than that")]
fn factor(ratio: f64, pods: i64) -> String {
    let product = |ratio: f64| (ratio * pods as f64).ceil();
    let holds = |text: &String| {
        let shown: f64 = text.parse().unwrap_or(f64::NAN);
        product(shown).total_cmp(&product(ratio)).is_eq()
    };
    let mut texts = (4..=17_i8).flat_map(|places| {
        let below = ratio - 0.5 / 10_f64.powi(i32::from(places));
        let places = usize::from(places.unsigned_abs());
        [short(ratio, places), short(below, places)]
    });
    texts.find(holds).unwrap_or_else(|| ratio.to_string())
}

#[cfg(test)]
mod tests {
    use super::factor;

    #[test]
    fn a_printed_product_rounds_as_the_exact_one() {
        let rows = [
            (2.5, 12, "2.5"),
            (0.8, 4, "0.8"),
            (2.0 / 3.0, 6, "0.6666"),
            (1.0 / 3.0, 3, "0.3333"),
            (7.0 / 3.0, 3, "2.3333"),
            (1.1, 10, "1.1"),
            (0.1 + 0.2, 10, "0.30000000000000004"),
            (1.000_001, 3, "1.000001"),
            (f64::INFINITY, 3, "inf"),
        ];
        for (ratio, pods, text) in rows {
            assert_eq!(factor(ratio, pods), text, "{ratio} × {pods}");
        }
    }
}
