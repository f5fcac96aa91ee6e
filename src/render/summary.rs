//! An HPA in one line: its size, and the answer in a few words.

use schemars::JsonSchema;
use serde::Serialize;

use crate::snapshot::API_VERSION;
use crate::trace::{Condition, FailureCause, MetricResult, Range, Reported, Trace};

use super::text::{TextOptions, Tone, headline};

/// The HPAs of a list, as `-o json` and `-o yaml` print it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryList {
    #[schemars(extend("const" = API_VERSION))]
    api_version: &'static str,
    #[schemars(extend("const" = "SummaryList"))]
    kind: &'static str,
    /// The HPAs by namespace and name.
    pub items: Vec<Summary>,
}

/// An HPA in one line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// The size before the pass.
    pub current_replicas: Option<i32>,
    /// The size after it; absent where what cannot be seen decides.
    pub desired_replicas: Option<i32>,
    /// The ends of the counts that are possible, where not everything is
    /// known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible_range: Option<Range>,
    /// Whether the pass writes the size; absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rescale: Option<bool>,
    /// The answer in a few words.
    pub verdict: String,
    /// What the last pass decided, where that is all there is to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_pass: Option<LastPass>,
    /// Why there is nothing to tell at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip)]
    pub(super) tone: Tone,
}

/// What the status of an HPA shows of the last pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastPass {
    /// `status.desiredReplicas`; absent where the pass came to nothing, which
    /// leaves there whatever was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desired_replicas: Option<i32>,
    /// Why this pass is not computed.
    pub because: String,
    /// The same, told apart.
    #[serde(skip)]
    pub(super) cause: FailureCause,
}

impl SummaryList {
    /// A list of HPAs.
    #[must_use]
    pub fn of(items: Vec<Summary>) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "SummaryList",
            items,
        }
    }
}

impl Summary {
    /// Summarises a pass. Where it rests on answers that are not there, the
    /// HPA's status tells what the controller itself decided last.
    #[must_use]
    pub fn of(trace: &Trace, options: &TextOptions) -> Self {
        let outcome = &trace.outcome;
        let last_pass = last_pass(&trace.reported, trace);
        let (tone, verdict) = match &last_pass {
            Some(_) => last_words(&trace.reported, outcome.current_replicas),
            None => headline(trace, options),
        };
        Self {
            namespace: trace.namespace.clone(),
            name: trace.name.clone(),
            current_replicas: Some(outcome.current_replicas),
            desired_replicas: outcome.desired_replicas,
            possible_range: outcome.possible,
            rescale: outcome.rescale,
            verdict,
            last_pass,
            error: None,
            tone,
        }
    }

    /// An HPA of which nothing can be told.
    #[must_use]
    pub fn failed(namespace: String, name: String, error: String) -> Self {
        Self {
            namespace,
            name,
            current_replicas: None,
            desired_replicas: None,
            possible_range: None,
            rescale: None,
            verdict: "Unknown".to_owned(),
            last_pass: None,
            error: Some(error),
            tone: Tone::Warn,
        }
    }

    /// `9`, `12 → 14`, or `9 → 5..9?` where only bounds are known.
    #[must_use]
    pub fn replicas(&self) -> String {
        let Some(current) = self.current_replicas else {
            return "?".to_owned();
        };
        let last = self.last_pass.as_ref();
        let last = last.map(|last| last.desired_replicas.unwrap_or(current));
        let kept = (self.rescale == Some(false)).then_some(current);
        match (last.or(kept).or(self.desired_replicas), self.possible_range) {
            (Some(desired), _) if desired == current => current.to_string(),
            (Some(desired), _) => format!("{current} → {desired}"),
            (None, Some(range)) => format!("{current} → {}..{}?", range.from, range.to),
            (None, None) => format!("{current} → ?"),
        }
    }
}

/// The last pass, where this one cannot be told because of a missing answer
/// and nothing that is known speaks against it.
fn last_pass(reported: &Reported, trace: &Trace) -> Option<LastPass> {
    let (because, cause) = missing(trace).filter(|_| trace.outcome.desired_replicas.is_none())?;
    let is_decided = !has_failed(reported) && !is_paused(reported);
    let desired = is_decided.then_some(reported.desired_replicas);
    let agrees = match (desired, trace.outcome.possible) {
        (Some(desired), Some(range)) => range.contains(desired),
        _ => true,
    };
    (agrees && !reported.conditions.is_empty()).then(|| LastPass {
        desired_replicas: desired,
        because: because.to_owned(),
        cause,
    })
}

/// Why an answer is missing: that somebody may not look comes before that
/// nobody asked.
fn missing(trace: &Trace) -> Option<(&str, FailureCause)> {
    let scale = trace.scale.as_ref();
    let unreadable = scale.and_then(|scale| Some((scale, scale.unreadable.clone()?)));
    if let Some((scale, cause)) = unreadable {
        return Some((scale.error.as_deref()?, cause));
    }
    let reasons = trace
        .metrics
        .iter()
        .filter_map(|metric| match &metric.result {
            Some(MetricResult::Unreadable { reason, cause, .. }) => {
                Some((reason.as_str(), cause.clone()))
            }
            _ => None,
        });
    reasons.max_by_key(|(_, cause)| *cause != FailureCause::NotAsked)
}

/// The last pass in the words of a verdict, as far as its conditions go.
fn last_words(reported: &Reported, current: i32) -> (Tone, String) {
    let reason = |kind| condition(reported, kind).map_or("", |one| one.reason.as_str());
    let (tone, text) = match (reason("AbleToScale"), reason("ScalingLimited")) {
        _ if is_paused(reported) => (Tone::Warn, "Paused"),
        _ if has_failed(reported) => (Tone::Bad, "Failing"),
        _ if reported.desired_replicas > current => (Tone::Good, "Scaling up"),
        _ if reported.desired_replicas < current => (Tone::Good, "Scaling down"),
        (_, "TooManyReplicas") => (Tone::Warn, "At max"),
        (_, "TooFewReplicas") => (Tone::Good, "At min"),
        ("ScaleDownStabilized", _) => (Tone::Warn, "Held by the scaleDown window"),
        ("ScaleUpStabilized", _) => (Tone::Warn, "Held by the scaleUp window"),
        _ => (Tone::Good, "Steady"),
    };
    (tone, text.to_owned())
}

fn condition<'s>(reported: &'s Reported, kind: &str) -> Option<&'s Condition> {
    reported.conditions.iter().find(|one| one.kind == kind)
}

fn is_paused(reported: &Reported) -> bool {
    condition(reported, "ScalingActive").is_some_and(|one| one.reason == "ScalingDisabled")
}

fn has_failed(reported: &Reported) -> bool {
    let is_false = |kind| condition(reported, kind).is_some_and(|one| one.status == "False");
    is_false("AbleToScale") || is_false("ScalingActive")
}
