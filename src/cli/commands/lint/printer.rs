//! Prints what is said of manifests, one document after the other.

use std::io::Write;
use std::process::ExitCode;

use crate::cli::exit::Verdict;
use crate::cli::options::Format;
use crate::cli::terminal::Terminal;
use crate::render::{
    write_json, write_review_github, write_text, write_unreadable_github, write_yaml,
};
use crate::trace::{Review, Unreadable};

use super::LintFormat;

/// Prints reviews, one after the other.
pub(super) struct Printer<'t> {
    format: LintFormat,
    is_list: bool,
    printed: usize,
    verdict: Verdict,
    terminal: &'t mut Terminal,
}

impl<'t> Printer<'t> {
    /// Prints nothing yet; `is_list` is whether there are several documents.
    pub(super) fn new(format: LintFormat, is_list: bool, terminal: &'t mut Terminal) -> Self {
        Self {
            format,
            is_list,
            printed: 0,
            verdict: Verdict::default(),
            terminal,
        }
    }

    /// How the run ends, after all that was printed.
    pub(super) fn verdict(self, exit_code: bool) -> ExitCode {
        self.verdict.code(exit_code)
    }

    pub(super) fn review(&mut self, review: &Review) -> anyhow::Result<()> {
        if !review.accepted {
            self.verdict.fail();
        }
        self.verdict.note(review.worst());
        self.separate()?;
        let is_pretty = self.is_pretty();
        let options = self.terminal.text.clone();
        let out = self.terminal.out();
        match self.format {
            LintFormat::Text => write_text(review, &options, out)?,
            LintFormat::Json => write_json(review, is_pretty, out)?,
            LintFormat::Yaml => write_yaml(review, out)?,
            LintFormat::Github => write_review_github(review, out)?,
        }
        Ok(())
    }

    pub(super) fn unreadable(&mut self, document: &Unreadable) -> anyhow::Result<()> {
        self.verdict.fail();
        self.separate()?;
        let is_pretty = self.is_pretty();
        let options = self.terminal.text.clone();
        let out = self.terminal.out();
        match self.format {
            LintFormat::Text => write_text(document, &options, out)?,
            LintFormat::Json => write_json(document, is_pretty, out)?,
            LintFormat::Yaml => write_yaml(document, out)?,
            LintFormat::Github => write_unreadable_github(document, out)?,
        }
        Ok(())
    }

    fn is_pretty(&self) -> bool {
        !self.is_list && self.terminal.interactive
    }

    fn separate(&mut self) -> anyhow::Result<()> {
        let separator = match self.format {
            LintFormat::Text => Format::Text,
            LintFormat::Yaml => Format::Yaml,
            // A line each.
            LintFormat::Json | LintFormat::Github => Format::Json,
        }
        .separator(self.is_list, self.printed);
        self.terminal.out().write_all(separator.as_bytes())?;
        self.printed += 1;
        Ok(())
    }
}
