//! Which passes of a run are kept: all of them, or as many as charts and lists
//! of changes show; and which are explained.

use std::collections::BTreeMap;

use crate::trace::{SimulatedStep, SizeDecision, has_every_pass};

/// Where not every pass is kept, the time is cut into so many parts, and what stands out of
/// each is kept: more than any chart has columns.
const PARTS: i64 = 2_400;

/// Up to so many passes, of all runs together, all are explained: a page with them stays
/// below 1 MiB.
const ALL_EXPLAINED: usize = 300;
/// Of more, so many: a page with thousands of changes lists these, too.
const MOST_EXPLAINED: usize = 100;

/// What is kept of the passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Every pass.
    All,
    /// What charts show, and so many changes of the size, the first ones.
    Shown {
        /// How many.
        changes: usize,
    },
}

/// The passes that are kept, in their order.
#[derive(Debug)]
pub(super) struct Kept {
    /// How many changes are still to be kept; absent where all passes are.
    changes: Option<usize>,
    /// The length of a part, in seconds.
    part: i64,
    own: Stretch,
    steps: Vec<SimulatedStep>,
}

/// What stands out of a part of the time.
#[derive(Debug, Default)]
struct Stretch {
    /// Which part it is.
    number: i64,
    most_demand: Option<SimulatedStep>,
    most_replicas: Option<SimulatedStep>,
    last: Option<SimulatedStep>,
    /// Changes that are listed.
    changes: Vec<SimulatedStep>,
}

impl Kept {
    /// Nothing yet, of so many seconds with a pass every so many.
    pub(super) fn new(keep: Keep, seconds: i64, every: i64) -> Self {
        let changes = match keep {
            Keep::Shown { changes } if !has_every_pass(seconds, every) => Some(changes),
            _ => None,
        };
        Self {
            changes,
            part: (seconds / PARTS).max(1),
            own: Stretch::default(),
            steps: Vec::new(),
        }
    }

    /// Takes in the next pass.
    pub(super) fn take(&mut self, step: SimulatedStep) {
        let Some(changes) = &mut self.changes else {
            self.steps.push(step);
            return;
        };
        let number = step.second / self.part;
        if number != self.own.number {
            let own = std::mem::take(&mut self.own);
            own.flush(&mut self.steps);
            self.own.number = number;
        }
        if *changes > 0 && step.current_replicas != step.desired_replicas {
            *changes -= 1;
            self.own.changes.push(step.clone());
        }
        self.own.take(step);
    }

    /// Those that were kept.
    pub(super) fn steps(mut self) -> Vec<SimulatedStep> {
        self.own.flush(&mut self.steps);
        self.steps
    }
}

/// The moments whose passes a page opens: of those in a row that decided the same in each
/// run, the first, where one changes the size, is apart from what happened, or they differ.
/// Of too many, every so many, with the first at which they differ and the first apart.
pub fn opened(runs: impl IntoIterator<Item = Vec<(i64, SizeDecision, bool)>>) -> Vec<i64> {
    let mut moments: BTreeMap<i64, Vec<_>> = BTreeMap::new();
    for (second, decision, is_apart) in runs.into_iter().flatten() {
        let sides = moments.entry(second).or_default();
        sides.push((decision.in_common(), is_apart));
    }
    let moments: Vec<_> = moments.into_iter().collect();
    let rows = moments.chunk_by(|one, next| one.1 == next.1);
    let rows = rows.filter_map(|row| row.first());
    let differ = |sides: &[_]| sides.windows(2).any(|it| it[0] != it[1]);
    let is_apart = |sides: &[(_, bool)]| sides.iter().any(|it| it.1);
    let rows = rows.filter(|(_, sides)| {
        let changes = sides.iter().any(|((from, to, ..), _)| from != to);
        changes || is_apart(sides) || differ(sides)
    });
    let rows: Vec<_> = rows.collect();
    let sides = rows.iter().map(|(_, sides)| sides.len()).max();
    let sides = sides.unwrap_or(1);
    let all = ALL_EXPLAINED / sides;
    let most = if rows.len() <= all {
        all
    } else {
        MOST_EXPLAINED / sides
    };
    let step = rows.len().div_ceil(most.max(1)).max(1);
    let spread = rows.iter().step_by(step).take(most);
    let different = rows.iter().find(|(_, sides)| differ(sides));
    let apart = rows.iter().find(|(_, sides)| is_apart(sides));
    let opened = spread.chain(different).chain(apart);
    let mut opened: Vec<i64> = opened.map(|(second, _)| *second).collect();
    opened.sort_unstable();
    opened.dedup();
    opened
}

impl Stretch {
    fn take(&mut self, step: SimulatedStep) {
        let is_more = |most: &Option<SimulatedStep>, of: fn(&SimulatedStep) -> i64| {
            most.as_ref().is_none_or(|most| of(&step) > of(most))
        };
        if is_more(&self.most_demand, |it| it.demand) {
            self.most_demand = Some(step.clone());
        }
        if is_more(&self.most_replicas, |it| i64::from(it.desired_replicas)) {
            self.most_replicas = Some(step.clone());
        }
        self.last = Some(step);
    }

    /// Each of them once, in the order of time.
    fn flush(self, steps: &mut Vec<SimulatedStep>) {
        let mut own = self.changes;
        own.extend(self.most_demand);
        own.extend(self.most_replicas);
        own.extend(self.last);
        own.sort_by_key(|step| step.second);
        own.dedup_by_key(|step| step.second);
        steps.extend(own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ConditionReason;
    use crate::trace::Range;

    fn step(second: i64) -> SimulatedStep {
        let is_peak = second == 500_000;
        SimulatedStep {
            second,
            demand: if is_peak { 9 } else { 1 },
            current_replicas: 2,
            recommendation: 2,
            stabilized: Some(2),
            desired_replicas: if second % 100_000 == 7 { 3 } else { 2 },
            scaling_limited_reason: None,
            held_by: None,
            able_to_scale_reason: ConditionReason::ReadyForNewScale.into(),
            metrics_failed: false,
            pods: None,
            serving: None,
            page: None,
        }
    }

    fn kept(keep: Keep, seconds: i64) -> Vec<SimulatedStep> {
        let mut kept = Kept::new(keep, seconds, 1);
        (0..seconds).for_each(|second| kept.take(step(second)));
        kept.steps()
    }

    fn run(sizes: impl IntoIterator<Item = i32>) -> Vec<(i64, SizeDecision, bool)> {
        let sizes: Vec<Range> = sizes.into_iter().map(Range::of).collect();
        let passes = sizes.windows(2).map(|pair| SizeDecision {
            from: pair[0],
            recommended: Some(pair[1]),
            to: pair[1],
            held_by: None,
        });
        let passes = (0..).zip(passes);
        passes.map(|(second, it)| (second, it, false)).collect()
    }

    #[test]
    fn those_are_explained_that_change_or_differ() {
        // The sizes, each from one pass to the next; the second run rises later.
        let one = run([2, 2, 2, 3, 3, 3, 2, 2]);
        let other = run([2, 2, 2, 2, 2, 3, 2, 2]);
        assert_eq!(opened([one.clone(), other.clone()]), [2, 3, 4, 5]);
        // What is apart from what happened in a row is one entry.
        let mut apart = one;
        apart[5].2 = true;
        apart[6].2 = true;
        assert_eq!(opened([apart, other]), [2, 3, 4, 5, 6]);
        // Of many, every so many, with the first difference.
        let one = run(0..1_001);
        let mut other = one.clone();
        other[333].1.to = Range::of(0);
        let shown = opened([one, other]);
        assert_eq!((shown.len(), shown[0], shown[1]), (51, 0, 20));
        assert!(shown.contains(&333), "{shown:?}");
        assert!(opened([Vec::new()]).is_empty());
    }

    #[test]
    fn of_many_passes_those_are_kept_that_are_shown() {
        let shown = kept(Keep::Shown { changes: 3 }, 1_000_000);
        assert!(shown.len() < 10_000, "{}", shown.len());
        assert!(shown.is_sorted_by(|one, other| one.second < other.second));
        assert!(shown.iter().any(|step| step.demand == 9));
        let changes = shown.iter().filter(|it| it.desired_replicas == 3);
        let changes: Vec<i64> = changes.map(|it| it.second).collect();
        assert_eq!(changes[..3], [7, 100_007, 200_007]);
        assert_eq!(shown.last().map(|it| it.second), Some(999_999));
        assert_eq!(kept(Keep::Shown { changes: 3 }, 20_000).len(), 20_000);
        assert_eq!(kept(Keep::All, 30_000).len(), 30_000);
    }
}
