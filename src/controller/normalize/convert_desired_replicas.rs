//! Policies and bounds limit a change (`convertDesiredReplicasWithRules`,
//! `convertDesiredReplicasWithBehaviorRate`).

use crate::controller::conditions::Reason;
use crate::controller::go::to_i32;
use crate::controller::prepared::{Behavior, Rules};
use crate::trace::{Direction, LimitRecord, PolicyRecord, Recorder, Rule};

use super::Normalization;

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
            return self.up(stabilized, &behavior.scale_up, recorder);
        }
        if stabilized < self.current {
            return self.down(stabilized, &behavior.scale_down, recorder);
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

    fn up<R: Recorder>(&self, stabilized: i32, rules: &Rules, recorder: &mut R) -> Limited {
        let limit = self.scale_limit(Direction::Up, rules);
        let rate = limit.max(self.current);
        let limited = self.at_most(stabilized, rate);
        recorder.record(|| LimitRecord {
            rule: Rule::LimitScaleUp,
            rate_limit: self.knows_changes().then_some(rate),
            select_policy: Some(rules.select),
            policies: self.observed_policies(Direction::Up, rules, limit),
            formula: format!(
                "min({stabilized}, {} by policy, {} by maxReplicas) = {}",
                self.rate_text(rate),
                self.spec.max,
                limited.replicas
            ),
            ..limited.record(stabilized)
        });
        limited
    }

    fn down<R: Recorder>(&self, stabilized: i32, rules: &Rules, recorder: &mut R) -> Limited {
        let limit = self.scale_limit(Direction::Down, rules);
        let rate = limit.min(self.current);
        let limited = self.at_least(stabilized, rate);
        recorder.record(|| LimitRecord {
            rule: Rule::LimitScaleDown,
            rate_limit: self.knows_changes().then_some(rate),
            select_policy: Some(rules.select),
            policies: self.observed_policies(Direction::Down, rules, limit),
            formula: format!(
                "max({stabilized}, {} by policy, {} by minReplicas) = {}",
                self.rate_text(rate),
                self.spec.min,
                limited.replicas
            ),
            ..limited.record(stabilized)
        });
        limited
    }

    /// Whether it is known what was added and removed within the periods.
    fn knows_changes(&self) -> bool {
        self.memory.scale_up_events.is_some() && self.memory.scale_down_events.is_some()
    }

    fn observed_policies(
        &self,
        direction: Direction,
        rules: &Rules,
        limit: i32,
    ) -> Vec<PolicyRecord> {
        if self.knows_changes() {
            self.policies(direction, rules, limit)
        } else {
            Vec::new()
        }
    }

    fn rate_text(&self, rate: i32) -> String {
        if self.knows_changes() {
            rate.to_string()
        } else {
            "unknown".to_owned()
        }
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
