//! What the columns of the table show of an HPA.

use jiff::Timestamp;

use super::ListOptions;
use crate::render::Summary;
use crate::render::block::Cell;
use crate::render::text::page::Page;
use crate::trace::{Code, CodeKind, Role, Severity};

/// The most columns of a text: no name that the API takes is longer.
const LONGEST: usize = 253;

/// The cells of an HPA, harmless; its verdict has the mark where it is of the
/// last pass.
pub(super) fn cells(page: Page, summary: &Summary, columns: &ListOptions, mark: &str) -> Vec<Cell> {
    let is_wide = columns.wide;
    let known = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let since = |from: Option<Timestamp>| {
        let both = from.zip(summary.at);
        known(both.map(|(from, at)| age(from, at)))
    };
    let bounds = summary.min_replicas.zip(summary.max_replicas);
    let bounds = bounds.map(|(min, max)| format!("{min}..{max}"));
    let metrics = Some(summary.metrics.clone()).filter(|text| !text.is_empty());
    let verdict = Cell {
        tone: summary.tone,
        ..Cell::sentences("VERDICT", verdict(summary, is_wide, mark))
    };
    let cells = [
        (
            columns.namespaces,
            Cell::text("NAMESPACE", summary.namespace.clone()),
        ),
        (true, Cell::text("NAME", summary.name.clone())),
        (is_wide, Cell::text("TARGET", known(summary.target.clone()))),
        (true, Cell::text("REPLICAS", summary.replicas())),
        (is_wide, Cell::text("MIN..MAX", known(bounds))),
        (is_wide, Cell::text("METRICS", known(metrics))),
        (true, verdict),
        (true, Cell::text("SINCE", since(summary.since))),
        (is_wide, Cell::text("FINDINGS", known(codes(summary)))),
        (
            is_wide,
            Cell::text("AGE", since(summary.creation_timestamp)),
        ),
    ];
    let cells = cells.into_iter().filter(|(is_shown, _)| *is_shown);
    let cells = cells.map(|(_, cell)| Cell {
        text: if cell.column.wraps {
            page.reason(&cell.text, LONGEST)
        } else {
            page.name(&cell.text, LONGEST)
        },
        ..cell
    });
    cells.collect()
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

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::age;

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
}
