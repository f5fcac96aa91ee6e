//! How long pods took to run, to be Ready and to have a sample.

use std::collections::BTreeMap;

use crate::api::Phase;
use crate::controller::prepared::{Pod, Sample};
use crate::trace::amount::median;

use super::super::super::workload::{PodStart, SHARE, rate};
use super::{is_ready, ready_since};
use crate::controller::whole_seconds;

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
            let Some(start) = pod
                .started
                .map(whole_seconds)
                .filter(|start| *start >= first)
            else {
                continue;
            };
            let own = self.pods.entry((start, pod.name.to_owned())).or_default();
            own.running
                .take(second - start, pod.phase != Phase::Pending);
            let until = sample.map_or(taken, |sample| whole_seconds(sample.taken));
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
        let ready = median(pods().filter_map(|(_, pod)| pod.ready));
        let running: Vec<Between> = pods().map(|(_, pod)| pod.running).collect();
        let sampled: Vec<Between> = pods().map(|(_, pod)| pod.sampled).collect();
        let usual = (ready, most(&running), most(&sampled));
        let (Some(ready), Some(running), Some(sampled)) = usual else {
            return Vec::new();
        };
        let start = |((at, _), pod): (&(i64, String), &Started)| {
            let ready = pod.ready.unwrap_or(ready).max(0);
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

/// How many pods were Ready from seconds on.
#[derive(Clone, Debug, Default)]
pub(super) struct Serving {
    /// In order of time.
    steps: Vec<(i64, i64)>,
    last: Option<i64>,
}

impl Serving {
    /// The pods that are Ready at a second, by the second since when, and the
    /// second of the last rescale. Those that became it since the second before
    /// are counted from then on. What else came or went did so at the end of
    /// the second of a rescale since then, else now.
    pub(super) fn take(&mut self, second: i64, since: &[i64], rescaled: Option<i64>) {
        let ready = i64::try_from(since.len()).unwrap_or(i64::MAX);
        let last = self.last.replace(second).unwrap_or(second);
        let mut count = self.steps.last().map_or(0, |(_, count)| *count);
        let new = since.iter().copied();
        let new = new.filter(|at| *at > last && *at < second);
        let mut changes: Vec<(i64, i64)> = new.map(|at| (at, 1)).collect();
        let rest = ready - count - changes.iter().map(|(_, by)| by).sum::<i64>();
        let rescaled = rescaled.map(|at| at + 1);
        let rescaled = rescaled.filter(|at| *at > last && *at <= second + 1);
        changes.push((rescaled.unwrap_or(second), rest));
        changes.sort_unstable();
        for (at, by) in changes {
            count += by;
            self.push(at, count);
        }
    }

    /// From which second after a moment on how many there are.
    pub(super) fn since(&self, first: i64) -> Vec<(i64, i64)> {
        let steps = self.steps.iter();
        steps.map(|(at, count)| (at - first, *count)).collect()
    }

    fn push(&mut self, second: i64, count: i64) {
        match self.steps.last_mut() {
            Some((at, own)) if *at == second => *own = count,
            Some((_, own)) if *own == count => {}
            _ => self.steps.push((second, count)),
        }
    }

    /// What one of them got of a load of [`SHARE`] on average, in billionths.
    pub(super) fn share(&self, from: i64, to: i64) -> i128 {
        let to = to.max(from + 1);
        let first = self.steps.partition_point(|(at, _)| *at <= from);
        let first = first.saturating_sub(1);
        let steps = self.steps.iter().skip(first);
        let ends = self.steps.iter().skip(first + 1).map(|(at, _)| *at);
        let ends = ends.chain([i64::MAX]);
        let mut sum = 0;
        for (index, ((at, count), end)) in steps.zip(ends).enumerate() {
            // Before the first step all was as from it on.
            let begin = if index == 0 { from } else { (*at).max(from) };
            let seconds = end.min(to) - begin;
            if seconds <= 0 {
                break;
            }
            sum += rate(SHARE, Some(*count)) * i128::from(seconds);
        }
        sum / i128::from(to - from)
    }
}

#[cfg(test)]
mod tests {
    use crate::simulate::load::recorded::starts::*;

    #[test]
    fn the_share_of_a_pod_follows_those_that_serve() {
        let mut serving = Serving::default();
        serving.take(10, &[-500, -500], None);
        // Two are Ready from 12 on, and at 20 two are gone.
        serving.take(15, &[-500, -500, 12, 12], None);
        serving.take(20, &[-500, 12], None);
        // The rescale at 42 takes one away, and another is Ready from 48 on.
        serving.take(40, &[-500, 12], Some(12));
        serving.take(50, &[-500, 48], Some(42));
        // Pods serve to the end of the second of their rescale.
        serving.take(60, &[-500, 48], Some(42));
        serving.take(60, &[-500], Some(60));
        serving.take(65, &[-500], Some(60));
        let whole = rate(SHARE, None);
        let rows = [
            ((0, 5), whole / 2),
            ((10, 12), whole / 2),
            ((12, 20), whole / 4),
            ((10, 14), whole * 3 / 8),
            ((18, 22), whole * 3 / 8),
            ((28, 43), whole / 2),
            ((43, 48), whole),
            ((46, 50), whole * 3 / 4),
            ((58, 64), whole * 3 / 4),
        ];
        let mut checked = 0;
        for ((from, to), share) in rows {
            assert_eq!(serving.share(from, to), share, "from {from} to {to}");
            checked += 1;
        }
        assert_eq!(checked, 9);
    }
}
