//! What is said of manifests, for people: the answer first, then a paragraph
//! a problem, with its place as editors and terminals read it.

use std::iter;

use super::TextOptions;
use super::page::Tone;
use crate::render::block::{Block, Facts, Item, Prose};
use crate::trace::amount::counted;
use crate::trace::{CodeKind, PlacedFinding, Remedy, Review, Severity, Unreadable};

/// The columns of how much it matters.
const LEAD: usize = 9;

/// What is said of a manifest.
pub(in crate::render) fn review(review: &Review, options: &TextOptions) -> Vec<Block<'static>> {
    let mut blocks = vec![Block::Prose(
        Prose::plain(headline(review)).toned(tone(review)),
    )];
    blocks.extend(review.problems.iter().map(|problem| {
        let place = place(&review.file, problem.line, problem.column);
        reported(Severity::Error, &place, &problem.message)
    }));
    let findings = review.findings.iter();
    blocks.extend(findings.flat_map(|it| finding(review, it, options.verbosity > 0)));
    blocks
}

/// Why a document is no manifest.
pub(in crate::render) fn unreadable(document: &Unreadable) -> Vec<Block<'static>> {
    let place = place(&document.file, document.line, document.column);
    vec![
        reported(Severity::Error, &place, &document.error),
        helps(iter::empty(), document.remedy.as_slice()),
    ]
}

/// The answer: whether it would be taken, and how much is to be said.
fn headline(review: &Review) -> String {
    let name = match review.namespace.as_str() {
        "" if review.name.is_empty() => "an HPA without a name".to_owned(),
        "" => review.name.clone(),
        namespace => format!("{namespace}/{}", review.name),
    };
    let has = |kind| {
        let mut findings = review.findings.iter();
        findings.any(|it| it.finding.code.is(kind))
    };
    let by = if has(CodeKind::OfDesign) {
        let design = "with KEP-5679, a design in no release";
        format!("by Kubernetes {} {design}", review.release)
    } else {
        format!("by Kubernetes {}", review.release)
    };
    // kubectl asks the server to be strict about fields; others do not.
    let is_strict = has(CodeKind::Strict);
    let verdict = match (review.accepted, review.decode_error) {
        (true, _) if is_strict => {
            format!("refused by kubectl, otherwise accepted {by}")
        }
        (true, _) if review.worst() == Some(Severity::Error) => {
            format!("accepted {by}, but it will not work as written")
        }
        (true, _) => format!("accepted {by}"),
        _ if review.unserved => format!("refused {by}, which does not serve its apiVersion"),
        (_, true) => format!("refused {by}, which cannot decode it, so the rest is not checked"),
        _ => format!("refused {by}"),
    };
    let of = |severity| {
        let findings = review.findings.iter();
        findings
            .filter(|it| it.finding.severity == severity)
            .count()
    };
    let errors = review.problems.len() + of(Severity::Error);
    let counts = [
        (errors, "error"),
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

fn reported(severity: Severity, place: &str, message: &str) -> Block<'static> {
    let (tone, word) = match severity {
        Severity::Error => (Tone::Bad, "error"),
        Severity::Warning => (Tone::Warn, "warning"),
        Severity::Info => (Tone::Faint, "note"),
    };
    Block::Prose(Prose {
        begins: (tone, format!("{word:<LEAD$}")),
        ..Prose::plain(format!("{place}: {message}"))
    })
}

fn finding(review: &Review, placed: &PlacedFinding, is_verbose: bool) -> [Block<'static>; 2] {
    let place = place(&review.file, placed.line, placed.column);
    let finding = &placed.finding;
    let message = format!("{} ({})", finding.message, finding.code);
    let evidence = finding.evidence.iter().filter(|_| is_verbose);
    [
        reported(finding.severity, &place, &message),
        helps(evidence.map(Item::of_fact), &finding.remedies),
    ]
}

/// What stands below, with what helps.
fn helps(evidence: impl Iterator<Item = Item>, remedies: &[Remedy]) -> Block<'static> {
    let items = evidence.chain(remedies.iter().map(Item::of_remedy));
    Block::Facts(Facts::titled("", LEAD, items.collect()))
}
