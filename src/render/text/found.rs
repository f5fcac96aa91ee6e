//! What somebody should know beyond this pass: the findings.

use crate::render::escape::display_width;
use crate::trace::{CodeKind, Finding, Remedy, Severity};

use super::forecast;
use super::layout::remedy_lines;
use super::page::{Line, Tone, toned};
use super::words::View;

const BELOW: &str = "       ";

/// Renders the problems that were found, in a line or two each.
pub(super) fn found(view: View) -> Vec<Line> {
    listed(view, "Found  ", calling(view))
}

/// Renders what was found and is only good to know.
pub(super) fn notes(view: View) -> Vec<Line> {
    listed(view, "Note   ", good_to_know(view))
}

fn listed<'t>(view: View, title: &str, findings: impl Iterator<Item = &'t Finding>) -> Vec<Line> {
    if view.options.verbosity > 0 {
        return Vec::new();
    }
    let lines = findings.enumerate().flat_map(|(index, finding)| {
        let lead = if index == 0 { title } else { BELOW };
        view.page.paragraph(lead, &finding.message)
    });
    lines.collect()
}

/// Renders what helps: of each finding the first remedy that fits, each
/// command once.
pub(super) fn remedies(view: View) -> Vec<Vec<Line>> {
    let all = &view.trace.findings;
    let errors = all.iter().any(|it| it.severity == Severity::Error);
    let mut findings: Vec<&Finding> = all.iter().collect();
    // What more replicas would do, `Try` tells with its numbers.
    let lead = view.trace.lead().map(|it| it.code);
    findings.retain(|it| it.severity > Severity::Info || Some(it.code) == lead);
    findings.retain(|it| !it.code.is(CodeKind::Tried));
    // A habit is mended after what is broken now.
    findings.retain(|it| !it.code.is(CodeKind::AtNextApply) || !errors);
    findings.sort_by_key(|it| it.code.is(CodeKind::AtNextApply));
    let mut shown: Vec<&Remedy> = Vec::new();
    for finding in findings {
        let fits = |it: &&Remedy| {
            let command = it.command.as_ref();
            command.is_none_or(|it| !view.page.command(BELOW, it).is_empty())
        };
        let fitting = finding.remedies.iter().find(fits);
        let Some(first) = fitting.or(finding.remedies.first()) else {
            continue;
        };
        let is_new = |known: &&Remedy| match &first.command {
            Some(command) => known.command.as_ref() != Some(command),
            None => known.says != first.says,
        };
        if shown.iter().all(is_new) {
            shown.push(first);
        }
        // What gains time does not say why.
        if finding.code.is(CodeKind::Urgent) {
            shown.extend(finding.remedies.iter().find(|it| it.looks));
        }
    }
    if shown.is_empty() && forecast::attempts(view).is_empty() {
        let tried = all.iter().find(|it| it.code.is(CodeKind::Tried));
        shown.extend(tried.and_then(|it| it.remedies.first()));
    }
    shown.into_iter().map(|it| remedy(view, it)).collect()
}

/// A command with what it does, or advice. What a command changes is said
/// above it in any case.
fn remedy(view: View, remedy: &Remedy) -> Vec<Line> {
    let page = view.page;
    let Some(command) = &remedy.command else {
        let more = if remedy.patch.is_some() {
            " (-v shows the fields)"
        } else {
            ""
        };
        return page.paragraph(BELOW, &format!("{}{more}", remedy.says));
    };
    let mut lines = page.command(BELOW, command);
    if lines.is_empty() {
        return page.paragraph(BELOW, &format!("{} (command: -o json)", remedy.says));
    }
    let says = page.clean(&remedy.says);
    match lines.as_mut_slice() {
        [only]
            if remedy.looks
                && display_width(&only.text()) + 4 + display_width(&says) <= page.width =>
        {
            *only = Line::plain(format!("{}  # {says}", only.text()));
            lines
        }
        _ => {
            // Every line of a comment is one, for whoever pastes all of it.
            let comment = page.paragraph(&format!("{BELOW}  "), &says).into_iter();
            let comment = comment.map(|line| format!("{BELOW}# {}", line.text().trim_start()));
            comment.map(Line::plain).chain(lines).collect()
        }
    }
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

/// What calls for something and is not yet told at the top.
fn calling(view: View<'_>) -> impl Iterator<Item = &Finding> {
    let findings = view.trace.findings.iter();
    let fails = view.trace.finds(CodeKind::NamesFailures);
    let findings = findings.filter(|it| it.severity > Severity::Info && !is_shown(view, it));
    let findings = findings.filter(|it| !fails || !it.code.is(CodeKind::FailsMetrics));
    let mut findings: Vec<&Finding> = findings.collect();
    findings.sort_by_key(|it| it.code.is(CodeKind::AtNextApply));
    findings.into_iter()
}

/// What is good to know and not yet told at the top.
fn good_to_know(view: View<'_>) -> impl Iterator<Item = &Finding> {
    let findings = view.trace.findings.iter();
    findings.filter(move |it| {
        let is_habit = it.code.is(CodeKind::AtNextApply);
        it.severity == Severity::Info && !is_habit && !is_shown(view, it)
    })
}

/// Whether the verdict or another block says just that.
fn is_shown(view: View, finding: &Finding) -> bool {
    let trace = view.trace;
    let is_lead = trace.lead().is_some_and(|it| std::ptr::eq(it, finding));
    // What does not stop the pass is in no word.
    let is_said = finding.code.is(CodeKind::SaidBy(trace.verdict.word))
        && finding.severity == finding.code.severity();
    is_lead || is_said || finding.code.is(CodeKind::OnPage)
}

/// A finding with its code, its evidence and what helps.
fn whole(view: View, finding: &Finding) -> Vec<Line> {
    let page = view.page;
    let lead = format!("  {}  ", finding.code);
    let mut lines = page.paragraph(&lead, &finding.message);
    for fact in &finding.evidence {
        let fact = page.paragraph("    ", &format!("{}: {}", fact.about, fact.says));
        lines.extend(toned(Tone::Faint, fact));
    }
    for remedy in &finding.remedies {
        lines.extend(page.paragraph("    ", &remedy.says));
        lines.extend(remedy_lines(page, "      ", remedy));
    }
    lines
}
