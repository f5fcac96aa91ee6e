//! Somebody edits `minReplicas` or `maxReplicas` again and again, and the size
//! follows. The controller goes to a bound that the size lies beyond; where
//! that is not the bound of now, the bound was another one then. A record shows
//! the edits themselves.

use jiff::SignedDuration;

use crate::api::{ManagedFields, SpecFields};
use crate::flaps::pass_facts::{PassFacts, advised};
use crate::flaps::swings::{Episode, times};
use crate::trace::{Bounds, Fact, Mechanism, MechanismKind, RescaleReason, SizeChange};

/// So soon a size follows an edit that a record shows: at the next pass.
const SOON: SignedDuration = SignedDuration::from_mins(1);

/// A single edit is no mechanism.
const EDITS: u32 = 2;

/// A bound of the HPA.
pub(super) struct Bound {
    name: &'static str,
    /// What the controller says when it goes there.
    reason: RescaleReason,
    now: fn(Bounds) -> i32,
    is_owned: fn(&SpecFields) -> bool,
}

const BOUNDS: [Bound; 2] = [
    Bound {
        name: "minReplicas",
        reason: RescaleReason::BelowMin,
        now: |bounds| bounds.min_replicas,
        is_owned: |spec| spec.min_replicas.is_some(),
    },
    Bound {
        name: "maxReplicas",
        reason: RescaleReason::AboveMax,
        now: |bounds| bounds.max_replicas,
        is_owned: |spec| spec.max_replicas.is_some(),
    },
];

pub(super) fn tell(facts: &PassFacts) -> Option<Mechanism> {
    let episode = facts.flapping()?;
    let mut reported = BOUNDS.iter().filter_map(|it| it.tell(facts, episode));
    let mut mechanism = reported.next()?;
    mechanism
        .evidence
        .extend(reported.flat_map(|it| it.evidence));
    Some(mechanism)
}

/// Whether the controller went to a bound that is another one by now, or that
/// was edited right before.
pub(super) fn is_by_edit(change: &SizeChange, facts: &PassFacts) -> bool {
    BOUNDS.iter().any(|it| it.is_edited(change, facts))
}

impl Bound {
    fn is_edited(&self, change: &SizeChange, facts: &PassFacts) -> bool {
        let Some(size) = change.after.filter(|_| change.is_by_hpa()) else {
            return false;
        };
        let is_reported = change.reason == self.reason;
        // Its event may have been dropped.
        (is_reported && size != (self.now)(facts.trace.bounds))
            || ((is_reported || change.reason.is_none()) && self.was_set(size, change, facts))
    }

    /// Whether a record shows that the bound was set to a size right before a
    /// change.
    fn was_set(&self, size: i32, change: &SizeChange, facts: &PassFacts) -> bool {
        let mut pairs = facts.case.moves.bounds.windows(2);
        pairs.any(|pair| {
            let [(_, before), (at, after)] = pair else {
                return false;
            };
            let is_soon = change.from.duration_since(*at).abs() <= SOON;
            is_soon && (self.now)(*after) == size && (self.now)(*before) != size
        })
    }

    fn tell(&self, facts: &PassFacts, episode: &Episode) -> Option<Mechanism> {
        let bounds = facts.trace.bounds;
        let edited = || episode.all().filter(|it| self.is_edited(it, facts));
        let count = times(edited());
        if count < EDITS {
            return None;
        }
        let mut sizes: Vec<i32> = edited().filter_map(|it| it.after).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let (name, now) = (self.name, (self.now)(bounds));
        let of_now = if sizes == [now.to_string()] {
            " and is still".to_owned()
        } else {
            format!("; it is {now} now")
        };
        let owner = self.owner(facts, episode);
        let who = owner.map_or("somebody", |owner| owner.manager.as_str());
        let mut evidence = vec![Fact::new(
            "changes by the HPA",
            format!(
                "{count} times to {}, which was {name} then{of_now}",
                sizes.join(" or ")
            ),
        )];
        evidence.extend(owner.and_then(|owner| {
            let ago = facts.ago(owner.time?);
            let says = format!("{} ({}) wrote {name} {ago}", owner.manager, owner.operation);
            Some(Fact::new("metadata.managedFields of the HPA", says))
        }));
        let says = format!("{who} edits {name} of the HPA repeatedly, and the size follows");
        Some(Mechanism {
            evidence,
            changes: vec![advised(
                "keep the bounds, and add a metric that asks for the pods needed at such times: the \
                 highest metric counts",
            )],
            ..Mechanism::known(MechanismKind::EditedBounds, says)
        })
    }

    /// Who wrote the bound last, where that was in these ups and downs.
    fn owner<'g>(&self, facts: &'g PassFacts, episode: &Episode) -> Option<&'g ManagedFields> {
        let hpa = &facts.case.hpa();
        let entries = hpa.metadata.managed_fields.iter();
        let owners = entries.filter(|it| it.fields.spec.as_ref().is_some_and(self.is_owned));
        let recent = owners.filter(|it| it.time >= Some(episode.swing.since));
        recent.max_by_key(|it| it.time)
    }
}
