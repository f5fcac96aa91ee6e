//! What somebody should know beyond this pass: the findings.

use super::forecast;
use super::page::Tone;
use super::words::View;
use crate::render::block::{Block, Facts, Item, Prose, Wrap};
use crate::render::escape::display_width;
use crate::trace::{CodeKind, Finding, Remedy, Severity, ShellCommand};

const BELOW: &str = "       ";

/// Renders the problems that were found, in a line or two each.
pub(super) fn found(view: View) -> Vec<Prose> {
    listed(view, "Found  ", calling(view))
}

/// Renders what was found, is only good to know, and is not yet told at the top.
pub(super) fn notes(view: View) -> Vec<Prose> {
    let findings = view.trace.findings.iter().filter(|it| {
        let is_habit = it.code.is(CodeKind::AtNextApply);
        it.severity == Severity::Info && !is_habit && !is_shown(view, it)
    });
    listed(view, "Note   ", findings)
}

fn listed<'t>(view: View, title: &str, findings: impl Iterator<Item = &'t Finding>) -> Vec<Prose> {
    if view.options.verbosity > 0 {
        return Vec::new();
    }
    let rows = findings.enumerate().map(|(index, finding)| {
        let lead = if index == 0 { title } else { BELOW };
        Prose::behind(lead, &finding.message)
    });
    rows.collect()
}

/// Renders what helps: of each finding the first remedy that can be pasted and, where that
/// only looks, the first that helps; each command once.
pub(super) fn remedies(view: View) -> Vec<Vec<Prose>> {
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
        let is_whole = |it: &&Remedy| it.command.as_ref().is_none_or(ShellCommand::is_pasteable);
        let best = |looks: bool| {
            let mut all = finding.remedies.iter().filter(|it| it.looks == looks);
            all.clone().find(is_whole).or_else(|| all.next())
        };
        let Some(first) = finding.remedies.first() else {
            continue;
        };
        // What only shows why does not help; what gains time does not show why.
        let both = first.looks || finding.code.is(CodeKind::Urgent);
        let kinds = [first.looks, !first.looks].into_iter();
        for remedy in kinds.take(1 + usize::from(both)).filter_map(best) {
            let is_new = |known: &&Remedy| match &remedy.command {
                Some(command) => known.command.as_ref() != Some(command),
                None => known.says != remedy.says,
            };
            if shown.iter().all(is_new) {
                shown.push(remedy);
            }
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
fn remedy(view: View, remedy: &Remedy) -> Vec<Prose> {
    let page = view.page;
    let Some(command) = &remedy.command else {
        // On a page, they stand with the finding.
        let is_cut = remedy.patch.is_some() && !view.options.is_page;
        let more = if is_cut {
            " (add -v for the fields)"
        } else {
            ""
        };
        return vec![Prose::behind(BELOW, format!("{}{more}", remedy.says))];
    };
    if !command.is_pasteable() {
        let text = format!("{} (command: -o json)", remedy.says);
        return vec![Prose::behind(BELOW, text)];
    }
    let command = Prose::command(BELOW, command);
    let says = page.clean(&remedy.says);
    match command.lines(page).as_slice() {
        [only]
            if remedy.looks
                && display_width(&only.text()) + 4 + display_width(&says) <= page.width =>
        {
            let text = format!("{}  # {says}", only.text().trim_start());
            vec![Prose::line_behind(BELOW, text)]
        }
        _ => {
            let says = Prose {
                wraps: Wrap::Comment,
                ..Prose::behind(BELOW, says)
            };
            vec![says, command]
        }
    }
}

/// Renders all findings, with evidence and remedies (`-v`).
pub(super) fn all(view: View) -> Vec<Block<'static>> {
    let findings = &view.trace.findings;
    let title = (!findings.is_empty()).then(|| Block::Prose(Prose::line("Findings")));
    title
        .into_iter()
        .chain(findings.iter().flat_map(whole))
        .collect()
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

/// Whether the verdict or another block says just that.
fn is_shown(view: View, finding: &Finding) -> bool {
    let trace = view.trace;
    let is_lead = trace.lead().is_some_and(|it| std::ptr::eq(it, finding));
    // What does not stop the pass is in no word.
    let is_named = finding.code.is(CodeKind::NamedBy(trace.verdict.word))
        && finding.severity == finding.code.severity();
    is_lead || is_named || finding.code.is(CodeKind::OnPage)
}

/// A finding with its code, its evidence and what helps.
fn whole(finding: &Finding) -> Vec<Block<'static>> {
    let lead = format!("  {}  ", finding.code);
    let evidence = finding
        .evidence
        .iter()
        .map(|fact| Prose::behind("    ", Item::of_fact(fact).says).toned(Tone::Faint));
    let message = [Prose::behind(lead, &finding.message)];
    let mut blocks: Vec<Block> = message
        .into_iter()
        .chain(evidence)
        .map(Block::Prose)
        .collect();
    let remedies = finding.remedies.iter().map(Item::of_remedy);
    blocks.push(Block::Facts(Facts::titled("", 4, remedies.collect())));
    blocks
}
