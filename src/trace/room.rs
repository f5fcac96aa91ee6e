//! Whether the pods of a size have room.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::api::Quantity;
use crate::document::snapshot::NotRead;

/// Whether a size can be reached: by quotas, limit ranges and nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Room {
    /// The size: `maxReplicas`, or where that is reached what the metrics ask for.
    pub replicas: i32,
    /// How many pods have to be created.
    pub needed: i64,
    /// How many pods there are that have no node yet.
    pub waiting: i64,
    /// The answer.
    pub answer: RoomAnswer,
}

/// Whether a size can be reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RoomAnswer {
    /// Quotas, limit ranges and nodes allow it.
    Fits {
        /// How many more pods fit, with those that have no node yet.
        more: i64,
    },
    /// Quotas and limit ranges allow it; the nodes were not looked at.
    FitsQuota {
        /// How many more pods they allow; absent where no quota limits them.
        #[serde(skip_serializing_if = "Option::is_none")]
        more: Option<i64>,
    },
    /// It cannot be reached as things are.
    DoesNotFit {
        /// How many more pods fit; on nodes, those without a node are among them.
        more: i64,
        /// What allows no more.
        limit: RoomLimit,
    },
    /// It cannot be told.
    Unknown {
        /// Why.
        why: RoomUnknown,
    },
}

/// What allows no more pods. Amounts are quantities as the API writes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RoomLimit {
    /// A quota is used up.
    Quota {
        /// The quota.
        name: String,
        /// Of what, such as `requests.cpu`.
        resource: String,
        /// What it allows.
        #[serde(serialize_with = "as_printed")]
        #[schemars(with = "String")]
        hard: Quantity,
        /// What is used of that.
        #[serde(serialize_with = "as_printed")]
        #[schemars(with = "String")]
        used: Quantity,
        /// What a pod takes of it.
        #[serde(serialize_with = "as_printed")]
        #[schemars(with = "String")]
        pod: Quantity,
    },
    /// A quota of a resource refuses pods that do not name it.
    Unnamed {
        /// The quota.
        name: String,
        /// The resource, such as `limits.memory`.
        resource: String,
        /// The container that does not name it.
        container: String,
    },
    /// A limit range refuses the pod.
    LimitRange {
        /// The limit range.
        name: String,
        /// The resource.
        resource: String,
        /// Its rule.
        rule: LimitRangeRule,
        /// What the rule allows.
        allowed: String,
        /// The container; absent where the rule is about the pod.
        #[serde(skip_serializing_if = "Option::is_none")]
        container: Option<String>,
    },
    /// The nodes that there are have no more room.
    Nodes {
        /// How many nodes there are.
        all: usize,
        /// On how many of them the pod may run.
        allowed: usize,
    },
}

fn as_printed<S: Serializer>(quantity: &Quantity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(quantity)
}

/// A rule of a limit range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LimitRangeRule {
    /// The limit of what names none: no request may be above it.
    Default,
    /// The least request.
    Min,
    /// The highest limit.
    Max,
    /// The highest ratio of limit to request.
    MaxLimitRequestRatio,
}

/// Why it cannot be told whether there is room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RoomUnknown {
    /// Neither quotas, limit ranges nor nodes were asked for.
    NothingRead,
    /// Something was not read.
    NotRead(NotRead),
    /// Neither a pod template nor a pod was read.
    NoPod,
    /// No pod of the target shows what admission makes of the template.
    NoOwnPod,
    /// Admission has changed where the pods may run.
    Admission,
    /// The pod template was not read, which says where a pod may run.
    NoTemplate,
    /// A rollout replaces pods.
    Rollout,
    /// The cluster could not create the last ones.
    NotCreated {
        /// Why, in its words.
        message: String,
    },
    /// The scheduler did not place a pod.
    NotPlaced {
        /// Why, in its words.
        message: String,
    },
    /// The pods, or the template and the pods, differ in what they request, and it
    /// depends on that.
    PodsDiffer,
    /// The pod names resources as a whole.
    PodLevelResources,
    /// An amount is too large to compute with.
    Amount,
    /// Limit ranges set different defaults.
    Defaults,
    /// A quota was changed, and its use is not counted yet.
    QuotaNotCounted {
        /// The quota.
        name: String,
    },
    /// It cannot be told whether a quota counts these pods.
    QuotaScope {
        /// The quota.
        name: String,
    },
    /// A quota limits claims, of which each pod has its own, or may have.
    QuotaOfClaims {
        /// The quota.
        name: String,
    },
    /// What the template says to the scheduler is not computed here.
    Template {
        /// The field.
        field: String,
    },
    /// What a pod says to the scheduler beyond its template is not computed here.
    OwnPod {
        /// The field.
        field: String,
    },
    /// Pods of others wait for a node, and may take it first.
    OthersWait {
        /// How many.
        pods: usize,
    },
    /// Nothing keeps the pods to nodes of the operating system on which they start.
    OperatingSystem,
    /// Nodes lack a resource, and a driver of devices may provide it.
    DeviceDriver {
        /// The resource.
        resource: String,
    },
    /// Pods on the nodes require to be away from such pods.
    KeptAway,
    /// The pods may take the place of pods of a lower priority.
    Preemption,
}
