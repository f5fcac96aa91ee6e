//! Text, Markdown, JSON and prediction are projections of the trace: whoever
//! changes a field of it sees it change in them.

mod findings;
mod mutation;
mod prospects;
mod releases;

use hpa_explain::controller::{Overrides, Release};
use hpa_explain::trace::{Group, MetricResult, Trace};

use mutation::{Mutation, check, forgetful, text, trace, trace_with};

/// A change that the prediction shows in one of its fields, if it is one of
/// its fields.
fn mutation(
    field: &'static str,
    predicted: Option<&'static str>,
    change: fn(&mut Trace),
) -> Mutation<Trace> {
    let mutation = Mutation::new(field, change);
    match predicted {
        Some(pointer) => mutation.predicted(pointer),
        None => mutation,
    }
}

#[test]
fn a_changed_decision_shows() {
    let mutations = [
        mutation("name", None, |t| t.name.push('x')),
        mutation("at", None, |t| t.at += jiff::SignedDuration::from_secs(1)),
        mutation("release", None, |t| {
            t.basis.release.version = Some("v1.34.0".to_owned());
        }),
        mutation("bounds", None, |t| t.bounds.max_replicas += 1),
        mutation("current size", None, |t| {
            t.scale.as_mut().expect("a scale").current_replicas = Some(11);
        }),
        mutation("outcome, current", Some("/currentReplicas"), |t| {
            t.outcome.current_replicas += 1;
        }),
        mutation("outcome, desired", Some("/desiredReplicas"), |t| {
            t.outcome.desired_replicas = Some(15);
        }),
        mutation("outcome, error", Some("/error"), |t| {
            t.outcome.error = Some("something failed".to_owned());
        }),
        mutation("recommendation", None, |t| {
            t.recommendation
                .as_mut()
                .expect("a recommendation")
                .replicas = Some(31);
        }),
        mutation("stabilized", None, |t| {
            t.stabilization.as_mut().expect("a stage").result = 29;
        }),
        mutation("limited", None, |t| {
            t.limit.as_mut().expect("a stage").result = 13;
        }),
        mutation("a policy's formula", None, |t| {
            t.limit.as_mut().expect("a stage").policies[0].formula = "10 + 5 = 15".to_owned();
        }),
        mutation("a policy's added", None, |t| {
            t.limit.as_mut().expect("a stage").policies[0].added += 1;
        }),
        mutation("a condition", Some("/conditions"), |t| {
            t.conditions[0].message.push('!');
        }),
        mutation("an event", Some("/events"), |t| {
            t.events[0].message.push('!');
        }),
        mutation("the memory", Some("/recommendationsAfter"), |t| {
            let recommendations = t.memory.recommendations.as_mut().expect("a list");
            recommendations[0].replicas += 1;
        }),
    ];
    assert_eq!(check(&trace("slowed-by-policy"), &mutations), 16);
}

#[test]
fn a_changed_metric_shows() {
    let mutations = [
        mutation("source", None, |t| t.metrics[0].source.name.push('x')),
        mutation("target", None, |t| {
            t.metrics[0].target.as_mut().expect("a target").value = 61;
        }),
        mutation("utilization", None, |t| {
            t.metrics[0]
                .measured
                .as_mut()
                .expect("measured")
                .utilization = Some(93);
        }),
        mutation("ratio", None, |t| {
            t.metrics[0]
                .filled_in
                .as_mut()
                .expect("filled in")
                .measured
                .ratio = 0.96;
        }),
        mutation("filled in", None, |t| {
            let filled = t.metrics[0].filled_in.as_mut().expect("filled in");
            filled.measured.utilization = Some(58);
        }),
        mutation("proposal", Some("/metrics/0/proposedReplicas"), |t| {
            if let Some(MetricResult::Proposed(proposed)) = &mut t.metrics[0].result {
                proposed.replicas = 7;
            }
        }),
        mutation("metric name", Some("/metrics/0/name"), |t| {
            if let Some(MetricResult::Proposed(proposed)) = &mut t.metrics[0].result {
                proposed.name.push('x');
            }
        }),
        mutation("group sizes", Some("/metrics/0/readyPodCount"), |t| {
            t.metrics[0].groups.as_mut().expect("groups").ready = 4;
        }),
        mutation("a pod's name", None, |t| {
            t.metrics[0].pods[0].name.push('x');
        }),
        mutation("a pod's group", Some("/metrics/0/ignoredPods"), |t| {
            t.metrics[0].pods[0].group = Group::Ignored;
        }),
        mutation("a pod's usage", None, |t| {
            t.metrics[0].pods[0].usage = Some(461);
        }),
    ];
    assert_eq!(check(&trace("stuck-without-samples"), &mutations), 11);
}

#[test]
fn a_changed_failure_shows() {
    let mutations = [
        mutation("message", None, |t| {
            if let Some(MetricResult::Failed { message, .. }) = &mut t.metrics[0].result {
                message.push('!');
            }
        }),
        mutation("error", Some("/metrics/0/error"), |t| {
            if let Some(MetricResult::Failed { error, .. }) = &mut t.metrics[0].result {
                error.push('!');
            }
        }),
    ];
    assert_eq!(check(&trace("foreign-pod-without-request"), &mutations), 2);
    let possible = [mutation("possible", None, |t| {
        t.outcome.possible.as_mut().expect("a range").to += 1;
    })];
    assert_eq!(check(&forgetful("held-by-window"), &possible), 1);
}

#[test]
fn releases_without_recorded_answers_say_so_in_trace_and_text() {
    let (mut unchecked, mut derived) = (Vec::new(), Vec::new());
    for minor in 23..=38 {
        let overrides = Overrides {
            release: Some(Release::minor(minor)),
            ..Overrides::default()
        };
        let trace = trace_with("slowed-by-policy", &overrides);
        // The text breaks its lines wherever they end.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(told) = trace.basis.release.describe_derived() {
            assert!(words(&text(&trace)).contains(&told), "1.{minor}");
            derived.push(minor);
        }
        if let Some(remark) = &trace.basis.release.remark {
            assert!(words(&text(&trace)).contains(&words(remark)), "1.{minor}");
            unchecked.push(minor);
        }
    }
    assert_eq!(unchecked, [23, 24]);
    assert_eq!(derived, [38]);
}
