//! What `watch` has to say beside the passes, one document a line.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// Something to say beside the passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remark {
    /// What kind of thing it is.
    pub kind: RemarkKind,
    /// When.
    pub at: Timestamp,
    /// What could not be read, or can be read again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Of>,
    /// What there is to say.
    pub message: String,
}

/// The kinds of remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum RemarkKind {
    /// Something could not be read.
    Gap,
    /// It can be read again.
    GapEnd,
    /// Something that is no failure.
    Notice,
}

/// What is read all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Of {
    /// The watch on the HPA.
    Watch,
    /// The inputs of a pass.
    Samples,
}

impl Remark {
    /// What there is to say to people.
    #[must_use]
    pub fn text(&self) -> String {
        let what = if self.kind == RemarkKind::Gap {
            "gap: "
        } else {
            ""
        };
        format!("{what}{}", self.message)
    }
}
