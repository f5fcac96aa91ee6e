//! How far a ratio may be from 1 before anything happens
//! (`Tolerances.isWithin`).

use crate::controller::prepared::Spec;
use crate::controller::release::Switch;
use crate::controller::settings::Settings;

/// The tolerated deviations, as fractions of 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// Downwards.
    pub down: f64,
    /// Upwards.
    pub up: f64,
    /// Whether the range has two ends (1.33 and later) or is a distance.
    is_range: bool,
}

impl Tolerances {
    /// The controller's flag on both sides; the spec's own tolerance replaces
    /// a side where the gate is on.
    pub fn new(spec: &Spec, settings: &Settings) -> Self {
        let behavior = spec
            .behavior
            .as_ref()
            .filter(|_| settings.gates.configurable_tolerance);
        let flag = settings.tolerance;
        Self {
            down: behavior
                .and_then(|b| b.scale_down.tolerance)
                .unwrap_or(flag),
            up: behavior.and_then(|b| b.scale_up.tolerance).unwrap_or(flag),
            is_range: settings.release.has(Switch::ToleranceRange),
        }
    }

    /// The smallest and the largest tolerated ratio.
    pub fn range(&self) -> (f64, f64) {
        (1.0 - self.down, 1.0 + self.up)
    }

    /// Whether a ratio is tolerated. The two forms differ at the edges:
    /// |1 − 1.1| is a little more than 0.1.
    pub fn is_within(&self, ratio: f64) -> bool {
        if self.is_range {
            let (from, to) = self.range();
            return from <= ratio && ratio <= to;
        }
        (1.0 - ratio).abs() <= self.up
    }

    /// Whether a ratio of a per-pod average is tolerated. Before 1.33 the
    /// test was written the other way round, so that a ratio of 0/0 passes.
    pub fn is_within_for_average(&self, ratio: f64) -> bool {
        self.is_within(ratio) || (!self.is_range && ratio.is_nan())
    }
}
