//! The two directions in which a size changes.

use schemars::JsonSchema;
use serde::Serialize;

/// Which way a size goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// More replicas.
    Up,
    /// Fewer replicas.
    Down,
}

impl Direction {
    /// The other way.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }

    /// The way from one size to another, if they differ.
    #[must_use]
    pub fn between(before: i32, after: i32) -> Option<Self> {
        match after.cmp(&before) {
            std::cmp::Ordering::Greater => Some(Self::Up),
            std::cmp::Ordering::Less => Some(Self::Down),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// The field of `spec.behavior` that rules it.
    #[must_use]
    pub const fn behavior(self) -> &'static str {
        match self {
            Self::Up => "scaleUp",
            Self::Down => "scaleDown",
        }
    }
}
