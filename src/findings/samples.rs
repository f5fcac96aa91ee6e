//! Pods that have no sample although they should.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::containers::has;
use super::metrics_apis::worst;
use super::pods::{average, is_young};
use super::words::{
    MOST, alone, apart, condition, each_once, field, of_all, quantity, some, whole_name as name,
};
use crate::api::{
    Answered, ConditionKind, ConditionStatus, MetricSource, MetricSpec, Phase, Pod,
    PodConditionKind, TargetKind,
};
use crate::controller::Switch;
use crate::document::snapshot::Snapshot;
use crate::findings::Case;
use crate::trace::amount::{amount, counted, counted_as, now, now as value, plural, target};
use crate::trace::{
    Code, FailureCause, Finding, MetricRecord, PodRecord, Rule, Severity, ShellCommand, Trace,
};

/// A new pod has no sample before it was measured twice; metrics-server
/// measures every 15 to 60 seconds.
pub(super) const USUAL: SignedDuration = SignedDuration::from_secs(120);

/// Pods that should count and have no sample. Metrics without a sample of the
/// same pods have one cause.
pub(super) fn pods_without_sample(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let mut silent: BTreeMap<Vec<&str>, Vec<&MetricRecord>> = BTreeMap::new();
    for metric in &trace.metrics {
        let names = silent_in(metric, case.by_name);
        if !names.is_empty() {
            silent.entry(names).or_default().push(metric);
        }
    }
    for (names, metrics) in silent {
        let pods = names
            .iter()
            .filter_map(|name| case.by_name.get(name).copied());
        let pods: Vec<&Pod> = pods.collect();
        findings.push(without_sample(case, trace, &pods, &metrics));
    }
}

/// The pods that a metric misses, or the one that fails it for all.
fn silent_in<'t>(metric: &'t MetricRecord, pods: &BTreeMap<&str, &Pod>) -> Vec<&'t str> {
    if let Some(FailureCause::ContainerNotFound { container, pod }) = metric.cause() {
        let own = pods.get(pod.as_str());
        let own = own.filter(|own| has(own, container));
        return own.map(|_| pod.as_str()).into_iter().collect();
    }
    let mut names: Vec<&str> = metric
        .pods
        .iter()
        // A completed pod is silent for another reason.
        .filter(|pod| pod.rule == Rule::PodNoSample && pod.phase != Phase::Succeeded)
        .map(|pod| pod.name.as_str())
        .filter(|name| {
            let container = metric.source.container.as_deref();
            container.is_none_or(|own| pods.get(name).is_some_and(|pod| has(pod, own)))
        })
        .collect();
    names.sort_unstable();
    names
}

fn without_sample(case: &Case, trace: &Trace, pods: &[&Pod], metrics: &[&MetricRecord]) -> Finding {
    let names: Vec<&str> = pods.iter().map(|pod| pod.metadata.name.as_str()).collect();
    let of = each_once(metrics.iter().map(|metric| name(metric)));
    let verb = plural(pods.len(), "has", "have");
    let is_it = |it: &FailureCause| matches!(it, FailureCause::ContainerNotFound { .. });
    let mut causes = metrics.iter().filter_map(|it| it.cause());
    let then = if causes.any(is_it) {
        ", so the metric fails for all pods".to_owned()
    } else {
        counts_as(pods.len(), metrics)
    };
    let of_all = of_all(&names, case.selected.len());
    let message = format!("{of_all} {verb} no sample for {of}{then}");
    let shown = pods.iter().take(MOST);
    let counting = metrics.iter().filter(|metric| !metric.is_failed());
    let finding = Finding::new(Code::PodsWithoutSample, message)
        .facts(shown.map(|pod| (format!("Pod/{}", pod.metadata.name), state(trace, pod))))
        .facts((names.len() > MOST).then(|| ("also", some(&names[MOST..], MOST))))
        .facts(counting.map(|metric| (name(metric), directions(case, metric))))
        .at_most(severity(trace, pods, metrics));
    match (silent_nodes(case.snapshot, pods).as_slice(), names.first()) {
        ([node], _) => finding
            .fact(format!("Node/{node}"), "no pod on it has a sample")
            .look(
                "ask for the node's own sample",
                ShellCommand::new("kubectl get --raw")
                    .word(&format!("/apis/metrics.k8s.io/v1beta1/nodes/{node}")),
            ),
        (_, Some(first)) => finding.look("see what the pod is doing", trace.look_at_pod(first)),
        _ => finding,
    }
}

/// `, and they count as 0`: what the pods count as in the first metric that
/// fills them in.
fn counts_as(pods: usize, metrics: &[&MetricRecord]) -> String {
    let fill = metrics
        .iter()
        .find_map(|metric| Some((*metric, metric.filled_in.as_ref()?.missing?)));
    let counts = plural(pods, "it counts", "they count");
    fill.map_or_else(String::new, |(metric, fill)| {
        format!(", and {counts} as {}", counted_as(metric, fill))
    })
}

/// `Running, not Ready, CrashLoopBackOff (app); started 8m ago on node w-3`.
fn state(trace: &Trace, pod: &Pod) -> String {
    let ready = pod.condition(PodConditionKind::Ready);
    let ready = match ready {
        Some(ready) if ready.status == ConditionStatus::True => ", Ready",
        Some(_) => ", not Ready",
        None => "",
    };
    let waiting = pod.waiting();
    let waiting = waiting.map_or_else(String::new, |(container, reason)| {
        format!(", {reason} ({container})")
    });
    let started = pod.status.start_time.map_or_else(String::new, |started| {
        format!("; started {} ago", apart(trace, started))
    });
    let node = pod.spec.node_name.as_ref();
    let node = node.map_or_else(String::new, |node| format!(" on node {node}"));
    format!("{}{ready}{waiting}{started}{node}", pod.status.phase)
}

/// What such a pod counts as (`GetResourceReplicas`).
fn directions(case: &Case, metric: &MetricRecord) -> String {
    let down = match metric.target {
        Some(target) if target.kind == TargetKind::Utilization => {
            let at_target = case.settings.release.has(Switch::MissingFilledAtTarget);
            let percent = if at_target {
                target.value.max(100)
            } else {
                100
            };
            format!("{percent}% of its request")
        }
        _ => "the target value".to_owned(),
    };
    let filled = metric.filled_in.as_ref();
    let then = filled.filter(|filled| filled.missing.is_some());
    let then = match (then, &metric.measured) {
        (Some(filled), Some(measured)) => format!(
            "; this changes it from {} to {}",
            value(metric, measured),
            value(metric, &filled.measured)
        ),
        _ => String::new(),
    };
    format!("a pod without a sample counts as {down} for a scale-down, as 0 for a scale-up{then}")
}

/// The nodes on which nothing is measured, where that is all there is to it.
fn silent_nodes<'s>(snapshot: &'s Snapshot, pods: &[&'s Pod]) -> Vec<&'s str> {
    let answered = snapshot.metrics.resource.as_ref();
    if answered.and_then(Answered::response).is_none() {
        return Vec::new();
    }
    let items = snapshot.metrics.samples().iter();
    let sampled: BTreeSet<&str> = items.map(|item| item.metadata.name.as_str()).collect();
    let node_of = |pod: &'s Pod| pod.spec.node_name.as_deref();
    let speaks = |node: &str| {
        let mut own = snapshot.pods.iter().filter(|it| node_of(it) == Some(node));
        own.any(|pod| sampled.contains(pod.metadata.name.as_str()))
    };
    // One pod alone says more about itself than about its node.
    let several = |node: &str| pods.iter().filter(|pod| node_of(pod) == Some(node)).count() > 1;
    let nodes: BTreeSet<&str> = pods.iter().filter_map(|pod| node_of(pod)).collect();
    let nodes = nodes.into_iter();
    let silent = nodes.filter(|node| several(node) && !speaks(node));
    silent.take(2).collect()
}

fn severity(trace: &Trace, pods: &[&Pod], metrics: &[&MetricRecord]) -> Severity {
    if metrics.iter().any(|metric| metric.is_failed()) {
        return worst(trace);
    }
    let is_young = |pod: &&Pod| {
        let started = pod.status.start_time;
        started.is_some_and(|started| trace.at.duration_since(started) < USUAL)
    };
    let matters = metrics.iter().any(|metric| {
        let filled = metric.filled_in.as_ref();
        filled.is_some_and(|filled| filled.missing.is_some())
    });
    if matters && !pods.iter().all(is_young) {
        Severity::Warning
    } else {
        Severity::Info
    }
}

/// Samples that are much older than the interval that they are taken in.
pub(super) fn stale_metrics(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let mut reported: Vec<(Vec<&str>, Finding)> = Vec::new();
    let specs = &case.hpa().spec.metrics;
    for (spec, metric) in specs.iter().zip(&trace.metrics) {
        let taken = taken(case, trace, spec);
        let old = taken.iter().filter(|taken| taken.is_old(case.now));
        let old: Vec<&Taken> = old.collect();
        let Some(newest) = old.iter().map(|taken| taken.at).max() else {
            continue;
        };
        let names: Vec<&str> = old.iter().map(|taken| taken.of).collect();
        // The same samples hold cpu and memory.
        if metric.is_of_resource() && reported.iter().any(|(known, _)| *known == names) {
            continue;
        }
        let age = apart(trace, newest);
        let message = if old.len() == taken.len() {
            format!("the newest sample of {} is {age} old", name(metric))
        } else {
            format!(
                "{} of {} of {} {} {age} old or older",
                old.len(),
                counted(taken.len(), "sample"),
                name(metric),
                plural(old.len(), "is", "are")
            )
        };
        let says = format!("the newest of them is from {newest}");
        let finding = Finding::new(Code::StaleMetrics, message)
            .fact(field(metric), says)
            .fact("old samples", some(&names, MOST));
        let finding = if metric.is_of_resource() {
            finding.look(
                "check the state of metrics-server",
                ShellCommand::new("kubectl describe apiservice v1beta1.metrics.k8s.io"),
            )
        } else {
            finding.advice("check whether the data source of the adapter still collects the metric")
        };
        reported.push((names, finding));
    }
    findings.extend(reported.into_iter().map(|(_, finding)| finding));
}

/// When something was sampled.
struct Taken<'s> {
    of: &'s str,
    at: Timestamp,
    window: SignedDuration,
}

impl Taken<'_> {
    fn is_old(&self, now: Timestamp) -> bool {
        let usual = self.window.saturating_mul(4).max(USUAL);
        now.duration_since(self.at) > usual
    }
}

/// Every sample that tells its time, of pods that are selected.
fn taken<'s>(case: &Case<'s>, trace: &Trace, spec: &MetricSpec) -> Vec<Taken<'s>> {
    match spec.source() {
        None => Vec::new(),
        Some(MetricSource::Resource(_) | MetricSource::ContainerResource(_)) => {
            let items = case.snapshot.metrics.samples().iter();
            let own = items.filter(|item| case.by_name.contains_key(item.metadata.name.as_str()));
            own.map(|item| Taken {
                of: &item.metadata.name,
                at: item.timestamp,
                window: SignedDuration::from_nanos(item.window.0),
            })
            .collect()
        }
        Some(source @ (MetricSource::Pods(_) | MetricSource::Object(_))) => {
            let name = source.metric().map_or("", |metric| &metric.name);
            let is_per_pod = matches!(source, MetricSource::Pods(_));
            let queries = case.index.custom_named(name);
            let queries = queries.filter(|it| it.described_object.is_none() == is_per_pod);
            let items = queries.flat_map(|it| it.answer.items());
            let taken = items.filter_map(|item| {
                Some(Taken {
                    of: &item.described_object.name,
                    at: item.timestamp?,
                    window: SignedDuration::from_secs(item.window_seconds.unwrap_or(60)),
                })
            });
            taken.collect()
        }
        Some(MetricSource::External(external)) => {
            let queries = case.index.external_named(&external.metric.name);
            let items = queries.flat_map(|it| it.answer.items());
            let taken = items.filter_map(|item| {
                Some(Taken {
                    of: &item.metric_name,
                    at: item.timestamp?,
                    window: SignedDuration::ZERO,
                })
            });
            taken.collect()
        }
    }
    .into_iter()
    // A clock that is ahead says nothing about age.
    .filter(|taken| taken.at <= trace.at)
    .collect()
}

/// The status keeps what it showed before the failure, up to 1.28 for as long
/// as that lasts.
pub(super) fn frozen_status(case: &Case, trace: &Trace, metric: &MetricRecord) -> Option<Finding> {
    let status = &case.hpa().status;
    let active = status.condition(ConditionKind::ScalingActive);
    let failing = active.filter(|it| it.status == ConditionStatus::False)?;
    let spec = case.hpa().spec.metrics.get(metric.index)?;
    if !metric.is_failed() {
        return None;
    }
    let mut entries = status.current_metrics.iter();
    let current = entries.find(|entry| entry.is_of(spec))?.current()?;
    let quantity = current.average_value.as_ref().or(current.value.as_ref());
    let shown = match (current.average_utilization, quantity) {
        (Some(percent), _) => format!("{percent}%"),
        (None, Some(quantity)) => quantity.to_string(),
        (None, None) => return None,
    };
    let since = failing.last_transition_time;
    let since = since.map_or_else(String::new, |at| format!(" {} ago", apart(trace, at)));
    let message = format!(
        "the status still shows {shown} for {}, from before the metric failed{since}",
        name(metric)
    );
    Some(
        Finding::new(Code::FrozenStatus, message)
            .fact("status.conditions ScalingActive", condition(failing))
            .advice("ignore status.currentMetrics while ScalingActive is False"),
    )
}

/// Of fewer pods nobody can tell which one is the odd one.
const FEWEST: usize = 3;

/// The size rises for one pod alone: it uses twice what the others do on
/// average, and the same pass without it asks for no more than there are. What
/// has just started is [`Code::StartupBurst`].
pub(super) fn one_hot_pod(case: &Case, trace: &Trace) -> Option<Finding> {
    let current = trace.outcome.current_replicas;
    // Where the others are not the target's, that is the cause.
    if !trace.foreign_pods().is_empty() {
        return None;
    }
    let (metric, recommended) = (trace.winner()?, trace.recommended()?);
    let counted: Vec<&PodRecord> = metric.counted().collect();
    let hottest = counted.iter().max_by_key(|pod| pod.usage);
    let hot = hottest.filter(|pod| recommended > current && !is_young(case, trace, pod))?;
    let others = metric.counted().filter(|pod| pod.name != hot.name);
    let others: Vec<&PodRecord> = others.collect();
    let (uses, others_use) = (hot.usage?, average(&others)?);
    if counted.len() < FEWEST || uses < others_use.saturating_mul(2) {
        return None;
    }
    let without = case.without_pods(&BTreeSet::from([hot.name.as_str()]));
    let rest = without.metrics.get(metric.index);
    let (rest, measured) = rest.and_then(|rest| Some((rest, rest.measured.as_ref()?)))?;
    let (proposed, recommended_without) = (rest.asks_for()?, without.recommended()?);
    if recommended_without > current || measured.ratio > measured.tolerated_to {
        return None;
    }
    let name = &metric.source.name;
    let message = format!(
        "pod {} uses {} {name}, the other {} use {} on average; without it the metrics ask for \
         {recommended_without}, not {recommended}",
        hot.name,
        amount(metric, uses),
        others.len(),
        quantity(metric, others_use),
    );
    let says = format!(
        "{name} is at {} (target {}) and asks for {}",
        now(rest, measured),
        target(metric),
        alone(trace, metric, proposed)
    );
    let command = trace
        .kubectl("kubectl top pod", &[&hot.name])
        .and("--containers");
    Some(
        Finding::new(Code::OneHotPod, message)
            .fact("without it", says)
            .look("see which of its containers it is", command)
            .advice(
                "find out what the pod does: more pods help only if they take over part of its load",
            ),
    )
}
