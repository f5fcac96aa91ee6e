//! What is said of manifests, as annotations that GitHub shows beside the
//! lines of a pull request (workflow commands).

use std::io::{self, Write};

use crate::trace::{Remedy, Review, Severity, Unreadable};

use super::{Printable, escape};

/// What is shown beside a line of a file.
pub struct Annotation<'a> {
    level: &'static str,
    /// The file, its line and its column.
    place: (&'a str, usize, usize),
    title: &'a str,
    message: String,
}

/// An annotation for each problem and each finding.
pub(super) fn of_review(review: &Review) -> Vec<Annotation<'_>> {
    let file = review.file.as_str();
    let problems = review.problems.iter().map(|problem| Annotation {
        level: "error",
        place: (file, problem.line, problem.column),
        title: "the API server would refuse it",
        message: problem.message.clone(),
    });
    let findings = review.findings.iter().map(|placed| {
        let finding = &placed.finding;
        Annotation {
            level: match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "notice",
            },
            place: (file, placed.line, placed.column),
            title: finding.code.as_str(),
            message: with_remedies(&finding.message, &finding.remedies),
        }
    });
    problems.chain(findings).collect()
}

/// The annotation of a document that is no manifest.
pub(super) fn of_unreadable(document: &Unreadable) -> Vec<Annotation<'_>> {
    vec![Annotation {
        level: "error",
        place: (&document.file, document.line, document.column),
        title: "cannot be read",
        message: with_remedies(&document.error, document.remedy.as_slice()),
    }]
}

/// Writes the annotations of an answer.
pub(super) fn write_annotations(
    answer: &(impl Printable + ?Sized),
    out: &mut impl Write,
) -> io::Result<()> {
    for it in answer.annotations() {
        let (file, line, column) = it.place;
        let (file, title, message) = (property(file), property(it.title), data(&it.message));
        let level = it.level;
        writeln!(
            out,
            "::{level} file={file},line={line},col={column},title={title}::{message}"
        )?;
    }
    Ok(())
}

/// A message and every step of what helps, so that who reads the annotation
/// needs no other output: a command and a part of a manifest stand inside.
fn with_remedies(message: &str, remedies: &[Remedy]) -> String {
    let mut lines = vec![message.to_owned()];
    for Remedy {
        says,
        command,
        patch,
        ..
    } in remedies
    {
        lines.push(says.clone());
        let inside = command.iter().chain(patch);
        let inside = inside.flat_map(|text| text.lines());
        lines.extend(inside.map(|line| format!("  {line}")));
    }
    lines.join("\n")
}

/// Line by line, because the ends of lines have an escape of their own.
fn data(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(escape).collect();
    lines.join("\n").replace('%', "%25").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn nothing_begins_a_command_of_its_own() {
        assert_eq!(data("50%\n::error::x"), "50%25%0A::error::x");
        assert_eq!(property("a,b:c\u{1b}"), "a%2Cb%3Ac\\u{1b}");
        assert_eq!(data("a\r::stop"), "a\\u{d}::stop");
    }
}
