//! The explanation as text for a terminal: the answer first, for somebody on
//! call at three in the morning.
//!
//! One block a file, in the order in which they are read. Every number is
//! read from the trace, or counted or subtracted from what is there. `-v` shows
//! every step.

mod basis;
mod check;
pub(super) mod dry_run;
mod failure;
pub(super) mod flaps;
mod forecast;
mod found;
mod held;
mod layout;
pub(super) mod lint;
pub(super) mod list;
mod metrics;
mod next;
mod page;
mod passes;
mod pods;
pub(super) mod preview;
mod remembered;
mod room;
pub(super) mod simulation;
mod stages;
mod steps;
pub(in crate::render) mod story;
mod table;
pub(in crate::render) mod tune;
mod verdict;
mod words;

use jiff::tz::TimeZone;

use super::block::{Block, Facts, Prose, Title};
use crate::trace::{Origin, Range, Trace, Verdict};
use basis::setting;
use check::is_blind;
use words::{DAY, View, moment, range};

pub(super) use layout::Text;
pub use list::{ListOptions, list_lines};
pub use page::wrapped;
pub(super) use page::{Line, Page, Tone};
pub(super) use verdict::Headline;

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
    /// Whether JSON is indented.
    pub indented: bool,
    /// Whether lists are whole, and the tables have the columns that only a wide page
    /// has room for.
    pub wide: bool,
    /// 0 for the answer, 1 for every step, 2 for all that is known.
    pub verbosity: u8,
    /// The time zone of all times.
    pub zone: TimeZone,
    /// Whether moments are of a simulation: told by how long it runs.
    pub is_simulated: bool,
    /// Whether the inputs were just read from a cluster, not from a file.
    pub live: bool,
    /// Whether findings of severity warning or error make the exit code fail.
    pub exit_code: bool,
    /// Whether it is a page for a browser: it has room, and passes have their place.
    pub is_page: bool,
    /// The flags that would read more of earlier passes.
    pub unread: Vec<&'static str>,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self {
            width: 80,
            colour: false,
            ascii: false,
            indented: false,
            wide: false,
            verbosity: 0,
            zone: TimeZone::UTC,
            is_simulated: false,
            live: false,
            exit_code: false,
            is_page: false,
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

/// A verdict in a few words, and how good it is.
pub(super) fn headline(trace: &Trace, verdict: &Verdict, options: &TextOptions) -> Headline {
    let view = View::of(trace, options);
    verdict::headline(view, verdict)
}

/// The explanation of a pass, in the order in which it is read.
pub(super) fn explanation(trace: &Trace, options: &TextOptions) -> Vec<Block<'static>> {
    let view = View::of(trace, options);
    let is_verbose = options.verbosity > 0;
    let (answer, commands) = verdict::answer(view);
    let mut blocks = vec![Block::Title(header(view))];
    let what_if = given(view).map(|it| Prose::behind("What-if: ", it).toned(Tone::Warn));
    blocks.extend(what_if.map(Block::Prose));
    blocks.extend(preview::own_release(trace).map(Block::Prose));
    blocks.extend([Block::Gap, Block::Prose(answer), Block::Gap]);
    blocks.extend(remembered::timeline(view));
    blocks.extend(metrics::metrics(view));
    blocks.extend([Block::Gap, Block::Rows(stages::stages(view)), Block::Gap]);
    if is_verbose {
        blocks.extend(remembered::window(view));
        blocks.push(Block::Gap);
    }
    blocks.extend(pods::set_aside(view));
    blocks.extend([
        Block::Gap,
        Block::Rows(pods::pods(view).into_iter().collect()),
        Block::Rows(vec![next::last(view)]),
        Block::Rows(room::room(view).into_iter().collect()),
        Block::Rows(tune::reaction(view).into_iter().collect()),
        Block::Rows(next::next(view)),
        Block::Rows(forecast::attempts(view)),
        Block::Page(vec![Block::Rows(found::found(view))]),
        Block::Rows(next::steps(view, &commands)),
        Block::Rows(basis::sure(view)),
        Block::Rows(check::check(view)),
        Block::Rows(found::notes(view)),
        Block::Rows(remembered::notices(view)),
        Block::Rows(basis::basis(view)),
        Block::Gap,
        Block::Beyond(vec![Block::Facts(Facts::of_findings(&trace.findings))]),
    ]);
    if is_verbose {
        blocks.extend([Block::Page(found::all(view)), Block::Gap]);
        blocks.extend(remembered::sizes(view));
        for rows in [steps::steps(view), remembered::listing(view)] {
            blocks.extend([Block::Gap, Block::Rows(rows)]);
        }
    }
    if options.verbosity > 1 {
        blocks.extend([Block::Gap, Block::Rows(steps::evidence(view))]);
    }
    blocks
}

/// How a pass decides, for a page that tells elsewhere what was found in it.
pub(super) fn decision(trace: &Trace, options: &TextOptions) -> Vec<Block<'static>> {
    let view = View::of(trace, options);
    let (answer, _) = verdict::answer(view);
    let mut blocks = vec![Block::Prose(answer)];
    blocks.extend(metrics::metrics(view));
    blocks.push(Block::Rows(stages::stages(view)));
    blocks.extend(pods::set_aside(view));
    let rows = pods::pods(view).into_iter();
    blocks.push(Block::Rows(rows.chain(basis::sure(view)).collect()));
    blocks
}

/// The origin of a value in a word.
fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Given => "given",
        Origin::Observed => "read",
        Origin::Assumed => "assumed default",
    }
}

/// Which HPA, and what the next pass does.
fn header(view: View) -> Title {
    let trace = view.trace;
    let hpa = [trace.namespace.as_str(), &trace.name];
    let moment = moment(trace.at, view.options, DAY);
    Title {
        shortens: true,
        ..Title::of(hpa, &trace.target, answer(view), moment)
    }
}

/// What was given to this run in place of what is known of the controller, in
/// a sentence.
fn given(view: View) -> Option<String> {
    let basis = &view.trace.basis;
    let settings = basis.settings.iter();
    let given = settings.filter(|setting| setting.origin == Origin::Given);
    let mut parts: Vec<String> = given.map(setting).collect();
    if basis.release.origin == Origin::Given {
        parts.push(basis.release.describe());
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What the next pass does to the size.
fn answer(view: View) -> String {
    let outcome = &view.trace.outcome;
    let current = outcome.current_replicas;
    let outlook = view.trace.outlook.as_ref();
    let next = outlook.and_then(|outlook| Some(outlook.next_pass?.replicas));
    match (outcome.desired_replicas, outcome.rescale) {
        (Some(desired), Some(true)) => match next.unwrap_or(Range::of(desired)) {
            next if next == Range::of(current) => format!("stays at {current}"),
            next if next == Range::of(desired) => {
                format!("{current} → {desired} at the next pass")
            }
            next => format!(
                "{current} → {desired} now, {} at the next pass",
                range(next)
            ),
        },
        // What holds it now is over by then.
        (Some(_), _) if next.is_some_and(|next| !next.contains(current)) => {
            open_answer(current, next)
        }
        // A pass that fails leaves status.desiredReplicas as it was.
        (Some(_), _) => format!("stays at {current}"),
        (None, _) if is_blind(view) => format!("{current}* → unknown"),
        (None, _) => open_answer(current, next.or(outcome.possible)),
    }
}

fn open_answer(current: i32, possible: Option<Range>) -> String {
    let Some(possible) = possible else {
        return format!("{current} → unknown");
    };
    if let Some(only) = possible.single() {
        return if only == current {
            format!("stays at {current}")
        } else {
            format!("{current} → {only}")
        };
    }
    format!("{current} → {} at the next pass", range(possible))
}
