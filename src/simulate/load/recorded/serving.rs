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
    /// The pods that are Ready at a second, by the second since when. Those
    /// that became it since the second before are counted from then on; those
    /// that went are counted until now.
    pub(super) fn take(&mut self, second: i64, mut since: Vec<i64>) {
        since.sort_unstable();
        let mut count = self.steps.last().map_or(0, |(_, count)| *count);
        if let Some(last) = self.last {
            let new = since.iter().filter(|at| **at > last && **at < second);
            for at in new {
                count += 1;
                self.push(*at, count);
            }
        }
        self.push(second, i64::try_from(since.len()).unwrap_or(i64::MAX));
        self.last = Some(second);
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
        serving.take(10, vec![-500, -500]);
        // Two are Ready from 12 on, and at 20 two are gone.
        serving.take(15, vec![-500, -500, 12, 12]);
        serving.take(20, vec![-500, 12]);
        let whole = rate(SHARE, None);
        let rows = [
            ((0, 5), whole / 2),
            ((10, 12), whole / 2),
            ((12, 20), whole / 4),
            ((10, 14), whole * 3 / 8),
            ((18, 22), whole * 3 / 8),
            ((30, 45), whole / 2),
        ];
        let mut checked = 0;
        for ((from, to), share) in rows {
            assert_eq!(serving.share(from, to), share, "from {from} to {to}");
            checked += 1;
        }
        assert_eq!(checked, 6);
    }
}
