//! What is said of manifests, as annotations that GitHub shows beside the
//! lines of a pull request (workflow commands).

use std::io::{self, Write};

use crate::trace::{Remedy, Review, Severity, Unreadable};

use super::escape;

/// Writes an annotation for each problem and each finding.
///
/// # Errors
///
/// What `out` returns.
pub fn write_review_github(review: &Review, out: &mut dyn Write) -> io::Result<()> {
    let file = &review.file;
    for problem in &review.problems {
        let title = "the API server would refuse it";
        let place = (file.as_str(), problem.line, problem.column);
        annotation("error", place, title, &problem.message, out)?;
    }
    for placed in &review.findings {
        let finding = &placed.finding;
        let level = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let message = with_remedies(&finding.message, &finding.remedies);
        let place = (file.as_str(), placed.line, placed.column);
        annotation(level, place, finding.code.as_str(), &message, out)?;
    }
    Ok(())
}

/// Writes the annotation of a document that is no manifest.
///
/// # Errors
///
/// What `out` returns.
pub fn write_unreadable_github(document: &Unreadable, out: &mut dyn Write) -> io::Result<()> {
    let place = (document.file.as_str(), document.line, document.column);
    let message = with_remedies(&document.error, document.remedy.as_slice());
    annotation("error", place, "cannot be read", &message, out)
}

/// A message and every step of what helps, so that who reads the annotation
/// needs no other output: a command and a part of a manifest stand inside.
fn with_remedies(message: &str, remedies: &[Remedy]) -> String {
    let mut lines = vec![message.to_owned()];
    for Remedy {
        says,
        command,
        patch,
    } in remedies
    {
        lines.push(says.clone());
        let inside = command.iter().chain(patch);
        let inside = inside.flat_map(|text| text.lines());
        lines.extend(inside.map(|line| format!("  {line}")));
    }
    lines.join("\n")
}

fn annotation(
    level: &str,
    (file, line, column): (&str, usize, usize),
    title: &str,
    message: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "::{level} file={},line={line},col={column},title={}::{}",
        property(file),
        property(title),
        data(message)
    )
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
