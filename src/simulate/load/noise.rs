//! What makes a demand uneven, the same in every run with the same seed.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// How long a deviation holds, in seconds: about as long as what a sample
/// measures is apart.
const HOLDS: i64 = 15;
/// More deviations than this are not made; then they begin again.
const MOST: i64 = 1_000_000;
/// A whole, in millionths.
const WHOLE: i64 = 1_000_000;

/// Deviations of a demand, evenly spread between two bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noise {
    /// In millionths, one for each stretch of [`HOLDS`] seconds.
    deviations: Vec<i64>,
}

impl Noise {
    /// Deviations by up to so many percent, for so many seconds.
    pub fn new(seed: u64, percent: u32, seconds: i64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let most = i64::from(percent) * WHOLE / 100;
        let stretches = (seconds.max(0) / HOLDS + 1).min(MOST);
        let deviations = (0..stretches).map(|_| random.random_range(-most..=most));
        Self {
            deviations: deviations.collect(),
        }
    }

    /// The demand with the deviation of that second.
    pub(super) fn applied(&self, demand: i64, second: i64) -> i64 {
        let length = i64::try_from(self.deviations.len()).unwrap_or(1);
        let stretch = (second.max(0) / HOLDS).checked_rem(length).unwrap_or(0);
        let stretch = usize::try_from(stretch).unwrap_or_default();
        let deviation = self.deviations.get(stretch).copied().unwrap_or_default();
        let by = i128::from(demand) * i128::from(deviation) / i128::from(WHOLE);
        i64::try_from(i128::from(demand) + by).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demands(seed: u64) -> Vec<i64> {
        let noise = Noise::new(seed, 20, 600);
        (0..600)
            .map(|second| noise.applied(1_000, second))
            .collect()
    }

    #[test]
    fn a_seed_tells_everything() {
        assert_eq!(demands(1), demands(1));
        assert_ne!(demands(1), demands(2));
        // The sequence is a promise: figures in reports depend on it.
        let stretches: Vec<i64> = demands(1).into_iter().step_by(15).take(6).collect();
        assert_eq!(stretches, [961, 833, 1038, 888, 914, 1084]);
    }

    #[test]
    fn deviations_stay_within_their_bounds_and_hold_for_a_while() {
        let demands = demands(3);
        assert!(demands.iter().all(|demand| (800..=1_200).contains(demand)));
        let stretches: Vec<&[i64]> = demands.chunks(15).collect();
        assert_eq!(stretches.len(), 40);
        for stretch in &stretches {
            assert!(stretch.iter().all(|demand| demand == &stretch[0]));
        }
        assert!(stretches.windows(2).any(|pair| pair[0][0] != pair[1][0]));
    }
}
