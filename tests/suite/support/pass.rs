//! What a pass answered.

use hpa_explain::render::Prediction;
use hpa_explain::trace::{MetricRecord, MetricResult, Proposed, Trace};
use serde_json::Value;

/// What a pass answered: everything that it did, and the outcome as plain
/// fields.
#[derive(Debug)]
pub struct Pass {
    pub trace: Trace,
    pub outcome: Value,
}

impl Pass {
    pub fn new(trace: Trace) -> Self {
        let prediction = Prediction::of(&trace).expect("a pass whose outcome is known");
        let outcome = serde_json::to_value(&prediction).expect("plain fields");
        Self { trace, outcome }
    }

    /// The size that the pass leaves behind.
    pub fn size(&self) -> i32 {
        let replicas = match &self.outcome["scaleTo"] {
            Value::Null => &self.outcome["currentReplicas"],
            written => written,
        };
        i32::try_from(replicas.as_i64().expect("a count")).expect("32 bits")
    }

    /// What each metric proposes, or its error.
    pub fn proposals(&self) -> Vec<Result<i32, &str>> {
        let results = self
            .trace
            .metrics
            .iter()
            .map(|metric| metric.result.as_ref());
        results
            .map(|result| match result {
                Some(MetricResult::Proposed(proposed)) => Ok(proposed.replicas),
                Some(MetricResult::Failed { message, .. }) => Err(message.as_str()),
                other => panic!("no result: {other:?}"),
            })
            .collect()
    }

    /// What the first metric proposes.
    pub fn proposal(&self) -> i32 {
        self.proposed().replicas
    }

    /// The first metric's proposal with what belongs to it.
    pub fn proposed(&self) -> &Proposed {
        match &self.metric().result {
            Some(MetricResult::Proposed(proposed)) => proposed,
            other => panic!("no proposal: {other:?}"),
        }
    }

    /// Why the first metric failed: the text of its event.
    pub fn failure(&self) -> &str {
        self.proposals()[0].expect_err("a metric that fails")
    }

    /// The first metric.
    pub fn metric(&self) -> &MetricRecord {
        &self.trace.metrics[0]
    }

    /// The first metric's groups: ready, unready, missing, ignored.
    pub fn groups(&self) -> [usize; 4] {
        let groups = self.metric().groups.expect("grouped pods");
        [groups.ready, groups.unready, groups.missing, groups.ignored]
    }

    /// The first metric's percentage, before and after filling in.
    pub fn percent(&self) -> (Option<i32>, Option<i32>) {
        let metric = self.metric();
        let filled_in = metric.filled_in.as_ref();
        (
            metric.measured.as_ref().and_then(|m| m.utilization),
            filled_in.and_then(|f| f.measured.utilization),
        )
    }

    /// What `status.currentMetrics` shows of the first metric.
    pub fn shown(&self) -> Value {
        let current = &self.outcome["metrics"][0]["current"];
        let sources = current.as_object().expect("a status").values();
        let mut shown = sources.filter_map(|source| source.get("current"));
        shown.next().expect("what was seen").clone()
    }

    /// A condition as `Status/Reason`; empty if it is not there.
    pub fn condition(&self, kind: &str) -> String {
        let condition = self
            .trace
            .conditions
            .iter()
            .find(|c| c.kind.as_str() == kind);
        condition.map_or_else(String::new, |c| format!("{}/{}", c.status, c.reason))
    }

    /// A condition's message.
    pub fn message(&self, kind: &str) -> &str {
        let condition = self
            .trace
            .conditions
            .iter()
            .find(|c| c.kind.as_str() == kind);
        &condition.expect("the condition").message
    }

    /// Why the scale was written; `None` if it was not.
    pub fn reason(&self) -> Option<&str> {
        self.trace.outcome.reason.as_deref()
    }

    /// The events as `Reason: message`.
    pub fn events(&self) -> Vec<String> {
        let events = self.trace.events.iter();
        events
            .map(|event| format!("{}: {}", event.reason, event.message))
            .collect()
    }

    /// The error that the reconcile returns; empty if there is none.
    pub fn error(&self) -> &str {
        self.trace.outcome.error.as_deref().unwrap_or_default()
    }

    /// The limit of each policy.
    pub fn policy_limits(&self) -> Vec<i32> {
        let limit = self.trace.limit.as_ref().expect("a limit");
        limit.policies.iter().map(|policy| policy.limit).collect()
    }
}
