//! What somebody should know beyond this pass: the findings.

use crate::trace::{Code, Finding, Severity};

use super::page::{Line, Tone};
use super::words::View;

/// Renders the findings that call for something, in a line or two each.
pub(super) fn found(view: View) -> Vec<Line> {
    if view.options.verbosity > 0 {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for finding in calling(view).take(view.most(&[4, 3, 3, 2, 1])) {
        let lead = if lines.is_empty() {
            "Found  "
        } else {
            "       "
        };
        lines.extend(view.page.brief(lead, &finding.message, 2));
    }
    lines
}

/// The commands that help, the best of each finding, and what each does.
pub(super) fn remedies(view: View<'_>) -> impl Iterator<Item = (&str, &str)> {
    let findings = view.trace.findings.iter();
    let findings = findings.filter(|finding| finding.severity > Severity::Info);
    findings.filter_map(|finding| {
        let mut remedies = finding.remedies.iter();
        remedies.find_map(|it| Some((it.command.as_deref()?, it.says.as_str())))
    })
}

/// Renders all findings, with evidence and remedies (`-v`).
pub(super) fn all(view: View) -> Vec<Line> {
    let findings = &view.trace.findings;
    let mut lines: Vec<Line> = findings.iter().flat_map(|it| whole(view, it)).collect();
    if !lines.is_empty() {
        lines.insert(0, view.page.line("Findings"));
    }
    lines
}

/// What is not yet told at the top.
fn calling(view: View<'_>) -> impl Iterator<Item = &Finding> {
    let findings = view.trace.findings.iter();
    let is_failing = |code: &Code| matches!(code, Code::AllMetricsFail | Code::ScaleDownBlocked);
    let fails = view.trace.findings.iter().any(|it| is_failing(&it.code));
    findings.filter(move |it| {
        let is_reason = fails && it.code.fails_metrics();
        it.severity > Severity::Info && !is_told(it.code) && !is_reason
    })
}

/// Whether the verdict says just that.
fn is_told(code: Code) -> bool {
    matches!(
        code,
        Code::AllMetricsFail
            | Code::AmbiguousSelector
            | Code::AtMax
            | Code::Dampened
            | Code::MetricFails
            | Code::MetricUnreadable
            | Code::Paused
            | Code::ScaleDownBlocked
            | Code::TargetNotFound
            | Code::TargetUnknownKind
    )
}

/// A finding with its code, its evidence and what helps.
fn whole(view: View, finding: &Finding) -> Vec<Line> {
    let page = view.page;
    let lead = format!("  {}  ", finding.code);
    let mut lines = page.paragraph(&lead, &finding.message);
    for fact in &finding.evidence {
        let mut fact = page.paragraph("    ", &format!("{}: {}", fact.about, fact.says));
        for line in &mut fact {
            line.rest.0 = Tone::Faint;
        }
        lines.extend(fact);
    }
    for remedy in &finding.remedies {
        lines.extend(page.paragraph("    ", &remedy.says));
        if let Some(command) = &remedy.command {
            lines.extend(page.command("      ", command));
        }
        for line in remedy.patch.iter().flat_map(|patch| patch.lines()) {
            lines.push(page.line(&format!("      {line}")));
        }
    }
    lines
}
