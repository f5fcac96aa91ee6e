//! Passes on the same load, one after the other, without a record.

use super::WhatIf;
use crate::api::SelectPolicy;
use crate::controller::conditions::Reason;
use crate::controller::memory::{Account, Memory};
use crate::controller::normalize::{Normalization, possible, possible_range, store_scale_event};
use crate::controller::prepared::{Behavior, Rules};
use crate::controller::reconcile_autoscaler::{Branch, clamp_from_zero};
use crate::controller::time::{Nanos, SECOND};
use crate::trace::{Nothing, Range};

/// What a pass leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The size after it.
    pub replicas: i32,
    /// What the metrics ask for, not below 0; absent where they are not asked,
    /// or failed ones block the rest.
    pub recommended: Option<i32>,
    /// Why it is another size than was asked for.
    pub held_by: Option<Reason>,
}

/// What a pass can leave behind, by a memory that may be open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// The sizes after it.
    pub replicas: Range,
    /// What the metrics ask for, as in `Passed`.
    pub recommended: Option<i32>,
    /// What stabilization makes of that, where it is certain.
    pub stabilized: Option<i32>,
    /// Why it is another size than was asked for, where that is certain.
    pub held_by: Option<Reason>,
    /// The slot in which the recommendation is to be stored.
    slot: Option<usize>,
}

impl Open {
    /// A pass that the metrics do not decide.
    const fn without_metrics(replicas: i32, held_by: Option<Reason>) -> Self {
        Self {
            replicas: Range::of(replicas),
            recommended: None,
            stabilized: None,
            held_by,
            slot: None,
        }
    }
}

impl WhatIf<'_> {
    /// The size at which passes end that nothing remembered holds back, if the
    /// load stays as it is here.
    pub fn aim(&self) -> Option<i32> {
        let (current, spec) = (self.calculation.current, &self.prepared.spec);
        let recommended = self.recommendation()?.0.max(spec.min).min(spec.max);
        let is_disabled = |rules: &Rules| rules.select == SelectPolicy::Disabled;
        let is_forbidden = spec.behavior.as_ref().is_some_and(|behavior| {
            recommended > current && is_disabled(&behavior.scale_up)
                || recommended < current && is_disabled(&behavior.scale_down)
        });
        Some(if is_forbidden { current } else { recommended })
    }

    /// Runs a pass at a later moment, which the memory keeps as the controller
    /// does. `None` where what cannot be seen decides.
    pub fn pass(&self, memory: &mut Memory, now: Nanos) -> Option<Passed> {
        let open = self.look(memory, now)?;
        let replicas = open.replicas.single()?;
        self.carry_out(memory, now, &open, replicas);
        Some(Passed {
            replicas,
            recommended: open.recommended,
            held_by: open.held_by,
        })
    }

    /// What a pass at a later moment can lead to, as far as the memory is
    /// known. `None` where a metric that may not be read decides.
    pub fn look(&self, memory: &mut Memory, now: Nanos) -> Option<Open> {
        let (current, spec) = (self.calculation.current, &self.prepared.spec);
        if memory.accounts.is_empty() && !memory.is_known() {
            memory.accounts = Account::unknown(current, now);
        }
        memory.seed(current, now);
        let settings = self.calculation.settings;
        Some(
            match Branch::of(spec, settings, current, self.scaled_to_zero) {
                Branch::Disabled => Open::without_metrics(0, None),
                Branch::AboveMax => Open::without_metrics(spec.max, Some(Reason::TooManyReplicas)),
                Branch::BelowMin => Open::without_metrics(spec.min, Some(Reason::TooFewReplicas)),
                Branch::Metrics | Branch::MetricsAtZero => self.by_metrics(memory, now)?,
            },
        )
    }

    fn by_metrics(&self, memory: &Memory, now: Nanos) -> Option<Open> {
        let (current, settings) = (self.calculation.current, self.calculation.settings);
        let (desired, winner) = self.recommendation_at(now)?;
        if winner.is_none() {
            return Some(Open::without_metrics(current, None));
        }
        let normalization = Normalization {
            spec: &self.prepared.spec,
            settings,
            memory,
            now,
            current,
            desired,
        };
        let (replicas, normalized) = if memory.is_known() {
            let normalized = normalization.normalize(&mut Nothing);
            (Range::of(normalized.replicas), Some(normalized))
        } else {
            let range = possible_range(&normalization);
            let only = range.single().map(|_| possible(&normalization, desired));
            (range, only.and_then(|possible| possible.only))
        };
        let clamp = |count| clamp_from_zero(self.prepared, settings, current, count);
        Some(Open {
            replicas: Range::new(clamp(replicas.from), clamp(replicas.to)),
            recommended: Some(desired),
            // Of a memory that is open, a limit hides what stabilization leaves.
            stabilized: normalized
                .filter(|it| memory.is_known() || !it.is_limited)
                .map(|it| it.stabilized),
            held_by: normalized.and_then(|normalized| normalized.held_by()),
            slot: normalized.and_then(|normalized| normalized.slot),
        })
    }

    /// Remembers such a pass as the controller does, once it has come to a
    /// size. One that failed metrics end leaves nothing behind.
    pub fn carry_out(&self, memory: &mut Memory, now: Nanos, open: &Open, replicas: i32) {
        let current = self.calculation.current;
        if let Some(recommended) = open.recommended {
            memory.store_recommendation(recommended, now, open.slot);
        }
        if replicas != current {
            store_scale_event(memory, &self.prepared.spec, current, replicas, now);
        }
        memory.forget(now - self.longest_memory());
    }

    /// What of a memory can count from a moment on.
    pub fn counting(&self, memory: &Memory, at: Nanos) -> Memory {
        let mut memory = memory.clone();
        memory.forget(at - self.longest_memory());
        memory
    }

    /// How far back recommendations and changes count, by the spec or by the
    /// controller's flag.
    pub fn longest_memory(&self) -> Nanos {
        let behavior = self.prepared.spec.behavior.iter();
        let each = behavior.flat_map(Behavior::directions).map(|(_, rules)| {
            let window = Nanos::from(rules.window.unwrap_or(0)) * SECOND;
            rules.longest_period().max(window)
        });
        let default = self.calculation.settings.downscale_stabilization;
        each.fold(default, Nanos::max)
    }
}
