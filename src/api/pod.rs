//! Pods, as far as the algorithm and its explanation read them, and what one requests in
//! all, as quotas and the scheduler count it.

use std::collections::BTreeMap;
use std::sync::Arc;

use compact_str::CompactString;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};

use super::object::share;
use super::{
    ByName, ConditionStatus, ObjectMeta, OneOf, Phase, PodConditionKind, PodTemplateSpec, Present,
    Quantity, TemplateContainer, nullable,
};

/// Why a container waits that crashes repeatedly.
pub const CRASH_LOOP_BACK_OFF: &str = "CrashLoopBackOff";

/// Why a pod has no node.
pub const UNSCHEDULABLE: &str = "Unschedulable";

/// A `v1` Pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pod {
    /// Name, namespace, labels, deletion and owners.
    pub metadata: ObjectMeta,
    /// The containers and what they request.
    #[serde(default, deserialize_with = "nullable::or_default")]
    pub spec: PodSpec,
    /// Phase, start and readiness.
    #[serde(default, deserialize_with = "nullable::or_default")]
    pub status: PodStatus,
}

/// The part of a pod's spec that requests are computed from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSpec {
    /// The ordinary containers.
    #[serde(deserialize_with = "nullable::or_default")]
    pub containers: Arc<[Container]>,
    /// The init containers, sidecars (restart policy `Always`) among them.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub init_containers: Box<[Container]>,
    /// The node that it runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_name: Option<CompactString>,
    /// Pod-level resources (1.34 and later).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<Box<ResourceRequirements>>,
    /// What the runtime class adds on top of the containers.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub overhead: ByName<Quantity>,
    /// The priority class, which admission can have set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority_class_name: Option<CompactString>,
    /// For how long it may run; this and what follows admission can have set as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_deadline_seconds: Option<i64>,
    /// Whether it requires or prefers nodes or pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Present>,
    /// The kinds of its volumes that not every node can mount.
    #[serde(deserialize_with = "super::room::bound_volumes")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<ByName<Present>>,
    /// An entry for each device that it claims.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub resource_claims: Box<[Present]>,
}

impl PodSpec {
    /// The containers that run side by side: the ordinary ones, and sidecars.
    pub fn running(&self) -> impl Iterator<Item = &Container> {
        let sidecars = self.init_containers.iter().filter(|it| it.is_sidecar());
        self.containers.iter().chain(sidecars)
    }
}

/// A container and what it requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Container {
    /// The container's name.
    pub name: CompactString,
    /// What it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<CompactString>,
    /// Its resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
    /// `Always` makes an init container a sidecar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_policy: Option<String>,
}

impl Container {
    /// The request for `resource`, if the container has one.
    pub fn request(&self, resource: &str) -> Option<&Quantity> {
        self.resources.as_ref()?.requests.get(resource)
    }

    /// Whether this init container runs beside the others until the end.
    pub fn is_sidecar(&self) -> bool {
        self.restart_policy.as_deref() == Some("Always")
    }
}

/// What is requested, and the most that may be used. The algorithm does not look
/// at limits; they bound what can be measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResourceRequirements {
    /// The requests by resource name.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub requests: ByName<Quantity>,
    /// The limits by resource name.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub limits: ByName<Quantity>,
}

/// A pod's observed state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    /// `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "OneOf::is_empty")]
    pub phase: OneOf<Phase>,
    /// When the kubelet acknowledged the pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Timestamp>,
    /// The pod's conditions; of a pod that is Ready only that one, for the
    /// others say nothing more, and there are ten thousand pods of them.
    #[serde(deserialize_with = "telling", skip_serializing_if = "<[_]>::is_empty")]
    pub conditions: Arc<[PodCondition]>,
    /// The containers that wait for something; the others say nothing more
    /// than the pod does.
    #[serde(deserialize_with = "waiting", skip_serializing_if = "<[_]>::is_empty")]
    pub container_statuses: Box<[ContainerStatus]>,
    /// The same of the init containers.
    #[serde(deserialize_with = "waiting", skip_serializing_if = "<[_]>::is_empty")]
    pub init_container_statuses: Box<[ContainerStatus]>,
}

/// The observed state of a container.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStatus {
    /// The container's name.
    pub name: CompactString,
    /// What it does now.
    #[serde(deserialize_with = "nullable::or_default")]
    pub state: ContainerState,
    /// How often it was started again.
    pub restart_count: i32,
}

/// What a container does, as far as it waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContainerState {
    /// Why it waits, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<ContainerWaiting>,
}

/// Why a container waits. The sentence is left out: it names images.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContainerWaiting {
    /// Such as `CrashLoopBackOff` or `CreateContainerConfigError`.
    #[serde(deserialize_with = "nullable::or_default")]
    pub reason: CompactString,
}

/// One condition of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodCondition {
    /// Such as `Ready` or `PodScheduled`.
    #[serde(rename = "type")]
    pub kind: OneOf<PodConditionKind>,
    /// `True`, `False` or `Unknown`.
    pub status: OneOf<ConditionStatus>,
    /// Why, in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When the status last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Timestamp>,
}

impl Pod {
    /// Holds what a pod of the same template has as well only once.
    pub fn share(&mut self, other: &Self) {
        self.metadata.share(&other.metadata);
        share(&mut self.spec.containers, &other.spec.containers);
        share(&mut self.status.conditions, &other.status.conditions);
    }

    /// Whether all of its containers have ended for good.
    pub fn has_ended(&self) -> bool {
        self.status.phase.known().is_some_and(Phase::has_ended)
    }

    /// Whether a `VerticalPodAutoscaler` sets its requests, by its own note.
    pub fn is_changed_by_vpa(&self) -> bool {
        self.metadata.annotations.is_some()
    }

    /// Why the first container that does not run waits, init containers
    /// first, as the kubelet starts them.
    pub fn waiting(&self) -> Option<(&str, &str)> {
        let status = &self.status;
        let statuses = status.init_container_statuses.iter();
        let mut statuses = statuses.chain(&status.container_statuses);
        statuses.find_map(|status| {
            let waiting = status.state.waiting.as_ref()?;
            Some((status.name.as_str(), waiting.reason.as_str()))
        })
    }

    /// The condition of a type; the first one counts.
    pub fn condition(&self, kind: PodConditionKind) -> Option<&PodCondition> {
        self.status.conditions.iter().find(|c| c.kind == kind)
    }

    /// Whether its `Ready` condition is true.
    pub fn is_ready(&self) -> bool {
        let ready = self.condition(PodConditionKind::Ready);
        ready.is_some_and(|it| it.status == ConditionStatus::True)
    }
}

fn waiting<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<[ContainerStatus]>, D::Error> {
    let mut statuses: Vec<ContainerStatus> = nullable::or_default(deserializer)?;
    statuses.retain(|status| status.state.waiting.is_some());
    Ok(statuses.into())
}

fn telling<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[PodCondition]>, D::Error> {
    let mut conditions: Vec<PodCondition> = nullable::or_default(deserializer)?;
    let ready = conditions
        .iter()
        .position(|condition| condition.kind == PodConditionKind::Ready);
    if let Some(ready) = ready.filter(|at| conditions[*at].status == ConditionStatus::True) {
        conditions.swap(0, ready);
        conditions.truncate(1);
    }
    Ok(conditions.into())
}

/// Whether each pod holds a resource of its own, so that what it uses does not
/// spread over more pods.
///
/// Only cpu is known to be work that more pods share. Memory, huge pages and
/// storage every pod fills anew; of any other resource nothing is known, and
/// to take its use for shared would promise a relief that may never come.
pub fn is_held_by_each_pod(resource: &str) -> bool {
    resource != "cpu"
}

/// Billionths by resource.
pub type Amounts = BTreeMap<String, i128>;

/// Billionths in a thousandth, and in one.
const MILLI: i128 = 1_000_000;
const ONE: i128 = 1_000_000_000;

/// What the containers of a pod request, and the most that they may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodDemand {
    /// The containers, init containers first, in their order.
    pub containers: Vec<ContainerDemand>,
    overhead: Amounts,
}

/// What a container requests, and the most that it may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerDemand {
    /// Its name.
    pub name: String,
    /// When it runs.
    pub runs: Runs,
    /// What it requests; what only a limit names is requested, too.
    pub requests: Amounts,
    /// The most that it may use.
    pub limits: Amounts,
}

/// When a container runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Alone, before the pod starts.
    Before,
    /// From its place among the init containers until the end.
    Alongside,
    /// Once all init containers are through.
    Always,
}

/// A container's name, what it requires, and whether it is a sidecar.
type Required<'a> = (&'a str, Option<&'a ResourceRequirements>, bool);

impl PodDemand {
    /// That of a template, or of a pod that has the same fields; absent where an
    /// amount is too large.
    pub fn of_template(spec: &PodTemplateSpec) -> Option<Self> {
        fn container(it: &TemplateContainer) -> Required<'_> {
            let is_sidecar = it.restart_policy.as_deref() == Some("Always");
            (&it.name, it.resources.as_ref(), is_sidecar)
        }
        let init = spec.init_containers.iter().map(container);
        Self::new(init, spec.containers.iter().map(container), &spec.overhead)
    }

    /// That of a pod; absent where an amount is too large.
    pub fn of_pod(spec: &PodSpec) -> Option<Self> {
        fn container(it: &Container) -> Required<'_> {
            (&it.name, it.resources.as_ref(), it.is_sidecar())
        }
        let init = spec.init_containers.iter().map(container);
        Self::new(init, spec.containers.iter().map(container), &spec.overhead)
    }

    fn new<'a>(
        init: impl Iterator<Item = Required<'a>>,
        own: impl Iterator<Item = Required<'a>>,
        overhead: &ByName<Quantity>,
    ) -> Option<Self> {
        let init = init.map(|it| (it, if it.2 { Runs::Alongside } else { Runs::Before }));
        let all = init.chain(own.map(|it| (it, Runs::Always)));
        let containers = all.map(|((name, resources, _), runs)| {
            let of = |amounts: fn(&ResourceRequirements) -> &ByName<Quantity>| {
                amounts_of(resources.into_iter().flat_map(|it| amounts(it).entries()))
            };
            let (mut requests, limits) = (of(|it| &it.requests)?, of(|it| &it.limits)?);
            for (name, limit) in &limits {
                requests.entry(name.clone()).or_insert(*limit);
            }
            Some(ContainerDemand {
                name: name.to_owned(),
                runs,
                requests,
                limits,
            })
        });
        Some(Self {
            containers: containers.collect::<Option<_>>()?,
            overhead: amounts_of(overhead.entries())?,
        })
    }

    /// What it requests in all (component-helpers `resource.PodRequests`).
    pub fn requests(&self) -> Amounts {
        self.requests_within(&Amounts::new())
    }

    /// The same where the pod itself requests something for all of its containers.
    pub fn requests_within(&self, own: &Amounts) -> Amounts {
        let mut all = self.total(|container| &container.requests);
        raise(&mut all, own);
        add(&mut all, &self.overhead);
        all
    }

    /// The most that it may use in all, of what a container limits
    /// (component-helpers `resource.PodLimits`).
    pub fn limits(&self) -> Amounts {
        let mut all = self.total(|container| &container.limits);
        for (name, amount) in &mut all {
            *amount += self.overhead.get(name).copied().unwrap_or_default();
        }
        all
    }

    /// The larger of what runs in the end and of what runs at each step before,
    /// without the overhead.
    pub fn total(&self, of: impl Fn(&ContainerDemand) -> &Amounts) -> Amounts {
        let (mut lasting, mut highest) = (Amounts::new(), Amounts::new());
        for container in &self.containers {
            if container.runs == Runs::Before {
                let mut step = lasting.clone();
                add(&mut step, of(container));
                raise(&mut highest, &step);
            } else {
                add(&mut lasting, of(container));
            }
        }
        raise(&mut highest, &lasting);
        highest
    }
}

/// Quantities in billionths; absent where one is too large.
pub fn amounts_of<'q, N: AsRef<str> + 'q>(
    quantities: impl Iterator<Item = &'q (N, Quantity)>,
) -> Option<Amounts> {
    let amounts = quantities.map(|(name, quantity)| {
        let amount = quantity.nano_value()?;
        Some((name.as_ref().to_owned(), amount))
    });
    amounts.collect()
}

fn add(all: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        *all.entry(name.clone()).or_default() += amount;
    }
}

/// Takes over what is larger, or was not there.
pub fn raise(all: &mut Amounts, other: &Amounts) {
    for (name, amount) in other {
        let own = all.entry(name.clone()).or_insert(*amount);
        *own = (*own).max(*amount);
    }
}

/// An amount as the scheduler holds it: whole thousandths of cpu, whole numbers of
/// all else, rounded up.
pub fn as_scheduled(resource: &str, amount: i128) -> i128 {
    let step = if resource == "cpu" { MILLI } else { ONE };
    (amount + step - 1).div_euclid(step) * step
}

#[cfg(test)]
mod tests {
    use super::Pod;

    #[test]
    fn of_containers_only_what_they_wait_for_is_kept() {
        let text = r#"{"metadata":{"name":"x"},"status":{
            "initContainerStatuses":[{"name":"init","state":{"terminated":{"exitCode":0}}}],
            "containerStatuses":[
                {"name":"app","state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}},"image":"SECRET"},
                {"name":"proxy","restartCount":3,"state":{"waiting":{"reason":"ImagePullBackOff","message":"pulling SECRET"}}}
            ]}}"#;
        let pod: Pod = serde_json::from_str(text).expect("a pod");
        assert_eq!(pod.waiting(), Some(("proxy", "ImagePullBackOff")));
        assert_eq!(pod.status.container_statuses.len(), 1);
        assert!(pod.status.init_container_statuses.is_empty());
        let written = serde_json::to_string(&pod).expect("plain fields");
        assert!(!written.contains("SECRET"), "{written}");
    }

    #[test]
    fn init_containers_come_first() {
        let waits = |name: &str| {
            format!(r#"[{{"name":"{name}","state":{{"waiting":{{"reason":"PodInitializing"}}}}}}]"#)
        };
        let text = format!(
            r#"{{"metadata":{{"name":"x"}},"status":{{"containerStatuses":{},"initContainerStatuses":{}}}}}"#,
            waits("app"),
            waits("init")
        );
        let pod: Pod = serde_json::from_str(&text).expect("a pod");
        assert_eq!(pod.waiting(), Some(("init", "PodInitializing")));
    }
}
