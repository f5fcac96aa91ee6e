//! The changes of the scale at the edges of what is known.

use std::collections::BTreeSet;

use super::{Extent, unordered};
use crate::api::PolicyKind;
use crate::controller::memory::{Account, BEYOND, Bounded, Memory, ScaleEvent};
use crate::controller::normalize::Normalization;
use crate::controller::prepared::Policy;
use crate::controller::time::Nanos;
use crate::trace::Direction;

/// The changes upwards and downwards.
pub(super) type Changes = (Vec<ScaleEvent>, Vec<ScaleEvent>);

/// Memories of nothing but the changes that move the starts of the periods
/// furthest, and, where nothing bounds them, just so far that a policy begins
/// to allow something or meets a bound.
pub(super) fn changes(
    normalization: &Normalization,
    account: &Account,
    extent: Extent,
) -> Vec<Memory> {
    let lists = lists(normalization, account, extent).into_iter();
    let memories = lists.map(|(up, down)| Memory {
        scale_up_events: Some(up),
        scale_down_events: Some(down),
        ..Memory::default()
    });
    memories.collect()
}

fn lists(normalization: &Normalization, account: &Account, extent: Extent) -> Vec<Changes> {
    let memory = normalization.memory;
    let up = DirectionChanges::new(memory.scale_up_events.as_deref(), &account.scale_up_events);
    let down = DirectionChanges::new(
        memory.scale_down_events.as_deref(),
        &account.scale_down_events,
    );
    let fewest_up = (up.fewest(), down.most());
    let mut all = vec![fewest_up, (up.most(), down.fewest())];
    all.dedup();
    if up.is_bounded && down.is_bounded {
        if unordered::has_unordered_policy(normalization.spec) {
            all.extend(unordered::between(&up, &down));
        }
        return all;
    }
    let bases = std::mem::take(&mut all);
    for (added, removed) in bases {
        for shift in shifts(normalization, &up, &down, extent) {
            let (mut added, mut removed) = (added.clone(), removed.clone());
            let change = shift.saturating_abs();
            // Every period holds it.
            let event = (change > 0).then(|| event(change, normalization.now - 1));
            if shift < 0 {
                added.extend(event);
            } else {
                removed.extend(event);
            }
            all.push((added, removed));
        }
    }
    if !up.is_bounded && !down.is_bounded {
        all.extend(unordered::period_by_period(normalization));
    }
    all
}

/// What is known of the changes of one direction.
pub(super) struct DirectionChanges<'a> {
    known: Option<&'a [ScaleEvent]>,
    /// What is bounded, if the changes are not known.
    pub(super) entries: Vec<&'a Bounded>,
    /// Whether everything is bounded.
    pub(super) is_bounded: bool,
}

impl<'a> DirectionChanges<'a> {
    fn new(known: Option<&'a [ScaleEvent]>, entries: &'a [Bounded]) -> Self {
        let is_unbounded = |entry: &&Bounded| !entry.is_certain && entry.replicas.to >= BEYOND;
        Self {
            known,
            entries: entries
                .iter()
                .filter(|entry| !is_unbounded(entry))
                .collect(),
            is_bounded: known.is_some() || !entries.iter().any(|entry| is_unbounded(&entry)),
        }
    }

    /// The least change, as long ago as possible.
    fn fewest(&self) -> Vec<ScaleEvent> {
        self.list(|entry| {
            let event = event(entry.replicas.from, entry.from);
            entry.is_certain.then_some(event)
        })
    }

    /// The largest change, as late as possible.
    fn most(&self) -> Vec<ScaleEvent> {
        self.list(|entry| Some(event(entry.replicas.to, entry.to)))
    }

    pub(super) fn list(&self, choose: impl Fn(&Bounded) -> Option<ScaleEvent>) -> Vec<ScaleEvent> {
        match self.known {
            Some(known) => known.to_vec(),
            None => self
                .entries
                .iter()
                .filter_map(|entry| choose(entry))
                .collect(),
        }
    }
}

pub(super) const fn event(change: i32, at: Nanos) -> ScaleEvent {
    ScaleEvent {
        change,
        at,
        outdated: false,
    }
}

/// By how much unknown changes could shift the start of the periods: beyond
/// everything in either direction, and so that a policy just begins to allow
/// something or meets a bound. A shift up means replicas removed, one down
/// replicas added.
fn shifts(
    normalization: &Normalization,
    up: &DirectionChanges,
    down: &DirectionChanges,
    extent: Extent,
) -> BTreeSet<i32> {
    let mut shifts = BTreeSet::from([0, -BEYOND, BEYOND]);
    if extent == Extent::Reasons
        && let Some(behavior) = &normalization.spec.behavior
    {
        for (direction, policy) in behavior.policies() {
            let start = normalization.policy_limit(direction, policy).period_start;
            let edges = edges(direction, policy, normalization);
            shifts.extend(edges.map(|edge| edge.saturating_sub(start)));
        }
    }
    shifts.retain(|shift| match shift.cmp(&0) {
        std::cmp::Ordering::Less => !up.is_bounded,
        std::cmp::Ordering::Equal => true,
        std::cmp::Ordering::Greater => !down.is_bounded,
    });
    shifts
}

/// The sizes at the start of a period at which the policy's limit meets
/// something, and their neighbours.
pub(super) fn edges(
    direction: Direction,
    policy: &Policy,
    normalization: &Normalization,
) -> impl Iterator<Item = i32> {
    let spec = normalization.spec;
    let limits = [normalization.current, spec.min, spec.max];
    limits
        .map(|limit| start_for(limit, direction, policy))
        .into_iter()
        .flat_map(|start| [-1, 0, 1].map(|step| start.saturating_add(step)))
}

/// About the size at the start of a period from which the policy allows to go
/// to `limit`.
fn start_for(limit: i32, direction: Direction, policy: &Policy) -> i32 {
    let share = f64::from(policy.value) / 100.0;
    match (policy.kind, direction) {
        (PolicyKind::Pods, Direction::Up) => limit.saturating_sub(policy.value),
        (PolicyKind::Pods, Direction::Down) => limit.saturating_add(policy.value),
        (PolicyKind::Percent, Direction::Up) => divide(limit, 1.0 + share),
        (PolicyKind::Percent, Direction::Down) => divide(limit, 1.0 - share),
    }
}

pub(super) fn divide(limit: i32, factor: f64) -> i32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounded, and the cast saturates"
    )]
    let start = (f64::from(limit) / factor).round() as i32;
    start
}
