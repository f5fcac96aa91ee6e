//! What other inputs would lead to: one file a question.

mod attempts;
mod break_points;
mod settling;

use std::collections::BTreeSet;

use crate::api::Pod;
use crate::controller::WhatIf;
use crate::document::snapshot::{Owner, Snapshot, owner};
use crate::findings::Case;
use crate::flaps::is_flapping;
use crate::trace::{End, ForeignPod, Prospects, Rule, Trace};

/// Looks ahead: of what nobody shows as far as a finding or a mechanism of
/// flapping needs it, for where the size comes to rest takes long to find. Where
/// the metrics are not asked, there is nothing to see but whose pods are selected.
pub(super) fn prospects(case: &Case, trace: &Trace, is_shown: bool) -> Prospects {
    let foreign_pods = foreign_pods(case.snapshot, case.selected.iter().copied());
    let mut prospects = Prospects {
        foreign_pods,
        ..Prospects::default()
    };
    if !metrics_decide(trace) {
        return prospects;
    }
    let names = prospects.foreign_pods.iter().map(|pod| pod.name.as_str());
    let names: BTreeSet<&str> = names.collect();
    let now = case.now.as_nanosecond();
    let Some(what_if) = WhatIf::new(case.prepared, case.settings, now, &names) else {
        return prospects;
    };
    let question = Question {
        case,
        trace,
        what_if: &what_if,
    };
    prospects.break_points = question.break_points();
    prospects.counterfactuals = question.counterfactuals(&names);
    // What does not fall as pods are added can run away.
    let can_run_away = !what_if.taken_constant().is_empty();
    if !(is_shown || can_run_away || is_flapping(case.moves, trace.at)) {
        return prospects;
    }
    let settling = question.settling();
    prospects.attempts = question.attempts(settling.as_ref());
    // Samples are averages over some seconds. Where pods became Ready within
    // these, the others carried more at first than they do now.
    let mut pods = trace.winner().into_iter().flat_map(|metric| &metric.pods);
    let is_whole = pods.all(|pod| pod.rule != Rule::PodStaleSample);
    prospects.settling = settling.filter(|it| is_whole || it.end != End::Rest);
    prospects
}

/// The selected pods that the target does not own. Where the chain of owners
/// cannot be followed to its end, a pod is not called foreign.
pub(super) fn foreign_pods<'s>(
    snapshot: &'s Snapshot,
    selected: impl Iterator<Item = &'s Pod>,
) -> Vec<ForeignPod> {
    let mut has_own = false;
    let mut others = Vec::new();
    for pod in selected {
        let foreign = |owner| ForeignPod {
            name: pod.metadata.name.to_string(),
            owner,
            phase: pod.status.phase.clone(),
        };
        match owner(snapshot, pod) {
            Owner::Target => has_own = true,
            Owner::Unknown => {}
            Owner::Other(owner) => others.push(foreign(Some(owner))),
            Owner::Nobody => others.push(foreign(None)),
        }
    }
    // Pods written by hand may name no owners at all.
    others.retain(|it| has_own || it.owner.is_some());
    others
}

/// What the questions are about.
#[derive(Clone, Copy)]
struct Question<'a> {
    case: &'a Case<'a>,
    trace: &'a Trace,
    what_if: &'a WhatIf<'a>,
}

impl Question<'_> {
    /// The size at which the pass begins.
    fn current(self) -> i32 {
        self.trace.outcome.current_replicas
    }

    /// A count within the HPA's bounds.
    fn within_bounds(self, replicas: i32) -> i32 {
        let bounds = self.trace.bounds;
        replicas.max(bounds.min_replicas).min(bounds.max_replicas)
    }
}

/// Whether the pass gets to its metrics.
fn metrics_decide(trace: &Trace) -> bool {
    let branch = trace.branch.as_ref().map(|branch| branch.rule);
    let branches = [Rule::BranchMetrics, Rule::BranchMetricsAtZero];
    branch.is_some_and(|it| branches.contains(&it)) && trace.recommendation.is_some()
}
