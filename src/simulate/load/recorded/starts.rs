//! How long pods took to run, to be Ready and to have a sample.

use std::collections::BTreeMap;

use crate::controller::prepared::{Phase, Pod, Sample};

use super::super::super::workload::PodStart;
use super::{is_ready, ready_since, seconds};

/// A pod that started in the time of the record.
#[derive(Clone, Copy, Debug, Default)]
struct Started {
    /// From its start to Ready.
    ready: Option<i64>,
    /// From its start to running: after the first, at the latest the second.
    running: Between,
    /// From its start to the end of what its first sample measures.
    sampled: Between,
}

/// After a time that is not enough, and at the latest at one that is.
#[derive(Clone, Copy, Debug, Default)]
struct Between {
    over: Option<i64>,
    until: Option<i64>,
}

/// The pods that started in the time of the record.
#[derive(Clone, Debug, Default)]
pub(super) struct Starts {
    /// By their start, in the order of their names.
    pods: BTreeMap<(i64, String), Started>,
    first: Option<i64>,
}

impl Between {
    fn take(&mut self, time: i64, is_enough: bool) {
        match self.until {
            None if is_enough => self.until = Some(time),
            None => self.over = Some(time),
            Some(_) => {}
        }
    }

    /// A time that is usual, where it can be; else one that can be.
    fn or(self, usual: i64) -> i64 {
        let over = self.over.map_or(usual, |over| usual.max(over + 1));
        self.until.map_or(over, |until| over.min(until))
    }

    fn holds(self, time: i64) -> bool {
        self.until.is_some_and(|until| time <= until) && self.over.is_none_or(|over| time > over)
    }
}

impl Starts {
    /// The pods of a second, with the samples that were taken until another.
    pub(super) fn take(&mut self, second: i64, taken: i64, pods: &[(&Pod, Option<&Sample>)]) {
        let first = *self.first.get_or_insert(second);
        for (pod, sample) in pods {
            let Some(start) = pod.started.map(seconds).filter(|start| *start >= first) else {
                continue;
            };
            let own = self.pods.entry((start, pod.name.to_owned())).or_default();
            own.running
                .take(second - start, pod.phase != Phase::Pending);
            let until = sample.map_or(taken, |sample| seconds(sample.taken));
            own.sampled.take(until - start, sample.is_some());
            if is_ready(pod) {
                own.ready.get_or_insert(ready_since(pod) - start);
            }
        }
    }

    /// All of them, in the order of their start, in seconds since a moment.
    /// What the record does not show of one is as it is for most; nothing where
    /// it shows it of none.
    pub(super) fn all(&self, first: i64) -> Vec<PodStart> {
        let pods = || self.pods.iter();
        let mut ready: Vec<i64> = pods().filter_map(|(_, pod)| pod.ready).collect();
        ready.sort_unstable();
        let running: Vec<Between> = pods().map(|(_, pod)| pod.running).collect();
        let sampled: Vec<Between> = pods().map(|(_, pod)| pod.sampled).collect();
        let usual = (ready.get(ready.len() / 2), most(&running), most(&sampled));
        let (Some(ready), Some(running), Some(sampled)) = usual else {
            return Vec::new();
        };
        let start = |((at, _), pod): (&(i64, String), &Started)| {
            let ready = pod.ready.unwrap_or(*ready).max(0);
            PodStart {
                at: at - first,
                running: pod.running.or(running).clamp(0, ready),
                ready,
                sampled: pod.sampled.or(sampled),
            }
        };
        pods().map(start).collect()
    }
}

/// The time that is right for most; of several, the shortest.
fn most(all: &[Between]) -> Option<i64> {
    let mut times: Vec<i64> = all.iter().filter_map(|it| it.until).collect();
    times.sort_unstable();
    times.dedup();
    let fits = |time: i64| all.iter().filter(|it| it.holds(time)).count();
    times.into_iter().rev().max_by_key(|time| fits(*time))
}
