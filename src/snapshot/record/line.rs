//! What a line of a record can say.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

use super::foreign::{PodMetricsForm, ScaleForm};
use crate::snapshot::{
    ApiService, ControllerFlags, Event, HorizontalPodAutoscaler, Lease, Metrics, OtherAutoscaler,
    Pod, Provenance, ScaledObject, VerticalPodAutoscaler, Workload, list,
};

/// The first line of a record: of which HPA it is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordHeader {
    /// The record's own kind; absent from a recording by other means.
    #[serde(default)]
    pub kind: Option<String>,
    /// The version of the form.
    #[serde(default)]
    pub api_version: Option<String>,
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub horizontal_pod_autoscaler: String,
}

/// A line, told apart.
#[derive(Debug)]
pub(super) enum Line {
    Header(RecordHeader),
    Sample(Box<Delta>),
    Gap { at: Timestamp, error: String },
}

/// What became of a part.
#[derive(Debug, Default)]
pub(super) enum Change<T> {
    /// It is absent: as it was.
    #[default]
    None,
    /// It is `null`.
    Gone,
    /// It is there.
    To(T),
}

impl<T> Change<T> {
    /// The same change of a part that is made of this one.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Change<U> {
        match self {
            Self::None => Change::None,
            Self::Gone => Change::Gone,
            Self::To(value) => Change::To(make(value)),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let part = Option::deserialize(deserializer)?;
        Ok(part.map_or(Self::Gone, Self::To))
    }
}

/// A sample: the parts that have changed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Delta {
    pub t: Timestamp,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    pub full: bool,
    #[serde(default)]
    pub pass_at: Option<Timestamp>,
    #[serde(default)]
    pub server_version: Change<String>,
    #[serde(default)]
    pub controller: Change<ControllerFlags>,
    #[serde(default)]
    pub horizontal_pod_autoscaler: Change<HorizontalPodAutoscaler>,
    #[serde(default)]
    pub scale: Change<ScaleForm>,
    #[serde(default, deserialize_with = "items")]
    pub pods: Option<Vec<Pod>>,
    #[serde(default)]
    pub metrics: Change<Metrics>,
    #[serde(default)]
    pub pod_metrics: Change<PodMetricsForm>,
    #[serde(default, deserialize_with = "items")]
    pub other_autoscalers: Option<Vec<OtherAutoscaler>>,
    #[serde(default, alias = "deployment")]
    pub target: Change<Workload>,
    #[serde(default, deserialize_with = "items")]
    pub replica_sets: Option<Vec<Workload>>,
    #[serde(default, deserialize_with = "items")]
    pub events: Option<Vec<Event>>,
    #[serde(default)]
    pub controller_lease: Change<Lease>,
    #[serde(default, deserialize_with = "items")]
    pub vertical_pod_autoscalers: Option<Vec<VerticalPodAutoscaler>>,
    #[serde(default)]
    pub scaled_object: Change<ScaledObject>,
    #[serde(default, deserialize_with = "items")]
    pub api_services: Option<Vec<ApiService>>,
    #[serde(default)]
    pub provenance: Change<Provenance>,
}

impl Line {
    /// Reads a line; the reason if it is none.
    pub fn parse(text: &[u8]) -> Result<Self, serde_json::Error> {
        // Nearly every line is a sample, and only a header has no time.
        let delta = match serde_json::from_slice::<Delta>(text) {
            Ok(delta) => delta,
            Err(error) => {
                return serde_json::from_slice(text)
                    .map(Self::Header)
                    .map_err(|_| error);
            }
        };
        Ok(match delta.error {
            Some(error) => Self::Gap { at: delta.t, error },
            None => Self::Sample(Box::new(delta)),
        })
    }
}

/// A list that stands there; one that is gone is empty.
fn items<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    list::items(deserializer).map(Some)
}
