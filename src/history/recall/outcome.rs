//! What the outcome of a pass tells of its recommendation, and of those that
//! its windows held: stabilization and limits, read backwards.
//!
//! With `behavior` the stabilized count is the current size moved between the
//! lowest recommendation of the scaleUp window and the highest of the
//! scaleDown window, the pass's own included; without, it is the highest of
//! the window. Where the condition `ScalingLimited` is False, the pass ends
//! there; otherwise its reason tells on which side of the end it lay.

use crate::api::ConditionReason;
use crate::trace::{Direction, Range};

/// The end of a pass that normalized a recommendation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether the spec had a `behavior`.
    pub has_behavior: bool,
    /// The size before the pass; absent where it is not known.
    pub current: Option<i32>,
    /// The size after the pass.
    pub desired: i32,
    /// The reason of `AbleToScale`; what a pass that rescaled says there
    /// tells nothing of stabilization.
    pub able_to_scale: Option<ConditionReason>,
    /// The reason of `ScalingLimited`, and whether it is True; absent where
    /// it is not known.
    pub limited: Option<(bool, Option<ConditionReason>)>,
    /// Which way the recommendation lay of the size before, where that is
    /// known.
    pub recommended: Option<Direction>,
}

/// What is known by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Implied {
    /// The pass's own recommendation.
    pub own: Range,
    /// Bounds of every recommendation in the scaleDown window, that of the
    /// pass included: none is higher.
    pub down_at_most: i32,
    /// The same of the scaleUp window: none is lower.
    pub up_at_least: i32,
    /// An earlier recommendation in the scaleDown window is at least this.
    pub earlier_at_least: Option<i32>,
    /// An earlier recommendation in the scaleUp window is at most this.
    pub earlier_at_most: Option<i32>,
}

/// Any recommendation at all.
pub const ANYTHING: Range = Range::new(0, i32::MAX);

/// What was recommended, in words.
pub fn text(range: Range) -> String {
    match (range.from, range.to) {
        (from, to) if from == to => from.to_string(),
        (0, i32::MAX) => "anything".to_owned(),
        (from, i32::MAX) => format!("{from} or more"),
        (0, to) => format!("{to} or fewer"),
        (from, to) => format!("{from} to {to}"),
    }
}

impl Implied {
    /// Nothing is known.
    pub const NOTHING: Self = Self {
        own: ANYTHING,
        down_at_most: i32::MAX,
        up_at_least: 0,
        earlier_at_least: None,
        earlier_at_most: None,
    };
}

impl Outcome {
    /// What the outcome tells; nothing where no recommendation leads to it,
    /// so that a part of it is not true.
    pub fn implied(&self) -> Option<Implied> {
        // From zero the lower bound comes on top, and no condition says so.
        if self.current == Some(0) && self.desired != 0 {
            return Some(Implied::NOTHING);
        }
        let stabilized = self.stabilized();
        let mut implied = self.by_window(stabilized);
        self.bound_by_direction(&mut implied);
        if self.has_behavior {
            self.bound_by_size(stabilized, &mut implied);
        }
        (implied.own.from <= implied.own.to).then_some(implied)
    }

    /// The stabilized count.
    fn stabilized(&self) -> Range {
        match self.limited {
            Some((false, _)) => Range::of(self.desired),
            Some((
                true,
                Some(ConditionReason::ScaleUpLimit | ConditionReason::TooManyReplicas),
            )) => Range::new(self.desired.saturating_add(1), i32::MAX),
            Some((
                true,
                Some(ConditionReason::ScaleDownLimit | ConditionReason::TooFewReplicas),
            )) => Range::new(0, self.desired.saturating_sub(1)),
            _ => self.unlimited_or_not(),
        }
    }

    /// With `behavior` limits only shorten a change, so the stabilized count
    /// lies at its end or beyond.
    fn unlimited_or_not(&self) -> Range {
        match self.current {
            Some(current) if self.has_behavior && self.desired > current => {
                Range::new(self.desired, i32::MAX)
            }
            Some(current) if self.has_behavior && self.desired < current => {
                Range::new(0, self.desired)
            }
            _ => ANYTHING,
        }
    }

    fn by_window(&self, stabilized: Range) -> Implied {
        let mut implied = Implied::NOTHING;
        if !self.has_behavior {
            implied.down_at_most = stabilized.to;
            implied.own.to = stabilized.to;
        }
        match self.able_to_scale {
            Some(ConditionReason::ReadyForNewScale) => implied.own = stabilized,
            Some(ConditionReason::ScaleUpStabilized) if self.has_behavior => {
                implied.own.from = stabilized.from.saturating_add(1);
                implied.earlier_at_most = Some(stabilized.to);
            }
            Some(ConditionReason::ScaleDownStabilized) => {
                implied.own.to = stabilized.to.saturating_sub(1);
                implied.earlier_at_least = Some(stabilized.from);
            }
            _ => {}
        }
        implied
    }

    /// With `behavior` the size moves towards the recommendation.
    fn bound_by_size(&self, stabilized: Range, implied: &mut Implied) {
        let Some(current) = self.current else {
            return self.rescaled(stabilized, implied);
        };
        if stabilized.from > current {
            implied.up_at_least = stabilized.from;
            implied.own.from = implied.own.from.max(stabilized.from);
        } else if stabilized.to < current {
            implied.down_at_most = stabilized.to;
            implied.own.to = implied.own.to.min(stabilized.to);
        } else if stabilized == Range::of(current) {
            // The size is within both windows' ends.
            if implied.own.to < current {
                implied.earlier_at_least = Some(current);
            }
            if implied.own.from > current {
                implied.earlier_at_most = Some(current);
            }
        }
    }

    /// The size changed, from which one is not known: with `behavior` it
    /// moves towards the recommendation, and never beyond.
    fn rescaled(&self, stabilized: Range, implied: &mut Implied) {
        match self.recommended {
            Some(Direction::Up) => {
                implied.up_at_least = stabilized.from.max(self.desired);
                implied.own.from = implied.own.from.max(implied.up_at_least);
            }
            Some(Direction::Down) => {
                implied.down_at_most = stabilized.to.min(self.desired);
                implied.own.to = implied.own.to.min(implied.down_at_most);
            }
            None => {}
        }
    }

    fn bound_by_direction(&self, implied: &mut Implied) {
        let Some(current) = self.current else {
            return;
        };
        let stabilized_up = self.able_to_scale == Some(ConditionReason::ScaleUpStabilized);
        let stabilized_down = self.able_to_scale == Some(ConditionReason::ScaleDownStabilized);
        if self.recommended == Some(Direction::Up) || stabilized_up {
            implied.own.from = implied.own.from.max(current.saturating_add(1));
        }
        if self.recommended == Some(Direction::Down) || (stabilized_down && self.has_behavior) {
            implied.own.to = implied.own.to.min(current.saturating_sub(1));
        }
    }
}
