//! A time of the past as a list of changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api::{
    ConditionReason, CrossVersionObjectReference, HorizontalPodAutoscaler, HpaSpec, OneOf,
};

use super::{Flaps, Group, Range, Reason, Trace};

/// What happened to an HPA and its target in a time, by what was scraped.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Story {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// The HPA's scale target.
    pub target: CrossVersionObjectReference,
    /// When it begins.
    pub from: Timestamp,
    /// When it ends.
    pub to: Timestamp,
    /// Whether it flapped or was stuck then, and why; absent where nothing shows
    /// the end of that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flaps: Option<Box<Flaps>>,
    /// What changed, the oldest first.
    pub changes: Vec<StoryChange>,
    /// Every pass that is told of, the oldest first; documents have the changes
    /// alone.
    #[serde(skip)]
    pub passes: Vec<StoryPass>,
    /// Whether a record tells of it.
    #[serde(skip)]
    pub is_recorded: bool,
}

/// A pass of that time.
#[derive(Clone, Debug, PartialEq)]
pub struct StoryPass {
    /// When it ran at the earliest.
    pub from: Timestamp,
    /// And at the latest.
    pub at: Timestamp,
    /// The size before it, where it is known.
    pub before: Option<i32>,
    /// The size that it left, where it is known.
    pub after: Option<i32>,
    /// The sizes that we had foreseen; absent where nobody did.
    pub expected: Option<Range>,
    /// Why it could not do its work, as its conditions say.
    pub failing: Vec<OneOf<ConditionReason>>,
    /// What its metrics asked for, and what became of that.
    pub figures: PassFigures,
    /// The spec that it ran on, as far as it is known.
    pub spec: Arc<HpaSpec>,
    /// The pass itself, where it has a page of its own.
    pub page: Option<Box<Trace>>,
    /// Whether it would have one, and there were too many.
    pub is_left_out: bool,
}

impl StoryPass {
    /// Whether it changed the size.
    pub fn is_change(&self) -> bool {
        let both = self.before.zip(self.after);
        both.is_some_and(|(one, other)| one != other)
    }

    /// Whether it left a size that was not among those that were foreseen.
    pub fn is_missed(&self) -> bool {
        let both = self.expected.zip(self.after);
        both.is_some_and(|(expected, after)| !expected.contains(after))
    }

    /// The size that others set between the pass before and this one.
    pub fn set_by_others(&self, before: &Self) -> Option<i32> {
        let found = self.before.filter(|_| before.failing.is_empty());
        found.filter(|size| before.after.is_some_and(|left| left != *size))
    }

    /// Whether it decided the same, for the same reasons, with the same pods set
    /// aside.
    pub fn is_like(&self, other: &Self) -> bool {
        let (one, two) = (&self.figures, &other.figures);
        let is_same =
            (self.before, self.after, &self.failing) == (other.before, other.after, &other.failing);
        let are_known = one.recommended.is_some() == two.recommended.is_some();
        is_same
            && are_known
            && one.held_by == two.held_by
            && self.spec == other.spec
            && self.is_missed() == other.is_missed()
            && one.set_aside == two.set_aside
    }
}

/// A pass in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassFigures {
    /// What each metric asked for, with its name, in the spec's order.
    pub proposals: Vec<(String, Option<i32>)>,
    /// What they asked for together, as far as it is known.
    pub recommended: Option<Range>,
    /// What the window made of it.
    pub stabilized: Option<i32>,
    /// What makes it another size than was asked for.
    pub held_by: Option<Reason>,
    /// The pods that were set aside, by name.
    pub set_aside: Vec<String>,
}

impl Story {
    /// A story of some changes, of which those of its time are told.
    pub fn of(
        hpa: &HorizontalPodAutoscaler,
        (from, to): (Timestamp, Timestamp),
        mut changes: Vec<StoryChange>,
        passes: Vec<StoryPass>,
    ) -> Self {
        changes.retain(|it| it.to >= from && (it.from < to || it.to <= to));
        changes.sort_by_key(|it| (it.from, it.to));
        Self {
            namespace: hpa.metadata.namespace.to_string(),
            name: hpa.metadata.name.to_string(),
            target: hpa.spec.scale_target_ref.clone(),
            from,
            to,
            flaps: None,
            changes,
            passes,
            is_recorded: false,
        }
    }
}

impl PassFigures {
    /// The metric that asked for most, where it is known.
    pub fn winner(&self) -> Option<&str> {
        let known = self.proposals.iter().rev().filter(|it| it.1.is_some());
        let most = known.max_by_key(|(_, recommended)| *recommended);
        let most = most.or(match self.proposals.as_slice() {
            [only] => Some(only),
            _ => None,
        });
        most.map(|(name, _)| name.as_str())
    }

    /// Those of a pass.
    pub fn of(trace: &Trace) -> Self {
        let proposals = trace.metrics.iter().map(|metric| {
            let name = match &metric.source.container {
                Some(container) => format!("{} of {container}", metric.source.name),
                None => metric.source.name.clone(),
            };
            (name, metric.asks_for())
        });
        let is_aside = |group| matches!(group, Group::Unready | Group::Missing);
        let pods = trace.metrics.iter().flat_map(|metric| &metric.pods);
        let pods = pods.filter(|pod| is_aside(pod.group));
        let set_aside: BTreeSet<String> = pods.map(|pod| pod.name.to_string()).collect();
        let (stabilization, limit) = (trace.stabilization.as_ref(), trace.limit.as_ref());
        let limited = limit.filter(|it| it.result != it.stabilized);
        let held = stabilization.filter(|it| it.result != it.recommendation);
        Self {
            proposals: proposals.collect(),
            recommended: trace.recommended().map(Range::of),
            stabilized: stabilization.map(|it| it.result),
            held_by: limited.map(|it| it.reason).or(held.map(|it| it.reason)),
            set_aside: set_aside.into_iter().collect(),
        }
    }
}

/// A change, and its cause.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StoryChange {
    /// When it was at the earliest.
    pub from: Timestamp,
    /// When it was at the latest.
    pub to: Timestamp,
    /// The size before, of a change of the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i32>,
    /// The size after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i32>,
    /// Its cause.
    pub cause: StoryCause,
    /// Who else than the HPA did it, where managed fields say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl StoryChange {
    /// A change of a time, of the size where one is given; who did it is not known.
    pub fn of(
        (from, to): (Timestamp, Timestamp),
        (before, after): (Option<i32>, Option<i32>),
        cause: StoryCause,
    ) -> Self {
        Self {
            from,
            to,
            before,
            after,
            cause,
            by: None,
        }
    }

    /// The sizes before and after it, where it is one of the size.
    pub fn sizes(&self) -> Option<(i32, i32)> {
        self.before.zip(self.after)
    }
}

/// Why something changed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum StoryCause {
    /// The metrics asked for so much.
    #[serde(rename_all = "camelCase")]
    Metrics {
        /// The metric that decided, where it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        metric: Option<String>,
        /// How much.
        #[serde(rename = "asked")]
        proposal: Range,
        /// What made it another size, where it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        held_by: Option<Reason>,
    },
    /// The size lay beyond the bounds; no metric was asked.
    Bounds,
    /// A pass of the HPA whose measurements no scrape has, or somebody else.
    Unmeasured,
    /// Somebody else set the size.
    SetByOthers,
    /// Somebody edited the spec.
    #[serde(rename_all = "camelCase")]
    Edited {
        /// What changed.
        what: String,
    },
    /// The behavior was written; what it was before is not known.
    BehaviorWritten,
    /// The metrics began to fail.
    Failing,
    /// The metrics are there again.
    Working,
    /// Nothing was scraped.
    Hole,
    /// Another controller took over, and remembers nothing.
    #[serde(rename_all = "camelCase")]
    Restarted {
        /// What tells of it, where the Lease does not.
        #[serde(skip_serializing_if = "Option::is_none")]
        says: Option<String>,
    },
    /// A rollout replaces the pods.
    RolledOut,
}
