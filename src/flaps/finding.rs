//! The finding about flapping, which takes over what the mechanisms say.

use std::collections::BTreeMap;

use crate::findings::Case;
use crate::history::reported_rescales;
use crate::trace::amount::counted;
use crate::trace::{Code, Effect, Finding, Mechanism, Remedy, Swing, Trace, seconds_text};

use super::mechanisms::mechanisms;
use super::pass_facts::PassFacts;
use super::swings::Episode;

/// More reasons than this are not listed.
const MOST_REASONS: usize = 6;

/// The size goes up and down repeatedly; `findings` are those of the pass.
pub(crate) fn flapping(case: &Case, trace: &Trace, findings: &[Finding]) -> Option<Finding> {
    let facts = PassFacts::new(case, trace, findings);
    let episode = facts.flapping()?;
    let swing = &episode.swing;
    let longest = swing.period_seconds.and_then(|period| period.to);
    let reasons = reasons(episode).into_iter().take(MOST_REASONS);
    let finding = Finding::new(Code::Flapping, message(case, swing, trace))
        .fact("since", format!("{} at the latest", swing.since))
        .facts(longest.map(|longest| ("average cycle", seconds_text(longest.into()))))
        .facts(reasons.map(|(reason, count)| (counted(count, "rescale"), reason)));
    let all = mechanisms(&facts);
    let of_the_load = all
        .iter()
        .any(|it| it.kind.does(Effect::FollowsLoad) && !it.changes.is_empty());
    // What is inferred from one page is not what a trial finds.
    let finding = if of_the_load {
        let command = trace.kubectl(&["hpa-explain", "flaps", &trace.name]);
        finding.look("find a change that helps, and what it costs", command)
    } else {
        finding
    };
    Some(all.into_iter().fold(finding, explained))
}

fn message(case: &Case, swing: &Swing, trace: &Trace) -> String {
    let created = case.hpa().metadata.creation_timestamp;
    let mut rescales = reported_rescales(case.snapshot).into_iter();
    let whose = if rescales.any(|reported| Some(reported.first) < created) {
        ", some of them by an earlier HPA of this name"
    } else {
        ""
    };
    format!(
        "the size reversed {} in {}, {}{whose}; it last changed {}",
        swing.times(),
        swing.length(),
        swing.sizes(),
        swing.last_ago(trace.at)
    )
}

/// How often each reason was given, the most frequent first.
fn reasons(episode: &Episode) -> Vec<(String, u32)> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for change in episode.all() {
        if change.is_by_hpa() && !change.reason.is_none() {
            let count = counts.entry(change.reason.to_string()).or_default();
            *count = count.saturating_add(change.count);
        }
    }
    let mut reasons: Vec<_> = counts.into_iter().collect();
    // Those given as often as each other stay in the order of their texts.
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    reasons
}

/// Names a mechanism, and what helps against it, where no finding of its own
/// says so already.
fn explained(finding: Finding, mechanism: Mechanism) -> Finding {
    let mut finding = finding.fact(mechanism.title(), mechanism.says);
    let of_the_load = mechanism.kind.does(Effect::FollowsLoad);
    let changes = mechanism.changes.into_iter().filter(|_| of_the_load);
    finding.remedies.extend(changes.map(|change| Remedy {
        says: format!("{} (inferred, not simulated)", change.remedy.says),
        ..change.remedy
    }));
    finding
}
