//! Where a page of `-o html` goes: standard output, a file, the browser.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use clap::Args;

use super::destination::{Artifact, Destination};
use super::failure::Failure;
use super::options::Output;
use super::waiting::complain;
use crate::document::snapshot::Snapshot;
use crate::render::Format;

/// What is asked of a page.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Page (-o html)")]
pub struct PageFlags {
    /// Write the page to this file, readable for you alone
    #[arg(long = "file", id = "page_file", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Show the page in the browser
    #[arg(long)]
    open: bool,
    /// Keep images, node names and annotations as they are
    #[arg(long)]
    no_redact: bool,
}

/// How long a browser has to say that it does not start.
const PATIENCE: Duration = Duration::from_secs(2);

impl PageFlags {
    /// Looks at where the page goes, before anything is read; nothing for
    /// another format.
    /// Errors: nothing can be written there, or another format is asked for.
    pub fn page(&self, output: &Output) -> anyhow::Result<Option<PageOutput>> {
        if output.format != Format::Html {
            let given = [
                ("--file", self.file.is_some()),
                ("--open", self.open),
                ("--no-redact", self.no_redact),
            ];
            let given = given.into_iter().find(|(_, is_given)| *is_given);
            return given.map_or(Ok(None), |(flag, _)| {
                let format = output.format.as_str();
                let message = format!("{flag} is about a page, and -o {format} makes none");
                let hint = "use it with -o html, or leave it out";
                Err(Failure::usage(message, hint))
            });
        }
        let of = |file: &Path| Destination::of(file, Artifact::Page);
        let destination = match &self.file {
            Some(file) => of(file)?,
            None if self.open => of(&temporary()?)?,
            None => Destination::Standard,
        };
        Ok(Some(PageOutput {
            destination,
            opens: self.open,
            is_redacted: !self.no_redact,
        }))
    }
}

/// A file of its own for a page, which stays: the browser reads it later.
fn temporary() -> anyhow::Result<PathBuf> {
    let mut file = tempfile::Builder::new();
    let file = file.prefix("hpa-explain-").suffix(".html").tempfile()?;
    Ok(file.into_temp_path().keep()?)
}

/// Where a page goes, and what is left out of it.
#[derive(Clone)]
pub struct PageOutput {
    destination: Destination,
    opens: bool,
    is_redacted: bool,
}

impl PageOutput {
    /// The inputs as the page may show them: those that a capture would hold.
    pub fn shown<'s>(&self, snapshot: &'s Snapshot) -> Cow<'s, Snapshot> {
        if self.is_redacted {
            Cow::Owned(snapshot.clone().redacted())
        } else {
            Cow::Borrowed(snapshot)
        }
    }

    /// Writes the page, and shows it. Where no browser can be started, its path is
    /// printed.
    pub fn write(&self, html: &[u8], out: &mut impl std::io::Write) -> anyhow::Result<()> {
        self.destination.write(html, out)?;
        let Destination::File { name, .. } = &self.destination else {
            return Ok(());
        };
        let redacted = if self.is_redacted { ", redacted" } else { "" };
        let name = name.display();
        complain(&format!("Wrote {name}{redacted}"));
        if !self.is_redacted {
            complain("Warning: it is not redacted; check it before you share it");
        }
        if self.opens && !is_opened(&name.to_string()) {
            complain("No browser could be started; this is the page:");
            writeln!(out, "{name}")?;
        }
        Ok(())
    }
}

/// Whether the browser of this system takes a file.
fn is_opened(file: &str) -> bool {
    let (program, arguments): (_, &[&str]) = match env::consts::OS {
        "windows" => ("cmd", &["/C", "start", ""]),
        "macos" => ("open", &[]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(file).stdin(Stdio::null());
    let started = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = started else {
        return false;
    };
    // One that goes on is the browser itself.
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(None) => thread::sleep(Duration::from_millis(20)),
            Ok(Some(status)) => return status.success(),
            Err(_) => return false,
        }
    }
    true
}
