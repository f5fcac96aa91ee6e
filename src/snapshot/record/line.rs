//! What a line of a record can say.

use jiff::Timestamp;
use serde::Deserialize;

use super::parts::Delta;

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
