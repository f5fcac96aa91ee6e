//! An HPA in one line: its size, the answer in a few words, what holds it
//! and since when: only what the API or what is remembered tells, never more.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::text::{TextOptions, Tone, headline};
use crate::document::snapshot::API_VERSION;
use crate::trace::amount::{now, reported, target};
use crate::trace::{
    Code, Finding, Hold, LastPass, MetricRecord, Range, Role, Severity, Trace, Verdict,
};

/// The HPAs of a list, as `-o json` and `-o yaml` print it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryList {
    #[schemars(extend("const" = API_VERSION))]
    api_version: &'static str,
    #[schemars(extend("const" = "SummaryList"))]
    kind: &'static str,
    /// The HPAs, in the order that was asked for.
    pub items: Vec<Summary>,
}

/// An HPA in one line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// What it scales, as `Kind/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// `spec.minReplicas`, or 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_replicas: Option<i32>,
    /// `spec.maxReplicas`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_replicas: Option<i32>,
    /// `metadata.creationTimestamp`, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creation_timestamp: Option<Timestamp>,
    /// The size before the pass.
    pub current_replicas: Option<i32>,
    /// The size after it: where the pass writes none, the one that stays,
    /// whatever `status.desiredReplicas` says. Absent where what cannot be
    /// seen decides.
    pub desired_replicas: Option<i32>,
    /// The ends of the counts that are possible, where not everything is
    /// known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible_range: Option<Range>,
    /// Whether the pass writes the size; absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rescale: Option<bool>,
    /// The answer: of the pass, or of the last one where that stands in.
    pub verdict: Verdict,
    /// The answer in a few words.
    #[serde(skip)]
    pub headline: String,
    /// What keeps the size from being what the metrics ask for; absent where
    /// nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<Hold>,
    /// Since when that is so or, where nothing holds it, since when the size
    /// is what it is; absent where nothing tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// How much the finding that matters most does. A failure is an error
    /// whatever is found; where the last pass stands in for this one, what its
    /// conditions show counts as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// What was found, causes first.
    pub findings: Vec<Noted>,
    /// What the last pass decided, where that is all there is to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_pass: Option<LastPass>,
    /// Why there is nothing to tell at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The metric that decides, or the first one: its value and its target.
    #[serde(skip)]
    pub(super) metrics: String,
    /// The moment of the pass.
    #[serde(skip)]
    pub(super) at: Option<Timestamp>,
    #[serde(skip)]
    pub(super) tone: Tone,
}

/// A finding without its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Noted {
    /// What it is.
    pub code: Code,
    /// How much it matters here.
    pub severity: Severity,
    /// Which part it plays.
    pub role: Role,
    /// It in a line.
    pub message: String,
}

impl Noted {
    fn of(finding: &Finding) -> Self {
        Self {
            code: finding.code,
            severity: finding.severity,
            role: finding.role,
            message: finding.message.clone(),
        }
    }
}

impl SummaryList {
    /// A list of HPAs.
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
    pub fn of(trace: &Trace, options: &TextOptions) -> Self {
        let outcome = &trace.outcome;
        let (verdict, last_pass) = trace.answer();
        let headline = headline(trace, &verdict, options);
        let holds = verdict.hold;
        Self {
            namespace: trace.namespace.clone(),
            name: trace.name.clone(),
            target: Some(trace.target_name()),
            min_replicas: Some(trace.bounds.min_replicas),
            max_replicas: Some(trace.bounds.max_replicas),
            creation_timestamp: None,
            current_replicas: Some(outcome.current_replicas),
            desired_replicas: match outcome.rescale {
                // A pass that fails leaves status.desiredReplicas as it was,
                // whatever that is.
                Some(false) => Some(outcome.current_replicas),
                _ => outcome.desired_replicas,
            },
            possible_range: outcome.possible,
            rescale: outcome.rescale,
            headline: headline.text(),
            holds,
            since: verdict.since,
            severity: verdict.severity,
            verdict,
            findings: trace.findings.iter().map(Noted::of).collect(),
            last_pass,
            error: None,
            metrics: metrics(trace),
            at: Some(trace.at),
            tone: headline.tone,
        }
    }

    /// The same, of an HPA that was created then.
    pub fn created(mut self, at: Option<Timestamp>) -> Self {
        self.creation_timestamp = at;
        self
    }

    /// Whether something is found that the user should look at.
    pub fn is_problem(&self) -> bool {
        self.error.is_some() || self.severity >= Some(Severity::Warning)
    }

    /// The finding to begin with: of those that matter most, the first.
    pub fn worst(&self) -> Option<&Noted> {
        let worst = self.findings.iter().map(|it| it.severity).max()?;
        self.findings.iter().find(|it| it.severity == worst)
    }

    /// An HPA of which nothing can be told.
    pub fn failed(namespace: String, name: String, error: String) -> Self {
        Self {
            namespace,
            name,
            headline: "Unknown".to_owned(),
            error: Some(error),
            tone: Tone::Warn,
            ..Self::default()
        }
    }

    /// `9`, `12 → 14`, or `9 → 5..9?` where only bounds are known.
    pub fn replicas(&self) -> String {
        let Some(current) = self.current_replicas else {
            return "?".to_owned();
        };
        let last = self.last_pass.as_ref();
        let last = last.map(|last| last.desired_replicas.unwrap_or(current));
        match (last.or(self.desired_replicas), self.possible_range) {
            (Some(desired), _) if desired == current => current.to_string(),
            (Some(desired), _) => format!("{current} → {desired}"),
            (None, Some(range)) => format!("{current} → {}..{}?", range.from, range.to),
            (None, None) => format!("{current} → ?"),
        }
    }
}

/// `cpu 150%/60%`, and how many more metrics there are.
fn metrics(trace: &Trace) -> String {
    let Some(metric) = trace.winner().or(trace.metrics.first()) else {
        return String::new();
    };
    let more = match trace.metrics.len() {
        0 | 1 => String::new(),
        all => format!(" +{}", all - 1),
    };
    let name = &metric.source.name;
    format!("{name} {}/{}{more}", value(metric), target(metric))
}

fn value(metric: &MetricRecord) -> String {
    let measured = metric.measured.as_ref();
    let now = measured.map(|measured| now(metric, measured));
    now.or_else(|| reported(metric))
        .unwrap_or_else(|| "<unknown>".to_owned())
}
