//! What is said of a manifest.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Finding, Remedy, Severity};
use crate::api::HpaSpec;
use crate::document::FieldPath;

/// An HPA's manifest: what the API server would make of it, and what it
/// probably does not mean.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    /// The file.
    pub file: String,
    /// The line on which it begins.
    pub line: usize,
    /// The version that it is written in.
    pub api_version: String,
    /// The namespace; empty where it has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The name, or what the server makes one from.
    pub name: String,
    /// The release whose API server was asked, such as `1.36`.
    pub release: String,
    /// Whether the API server would take it.
    pub accepted: bool,
    /// Whether the release does not serve the version that it is written in,
    /// which is answered with 404. What else is said of it is what a release
    /// would say that does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unserved: bool,
    /// Whether it could not even be decoded, which is answered with 400.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub decode_error: bool,
    /// The spec as it would be stored, where it would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub defaulted: Option<HpaSpec>,
    /// What the API server has against it, in its words and its order.
    pub errors: Vec<String>,
    /// What is to be corrected, with the places: what cannot be decoded, and of the errors
    /// those that do not follow from a misspelt name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<PlacedProblem>,
    /// What is legal, or dropped, and hardly meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<PlacedFinding>,
}

impl Review {
    /// How much the worst finding matters.
    pub fn worst(&self) -> Option<Severity> {
        let findings = self.findings.iter();
        findings.map(|it| it.finding.severity).max()
    }
}

/// Why the API server would refuse a manifest, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlacedProblem {
    /// The field.
    #[schemars(with = "String")]
    pub field: FieldPath,
    /// The line of the field, or of the nearest one around it that is there.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
    /// What is wrong, with the field.
    pub message: String,
}

/// A finding about a field of a manifest, and where that is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlacedFinding {
    /// The field.
    #[schemars(with = "String")]
    pub field: FieldPath,
    /// The line of the field, or of the nearest one around it that is there.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
    /// What was found.
    #[serde(flatten)]
    pub finding: Finding,
}

/// A document of a file that is no manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unreadable {
    /// The file.
    pub file: String,
    /// Where it stops making sense.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
    /// What is wrong.
    pub error: String,
    /// The next step, where it can be told what the text is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
}
