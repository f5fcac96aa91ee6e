//! Whether the size of an HPA goes up and down again and again, or cannot
//! move: how often, how far, since when, by which mechanism, and what helps.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api::{CrossVersionObjectReference, ReadFailure};

use super::{
    Bounds, Direction, EvidenceKind, Finding, Mechanism, RescaleReason, Severity, Within,
    seconds_text,
};

/// What is known of an HPA's flapping, or of its being stuck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Flaps {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// The HPA's scale target.
    pub target: CrossVersionObjectReference,
    /// The moment at which this holds.
    pub at: Timestamp,
    /// The size at that moment, as far as the pass could read it.
    pub replicas: i32,
    /// The HPA's bounds.
    pub bounds: Bounds,
    /// The answer.
    pub state: FlapState,
    /// How much it matters; absent where nothing is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The latest ups and downs, also where they are over or too few to be
    /// called flapping; absent where the size went one way at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swing: Option<Swing>,
    /// Why, each with its evidence; none where nothing is wrong, and where
    /// what is known does not tell.
    pub mechanisms: Vec<Mechanism>,
    /// What keeps the size from moving, where it is none of the mechanisms; of
    /// an unknown state, what keeps us from reading the pass's inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_reason: Option<Finding>,
    /// What this rests on.
    #[serde(rename = "told")]
    pub coverage: PastCoverage,
    /// The changes of the size that are told of, the oldest first.
    pub changes: Vec<SizeChange>,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlapState {
    /// The size goes up and down again and again.
    Flapping,
    /// The size cannot move, or runs to a bound whatever the load is.
    Stuck,
    /// What tells of earlier sizes is missing, or of what keeps this one.
    Unknown,
    /// Neither.
    Calm,
}

/// Ups and downs that follow each other without a long pause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Swing {
    /// How often the direction changed.
    pub reversals: Within,
    /// How often the size changed.
    pub changes: Within,
    /// The smallest size that is told of.
    pub least: i32,
    /// The largest size that is told of.
    pub most: i32,
    /// The first change that is told of; it can have begun before.
    pub since: Timestamp,
    /// The last change, at the earliest.
    pub until: Timestamp,
    /// The last change, at the latest, where no source tells its second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until_latest: Option<Timestamp>,
    /// How long one way and back takes on average, in seconds; bounds, where
    /// only bounds of the reversals are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period_seconds: Option<Within>,
    /// Whether so many turns, so close to each other, are called flapping.
    pub is_flapping: bool,
    /// Whether it still goes on.
    pub goes_on: bool,
    /// When the behavior or the metrics were edited, at the latest, where the
    /// size has not turned round since: nothing is known yet of what came of
    /// that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<Timestamp>,
}

impl Swing {
    /// So many reversals make a flapping HPA, where nobody else sets the size.
    pub const REVERSALS: i32 = 4;
    /// And each must come within so many seconds of the other, on average.
    pub const SECONDS_APART: i64 = 600;

    /// How long they go on, at the most: `4m`.
    pub fn length(&self) -> String {
        seconds_text(self.seconds())
    }

    /// How often it reversed: `once`, `5 times`, `5 to 7 times` or `at least 5 times`.
    pub fn times(&self) -> String {
        match self.reversals {
            Within { from: 1, to: None } => "at least once".to_owned(),
            Within { from, to: None } => format!("at least {from} times"),
            Within {
                from: 1,
                to: Some(1),
            } => "once".to_owned(),
            Within { from, to: Some(to) } if from == to => format!("{from} times"),
            Within { from, to: Some(to) } => format!("{from} to {to} times"),
        }
    }

    /// The sizes between which it goes: `between 4 and 8`.
    pub fn sizes(&self) -> String {
        if self.least == self.most {
            return format!("to {} and away again", self.most);
        }
        format!("between {} and {}", self.least, self.most)
    }

    /// How long before a moment the last change was.
    pub fn last_ago(&self, now: Timestamp) -> String {
        ago_text(now, self.until, self.until_latest.unwrap_or(self.until))
    }

    fn seconds(&self) -> i64 {
        let until = self.until_latest.unwrap_or(self.until);
        until.duration_since(self.since).as_secs()
    }

    /// Seconds between two turns, on average, at the most.
    pub fn seconds_apart(&self) -> i64 {
        self.seconds() / i64::from(self.reversals.from.max(1))
    }
}

/// How long before a moment something was that came between two others: `4m
/// ago`, or `1m31s to 4m ago`.
pub fn ago_text(now: Timestamp, earliest: Timestamp, latest: Timestamp) -> String {
    let text = |at| seconds_text(now.duration_since(at).as_secs().max(0));
    let most = text(earliest);
    if latest.duration_since(earliest).as_secs() == 0 {
        return format!("{most} ago");
    }
    format!("{} to {most} ago", text(latest))
}

/// A change of the size, or several of which nobody knows the moments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SizeChange {
    /// When, at the earliest; of a moment that is known to the second, that
    /// second.
    pub from: Timestamp,
    /// When, at the latest.
    pub to: Timestamp,
    /// How many there were; more than one only where all that is known of
    /// their moments is that they lie between these two.
    pub count: u32,
    /// The size before, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i32>,
    /// The size after, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i32>,
    /// Which way it went, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way: Option<Direction>,
    /// Whether the HPA made it; absent where nothing tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_own: Option<bool>,
    /// The controller's reason; empty where somebody else made it, and where
    /// nothing tells.
    #[serde(skip_serializing_if = "RescaleReason::is_none")]
    #[schemars(with = "String")]
    pub reason: RescaleReason,
    /// What tells of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<EvidenceKind>,
}

/// What is known of the past at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastCoverage {
    /// From when on every change by the HPA is told of; absent where one may
    /// always be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete_since: Option<Timestamp>,
    /// The changes with a moment of their own.
    pub with_moment: u32,
    /// The changes of which an aggregated event tells no more than that they
    /// lie between two moments.
    pub without_moment: u32,
    /// The passes of which it is known what the metrics asked for.
    pub passes: u32,
    /// Where all of this is from, each once.
    pub sources: Vec<EvidenceKind>,
    /// The last change, where only the controller's memory has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remembered: Option<SizeChange>,
    /// What a reader should know of these: where one has gaps, or contradicts
    /// another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Why events are missing, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub events_not_read: Option<ReadFailure>,
}

impl SizeChange {
    /// Whether two moments count as one.
    pub fn is_moment(one: Timestamp, other: Timestamp) -> bool {
        other.duration_since(one).as_secs().abs() <= 5
    }

    /// Whether the HPA made it, as far as anything tells.
    pub fn is_by_hpa(&self) -> bool {
        self.is_own == Some(true)
    }
}

impl FlapState {
    /// The name, as documents have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Flapping => "flapping",
            Self::Stuck => "stuck",
            Self::Unknown => "unknown",
            Self::Calm => "calm",
        }
    }
}
