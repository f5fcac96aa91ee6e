//! Why a size goes up and down again and again, or cannot move, and what helps.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Fact, Remedy, Scores, Severity};

/// Why a size flaps, or is stuck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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

/// What mechanisms do that is treated alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is the load that moves the size, and not somebody or something else.
    FollowsLoad,
    /// The size goes up to `maxReplicas`, whatever the load is.
    Climbs,
}

macro_rules! mechanisms {
    ($($name:ident = $code:literal, $severity:ident, [$($kind:ident),*], $title:literal, $says:literal;)*) => {
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
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

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
    TwoAutoscalers = "two-autoscalers", Error, [], "two HPAs on the same pods", "Several HPAs select the same pods: since Kubernetes 1.26 they block each other, before that they overwrite each other.";
    AnotherWriter = "another-writer", Warning, [], "another writer of replicas", "Something else sets the size, and the HPA sets it back.";
    EditedBounds = "edited-bounds", Warning, [], "edits of the HPA's bounds", "Someone edits minReplicas or maxReplicas repeatedly, and the size follows.";
    KedaFallback = "keda-fallback", Warning, [], "KEDA's fallback", "KEDA reports a substitute value while its source fails.";
    RolloutSurge = "rollout-surge", Warning, [], "the surge of rollouts", "An AverageValue metric keeps the size in the target's status, which includes the extra pods of a rollout.";
    StartupBurst = "startup-burst", Warning, [], "a cpu burst at startup", "Pods that have just become Ready use more cpu than the others, so the metric asks for more pods.";
    ValueRunaway = "value-runaway", Warning, [Climbs], "a runaway Value target", "A target of type Value is compared with the whole metric, which does not fall as pods are added.";
    UnreachableTarget = "unreachable-target", Warning, [Climbs], "a target that no size reaches", "No number of pods brings the metric to its target.";
    MetricNoise = "metric-noise", Warning, [FollowsLoad], "metric noise beyond the tolerance", "The load varies by no more than the tolerance, and still crosses it.";
    ShortWindow = "short-window", Warning, [FollowsLoad], "a window shorter than the load's period", "The scaleDown window ends before the high load comes back.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::MechanismKind;

    #[test]
    fn ten_mechanisms_are_told_apart() {
        let names: BTreeSet<_> = MechanismKind::ALL.iter().map(|it| it.as_str()).collect();
        let titles: BTreeSet<_> = MechanismKind::ALL.iter().map(|it| it.title()).collect();
        assert_eq!((names.len(), titles.len()), (10, 10));
    }
}
