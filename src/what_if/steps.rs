//! A pass as the list of its steps, to hold two passes against each other.

use crate::trace::{Group, MetricRecord, MetricResult, PassStep, Range, Rule, Stage, Trace};

/// The steps of a pass, in their order. The pods come last: where two passes
/// differ in a number as well, that is the step to tell.
pub fn steps(trace: &Trace) -> Vec<PassStep> {
    let mut steps = Vec::new();
    if let Some(scale) = &trace.scale {
        let error = scale.error.as_deref().unwrap_or_default();
        steps.push(step(
            Stage::Scale,
            scale.rule,
            scale.current_replicas,
            error,
        ));
    }
    if let Some(branch) = &trace.branch {
        steps.push(step(Stage::Branch, branch.rule, None, &branch.formula));
    }
    if let Some(selector) = &trace.selector {
        steps.push(step(
            Stage::Selector,
            selector.rule,
            None,
            &selector.formula,
        ));
    }
    steps.extend(trace.metrics.iter().filter_map(of_metric));
    if let Some(record) = &trace.recommendation {
        let stage = Stage::Recommendation;
        steps.push(step(stage, record.rule, record.replicas, &record.formula));
    }
    if let Some(record) = &trace.stabilization {
        let stage = Stage::Stabilization;
        steps.push(step(
            stage,
            record.rule,
            Some(record.result),
            &record.formula,
        ));
    }
    if let Some(record) = &trace.limit {
        let stage = Stage::Limit;
        steps.push(step(
            stage,
            record.rule,
            Some(record.result),
            &record.formula,
        ));
    }
    if let Some(clamp) = &trace.zero_clamp {
        steps.push(step(
            Stage::Zero,
            clamp.rule,
            Some(clamp.to),
            &clamp.formula,
        ));
    }
    let outcome = &trace.outcome;
    let last = step(Stage::Outcome, outcome.rule, None, &outcome.formula);
    let replicas = outcome.possible.or(outcome.desired_replicas.map(Range::of));
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
    if let Some(fallback) = metric.in_fallback() {
        return Some(PassStep {
            metric: Some(metric.source.name.clone()),
            ..step(
                Stage::Metric,
                fallback.rule,
                Some(fallback.replicas),
                &fallback.formula,
            )
        });
    }
    let (rule, replicas, formula) = match metric.result.as_ref()? {
        MetricResult::Proposed(it) => (it.rule, Some(it.replicas), &it.formula),
        // What wraps the reason is in the metric itself.
        MetricResult::Failed {
            rule,
            error,
            message,
            ..
        } if message.is_empty() => (*rule, None, error),
        MetricResult::Failed { rule, message, .. } => (*rule, None, message),
        MetricResult::Unreadable { rule, reason, .. } => (*rule, None, reason),
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
