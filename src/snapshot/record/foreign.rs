//! Parts as recordings by other means have them: the bare object, or the
//! status and body of a refusal.

use serde::Deserialize;

use crate::api::{
    AnswerError, Answered, NotOneAnswer, PodMetrics, PodMetricsList, ReadFailure, Scale, ScaleSpec,
    ScaleStatus,
};

/// The scale as an answer, as a bare object, or as what stood in its place.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ScaleForm {
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
pub(super) struct PodMetricsForm {
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
                Answered::Response(PodMetricsList::default()),
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
