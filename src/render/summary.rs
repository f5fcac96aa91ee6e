//! An HPA in one line: its size, the answer in a few words, what holds it
//! and since when: only what the API or what is remembered tells, never more.

use std::cmp::{Ordering, Reverse};

use crate::api::{Condition, ConditionKind, ConditionReason, ConditionStatus};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::snapshot::API_VERSION;
use crate::trace::amount::{now, reported, target};
use crate::trace::{
    Code, FailureCause, Finding, Hold, MetricRecord, MetricResult, Range, Reported, Role, Severity,
    Trace, Verdict, WindowEntry,
};

use super::text::{TextOptions, Tone, headline};

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
#[serde(rename_all = "camelCase")]
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
        let last_pass = last_pass(&trace.reported, trace);
        let is_last = last_pass.is_some();
        let verdict = if is_last {
            Verdict::of_last_pass(&trace.reported, outcome.current_replicas)
        } else {
            trace.verdict.clone()
        };
        let headline = headline(trace, &verdict, options);
        let holds = verdict.hold;
        let findings = findings(trace);
        let worst = findings.iter().map(|finding| finding.severity).max();
        let shown = holds.and_then(|hold| shown_by(hold, is_last));
        let severity = worst.max(shown);
        let headline = match severity {
            Some(Severity::Warning | Severity::Error) => headline.with_problem(),
            _ => headline,
        };
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
            verdict,
            headline: headline.text(),
            holds,
            since: since(trace, holds, is_last),
            severity,
            findings,
            last_pass,
            error: None,
            metrics: metrics(trace),
            at: Some(trace.at),
            tone: match severity {
                Some(Severity::Error) => Tone::Bad,
                Some(Severity::Warning) if headline.tone != Tone::Bad => Tone::Warn,
                _ => headline.tone,
            },
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

/// What was found, but for that nobody asked for an answer.
fn findings(trace: &Trace) -> Vec<Noted> {
    let is_not_asked = missing(trace).is_some_and(|(_, cause)| cause == FailureCause::NotAsked);
    let is_reported = |finding: &&Finding| !is_not_asked || finding.code != Code::MetricUnreadable;
    let findings = trace.findings.iter().filter(is_reported);
    findings
        .map(|finding| Noted {
            code: finding.code,
            severity: finding.severity,
            role: finding.role,
            message: finding.message.clone(),
        })
        .collect()
}

/// What a hold is worth by itself. Of the last pass nothing more can be had
/// than what its conditions show.
fn shown_by(hold: Hold, is_last: bool) -> Option<Severity> {
    match hold {
        Hold::Failure => Some(Severity::Error),
        Hold::MaxReplicas | Hold::Paused if is_last => Some(Severity::Warning),
        _ => None,
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

/// The last pass, where this one cannot be told because of a missing answer
/// and nothing that is known speaks against it.
fn last_pass(reported: &Reported, trace: &Trace) -> Option<LastPass> {
    let (because, cause) = missing(trace).filter(|_| trace.outcome.desired_replicas.is_none())?;
    let is_decided = reported.failing().is_none() && !reported.is_paused();
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
    let metrics = trace.metrics.iter();
    let reasons = metrics.filter_map(|metric| match &metric.result {
        Some(MetricResult::Unreadable { reason, cause, .. }) => {
            Some((reason.as_str(), cause.clone()))
        }
        _ => None,
    });
    reasons.max_by_key(|(_, cause)| *cause != FailureCause::NotAsked)
}

/// Since when a pass is held as it is, or its size is what it is; `is_last`
/// where the conditions stand in for the pass.
fn since(trace: &Trace, hold: Option<Hold>, is_last: bool) -> Option<Timestamp> {
    let facts = StatusFacts { trace, is_last };
    let at = match hold {
        None | Some(Hold::Tolerance) => settled(trace, is_last),
        Some(hold) => facts.held(hold),
    };
    at.filter(|at| *at <= trace.at)
}

/// Since when the size is what it is, where it is what the metrics ask for.
fn settled(trace: &Trace, is_last: bool) -> Option<Timestamp> {
    let outcome = &trace.outcome;
    let current = outcome.current_replicas;
    let is_kept = is_last || outcome.rescale == Some(false);
    let is_settled = is_kept && trace.reported.desired_replicas == current;
    trace.reported.last_scale_time.filter(|_| is_settled)
}

/// What the status tells.
struct StatusFacts<'t> {
    trace: &'t Trace,
    is_last: bool,
}

impl StatusFacts<'_> {
    fn held(&self, hold: Hold) -> Option<Timestamp> {
        match hold {
            Hold::Failure | Hold::FailedMetric => self.failing(),
            Hold::Paused => self.condition(ConditionKind::ScalingActive, ConditionStatus::False),
            Hold::MaxReplicas | Hold::MinReplicas => self.at_bound(),
            Hold::ScaleUpWindow => self.recommended_otherwise(Ordering::Greater),
            Hold::ScaleDownWindow => self.recommended_otherwise(Ordering::Less),
            _ => None,
        }
    }

    /// The transition of a condition, where the pass leaves it as it is: a
    /// transition is of the status alone, so status and reason must agree.
    fn condition(&self, kind: ConditionKind, status: ConditionStatus) -> Option<Timestamp> {
        let reported = self.trace.reported.condition(kind)?;
        let ours = Condition::of(&self.trace.conditions, kind);
        // What cannot be told of this pass contradicts nothing.
        let agrees = ours.is_some_and(|ours| {
            let both = (&ours.status, &ours.reason);
            ours.status == ConditionStatus::Unknown || both == (&reported.status, &reported.reason)
        });
        let is_reported = reported.status == status && (agrees || self.is_last);
        reported.last_transition_time.filter(|_| is_reported)
    }

    /// `AbleToScale` tells of the scale, `ScalingActive` of all else.
    fn failing(&self) -> Option<Timestamp> {
        let scale = self.condition(ConditionKind::AbleToScale, ConditionStatus::False);
        scale.or_else(|| self.condition(ConditionKind::ScalingActive, ConditionStatus::False))
    }

    /// `ScalingLimited` stays True when a policy's limit becomes a bound's,
    /// but a size that was not changed since then was at the bound all along.
    fn at_bound(&self) -> Option<Timestamp> {
        let outcome = &self.trace.outcome;
        let stays = outcome.desired_replicas == Some(outcome.current_replicas);
        let bound = if outcome.current_replicas == self.trace.bounds.max_replicas {
            ConditionReason::TooManyReplicas
        } else {
            ConditionReason::TooFewReplicas
        };
        let status = &self.trace.reported;
        let reported = status.condition(ConditionKind::ScalingLimited)?;
        let is_kept = (stays || self.is_last) && reported.reason == bound;
        let limited = self.condition(ConditionKind::ScalingLimited, ConditionStatus::True);
        let limited = limited.filter(|_| is_kept)?;
        let scaled = status.last_scale_time.unwrap_or(limited);
        Some(limited.max(scaled))
    }

    /// Since the first of the latest passes, without a gap, that asked for a
    /// change in the direction. What the windows hold tells it, where all of
    /// that is known.
    fn recommended_otherwise(&self, way: Ordering) -> Option<Timestamp> {
        let current = self.trace.outcome.current_replicas;
        let stabilization = self.trace.stabilization.as_ref()?;
        let mut entries: Vec<_> = stabilization.entries.iter().collect();
        entries.sort_by_key(|entry| Reverse(entry.timestamp));
        let is_end = |entry: &&WindowEntry| entry.replicas.cmp(&current) != way;
        let end = entries.iter().position(is_end)?;
        Some(match end {
            0 => self.trace.at,
            end => entries[end - 1].timestamp,
        })
    }
}
