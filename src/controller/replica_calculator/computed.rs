//! What a calculation comes to.

use crate::trace::{Rule, milli_text, short};

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
    #[must_use]
    pub fn formula(&self) -> String {
        let replicas = self.replicas;
        let terms = match self.terms {
            Terms::Ratio(ratio) => format!("ceil({})", short(ratio, 4)),
            Terms::Product(ratio, pods) => format!("ceil({} × {pods})", short(ratio, 4)),
            Terms::Quotient(usage, target) => {
                format!("ceil({} / {})", milli_text(usage), milli_text(target))
            }
        };
        match self.rule {
            Rule::ReplicasByReadyPods
            | Rule::ReplicasFilledIn
            | Rule::ValueByReadyPods
            | Rule::ValueFromZero
            | Rule::AverageOfTotal => format!("{terms} = {replicas}"),
            Rule::ReplicasOpposed => {
                format!("{terms} lies on the other side of {replicas}: stays at {replicas}")
            }
            _ => format!("stays at {replicas}"),
        }
    }
}
