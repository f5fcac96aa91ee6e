//! Whether a size can be reached: how many more pods quotas, limit ranges and nodes
//! allow.
//!
//! *Fits* is never said of what can fail: what is not computed here makes the answer
//! unknown, unless the answer is the same in either case.

mod nodes;
mod quota;

use crate::api::{
    Amounts, ConditionStatus, Format, Labels, LimitRange, Nodes, Phase, Pod, PodConditionKind,
    PodDemand, PodTemplateSpec, Quantity, ReadFailure, RoomParts, raise,
};
use crate::controller::Release;
use crate::document::snapshot::{NotRead, Part, Snapshot, may_be_own};
use crate::trace::{Room, RoomAnswer, RoomUnknown};
use quota::Allowed;

/// The limit ranges of claims of storage.
const CLAIM: &str = "PersistentVolumeClaim";

/// Whether `maxReplicas` can be reached, or where it is reached, what the metrics ask
/// for; absent where no pod is missing.
pub fn room(snapshot: &Snapshot, selected: &[&Pod], recommended: Option<i32>) -> Option<Room> {
    let parts = snapshot.room.clone().unwrap_or_default();
    let of_room = [Part::ResourceQuotas, Part::LimitRanges, Part::Nodes];
    let mut refused = of_room.iter().filter_map(|part| missing(snapshot, *part));
    let is_read = snapshot.room.is_some() || refused.next().is_some();
    let max = snapshot.hpa.spec.max_replicas;
    let existing = snapshot.scale.response()?.status.replicas;
    let own = selected.iter().copied().filter(|pod| is_own(snapshot, pod));
    let own: Vec<&Pod> = own.collect();
    let waiting = i64::try_from(own.iter().filter(|pod| is_waiting(pod)).count()).ok()?;
    let replicas = if existing < max || waiting > 0 {
        max
    } else {
        recommended.filter(|recommended| *recommended > existing)?
    };
    let needed = (i64::from(replicas) - i64::from(existing)).max(0);
    let target = snapshot.target.as_ref();
    let template = target.and_then(|it| it.spec.template.as_ref());
    // Those of a pod as well: a controller or a webhook adds some.
    let labels = template.map(|it| &it.metadata.labels).into_iter();
    let labels = labels.chain(own.iter().map(|pod| &pod.metadata.labels));
    let case = RoomCase {
        snapshot,
        parts: &parts,
        own: &own,
        template: template.and_then(|it| it.spec.as_ref()),
        labels: labels.collect(),
        needed,
        waiting,
    };
    let answer = if is_read {
        case.answer()
    } else {
        Err(RoomUnknown::NothingRead)
    };
    let answer = answer.unwrap_or_else(|why| RoomAnswer::Unknown { why });
    Some(Room {
        replicas,
        needed,
        waiting,
        answer,
    })
}

/// A pod of the target that has neither ended nor is going to.
fn is_own(snapshot: &Snapshot, pod: &Pod) -> bool {
    !pod.has_ended() && pod.metadata.deletion_timestamp.is_none() && may_be_own(snapshot, pod)
}

/// Whether a pod has no node yet.
fn is_waiting(pod: &Pod) -> bool {
    pod.spec.node_name.is_none() && pod.status.phase == Phase::Pending
}

fn missing(snapshot: &Snapshot, part: Part) -> Option<RoomUnknown> {
    let mut missing = snapshot.provenance.not_read.iter();
    let missing: &NotRead = missing.find(|it| it.part == part)?;
    Some(RoomUnknown::NotRead(missing.clone()))
}

/// What it is decided on.
struct RoomCase<'a> {
    snapshot: &'a Snapshot,
    parts: &'a RoomParts,
    own: &'a [&'a Pod],
    template: Option<&'a PodTemplateSpec>,
    labels: Vec<&'a Labels>,
    /// How many pods have to be created.
    needed: i64,
    /// How many there are that have no node.
    waiting: i64,
}

impl RoomCase<'_> {
    fn answer(&self) -> Result<RoomAnswer, RoomUnknown> {
        if self.is_rolling_out() {
            return Err(RoomUnknown::Rollout);
        }
        let new = self.new_pods()?;
        let allowed: Vec<Allowed> = new.iter().map(|it| self.allowed(it)).collect();
        let least = |it: &Allowed| it.least.as_ref().map_or(i64::MAX, |(more, _)| *more);
        let tightest = allowed.iter().min_by_key(|it| least(it));
        let tightest = tightest.and_then(|it| it.least.clone());
        if let Some((more, limit)) = &tightest
            && allowed.iter().all(|it| least(it) < self.needed)
        {
            let (more, limit) = (*more, limit.clone());
            return Ok(RoomAnswer::DoesNotFit { more, limit });
        }
        let more = tightest.map(|(more, _)| more);
        let differs = more.is_some_and(|more| more < self.needed);
        let mut doubts = allowed.into_iter().filter_map(|it| it.doubt);
        // Admission, of which not all is computed here, refused pods.
        let target = self.snapshot.target.as_ref();
        let failure = target.and_then(|it| it.status.conditions.first());
        let doubt = failure.map(|it| it.message.clone());
        let doubt = doubt.map(|message| RoomUnknown::NotCreated { message });
        let doubt = doubt.or_else(|| differs.then_some(RoomUnknown::PodsDiffer));
        let doubt = doubt.or_else(|| doubts.next());
        let doubt = doubt.or_else(|| missing(self.snapshot, Part::Pods));
        let Some(nodes) = &self.parts.nodes else {
            let doubt = doubt.or_else(|| missing(self.snapshot, Part::Nodes));
            return doubt.map_or(Ok(RoomAnswer::FitsQuota { more }), Err);
        };
        self.on_nodes(nodes, &new, more, doubt)
    }

    /// With the nodes. Where pods differ, enough room for the most that any of them
    /// requests is enough for all, and too little for the least is too little.
    fn on_nodes(
        &self,
        nodes: &Nodes,
        new: &[PodDemand],
        more: Option<i64>,
        doubt: Option<RoomUnknown>,
    ) -> Result<RoomAnswer, RoomUnknown> {
        let waiting = self.own.iter().filter(|pod| is_waiting(pod));
        let waiting = waiting.map(|pod| PodDemand::of_pod(&pod.spec));
        let waiting: Vec<PodDemand> = waiting.collect::<Option<_>>().ok_or(RoomUnknown::Amount)?;
        let requests = new.iter().chain(&waiting).map(PodDemand::requests);
        let requests: Vec<Amounts> = requests.collect();
        let mut most = Amounts::new();
        let mut least = requests.first().cloned().unwrap_or_default();
        for amounts in &requests {
            raise(&mut most, amounts);
            least.retain(|name, own| {
                let other = amounts.get(name).copied().unwrap_or_default();
                *own = (*own).min(other);
                *own > 0
            });
        }
        let room = |requests| nodes::on_nodes(self, nodes, requests);
        let needed = self.needed + self.waiting;
        let (for_most, for_least) = (room(&most)?, room(&least)?);
        if for_least.most < needed {
            let (more, limit) = (for_least.most, for_least.limit);
            let does_not = RoomAnswer::DoesNotFit { more, limit };
            return for_least.may_be_more.map_or(Ok(does_not), Err);
        }
        let differs = for_most.least < needed;
        let doubt = self.not_placed().or(doubt).or(for_most.may_be_fewer);
        if let Some(why) = doubt.or_else(|| differs.then_some(RoomUnknown::PodsDiffer)) {
            return Err(why);
        }
        let allowed = more.map_or(i64::MAX, |more| more.saturating_add(self.waiting));
        let more = for_most.least.min(allowed);
        Ok(RoomAnswer::Fits { more })
    }

    /// The scheduler, of which not all is computed here, found no node for a pod.
    fn not_placed(&self) -> Option<RoomUnknown> {
        let mut waiting = self.own.iter().filter(|pod| is_waiting(pod));
        let message = waiting.find_map(|pod| {
            let condition = pod.condition(PodConditionKind::PodScheduled)?;
            let is_tried = condition.status == ConditionStatus::False;
            let text = condition.message.as_ref().or(condition.reason.as_ref());
            is_tried.then(|| text.cloned().unwrap_or_default())
        })?;
        Some(RoomUnknown::NotPlaced { message })
    }

    /// While pods of an older template are replaced, how many there will be of
    /// which is open.
    fn is_rolling_out(&self) -> bool {
        let kind = &self.snapshot.hpa.spec.scale_target_ref.kind;
        let Some(target) = &self.snapshot.target else {
            return false;
        };
        let status = &target.status;
        let is_unseen = target.metadata.generation > status.observed_generation;
        let updated = status.updated_replicas.unwrap_or_default();
        let is_replaced = updated < status.replicas.unwrap_or_default();
        matches!(kind.as_str(), "Deployment" | "StatefulSet") && (is_unseen || is_replaced)
    }

    /// What a pod that is created can request: by the template, and by each pod of it,
    /// to which others may have added something.
    fn new_pods(&self) -> Result<Vec<PodDemand>, RoomUnknown> {
        let is_level = |pod: &&Pod| pod.spec.resources.is_some();
        let template = self.template;
        if template.is_some_and(|it| it.resources.is_some()) || self.own.iter().any(is_level) {
            return Err(RoomUnknown::PodLevelResources);
        }
        if self.needed == 0 {
            return Ok(Vec::new());
        }
        let own = self.own.iter().map(|pod| PodDemand::of_pod(&pod.spec));
        let mut all: Vec<_> = own.collect();
        // What the runtime class adds shows on the pods alone.
        let is_whole =
            |it: &&PodTemplateSpec| it.runtime_class_name.is_none() || !it.overhead.is_empty();
        all.extend(template.filter(is_whole).map(PodDemand::of_template));
        if all.is_empty() {
            let field = "runtimeClassName".to_owned();
            return Err(match template {
                Some(_) => RoomUnknown::Template { field },
                None => RoomUnknown::NoPod,
            });
        }
        let ranges = self.parts.limit_ranges.as_deref();
        let ranges = ranges.ok_or_else(|| self.missing(Part::LimitRanges))?;
        let mut demands = Vec::new();
        for demand in all {
            let mut demand = demand.ok_or(RoomUnknown::Amount)?;
            quota::fill(&mut demand, ranges)?;
            if !demands.contains(&demand) {
                demands.push(demand);
            }
        }
        Ok(demands)
    }

    /// Why a part is not there.
    fn missing(&self, part: Part) -> RoomUnknown {
        let reason = ReadFailure::not_read("not in the snapshot");
        let absent = RoomUnknown::NotRead(NotRead { part, reason });
        missing(self.snapshot, part).unwrap_or(absent)
    }

    /// How many more of such pods limit ranges and quotas allow.
    fn allowed(&self, demand: &PodDemand) -> Allowed {
        let ranges = self.parts.limit_ranges.as_deref().unwrap_or_default();
        if let Some(limit) = quota::refusal(demand, ranges) {
            let least = Some((0, limit));
            return Allowed { least, doubt: None };
        }
        let Some(quotas) = &self.parts.resource_quotas else {
            let doubt = Some(self.missing(Part::ResourceQuotas));
            return Allowed { least: None, doubt };
        };
        let mut allowed = quota::allowed(quotas, demand, self);
        // Each claim must be allowed, and be bound where the pod can run.
        let of_claims = |it: &LimitRange| it.spec.limits.iter().any(|it| it.kind == CLAIM);
        let is_bound = self.parts.nodes.is_some() || ranges.iter().any(of_claims);
        let is_bound = is_bound && self.has_claims();
        let template = self.template.iter().flat_map(|it| &it.resource_claims);
        let mut own = self.own.iter().flat_map(|pod| &*pod.spec.resource_claims);
        let field = if is_bound {
            "volumeClaimTemplates"
        } else {
            "resourceClaims"
        };
        let field = field.to_owned();
        allowed.doubt.get_or_insert(match own.next() {
            _ if is_bound || template.count() > 0 => RoomUnknown::Template { field },
            Some(_) => RoomUnknown::OwnPod { field },
            None => return allowed,
        });
        allowed
    }

    /// The priority class of a new pod, and whether it has a deadline: as its pods, which
    /// admission can have changed, or without a pod by the template; absent where pods differ.
    fn class_and_deadline(&self) -> Option<(Option<&str>, bool)> {
        let template = self.template;
        let class = template.and_then(|it| it.priority_class_name.as_deref());
        let deadline = template.and_then(|it| it.active_deadline_seconds);
        let mut own = self.own.iter().map(|pod| {
            let class = pod.spec.priority_class_name.as_deref().or(class);
            let deadline = pod.spec.active_deadline_seconds.or(deadline);
            (class, deadline.is_some())
        });
        let first = own.next().unwrap_or((class, deadline.is_some()));
        own.all(|it| it == first).then_some(first)
    }

    /// Whether a DRA driver may provide extended resources (`DRAExtendedResource`, 1.36).
    fn may_use_driver(&self) -> bool {
        let version = self.snapshot.server_version.as_deref().map(Release::parse);
        !matches!(version, Some(Ok(release)) if release < Release::minor(36))
    }

    fn has_claims(&self) -> bool {
        let target = self.snapshot.target.as_ref();
        let own = self.own.iter().flat_map(|pod| &pod.spec.volumes);
        let mut volumes = own.chain(self.template.iter().flat_map(|it| &it.volumes));
        target.is_some_and(|it| !it.spec.volume_claim_templates.is_empty())
            || volumes.any(|it| it.get("ephemeral").is_some())
    }
}

/// An amount as a quantity.
fn quantity(resource: &str, nanos: i128) -> Quantity {
    let mut bytes = ["memory", "storage", "hugepages-"].iter();
    let format = if bytes.any(|it| resource.contains(it)) {
        Format::BinarySi
    } else {
        Format::DecimalSi
    };
    let milli = i64::try_from(nanos.div_euclid(1_000_000)).unwrap_or(i64::MAX);
    Quantity::from_milli(milli, format)
}
