//! Passes that come to nothing: no scale, no selector, no metric.

use crate::render::text::failure::{cause, grant, label_argument, message};
use crate::render::text::words::{View, word};
use crate::trace::amount::plural;
use crate::trace::{
    CodeKind, FailureCause, Finding, MetricRecord, RecommendationRecord, Rule, ScaleRecord,
    SelectorRecord,
};

use super::Answer;
use super::clause::{fails, list, state, subject};

/// The scale could not be read.
pub(super) fn no_scale(view: View, scale: &ScaleRecord) -> Answer {
    let target = &view.trace.target;
    let name = view.name(&format!("{}/{}", target.kind, target.name));
    let error = scale.error.as_deref().unwrap_or("no reason given");
    let error = view.page.reason(error, 200);
    let get = format!(
        "kubectl get {} {}",
        view.target_argument(),
        view.namespace_argument()
    );
    if let Some(cause) = &scale.unreadable {
        return unreadable_scale(view, cause, &name, &error);
    }
    match scale.rule {
        Rule::ScaleApiVersion => Answer::default()
            .say(format!(
                "The target's apiVersion {:?} does not parse, so the controller changes nothing: {error}.",
                view.name(&target.api_version)
            ))
            .then(edit(view)),
        Rule::ScaleNoMapping => Answer::default()
            .say(format!(
                "No API serves the kind {} of {}, so the controller changes nothing: {error}.",
                view.name(&target.kind),
                view.name(&target.api_version)
            ))
            .then("kubectl api-resources"),
        _ => Answer::default()
            .say(format!(
                "The controller cannot read the scale of {name}, so it changes nothing: {error}."
            ))
            .then(get),
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
        Some(failing) => Answer::default()
            .say(format!(
                "By the HPA's status: {}.",
                view.page.reason(failing.message.trim_end_matches('.'), 160)
            ))
            .say(here),
        None => Answer::default()
            .say(here)
            .say("What stands below with a * is what the last pass left in the HPA's status."),
    };
    verdict.then(command)
}

/// The selector was refused.
pub(super) fn selector(view: View, selector: &SelectorRecord) -> Answer {
    let verdict = Answer::default();
    let text = view.name(&selector.selector);
    match selector.rule {
        Rule::SelectorAmbiguous => {
            let own = format!("{}/{}", view.trace.namespace, view.trace.name);
            let others = selector.autoscalers.iter().filter(|name| **name != own);
            let others: Vec<String> = others.map(|name| view.name(name)).collect();
            verdict
                .say(format!(
                    "{} the pods that {text} matches, too. The controller then changes nothing. \
                     Keep one HPA: with several metrics, it follows the highest.",
                    selects(&others)
                ))
                .then(format!("kubectl get hpa {}", view.namespace_argument()))
        }
        Rule::SelectorRequired => verdict
            .say(
                "The target's scale has no selector (status.selector), so the controller does not \
                 know which pods count, and changes nothing.",
            )
            .then(scale_yaml(view)),
        _ => verdict
            .say(format!(
                "The selector {text} of the target's scale does not parse, so the controller \
                 changes nothing."
            ))
            .then(scale_yaml(view)),
    }
}

fn selects(others: &[String]) -> String {
    let verb = plural(others.len(), "selects", "select");
    format!("{} {verb}", list(others, 3))
}

fn scale_yaml(view: View) -> String {
    format!(
        "kubectl get {} {} --subresource=scale -o yaml",
        view.target_argument(),
        view.namespace_argument()
    )
}

fn edit(view: View) -> String {
    format!(
        "kubectl edit hpa {} {}",
        word(&view.trace.name),
        view.namespace_argument()
    )
}

/// Every metric failed.
pub(super) fn all_failed(view: View, recommendation: &RecommendationRecord) -> Answer {
    let metrics = &view.trace.metrics;
    let mut verdict = Answer::default().say(format!(
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
    let mut verdict = Answer::default().say(format!(
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
    let failing = reported.find(|it| it.kind == "ScalingActive" && it.fails());
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
    let mut message = finding.message.chars();
    let first: String = message
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    verdict.say(view.page.cut(&format!("{first}{}", message.as_str()), 200) + ".")
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
        verdict = verdict.then(format!(
            "kubectl get pods {}{}",
            view.namespace_argument(),
            label_argument(view)
        ));
    }
    verdict
}
