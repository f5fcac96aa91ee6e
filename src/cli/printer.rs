//! Answers in the format that was asked for, one after the other.

use std::io::Write;

use crate::cli::{exit::ExitStatus, failure::Failure, terminal::Terminal};
use crate::render::{ErrorDocument, Format, FormatKind, OwnDocument, Printable};

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
        let separator = self.format.separator(self.is_list, self.printed);
        self.terminal.out().write_all(separator.as_bytes())?;
        self.printed += 1;
        let mut options = self.terminal.text.clone();
        // One document on a terminal is for a person.
        options.indented = !self.is_list && self.terminal.interactive;
        let Some(page) = self.terminal.page.take() else {
            return Ok(self.format.write(answer, &options, self.terminal.out())?);
        };
        if self.is_list {
            return Err(Failure::error(
                "-o html makes a page of one HPA, and these are several",
                "name one; -o markdown has all of them",
            ));
        }
        let mut html = Vec::new();
        self.format.write(answer, &options, &mut html)?;
        page.write(&html, self.terminal.out())
    }

    /// What cannot be answered: an error in its place for programs, a message for
    /// people.
    pub fn error(&mut self, error: &anyhow::Error) -> anyhow::Result<()> {
        self.status.fail();
        if self.format.is(FormatKind::Document) {
            let error = error.to_string();
            self.print(&OwnDocument(ErrorDocument { error }))?;
        }
        self.terminal.fail(error);
        Ok(())
    }
}
