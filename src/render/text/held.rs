//! What makes a pass leave another size than the metrics ask for: the same
//! words of a pass to come and of a simulated one.

use super::words::range;
use crate::trace::{Range, Reason, SizeDecision};

impl SizeDecision {
    /// The size with what becomes of it, and why where it is not what was asked for.
    pub(super) fn change(&self, asks: &str) -> String {
        let why = match self.recommended {
            Some(recommended) if recommended == self.to => String::new(),
            _ => format!(": {}", self.why(asks)),
        };
        let (from, to) = (range(self.from), range(self.to));
        if !self.is_change() {
            return format!("stays at {to}{why}");
        }
        format!("{from} → {to}{why}")
    }

    /// Why it is that size, with what the metrics ask for after `asks`.
    pub(super) fn why(&self, asks: &str) -> String {
        let Some(recommended) = self.recommended else {
            return match self.held_by {
                Some(Reason::TooManyReplicas) => "is above maxReplicas".to_owned(),
                Some(_) => "is below minReplicas".to_owned(),
                // It pauses the HPA, unless minReplicas is 0 as well.
                None if self.from == Range::of(0) => "at 0 no metric decides".to_owned(),
                None => "no metric has a value".to_owned(),
            };
        };
        // A size that grows beyond what is asked for comes from the memory.
        let is_raised = self.to.from > recommended.to && self.to.from > self.from.to;
        let held = match self.held_by {
            Some(_) if is_raised => self.raised(),
            // Only an older recommendation can lie above it, too.
            Some(Reason::TooManyReplicas) if self.to.from > recommended.to => {
                ", held by the window and limited by maxReplicas".to_owned()
            }
            Some(reason) => format!(", {} ({})", held_by(reason), reason.word()),
            None if self.to == recommended => String::new(),
            None if self.from == Range::of(0) => ", raised to minReplicas".to_owned(),
            // Several of them can, and the size is the same.
            None if self.to.single().is_some() => {
                ", held by the window, a policy or a bound".to_owned()
            }
            None => ", depends on the controller's memory".to_owned(),
        };
        format!("{asks} {}{held}", range(recommended))
    }

    fn raised(&self) -> String {
        let raised = ", raised by an older recommendation";
        let limited = self.held_by.map_or("", held_by);
        match self.held_by {
            Some(Reason::ScaleUpStabilized | Reason::ScaleDownStabilized) | None => {
                raised.to_owned()
            }
            Some(_) => format!("{raised}, {limited}"),
        }
    }
}

fn held_by(reason: Reason) -> &'static str {
    match reason {
        Reason::ScaleUpStabilized | Reason::ScaleDownStabilized => "held by the window",
        Reason::ScaleUpLimit | Reason::ScaleDownLimit => "limited by policy",
        Reason::TooManyReplicas => "limited by maxReplicas",
        Reason::TooFewReplicas => "limited by minReplicas",
        Reason::ReadyForNewScale | Reason::DesiredWithinRange => "limited by the bounds",
    }
}

#[cfg(test)]
mod tests {
    use crate::trace::{Range, Reason, SizeDecision};

    #[test]
    fn a_size_is_told_with_what_holds_or_raises_it() {
        let rows = [
            ((4, Some(7), 7), None, "asks for 7"),
            (
                (13, Some(7), 13),
                Some(Reason::ScaleDownStabilized),
                "asks for 7, held by the window (ScaleDownStabilized)",
            ),
            (
                (8, Some(7), 13),
                Some(Reason::ScaleDownStabilized),
                "asks for 7, raised by an older recommendation",
            ),
            (
                (6, Some(7), 12),
                Some(Reason::ScaleUpLimit),
                "asks for 7, raised by an older recommendation, limited by policy",
            ),
            (
                (4, Some(12), 8),
                Some(Reason::ScaleUpLimit),
                "asks for 12, limited by policy (ScaleUpLimit)",
            ),
            (
                (4, Some(12), 9),
                Some(Reason::TooManyReplicas),
                "asks for 12, limited by maxReplicas (TooManyReplicas)",
            ),
            ((0, Some(1), 3), None, "asks for 1, raised to minReplicas"),
            (
                (1, None, 3),
                Some(Reason::TooFewReplicas),
                "is below minReplicas",
            ),
            (
                (9, None, 3),
                Some(Reason::TooManyReplicas),
                "is above maxReplicas",
            ),
            (
                (8, Some(14), 8),
                None,
                "asks for 14, held by the window, a policy or a bound",
            ),
            ((9, None, 9), None, "no metric has a value"),
            ((0, None, 0), None, "at 0 no metric decides"),
        ];
        for ((from, recommended, to), by, why) in rows {
            let held = SizeDecision {
                from: Range::of(from),
                recommended: recommended.map(Range::of),
                to: Range::of(to),
                held_by: by,
            };
            assert_eq!(held.why("asks for"), why);
        }
        assert_eq!(rows.len(), 12);
    }
}
