//! A demand from a file: a moment and a value a line.

use jiff::Timestamp;
use jiff::civil::DateTime;
use thiserror::Error;

use crate::api::{GoDuration, Quantity};

use super::{Shape, is_gap, usual};

/// No moment that is meant in seconds is this far from 1970.
const MILLISECONDS: f64 = 1e11;
/// More lines than this are not read.
const MOST_LINES: usize = 10_000_000;

/// Why a file is no demand.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct SeriesError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

/// Reads lines of `time,value`: a time is a number of seconds, a duration
/// such as `1m30s`, or a moment such as `2026-11-20T08:30:00Z`; a value is a
/// quantity such as `900m`, in the unit of the metric. Fractions of a second
/// are cut off. A first line without a time is a heading; empty lines, and
/// those that begin with `#`, are skipped.
///
/// The times begin at second 0, whatever the first one is. Returned with the
/// second of the last one.
///
/// # Errors
///
/// A line is none of this, the times do not grow, a part is missing, or fewer
/// than two lines are there.
pub fn read_csv(text: &str) -> Result<(Shape, i64), SeriesError> {
    let mut rows: Vec<(usize, i64, i64)> = Vec::new();
    let (mut is_first, mut forms) = (true, None);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if line > MOST_LINES {
            return Err(fault(line, format!("more than {MOST_LINES} lines")));
        }
        if std::mem::take(&mut is_first) && is_heading(content) {
            continue;
        }
        let (time, demand) = row(line, content)?;
        if let Some(before) = &forms.replace(time.is_moment)
            && *before != time.is_moment
        {
            return Err(fault(line, other_form(time.is_moment)));
        }
        let second = time.second;
        if let Some((_, before, _)) = rows.last()
            && second <= *before
        {
            return Err(fault(line, not_later(second == *before)));
        }
        rows.push((line, second, demand));
    }
    let (Some((line, first, _)), Some((_, last, _))) = (rows.first(), rows.last()) else {
        return Err(fault(1, "it has no line with a time and a value"));
    };
    let length = last - first;
    if length == 0 {
        let reason = "only one line has a time and a value; at least two are needed: the last time is where the load ends";
        return Err(fault(*line, reason));
    }
    if let Some((line, seconds, usual)) = gap(&rows) {
        let reason = format!(
            "a gap of {seconds}s where lines are {usual}s apart: write the demand in between"
        );
        return Err(fault(line, reason));
    }
    let steps = rows
        .iter()
        .map(|(_, second, demand)| (second - first, *demand));
    Ok((Shape::Steps(steps.collect()), length))
}

fn fault(line: usize, reason: impl Into<String>) -> SeriesError {
    let reason = reason.into();
    SeriesError { line, reason }
}

/// A time that is of another kind than those before cannot be compared.
fn other_form(is_moment: bool) -> String {
    let (moments, times) = (
        "moments such as 2026-11-20T08:30:00Z",
        "times since the start",
    );
    let (is, were) = if is_moment {
        (moments, times)
    } else {
        (times, moments)
    };
    format!("times from here on are {is}, but earlier ones are {were}: use one kind")
}

fn not_later(is_same_second: bool) -> &'static str {
    if is_same_second {
        "the time is in the same second as the one before: times are whole seconds"
    } else {
        "the time is not later than the one before: sort the lines by time"
    }
}

/// A first line of words: neither of its cells has a digit in front.
fn is_heading(line: &str) -> bool {
    let is_word = |cell: &str| {
        let cell = cell.trim().trim_matches('"');
        cell.starts_with(|letter: char| letter.is_alphabetic())
            && !cell.eq_ignore_ascii_case("nan")
            && !cell.eq_ignore_ascii_case("inf")
    };
    line.split(',').all(is_word)
}

/// A moment or a time since some start, in seconds.
struct Time {
    second: i64,
    is_moment: bool,
}

fn row(line: usize, content: &str) -> Result<(Time, i64), SeriesError> {
    let cells = content.split(',');
    let cells: Vec<&str> = cells.map(|it| it.trim().trim_matches('"')).collect();
    let [time, value] = cells.as_slice() else {
        let reason = match (cells.len(), separator(content)) {
            (1, Some(other)) => format!("cells are separated by {other}: write time,value"),
            (1, None) => "1 cell; write time,value".to_owned(),
            (count, _) => format!("{count} cells; write time,value"),
        };
        return Err(fault(line, reason));
    };
    let time = Time {
        second: second(line, time)?,
        is_moment: time.parse::<Timestamp>().is_ok(),
    };
    Ok((time, demand(line, value)?))
}

/// What stands between cells in place of a comma.
fn separator(line: &str) -> Option<&'static str> {
    let known = [(';', "semicolons"), ('\t', "tabs")];
    let mut found = known.into_iter().filter(|(mark, _)| line.contains(*mark));
    found.next().map(|(_, name)| name)
}

fn second(line: usize, time: &str) -> Result<i64, SeriesError> {
    if time.is_empty() {
        return Err(fault(line, "no time"));
    }
    let refused = || {
        let reason =
            format!("\"{time}\" is not a time; write it like 90, 1m30s or 2026-11-20T08:30:00Z");
        fault(line, reason)
    };
    if let Ok(number) = time.parse::<f64>() {
        if number.is_finite() && number.abs() >= MILLISECONDS {
            let reason = format!("{time} looks like milliseconds: write seconds");
            return Err(fault(line, reason));
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "checked against the bounds"
        )]
        let whole = number.floor() as i64;
        return number.is_finite().then_some(whole).ok_or_else(refused);
    }
    if let Ok(moment) = time.parse::<Timestamp>() {
        return Ok(moment.as_second());
    }
    if let Ok(moment) = time.parse::<DateTime>() {
        let reason = format!(
            "\"{time}\" has no time zone: write {moment}Z, or an offset such as {moment}+01:00"
        );
        return Err(fault(line, reason));
    }
    let duration: GoDuration = time.parse().map_err(|_| refused())?;
    Ok(duration.seconds())
}

fn demand(line: usize, value: &str) -> Result<i64, SeriesError> {
    if value.is_empty() {
        return Err(fault(line, "no value"));
    }
    let quantity: Quantity = value.parse().map_err(|_| {
        let reason = format!("\"{value}\" is not a value; write a number such as 1.5, 900m or 2k");
        fault(line, reason)
    })?;
    let float = quantity.as_approximate_float();
    if float < 0.0 {
        let reason = format!("{value} is negative; a demand is 0 or more");
        return Err(fault(line, reason));
    }
    if float > 9e15 {
        return Err(fault(line, format!("{value} is too large")));
    }
    Ok(quantity.milli_value())
}

/// The first line that is much later than the lines are apart.
fn gap(rows: &[(usize, i64, i64)]) -> Option<(usize, i64, i64)> {
    let pairs = || rows.iter().zip(rows.iter().skip(1));
    let distances = pairs().map(|((_, before, _), (line, second, _))| (*line, second - before));
    let usual = usual(distances.clone().map(|(_, distance)| distance))?;
    let mut distances = distances;
    let (line, wide) = distances.find(|(_, distance)| is_gap(*distance, usual))?;
    Some((line, wide, usual))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_values_in_their_forms() {
        let text = "time,value\n# a remark\n60,1.5\n1m15s,900m\n\n90,\"2k\"\n";
        let steps = vec![(0, 1_500), (15, 900), (30, 2_000_000)];
        assert_eq!(read_csv(text), Ok((Shape::Steps(steps), 30)));
        let text = "2026-11-20T08:00:00Z,1\n2026-11-20T08:00:30Z,2";
        let steps = vec![(0, 1_000), (30, 2_000)];
        assert_eq!(read_csv(text), Ok((Shape::Steps(steps), 30)));
    }

    #[test]
    fn what_is_wrong_names_its_line() {
        let rows = [
            ("", 1, "it has no line with a time and a value"),
            ("time,value\n", 1, "no line with"),
            ("0,1\n15,\n", 2, "no value"),
            ("0,1\n,4\n", 2, "no time"),
            ("0,1\n15,much\n", 2, "\"much\" is not a value"),
            ("0,1\n15,-4\n", 2, "-4 is negative"),
            ("0,NaN\n", 1, "\"NaN\" is not a value"),
            ("0,1\n15,inf\n", 2, "\"inf\" is not a value"),
            ("0,1\nNaN,2\n", 2, "\"NaN\" is not a time"),
            ("0,1\nsoon,2\n", 2, "\"soon\" is not a time"),
            ("0,1\n30,2\n15,3\n", 3, "not later than the one before"),
            ("0,1\n0,2\n", 2, "in the same second as the one before"),
            ("0.2,1\n0.7,2\n", 2, "times are whole seconds"),
            ("0s,1\n500ms,2\n", 2, "times are whole seconds"),
            ("0,1\n", 1, "only one line has a time and a value"),
            (
                "time,value\n7,1\n",
                2,
                "only one line has a time and a value",
            ),
            ("1732089600000,1\n", 1, "looks like milliseconds"),
            (
                "2026-11-20 08:00:00,1\n",
                1,
                "write 2026-11-20T08:00:00Z, or",
            ),
            ("2026-11-20T08:00,1\n", 1, "has no time zone"),
            ("0,1,2\n", 1, "3 cells"),
            ("0\n", 1, "1 cell;"),
            (
                "time;value\n0;1\n",
                2,
                "separated by semicolons: write time,value",
            ),
            ("0\t1\n", 1, "separated by tabs: write time,value"),
            ("time,value\nof,cpu\n0,1\n", 2, "\"of\" is not a time"),
            (
                "0,1\n2026-11-20T08:00:00Z,1\n",
                2,
                "times from here on are moments such as 2026",
            ),
            (
                "2026-11-20T08:00:00Z,1\n1763625615,1\n",
                2,
                "times from here on are times since the start",
            ),
            ("0,1\n15,1\n30,1\n45,1\n600,1\n", 5, "a gap of 555s"),
            ("0,9999999999999999999999\n", 1, "too large"),
        ];
        let mut refused = 0;
        for (text, line, reason) in rows {
            let error = read_csv(text).expect_err(text);
            assert_eq!(error.line, line, "{text:?}: {error}");
            assert!(error.reason.contains(reason), "{text:?}: {error}");
            refused += 1;
        }
        assert_eq!(refused, 28);
    }
}
