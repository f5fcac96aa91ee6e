//! The standard streams and what they can show.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::env;
use std::fs::Metadata;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use dialoguer::console::Term;
use jiff::tz::TimeZone;

use crate::cli::failure::Failure;
use crate::cli::options::{Color, Output};
use crate::cli::page::{PageFlags, PageOutput};
use crate::cli::waiting::{complain, is_ascii};
use crate::document::snapshot::{Document, Snapshot};
use crate::render::{Format, TextOptions};

/// Columns of the text where nobody says how many there are.
const DEFAULT_WIDTH: usize = 80;

/// The same for a text that is to be wide.
const WIDE_WIDTH: usize = 160;

/// Fewer columns than this are no terminal that anybody reads on.
const LEAST_WIDTH: usize = 40;

/// Longer lines are hard to read; a wider terminal is filled only where that is
/// asked for.
const MOST_WIDTH: usize = 120;

/// The standard streams.
pub struct Terminal {
    out: BufWriter<io::Stdout>,
    /// Whether standard output is a terminal.
    pub interactive: bool,
    /// The columns that there are, for tables; absent where a line has no
    /// end, as in a file or a pipe.
    pub columns: Option<usize>,
    /// How text is to be rendered.
    pub text: TextOptions,
    /// Where a page goes, if one is made.
    pub page: Option<PageOutput>,
    /// Warnings that are not said again.
    shown: BTreeSet<String>,
}

/// Where the names of `TZ` are files.
const ZONES: &str = "/usr/share/zoneinfo";
/// No zone's file is larger.
const MOST_OF_ZONE: u64 = 1 << 20;

/// The system's time zone. `TZ` can name any file, of which only one that can be a
/// zone's is read.
pub fn zone() -> TimeZone {
    let name = env::var("TZ").unwrap_or_default();
    let name = name.trim_start_matches(':');
    let file = Path::new(ZONES).join(name).metadata();
    let is_zone = |file: Metadata| file.is_file() && file.len() <= MOST_OF_ZONE;
    if name.is_empty() || file.map_or(true, is_zone) {
        TimeZone::system()
    } else {
        TimeZone::unknown()
    }
}

impl Terminal {
    /// Looks at the streams and the environment.
    pub fn new(output: &Output) -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let columns = width(is_terminal);
        let mut terminal = Self {
            out: BufWriter::new(stdout),
            interactive: is_terminal,
            columns,
            text: TextOptions {
                ascii: is_ascii(),
                zone: zone(),
                ..TextOptions::default()
            },
            page: None,
            shown: BTreeSet::new(),
        };
        terminal.adopt(output);
        terminal
    }

    /// Takes over what a command says of its output.
    pub fn adopt(&mut self, output: &Output) {
        self.text.wide = output.format == Format::Wide;
        self.text.width = if self.text.wide {
            self.columns.unwrap_or(WIDE_WIDTH)
        } else {
            self.columns.unwrap_or(DEFAULT_WIDTH).min(MOST_WIDTH)
        };
        self.text.verbosity = output.verbosity;
        self.text.colour = self.colour(output.color);
    }

    /// The same for an answer that can be a page: looks at where that goes.
    /// Errors: it cannot go there.
    pub fn expect_page(&mut self, flags: &PageFlags, output: &Output) -> anyhow::Result<()> {
        self.adopt(output);
        self.page = flags.page(output)?;
        Ok(())
    }

    /// Inputs as the answer may show them: to be shared, without what a capture
    /// leaves out.
    pub fn shown<'s>(&self, snapshot: &'s Snapshot) -> Cow<'s, Snapshot> {
        match &self.page {
            Some(page) => page.shown(snapshot),
            None => Cow::Borrowed(snapshot),
        }
    }

    /// Whether text is coloured: as kubectl, on a terminal that is not dumb, unless
    /// `NO_COLOR` is set.
    pub fn colour(&self, when: Color) -> bool {
        let is_ready = is_ready();
        match when {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_ready && self.can_be_drawn_on() && env::var_os("NO_COLOR").is_none(),
        }
    }

    /// Whether text can be drawn over text.
    pub fn can_be_drawn_on(&self) -> bool {
        self.interactive && env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    /// Where answers go.
    pub fn out(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// Writes a line to the standard error stream, after the answers so far.
    pub fn complain(&mut self, line: &str) {
        _ = self.out.flush();
        complain(line);
    }

    /// Says what went wrong, and what to do next.
    pub fn fail(&mut self, error: &anyhow::Error) {
        for line in Failure::lines(error) {
            self.complain(&line);
        }
    }

    /// Says what is probably not meant as it stands in a file.
    pub fn warn_of(&mut self, file: &str, document: &Document) {
        for warning in document.warning_lines() {
            self.complain(&format!("warning: {file}: {warning}"));
        }
    }

    /// Writes such a line unless it has been written.
    pub fn warn_once(&mut self, line: &str) {
        if self.shown.insert(line.to_owned()) {
            self.complain(line);
        }
    }

    /// Writes what is buffered.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// `COLUMNS`, else the terminal's width, else the default on a terminal.
fn width(is_terminal: bool) -> Option<usize> {
    let requested = env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let measured = is_terminal
        .then(|| Term::stdout().size_checked())
        .flatten()
        .map(|(_, columns)| usize::from(columns));
    match requested.or(measured) {
        None | Some(0) => is_terminal.then_some(DEFAULT_WIDTH),
        Some(columns) => Some(columns.max(LEAST_WIDTH)),
    }
}

/// Whether the terminal, if it is one, colors text. A console of Windows has to
/// be told to, which this does; one before Windows 10 never does.
fn is_ready() -> bool {
    !cfg!(windows) || Term::stdout().features().colors_supported()
}
