//! What somebody should know beyond this pass: the findings.

use crate::trace::{Code, Finding, Severity};

use super::page::{Line, Tone};
use super::words::View;

/// Renders the findings that call for something; with `-v` all, each with
/// its evidence.
pub(super) fn found(view: View) -> Vec<Line> {
    let all = &view.trace.findings;
    if view.options.verbosity > 0 {
        return all
            .iter()
            .flat_map(|finding| whole(view, finding))
            .collect();
    }
    // That pods dampen the answer is the verdict itself.
    let calling = all
        .iter()
        .filter(|it| it.severity > Severity::Info && it.code != Code::Dampened);
    let mut lines = Vec::new();
    for finding in calling.take(view.most(&[4, 3, 3, 2, 1])) {
        let lead = if lines.is_empty() {
            "Found  "
        } else {
            "       "
        };
        lines.extend(view.page.brief(lead, &finding.message, 2));
    }
    lines
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
