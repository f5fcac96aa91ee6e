//! What a pod that serves has used, as a running sum.

/// Nanos in a thousandth.
const NANOS: i128 = 1_000_000;

/// The sum over seconds of what each serving pod used, kept as far back as a
/// sample looks. Before second 0 the load was that of second 0.
#[derive(Clone, Debug)]
pub struct Usage {
    sums: Vec<i128>,
    /// The second that comes next.
    next: i64,
    sum: i128,
    first_rate: i128,
    /// The rate of the second that comes next.
    pub rate: i128,
}

impl Usage {
    /// A sum that can be asked for so many seconds back, with the rate before
    /// second 0.
    pub fn new(seconds_back: i64, first_rate: i128) -> Self {
        let length = usize::try_from(seconds_back + 1).unwrap_or(1);
        Self {
            sums: vec![0; length],
            next: 0,
            sum: 0,
            first_rate,
            rate: first_rate,
        }
    }

    /// So many seconds more, at the rate that the first began with.
    pub fn advance(&mut self, seconds: i64) {
        // Of more than are kept, the last are.
        let kept = i64::try_from(self.sums.len()).unwrap_or(i64::MAX);
        let skipped = (seconds - kept).max(0);
        self.sum += self.rate * i128::from(skipped);
        self.next += skipped;
        let mut slot = self.slot(self.next);
        for _ in skipped..seconds {
            self.sum += self.rate;
            self.next += 1;
            slot = if slot + 1 < self.sums.len() {
                slot + 1
            } else {
                0
            };
            if let Some(slot) = self.sums.get_mut(slot) {
                *slot = self.sum;
            }
        }
    }

    /// The sum until the beginning of a second, at most of the one after the
    /// next.
    pub fn until(&self, second: i64) -> i128 {
        if second > self.next {
            return self.sum + self.rate;
        }
        if second <= 0 {
            return i128::from(second) * self.first_rate;
        }
        self.sums
            .get(self.slot(second))
            .copied()
            .unwrap_or(self.sum)
    }

    fn slot(&self, second: i64) -> usize {
        let length = i64::try_from(self.sums.len()).unwrap_or(1);
        usize::try_from(second.rem_euclid(length)).unwrap_or_default()
    }
}

/// The rate of a serving pod, in billionths: the demand, or its share.
pub fn rate(demand: i64, serving: Option<i64>) -> i128 {
    let nanos = i128::from(demand) * NANOS;
    match serving {
        Some(serving) => nanos.checked_div(i128::from(serving)).unwrap_or_default(),
        None => nanos,
    }
}

/// An amount in billionths as the metrics client reads it: in thousandths,
/// rounded up.
pub fn milli(nanos: i128) -> i64 {
    let milli = nanos.div_euclid(NANOS) + i128::from(nanos.rem_euclid(NANOS) > 0);
    i64::try_from(milli).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_remembers_as_far_back_as_a_sample_looks() {
        let mut usage = Usage::new(3, 5);
        for rate in [5, 5, 7, 9, 11] {
            usage.rate = rate;
            usage.advance(1);
        }
        usage.rate = 20;
        let rows = [
            (-2, -10),
            (0, 0),
            (2, 10),
            (3, 17),
            (4, 26),
            (5, 37),
            (6, 57),
        ];
        for (second, sum) in rows {
            assert_eq!(usage.until(second), sum, "second {second}");
        }
    }

    #[test]
    fn rates_are_shared_and_rounded_as_the_api_does() {
        assert_eq!(rate(100, Some(3)), 33_333_333);
        assert_eq!(milli(33_333_333), 34);
        assert_eq!(milli(33_000_000), 33);
        assert_eq!(rate(100, Some(0)), 0);
        assert_eq!(milli(rate(100, None)), 100);
    }
}
