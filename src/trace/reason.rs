//! Why a pass leaves another size than the metrics ask for, in the
//! controller's words.

use schemars::JsonSchema;
use serde::Serialize;

/// The outcomes of stabilizing and limiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Reason {
    /// Stabilization changed nothing.
    ReadyForNewScale,
    /// A lower recommendation holds the size down.
    ScaleUpStabilized,
    /// A higher recommendation holds the size up.
    ScaleDownStabilized,
    /// Neither policies nor bounds changed anything.
    DesiredWithinRange,
    /// The rate limit upwards was met.
    ScaleUpLimit,
    /// The rate limit downwards was met.
    ScaleDownLimit,
    /// `maxReplicas` was met.
    TooManyReplicas,
    /// `minReplicas` was met.
    TooFewReplicas,
}

impl Reason {
    /// The word in the condition's `reason`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadyForNewScale => "ReadyForNewScale",
            Self::ScaleUpStabilized => "ScaleUpStabilized",
            Self::ScaleDownStabilized => "ScaleDownStabilized",
            Self::DesiredWithinRange => "DesiredWithinRange",
            Self::ScaleUpLimit => "ScaleUpLimit",
            Self::ScaleDownLimit => "ScaleDownLimit",
            Self::TooManyReplicas => "TooManyReplicas",
            Self::TooFewReplicas => "TooFewReplicas",
        }
    }

    /// The sentence in the condition's `message`.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::ReadyForNewScale => "recommended size matches current size",
            Self::ScaleUpStabilized => {
                "recent recommendations were lower than current one, applying the lowest recent recommendation"
            }
            Self::ScaleDownStabilized => {
                "recent recommendations were higher than current one, applying the highest recent recommendation"
            }
            Self::DesiredWithinRange => "the desired count is within the acceptable range",
            Self::ScaleUpLimit => {
                "the desired replica count is increasing faster than the maximum scale rate"
            }
            Self::ScaleDownLimit => {
                "the desired replica count is decreasing faster than the maximum scale rate"
            }
            Self::TooManyReplicas => {
                "the desired replica count is more than the maximum replica count"
            }
            Self::TooFewReplicas => {
                "the desired replica count is less than the minimum replica count"
            }
        }
    }
}
