//! The demand of each second.

mod recorded;
mod series;

use std::f64::consts::TAU;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::trace::amount::median;

pub use recorded::{Recorded, RecordedLoad};
pub use series::read_csv;

/// A demand over time, in thousandths of the metric's unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Its course.
    pub shape: Shape,
    /// What makes it uneven.
    pub noise: Option<Noise>,
}

/// The course of a demand. Times in seconds since the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A demand from each of these seconds on, in order; before the first one
    /// as from it on.
    Steps(Vec<(i64, i64)>),
    /// Up and down between two demands; it begins in the middle, going up.
    Sine {
        /// The least.
        low: i64,
        /// The most.
        high: i64,
        /// From one middle to the next of that direction, at least 1.
        period: i64,
    },
    /// Once much more.
    Spike {
        /// Before and after.
        base: i64,
        /// In between.
        peak: i64,
        /// From when on.
        at: i64,
        /// For how long.
        seconds: i64,
    },
    /// In a straight line from one demand to another, where it stays.
    Ramp {
        /// At the start.
        from: i64,
        /// At the end.
        to: i64,
        /// The time that it takes.
        seconds: i64,
    },
}

impl Load {
    /// A load without unevenness.
    pub fn even(shape: Shape) -> Self {
        Self { shape, noise: None }
    }

    /// The demand of a second.
    pub fn at(&self, second: i64) -> i64 {
        self.lasting(second).0
    }

    /// The demand of a second, and until when it is known to stay: the second after
    /// it, or a later one.
    pub(super) fn lasting(&self, second: i64) -> (i64, i64) {
        let (demand, until) = self.shape.lasting(second);
        match &self.noise {
            Some(noise) => (noise.applied(demand, second).max(0), second + 1),
            None => (demand.max(0), until),
        }
    }
}

impl Shape {
    fn lasting(&self, second: i64) -> (i64, i64) {
        let demand = match self {
            Self::Steps(steps) => {
                let next = steps.partition_point(|(from, _)| *from <= second);
                let step = steps.get(next.saturating_sub(1));
                let until = steps.get(next).map_or(i64::MAX, |(from, _)| *from);
                return (step.map_or(0, |(_, demand)| *demand), until);
            }
            Self::Sine { low, high, period } => sine(*low, *high, *period, second),
            Self::Spike {
                base,
                peak,
                at,
                seconds,
            } => {
                let is_peak = (*at..at.saturating_add(*seconds)).contains(&second);
                if is_peak { *peak } else { *base }
            }
            Self::Ramp { from, to, seconds } => {
                let done = i128::from(second.clamp(0, *seconds));
                let whole = i128::from(*to) - i128::from(*from);
                let rise = (whole * done).checked_div(i128::from(*seconds));
                i64::try_from(i128::from(*from) + rise.unwrap_or(whole)).unwrap_or(i64::MAX)
            }
        };
        (demand, second + 1)
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a made-up demand needs no last digit; casts of floats are bounded"
)]
fn sine(low: i64, high: i64, period: i64, second: i64) -> i64 {
    let period = period.max(1);
    let phase = second.rem_euclid(period) as f64 / period as f64;
    let (low, high) = (low as f64, high as f64);
    let value = f64::midpoint(low, high) + (high - low) / 2.0 * (phase * TAU).sin();
    value.round() as i64
}

/// A distance this many times the usual one is a gap.
const GAP: i64 = 10;
/// Of fewer distances, none is the usual one.
const LEAST: usize = 3;

/// The usual one of some distances.
fn usual(distances: impl Iterator<Item = i64> + Clone) -> Option<i64> {
    median(distances.clone()).filter(|_| distances.count() >= LEAST)
}

/// Whether a distance is much longer than the usual one.
fn is_gap(distance: i64, usual: i64) -> bool {
    distance > usual.saturating_mul(GAP)
}

/// How long a deviation holds, in seconds: about as long as what a sample
/// measures is apart.
const HOLDS: i64 = 15;
/// More deviations than this are not made; then they begin again.
const MOST: i64 = 1_000_000;
/// A whole, in millionths.
const WHOLE: i64 = 1_000_000;

/// Deviations of a demand, evenly spread between two bounds: the same in every run with
/// the same seed.
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

    #[test]
    fn shapes() {
        let steps = Shape::Steps(vec![(0, 5), (60, 9), (90, 2)]);
        let sine = Shape::Sine {
            low: 100,
            high: 300,
            period: 40,
        };
        let spike = Shape::Spike {
            base: 10,
            peak: 70,
            at: 30,
            seconds: 5,
        };
        let ramp = Shape::Ramp {
            from: 100,
            to: 40,
            seconds: 60,
        };
        let rows: [(&Shape, &[(i64, i64)]); 4] = [
            (
                &steps,
                &[(-1, 5), (0, 5), (59, 5), (60, 9), (90, 2), (900, 2)],
            ),
            (
                &sine,
                &[(0, 200), (10, 300), (20, 200), (30, 100), (40, 200)],
            ),
            (&spike, &[(0, 10), (29, 10), (30, 70), (34, 70), (35, 10)]),
            (&ramp, &[(-5, 100), (0, 100), (30, 70), (60, 40), (99, 40)]),
        ];
        let mut checked = 0;
        for (shape, demands) in rows {
            for (second, demand) in demands {
                assert_eq!(shape.lasting(*second).0, *demand, "{shape:?} at {second}");
                checked += 1;
            }
        }
        assert_eq!(checked, 21);
    }

    #[test]
    fn a_load_is_never_negative() {
        let load = Load::even(Shape::Steps(vec![(0, -5)]));
        assert_eq!(load.at(3), 0);
    }
}

#[cfg(test)]
mod noise_tests {
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
