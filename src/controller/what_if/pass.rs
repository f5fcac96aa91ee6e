//! Passes on the same load, one after the other, without a record.

use crate::controller::conditions::Reason;
use crate::controller::memory::{Account, Memory};
use crate::controller::normalize::{Normalization, store_scale_event};
use crate::controller::reconcile_autoscaler::{Branch, clamp_from_zero};
use crate::controller::time::{Nanos, SECOND};

use super::WhatIf;

pub use crate::controller::normalize::Edge;

/// What a pass leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The size after it.
    pub replicas: i32,
    /// What the metrics ask for, not below 0; absent where they are not asked,
    /// or failed ones block the rest.
    pub asked: Option<i32>,
    /// Why it is another size than was asked for.
    pub held_by: Option<Reason>,
}

impl Passed {
    /// A pass that the metrics do not decide.
    const fn without_metrics(replicas: i32, held_by: Option<Reason>) -> Self {
        Self {
            replicas,
            asked: None,
            held_by,
        }
    }
}

impl WhatIf<'_> {
    /// Runs a pass at a later moment, which the memory keeps as the controller
    /// does. `None` where what cannot be seen decides; of a memory that leaves
    /// several sizes, the smallest.
    #[must_use]
    pub fn pass(&self, memory: &mut Memory, now: Nanos) -> Option<Passed> {
        self.pass_at(memory, now, Edge::Least)
    }

    /// The same at one end of what the memory leaves open.
    #[must_use]
    pub fn pass_at(&self, memory: &mut Memory, now: Nanos, edge: Edge) -> Option<Passed> {
        let (current, spec) = (self.calculation.current, &self.prepared.spec);
        let settings = self.calculation.settings;
        if memory.accounts.is_empty() && !memory.is_known() {
            memory.accounts = Account::unknown(current, now);
        }
        memory.seed(current, now);
        let passed = match Branch::of(spec, settings, current, self.scaled_to_zero) {
            Branch::Disabled => Passed::without_metrics(0, None),
            Branch::AboveMax => Passed::without_metrics(spec.max, Some(Reason::TooManyReplicas)),
            Branch::BelowMin => Passed::without_metrics(spec.min, Some(Reason::TooFewReplicas)),
            Branch::Metrics | Branch::MetricsAtZero => self.by_metrics(memory, now, edge)?,
        };
        if passed.replicas != current {
            store_scale_event(memory, spec, current, passed.replicas, now);
        }
        memory.forget(now - self.longest_memory());
        Some(passed)
    }

    fn by_metrics(&self, memory: &mut Memory, now: Nanos, edge: Edge) -> Option<Passed> {
        let (current, settings) = (self.calculation.current, self.calculation.settings);
        let (desired, winner) = self.recommendation_at(now)?;
        if winner.is_none() {
            // Failed metrics end the pass before anything is remembered.
            return Some(Passed::without_metrics(current, None));
        }
        let normalization = Normalization {
            spec: &self.prepared.spec,
            settings,
            memory,
            now,
            current,
            desired,
        };
        let normalized = normalization.normalize_at(edge);
        memory.store_recommendation(desired, now, normalized.slot);
        Some(Passed {
            replicas: clamp_from_zero(self.prepared, settings, current, normalized.replicas),
            asked: Some(desired),
            held_by: normalized.held_by(),
        })
    }

    /// How far back recommendations and changes count, by the spec or by the
    /// controller's flag.
    #[must_use]
    pub fn longest_memory(&self) -> Nanos {
        let behavior = self.prepared.spec.behavior.as_ref();
        let rules = behavior.map(|behavior| [&behavior.scale_up, &behavior.scale_down]);
        let seconds = rules.into_iter().flatten().flat_map(|rules| {
            let policies = rules.policies.iter();
            let periods = policies.map(|policy| policy.period_seconds);
            periods.chain(rules.window)
        });
        let longest = seconds.max().unwrap_or_default();
        (Nanos::from(longest) * SECOND).max(self.calculation.settings.downscale_stabilization)
    }
}
