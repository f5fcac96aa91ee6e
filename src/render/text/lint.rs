//! What is said of manifests, for people: the answer first, then a paragraph
//! a problem, with its place as editors and terminals read it.

use std::io::{self, Write};

use crate::trace::amount::counted;
use crate::trace::{Code, PlacedFinding, Remedy, Review, Severity, Unreadable};

use super::TextOptions;
use super::layout::remedy_lines;
use super::page::{Line, Page, Tone, stand_out};

/// Where a paragraph goes on.
const BELOW: &str = "         ";
/// Where a command or a part of a manifest stands in it.
const INSIDE: &str = "           ";

/// Writes what is said of a manifest.
///
/// # Errors
///
/// What `out` returns.
pub fn write_review(review: &Review, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let page = Page::new(options);
    let mut lines = page.paragraph("", &headline(review));
    if let Some(first) = lines.first_mut() {
        first.end().0 = tone(review);
    }
    for problem in &review.problems {
        let place = place(&review.file, problem.line, problem.column);
        lines.extend(said(page, Severity::Error, &place, &problem.message));
    }
    for finding in &review.findings {
        lines.extend(self::finding(page, review, finding, options.verbosity > 0));
    }
    page.write(&lines, out)
}

/// Writes why a document is no manifest.
///
/// # Errors
///
/// What `out` returns.
pub fn write_unreadable(
    document: &Unreadable,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = Page::new(options);
    let place = place(&document.file, document.line, document.column);
    let mut lines = said(page, Severity::Error, &place, &document.error);
    let remedy = document.remedy.iter();
    lines.extend(remedy.flat_map(|remedy| helps(page, remedy)));
    page.write(&lines, out)
}

/// The answer: whether it would be taken, and how much is to be said.
fn headline(review: &Review) -> String {
    let name = match review.namespace.as_str() {
        "" => review.name.clone(),
        namespace => format!("{namespace}/{}", review.name),
    };
    let has = |codes: &[Code]| {
        let mut findings = review.findings.iter();
        findings.any(|it| codes.contains(&it.finding.code))
    };
    let by = if has(&[Code::FallbackIgnored]) {
        let design = "with KEP-5679, a design in no release";
        format!("by Kubernetes {} {design}", review.release)
    } else {
        format!("by Kubernetes {}", review.release)
    };
    // kubectl asks the server to be strict about fields; others do not.
    let is_strict = has(&[Code::UnknownField, Code::DuplicateField]);
    let verdict = match (review.accepted, review.decode_error) {
        (true, _) if is_strict => {
            format!("refused by kubectl, otherwise accepted {by}")
        }
        (true, _) => format!("accepted {by}"),
        _ if review.unserved => format!("refused {by}, which does not serve its apiVersion"),
        (_, true) => format!("refused {by}, which cannot decode it"),
        _ => format!("refused {by}"),
    };
    let of = |severity| {
        let findings = review.findings.iter();
        findings
            .filter(|it| it.finding.severity == severity)
            .count()
    };
    let counts = [
        (review.problems.len(), "problem"),
        (of(Severity::Error), "error"),
        (of(Severity::Warning), "warning"),
        (of(Severity::Info), "note"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, noun)| counted(count, noun)).collect();
    let counts = match counts.as_slice() {
        [] => String::new(),
        counts => format!(": {}", counts.join(", ")),
    };
    format!("{name}: {verdict}{counts}")
}

fn tone(review: &Review) -> Tone {
    match (review.accepted, review.worst()) {
        (false, _) | (true, Some(Severity::Error)) => Tone::Bad,
        (true, Some(Severity::Warning)) => Tone::Warn,
        _ => Tone::Good,
    }
}

fn place(file: &str, line: usize, column: usize) -> String {
    format!("{file}:{line}:{column}")
}

fn said(page: Page, severity: Severity, place: &str, message: &str) -> Vec<Line> {
    let (tone, word) = match severity {
        Severity::Error => (Tone::Bad, "error"),
        Severity::Warning => (Tone::Warn, "warning"),
        Severity::Info => (Tone::Faint, "note"),
    };
    let lead = format!("{word:<9}");
    let mut lines = page.paragraph(&lead, &format!("{place}: {message}"));
    if let Some(first) = lines.first_mut() {
        stand_out(first, tone, &lead);
    }
    lines
}

fn finding(page: Page, review: &Review, placed: &PlacedFinding, is_verbose: bool) -> Vec<Line> {
    let place = place(&review.file, placed.line, placed.column);
    let finding = &placed.finding;
    let message = format!("{} ({})", finding.message, finding.code);
    let mut lines = said(page, finding.severity, &place, &message);
    if is_verbose {
        for fact in &finding.evidence {
            lines.extend(page.paragraph(BELOW, &format!("{}: {}", fact.about, fact.says)));
        }
    }
    let remedies = finding.remedies.iter();
    lines.extend(remedies.flat_map(|remedy| helps(page, remedy)));
    lines
}

fn helps(page: Page, remedy: &Remedy) -> Vec<Line> {
    let mut lines = page.paragraph(BELOW, &remedy.says);
    lines.extend(remedy_lines(page, INSIDE, remedy));
    lines
}
