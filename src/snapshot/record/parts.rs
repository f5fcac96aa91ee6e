//! The parts of a snapshot that a record holds: listed once, for reading,
//! writing and keeping them.

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::api::{
    Answered, ApiService, Event, HorizontalPodAutoscaler, Lease, Metrics, Pod, RoomParts, Scale,
    ScaledObject, VerticalPodAutoscaler, Workload, nullable,
};
use crate::snapshot::{
    API_VERSION, ControllerFlags, Flaw, KIND, OtherAutoscaler, Provenance, Snapshot, in_words,
};

use super::foreign::{PodMetricsForm, ScaleForm};
use crate::document::{DocumentText, Fault, Form, UnknownField, typed};
use crate::snapshot::check::is_known;

/// Each part with its type, how it is read where it stands in a line, and
/// what else it may be called there. Without the HPA and its scale there is no
/// snapshot, so that these two are written out.
macro_rules! parts {
    ($($part:ident: $type:ty, $read:literal $(, $alias:literal)?;)*) => {
        /// A sample: the parts that have changed.
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub(super) struct Delta {
            pub t: Timestamp,
            #[serde(default)]
            pub error: Option<String>,
            #[serde(default)]
            pub full: bool,
            #[serde(default)]
            pub pass_at: Option<Timestamp>,
            #[serde(rename = "horizontalPodAutoscaler", default, deserialize_with = "there")]
            pub hpa: Option<Option<HorizontalPodAutoscaler>>,
            #[serde(default, deserialize_with = "there")]
            scale: Option<Option<ScaleForm>>,
            #[serde(default, deserialize_with = "there")]
            pod_metrics: Option<Option<PodMetricsForm>>,
            $(
                #[serde(default, deserialize_with = $read $(, alias = $alias)?)]
                $part: Option<$type>,
            )*
        }

        /// The parts that changed; one that went away is `null`.
        #[derive(Default, PartialEq, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(super) struct ChangedParts<'s> {
            $(
                #[serde(skip_serializing_if = "Option::is_none")]
                $part: Option<&'s $type>,
            )*
            #[serde(rename = "horizontalPodAutoscaler", skip_serializing_if = "Option::is_none")]
            hpa: Option<&'s HorizontalPodAutoscaler>,
            #[serde(skip_serializing_if = "Option::is_none")]
            scale: Option<&'s Answered<Scale>>,
        }

        impl<'s> ChangedParts<'s> {
            /// What of a snapshot is not as in the one before.
            pub fn changed(before: Option<&Snapshot>, now: &'s Snapshot) -> Self {
                macro_rules! changed {
                    ($own:ident) => {
                        before.is_none_or(|it| it.$own != now.$own).then_some(&now.$own)
                    };
                }
                Self {
                    hpa: changed!(hpa),
                    scale: changed!(scale),
                    $($part: changed!($part),)*
                }
            }
        }

        /// What the lines so far have left.
        #[derive(Debug, Default)]
        pub(super) struct State {
            pub hpa: Option<HorizontalPodAutoscaler>,
            scale: Option<ScaleForm>,
            $($part: $type,)*
        }

        impl State {
            /// Takes in what a line changes.
            pub fn apply(&mut self, delta: Delta) {
                if delta.full {
                    *self = Self::default();
                }
                put(&mut self.hpa, delta.hpa);
                put(&mut self.scale, delta.scale);
                $(put(&mut self.$part, delta.$part);)*
                let samples = delta.pod_metrics.map(|it| it.map(Answered::from));
                put(&mut self.metrics.resource, samples);
            }

            /// All parts together, at the moment of a sample; or why they are
            /// none.
            pub fn snapshot(&self, at: Timestamp) -> Result<Snapshot, Flaw> {
                let absent = |part| move || Flaw::new("", format!("no {part} was recorded"));
                let hpa = self.hpa.clone();
                let scale = self.scale.clone().ok_or_else(absent("scale"))?;
                let snapshot = Snapshot {
                    api_version: API_VERSION.to_owned(),
                    kind: KIND.to_owned(),
                    captured_at: at,
                    hpa: hpa.ok_or_else(absent("HPA"))?,
                    scale: Answered::try_from(scale).map_err(|flaw| Flaw::new("scale", flaw.to_string()))?,
                    history: None,
                    $($part: self.$part.clone(),)*
                };
                snapshot.complete().map(|(snapshot, _)| snapshot)
            }
        }
    };
}

parts! {
    server_version: Option<String>, "there";
    controller: ControllerFlags, "or_default";
    pods: Vec<Pod>, "items";
    metrics: Metrics, "or_default";
    other_autoscalers: Vec<OtherAutoscaler>, "items";
    target: Option<Workload>, "there", "deployment";
    replica_sets: Vec<Workload>, "items";
    events: Vec<Event>, "items";
    controller_lease: Option<Lease>, "there";
    vertical_pod_autoscalers: Vec<VerticalPodAutoscaler>, "items";
    scaled_object: Option<ScaledObject>, "there";
    api_services: Vec<ApiService>, "items";
    room: Option<RoomParts>, "there";
    provenance: Provenance, "or_default";
}

fn put<T>(part: &mut T, change: Option<T>) {
    if let Some(change) = change {
        *part = change;
    }
}

/// What stands there, `null` included.
fn there<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// What stands there; of one that is gone, the default.
fn or_default<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    nullable::or_default(deserializer).map(Some)
}

/// A list that stands there; one that is gone is empty.
fn items<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    nullable::items(deserializer).map(Some)
}

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
pub(super) enum RecordLine {
    Header(RecordHeader),
    Sample(Box<Delta>),
    Gap { at: Timestamp, error: String },
}

impl RecordLine {
    /// Reads a line; the reason if it is none.
    pub fn parse(text: &[u8]) -> Result<Self, LineError> {
        // Nearly every line is a sample, and only a header has no time.
        let delta = match serde_json::from_slice::<Delta>(text) {
            Ok(delta) => delta,
            Err(error) => {
                return serde_json::from_slice(text)
                    .map(Self::Header)
                    .map_err(|_| LineError::of(text, &error));
            }
        };
        Ok(match delta.error {
            Some(error) => Self::Gap { at: delta.t, error },
            None => Self::Sample(Box::new(delta)),
        })
    }
}

/// Why a line of a record is none.
#[derive(Debug, Error)]
pub(super) enum LineError {
    #[error("it is not JSON")]
    Syntax,
    #[error(
        "it has no time `t`, and is not a first line with \"kind\":\"Record\", namespace and horizontalPodAutoscaler"
    )]
    NoTime,
    /// A part is not what it should be.
    #[error("{0}")]
    Part(String),
}

impl LineError {
    fn of(text: &[u8], error: &serde_json::Error) -> Self {
        #[derive(Deserialize)]
        struct Timed {
            #[serde(rename = "t")]
            _t: IgnoredAny,
        }
        if !error.is_data() {
            return Self::Syntax;
        }
        if serde_json::from_slice::<Timed>(text).is_err() {
            return Self::NoTime;
        }
        let mut unknown = Vec::new();
        let mut reason = match read(text, &mut unknown) {
            Ok(_) => error.to_string(),
            Err(fault) => {
                let (reason, _) = in_words(&fault);
                if let Some((name, _)) = &fault.misspelt {
                    unknown.retain(|it| it.path != fault.path || it.name != *name);
                }
                Flaw::new(fault.path, reason).to_string()
            }
        };
        reason.push_str(&misspelt(unknown));
        Self::Part(reason)
    }
}

/// The fields of a line whose names were probably meant to be others.
pub(super) fn misspelt_fields(text: &[u8]) -> String {
    let mut unknown = Vec::new();
    // What is wrong with the line is known.
    _ = read(text, &mut unknown);
    misspelt(unknown)
}

fn misspelt(unknown: Vec<UnknownField>) -> String {
    let misspelt = unknown.into_iter().filter(|it| it.similar.is_some());
    misspelt.fold(String::new(), |text, it| {
        format!("{text}; {}", Flaw::from(it))
    })
}

/// Reads a line once more, with the places and the names of its fields.
fn read(text: &[u8], unknown: &mut Vec<UnknownField>) -> Result<Delta, Box<Fault>> {
    let line = DocumentText {
        text: &String::from_utf8_lossy(text),
        lines_before: 0,
        form: Form::JsonLine,
    };
    typed(line, unknown, is_known)
}
