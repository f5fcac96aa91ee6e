//! What the columns of the table show of an HPA.

use crate::render::Summary;
use crate::render::text::page::{Page, Tone};
use crate::trace::{Code, CodeKind, Role, Severity, Word};

use super::age::age;

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Namespace,
    Name,
    Target,
    Replicas,
    Bounds,
    Metrics,
    Verdict,
    Since,
    Findings,
    Age,
}

/// How a column gives way where there is little room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Give {
    /// Not at all.
    Nothing,
    /// A name: its middle is left out.
    Middle,
    /// A text: its end is cut off.
    End,
}

impl Column {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Namespace => "NAMESPACE",
            Self::Name => "NAME",
            Self::Target => "TARGET",
            Self::Replicas => "REPLICAS",
            Self::Bounds => "MIN..MAX",
            Self::Metrics => "METRICS",
            Self::Verdict => "VERDICT",
            Self::Since => "SINCE",
            Self::Findings => "FINDINGS",
            Self::Age => "AGE",
        }
    }

    pub(super) fn give(self) -> Give {
        match self {
            Self::Namespace | Self::Name | Self::Target => Give::Middle,
            Self::Metrics | Self::Verdict | Self::Findings => Give::End,
            Self::Replicas | Self::Bounds | Self::Since | Self::Age => Give::Nothing,
        }
    }

    /// What is left to it before others have to go.
    pub(super) fn least(self) -> usize {
        match self {
            Self::Namespace | Self::Name | Self::Metrics => 12,
            Self::Target | Self::Findings => 16,
            Self::Verdict => 24,
            Self::Replicas | Self::Bounds | Self::Since | Self::Age => usize::MAX,
        }
    }

    /// Its width where a row is written before the next one is known.
    pub(super) fn usual(self) -> usize {
        match self {
            Self::Namespace | Self::Name | Self::Target | Self::Findings => 24,
            Self::Replicas => 10,
            Self::Bounds => 8,
            Self::Metrics => 20,
            Self::Verdict => 36,
            Self::Since | Self::Age => 5,
        }
    }

    /// Whether it goes where there is no room for all.
    pub(super) fn goes(self) -> bool {
        self == Self::Since
    }
}

/// An HPA as the table shows it.
pub(super) struct HpaRow {
    pub(super) cells: Vec<Cell>,
}

/// A cell: its texts, harmless, the longest first, of which the first that
/// fits is shown.
pub(super) struct Cell {
    pub(super) tone: Tone,
    pub(super) texts: Vec<String>,
}

impl HpaRow {
    pub(super) fn titles(columns: &[Column]) -> Self {
        let cells = columns.iter().map(|column| Cell {
            tone: Tone::Plain,
            texts: vec![column.title().to_owned()],
        });
        Self {
            cells: cells.collect(),
        }
    }

    /// An HPA whose verdict has the mark where it is of the last pass.
    pub(super) fn of(page: Page, summary: &Summary, columns: &[Column], mark: &str) -> Self {
        let has_findings = columns.contains(&Column::Findings);
        let cells = columns.iter().map(|column| {
            let (tone, texts) = match column {
                Column::Verdict => (summary.tone, verdict(summary, has_findings, mark)),
                other => (Tone::Plain, vec![text(summary, *other)]),
            };
            Cell {
                tone,
                texts: texts.iter().map(|text| page.clean(text)).collect(),
            }
        });
        Self {
            cells: cells.collect(),
        }
    }
}

fn text(summary: &Summary, column: Column) -> String {
    let known = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    match column {
        Column::Namespace => summary.namespace.clone(),
        Column::Name => summary.name.clone(),
        Column::Target => known(summary.target.clone()),
        Column::Replicas => summary.replicas(),
        Column::Bounds => {
            let bounds = summary.min_replicas.zip(summary.max_replicas);
            known(bounds.map(|(min, max)| format!("{min}..{max}")))
        }
        Column::Metrics => known(Some(summary.metrics.clone()).filter(|text| !text.is_empty())),
        Column::Since => known(
            summary
                .since
                .zip(summary.at)
                .map(|(from, at)| age(from, at)),
        ),
        Column::Findings => known(codes(summary)),
        Column::Age => {
            let created = summary.creation_timestamp.zip(summary.at);
            known(created.map(|(from, at)| age(from, at)))
        }
        Column::Verdict => summary.headline.clone(),
    }
}

/// The codes of what was found, what is benign left out.
fn codes(summary: &Summary) -> Option<String> {
    let findings = summary.findings.iter();
    let told = findings.filter(|finding| finding.role != Role::Benign);
    let codes: Vec<&str> = told.map(|finding| finding.code.as_str()).collect();
    (!codes.is_empty()).then(|| codes.join(","))
}

/// The verdict, and what was found where that says more than it.
fn verdict(summary: &Summary, has_findings: bool, mark: &str) -> Vec<String> {
    let mark = if summary.last_pass.is_some() {
        mark
    } else {
        ""
    };
    let (verdict, brief) = (&summary.headline, &summary.brief);
    if let Some(error) = &summary.error {
        return vec![format!("{verdict}: {error}")];
    }
    let mut texts = vec![format!("{verdict}{mark}")];
    // In brackets it reads as the reason, which a habit never is.
    let explains = |code: Code| !code.is(CodeKind::Habit);
    let worst = summary.worst_of(explains).filter(|_| !has_findings);
    let worst = worst.filter(|worst| worst.severity >= Severity::Warning);
    // The mark says it, and below the table stands why.
    let is_marked = |code: Code| !mark.is_empty() && code == Code::MetricUnreadable;
    let worst = worst.filter(|worst| !is_marked(worst.code));
    let says_more = |code: Code| !is_said(summary.verdict.word, code);
    if let Some(code) = worst
        .map(|worst| worst.code)
        .filter(|code| says_more(*code))
    {
        let code = code.as_str();
        texts.insert(0, format!("{verdict} ({code}){mark}"));
        texts.push(format!("{brief} ({code}){mark}"));
    } else {
        texts.push(format!("{brief}{mark}"));
    }
    texts
}

/// `At max, 3 short` needs no `at-max`.
const fn is_said(word: Word, code: Code) -> bool {
    matches!(
        (word, code),
        (Word::AtMax, Code::AtMax) | (Word::Paused, Code::Paused)
    )
}
