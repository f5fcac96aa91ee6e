//! How many pods took load, from second to second.

use super::super::super::workload::{SHARE, rate};

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
    use super::*;

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
