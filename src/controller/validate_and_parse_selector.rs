//! Whether the pods can be told at all (`validateAndParseSelector`).

use super::compute_replicas_for_metrics::MetricsError;
use super::conditions::{condition, warning};
use super::prepared::{Prepared, SelectorCheck};
use super::release::Switch;
use super::settings::Settings;
use crate::api::{ConditionKind, ConditionReason};
use crate::trace::{Recorder, Rule, SelectorRecord};

/// Refuses a selector that is absent, does not parse, or matches pods that
/// another HPA controls as well (1.26 and later).
/// Errors: the controller's sentence.
pub fn validate_and_parse_selector<R: Recorder>(
    prepared: &Prepared,
    settings: &Settings,
    recorder: &mut R,
) -> Result<(), MetricsError> {
    let selector = prepared.scale.as_ref().map_or("", |scale| scale.selector);
    let (rule, event, reason, sentence) = match &prepared.selector {
        SelectorCheck::Accepted => {
            recorder.record(|| record(prepared, settings, Rule::SelectorAccepted, selector, None));
            return Ok(());
        }
        SelectorCheck::Required => (
            Rule::SelectorRequired,
            "SelectorRequired",
            ConditionReason::InvalidSelector,
            "selector is required".to_owned(),
        ),
        SelectorCheck::Invalid(error) => (
            Rule::SelectorInvalid,
            "InvalidSelector",
            ConditionReason::InvalidSelector,
            format!(
                "couldn't convert selector into a corresponding internal selector object: {error}"
            ),
        ),
        SelectorCheck::Ambiguous(autoscalers) => (
            Rule::SelectorAmbiguous,
            "AmbiguousSelector",
            ConditionReason::AmbiguousSelector,
            ambiguous(selector, autoscalers, settings),
        ),
    };
    let message = match rule {
        Rule::SelectorRequired => "the HPA target's scale is missing a selector".to_owned(),
        _ => settings.release.errorf(&sentence),
    };
    recorder.record(|| record(prepared, settings, rule, selector, Some(sentence.clone())));
    recorder.record(|| warning(event, &sentence));
    recorder.record(|| condition(ConditionKind::ScalingActive, false, reason, message));
    Err(MetricsError {
        text: settings.release.errorf(&sentence),
        first: None,
    })
}

fn ambiguous(selector: &str, autoscalers: &[String], settings: &Settings) -> String {
    let named = named(autoscalers, settings).join(" ");
    if settings.release.has(Switch::AmbiguousTexts) {
        format!("pods by selector {selector} are controlled by more than one HPA (e.g. [{named}])")
    } else {
        format!("pods by selector {selector} are controlled by multiple HPAs: [{named}]")
    }
}

/// The HPAs that the controller names. Which two those are of more is chance
/// and changes from pass to pass; here they are the first ones.
fn named<'a>(autoscalers: &'a [String], settings: &Settings) -> &'a [String] {
    if settings.gates.optimized_selector_store {
        &autoscalers[..autoscalers.len().min(2)]
    } else {
        autoscalers
    }
}

fn record(
    prepared: &Prepared,
    settings: &Settings,
    rule: Rule,
    selector: &str,
    error: Option<String>,
) -> SelectorRecord {
    let parses = matches!(rule, Rule::SelectorAccepted | Rule::SelectorAmbiguous);
    let autoscalers = match &prepared.selector {
        SelectorCheck::Ambiguous(autoscalers) => autoscalers.clone(),
        _ => Vec::new(),
    };
    let (pods, hpas) = (prepared.pods.len(), autoscalers.len().max(1));
    SelectorRecord {
        formula: match rule {
            Rule::SelectorRequired => "no selector".to_owned(),
            Rule::SelectorInvalid => "does not parse".to_owned(),
            _ if !settings.release.has(Switch::AmbiguousSelector) => {
                format!("pods selected: {pods}; this release does not look for other HPAs")
            }
            _ => format!("pods selected: {pods}; HPAs that select them: {hpas}"),
        },
        rule,
        selector: selector.to_owned(),
        selected: parses.then_some(prepared.pods.len()),
        autoscalers,
        error,
    }
}
