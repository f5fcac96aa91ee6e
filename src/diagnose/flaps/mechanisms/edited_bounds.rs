//! Somebody edits `minReplicas` or `maxReplicas` again and again, and the size
//! follows. The controller goes to a bound that the size lies beyond; where
//! that is not the bound of now, the bound was another one then.

use crate::diagnose::flaps::episode::{Episode, times};
use crate::diagnose::flaps::ground::{Ground, advised};
use crate::snapshot::{ManagedFields, SpecFields};
use crate::trace::{Bounds, Fact, Mechanism, MechanismKind, SizeChange};

/// A single edit is no mechanism.
const EDITS: u32 = 2;

/// A bound of the HPA.
pub(super) struct Bound {
    name: &'static str,
    /// What the controller says when it goes there.
    reason: &'static str,
    now: fn(Bounds) -> i32,
    is_owned: fn(&SpecFields) -> bool,
}

const BOUNDS: [Bound; 2] = [
    Bound {
        name: "minReplicas",
        reason: "Current number of replicas below Spec.MinReplicas",
        now: |bounds| bounds.min_replicas,
        is_owned: |spec| spec.min_replicas.is_some(),
    },
    Bound {
        name: "maxReplicas",
        reason: "Current number of replicas above Spec.MaxReplicas",
        now: |bounds| bounds.max_replicas,
        is_owned: |spec| spec.max_replicas.is_some(),
    },
];

pub(super) fn tell(ground: &Ground) -> Option<Mechanism> {
    let episode = ground.flapping()?;
    let mut told = BOUNDS.iter().filter_map(|it| it.tell(ground, episode));
    let mut mechanism = told.next()?;
    mechanism.evidence.extend(told.flat_map(|it| it.evidence));
    Some(mechanism)
}

/// Whether the controller went to a bound that is another one by now.
pub(super) fn is_by_edit(change: &SizeChange, bounds: Bounds) -> bool {
    BOUNDS.iter().any(|it| it.is_edited(change, bounds))
}

impl Bound {
    fn is_edited(&self, change: &SizeChange, bounds: Bounds) -> bool {
        let now = (self.now)(bounds);
        change.is_by_hpa() && change.reason == self.reason && change.after.is_some_and(|to| to != now)
    }

    fn tell(&self, ground: &Ground, episode: &Episode) -> Option<Mechanism> {
        let bounds = ground.trace.bounds;
        let edited = || episode.all().filter(|it| self.is_edited(it, bounds));
        let count = times(edited());
        if count < EDITS {
            return None;
        }
        let mut sizes: Vec<i32> = edited().filter_map(|it| it.after).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let (name, now) = (self.name, (self.now)(bounds));
        let owner = self.owner(ground, episode);
        let who = owner.map_or("somebody", |owner| owner.manager.as_str());
        let mut evidence = vec![Fact {
            about: "changes by the HPA".to_owned(),
            says: format!(
                "{count} times to {}, the {name} of that time; now it is {now}",
                sizes.join(" or ")
            ),
        }];
        evidence.extend(owner.and_then(|owner| {
            let ago = ground.ago(owner.time?);
            Some(Fact {
                about: "metadata.managedFields of the HPA".to_owned(),
                says: format!("{} ({}) wrote {name} {ago}", owner.manager, owner.operation),
            })
        }));
        let says = format!("{who} edits {name} of the HPA again and again, and the size follows");
        Some(Mechanism {
            evidence,
            changes: vec![advised(
                "keep the bounds, and let a metric ask for what is needed at such times: the \
                 highest metric counts",
            )],
            ..Mechanism::known(MechanismKind::EditedBounds, says)
        })
    }

    /// Who wrote the bound last, where that was in these ups and downs.
    fn owner<'g>(&self, ground: &'g Ground, episode: &Episode) -> Option<&'g ManagedFields> {
        let hpa = &ground.case.snapshot.horizontal_pod_autoscaler;
        let entries = hpa.metadata.managed_fields.iter();
        let owners = entries.filter(|it| it.fields.spec.as_ref().is_some_and(self.is_owned));
        let recent = owners.filter(|it| it.time >= Some(episode.swing.since));
        recent.max_by_key(|it| it.time)
    }
}
