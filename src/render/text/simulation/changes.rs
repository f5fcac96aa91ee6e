//! When the size changes under a spec.

use crate::render::text::held::Held;
use crate::render::text::page::{Line, Page};
use crate::trace::{Range, SimulatedRun, SimulatedStep, exact_seconds_text};

/// Changes that are listed of each run without `-v`.
const MOST_CHANGES: usize = 4;
/// The fewest columns of a time.
const LEAST_TIME: usize = 8;

/// A change of the size: when, from what to what, and what held it where it
/// is not what the metrics ask for.
pub(in crate::render) struct ShownChange {
    pub(in crate::render) at: String,
    pub(in crate::render) sizes: String,
    pub(in crate::render) held: String,
}

/// The first changes of a run, and how many more there are.
pub(in crate::render) fn changes(run: &SimulatedRun, most: usize) -> (Vec<ShownChange>, usize) {
    let is_change = |step: &&SimulatedStep| step.current_replicas != step.desired_replicas;
    let listed = run.steps.iter().filter(is_change).take(most);
    let listed: Vec<ShownChange> = listed.map(change).collect();
    // Of many passes, not every change is kept.
    let all = usize::try_from(run.scores.scalings).unwrap_or(usize::MAX);
    let more = all.saturating_sub(listed.len());
    (listed, more)
}

/// The changes in lines, under a title; none where there is no change.
pub(super) fn lines(page: Page, run: &SimulatedRun, verbosity: u8) -> Vec<Line> {
    let listed = listed(page, run, verbosity);
    if listed.is_empty() {
        return listed;
    }
    let title = page.line(&page.clean(&changes_title(run)));
    [vec![Line::blank(), title], listed].concat()
}

/// What the list is headed by.
pub(in crate::render) fn changes_title(run: &SimulatedRun) -> String {
    format!("Changes, {}", run.name)
}

/// The changes, a line each.
pub(in crate::render) fn listed(page: Page, run: &SimulatedRun, verbosity: u8) -> Vec<Line> {
    let most = if verbosity > 0 {
        usize::MAX
    } else {
        MOST_CHANGES
    };
    let (changes, more) = changes(run, most);
    let widths = changes.iter().map(|change| change.at.len());
    let width = widths.max().unwrap_or_default().max(LEAST_TIME);
    let lines = changes.iter().map(|change| {
        let ShownChange { at, sizes, held } = change;
        let gap = if held.is_empty() { "" } else { "  " };
        page.line(&format!("  {at:>width$}  {sizes}{gap}{held}"))
    });
    let mut lines: Vec<Line> = lines.collect();
    if more > 0 {
        lines.push(page.line(&format!("  and {more} more; -v lists them")));
    }
    lines
}

fn change(step: &SimulatedStep) -> ShownChange {
    let (from, to) = (step.current_replicas, step.desired_replicas);
    let held = if step.recommendation == to {
        String::new()
    } else {
        let held = Held {
            from: Range::of(from),
            asked: (step.recommendation >= 0).then_some(Range::of(step.recommendation)),
            to: Range::of(to),
            by: step.held_by,
        };
        held.why("asked for")
    };
    ShownChange {
        at: exact_seconds_text(step.second),
        sizes: format!("{from} → {to}"),
        held,
    }
}
