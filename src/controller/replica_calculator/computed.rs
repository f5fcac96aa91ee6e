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
