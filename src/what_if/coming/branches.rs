//! Every way that the size can go, where the memory leaves several.
//!
//! A pass leads from each size to all that what is known of the memory allows.
//! Branches that come to the same size are one again, with a memory that is what
//! the one or the other remembers. The real way is always among them: at each
//! pass its size is within what its memory allows. Where pods take time to
//! start, those of the one way stand for those of the other.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use thiserror::Error;

use super::MOST_PASSES;
use crate::controller::{
    MOST_PODS_EXPLAINED, Memory, Nanos, Open, Prepared, Reason, Settings, WhatIf,
    reconcile_prepared, timestamp,
};
use crate::trace::{Average, Coming, ComingPass, Range, Stopped, Trace};

/// More sizes than this are not followed.
const MOST: usize = 100;

/// Why a run ends early.
#[derive(Clone, Copy, Debug, Error)]
pub(in crate::what_if) enum StopReason {
    #[error("the scale cannot be read")]
    NoScale,
    #[error("a metric that cannot be read could ask for more")]
    Unreadable,
    #[error("no pod has a usable sample, so the load of further pods is unknown")]
    NoPod,
    #[error("the controller's memory leaves too many possible sizes")]
    TooManySizes,
    #[error("a run has at most {MOST_PASSES} passes")]
    TooManyPasses,
}

/// What the passes of a way find.
pub(in crate::what_if) trait PassInputs<'w>: Clone {
    /// The metrics of the pass of a moment, at a size; nothing where it is not
    /// known how they would be.
    fn find(&mut self, now: Nanos, size: i32) -> Option<WhatIf<'w>>;

    /// The same as inputs that can be explained; nothing where they are no pods.
    fn inputs(&self, now: Nanos, there: &WhatIf<'w>) -> Option<Prepared<'w>> {
        there.inputs(now)
    }

    /// A pass leaves a size behind.
    fn leave(&mut self, size: i32);

    /// At which moment the pass of a moment looks at what is remembered, and
    /// under which it is remembered itself.
    fn clock(&self, now: Nanos) -> (Nanos, Nanos) {
        (now, now)
    }
}

/// A load that stays as it is, spread over the pods of each size.
#[derive(Clone)]
pub(in crate::what_if) struct Staying<'w> {
    pub(in crate::what_if) what_if: &'w WhatIf<'w>,
    /// The pass that finds everything as it is: what is set aside now may be
    /// so no more at the second one.
    pub(in crate::what_if) first: Nanos,
}

impl<'w> PassInputs<'w> for Staying<'w> {
    fn find(&mut self, now: Nanos, size: i32) -> Option<WhatIf<'w>> {
        if now == self.first {
            return Some(self.what_if.clone());
        }
        self.what_if.at_size(size)
    }

    fn leave(&mut self, _size: i32) {}
}

/// The ways, by their size and whether it last went up.
pub(in crate::what_if) struct Branches<G>(BTreeMap<Place, Branch<G>>);

type Place = (i32, Option<bool>);

/// What is known of a way.
#[derive(Clone)]
struct Branch<G> {
    memory: Memory,
    inputs: G,
    changes: Range,
    reversals: Range,
}

impl<G> Branch<G> {
    fn join(&mut self, other: &Self) {
        self.memory.join(&other.memory);
        self.changes = self.changes.join(other.changes);
        self.reversals = self.reversals.join(other.reversals);
    }
}

/// What the ways of a pass have in common.
#[derive(Default)]
struct SharedState {
    before: Option<Range>,
    recommended: Option<Range>,
    proposals: Vec<Option<Range>>,
    /// What stabilization leaves on each; absent where that is not known.
    stabilized: Vec<Option<i32>>,
    held_by: Vec<Option<Reason>>,
}

impl SharedState {
    fn take(&mut self, size: i32, open: &Open, proposals: &[Option<i32>]) {
        join(&mut self.before, Range::of(size));
        self.proposals.resize(proposals.len(), None);
        for (all, own) in self.proposals.iter_mut().zip(proposals) {
            if let Some(own) = own {
                join(all, Range::of(*own));
            }
        }
        if let Some(recommended) = open.recommended {
            join(&mut self.recommended, Range::of(recommended));
        }
        self.stabilized.push(open.stabilized);
        if !self.held_by.contains(&open.held_by) {
            self.held_by.push(open.held_by);
        }
    }

    fn stabilized(&self) -> Option<Range> {
        let all = self.stabilized.iter().map(|it| it.map(Range::of));
        all.reduce(|one, other| Some(one?.join(other?)))?
    }

    fn held_by(&self) -> Option<Reason> {
        match self.held_by.as_slice() {
            [only] => *only,
            _ => None,
        }
    }
}

fn join(one: &mut Option<Range>, other: Range) {
    *one = Some(one.map_or(other, |one| one.join(other)));
}

impl<'w, G: PassInputs<'w>> Branches<G> {
    /// The one way that begins at a size, with what its first pass finds remembered.
    pub(in crate::what_if) fn at(size: i32, mut memory: Memory, inputs: G) -> Self {
        memory.drop_outlasted();
        let way = Branch {
            memory,
            inputs,
            changes: Range::of(0),
            reversals: Range::of(0),
        };
        Self(BTreeMap::from([((size, None), way)]))
    }

    /// Runs a pass on all of them, and tells what each metric asks for if it is to; how it
    /// decides by some settings, where there is one way only.
    /// Errors: why it is not known how one of them goes on.
    pub(in crate::what_if) fn pass(
        &mut self,
        now: Nanos,
        tells_each: bool,
        explained: Option<&Settings>,
    ) -> Result<ComingPass, StopReason> {
        let mut next = BTreeMap::new();
        let mut observed = SharedState::default();
        let explained = explained.filter(|_| self.0.len() == 1);
        let mut page = None;
        for ((size, last), way) in &mut self.0 {
            let there = way.inputs.find(now, *size).ok_or(StopReason::NoPod)?;
            let mut memory = way.memory.clone();
            let (looks, stays) = way.inputs.clock(now);
            let open = there.look(&mut way.memory, looks);
            let open = open.ok_or(StopReason::Unreadable)?;
            page = explained.and_then(|settings| {
                let inputs = way.inputs.inputs(now, &there)?;
                let are_few = inputs.pods.len() <= MOST_PODS_EXPLAINED;
                let explain = || reconcile_prepared(&inputs, settings, &mut memory, looks).0;
                // What pods cannot stand for in all is not told.
                let is_told = |it: &Trace| it.outcome.left() == Some(open.replicas);
                are_few.then(explain).filter(is_told).map(Arc::new)
            });
            let proposals = tells_each.then(|| there.proposals());
            observed.take(*size, &open, proposals.as_deref().unwrap_or_default());
            let Range { from, to } = open.replicas;
            if usize::try_from(i64::from(to) - i64::from(from)).is_ok_and(|wide| wide > MOST) {
                return Err(StopReason::TooManySizes);
            }
            for replicas in from..=to {
                let mut way = way.clone();
                there.carry_out(&mut way.memory, stays, &open, replicas);
                way.inputs.leave(replicas);
                add(&mut next, (*size, *last), replicas, way);
            }
            if next.len() > 2 * MOST {
                return Err(StopReason::TooManySizes);
            }
        }
        let sizes = next.keys().map(|(size, _)| Range::of(*size));
        let replicas = sizes.reduce(Range::join).unwrap_or(Range::of(0));
        self.0 = next;
        Ok(ComingPass {
            at: timestamp(now),
            current_replicas: observed.before.unwrap_or(replicas),
            recommended: observed.recommended,
            stabilized: observed.stabilized(),
            replicas,
            held_by: observed.held_by(),
            page,
            proposals: observed.proposals,
        })
    }

    /// How many of them there are.
    pub(in crate::what_if) fn len(&self) -> usize {
        self.0.len()
    }

    /// How often the size can have changed on one of them.
    pub(in crate::what_if) fn most_changes(&self) -> i32 {
        let changes = self.0.values().map(|way| way.changes.to);
        changes.max().unwrap_or_default()
    }

    /// What came of them.
    pub(super) fn reported(
        &self,
        passes: Vec<ComingPass>,
        taken_constant: Vec<usize>,
        stopped: Option<Stopped>,
    ) -> Coming {
        let all = |count: fn(&Branch<G>) -> Range| {
            let counts = self.0.values().map(count);
            counts.reduce(Range::join).unwrap_or(Range::of(0))
        };
        Coming {
            changes: all(|way| way.changes),
            reversals: all(|way| way.reversals),
            average_replicas: Average::of(&passes),
            taken_constant,
            stopped,
            passes,
        }
    }
}

/// Adds a way that goes from one size to another.
fn add<G>(
    ways: &mut BTreeMap<Place, Branch<G>>,
    (size, last): Place,
    replicas: i32,
    mut way: Branch<G>,
) {
    let mut place = (replicas, last);
    if replicas != size {
        let is_up = replicas > size;
        way.changes = one_more(way.changes);
        if last.is_some_and(|was_up| was_up != is_up) {
            way.reversals = one_more(way.reversals);
        }
        place.1 = Some(is_up);
    }
    match ways.entry(place) {
        Entry::Occupied(mut same) => same.get_mut().join(&way),
        Entry::Vacant(free) => {
            free.insert(way);
        }
    }
}

fn one_more(count: Range) -> Range {
    Range::new(count.from.saturating_add(1), count.to.saturating_add(1))
}
