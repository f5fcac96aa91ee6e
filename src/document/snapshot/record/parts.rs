//! The parts of a snapshot that a record holds: listed once, for reading,
//! writing and keeping them; and those that recordings by other means have in their own
//! form: the bare object, or the status and body of a refusal.

use std::sync::Arc;

use jiff::Timestamp;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::api::{
    AnswerError, Answered, ApiService, Event, HorizontalPodAutoscaler, Lease, Metrics,
    NotOneAnswer, Pod, PodMetrics, PodMetricsList, ReadFailure, RoomParts, Scale, ScaleSpec,
    ScaleStatus, ScaledObject, VerticalPodAutoscaler, Workload, nullable,
};
use crate::document::snapshot::check::is_known;
use crate::document::snapshot::{
    API_VERSION, ControllerFlags, Flaw, KIND, OtherAutoscaler, Provenance, ReadError, Snapshot,
    misspelt,
};
use crate::document::{DocumentText, Fault, Form, UnknownField, typed};

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
            pub error: Option<String>,
            #[serde(default)]
            pub full: bool,
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
    pods: Vec<Pod>, "nullable::some_items";
    metrics: Metrics, "or_default";
    other_autoscalers: Vec<OtherAutoscaler>, "nullable::some_items";
    target: Option<Workload>, "there", "deployment";
    replica_sets: Vec<Workload>, "nullable::some_items";
    events: Vec<Arc<Event>>, "nullable::some_items";
    controller_lease: Option<Lease>, "there";
    vertical_pod_autoscalers: Vec<VerticalPodAutoscaler>, "nullable::some_items";
    scaled_object: Option<ScaledObject>, "there";
    api_services: Vec<ApiService>, "nullable::some_items";
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

/// The first line of a record: of which HPA it is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordHeader {
    /// The record's own kind; absent from a recording by other means.
    pub kind: Option<String>,
    /// The version of the form.
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
}

impl RecordLine {
    /// Reads a line; the reason if it is none.
    pub fn parse(text: &[u8]) -> Result<Self, LineError> {
        // Nearly every line is a sample, and only a header has no time.
        match serde_json::from_slice::<Delta>(text) {
            Ok(delta) => Ok(Self::Sample(Box::new(delta))),
            Err(error) => serde_json::from_slice(text)
                .map(Self::Header)
                .map_err(|_| LineError::of(text, &error)),
        }
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
    #[error("{flaw}{}", misspelt(.unknown))]
    Part {
        flaw: Flaw,
        unknown: Vec<UnknownField>,
    },
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
        let mut unknown = Vec::new();
        let fault = if serde_json::from_slice::<Timed>(text).is_ok() {
            read::<Delta>(text, &mut unknown).err()
        } else {
            match read::<RecordHeader>(text, &mut unknown) {
                Err(fault) if fault.misspelt.is_some() => Some(fault),
                _ => return Self::NoTime,
            }
        };
        let flaw = fault.map_or_else(
            || Flaw::new("", error.to_string()),
            |fault| ReadError::from(*fault).flaw,
        );
        Self::Part { flaw, unknown }
    }
}

/// The fields of a line whose names were probably meant to be others.
pub(super) fn misspelt_fields(text: &[u8]) -> String {
    let mut unknown = Vec::new();
    // What is wrong with the line is known.
    _ = read::<Delta>(text, &mut unknown);
    misspelt(&unknown)
}

/// Reads a line once more, with the places and the names of its fields.
fn read<T: DeserializeOwned>(
    text: &[u8],
    unknown: &mut Vec<UnknownField>,
) -> Result<T, Box<Fault>> {
    let line = DocumentText {
        text: &String::from_utf8_lossy(text),
        lines_before: 0,
        form: Form::JsonLine,
    };
    typed(line, unknown, is_known)
}

/// The scale as an answer, as a bare object, or as what stood in its place.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct ScaleForm {
    response: Option<Scale>,
    error: Option<AnswerError>,
    unreadable: Option<ReadFailure>,
    spec: Option<ScaleSpec>,
    status: Option<ScaleStatus>,
    #[serde(flatten)]
    refusal: Refusal,
}

impl TryFrom<ScaleForm> for Answered<Scale> {
    type Error = NotOneAnswer;

    fn try_from(form: ScaleForm) -> Result<Self, NotOneAnswer> {
        if let Some(refused) = form.refusal.answer() {
            return Ok(refused);
        }
        if form.spec.is_some() || form.status.is_some() {
            return Ok(Self::Response(Scale {
                other_kind: None,
                spec: form.spec.unwrap_or_default(),
                status: form.status.unwrap_or_default(),
            }));
        }
        Self::one_of(form.response, form.error, form.unreadable)
    }
}

/// The samples of the pods as a bare list, or what stood in its place.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PodMetricsForm {
    items: Vec<PodMetrics>,
    #[serde(flatten)]
    refusal: Refusal,
}

impl From<PodMetricsForm> for Answered<PodMetricsList> {
    fn from(form: PodMetricsForm) -> Self {
        let refused = form.refusal.answer();
        refused.unwrap_or_else(|| Self::Response(PodMetricsList { items: form.items }))
    }
}

/// An answer that is no success.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Refusal {
    http_status: Option<u16>,
    body: Option<String>,
}

impl Refusal {
    /// What it says; what we alone may not look at is not the controller's
    /// error.
    fn answer<T>(&self) -> Option<Answered<T>> {
        let status = self.http_status?;
        let text = self.message();
        let text = text.unwrap_or_else(|| format!("the server answered {status}"));
        Some(match status {
            401 | 403 => Answered::Unreadable(ReadFailure::of_status(status, text)),
            _ => Answered::Error(text.into()),
        })
    }

    /// The sentence of a Status object.
    fn message(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Status {
            message: String,
        }
        let status: Status = serde_json::from_str(self.body.as_ref()?).ok()?;
        Some(status.message)
    }
}

#[cfg(test)]
mod tests {
    use super::{Answered, PodMetricsForm, PodMetricsList, ReadFailure, Scale, ScaleForm};

    #[test]
    fn every_form_of_a_scale_is_one_answer() {
        let scale = |replicas| {
            let mut scale = Scale::default();
            scale.spec.replicas = replicas;
            Answered::Response(scale)
        };
        let rows = [
            (r#"{"response":{"spec":{"replicas":3}}}"#, scale(3)),
            (r#"{"kind":"Scale","spec":{"replicas":3}}"#, scale(3)),
            (
                r#"{"kind":"Scale","status":{"replicas":0}}"#,
                Answered::Response(Scale::default()),
            ),
            (
                r#"{"error":"not found"}"#,
                Answered::Error("not found".to_owned().into()),
            ),
            (
                r#"{"unreadable":"no"}"#,
                Answered::Unreadable(ReadFailure::not_read("no")),
            ),
            (
                r#"{"httpStatus":404,"body":"{\"message\":\"not found\"}"}"#,
                Answered::Error("not found".to_owned().into()),
            ),
            (
                r#"{"httpStatus":403,"body":"nginx"}"#,
                Answered::Unreadable(ReadFailure::of_status(
                    403,
                    "the server answered 403".into(),
                )),
            ),
        ];
        for (text, answer) in rows {
            let form: ScaleForm = serde_json::from_str(text).expect(text);
            assert_eq!(Answered::try_from(form), Ok(answer), "{text}");
        }
    }

    #[test]
    fn samples_are_a_list_or_a_refusal() {
        let rows = [
            (
                r#"{"kind":"PodMetricsList","items":[]}"#,
                Answered::Response(PodMetricsList { items: Vec::new() }),
            ),
            (
                r#"{"httpStatus":503,"body":"{\"message\":\"metrics not available\"}"}"#,
                Answered::Error("metrics not available".to_owned().into()),
            ),
        ];
        for (text, answer) in rows {
            let form: PodMetricsForm = serde_json::from_str(text).expect(text);
            assert_eq!(Answered::from(form), answer, "{text}");
        }
    }
}
