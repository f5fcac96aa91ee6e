//! What the controller will have done after the pass, as plain fields that
//! can be compared with a real controller's answer.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api::{Condition, MetricStatus};
use crate::trace::{Event, Group, MetricRecord, MetricResult, Remembered, Trace};

/// The outcome of a pass, read from its trace.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prediction<'t> {
    current_replicas: i32,
    desired_replicas: i32,
    rescale: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale_to: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'t str>,
    metrics: Vec<PredictedMetric<'t>>,
    conditions: Vec<PredictedCondition<'t>>,
    events: &'t [Event],
    #[serde(skip_serializing_if = "Option::is_none")]
    recommendations_after: Option<Vec<i32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale_up_events_after: Option<Vec<i32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale_down_events_after: Option<Vec<i32>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PredictedMetric<'t> {
    index: usize,
    #[serde(rename = "type")]
    kind: &'t str,
    proposed_replicas: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<&'t MetricStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'t str>,
    #[serde(flatten)]
    groups: Option<PredictedGroups<'t>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PredictedGroups<'t> {
    ready_pod_count: usize,
    unready_pods: Vec<&'t str>,
    missing_pods: Vec<&'t str>,
    ignored_pods: Vec<&'t str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct PredictedCondition<'t> {
    #[serde(rename = "type")]
    kind: &'t str,
    status: &'t str,
    reason: &'t str,
    message: &'t str,
}

impl<'t> Prediction<'t> {
    /// Reads the prediction, if what the pass does is known.
    pub fn of(trace: &'t Trace) -> Option<Self> {
        let outcome = &trace.outcome;
        if outcome.possible.is_some() {
            return None;
        }
        let (desired_replicas, rescale) = (outcome.desired_replicas?, outcome.rescale?);
        let (memory, conditions) = (&trace.memory, trace.conditions.iter());
        Some(Self {
            current_replicas: outcome.current_replicas,
            desired_replicas,
            rescale,
            scale_to: rescale.then_some(desired_replicas),
            error: outcome.error.as_deref(),
            metrics: trace.metrics.iter().map(PredictedMetric::of).collect(),
            conditions: conditions.map(PredictedCondition::of).collect(),
            events: &trace.events,
            recommendations_after: replicas(memory.recommendations.as_deref()),
            scale_up_events_after: replicas(memory.scale_up_events.as_deref()),
            scale_down_events_after: replicas(memory.scale_down_events.as_deref()),
        })
    }
}

impl<'t> PredictedMetric<'t> {
    fn of(metric: &'t MetricRecord) -> Self {
        let mut predicted = Self {
            index: metric.index,
            kind: metric.kind.as_str(),
            groups: PredictedGroups::of(metric),
            ..Self::default()
        };
        match &metric.result {
            Some(MetricResult::Proposed(proposed)) => {
                predicted.proposed_replicas = Some(proposed.replicas);
                predicted.name = Some(&proposed.name);
                predicted.current = Some(&proposed.current);
            }
            Some(MetricResult::Failed { error, reason, .. }) => {
                predicted.error = Some(error);
                predicted.reason = Some(reason.as_str());
                // By a design that no release has, it can ask for something.
                predicted.proposed_replicas = metric.asks_for();
                let fallback = metric.fallback.as_ref();
                predicted.current = fallback.and_then(|it| it.status.as_ref());
            }
            Some(MetricResult::Unreadable { .. }) | None => {}
        }
        predicted
    }
}

impl<'t> PredictedGroups<'t> {
    fn of(metric: &'t MetricRecord) -> Option<Self> {
        let groups = metric.groups?;
        let names = |desired| {
            let pods = metric.pods.iter().filter(|pod| pod.group == desired);
            let mut names: Vec<&str> = pods.map(|pod| pod.name.as_str()).collect();
            names.sort_unstable();
            names
        };
        Some(Self {
            ready_pod_count: groups.ready,
            unready_pods: names(Group::Unready),
            missing_pods: names(Group::Missing),
            ignored_pods: names(Group::Ignored),
        })
    }
}

impl<'t> PredictedCondition<'t> {
    fn of(condition: &'t Condition) -> Self {
        Self {
            kind: condition.kind.as_str(),
            status: condition.status.as_str(),
            reason: condition.reason.as_str(),
            message: &condition.message,
        }
    }
}

fn replicas(slots: Option<&[Remembered]>) -> Option<Vec<i32>> {
    Some(slots?.iter().map(|slot| slot.replicas).collect())
}

/// Something to say beside the passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remark {
    /// What kind of thing it is.
    pub kind: RemarkKind,
    /// When.
    pub at: Timestamp,
    /// What could not be read, or can be read again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Of>,
    /// What there is to say.
    pub message: String,
}

/// The kinds of remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum RemarkKind {
    /// Something could not be read.
    Gap,
    /// It can be read again.
    GapEnd,
    /// Something that is no failure.
    Notice,
}

/// What is read all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Of {
    /// The watch on the HPA.
    Watch,
    /// The inputs of a pass.
    Samples,
}

impl Remark {
    /// What there is to say to people.
    pub fn text(&self) -> String {
        let what = if self.kind == RemarkKind::Gap {
            "gap: "
        } else {
            ""
        };
        format!("{what}{}", self.message)
    }
}
