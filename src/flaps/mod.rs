//! Whether an HPA flaps or is stuck, and by which mechanism: one file a
//! mechanism, each with the arithmetic that tells it.
//!
//! What a finding says already is taken over from it; the mechanisms that
//! lie in the ups and downs themselves are told here, and the finding about
//! flapping takes them over in turn.

mod mechanisms;
mod observed_passes;
mod pass_facts;
mod proof;
mod swings;

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::api::ReadFailure;
use super::document::snapshot::Part;
use super::findings::Case;
use super::history::{Moves, reported_rescales};
use super::trace::amount::counted;
use super::trace::{
    Code, CodeKind, Effect, EvidenceKind, Finding, FlapState, Flaps, Mechanism, PastCoverage,
    Remedy, Severity, SizeChange, Swing, Trace, Word, seconds_text,
};
use mechanisms::mechanisms;
use pass_facts::PassFacts;
use swings::{Episode, times};

pub use observed_passes::ObservedPasses;
pub use proof::{tried, windows};

/// Whether the latest ups and downs before a moment are flapping that goes on.
pub(crate) fn is_flapping(moves: &Moves, now: Timestamp) -> bool {
    Episode::latest(moves, now).is_some_and(|it| it.flaps_now())
}

/// Whether an HPA flaps or is stuck, by a pass with everything that is found in it,
/// and by what `sightings` has found in earlier ones.
pub(crate) fn answer(case: &Case, trace: &Trace, sightings: &ObservedPasses) -> Flaps {
    let facts = &PassFacts {
        sightings: Some(sightings),
        ..PassFacts::new(case, trace, &trace.findings)
    };
    let mechanisms = mechanisms(facts);
    let other_reason = other_reason(&trace.findings, &mechanisms);
    // Whether it is stuck shows in what the pass reads.
    let mut findings = trace.findings.iter();
    let unreadable =
        findings.find(|it| it.code.is(CodeKind::Unread) && trace.verdict.word == Word::Unknown);
    let coverage = coverage(facts);
    let state = if facts.flapping().is_some() {
        FlapState::Flapping
    } else if !mechanisms.is_empty() || other_reason.is_some() {
        FlapState::Stuck
    } else if unreadable.is_some()
        || (coverage.events_not_read.is_some()
            && !coverage.sources.iter().copied().any(tells_of_sizes))
    {
        FlapState::Unknown
    } else {
        FlapState::Calm
    };
    let swing = Episode::turned(facts.case.moves, trace.at).map(|episode| episode.swing);
    Flaps {
        namespace: trace.namespace.clone(),
        name: trace.name.clone(),
        target: trace.target.clone(),
        at: trace.at,
        replicas: trace.outcome.current_replicas,
        bounds: trace.bounds,
        state,
        severity: severity(state, &mechanisms, other_reason.as_ref()),
        swing,
        mechanisms,
        other_reason: other_reason
            .or_else(|| unreadable.filter(|_| state == FlapState::Unknown).cloned()),
        coverage,
        changes: changes(facts.case.moves),
    }
}

/// What else keeps the size; what the mechanisms say is not said again.
fn other_reason(findings: &[Finding], mechanisms: &[Mechanism]) -> Option<Finding> {
    if !mechanisms.is_empty() {
        return None;
    }
    let holds = |it: &&Finding| it.severity > Severity::Info && it.code.is(CodeKind::Stuck);
    let symptom = findings.iter().find(holds)?;
    // The reason why all metrics fail says more than that they do.
    let all_fail =
        symptom.code.is(CodeKind::NamesFailures) && symptom.code.severity() == Severity::Error;
    let is_cause = |it: &&Finding| all_fail && it.code.is(CodeKind::FailsMetrics);
    Some(findings.iter().find(is_cause).unwrap_or(symptom).clone())
}

/// As much as the worst of what is wrong.
fn severity(
    state: FlapState,
    mechanisms: &[Mechanism],
    other: Option<&Finding>,
) -> Option<Severity> {
    match state {
        FlapState::Calm | FlapState::Unknown => None,
        FlapState::Flapping => Some(Severity::Warning),
        FlapState::Stuck => {
            let worst = mechanisms.iter().map(|it| it.kind.severity()).max();
            worst.or(other.map(|it| it.severity))
        }
    }
}

fn coverage(facts: &PassFacts) -> PastCoverage {
    let moves = facts.case.moves;
    let all = moves.known.iter().chain(&moves.undated);
    let mut sources: Vec<_> = all.filter_map(|it| it.source).collect();
    sources.extend(moves.proposals_from.into_iter().chain(moves.sizes_from));
    sources.sort();
    sources.dedup();
    let ends = moves.known.first().zip(moves.known.last());
    let edited = moves
        .edited
        .filter(|at| ends.is_some_and(|(first, last)| first.from < *at && *at < last.from));
    PastCoverage {
        complete_since: moves.complete_since,
        with_moment: times(moves.known.iter()),
        without_moment: times(moves.undated.iter()),
        passes: u32::try_from(moves.proposals.len()).unwrap_or(u32::MAX),
        remembered: facts
            .trace
            .last_change
            .clone()
            .filter(|_| sources.is_empty()),
        sources,
        edited,
        reversals_since: edited
            .zip(Episode::turned(moves, facts.trace.at))
            .map(|(at, episode)| episode.reversals_since(at)),
        remarks: moves.remarks.clone(),
        events_not_read: events_missing(facts),
    }
}

/// Events are kept for an hour by default, and for no less by any default.
const KEPT: i64 = 3_600;

/// Why events are missing: they could not be read, the file has none, or none
/// tells of a rescale that the status tells of.
fn events_missing(facts: &PassFacts) -> Option<ReadFailure> {
    let (snapshot, moves) = (facts.case.snapshot, facts.case.moves);
    let not_read = &snapshot.provenance.not_read;
    if let Some(events) = not_read.iter().find(|it| it.part == Part::Events) {
        return Some(events.reason.clone());
    }
    let has_none = snapshot.own_events().next().is_none();
    // What the tool itself wrote has all that there were.
    let is_by_hand = snapshot.provenance.tool_version.is_none();
    if has_none && is_by_hand && moves.complete_since.is_none() {
        return Some(ReadFailure::not_read("the snapshot has none"));
    }
    let mut known = moves.known.iter();
    let last = known.find(|it| it.source == Some(EvidenceKind::LastScaleTime))?;
    let age = facts.trace.at.duration_since(last.from).as_secs();
    (age < KEPT).then(|| {
        let ago = seconds_text(age.max(0));
        ReadFailure::not_read(format!(
            "status.lastScaleTime shows a change {ago} ago, and no event does"
        ))
    })
}

/// Whether it tells of one change after the other. The status tells of the
/// last one alone.
fn tells_of_sizes(source: EvidenceKind) -> bool {
    matches!(
        source,
        EvidenceKind::ControllerLog
            | EvidenceKind::Record
            | EvidenceKind::Prometheus
            | EvidenceKind::Event
    )
}

/// All of them, by their latest moments.
fn changes(moves: &Moves) -> Vec<SizeChange> {
    let mut changes: Vec<SizeChange> = moves.known.iter().chain(&moves.undated).cloned().collect();
    changes.sort_by_key(|it| (it.to, it.from));
    changes
}

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
        let command = trace.kubectl_hpa("kubectl hpa-explain flaps");
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
