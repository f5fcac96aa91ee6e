//! What the answer rests on: release, settings, what is remembered, warnings.

mod remembered;
mod settings;

use crate::snapshot::{NotRead, Part};
use crate::trace::FailureCause;

use super::page::{Line, Tone, toned};
use super::words::View;

pub(super) use settings::setting;

/// Renders what the answer rests on.
pub(super) fn basis(view: View) -> Vec<Line> {
    let basis = &view.trace.basis;
    let mut said = settings::settings(view);
    said.extend(remembered::remembered(view));
    let mut lines = view.page.paragraph("Basis  ", &said.join("; "));
    let remark = basis.release.remark.clone().into_iter();
    let remarks = remark.chain(derived(view)).chain(basis.warnings.clone());
    for warning in remarks.take(view.most(3)) {
        lines.extend(
            view.page
                .paragraph("       ", &view.page.cut(&warning, 300)),
        );
    }
    if view.options.verbosity > 0 {
        for rule in &basis.release.derived {
            let text = format!("derived from {}: {}", rule.pull_requests, rule.says);
            lines.extend(view.page.paragraph("       ", &text));
        }
    }
    lines.extend(not_read(view));
    toned(Tone::Faint, lines)
}

/// That some rules are derived: where the others are looked at, which.
fn derived(view: View) -> Option<String> {
    let told = view.trace.basis.release.derived_told()?;
    let more = if view.options.verbosity > 0 {
        ""
    } else {
        " (-v lists them)"
    };
    Some(told + more)
}

/// What was not read: in a line, or with `-v` in a paragraph each.
fn not_read(view: View) -> Vec<Line> {
    // That of the pods stands with the pods.
    let missing = view.trace.basis.not_read.iter();
    let missing: Vec<&NotRead> = missing.filter(|it| it.part != Part::Pods).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    if view.options.verbosity > 0 {
        let paragraph = |missing: &&NotRead| {
            let reason = view.page.reason(&missing.reason, 400);
            let text = format!("not seen: {}: {reason}", part(missing.part));
            view.page.paragraph("       ", &text)
        };
        return missing.iter().flat_map(paragraph).collect();
    }
    // All reasons of a part, then all parts of the same reasons.
    let mut parts: Vec<(&str, Vec<String>)> = Vec::new();
    for missing in missing {
        let (name, reason) = (part(missing.part), short_reason(view, &missing.reason));
        match parts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, reasons)) if reasons.contains(&reason) => {}
            Some((_, reasons)) => reasons.push(reason),
            None => parts.push((name, vec![reason])),
        }
    }
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, reasons) in &parts {
        let reasons = reasons.join(", ");
        match groups.iter_mut().find(|(known, _)| *known == reasons) {
            Some((_, names)) => names.push(name),
            None => groups.push((reasons, vec![name])),
        }
    }
    let texts = groups
        .iter()
        .map(|(reasons, names)| format!("{} ({reasons})", names.join(", ")));
    let text = format!("not seen: {}", texts.collect::<Vec<_>>().join("; "));
    view.page.paragraph("       ", &text)
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Pods => "the pods",
        Part::ServerVersion => "the version, so its rules are assumed",
        Part::ControllerFlags => "the controller's flags",
        Part::ControllerLease => "the controller's lease",
        Part::OtherAutoscalers => "which pods other HPAs select",
        Part::Events => "the events",
        Part::Target => "the target",
        Part::ReplicaSets => "its ReplicaSets",
        Part::VerticalPodAutoscalers => "its VerticalPodAutoscalers",
        Part::ScaledObject => "the ScaledObject that made the HPA",
        Part::ApiServices => "who answers for the metrics API",
    }
}

/// A refusal in a word; `-v` gives the whole sentence.
fn short_reason(view: View, reason: &str) -> String {
    if FailureCause::of_unreadable(reason).is_refusal() {
        return "forbidden".to_owned();
    }
    view.page.reason(reason, 80)
}
