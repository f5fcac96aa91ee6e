//! Passes that come to nothing, for want of a scale, a selector or a metric,
//! and those whose decision rests on what cannot be seen.

use crate::api::ConditionKind;
use crate::render::text::failure::{cause, grant, message, on_pods};
use crate::render::text::pods::not_read;
use crate::render::text::words::{View, capitalized, list, range};
use crate::trace::amount::plural;
use crate::trace::{
    CodeKind, FailureCause, Finding, Knowledge, MetricRecord, MetricResult, Range,
    RecommendationRecord, Rule, ScaleRecord, SelectorRecord,
};

use super::Answer;
use super::clause::{fails, state, subject};

/// The scale could not be read.
pub(super) fn no_scale(view: View, scale: &ScaleRecord) -> Answer {
    let target = &view.trace.target;
    let name = view.name(&format!("{}/{}", target.kind, target.name));
    let error = scale.error.as_deref().unwrap_or("no reason given");
    let error = view.page.reason(error, 200);
    if let Some(cause) = &scale.unreadable {
        return unreadable_scale(view, cause, &name, &error);
    }
    match scale.rule {
        Rule::ScaleApiVersion => Answer::of(format!(
                "The target's apiVersion {:?} does not parse, so the controller changes nothing: {error}.",
                view.name(&target.api_version)
            ))
            .then(view.kubectl_hpa("edit hpa", "")),
        Rule::ScaleNoMapping => Answer::of(format!(
                "No API serves the kind {} of {}, so the controller changes nothing: {error}.",
                view.name(&target.kind),
                view.name(&target.api_version)
            ))
            .then("kubectl api-resources"),
        _ => Answer::of(format!(
                "The controller cannot read the scale of {name}, so it changes nothing: {error}."
            ))
            .then(view.kubectl(&format!("get {}", view.trace.target_argument()), "")),
    }
}

/// We cannot read the scale. What the last pass met still stands in the
/// status.
fn unreadable_scale(view: View, cause: &FailureCause, name: &str, error: &str) -> Answer {
    let refused = cause.is_refusal();
    let error = view.page.reason(error, 120);
    let here = if refused {
        format!("You may not read the scale of {name} ({error}), so this pass is unknown.")
    } else {
        format!("The scale of {name} could not be read from here: {error}.")
    };
    let command = if refused {
        grant(view, cause)
    } else {
        "kubectl get --raw /readyz".to_owned()
    };
    let failing = view.trace.reported.failing();
    let verdict = match failing {
        Some(failing) => Answer::of(format!(
            "By the HPA's status: {}.",
            view.page.reason(failing.message.trim_end_matches('.'), 160)
        ))
        .say(here),
        None => Answer::of(here)
            .say("What stands below with a * is what the last pass left in the HPA's status."),
    };
    verdict.then(command)
}

/// The selector was refused.
pub(super) fn selector(view: View, selector: &SelectorRecord) -> Answer {
    let text = view.name(&selector.selector);
    match selector.rule {
        Rule::SelectorAmbiguous => {
            let own = format!("{}/{}", view.trace.namespace, view.trace.name);
            let others = selector.autoscalers.iter().filter(|name| **name != own);
            let others: Vec<String> = others.map(|name| view.name(name)).collect();
            let verb = plural(others.len(), "selects", "select");
            Answer::of(format!(
                "{} {verb} the pods that {text} matches, too. The controller then changes nothing. \
                     Keep one HPA: with several metrics, it follows the highest.",
                list(&others, 3)
            ))
            .then(view.kubectl("get hpa", ""))
        }
        Rule::SelectorRequired => Answer::of(
            "The target's scale has no selector (status.selector), so the controller does not \
                 know which pods count, and changes nothing.",
        )
        .then(scale_yaml(view)),
        _ => Answer::of(format!(
            "The selector {text} of the target's scale does not parse, so the controller \
                 changes nothing."
        ))
        .then(scale_yaml(view)),
    }
}

fn scale_yaml(view: View) -> String {
    let get = format!("get {}", view.trace.target_argument());
    view.kubectl(&get, " --subresource=scale -o yaml")
}

/// Every metric failed.
pub(super) fn all_failed(view: View, recommendation: &RecommendationRecord) -> Answer {
    let metrics = &view.trace.metrics;
    let mut verdict = Answer::of(format!(
        "{}{}, so the size stays, whatever the load is.",
        fails(recommendation.failed, metrics.len()),
        since(view)
    ));
    let found: Vec<&Finding> = failures(view).take(2).collect();
    if !found.is_empty() {
        return found
            .into_iter()
            .fold(verdict, |verdict, finding| tell(verdict, view, finding));
    }
    let mut causes: Vec<(String, &MetricRecord)> = Vec::new();
    for metric in metrics {
        let text = reason(view, metric);
        if !causes.iter().any(|(known, _)| *known == text) {
            causes.push((text, metric));
        }
    }
    for (text, metric) in causes.iter().take(2) {
        verdict = explain(verdict, view, metric, text);
    }
    verdict
}

/// Some failed, and the others would scale down.
pub(super) fn blocked(view: View, recommendation: &RecommendationRecord) -> Answer {
    let trace = view.trace;
    let failed: Vec<&MetricRecord> = trace.invalid_metrics().collect();
    let names: Vec<String> = failed.iter().map(|metric| subject(view, metric)).collect();
    let others = match (trace.winner(), recommendation.largest) {
        (Some(winner), Some(largest)) => {
            format!(" {}: that asks for {largest}.", state(view, winner))
        }
        _ => String::new(),
    };
    let mut verdict = Answer::of(format!(
        "{} ({}), and a failed metric blocks any change downwards.{others}",
        fails(recommendation.failed, trace.metrics.len()),
        list(&names, 2)
    ));
    if let Some(finding) = failures(view).next() {
        return tell(verdict, view, finding);
    }
    if let Some(first) = failed.first() {
        let text = reason(view, first);
        verdict = explain(verdict, view, first, &text);
    }
    verdict
}

/// Since when the controller says so.
fn since(view: View) -> String {
    let mut reported = view.trace.reported.conditions.iter();
    let failing = reported.find(|it| it.kind == ConditionKind::ScalingActive && it.fails());
    let since = failing.and_then(|it| it.last_transition_time);
    since.map_or_else(String::new, |at| format!(" since {}", view.time(at)))
}

/// What makes metrics fail, as findings tell it.
fn failures(view: View<'_>) -> impl Iterator<Item = &Finding> {
    view.trace
        .findings
        .iter()
        .filter(|it| it.code.is(CodeKind::FailsMetrics))
}

fn tell(verdict: Answer, view: View, finding: &Finding) -> Answer {
    let message = capitalized(&finding.message);
    verdict.say(view.page.cut(&message, 200) + ".")
}

/// Why a metric failed, in plain words where there are some.
pub(super) fn reason(view: View, metric: &MetricRecord) -> String {
    match cause(view, metric).and_then(|cause| cause.plain) {
        Some(plain) => plain,
        None => message(metric).unwrap_or_default().to_owned(),
    }
}

fn explain(verdict: Answer, view: View, metric: &MetricRecord, text: &str) -> Answer {
    let command = cause(view, metric).map(|cause| cause.command);
    let text = view.page.reason(text, 160);
    let mut verdict = verdict.say(format!("{}: {text}.", subject(view, metric)));
    if let Some(command) = command.filter(|command| !verdict.commands.contains(command)) {
        verdict = verdict.then(command);
    }
    if verdict.commands.is_empty() {
        verdict = verdict.then(on_pods(view, "get pods"));
    }
    verdict
}

/// A metric that we may not read could ask for anything, or fail.
pub(super) fn unreadable(view: View, recommendation: &RecommendationRecord) -> Answer {
    let metrics = view.trace.metrics.iter();
    let unreadable: Vec<_> = metrics
        .filter(|metric| matches!(metric.result, Some(MetricResult::Unreadable { .. })))
        .collect();
    let names: Vec<String> = unreadable
        .iter()
        .map(|metric| view.metric_name(metric))
        .collect();
    let rest = match recommendation.largest {
        Some(largest) => {
            format!("What can be read asks for {largest}; the rest can ask for more, or fail.")
        }
        None => "Nothing else tells what the size will be.".to_owned(),
    };
    let what = match not_read(view) {
        Some(_) => "the pods".to_owned(),
        None => list(&names, 2),
    };
    let refused = unreadable
        .iter()
        .any(|metric| metric.cause().is_some_and(FailureCause::is_refusal));
    let head = if refused {
        format!("You may not read {what}; the controller may well.")
    } else {
        format!("From here {what} could not be read; the controller may well.")
    };
    let size = match view.trace.outcome.possible.and_then(Range::single) {
        Some(count) => format!(" Whatever it is, the size is {count} after the pass."),
        None => span(view),
    };
    let mut verdict = Answer::of(format!("{head} {rest}{size}"));
    if let Some(cause) = unreadable.first().and_then(|metric| cause(view, metric)) {
        verdict = verdict.then(cause.command);
    }
    verdict
}

/// What the controller remembers decides, and is not wholly known.
pub(super) fn remembered(view: View, recommended: i32) -> String {
    let known = match (view.trace.remembered, view.options.live) {
        (Knowledge::Unknown, true) => "is shown by no API",
        (Knowledge::Unknown, false) => "is not in the snapshot",
        (Knowledge::Known | Knowledge::Partly, _) => "is only partly known",
    };
    let possible = span(view);
    if recommended == view.current() {
        return format!(
            "Without behavior the highest recommendation of the window counts, even upwards; it \
             {known}.{possible}"
        );
    }
    let effect = effect(view, recommended);
    format!(
        "What the controller remembers (recent recommendations and changes) {effect}, and \
         {known}.{possible}"
    )
}

/// Without `behavior`, older recommendations can also raise the count.
fn effect(view: View, recommended: i32) -> &'static str {
    let ends = (
        recommended.min(view.current()),
        recommended.max(view.current()),
    );
    match view.trace.outcome.possible {
        Some(range) if range.from < ends.0 || range.to > ends.1 => {
            "can hold that back, or lead further"
        }
        _ => "can hold that back",
    }
}

fn span(view: View) -> String {
    match view.trace.outcome.possible {
        Some(possible) => format!(" Possible: {}.", range(possible)),
        None => String::new(),
    }
}
