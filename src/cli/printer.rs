//! Answers in the format that was asked for, one after the other.

use std::io::Write;

use crate::cli::{exit::ExitStatus, failure::Failure, terminal::Terminal};
use crate::render::{ErrorDocument, Format, FormatKind, Printable};

/// Prints an answer; `is_list` is whether others follow it.
pub fn print(
    answer: &(impl Printable + ?Sized),
    format: Format,
    is_list: bool,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let mut options = terminal.text.clone();
    // One document on a terminal is for a person.
    options.indented = !is_list && terminal.interactive;
    let Some(page) = terminal.page.take() else {
        return Ok(format.write(answer, &options, terminal.out())?);
    };
    if is_list {
        return Err(Failure::error(
            "-o html makes a page of one HPA, and these are several",
            "name one; -o markdown has all of them",
        ));
    }
    let mut html = Vec::new();
    format.write(answer, &options, &mut html)?;
    page.write(&html, terminal.out())
}

/// Prints answers, one after the other, and notes how they went.
pub struct Printer<'t> {
    pub format: Format,
    /// Whether more than one is to be printed.
    is_list: bool,
    printed: usize,
    /// How they went.
    pub status: ExitStatus,
    pub terminal: &'t mut Terminal,
}

impl<'t> Printer<'t> {
    /// A printer for a number of answers.
    pub fn new(format: Format, answers: usize, terminal: &'t mut Terminal) -> Self {
        Self {
            format,
            is_list: answers > 1,
            printed: 0,
            status: ExitStatus::default(),
            terminal,
        }
    }

    /// Prints an answer, apart from those before it.
    pub fn print(&mut self, answer: &(impl Printable + ?Sized)) -> anyhow::Result<()> {
        self.separate()?;
        print(answer, self.format, self.is_list, self.terminal)
    }

    /// Writes what stands between two answers.
    fn separate(&mut self) -> anyhow::Result<()> {
        let separator = self.format.separator(self.is_list, self.printed);
        self.terminal.out().write_all(separator.as_bytes())?;
        self.printed += 1;
        Ok(())
    }

    /// What cannot be answered: an error in its place for programs.
    pub fn error(&mut self, message: &str) -> anyhow::Result<()> {
        self.status.fail();
        if self.format.is(FormatKind::Document) {
            let error = message.to_owned();
            self.print(&ErrorDocument { error })?;
        }
        Ok(())
    }
}
