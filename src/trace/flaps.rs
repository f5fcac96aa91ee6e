//! Whether the size of an HPA goes up and down again and again, or cannot
//! move: how often, how far, since when, by which mechanism, and what helps.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Bounds, Direction, EvidenceKind, Fact, Finding, Remedy, RescaleReason, Scores, Severity,
    Within, seconds_text,
};
use crate::api::{CrossVersionObjectReference, ReadFailure};

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
    /// When the behavior or the metrics were last edited, amid these changes: what
    /// is said of the windows, policies and targets is of those since then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<Timestamp>,
    /// How many of the reversals came after that, at the least.
    #[serde(skip)]
    pub reversals_since: Option<i32>,
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

/// Why a size flaps, or is stuck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mechanism {
    /// Which mechanism it is.
    pub kind: MechanismKind,
    /// How sure it is.
    pub standing: Standing,
    /// What else looks the same, as far as the HPA can have it; none of what
    /// is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "alike")]
    pub similar: Vec<MechanismKind>,
    /// It in a sentence, with names and numbers; no full stop at its end.
    pub says: String,
    /// The arithmetic and the evidence behind it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Fact>,
    /// What helps, the smallest change first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

impl Mechanism {
    /// One that is known, with nothing else said about it yet.
    pub fn known(kind: MechanismKind, says: impl Into<String>) -> Self {
        Self {
            kind,
            standing: Standing::Known,
            similar: Vec::new(),
            says: says.into(),
            evidence: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// What people call it, and how sure it is.
    pub fn title(&self) -> String {
        let title = self.kind.title();
        match self.standing {
            Standing::Known => title.to_owned(),
            Standing::Inferred if self.similar.is_empty() => format!("it looks like {title}"),
            Standing::Inferred => format!("the sizes suggest {title}"),
        }
    }
}

/// How sure it is that a mechanism is at work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// By the inputs, by what was measured at the samples of a record, or by
    /// changes that allow of nothing else.
    #[default]
    Known,
    /// By the sizes and what the metrics asked for, or by one measurement:
    /// what else can look so is named.
    Inferred,
}

/// A change that helps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// What to do.
    #[serde(flatten)]
    pub remedy: Remedy,
    /// The change of the spec as `--set` takes it, where it is one field of
    /// the HPA: what can be simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// How sure it is that it helps.
    pub proof: Proof,
}

/// How sure it is that a change helps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "standing")]
pub enum Proof {
    /// It follows from the mechanism; nobody has tried it on this load.
    #[default]
    Suggested,
    /// It was simulated on the load of a record, and helps.
    Confirmed(Trial),
    /// It was simulated on the load of a record, and does not help enough.
    NotConfirmed(Trial),
}

/// A simulation of the spec as it is, and of the changed one, on the same
/// recorded load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// The metric that the load is of: of several, the one by which the size
    /// turns round most often.
    pub metric: String,
    /// The spec's other metrics, which are taken never to ask for more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// How long the load is, in seconds.
    pub seconds: i64,
    /// The size that there was when the load began.
    pub replicas: i32,
    /// The scores of the spec that there is.
    pub before: Scores,
    /// The scores with the change.
    pub after: Scores,
}

/// What mechanisms do that is treated alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is the load that moves the size, and not somebody or something else.
    FollowsLoad,
    /// The size goes up to `maxReplicas`, whatever the load is.
    Climbs,
}

macro_rules! mechanisms {
    ($($name:ident, $severity:ident, [$($kind:ident),*], $title:literal, $says:literal;)*) => {
        #[allow(clippy::doc_markdown, reason = "the sentences are for people")]
        /// A mechanism by which sizes flap, or are stuck.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum MechanismKind {
            $(#[doc = $says] $name,)*
        }

        impl MechanismKind {
            /// Every mechanism, in the order in which they are told.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// How much it matters where it keeps the size from moving.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// Whether it does this.
            pub fn does(self, effect: Effect) -> bool {
                match self { $(Self::$name => [$(Effect::$kind),*].contains(&effect),)* }
            }

            /// What people call it.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

mechanisms! {
    TwoAutoscalers, Error, [], "two HPAs on the same pods", "Several HPAs select the same pods: since Kubernetes 1.26 they block each other, before that they overwrite each other.";
    AnotherWriter, Warning, [], "another writer of replicas", "Something else sets the size, and the HPA sets it back.";
    EditedBounds, Warning, [], "edits of the HPA's bounds", "Someone edits minReplicas or maxReplicas repeatedly, and the size follows.";
    KedaFallback, Warning, [], "KEDA's fallback", "KEDA reports a substitute value while its source fails.";
    RolloutSurge, Warning, [], "the surge of rollouts", "An AverageValue metric keeps the size in the target's status, which includes the extra pods of a rollout.";
    StartupBurst, Warning, [], "a cpu burst at startup", "Pods that have just become Ready use more cpu than the others, so the metric asks for more pods.";
    ValueRunaway, Warning, [Climbs], "a runaway Value target", "A target of type Value is compared with the whole metric, which does not fall as pods are added.";
    UnreachableTarget, Warning, [Climbs], "a target that no size reaches", "No number of pods brings the metric to its target.";
    MetricNoise, Warning, [FollowsLoad], "metric noise beyond the tolerance", "The load varies by no more than the tolerance, and still crosses it.";
    ShortWindow, Warning, [FollowsLoad], "a window shorter than the load's period", "The scaleDown window ends before the high load comes back.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::MechanismKind;

    #[test]
    fn ten_mechanisms_are_told_apart() {
        let titles: BTreeSet<_> = MechanismKind::ALL.iter().map(|it| it.title()).collect();
        assert_eq!((MechanismKind::ALL.len(), titles.len()), (10, 10));
    }
}
