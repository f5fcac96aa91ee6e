//! Whether the size of an HPA goes up and down again and again, or cannot
//! move: how often, how far, since when, by which mechanism, and what helps.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::snapshot::CrossVersionObjectReference;

use super::{Bounds, EvidenceKind, Fact, Finding, Remedy, Scores, Severity, Within};

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
    /// What keeps the size from moving, where it is none of the mechanisms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_reason: Option<Finding>,
    /// What this rests on.
    pub told: Told,
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
    /// What tells of earlier sizes could not be read.
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
    /// The last change.
    pub until: Timestamp,
    /// How long one way and back takes on average, in seconds; bounds, where
    /// only bounds of the reversals are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period_seconds: Option<Within>,
    /// Whether it still goes on.
    pub goes_on: bool,
}

/// Why a size flaps, or is stuck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mechanism {
    /// Which mechanism it is.
    pub kind: MechanismKind,
    /// It in a sentence, with names and numbers; no full stop at its end.
    pub says: String,
    /// The arithmetic and the evidence behind it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Fact>,
    /// What helps, the smallest change first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

/// A change that helps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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
    pub way: Option<Way>,
    /// Whether the HPA made it.
    pub is_own: bool,
    /// The controller's reason; empty where somebody else made it, and where
    /// nothing tells.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What tells of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<EvidenceKind>,
}

/// Which way a size goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// More replicas.
    Up,
    /// Fewer replicas.
    Down,
}

/// What is known of the past at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Told {
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
    /// Why the events could not be read, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events_not_read: Option<String>,
}

macro_rules! mechanisms {
    ($($name:ident = $code:literal, $title:literal, $says:literal;)*) => {
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

            /// The stable name, as documents have it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// What people call it.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

mechanisms! {
    TwoAutoscalers = "two-autoscalers", "two HPAs on the same pods", "Several HPAs select the same pods: they block each other since Kubernetes 1.26, and fight before.";
    AnotherWriter = "another-writer", "another writer of replicas", "Something else sets the size, and the HPA sets it back.";
    KedaFallback = "keda-fallback", "KEDA's fallback", "KEDA answers with a made-up value while its source fails.";
    RolloutSurge = "rollout-surge", "the surge of roll-outs", "An average of a total takes the extra pods of a roll-out for the size.";
    StartupBurst = "startup-burst", "a cpu burst at start-up", "Pods that have just become Ready use more cpu than the others, and ask for more pods.";
    ValueRunaway = "value-runaway", "a Value target that runs away", "A target of type Value is compared with the whole metric, which does not fall as pods are added.";
    UnreachableTarget = "unreachable-target", "a target that no size reaches", "No number of pods brings the metric to its target.";
    MetricNoise = "metric-noise", "metric noise beyond the tolerance", "The load moves by no more than the tolerance either way, and still crosses it.";
    ShortWindow = "short-window", "a window shorter than the load's period", "The scaleDown window ends before the high load comes back.";
}

impl MechanismKind {
    /// Whether it is the load that moves the size, and not somebody or
    /// something else.
    #[must_use]
    pub const fn is_of_the_load(self) -> bool {
        matches!(self, Self::MetricNoise | Self::ShortWindow)
    }
}

impl Flaps {
    /// Whether a change that helps was confirmed by simulation.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        let mut changes = self.mechanisms.iter().flat_map(|it| &it.changes);
        changes.any(|change| matches!(change.proof, Proof::Confirmed(_)))
    }
}

impl FlapState {
    /// The name, as documents have it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Flapping => "flapping",
            Self::Stuck => "stuck",
            Self::Unknown => "unknown",
            Self::Calm => "calm",
        }
    }
}

impl Way {
    /// The way from one size to another, if they differ.
    #[must_use]
    pub fn between(before: i32, after: i32) -> Option<Self> {
        match after.cmp(&before) {
            std::cmp::Ordering::Greater => Some(Self::Up),
            std::cmp::Ordering::Less => Some(Self::Down),
            std::cmp::Ordering::Equal => None,
        }
    }
}

impl Within {
    /// A count that is known.
    #[must_use]
    pub fn exactly(count: i32) -> Self {
        Self {
            from: count,
            to: Some(count),
        }
    }

    /// The only count that there is, if it is one.
    #[must_use]
    pub fn single(self) -> Option<i32> {
        self.to.filter(|to| *to == self.from)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::MechanismKind;

    #[test]
    fn nine_mechanisms_are_told_apart() {
        let names: BTreeSet<_> = MechanismKind::ALL.iter().map(|it| it.as_str()).collect();
        let titles: BTreeSet<_> = MechanismKind::ALL.iter().map(|it| it.title()).collect();
        assert_eq!((names.len(), titles.len()), (9, 9));
    }
}
