//! The explanation as text for a terminal: the answer first, for somebody on
//! call at three in the morning.
//!
//! One block a file, in the order in which they are read. Every number is
//! read from the trace; the only arithmetic is the difference of two times.
//! `-v` shows every step.

mod ahead;
mod basis;
mod charts;
mod check;
mod comparison;
mod dry_run;
mod evidence;
mod failure;
mod fallback;
mod flaps;
mod found;
mod header;
mod held;
mod lint;
mod list;
mod metrics;
mod next;
mod notices;
mod own_release;
mod page;
mod patch;
mod pods;
mod preview;
mod remedy;
mod remembered;
mod simulation;
mod stages;
mod steps;
mod sure;
mod table;
mod verdict;
mod words;

use std::io::{self, Write};

use jiff::tz::TimeZone;

use crate::trace::{Origin, Trace, Verdict};

pub use comparison::write_comparison;
pub use dry_run::write_dry_run;
pub use flaps::write_flaps;
pub use lint::{write_review, write_unreadable};
pub use list::{ListOptions, ListWriter, list_lines, write_list};
pub use preview::write_preview;
pub use simulation::write_simulation;

pub(super) use comparison::{notes as comparison_notes, table as comparison_table};
pub(super) use dry_run::coming::{ahead, left_out};
pub(super) use dry_run::{
    groups, heading as dry_run_heading, moment as dry_run_moment, premises, sentences,
    table as dry_run_table,
};
pub(super) use flaps::{
    blocks as flap_blocks, heading as flap_heading, moment as flap_moment, problems,
    sizes as flap_sizes, summary as flap_summary, table as flap_table,
};
pub(super) use list::{list_footnotes, list_table};
pub(super) use page::{Line, Page, Tone};
pub(super) use patch::caveat;
pub(super) use preview::{heading, moment, notes, rules, table as preview_table};
pub(super) use simulation::{
    ShownChange, changes, changes_title, charts, front_and_table as simulation_front,
    heading as simulation_heading, listed as listed_changes, searched,
    sentences as simulation_sentences, table as simulation_table,
};
pub(super) use table::Table;

pub(super) use verdict::Headline;
use verdict::{proposed, window as verdict_window};
use words::View;

/// How the text is to look.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each can be asked for alone")]
pub struct TextOptions {
    /// The most columns of a line.
    pub width: usize,
    /// Whether colours are added. Without them the text is the same.
    pub colour: bool,
    /// Whether only ASCII is printed.
    pub ascii: bool,
    /// Whether nothing is left out for want of room, and the tables have the
    /// columns that only a wide page has room for.
    pub wide: bool,
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
            wide: false,
            verbosity: 0,
            zone: TimeZone::UTC,
            live: false,
            unread: vec!["--history FILE", "--controller-log FILE"],
        }
    }
}

impl TextOptions {
    /// Whether everything is shown, in however many lines.
    fn is_whole(&self) -> bool {
        self.wide || self.verbosity > 0
    }
}

/// A part of an explanation, as far as formats differ in showing it.
pub(super) enum Part {
    /// Which HPA, and what the next pass does.
    Title(Title),
    /// Sentences.
    Prose(Vec<Line>),
    /// A table before its layout.
    Table(Table),
    /// Lines that are laid out.
    Lines(Vec<Line>),
    /// The findings, as far as a page has room for them.
    Found(Vec<Line>),
}

/// The first line of an explanation.
pub(super) struct Title {
    /// The HPA, its target and the answer.
    pub(super) text: String,
    /// The moment, with its date.
    pub(super) time: String,
    /// Both, laid out.
    lines: Vec<Line>,
}

/// Writes the explanation of a pass.
///
/// # Errors
///
/// What `out` returns.
pub fn write_text(trace: &Trace, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let page = Page::new(options);
    page.write(&laid_out(parts(trace, options), page), out)
}

/// The explanation in its parts.
pub(super) fn parts(trace: &Trace, options: &TextOptions) -> Vec<Vec<Part>> {
    explanation(View {
        trace,
        options,
        page: Page::new(options),
    })
}

/// A verdict in a few words, and how good it is.
pub(super) fn headline(trace: &Trace, verdict: &Verdict, options: &TextOptions) -> Headline {
    let view = View {
        trace,
        options,
        page: Page::new(options),
    };
    verdict::headline(view, verdict)
}

/// Every block, in the order in which they are read.
fn explanation(view: View) -> Vec<Vec<Part>> {
    let answer = verdict::answer(view);
    let facts = vec![
        Part::Lines(pods::pods(view)),
        Part::Lines(next::next(view)),
        Part::Lines(ahead::attempts(view)),
        Part::Found(found::found(view)),
        Part::Lines(next::steps(view, &answer.commands)),
        Part::Lines(sure::sure(view)),
        Part::Lines(check::check(view)),
        Part::Lines(notices::notices(view)),
        Part::Lines(basis::basis(view)),
    ];
    let mut blocks = vec![
        vec![
            Part::Title(header::header(view)),
            Part::Prose(header::what_if(view)),
            Part::Prose(own_release::own_release(view)),
        ],
        vec![Part::Prose(answer.lines(view))],
        metrics::metrics(view),
        vec![Part::Lines(stages::stages(view))],
        vec![Part::Lines(pods::set_aside(view))],
        facts,
    ];
    if view.options.verbosity > 0 {
        blocks.insert(4, vec![Part::Lines(charts::window(view))]);
        blocks.push(vec![Part::Found(found::all(view))]);
        blocks.push(vec![Part::Lines(charts::sizes(view))]);
        blocks.push(vec![Part::Lines(steps::steps(view))]);
        blocks.push(vec![Part::Lines(remembered::listing(view))]);
    }
    if view.options.verbosity > 1 {
        blocks.push(vec![Part::Lines(evidence::evidence(view))]);
    }
    blocks
}

impl Part {
    fn lines(self, page: Page) -> Vec<Line> {
        match self {
            Self::Table(table) => table.lines(page),
            Self::Title(title) => title.lines,
            Self::Prose(lines) | Self::Lines(lines) | Self::Found(lines) => lines,
        }
    }
}

/// Blocks with a blank line between them.
fn laid_out(blocks: Vec<Vec<Part>>, page: Page) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for block in blocks {
        let block: Vec<Line> = block.into_iter().flat_map(|it| it.lines(page)).collect();
        if block.is_empty() {
            continue;
        }
        if !lines.is_empty() {
            lines.push(Line::blank());
        }
        lines.extend(block);
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
