//! One pod that is not like the others.

use std::collections::BTreeSet;

use crate::diagnose::Case;
use crate::trace::amount::{amount, now, proposal, target};
use crate::trace::{Code, Finding, Group, PodRecord, Trace, shell_word};

use super::initializing::{average, is_young};
use super::words::alone;

/// Of fewer pods nobody can tell which one is the odd one.
const FEWEST: usize = 3;

/// The size rises for one pod alone: it uses twice what the others do on
/// average, and the same pass without it asks for no more than there are. What
/// has just started is [`Code::StartupBurst`].
pub(super) fn one_hot_pod(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let current = trace.outcome.current_replicas;
    // Where the others are not the target's, that is the cause.
    let foreign = trace.prospects.iter().flat_map(|it| &it.foreign_pods);
    if foreign.count() > 0 {
        return;
    }
    let (Some(metric), Some(asked)) = (trace.winner(), trace.asked()) else {
        return;
    };
    let counted = metric.pods.iter().filter(|pod| pod.group == Group::Ready);
    let counted: Vec<&PodRecord> = counted.collect();
    let hottest = counted.iter().max_by_key(|pod| pod.usage);
    let Some(hot) = hottest.filter(|pod| asked > current && !is_young(case, trace, pod)) else {
        return;
    };
    let others: Vec<&PodRecord> = counted
        .iter()
        .filter(|pod| pod.name != hot.name)
        .copied()
        .collect();
    let (Some(uses), Some(others_use)) = (hot.usage, average(&others)) else {
        return;
    };
    if counted.len() < FEWEST || uses < others_use.saturating_mul(2) {
        return;
    }
    let without = case.without_pods(&BTreeSet::from([hot.name.as_str()]));
    let rest = without.metrics.get(metric.index);
    let Some((rest, measured)) = rest.and_then(|rest| Some((rest, rest.measured.as_ref()?))) else {
        return;
    };
    let (Some(proposed), Some(asked_without)) = (proposal(rest), without.asked()) else {
        return;
    };
    if asked_without > current || measured.ratio > measured.tolerated_to {
        return;
    }
    let name = &metric.source.name;
    let message = format!(
        "pod {} uses {} {name}, the other {} {} on average; without it the metrics ask for \
         {asked_without}, not {asked}",
        hot.name,
        amount(metric, uses),
        others.len(),
        amount(metric, others_use),
    );
    let says = format!(
        "{name} is at {}, target {}",
        now(rest, measured),
        target(metric)
    );
    let command = format!(
        "kubectl top pod {} {} --containers",
        shell_word(&hot.name),
        trace.namespace_argument()
    );
    findings.push(
        Finding::new(Code::OneHotPod, message)
            .fact("without it", says)
            .fact("asks for then", alone(trace, metric, proposed))
            .command("shows which of its containers it is", command)
            .advice(
                "find out what the pod does: more pods help only if they take a part of its load",
            ),
    );
}
