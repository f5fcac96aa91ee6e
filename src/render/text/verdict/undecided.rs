//! Passes that come to nothing, for want of a scale, a selector or a metric,
//! and those whose decision rests on what cannot be seen.

use jiff::Timestamp;

use super::clause::{asks, fails, state, subject};
use super::{Answer, Sentence};
use crate::api::ConditionKind;
use crate::render::text::failure::{cause, grant, message};
use crate::render::text::pods::not_read;
use crate::render::text::words::{View, between, by_key, list};
use crate::trace::amount::plural;
use crate::trace::{
    CodeKind, EvidenceKind, FailureCause, Finding, Knowledge, MetricRecord, MetricResult, Range,
    RecommendationRecord, Rule, ScaleRecord, SelectorRecord, ShellCommand,
};

/// The scale could not be read.
pub(super) fn no_scale(view: View, scale: &ScaleRecord) -> Answer {
    let target = &view.trace.target;
    let name = view.name(&view.trace.target_name());
    let error = scale.error.as_deref().unwrap_or("no reason given");
    let error = view.page.reason(error, 200);
    if let Some(cause) = &scale.unreadable {
        return unreadable_scale(view, cause, &name, &error);
    }
    match scale.rule {
        Rule::ScaleApiVersion => Answer::of(format!(
            "the apiVersion {:?} of scaleTargetRef does not parse, so the controller changes \
             nothing: {error}",
            view.name(&target.api_version)
        ))
        .then(view.trace.kubectl_hpa("kubectl edit hpa")),
        Rule::ScaleNoMapping => Answer::of(format!(
            "no API serves the kind {} of {}, so the controller changes nothing: {error}",
            view.name(&target.kind),
            view.name(&target.api_version)
        ))
        .then(ShellCommand::new("kubectl api-resources")),
        _ => {
            let found = view.trace.findings.iter();
            let mut found = found.filter(|it| it.code.is(CodeKind::FailsScale));
            let answer = match found.next() {
                Some(finding) => Answer::of(format!(
                    "{}, so the controller changes nothing",
                    view.page.clean(&finding.message)
                )),
                None => Answer::of(format!(
                    "the controller cannot read the scale of {name}, so it changes nothing: {error}"
                )),
            };
            answer.then(view.trace.kubectl_target("kubectl get"))
        }
    }
}

/// We cannot read the scale. What the last pass met still stands in the
/// status.
fn unreadable_scale(view: View, cause: &FailureCause, name: &str, error: &str) -> Answer {
    let refused = cause.is_refusal();
    let error = view.page.reason(error, 120);
    let here = if refused {
        format!("you may not read the scale of {name} ({error}), so this pass is unknown")
    } else {
        format!("the scale of {name} could not be read from here: {error}")
    };
    let command = if refused {
        grant(view, cause)
    } else {
        ShellCommand::new("kubectl get --raw /readyz")
    };
    let failing = view.trace.reported.failing();
    let verdict = match failing {
        Some(failing) => Answer::of(format!(
            "the HPA's status says: {}",
            quoted(view, &failing.message)
        ))
        .say(here),
        None => Answer::of(here)
            .say("values with a * are from the HPA's status, which the last pass wrote"),
    };
    verdict.then(command)
}

/// The selector was refused.
pub(super) fn selector(view: View, selector: &SelectorRecord) -> Answer {
    // What is found says what is wrong with one that is none.
    if selector.rule != Rule::SelectorAmbiguous {
        let nothing = "the controller does not know which pods count and changes nothing";
        return Answer::of(nothing).then(scale_yaml(view));
    }
    let text = view.name(&selector.selector);
    let own = format!("{}/{}", view.trace.namespace, view.trace.name);
    let others = selector.autoscalers.iter().filter(|name| **name != own);
    let others: Vec<String> = others.map(|name| view.name(name)).collect();
    let verb = plural(others.len(), "selects", "select");
    Answer::of(format!(
        "{} also {verb} the pods of {text}, so the controller changes nothing for any of these HPAs",
        list(others, 3)
    ))
    .say("keep one HPA: with several metrics, it follows the highest")
    .then(view.trace.kubectl("kubectl get hpa", &[]))
}

fn scale_yaml(view: View) -> ShellCommand {
    let command = view.trace.kubectl_target("kubectl get");
    command.and("--subresource=scale -o yaml")
}

/// Every metric failed. What was found to be the reason comes before that.
pub(super) fn all_failed(view: View, recommendation: &RecommendationRecord) -> Answer {
    let metrics = &view.trace.metrics;
    let failed = failing_since(view).map_or_else(
        || fails(recommendation.failed, metrics.len()),
        |at| match metrics.len() {
            1 => format!("the only metric has failed since {}", view.moment(at)),
            2 => format!("both metrics have failed since {}", view.moment(at)),
            all => format!("all {all} metrics have failed since {}", view.moment(at)),
        },
    );
    let stays = format!(
        "{failed}, so the size stays at {} whatever the load is; kubectl scale still works",
        view.current()
    );
    let mut found = failures(view);
    if found.next().is_some() {
        let second = found.next().map(|it| view.page.clean(&it.message));
        return Answer::of(stays).say(second.unwrap_or_default());
    }
    let causes = metrics.iter().map(|metric| (reason(view, metric), metric));
    let causes = by_key(causes).take(2);
    let explained = causes.fold(Answer::default(), |answer, (text, metrics)| {
        explain(answer, view, metrics[0], &text)
    });
    explained.say(stays)
}

/// Some failed, and the others would scale down.
pub(super) fn blocked(view: View, recommendation: &RecommendationRecord) -> Answer {
    let trace = view.trace;
    let failed: Vec<&MetricRecord> = trace.invalid_metrics().collect();
    let names = failed.iter().map(|metric| subject(view, metric));
    let others = trace.winner().zip(recommendation.largest);
    let others = others.map_or_else(String::new, |(winner, largest)| {
        format!("; {}, and asks for {largest}", state(view, winner))
    });
    let blocks = format!(
        "{} ({}), which blocks any scale-down; a scale-up is still possible{others}",
        fails(recommendation.failed, trace.metrics.len()),
        list(names, 2)
    );
    let answer = Answer::of(blocks);
    match failed.first() {
        Some(first) if failures(view).next().is_none() => {
            explain(answer, view, first, &reason(view, first))
        }
        _ => answer,
    }
}

/// Since when the controller says that no metric is valid.
fn failing_since(view: View) -> Option<Timestamp> {
    let active = view.trace.reported.condition(ConditionKind::ScalingActive);
    active.filter(|it| it.fails())?.last_transition_time
}

/// What makes metrics fail, as findings tell it.
fn failures(view: View<'_>) -> impl Iterator<Item = &Finding> {
    let findings = view.trace.findings.iter();
    findings.filter(|it| it.code.is(CodeKind::FailsMetrics))
}

/// Why a metric failed, in plain words where there are some.
pub(super) fn reason(view: View, metric: &MetricRecord) -> String {
    let plain = cause(view, metric).and_then(|cause| cause.plain);
    plain.unwrap_or_else(|| quoted(view, message(metric).unwrap_or_default()))
}

/// What the controller or a server says, inside a sentence of ours.
fn quoted(view: View, message: &str) -> String {
    view.page.reason(message.trim_end_matches('.'), 160)
}

fn explain(verdict: Answer, view: View, metric: &MetricRecord, text: &str) -> Answer {
    let command = cause(view, metric).map(|cause| cause.command);
    let text = format!("{} fails: {text}", subject(view, metric));
    let mut verdict = verdict.say(Sentence::name(text));
    if let Some(command) = command.filter(|command| !verdict.commands.contains(command)) {
        verdict = verdict.then(command);
    }
    if verdict.commands.is_empty() {
        verdict = verdict.then(view.trace.kubectl_pods("kubectl get pods"));
    }
    verdict
}

/// A metric that we may not read could ask for anything, or fail.
pub(super) fn unreadable(view: View, recommendation: &RecommendationRecord) -> Answer {
    let metrics = view.trace.metrics.iter();
    let unreadable: Vec<_> = metrics
        .filter(|metric| matches!(metric.result, Some(MetricResult::Unreadable { .. })))
        .collect();
    let names = unreadable.iter().map(|metric| view.metric_name(metric));
    let rest = match recommendation.largest {
        Some(largest) => format!(
            "the metrics that can be read ask for {largest}; the others may ask for more, or fail"
        ),
        None => "no other metric shows what the size will be".to_owned(),
    };
    let what = match not_read(view) {
        Some(_) => "the pods".to_owned(),
        None => list(names, 2),
    };
    let mut causes = unreadable.iter().filter_map(|metric| metric.cause());
    let refused = causes.any(FailureCause::is_refusal);
    let head: Sentence = if refused {
        format!("you may not read {what}; the controller probably can").into()
    } else {
        Sentence::name(format!(
            "{what} could not be read from here; the controller probably can"
        ))
    };
    let size = match view.trace.outcome.possible.and_then(Range::single) {
        Some(count) => format!("whatever the value is, the size is {count} after the pass"),
        None => possible(view),
    };
    let mut verdict = Answer::of(head).say(rest).say(size);

    if let Some(cause) = unreadable.first().and_then(|metric| cause(view, metric)) {
        verdict = verdict.then(cause.command);
    }
    verdict
}

/// What the controller remembers decides, and is not wholly known.
pub(super) fn remembered(view: View, recommended: i32) -> Answer {
    let known = match (view.trace.remembered, view.options.live) {
        (Knowledge::Unknown, true) => "no API shows",
        (Knowledge::Unknown, false) => "the snapshot does not hold",
        (Knowledge::Known | Knowledge::Partly, _) => "is only partly known",
    };
    let whose = started(view).unwrap_or_else(|| "the controller's".to_owned());
    let memory = format!("{whose} memory (recent recommendations and changes)");
    let memory = match view.trace.remembered {
        Knowledge::Unknown => format!("{memory}, which {known},"),
        _ => format!("{memory} {known} and"),
    };
    let effect = effect(view, recommended);
    let asks = asks(view, recommended);
    Answer::of(asks)
        .say(format!("{memory} {effect}"))
        .say(possible(view))
}

/// Since a start of a moment ago the controller can know only a little.
fn started(view: View) -> Option<String> {
    let since = view.trace.recollection.since.as_ref();
    let since = since.filter(|it| it.source.kind == EvidenceKind::Lease);
    let age = since.map(|it| view.trace.at.duration_since(it.at).as_secs());
    let since = since.filter(|_| age.is_some_and(|age| age < LONGEST_WINDOW))?;
    Some(format!(
        "the controller started {} ago, and its",
        view.trace.age(since.at)
    ))
}

/// The longest window that a spec may have, in seconds.
const LONGEST_WINDOW: i64 = 3600;

/// Without `behavior`, older recommendations can also raise the count.
fn effect(view: View, recommended: i32) -> &'static str {
    if recommended == view.current() {
        return "can raise the size: without behavior the highest recommendation of the window \
                applies even upward";
    }
    let ends = (
        recommended.min(view.current()),
        recommended.max(view.current()),
    );
    match view.trace.outcome.possible {
        Some(range) if range.from < ends.0 || range.to > ends.1 => {
            "can hold this back or take the size further"
        }
        _ => "can hold this back",
    }
}

fn possible(view: View) -> String {
    let possible = view.trace.outcome.possible;
    possible.map_or_else(String::new, |range| {
        format!("possible sizes: {}", between(range))
    })
}
