//! How much is known of what the controller remembers, and how far back it
//! can go.

use crate::render::text::sure::sure;
use crate::render::text::verdict_window as window;
use crate::render::text::words::{View, certain_count};
use crate::trace::{EvidenceKind, Knowledge, Rule};

/// How much is known; nothing to say where that has no say.
pub(super) fn remembered(view: View) -> Vec<String> {
    let recommendation = view.trace.recommendation.as_ref();
    if recommendation.is_none_or(|record| record.rule != Rule::RecommendationLargest) {
        return Vec::new();
    }
    // How sure the answer is has been said there.
    let is_told = !sure(view).is_empty();
    let reach = reach(view).filter(|reach| is_told || reach.is_short);
    let known = (!is_told).then(|| known(view));
    let reach = reach.map(|reach| reach.said);
    reach.into_iter().chain(known).collect()
}

fn known(view: View) -> String {
    let trace = view.trace;
    let known = match trace.remembered {
        Knowledge::Known => "all known",
        Knowledge::Partly => "partly known",
        Knowledge::Unknown => "unknown",
    };
    let is_decided = trace.outcome.desired_replicas.is_some();
    let effect = match certain_count(view) {
        _ if trace.remembered == Knowledge::Known || !is_decided => String::new(),
        Some(count) => format!(", but the count is {count} in any case"),
        None if trace.remembered == Knowledge::Unknown => {
            ", but it can make no difference".to_owned()
        }
        None => ", enough to decide".to_owned(),
    };
    format!("remembered: {known}{effect}")
}

/// How far back what the controller remembers can go.
struct Reach {
    said: String,
    /// Whether it began within the time that counts.
    is_short: bool,
}

fn reach(view: View) -> Option<Reach> {
    let recollection = &view.trace.recollection;
    let Some(since) = &recollection.since else {
        return recollection.may_have_restarted.then(|| Reach {
            said: "a restart of the controller cannot be ruled out".to_owned(),
            is_short: false,
        });
    };
    let start = match since.source.kind {
        EvidenceKind::Lease => "controller leads since",
        EvidenceKind::Creation => "HPA created",
        EvidenceKind::Record => "recorded since",
        EvidenceKind::ControllerLog => "controller started",
        _ => "nothing remembered before",
    };
    let start = format!("{start} {}", view.time(since.at));
    let age = view.trace.at.duration_since(since.at).as_secs();
    let longest = longest(view);
    let is_short = longest.is_some_and(|seconds| age < seconds);
    let said = match longest.map(window) {
        _ if recollection.may_have_restarted => {
            format!("{start}, a restart since cannot be ruled out")
        }
        Some(longest) if is_short => format!("{start}, within the {longest} that count"),
        Some(longest) => format!("{start}: no restart in the {longest} that count"),
        None => start,
    };
    Some(Reach { said, is_short })
}

/// The longest window or period of a policy, in seconds.
fn longest(view: View) -> Option<i64> {
    let trace = view.trace;
    let edges = trace.stabilization.iter();
    let edges = edges.flat_map(|record| record.up.iter().chain([&record.down]));
    let windows = edges.map(|edge| edge.window_seconds);
    let policies = trace.limit.iter().flat_map(|limit| &limit.policies);
    let periods = policies.map(|policy| i64::from(policy.period_seconds));
    windows.chain(periods).max()
}
