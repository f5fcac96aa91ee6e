//! Findings with their codes, their evidence and what helps.

use crate::render::text::Page;
use crate::trace::{Finding, Remedy};

use super::escape::{fenced, inline};

/// A list, each finding with what belongs to it below.
pub(super) fn findings(page: Page, findings: &[Finding]) -> Vec<String> {
    findings.iter().flat_map(|it| finding(page, it)).collect()
}

fn finding(page: Page, finding: &Finding) -> Vec<String> {
    let text = |text: &str| inline(&page.clean(text));
    let (severity, role) = (finding.severity.as_str(), finding.role.as_str());
    let message = text(&finding.message);
    let mut lines = vec![format!(
        "- **{}** ({severity}, {role}): {message}",
        finding.code
    )];
    for fact in &finding.evidence {
        lines.push(format!("  - {}: {}", text(&fact.about), text(&fact.says)));
    }
    for remedy in &finding.remedies {
        lines.push(format!("  - {}", text(&remedy.says)));
        lines.extend(code(page, remedy).iter().map(|line| format!("    {line}")));
    }
    lines
}

/// What to run, or to change, as code.
pub(super) fn code(page: Page, remedy: &Remedy) -> Vec<String> {
    let parts = [("sh", &remedy.command), ("yaml", &remedy.patch)];
    let code = parts.into_iter().filter_map(|(language, text)| {
        let lines = text.as_ref()?.lines().map(|line| page.clean(line));
        Some(fenced(language, &lines.collect::<Vec<_>>()))
    });
    code.flatten().collect()
}
