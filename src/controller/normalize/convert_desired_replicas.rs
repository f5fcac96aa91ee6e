//! Policies and bounds limit a change (`convertDesiredReplicasWithRules`,
//! `convertDesiredReplicasWithBehaviorRate`).

use super::Normalization;
use crate::controller::conditions::Reason;
use crate::controller::go::to_i32;
use crate::controller::prepared::{Behavior, Rules};
use crate::trace::{Direction, LimitRecord, Recorder, Rule};

/// A limited count.
#[derive(Clone, Copy)]
pub struct Limited {
    pub replicas: i32,
    pub reason: Reason,
}

impl Normalization<'_> {
    pub(super) fn convert_desired_replicas<R: Recorder>(
        &self,
        stabilized: i32,
        recorder: &mut R,
    ) -> Limited {
        match &self.spec.behavior {
            Some(behavior) => self.at_behavior_rate(stabilized, behavior, recorder),
            None => self.with_rules(stabilized, recorder),
        }
    }

    /// At most twice the current size, or 4, in one pass; there is no limit
    /// downwards but `minReplicas`.
    fn with_rules<R: Recorder>(&self, stabilized: i32, recorder: &mut R) -> Limited {
        let doubled = (2.0 * f64::from(self.current)).max(4.0);
        let rate = to_i32(doubled);
        let limited = if stabilized < self.spec.min {
            Limited {
                replicas: self.spec.min,
                reason: Reason::TooFewReplicas,
            }
        } else {
            self.at_most(stabilized, rate)
        };
        recorder.record(|| LimitRecord {
            rule: Rule::LimitDoubling,
            rate_limit: Some(rate),
            formula: format!(
                "{stabilized} within {}..min({}, max(2 × {}, 4) = {rate}) = {}",
                self.spec.min, self.spec.max, self.current, limited.replicas
            ),
            ..limited.record(stabilized)
        });
        limited
    }

    fn at_behavior_rate<R: Recorder>(
        &self,
        stabilized: i32,
        behavior: &Behavior,
        recorder: &mut R,
    ) -> Limited {
        if stabilized > self.current {
            return self.by_rules(Direction::Up, stabilized, &behavior.scale_up, recorder);
        }
        if stabilized < self.current {
            return self.by_rules(Direction::Down, stabilized, &behavior.scale_down, recorder);
        }
        let limited = Limited {
            replicas: stabilized,
            reason: Reason::DesiredWithinRange,
        };
        recorder.record(|| LimitRecord {
            rule: Rule::LimitUnchanged,
            formula: format!("{stabilized} is the current size"),
            ..limited.record(stabilized)
        });
        limited
    }

    fn by_rules<R: Recorder>(
        &self,
        direction: Direction,
        stabilized: i32,
        rules: &Rules,
        recorder: &mut R,
    ) -> Limited {
        let limit = self.scale_limit(direction, rules);
        let (rate, limited) = match direction {
            Direction::Up => {
                let rate = limit.max(self.current);
                (rate, self.at_most(stabilized, rate))
            }
            Direction::Down => {
                let rate = limit.min(self.current);
                (rate, self.at_least(stabilized, rate))
            }
        };
        recorder.record(|| {
            let (rule, function, bound, field) = match direction {
                Direction::Up => (Rule::LimitScaleUp, "min", self.spec.max, "maxReplicas"),
                Direction::Down => (Rule::LimitScaleDown, "max", self.spec.min, "minReplicas"),
            };
            let knows_changes = self.knows_changes();
            let (by_policy, policies) = if knows_changes {
                let policies = self.policies(direction, rules, limit);
                (rate.to_string(), policies)
            } else {
                ("unknown".to_owned(), Vec::new())
            };
            LimitRecord {
                rule,
                rate_limit: knows_changes.then_some(rate),
                select_policy: Some(rules.select),
                policies,
                formula: format!(
                    "{function}({stabilized}, {by_policy} by policy, {bound} by {field}) = {}",
                    limited.replicas
                ),
                ..limited.record(stabilized)
            }
        });
        limited
    }

    /// Whether it is known what was added and removed within the periods.
    fn knows_changes(&self) -> bool {
        self.memory.scale_up_events.is_some() && self.memory.scale_down_events.is_some()
    }

    /// Where rate and bound are equal, the bound gives the reason.
    fn at_most(&self, replicas: i32, rate: i32) -> Limited {
        let (most, reason) = if self.spec.max > rate {
            (rate, Reason::ScaleUpLimit)
        } else {
            (self.spec.max, Reason::TooManyReplicas)
        };
        limit(replicas, replicas.min(most), reason)
    }

    fn at_least(&self, replicas: i32, rate: i32) -> Limited {
        let (least, reason) = if self.spec.min < rate {
            (rate, Reason::ScaleDownLimit)
        } else {
            (self.spec.min, Reason::TooFewReplicas)
        };
        limit(replicas, replicas.max(least), reason)
    }
}

fn limit(desired: i32, replicas: i32, reason: Reason) -> Limited {
    let reason = if replicas == desired {
        Reason::DesiredWithinRange
    } else {
        reason
    };
    Limited { replicas, reason }
}

impl Limited {
    /// The part of the record that all rules share.
    fn record(self, stabilized: i32) -> LimitRecord {
        LimitRecord {
            rule: Rule::LimitUnchanged,
            stabilized,
            result: self.replicas,
            rate_limit: None,
            select_policy: None,
            policies: Vec::new(),
            reason: self.reason,
            limited: self.replicas != stabilized,
            formula: String::new(),
        }
    }
}
