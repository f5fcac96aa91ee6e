//! One HPA and every input of one controller pass, frozen.
//!
//! A [`Snapshot`] is what the whole tool runs on: collected from a cluster or
//! read from a file, it holds plain API objects, so that the output of
//! `kubectl get -o yaml` can be pasted into one by hand.
//!
//! Nothing here knows the algorithm.

mod check;
mod owners;
mod read;
mod record;
mod redact;
mod words;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{
    Answered, ApiService, Event, HorizontalPodAutoscaler, Lease, ManagedFields, Metrics, Pod,
    ReadFailure, RoomParts, Scale, ScaledObject, VerticalPodAutoscaler, Workload, nullable,
};

pub use check::{MOST_POLICIES, misspelt};
pub use owners::{Owner, may_be_own, owner};
pub use read::{Document, Flaw, ReadError, read_documents};
pub use record::{
    Ending, Gap, RECORD_KIND, RecordEntry, RecordError, RecordHeader, RecordReader, RecordWriter,
    SAMPLE_REACH_SECONDS, Sample, last_sample_at, next_line,
};
pub use words::{expected, without_value};

/// The `apiVersion` of a snapshot document.
pub const API_VERSION: &str = "hpa-explain/v1";

/// The `kind` of a snapshot document.
pub const KIND: &str = "Snapshot";

/// One HPA and every input of one controller pass, frozen at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Always [`API_VERSION`].
    pub api_version: String,
    /// Always [`KIND`].
    pub kind: String,
    /// The moment of the pass: "now" for every age and window.
    pub captured_at: Timestamp,
    /// The API server's version, such as `v1.36.2`; it selects the release's
    /// rules. Absent, the newest release that vectors cover is assumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_version: Option<String>,
    /// The controller's flags, as far as they were visible.
    #[serde(default, deserialize_with = "nullable::or_default")]
    pub controller: ControllerFlags,
    /// The HPA as the API server returns it.
    #[serde(rename = "horizontalPodAutoscaler")]
    pub hpa: HorizontalPodAutoscaler,
    /// The answer to reading the target's scale subresource.
    pub scale: Answered<Scale>,
    /// The pods of the HPA's namespace; the scale's selector decides which
    /// of them count.
    #[serde(default, deserialize_with = "nullable::items")]
    pub pods: Vec<Pod>,
    /// The answers of the metrics APIs.
    #[serde(default, deserialize_with = "nullable::or_default")]
    pub metrics: Metrics,
    /// The other HPAs, with the selector that the controller remembers for
    /// each.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_autoscalers: Vec<OtherAutoscaler>,
    /// What the controller holds in memory; absent means that it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<History>,
    /// The object that the HPA scales. Like what follows, no input of a pass.
    #[serde(default, deserialize_with = "nullable::or_other")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Workload>,
    /// The `ReplicaSets` that the pod selector matches.
    #[serde(default, deserialize_with = "nullable::or_other")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replica_sets: Vec<Workload>,
    /// The events of the HPA and of its target.
    #[serde(default, deserialize_with = "nullable::items")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Arc<Event>>,
    /// The lease of the kube-controller-manager that leads.
    #[serde(default, deserialize_with = "nullable::or_other")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller_lease: Option<Lease>,
    /// The `VerticalPodAutoscalers` of the target, where the HPA measures by
    /// requests that one of them sets.
    #[serde(default, deserialize_with = "nullable::or_other")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertical_pod_autoscalers: Vec<VerticalPodAutoscaler>,
    /// The `ScaledObject` that made the HPA, where KEDA did.
    #[serde(default, deserialize_with = "nullable::or_other")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaled_object: Option<ScaledObject>,
    /// The registrations of the metrics APIs that failed.
    #[serde(default, deserialize_with = "nullable::or_other")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_services: Vec<ApiService>,
    /// What limits how many pods there can be, where that was read.
    #[serde(default, deserialize_with = "nullable::or_other")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomParts>,
    /// How the snapshot came about.
    #[serde(default, deserialize_with = "nullable::or_other")]
    #[serde(skip_serializing_if = "nullable::is_default")]
    pub provenance: Provenance,
}

/// The kube-controller-manager's settings that shape a pass.
///
/// An absent field takes the release's default; a present one is literal,
/// also when it is 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ControllerFlags {
    /// `--horizontal-pod-autoscaler-sync-period`, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_period_seconds: Option<u32>,
    /// `--horizontal-pod-autoscaler-tolerance`, a fraction of 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// `--horizontal-pod-autoscaler-downscale-stabilization`, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub downscale_stabilization_seconds: Option<u32>,
    /// `--horizontal-pod-autoscaler-cpu-initialization-period`, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_initialization_period_seconds: Option<u32>,
    /// `--horizontal-pod-autoscaler-initial-readiness-delay`, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_readiness_delay_seconds: Option<u32>,
    /// `--feature-gates`; gates that a release does not know or has locked
    /// are ignored.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub feature_gates: std::collections::BTreeMap<String, bool>,
}

/// The controller's memory, each list in slot order: slots are reused, so
/// this is not the order of time.
///
/// A list that is absent is unknown; one that is present but empty is that
/// of a controller that has just started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct History {
    /// The recommendations before stabilization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendations: Option<Vec<Recommendation>>,
    /// The changes upwards that were carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_up_events: Option<Vec<ScaleEvent>>,
    /// The changes downwards that were carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_down_events: Option<Vec<ScaleEvent>>,
}

/// A recommendation of an earlier pass, before stabilization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The replicas that the metrics asked for.
    pub replicas: i32,
    /// When it was stored.
    pub timestamp: Timestamp,
}

/// A change of the scale that the controller carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScaleEvent {
    /// By how many replicas, without sign.
    pub replica_change: i32,
    /// When it was stored.
    pub timestamp: Timestamp,
}

/// Another HPA, as far as the ambiguity check needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherAutoscaler {
    /// Its namespace; only those of the same namespace can conflict.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The selector text that the controller remembers for it.
    pub selector: String,
}

/// How a snapshot came about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Provenance {
    /// The version of the tool that read the cluster; absent for a file that
    /// was written by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// Whether names and texts that the explanation does not need were taken
    /// out or hashed.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// What reading it left out; the answer is weaker for it.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<NotRead>,
}

/// Something that was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotRead {
    /// What.
    pub part: Part,
    /// Why not.
    #[schemars(with = "String")]
    pub reason: ReadFailure,
}

impl NotRead {
    /// A part, and why it was not read.
    pub fn new(part: Part, reason: ReadFailure) -> Self {
        Self { part, reason }
    }
}

/// What can be left out. What the metrics, the scale and the HPA itself
/// gave stands in their own places.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// The pods: every metric that is measured on them, or multiplied by
    /// their number, counts as unreadable then.
    Pods,
    /// `/version`: the release is assumed then.
    ServerVersion,
    /// The kube-controller-manager's command line: defaults are assumed then.
    ControllerFlags,
    /// The kube-controller-manager's lease.
    ControllerLease,
    /// The other HPAs and what they select: whether several HPAs select the
    /// same pods is not checked then.
    OtherAutoscalers,
    /// The HPA's events.
    Events,
    /// The target itself.
    Target,
    /// The `ReplicaSets` between the target and its pods.
    ReplicaSets,
    /// The `VerticalPodAutoscalers` of the target.
    VerticalPodAutoscalers,
    /// The `ScaledObject` that made the HPA.
    ScaledObject,
    /// The registrations of the metrics APIs that failed.
    ApiServices,
    /// The quotas of the namespace.
    ResourceQuotas,
    /// The limit ranges of the namespace.
    LimitRanges,
    /// The nodes and the pods on them.
    Nodes,
}

/// How far the times of a write and of what is said of it may be apart.
const SAME_MOMENT: SignedDuration = SignedDuration::from_secs(2);

/// Whether something was written in a time in which something changed.
pub fn is_written_in(at: Timestamp, times: (Timestamp, Timestamp)) -> bool {
    is_about(at, times, SAME_MOMENT)
}

/// Whether a moment lies in a time, or no farther than this from it.
pub fn is_about(at: Timestamp, (from, to): (Timestamp, Timestamp), apart: SignedDuration) -> bool {
    from.duration_since(at) <= apart && at.duration_since(to) <= apart
}

impl Snapshot {
    /// Whether the HPA's controller is behind managed fields: whoever writes the
    /// HPA's status.
    pub fn is_by_controller(&self, entry: &ManagedFields) -> bool {
        let mut entries = self.hpa.metadata.managed_fields.iter();
        let own = entries.find(|entry| entry.subresource == "status");
        own.map_or("kube-controller-manager", |own| own.manager.as_str()) == entry.manager
    }

    /// Who else wrote an object in a time, by its managed fields.
    pub fn written_by_others<'e>(
        &self,
        entries: &'e [ManagedFields],
        times: (Timestamp, Timestamp),
    ) -> impl Iterator<Item = &'e ManagedFields> {
        entries.iter().filter(move |entry| {
            let time = entry.time.filter(|_| entry.subresource != "status");
            !self.is_by_controller(entry) && time.is_some_and(|at| is_written_in(at, times))
        })
    }

    /// The wanted size of the target, where it could be read.
    pub fn size(&self) -> Option<i32> {
        let scale = self.scale.response()?;
        Some(scale.spec.replicas).filter(|size| *size >= 0)
    }

    /// The `ReplicaSets` of the target: labels alone can also match another's.
    pub fn own_replica_sets(&self) -> impl Iterator<Item = &Workload> {
        let target = &self.hpa.spec.scale_target_ref;
        self.replica_sets.iter().filter(|set| {
            set.controller()
                .is_none_or(|owner| owner.kind == target.kind && owner.name == target.name)
        })
    }

    /// The events of the HPA itself.
    pub fn own_events(&self) -> impl Iterator<Item = &Event> {
        let hpa = &self.hpa.metadata;
        self.events.iter().map(Arc::as_ref).filter(|event| {
            let about = &event.involved_object;
            about.can_be("HorizontalPodAutoscaler", &hpa.name, &hpa.namespace)
        })
    }

    /// The events of the target.
    pub fn target_events(&self) -> impl Iterator<Item = &Event> {
        let hpa = &self.hpa;
        let target = &hpa.spec.scale_target_ref;
        self.events.iter().map(Arc::as_ref).filter(|event| {
            let about = &event.involved_object;
            !about.kind.is_empty()
                && about.can_be(&target.kind, &target.name, &hpa.metadata.namespace)
        })
    }

    /// Whether KEDA made the HPA: its labels and owners say so, or its
    /// `ScaledObject` is there.
    pub fn is_by_keda(&self) -> bool {
        self.scaled_object.is_some() || self.hpa.scaled_object().is_some()
    }
}
