//! How long pods took to run, to be Ready and to have a sample.

use std::collections::BTreeMap;

use crate::controller::prepared::{Phase, Pod, Sample};

use super::{Start, is_ready, ready_since, seconds};

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
    pods: BTreeMap<String, Started>,
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
            let own = match self.pods.get_mut(pod.name) {
                Some(own) => own,
                None => self.pods.entry(pod.name.to_owned()).or_default(),
            };
            own.running
                .take(second - start, pod.phase != Phase::Pending);
            let until = sample.map_or(taken, |sample| seconds(sample.taken));
            own.sampled.take(until - start, sample.is_some());
            if is_ready(pod) {
                own.ready.get_or_insert(ready_since(pod) - start);
            }
        }
    }

    /// What is usual; nothing where no pod became Ready.
    pub(super) fn start(&self) -> Option<Start> {
        let pods = || self.pods.values();
        let mut ready: Vec<i64> = pods().filter_map(|pod| pod.ready).collect();
        ready.sort_unstable();
        let ready = (*ready.get(ready.len() / 2)?).max(0);
        let running: Vec<Between> = pods().map(|pod| pod.running).collect();
        let sampled: Vec<Between> = pods().map(|pod| pod.sampled).collect();
        let start_up = most(&running).unwrap_or_default().clamp(0, ready);
        Some(Start {
            start_up,
            readiness: ready - start_up,
            first_sample: most(&sampled).map(|time| time.max(0)),
        })
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
