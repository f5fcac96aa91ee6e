//! What a workload is like; and of a record, when its passes were and what
//! they found measured.

use super::fleet::LONG_AGO;
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
    pub fn next_pass(&self, second: i64, every: i64) -> i64 {
        let timing = self.timing.as_ref();
        timing.map_or(second + every, |timing| timing.next_pass(second, every))
    }

    /// Whether passes of a record are not exactly so many seconds apart.
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

/// When passes are, and what their samples measure. In seconds since the start
/// of the load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Passes of which it is known when they were, in their order.
    pub passes: Vec<i64>,
    /// From when on samples measured until when, in their order.
    pub taken: Vec<(i64, i64)>,
    /// For how long.
    pub window: i64,
    /// The pods that started, in their order.
    pub starts: Vec<PodStart>,
    /// From when until when the metric gave no answer, in their order.
    pub silent: Vec<(i64, i64)>,
    /// Whether samples tell of the pods of the moment that they are read, and
    /// not of those that were Ready in the window.
    pub is_of_moment: bool,
}

/// How a pod started. In seconds since the start of the load, and from then on
/// since its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodStart {
    /// When it started.
    pub at: i64,
    /// After how long it ran.
    pub running: i64,
    /// After how long it was Ready.
    pub ready: i64,
    /// After how long what its first sample measured was over.
    pub sampled: i64,
}

impl PodStart {
    /// There, Ready and measured at once, as if it had been there for long.
    pub const AT_ONCE: Self = Self {
        at: 0,
        running: LONG_AGO,
        ready: LONG_AGO,
        sampled: LONG_AGO,
    };
}

impl Timing {
    /// The same record, had each pod started as the one did that came so many
    /// places after it.
    pub fn with_starts_moved(mut self, by: usize) -> Self {
        let all = self.starts.clone();
        let others = all.iter().cycle().skip(by);
        for (own, other) in self.starts.iter_mut().zip(others) {
            *own = PodStart {
                at: own.at,
                ..*other
            };
        }
        self
    }

    /// The pods that another metric shows to start. When each has its first sample
    /// stays as it is with those here that start about then.
    pub fn start_as(&mut self, mut starts: Vec<PodStart>) {
        let first = |at| starts.partition_point(|it: &PodStart| it.at < at);
        let numbers = starts.iter().enumerate();
        let numbers: Vec<usize> = numbers.map(|(at, it)| at - first(it.at)).collect();
        for (start, number) in starts.iter_mut().zip(numbers) {
            if let Some(own) = self.start(start.at, number) {
                start.sampled = own.sampled;
            }
        }
        self.starts = starts;
    }

    /// How a pod starts at a second, as one of several: as those did that
    /// started about then.
    pub(in crate::simulate) fn start(&self, second: i64, number: usize) -> Option<PodStart> {
        let next = self.starts.partition_point(|it| it.at < second);
        let around = [next.checked_sub(1), Some(next)];
        let around = around.into_iter().flatten();
        let around = around.filter_map(|index| self.starts.get(index));
        let nearest = around.min_by_key(|it| (it.at - second).abs())?.at;
        let first = self.starts.partition_point(|it| it.at < nearest);
        let count = self.starts.partition_point(|it| it.at <= nearest) - first;
        let own = first + number.checked_rem(count)?;
        self.starts.get(own).copied()
    }

    /// When the first pass is, with one every so many seconds.
    pub(in crate::simulate) fn first_pass(&self, every: i64) -> i64 {
        let known = self.passes.first();
        known.map_or(0, |at| at.rem_euclid(every.max(1)))
    }

    /// When the next pass is. Real passes are a little later each time, so one
    /// that is known takes the place of the computed one.
    pub(in crate::simulate) fn next_pass(&self, second: i64, every: i64) -> i64 {
        let from = second + every - every / 2;
        let known = self.passes.partition_point(|at| *at < from);
        let known = self.passes.get(known).copied();
        let known = known.filter(|at| *at < from + every);
        known.unwrap_or(second + every)
    }

    /// Until when the samples measured that are read at a second. Between two
    /// samples of the record, and after the last, they are as old as they may
    /// be by their window.
    pub(in crate::simulate) fn taken(&self, second: i64) -> i64 {
        let next = self.taken.partition_point(|(from, _)| *from <= second);
        let Some((from, taken)) = self.taken.get(next.saturating_sub(1)) else {
            return second;
        };
        let later = (second - from).max(0).checked_div(self.window);
        taken + later.unwrap_or(second - from) * self.window.max(1)
    }

    /// Whether the metric gave no answer at a second.
    pub(in crate::simulate) fn is_silent(&self, second: i64) -> bool {
        let next = self.silent.partition_point(|(from, _)| *from <= second);
        let before = next.checked_sub(1).and_then(|at| self.silent.get(at));
        before.is_some_and(|(_, to)| second < *to)
    }

    /// How far back the oldest of what is measured is.
    pub(in crate::simulate) fn back(&self) -> i64 {
        let ages = self.taken.iter().map(|(from, taken)| from - taken);
        let oldest = ages.max().unwrap_or_default().max(0);
        oldest.saturating_add(2 * self.window.max(1))
    }
}
