//! Why the controller writes a size, as its events and its log say it.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::api::Direction;

/// Why the controller writes a size. It has been the same text in all releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RescaleReason {
    /// The size lay above `maxReplicas`; no metric was asked.
    AboveMax,
    /// The size lay below `minReplicas`; no metric was asked.
    BelowMin,
    /// A metric, in the controller's words for it, asked for more.
    AboveTarget(String),
    /// The metrics asked for less.
    BelowTarget,
    /// Another text; empty where the controller gives no reason, or where it
    /// is not known.
    Other(String),
}

const ABOVE_MAX: &str = "Current number of replicas above Spec.MaxReplicas";
const BELOW_MIN: &str = "Current number of replicas below Spec.MinReplicas";
const BELOW_TARGET: &str = "All metrics below target";
const ABOVE_TARGET: &str = " above target";

impl RescaleReason {
    /// No reason.
    pub const NONE: Self = Self::Other(String::new());

    /// The reason that a text of the controller gives.
    pub fn parse(text: &str) -> Self {
        match text {
            ABOVE_MAX => Self::AboveMax,
            BELOW_MIN => Self::BelowMin,
            BELOW_TARGET => Self::BelowTarget,
            _ => match text.strip_suffix(ABOVE_TARGET) {
                Some(metric) => Self::AboveTarget(metric.to_owned()),
                None => Self::Other(text.to_owned()),
            },
        }
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// Which way a change for this reason goes.
    pub const fn way(&self) -> Option<Direction> {
        match self {
            Self::AboveTarget(_) | Self::BelowMin => Some(Direction::Up),
            Self::BelowTarget | Self::AboveMax => Some(Direction::Down),
            Self::Other(_) => None,
        }
    }

    /// Whether the size lay outside the bounds.
    pub const fn is_outside(&self) -> bool {
        matches!(self, Self::AboveMax | Self::BelowMin)
    }

    /// The name of the metric that asked for more.
    pub fn metric(&self) -> Option<&str> {
        let Self::AboveTarget(metric) = self else {
            return None;
        };
        let metric = without_selector(metric);
        match metric.split_once(" metric ") {
            Some((_, name)) => Some(name),
            None => metric.split(' ').next(),
        }
    }

    /// The text without the selector of an external metric.
    pub fn short(&self) -> String {
        match self {
            Self::AboveTarget(metric) => format!("{}{ABOVE_TARGET}", without_selector(metric)),
            _ => self.to_string(),
        }
    }
}

/// The controller prints the selector of an external metric as Go has it.
fn without_selector(metric: &str) -> &str {
    let around = metric.split_once('(');
    let around = around.filter(|_| metric.starts_with("external metric "));
    around.map_or(metric, |(name, _)| name)
}

impl fmt::Display for RescaleReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AboveMax => f.write_str(ABOVE_MAX),
            Self::BelowMin => f.write_str(BELOW_MIN),
            Self::BelowTarget => f.write_str(BELOW_TARGET),
            Self::AboveTarget(metric) => write!(f, "{metric}{ABOVE_TARGET}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl Serialize for RescaleReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
