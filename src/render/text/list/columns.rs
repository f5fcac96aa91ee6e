//! What the columns of the table show of an HPA.

use jiff::Timestamp;

use crate::render::Summary;
use crate::render::text::page::{Page, Tone};
use crate::trace::{Code, CodeKind, Role, Severity};

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

impl Column {
    pub(super) const fn title(self) -> &'static str {
        self.properties().0
    }

    /// What is left to it where its texts wrap.
    pub(super) const fn least(self) -> usize {
        self.properties().1
    }

    const fn properties(self) -> (&'static str, usize) {
        match self {
            Self::Namespace => ("NAMESPACE", 12),
            Self::Name => ("NAME", 12),
            Self::Target => ("TARGET", usize::MAX),
            Self::Replicas => ("REPLICAS", usize::MAX),
            Self::Bounds => ("MIN..MAX", usize::MAX),
            Self::Metrics => ("METRICS", usize::MAX),
            Self::Verdict => ("VERDICT", 24),
            Self::Since => ("SINCE", usize::MAX),
            Self::Findings => ("FINDINGS", usize::MAX),
            Self::Age => ("AGE", usize::MAX),
        }
    }
}

/// The titles, as the cells of a row.
pub(super) fn titles(columns: &[Column]) -> Vec<(Tone, String)> {
    let titles = columns.iter().map(|column| column.title().to_owned());
    titles.map(|title| (Tone::Plain, title)).collect()
}

/// The cells of an HPA, harmless; its verdict has the mark where it is of the
/// last pass.
pub(super) fn cells(
    page: Page,
    summary: &Summary,
    columns: &[Column],
    mark: &str,
) -> Vec<(Tone, String)> {
    let has_findings = columns.contains(&Column::Findings);
    let cells = columns.iter().map(|column| {
        let (tone, text) = match column {
            Column::Verdict => (summary.tone, verdict(summary, has_findings, mark)),
            other => (Tone::Plain, text(summary, *other)),
        };
        (tone, page.name(&text, LONGEST))
    });
    cells.collect()
}

fn text(summary: &Summary, column: Column) -> String {
    let known = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let since = |from: Option<Timestamp>| {
        let both = from.zip(summary.at);
        known(both.map(|(from, at)| age(from, at)))
    };
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
        Column::Since => since(summary.since),
        Column::Findings => known(codes(summary)),
        Column::Age => since(summary.creation_timestamp),
        Column::Verdict => summary.headline.clone(),
    }
}

/// The codes of what was found, what is benign left out.
fn codes(summary: &Summary) -> Option<String> {
    let findings = summary.findings.iter();
    let shown = findings.filter(|finding| finding.role != Role::Benign);
    let codes: Vec<&str> = shown.map(|finding| finding.code.as_str()).collect();
    (!codes.is_empty()).then(|| codes.join(","))
}

/// The verdict, and the code of the worst that was found.
fn verdict(summary: &Summary, has_findings: bool, mark: &str) -> String {
    let mark = if summary.last_pass.is_some() {
        mark
    } else {
        ""
    };
    let verdict = &summary.headline;
    if let Some(error) = &summary.error {
        return format!("{verdict}: {error}");
    }
    // The mark says it, and below the table stands why.
    let is_marked = |code: Code| !mark.is_empty() && code.is(CodeKind::Unread);
    let worst = summary.worst().filter(|worst| {
        !has_findings
            && worst.severity >= Severity::Warning
            && !is_marked(worst.code)
            // `At max: the metrics want 3 more` needs no `at-max`.
            && !worst.code.is(CodeKind::NamedBy(summary.verdict.word))
    });
    match worst {
        Some(worst) => format!("{verdict} ({}){mark}", worst.code.as_str()),
        None => format!("{verdict}{mark}"),
    }
}

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// The time between two moments: two units where the larger one alone would
/// say little (apimachinery `duration.HumanDuration`). `-` where the second
/// one comes first.
fn age(from: Timestamp, to: Timestamp) -> String {
    let seconds = to.duration_since(from).as_secs();
    let of = |unit: i64| seconds / unit;
    let both = |large: i64, large_unit: &str, small: i64, small_unit: &str| {
        let rest = seconds % large / small;
        if rest == 0 {
            return format!("{}{large_unit}", of(large));
        }
        format!("{}{large_unit}{rest}{small_unit}", of(large))
    };
    match seconds {
        ..0 => "-".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => both(MINUTE, "m", 1, "s"),
        600..10_800 => format!("{}m", of(MINUTE)),
        10_800..28_800 => both(HOUR, "h", MINUTE, "m"),
        28_800..172_800 => format!("{}h", of(HOUR)),
        172_800..691_200 => both(DAY, "d", HOUR, "h"),
        691_200..63_072_000 => format!("{}d", of(DAY)),
        63_072_000..252_288_000 => both(YEAR, "y", DAY, "d"),
        _ => format!("{}y", of(YEAR)),
    }
}

/// Between two columns, as kubectl has it.
pub(super) const GAP: usize = 3;

/// The most columns of a text: no name that the API takes is longer.
pub(super) const LONGEST: usize = 253;

/// The width of each column within `most`, where texts wrap; none where there
/// is no room for all of them.
pub(super) fn fit(columns: &[Column], natural: &[usize], most: usize) -> Option<Vec<usize>> {
    let both = columns.iter().zip(natural);
    let mut widths: Vec<usize> = both
        .map(|(column, natural)| column.least().min(*natural))
        .collect();
    let gaps = GAP * columns.len().saturating_sub(1);
    let mut left = most.checked_sub(gaps + widths.iter().sum::<usize>())?;
    // Names first; of them the short ones, so that they stay whole.
    let mut places: Vec<usize> = (0..columns.len()).collect();
    places.sort_by_key(|place| (columns[*place] == Column::Verdict, natural[*place]));
    for place in places {
        let more = left.min(natural[place].saturating_sub(widths[place]));
        widths[place] += more;
        left -= more;
    }
    Some(widths)
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::Column::{Name, Namespace, Replicas, Since, Verdict};
    use super::{GAP, age, fit};

    #[test]
    fn ages_are_as_kubectl_writes_them() {
        let rows = [
            (-1, "-"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (599, "9m59s"),
            (600, "10m"),
            (10_799, "179m"),
            (10_800, "3h"),
            (10_860, "3h1m"),
            (28_800, "8h"),
            (172_799, "47h"),
            (180_000, "2d2h"),
            (691_200, "8d"),
            (63_072_000, "2y"),
            (63_158_400, "2y1d"),
            (252_288_000, "8y"),
        ];
        for (seconds, expected) in rows {
            let from = Timestamp::UNIX_EPOCH;
            let to = from + SignedDuration::from_secs(seconds);
            assert_eq!(age(from, to), expected, "{seconds}");
        }
        assert_eq!(age(Timestamp::MAX, Timestamp::MIN), "-");
        assert_eq!(age(Timestamp::MIN, Timestamp::MAX), "20012y");
    }

    #[test]
    fn names_have_what_there_is_before_the_verdict() {
        let columns = [Namespace, Name, Replicas, Verdict, Since];
        let rows = [
            ([5, 9, 8, 60, 5], 78, Some([5, 9, 8, 39, 5])),
            ([5, 60, 8, 24, 5], 78, Some([5, 24, 8, 24, 5])),
            ([60, 5, 8, 24, 5], 78, Some([24, 5, 8, 24, 5])),
            ([60, 50, 8, 24, 5], 78, Some([12, 17, 8, 24, 5])),
            ([60, 50, 8, 24, 5], 200, Some([60, 50, 8, 24, 5])),
            ([60, 50, 8, 24, 5], 72, None),
            ([5, 9, 8, 60, 5], 40, None),
        ];
        for (natural, most, expected) in rows {
            let widths = fit(&columns, &natural, most);
            assert_eq!(widths, expected.map(Vec::from), "{natural:?} {most}");
            let used = widths.map(|widths| widths.iter().sum::<usize>() + 4 * GAP);
            assert!(used <= Some(most));
        }
    }
}
