//! What an answer rests on: the release's rules and the settings.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::Rule;
use super::amount::plural;
use crate::api::{GoDuration, MetricStatus};
use crate::document::snapshot::NotRead;

/// What the answer rests on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
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

impl Basis {
    /// A setting of the controller.
    pub fn setting(&self, name: &str) -> Option<&SettingRecord> {
        self.settings.iter().find(|setting| setting.name == name)
    }

    /// Whether the controller looks at a feature gate and it is off.
    pub fn is_off(&self, gate: &str) -> bool {
        let value = self.setting(gate).map(|it| it.value);
        value == Some(SettingValue::Gate(false))
    }

    /// Everything that weakens the answer: rules that stand in for those of
    /// another release, rules that nothing recorded covers, and the warnings.
    pub fn weaknesses(&self) -> Vec<String> {
        let release = &self.release;
        let stand_in = release.nearest.map(|_| release.describe());
        let remark = release.remark.iter().cloned();
        let remark = remark.chain(release.describe_derived());
        let warnings = self.warnings.iter().cloned();
        stand_in.into_iter().chain(remark).chain(warnings).collect()
    }
}

/// The release whose rules were applied.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReleaseBasis {
    /// The version as it was given, if it was.
    pub version: Option<String>,
    /// The release, such as `1.36`.
    pub rules: String,
    /// Why it is not that of the version: those rules are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
    /// Where the choice comes from.
    pub origin: Origin,
    /// Said of releases that no recorded answer of a real controller covers.
    pub remark: Option<String>,
    /// The rules of the release that are taken from merged pull requests of
    /// kubernetes/kubernetes and not measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<DerivedRule>,
}

/// A rule that is derived, not measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DerivedRule {
    /// The stable name of the rule.
    pub rule: String,
    /// The rule in a sentence.
    pub says: String,
    /// The numbers of the pull requests.
    pub pull_requests: String,
}

/// Which release stands in for one whose rules are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Nearest {
    /// The oldest one that is known.
    Oldest,
    /// The newest one that is known.
    Newest,
}

impl Nearest {
    /// Whose rules they are, and for which version: `rules of 1.23, the
    /// oldest known, for 1.20`.
    pub fn describe(self, rules: &str, version: &str) -> String {
        format!("rules of {rules}, the {self} known, for {version}")
    }
}

impl ReleaseBasis {
    /// Whether nobody said which release it is.
    pub fn is_unheard_of(&self) -> bool {
        self.origin == Origin::Assumed && self.version.is_none()
    }

    /// Whose rules they are, such as `rules of 1.36`. The version is as it
    /// came.
    pub fn describe(&self) -> String {
        match self.nearest.zip(self.version.as_deref()) {
            Some((nearest, version)) => nearest.describe(&self.rules, version),
            None => format!("rules of {}", self.rules),
        }
    }

    /// That some rules are derived, in short.
    pub fn describe_derived(&self) -> Option<String> {
        let (count, rules) = (self.derived.len(), &self.rules);
        let are = plural(count, "is", "are");
        (count > 0).then(|| {
            format!("{count} of the rules of {rules} {are} derived from merged pull requests, not measured")
        })
    }
}

/// One setting of the controller.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SettingRecord {
    /// The flag or feature gate.
    pub name: &'static str,
    /// Its value, as one would write it on the command line.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub value: SettingValue,
    /// Where the value comes from.
    pub origin: Origin,
}

/// The value of a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingValue {
    /// Of a feature gate.
    Gate(bool),
    /// Of a flag with a time.
    Time(GoDuration),
    /// Of a flag with a fraction.
    Fraction(f64),
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gate(on) => on.fmt(f),
            Self::Time(time) => time.fmt(f),
            Self::Fraction(fraction) => fraction.fmt(f),
        }
    }
}

fn as_text<S: Serializer>(value: &SettingValue, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Given to this run: a what-if.
    Given,
    /// Seen: the controller's own flag, or the server's own version.
    #[serde(rename = "seen")]
    Observed,
    /// Not visible: the release's default is assumed.
    #[default]
    Assumed,
}

/// The fallback of an External metric (KEP-5679). It is recorded only where
/// the feature gate `HPAExternalMetricFallback` is switched on, which no
/// release of Kubernetes has: a cluster's own controller does none of this.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FallbackRecord {
    /// What becomes of it: `fallback.active`, `fallback.waiting`,
    /// `fallback.normal` or `fallback.unknown`.
    pub rule: Rule,
    /// The size that it asks for once it is active.
    pub replicas: i32,
    /// For how many seconds the metric must have failed, defaulted.
    pub failure_duration_seconds: i64,
    /// Since when the metric has failed without a break; absent where it
    /// does not fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<Timestamp>,
    /// Whether the metric asks for `replicas` in this pass.
    pub active: bool,
    /// From when on it does, if the metric goes on failing; absent where the
    /// metric does not fail, and where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_at: Option<Timestamp>,
    /// How many seconds that is from now, rounded up; absent where it is
    /// active already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_left: Option<i64>,
    /// The comparison, with its numbers.
    pub formula: String,
    /// The entry of `status.currentMetrics` that a failing metric leaves;
    /// absent for one that does not fail, whose proposal has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<MetricStatus>,
}
