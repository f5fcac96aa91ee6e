//! Policies whose limit does not rise with the size at the start of their
//! period: it falls (a scaleDown policy of more than 100%), or overflows.

use std::collections::{BTreeMap, BTreeSet};

use super::changes::{Changes, DirectionChanges, divide, edges, event};
use crate::api::{PolicyKind, SelectPolicy};
use crate::controller::memory::{Account, BEYOND, Bounded, ScaleEvent};
use crate::controller::normalize::Normalization;
use crate::controller::prepared::{Policy, Rules, Spec};
use crate::controller::release::Switch;
use crate::controller::time::{Nanos, SECOND};
use crate::trace::Direction;

/// Counts and values beyond this can overflow.
const LARGE: i32 = 1_000_000;
/// More combinations than this are not tried one by one.
const MOST_COMBINED: usize = 4_096;

/// Whether a policy's limit can overflow, or fall as the start of its period
/// rises.
pub(super) fn has_unordered_policy(spec: &Spec) -> bool {
    let is_large = |rules: &Rules| rules.policies.iter().any(|policy| policy.value > LARGE);
    let falls = |policy: &Policy| policy.kind == PolicyKind::Percent && policy.value > 100;
    spec.behavior.as_ref().is_some_and(|behavior| {
        spec.max > LARGE
            || is_large(&behavior.scale_up)
            || is_large(&behavior.scale_down)
            || behavior.scale_down.policies.iter().any(falls)
    })
}

/// Whether witnesses alone tell the ends.
pub(super) fn is_settled(normalization: &Normalization, account: &Account) -> bool {
    if !has_unordered_policy(normalization.spec) {
        return true;
    }
    let memory = normalization.memory;
    let is_open = |known: &Option<Vec<ScaleEvent>>, entries: &[Bounded]| {
        known.is_none() && !entries.is_empty()
    };
    let up = is_open(&memory.scale_up_events, &account.scale_up_events);
    let down = is_open(&memory.scale_down_events, &account.scale_down_events);
    if !up && !down {
        return true;
    }
    let is_free = |entries: &[Bounded]| {
        entries.len() == 1 && !entries[0].is_certain && entries[0].replicas.to >= BEYOND
    };
    let release = normalization.settings.release;
    up && down
        && is_free(&account.scale_up_events)
        && is_free(&account.scale_down_events)
        && release.has(Switch::PeriodStartFromBothDirections)
        && has_room(normalization.current)
}

/// Whether no change that is considered overflows the size: a start that did
/// would be anywhere.
fn has_room(current: i32) -> bool {
    current.checked_add(BEYOND).is_some() && current.checked_sub(BEYOND).is_some()
}

/// The spec with policies that allow nothing, and with policies that allow
/// everything: whatever the policies do lies between.
pub(super) fn bounds(spec: &Spec) -> Vec<Spec> {
    // Without policies, the smallest change is none and the largest has no
    // limit: the selection over nothing starts from the other end.
    let selections = [SelectPolicy::Disabled, SelectPolicy::Min];
    let bound = |select: SelectPolicy| {
        let mut spec = spec.clone();
        if let Some(behavior) = &mut spec.behavior {
            for rules in [&mut behavior.scale_up, &mut behavior.scale_down] {
                rules.policies.clear();
                rules.select = select;
            }
        }
        spec
    };
    selections.map(bound).to_vec()
}

/// Every combination of the edges of a few changes.
pub(super) fn between(up: &DirectionChanges, down: &DirectionChanges) -> Vec<Changes> {
    let entries = up.entries.len() + down.entries.len();
    let combined = 5_usize.checked_pow(u32::try_from(entries).unwrap_or(u32::MAX));
    if combined.is_none_or(|combined| combined > MOST_COMBINED) {
        return Vec::new();
    }
    let (ups, downs) = (combinations(&up.entries), combinations(&down.entries));
    let pairs = ups.iter().flat_map(|added| {
        let pair = move |removed: &Vec<ScaleEvent>| (added.clone(), removed.clone());
        downs.iter().map(pair)
    });
    pairs.collect()
}

fn combinations(entries: &[&Bounded]) -> Vec<Vec<ScaleEvent>> {
    let mut all = vec![Vec::new()];
    for entry in entries {
        let (least, most) = (entry.replicas.from, entry.replicas.to);
        let mut choices: Vec<Option<ScaleEvent>> = [
            (least, entry.from),
            (least, entry.to),
            (most, entry.from),
            (most, entry.to),
        ]
        .map(|(change, at)| Some(event(change, at)))
        .to_vec();
        if !entry.is_certain {
            choices.push(None);
        }
        choices.dedup();
        all = all
            .iter()
            .flat_map(|list| {
                choices.iter().map(move |choice| {
                    let mut list = list.clone();
                    list.extend(*choice);
                    list
                })
            })
            .collect();
    }
    all
}

/// Where changes are not bounded at all, the periods of different length have
/// starts of their own: each goes where its policies allow most, or least.
pub(super) fn period_by_period(normalization: &Normalization) -> Vec<Changes> {
    let Some(behavior) = &normalization.spec.behavior else {
        return Vec::new();
    };
    if !has_unordered_policy(normalization.spec) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for (direction, rules) in behavior.directions() {
        let mut periods: BTreeMap<i32, Vec<&Policy>> = BTreeMap::new();
        for policy in &rules.policies {
            periods
                .entry(policy.period_seconds)
                .or_default()
                .push(policy);
        }
        let (mut least, mut most) = (Vec::new(), Vec::new());
        for (period, policies) in &periods {
            let group = PeriodGroup {
                normalization,
                direction,
                policies,
                select: rules.select,
            };
            let starts = group.starts();
            least.extend(
                starts
                    .iter()
                    .min_by_key(|start| group.limit(**start))
                    .map(|at| (*period, *at)),
            );
            most.extend(
                starts
                    .iter()
                    .max_by_key(|start| group.limit(**start))
                    .map(|at| (*period, *at)),
            );
        }
        all.push(realize(normalization, &least));
        all.push(realize(normalization, &most));
    }
    all
}

/// The policies of one direction with periods of one length.
struct PeriodGroup<'a, 'n> {
    normalization: &'a Normalization<'n>,
    direction: Direction,
    policies: &'a [&'a Policy],
    select: SelectPolicy,
}

impl PeriodGroup<'_, '_> {
    /// What these policies allow together.
    fn limit(&self, start: i32) -> i32 {
        let limits = self
            .policies
            .iter()
            .map(|policy| self.normalization.limit_from(start, self.direction, policy));
        let is_highest = matches!(
            (self.select, self.direction),
            (SelectPolicy::Max, Direction::Up) | (SelectPolicy::Min, Direction::Down)
        );
        let limit = if is_highest {
            limits.max()
        } else {
            limits.min()
        };
        limit.unwrap_or(self.normalization.current)
    }

    /// The starts at which the limit turns round, and those beyond everything.
    fn starts(&self) -> BTreeSet<i32> {
        let current = self.normalization.current;
        let mut starts = BTreeSet::from([
            current,
            current.saturating_sub(BEYOND),
            current.saturating_add(BEYOND),
        ]);
        for policy in self.policies {
            starts.extend(edges(self.direction, policy, self.normalization));
            let (factor, value) = self.line(policy);
            for end in [i32::MIN, i32::MAX] {
                let turn = divide(end.saturating_sub(value), factor);
                starts.extend([-1, 0, 1].map(|step| turn.saturating_add(step)));
            }
            for other in self.policies {
                let (other_factor, other_value) = self.line(other);
                if (factor - other_factor).abs() > f64::EPSILON {
                    let crossing = divide(other_value.saturating_sub(value), factor - other_factor);
                    starts.extend([-2, -1, 0, 1, 2].map(|step| crossing.saturating_add(step)));
                }
            }
        }
        let reach = current.saturating_sub(BEYOND)..=current.saturating_add(BEYOND);
        starts.retain(|start| reach.contains(start));
        starts
    }

    /// The limit as `factor × start + value`, before rounding.
    fn line(&self, policy: &Policy) -> (f64, i32) {
        let share = f64::from(policy.value) / 100.0;
        match (policy.kind, self.direction) {
            (PolicyKind::Pods, Direction::Up) => (1.0, policy.value),
            (PolicyKind::Pods, Direction::Down) => (1.0, policy.value.saturating_neg()),
            (PolicyKind::Percent, Direction::Up) => (1.0 + share, 0),
            (PolicyKind::Percent, Direction::Down) => (1.0 - share, 0),
        }
    }
}

/// Changes that give each period, the shortest first, its start. A change
/// exactly as old as a period lies just outside it.
fn realize(normalization: &Normalization, starts: &[(i32, i32)]) -> Changes {
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    let mut at = normalization.now - 1;
    let mut reached = normalization.current;
    for (period, start) in starts {
        let shift = start.saturating_sub(reached);
        if shift < 0 {
            added.push(event(-shift, at));
        } else if shift > 0 {
            removed.push(event(shift, at));
        }
        reached = *start;
        at = normalization.now - Nanos::from(*period) * SECOND;
    }
    (added, removed)
}
