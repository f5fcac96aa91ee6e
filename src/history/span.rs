//! Moments that are only known to lie between two others.

use jiff::Timestamp;

use crate::controller::{Nanos, SECOND};

/// From the earliest to the latest moment that something can have happened,
/// both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The earliest.
    pub from: Nanos,
    /// The latest.
    pub to: Nanos,
}

impl Span {
    /// The time between two moments.
    pub const fn new(from: Nanos, to: Nanos) -> Self {
        Self { from, to }
    }

    /// A single moment.
    pub const fn at(moment: Nanos) -> Self {
        Self::new(moment, moment)
    }

    /// A moment of which the API keeps whole seconds, cut off.
    pub fn second(moment: Timestamp) -> Self {
        let from = moment.as_nanosecond();
        Self::new(from, from + SECOND - 1)
    }

    /// As much earlier and later.
    pub const fn widened(self, before: Nanos, after: Nanos) -> Self {
        Self::new(self.from - before, self.to + after)
    }

    /// How far another lies from it; nothing where they meet.
    pub fn gap(self, other: Self) -> Nanos {
        (other.from - self.to).max(self.from - other.to).max(0)
    }

    /// What both allow, if anything.
    pub fn meet(self, other: Self) -> Option<Self> {
        let both = Self::new(self.from.max(other.from), self.to.min(other.to));
        (both.from <= both.to).then_some(both)
    }
}
