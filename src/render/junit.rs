//! What is said of manifests as a JUnit report: a suite a file, a case an HPA.

use std::io::{self, Write};

use super::escape::escape_markup;
use super::reviewed::{Annotation, ReviewRule, Reviewed};
use super::{Printable, Renderer, TextOptions};
use crate::trace::Severity;

/// All of an answer as one report.
pub(super) struct Junit;

impl Renderer for Junit {
    fn write(
        answer: &(impl Printable + ?Sized),
        options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let reviewed = answer.reviewed();
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(
            out,
            "<testsuites name=\"{}\"{}>",
            env!("CARGO_PKG_NAME"),
            counts(&reviewed, options)
        )?;
        for suite in reviewed.chunk_by(|one, next| one.file == next.file) {
            let file = suite.first().map_or("", |it| &it.file);
            writeln!(
                out,
                "  <testsuite name=\"{}\"{}>",
                text(file),
                counts(suite, options)
            )?;
            for case in suite {
                write_case(case, options, out)?;
            }
            writeln!(out, "  </testsuite>")?;
        }
        writeln!(out, "</testsuites>")
    }
}

fn write_case(case: &Reviewed, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let file = text(&case.file);
    let name = match case.name.as_str() {
        "" if case
            .annotations
            .iter()
            .any(|it| it.rule == ReviewRule::Unreadable) =>
        {
            ReviewRule::Unreadable.as_str().to_owned()
        }
        "" => "unnamed".to_owned(),
        name => text(name),
    };
    writeln!(out, "    <testcase classname=\"{file}\" name=\"{name}\">")?;
    let mut notes = Vec::new();
    for it in &case.annotations {
        let whole: Vec<String> = it.lines().map(text).collect();
        let whole = format!("{file}:{}:{}: {}", it.line, it.column, whole.join("\n"));
        let Some(element) = element(it, options) else {
            notes.push(format!("{}: {whole}", it.severity));
            continue;
        };
        let (rule, message) = (text(it.rule.as_str()), text(&it.message));
        writeln!(
            out,
            "      <{element} type=\"{rule}\" message=\"{message}\">{whole}</{element}>"
        )?;
    }
    if !notes.is_empty() {
        writeln!(out, "      <system-out>{}</system-out>", notes.join("\n"))?;
    }
    writeln!(out, "    </testcase>")
}

/// What a case becomes by it: a test fails by what makes the exit code fail.
fn element(annotation: &Annotation, options: &TextOptions) -> Option<&'static str> {
    match annotation.rule {
        ReviewRule::Unreadable => Some("error"),
        ReviewRule::Refused => Some("failure"),
        ReviewRule::Finding(_) => {
            (options.exit_code && annotation.severity > Severity::Info).then_some("failure")
        }
    }
}

/// How many cases there are, and how many have such an element.
fn counts(cases: &[Reviewed], options: &TextOptions) -> String {
    let with = |expected| {
        let has = |case: &&Reviewed| {
            let mut annotations = case.annotations.iter();
            annotations.any(|it| element(it, options) == Some(expected))
        };
        cases.iter().filter(has).count()
    };
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\"",
        cases.len(),
        with("failure"),
        with("error")
    )
}

/// A text of one line. What XML cannot hold is made visible like everything
/// else that hides.
fn text(text: &str) -> String {
    escape_markup(text)
        .replace('\u{fffe}', "\\u{fffe}")
        .replace('\u{ffff}', "\\u{ffff}")
}
