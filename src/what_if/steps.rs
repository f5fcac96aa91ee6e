//! A pass as the list of its steps, to hold two passes against each other.

use crate::trace::{Group, MetricRecord, MetricResult, PassStep, Range, Rule, Stage, Trace};

/// The steps of a pass, in their order. The pods come last: where two passes
/// differ in a number as well, that is the step to tell.
pub fn steps(trace: &Trace) -> Vec<PassStep> {
    let scale = trace.scale.as_ref().map(|it| {
        let error = it.error.as_deref().unwrap_or_default();
        step(Stage::Scale, it.rule, it.current_replicas, error)
    });
    let branch = trace.branch.as_ref();
    let selector = trace.selector.as_ref();
    let recommendation = trace.recommendation.as_ref();
    let stabilization = trace.stabilization.as_ref();
    let limit = trace.limit.as_ref();
    let clamp = trace.zero_clamp.as_ref();
    let first = [
        scale,
        branch.map(|it| step(Stage::Branch, it.rule, None, &it.formula)),
        selector.map(|it| step(Stage::Selector, it.rule, None, &it.formula)),
    ];
    let decided = [
        recommendation.map(|it| step(Stage::Recommendation, it.rule, it.replicas, &it.formula)),
        stabilization.map(|it| step(Stage::Stabilization, it.rule, Some(it.result), &it.formula)),
        limit.map(|it| step(Stage::Limit, it.rule, Some(it.result), &it.formula)),
        clamp.map(|it| step(Stage::Zero, it.rule, Some(it.to), &it.formula)),
    ];
    let outcome = &trace.outcome;
    let last = step(Stage::Outcome, outcome.rule, None, &outcome.formula);
    let replicas = outcome.left();
    let mut steps: Vec<PassStep> = first.into_iter().flatten().collect();
    steps.extend(trace.metrics.iter().filter_map(of_metric));
    steps.extend(decided.into_iter().flatten());
    steps.push(PassStep { replicas, ..last });
    steps.extend(trace.metrics.iter().map(of_pods));
    steps
}

fn step(stage: Stage, rule: Rule, replicas: Option<i32>, formula: &str) -> PassStep {
    PassStep {
        stage,
        metric: None,
        rule,
        replicas: replicas.map(Range::of),
        formula: formula.to_owned(),
    }
}

pub(super) fn of_metric(metric: &MetricRecord) -> Option<PassStep> {
    let (rule, replicas, formula) = match (metric.in_fallback(), metric.result.as_ref()) {
        (Some(it), _) => (it.rule, Some(it.replicas), &it.formula),
        (None, result) => match result? {
            MetricResult::Proposed(it) => (it.rule, Some(it.replicas), &it.formula),
            MetricResult::Failed {
                rule,
                error,
                message,
                ..
            } => {
                // What wraps the reason is in the metric itself.
                let says = if message.is_empty() { error } else { message };
                (*rule, None, says)
            }
            MetricResult::Unreadable { rule, reason, .. } => (*rule, None, reason),
        },
    };
    Some(PassStep {
        metric: Some(metric.source.name.clone()),
        ..step(Stage::Metric, rule, replicas, formula)
    })
}

/// What a metric makes of the pods: which it sets aside, by which rules.
pub(super) fn of_pods(metric: &MetricRecord) -> PassStep {
    let mut rules: Vec<(Rule, &str, usize)> = Vec::new();
    for pod in metric.pods.iter().filter(|pod| pod.group != Group::Ready) {
        match rules.iter_mut().find(|(rule, _, _)| *rule == pod.rule) {
            Some((_, _, pods)) => *pods += 1,
            None => rules.push((pod.rule, &pod.name, 1)),
        }
    }
    let aside = rules.iter().map(|(rule, first, pods)| match pods {
        1 => format!("{first} ({})", rule.says()),
        _ => format!("{pods} pods ({})", rule.says()),
    });
    let formula = match rules.as_slice() {
        [] => "none".to_owned(),
        _ => aside.collect::<Vec<_>>().join(", "),
    };
    let rule = rules.first().map_or(Rule::PodReady, |(rule, _, _)| *rule);
    PassStep {
        metric: Some(metric.source.name.clone()),
        ..step(Stage::Pods, rule, None, &formula)
    }
}

/// The place of the first step at which two passes do not do the same.
pub(super) fn first_divergence(one: &[PassStep], other: &[PassStep]) -> Option<usize> {
    let same = one.iter().zip(other);
    let same = same.take_while(|(one, other)| is_same(one, other)).count();
    (same < one.len().max(other.len())).then_some(same)
}

/// Whether two steps do the same. How they word it does not matter, but of
/// the pods it tells which they are.
pub(super) fn is_same(one: &PassStep, other: &PassStep) -> bool {
    (one.stage, one.rule, one.replicas) == (other.stage, other.rule, other.replicas)
        && (one.stage != Stage::Pods || one.formula == other.formula)
}
