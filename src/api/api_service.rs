//! The `apiregistration.k8s.io/v1` `APIService` of a metrics API: who answers
//! for it; and the lease of the controller.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Condition, NamedMeta, nullable};

/// The registration of a version of an API: no more of it than a snapshot keeps, of
/// which its certificates are no part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ApiService {
    /// Its name: version and group, such as `v1beta1.metrics.k8s.io`.
    pub metadata: NamedMeta,
    /// Who answers.
    #[serde(deserialize_with = "nullable::or_default")]
    pub spec: ApiServiceSpec,
    /// Whether anybody does.
    #[serde(deserialize_with = "nullable::or_default")]
    pub status: ApiServiceStatus,
}

/// Who answers for an API.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ApiServiceSpec {
    /// The Service; absent where the API server itself answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceReference>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServiceReference {
    pub namespace: String,
    pub name: String,
}

/// Whether anybody answers for an API.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ApiServiceStatus {
    /// `Available`, of the same form as an HPA's conditions.
    #[serde(deserialize_with = "nullable::or_default")]
    pub conditions: Vec<Condition>,
}

impl ApiService {
    /// The group of the API.
    pub fn group(&self) -> &str {
        let name = &self.metadata.name;
        name.split_once('.').map_or("", |(_, group)| group)
    }

    /// Whether the API server could reach who answers, and why not; absent
    /// where it has not said.
    pub fn available(&self) -> Option<&Condition> {
        let mut conditions = self.status.conditions.iter();
        conditions.find(|condition| condition.kind.as_str() == "Available")
    }
}

/// A `coordination.k8s.io/v1` Lease, of the kube-controller-manager that leads: since
/// when it has had a memory, and no more of it than a snapshot keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lease {
    /// Who leads since when.
    #[serde(deserialize_with = "nullable::or_default")]
    pub spec: LeaseSpec,
}

/// Who leads since when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LeaseSpec {
    /// Who leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder_identity: Option<String>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acquire_time: Option<Timestamp>,
    /// When it last said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renew_time: Option<Timestamp>,
    /// How often the lead changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_transitions: Option<i32>,
}
