//! What a workload is like.

use super::timing::Timing;
use super::usage::rate;

/// A load of which the share of a pod is told where the load itself is told by
/// samples, in thousandths.
pub(in crate::simulate) const SHARE: i64 = 1_000_000;

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
    /// When passes are and what they find measured, where that was recorded;
    /// then the load is what samples tell, and neither lag nor window delay
    /// it.
    pub timing: Option<Timing>,
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
    /// The rate of a pod that serves, or of the value for all, in billionths;
    /// where the load is what samples tell, its share of [`SHARE`].
    pub(in crate::simulate) fn rate(&self, demand: i64, serving: i64) -> i128 {
        let demand = self.timing.as_ref().map_or(demand, |_| SHARE);
        rate(demand, (self.spread == Spread::Shared).then_some(serving))
    }

    /// When the pass after one is, with one every so many seconds.
    #[must_use]
    pub fn next_pass(&self, second: i64, every: i64) -> i64 {
        let timing = self.timing.as_ref();
        timing.map_or(second + every, |timing| timing.next_pass(second, every))
    }

    /// Whether passes of a record are not exactly so many seconds apart.
    #[must_use]
    pub fn drifts(&self, every: i64) -> bool {
        let passes = self.timing.iter().flat_map(|timing| &timing.passes);
        let mut later = passes.clone().skip(1).zip(passes);
        later.any(|(next, one)| (next - one) % every.max(1) > 0)
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
            timing: None,
            status_lag: 0,
            burst: None,
            rollouts: Vec::new(),
            crashing: 0,
            capacity: None,
        }
    }
}
