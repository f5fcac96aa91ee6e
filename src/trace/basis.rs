//! What an answer rests on: the release's rules and the settings.

use schemars::JsonSchema;
use serde::Serialize;

use crate::snapshot::NotRead;

/// What the answer rests on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Basis {
    /// The release whose rules were applied.
    pub release: ReleaseBasis,
    /// The controller's settings, each with its origin.
    pub settings: Vec<SettingRecord>,
    /// What weakens the answer as a whole.
    pub warnings: Vec<String>,
    /// What was not read, and why not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<NotRead>,
}

/// The release whose rules were applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseBasis {
    /// The version as it was given, if it was.
    pub version: Option<String>,
    /// The release, such as `1.36`.
    pub rules: String,
    /// Where the choice comes from.
    pub origin: Origin,
    /// Said of releases that no recorded answer of a real controller covers.
    pub remark: Option<String>,
}

/// One setting of the controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingRecord {
    /// The flag or feature gate.
    pub name: &'static str,
    /// Its value, as one would write it on the command line.
    pub value: String,
    /// Where the value comes from.
    pub origin: Origin,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Given to this run: a what-if.
    Given,
    /// Seen: the controller's own flag, or the server's own version.
    Seen,
    /// Not visible: the release's default is assumed.
    Assumed,
}
