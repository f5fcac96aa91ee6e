//! What is said of manifests, as annotations that GitHub shows beside the
//! lines of a pull request (workflow commands).

use std::io::{self, Write};

use super::reviewed::ReviewRule;
use super::{Printable, Renderer, TextOptions, escape};
use crate::trace::Severity;

/// The annotations of an answer.
pub(super) struct Github;

impl Renderer for Github {
    fn write(
        answer: &(impl Printable + ?Sized),
        _options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for reviewed in answer.reviewed() {
            let file = property(&reviewed.file);
            for it in &reviewed.annotations {
                let level = match it.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                    Severity::Info => "notice",
                };
                let title = match it.rule {
                    ReviewRule::Refused => "the API server would refuse it",
                    ReviewRule::Unreadable => "cannot be read",
                    ReviewRule::Finding(code) => code.as_str(),
                };
                let lines: Vec<&str> = it.lines().collect();
                let (line, column, message) = (it.line, it.column, data(&lines.join("\n")));
                writeln!(
                    out,
                    "::{level} file={file},line={line},col={column},title={title}::{message}"
                )?;
            }
        }
        Ok(())
    }
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
