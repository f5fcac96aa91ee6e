//! What a document says, in blocks: every format lays out the same ones.

use std::borrow::Cow;

use super::chart::{Curve, Timeline};
use super::text::Tone;
use crate::api::CrossVersionObjectReference;
use crate::trace::{Fact, Finding, MergePatch, Overwritten, Remedy, ShellCommand};

/// A document before any format lays it out.
pub struct Blocks<'a>(pub(super) Vec<Block<'a>>);

/// A part of a document.
pub(super) enum Block<'a> {
    /// What belongs together ends: a blank line on a page.
    Gap,
    Title(Title),
    Prose(Prose),
    Facts(Facts),
    Table(Table),
    Curve(Curve<'a>),
    /// A command to run.
    Command(ShellCommand),
    /// Paragraphs in columns: every format shows them as a page aligns them.
    Rows(Vec<Prose>),
    /// Curves in one chart; only a page for a browser has it.
    Timeline(Timeline<'a>),
    /// Passes in a row; only a page for a browser has them.
    Passes(Vec<PassEntry<'a>>),
    /// What only a page needs; other formats leave it out.
    Page(Vec<Block<'a>>),
    /// What only formats without a width have room for.
    Beyond(Vec<Block<'a>>),
}

/// Passes in a row that decided the same.
pub(super) struct PassEntry<'a> {
    /// When, and how many.
    pub(super) begins: String,
    /// The decision in words.
    pub(super) says: String,
    /// What it is, by which it is found.
    pub(super) kinds: Vec<PassKind>,
    /// The pass that it begins with.
    pub(super) page: Vec<Block<'a>>,
}

/// What passes can be found by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PassKind {
    /// The size changes.
    Change,
    /// Something is found that somebody should look at.
    Finding,
    /// It is not what it is compared with.
    Difference,
}

impl PassKind {
    /// The word that a page shows, and its style sheet has.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Finding => "finding",
            Self::Difference => "difference",
        }
    }
}

impl PassEntry<'_> {
    /// So many passes, and what they are found by. Nothing is behind the entry.
    pub(super) fn of<const N: usize>(
        begins: &str,
        count: usize,
        says: String,
        kinds: [(PassKind, bool); N],
    ) -> Self {
        let begins = match count {
            1 => begins.to_owned(),
            several => format!("{begins}, {several} passes"),
        };
        let kinds = kinds.into_iter().filter(|(_, is_it)| *is_it);
        Self {
            begins,
            says,
            kinds: kinds.map(|(kind, _)| kind).collect(),
            page: Vec::new(),
        }
    }
}

/// What a document is about, and the answer.
pub(super) struct Title {
    /// The HPA, its target, the answer.
    pub(super) parts: [String; 3],
    /// The moment that it is about, with its day.
    pub(super) moment: String,
    /// Whether a narrow page shortens the names.
    pub(super) shortens: bool,
}

/// A paragraph.
#[derive(Clone)]
pub(super) struct Prose {
    pub(super) begins: (Tone, String),
    pub(super) wraps: Wrap,
    pub(super) text: String,
    pub(super) tone: Tone,
    /// Whether backticks mark commands: a text from outside can have any.
    pub(super) marks_commands: bool,
}

/// How a paragraph goes on where a line ends.
#[derive(Clone)]
pub(super) enum Wrap {
    /// At the left edge.
    Flows,
    /// Behind what it begins with.
    Hangs,
    /// At the left edge; where it fits, a page for a browser keeps its blanks, too.
    Columns,
    /// As a shell reads it back. What nobody can paste is left out.
    Command(ShellCommand),
    /// Behind the sign of a shell's comment in each of its lines, for whoever pastes all
    /// of it.
    Comment,
}

/// Sentences about the same thing.
pub(super) struct Facts {
    /// What they are about, if that is to be said.
    pub(super) title: String,
    /// The columns of the title before the first of them; 0 where it has a
    /// line of its own.
    pub(super) lead: usize,
    pub(super) items: Vec<Item>,
}

/// A sentence, and what belongs below it.
#[derive(Default)]
pub(super) struct Item {
    /// What of several it is about.
    pub(super) name: String,
    pub(super) says: String,
    /// What to run, or to change.
    pub(super) remedy: Option<Remedy>,
    /// The code of a finding, which a page tells more about.
    pub(super) code: Option<&'static str>,
    /// The pass that shows it, by its number on a page.
    pub(super) pass: Option<usize>,
    pub(super) below: Vec<Item>,
}

/// A table before its layout.
#[derive(Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    /// Whether a narrow page shortens the names in the first column, as long as
    /// these differ.
    pub(super) shortens: bool,
    /// The most columns of a line, where that is not what the page has.
    pub(super) width: Option<usize>,
    /// What it has of its own where it looks like a table of kubectl.
    pub(super) as_kubectl: Option<AsKubectl>,
}

/// A table that looks like one of kubectl, because it answers the same question.
#[derive(Clone, Copy)]
pub(super) struct AsKubectl {
    /// How many columns, the first ones, name what a row is about.
    pub(super) names: usize,
    /// Whether there are titles where the columns are aligned.
    pub(super) has_titles: bool,
}

/// A column of a table.
#[derive(Clone)]
pub(super) struct Column {
    pub(super) title: Cow<'static, str>,
    pub(super) is_number: bool,
    /// Whether long cells go on in further lines, as names do.
    pub(super) wraps: bool,
}

/// What a row has in a column.
pub(super) struct Cell {
    pub(super) column: Column,
    pub(super) text: String,
    pub(super) tone: Tone,
}

/// A row of a table.
#[derive(Default)]
pub(super) struct Row {
    /// Whether this line is the one that decides.
    pub(super) is_marked: bool,
    pub(super) cells: Vec<Cell>,
    /// Remarks that belong to the row.
    pub(super) notes: Vec<Prose>,
}

impl Title {
    /// A title with the moment, or what else there is room for.
    pub(super) fn of(
        [namespace, name]: [&str; 2],
        target: &CrossVersionObjectReference,
        answer: String,
        moment: String,
    ) -> Self {
        let hpa = format!("{namespace}/{name}");
        Self {
            parts: [hpa, format!("{}/{}", target.kind, target.name), answer],
            moment,
            shortens: false,
        }
    }
}

impl Prose {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self::behind("", text)
    }

    /// A paragraph behind a word, or blanks.
    pub(super) fn behind(begins: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            begins: (Tone::Plain, begins.into()),
            wraps: Wrap::Hangs,
            text: text.into(),
            tone: Tone::Plain,
            marks_commands: false,
        }
    }

    /// A sentence of our own that names commands between backticks.
    pub(super) fn with_commands(text: impl Into<String>) -> Self {
        Self {
            marks_commands: true,
            ..Self::plain(text)
        }
    }

    /// A command behind blanks.
    pub(super) fn command(begins: impl Into<String>, command: &ShellCommand) -> Self {
        Self {
            wraps: Wrap::Command(command.clone()),
            ..Self::behind(begins, command.to_string())
        }
    }

    /// A line whose blanks mean something: a title, or a row of columns.
    pub(super) fn line(text: impl Into<String>) -> Self {
        Self::line_behind("", text)
    }

    /// The same behind blanks.
    pub(super) fn line_behind(begins: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            wraps: Wrap::Columns,
            ..Self::behind(begins, text)
        }
    }

    /// A paragraph whose first word stands out.
    pub(super) fn begun(begins: (Tone, &str), text: &str) -> Self {
        Self {
            begins: (begins.0, begins.1.to_owned()),
            wraps: Wrap::Flows,
            ..Self::plain(text)
        }
    }

    pub(super) fn toned(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }
}

impl Facts {
    /// Sentences of which each stands for itself.
    pub(super) fn of(says: impl IntoIterator<Item = String>) -> Self {
        Self {
            title: String::new(),
            lead: 0,
            items: says.into_iter().map(Item::of).collect(),
        }
    }

    /// Sentences behind a title of so many columns.
    pub(super) fn titled(title: &str, lead: usize, items: Vec<Item>) -> Self {
        Self {
            title: title.to_owned(),
            lead,
            items,
        }
    }

    /// Findings with their codes, their evidence and what helps.
    pub(super) fn of_findings(findings: &[Finding]) -> Self {
        let items = findings.iter().map(|finding| {
            let (severity, role) = (finding.severity, finding.role);
            let evidence = finding.evidence.iter().map(Item::of_fact);
            let remedies = finding.remedies.iter().map(Item::of_remedy);
            Item {
                below: evidence.chain(remedies).collect(),
                code: Some(finding.code.as_str()),
                ..Item::named(
                    finding.code.as_str(),
                    format!("({severity}, {role}): {}", finding.message),
                )
            }
        });
        Self::titled("Findings", 0, items.collect())
    }
}

impl From<String> for Item {
    fn from(says: String) -> Self {
        Self::of(says)
    }
}

impl Item {
    pub(super) fn of(says: String) -> Self {
        Self::named("", says)
    }

    pub(super) fn named(name: &str, says: String) -> Self {
        Self {
            name: name.to_owned(),
            says,
            ..Self::default()
        }
    }

    pub(super) fn of_fact(fact: &Fact) -> Self {
        Self::of(format!("{}: {}", fact.about, fact.says))
    }

    pub(super) fn of_remedy(remedy: &Remedy) -> Self {
        Self {
            remedy: Some(remedy.clone()),
            ..Self::of(remedy.says.clone())
        }
    }
}

impl Cell {
    fn of(
        title: impl Into<Cow<'static, str>>,
        (is_number, wraps): (bool, bool),
        text: String,
    ) -> Self {
        let title = title.into();
        let column = Column {
            title,
            is_number,
            wraps,
        };
        let tone = Tone::Plain;
        Self { column, text, tone }
    }

    /// A text that stays on its line, but for the names with which a row begins.
    pub(super) fn text(title: impl Into<Cow<'static, str>>, text: String) -> Self {
        Self::of(title, (false, false), text)
    }

    /// A number, or what stands for one.
    pub(super) fn number(title: &'static str, text: String) -> Self {
        Self::of(title, (true, false), text)
    }

    /// Sentences, which have the room that names leave.
    pub(super) fn sentences(title: &'static str, text: String) -> Self {
        Self::of(title, (false, true), text)
    }
}

impl Table {
    pub(super) fn of(rows: impl IntoIterator<Item = Row>) -> Self {
        Self {
            rows: rows.into_iter().collect(),
            ..Self::default()
        }
    }

    /// The columns, which all rows have.
    pub(super) fn columns(&self) -> impl Iterator<Item = &Column> {
        let first = self.rows.iter().take(1);
        first.flat_map(|row| &row.cells).map(|cell| &cell.column)
    }
}

impl Row {
    pub(super) fn of(cells: impl Into<Vec<Cell>>) -> Self {
        Self {
            cells: cells.into(),
            ..Self::default()
        }
    }
}

/// The command that applies a patch, and who writes over it.
pub(super) fn applied(patch: &MergePatch) -> Vec<Block<'static>> {
    let mut blocks = vec![match &patch.command {
        Some(command) => Block::Command(command.clone()),
        None => Block::Prose(Prose::behind(
            "  ",
            "a name in the patch cannot be typed; -o json has it",
        )),
    }];
    if let Some(overwritten) = &patch.overwritten {
        blocks.push(Block::Prose(Prose::plain(caveat(overwritten))));
        let command = overwritten.command.iter().cloned();
        blocks.extend(command.map(Block::Command));
    }
    blocks
}

/// That a patch does not last, and where the same change does.
fn caveat(overwritten: &Overwritten) -> String {
    let fields = overwritten.fields.iter();
    let fields = fields.map(|moved| format!("{} ({})", moved.there, moved.field));
    let fields = fields.collect::<Vec<_>>().join(", ");
    let by = &overwritten.by;
    format!(
        "KEDA created this HPA for {by} and will overwrite the patch. Make the change there instead: {fields}."
    )
}
