//! What a workload is like.

use super::usage::rate;

/// How pods start, what they use, and how late that is seen. Times in whole
/// seconds, amounts in thousandths of the metric's unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// What a pod requests of the resource; absent where nothing is measured
    /// against a request.
    pub request: Option<i64>,
    /// How the demand comes to be what a pod uses.
    pub spread: Spread,
    /// From a node for a pod to its containers running.
    pub start_up: i64,
    /// From running to Ready.
    pub readiness: i64,
    /// The length of what a sample measures.
    pub window: i64,
    /// The age of a sample.
    pub lag: i64,
    /// How far `status.replicas` of the target is behind.
    pub status_lag: i64,
    /// What a pod uses of its own while it starts.
    pub burst: Option<Burst>,
    /// When the pods are replaced by a rolling update.
    pub rollouts: Vec<i64>,
    /// Pods that never become Ready.
    pub crashing: i32,
    /// Pods that find a node; the rest stays Pending.
    pub capacity: Option<i32>,
}

/// What a pod uses of its own while it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// How much.
    pub usage: i64,
    /// From running on, for how long.
    pub seconds: i64,
}

/// How the demand comes to be what a pod uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// The pods that serve share it, as they do cpu and requests.
    Shared,
    /// Each pod holds it, as it holds memory, however many there are.
    EachPod,
    /// It is a value for all, which pods do not change.
    Whole,
}

impl Model {
    /// The rate of a pod that serves, or of the value for all, in billionths.
    pub(in crate::simulate) fn rate(&self, demand: i64, serving: i64) -> i128 {
        rate(demand, (self.spread == Spread::Shared).then_some(serving))
    }
}

impl Default for Model {
    /// A web service on a common cluster: containers run 10 s after a node is
    /// found and are Ready 5 s later; samples measure 30 s and are 15 s old,
    /// as those of the metrics-server.
    fn default() -> Self {
        Self {
            request: None,
            spread: Spread::Shared,
            start_up: 10,
            readiness: 5,
            window: 30,
            lag: 15,
            status_lag: 0,
            burst: None,
            rollouts: Vec::new(),
            crashing: 0,
            capacity: None,
        }
    }
}
