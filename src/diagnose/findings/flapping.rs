//! A size that goes up and down again and again. How often, how far and why
//! is told where `flaps` tells it, too.

use std::collections::BTreeMap;

use crate::diagnose::flaps::{Flapping, mechanisms};
use crate::trace::{
    Change, Code, Finding, Mechanism, SizeChange, Swing, Trace, Within, seconds_text,
};

use super::Case;

/// More reasons than this are not listed.
const MOST_REASONS: usize = 6;

/// The size turns round again and again; `findings` are those of the pass.
pub(super) fn flapping(case: &Case, trace: &Trace, findings: &[Finding]) -> Option<Finding> {
    let ground = Flapping::new(case, trace, findings);
    let episode = ground.flapping()?;
    let swing = &episode.swing;
    let mut finding = Finding::new(Code::Flapping, message(swing, trace))
        .fact("since", format!("{} at the latest", swing.since));
    finding.evidence.extend(period(swing));
    for (reason, count) in reasons(&episode.moves, &episode.untold)
        .into_iter()
        .take(MOST_REASONS)
    {
        finding = finding.fact(format!("{count} rescales"), reason);
    }
    for mechanism in mechanisms(&ground) {
        finding = explained(finding, mechanism);
    }
    Some(finding)
}

fn message(swing: &Swing, trace: &Trace) -> String {
    let bound = match swing.reversals.to {
        Some(_) => "",
        None => "at least ",
    };
    let times = match swing.reversals {
        Within { from, to: Some(to) } if to != from => format!("{from} to {to}"),
        Within { from, .. } => from.to_string(),
    };
    format!(
        "turned round {bound}{times} times in {}, between {} and {}; the last change was {}",
        swing.length(),
        swing.least,
        swing.most,
        swing.last_ago(trace.at)
    )
}

fn period(swing: &Swing) -> Option<crate::trace::Fact> {
    let longest = swing.period_seconds?.to?;
    Some(crate::trace::Fact {
        about: "one way and back".to_owned(),
        says: format!("{} on average", seconds_text(longest.into())),
    })
}

/// How often each reason was given, the most frequent first.
fn reasons<'m>(moves: &'m [SizeChange], untold: &'m [SizeChange]) -> Vec<(&'m str, u32)> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for change in moves.iter().chain(untold) {
        if change.is_by_hpa() && !change.reason.is_empty() {
            let count = counts.entry(change.reason.as_str()).or_default();
            *count = count.saturating_add(change.count);
        }
    }
    let mut reasons: Vec<_> = counts.into_iter().collect();
    reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
    reasons
}

/// Names a mechanism, and what helps against it, where no finding of its own
/// says so already.
fn explained(finding: Finding, mechanism: Mechanism) -> Finding {
    let finding = finding.fact(mechanism.title(), mechanism.says);
    if !mechanism.kind.is_of_the_load() {
        return finding;
    }
    let changes = mechanism.changes.into_iter();
    changes.fold(finding, |mut finding, Change { mut remedy, .. }| {
        remedy.says = format!("{}; not tested against this load", remedy.says);
        finding.remedies.push(remedy);
        finding
    })
}
