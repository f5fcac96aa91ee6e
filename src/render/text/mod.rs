//! The explanation as text for a terminal: the answer first, in at most 25
//! lines, for somebody on call at three in the morning.
//!
//! One block a file, in the order in which they are read. Every number is
//! read from the trace; the only arithmetic is the difference of two times.
//! What does not fit is squeezed block by block, least telling parts first,
//! until it does; `-v` lifts that limit and shows every step.

mod ahead;
mod basis;
mod check;
mod evidence;
mod failure;
mod found;
mod header;
mod list;
mod metrics;
mod next;
mod notices;
mod page;
mod pods;
mod remembered;
mod stages;
mod steps;
mod sure;
mod table;
mod verdict;
mod words;

use std::io::{self, Write};

use jiff::tz::TimeZone;

use crate::trace::{Origin, Trace};

pub use list::{ListOptions, ListWriter, list_lines, write_list};
pub(super) use page::Tone;

use page::{Line, Page};
use verdict::{proposed, window as verdict_window};
use words::View;

/// How the text is to look.
#[derive(Clone, Debug)]
pub struct TextOptions {
    /// The most columns of a line.
    pub width: usize,
    /// Whether colours are added. Without them the text is the same.
    pub colour: bool,
    /// Whether only ASCII is printed.
    pub ascii: bool,
    /// 0 for the answer, 1 for every step, 2 for all that is known.
    pub verbosity: u8,
    /// The time zone of all times.
    pub zone: TimeZone,
    /// Whether the inputs were just read from a cluster, not from a file.
    pub live: bool,
    /// The flags that would read more of earlier passes.
    pub unread: Vec<&'static str>,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self {
            width: 78,
            colour: false,
            ascii: false,
            verbosity: 0,
            zone: TimeZone::UTC,
            live: false,
            unread: vec!["--history FILE", "--controller-log FILE"],
        }
    }
}

/// The most lines without `-v`.
const MOST_LINES: usize = 25;
/// The hardest squeeze.
const HARDEST: usize = 6;

/// Writes the explanation of a pass.
///
/// # Errors
///
/// What `out` returns.
pub fn write_text(trace: &Trace, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let page = Page::new(options);
    let mut lines = Vec::new();
    for squeeze in 0..=HARDEST {
        let view = View {
            trace,
            options,
            page,
            squeeze,
        };
        lines = explanation(view);
        if options.verbosity > 0 || lines.len() <= MOST_LINES {
            break;
        }
    }
    if options.verbosity == 0 && lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES - 1);
        lines.push(page.line("(more with -v)"));
    }
    page.write(&lines, out)
}

/// The answer in a few words, and how good it is.
pub(super) fn headline(trace: &Trace, options: &TextOptions) -> (Tone, String) {
    let view = View {
        trace,
        options,
        page: Page::new(options),
        squeeze: HARDEST,
    };
    verdict::verdict(view).headline()
}

/// Every block, in the order in which they are read.
fn explanation(view: View) -> Vec<Line> {
    let verdict = verdict::verdict(view);
    let facts = [
        pods::pods(view),
        next::next(view),
        ahead::attempts(view),
        found::found(view),
        next::steps(view, &verdict.commands),
        sure::sure(view),
        check::check(view),
        notices::notices(view),
        basis::basis(view),
    ];
    let mut blocks = vec![
        header::header(view),
        verdict.lines(view),
        metrics::metrics(view),
        stages::stages(view),
        pods::set_aside(view),
        facts.concat(),
    ];
    if view.options.verbosity > 0 {
        blocks.push(found::all(view));
        blocks.push(steps::steps(view));
        blocks.push(remembered::listing(view));
    }
    if view.options.verbosity > 1 {
        blocks.push(evidence::evidence(view));
    }
    join(view, blocks)
}

/// Blocks with a blank line between them, as long as there is room for that.
fn join(view: View, blocks: Vec<Vec<Line>>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for block in blocks.into_iter().filter(|block| !block.is_empty()) {
        if !lines.is_empty() && view.squeeze < HARDEST - 1 {
            lines.push(Line::blank());
        }
        lines.extend(block);
    }
    while lines.last().is_some_and(Line::is_blank) {
        lines.pop();
    }
    lines
}

/// The origin of a value in a word.
fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Given => "given",
        Origin::Seen => "seen",
        Origin::Assumed => "assumed",
    }
}
