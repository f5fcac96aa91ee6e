//! Numbers as people read them in formulas and tables.

/// A number with at most `places` decimals, without trailing zeros.
pub fn short(value: f64, places: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let text = format!("{value:.places$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A quotient in four places, or in as many as it takes to tell it from
/// nothing.
pub fn quotient(value: f64) -> String {
    let tells = |places: &usize| short(value.abs(), *places) != short(0.0, *places);
    let places = (4..=20).find(|places| value.total_cmp(&0.0).is_eq() || tells(places));
    places.map_or_else(|| format!("{value:e}"), |places| short(value, places))
}

/// Thousandths as a plain number, exactly: 18 500 reads `18.5`.
pub fn milli_text(milli: i64) -> String {
    let sign = if milli < 0 { "-" } else { "" };
    let (whole, thousandths) = (milli.unsigned_abs() / 1000, milli.unsigned_abs() % 1000);
    if thousandths == 0 {
        return format!("{sign}{whole}");
    }
    let fraction = format!("{thousandths:03}");
    format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
}

/// Seconds as people say them: `45s`, `2m45s`, `3h`, `2d4h`.
pub fn seconds_text(seconds: i64) -> String {
    let total = seconds.unsigned_abs();
    let (days, hours) = (total / 86_400, total / 3600 % 24);
    let (minutes, rest) = (total / 60 % 60, total % 60);
    let parts = [(days, "d"), (hours, "h"), (minutes, "m"), (rest, "s")];
    // Two units are precise enough at every size.
    let shown = parts.into_iter().skip_while(|(count, _)| *count == 0);
    signed(seconds, shown.take(2))
}

/// Seconds to the last one, for lists in which two moments must not look the
/// same: `45s`, `2m45s`, `1h2m45s`, `52h`.
pub fn exact_seconds_text(seconds: i64) -> String {
    let total = seconds.unsigned_abs();
    let (hours, minutes) = (total / 3600, total / 60 % 60);
    let parts = [(hours, "h"), (minutes, "m"), (total % 60, "s")];
    signed(seconds, parts.into_iter())
}

fn signed(seconds: i64, parts: impl Iterator<Item = (u64, &'static str)>) -> String {
    let sign = if seconds < 0 { "-" } else { "" };
    let shown = parts.filter(|(count, _)| *count > 0);
    let shown: Vec<String> = shown
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    let shown = shown.concat();
    if shown.is_empty() {
        return "0s".to_owned();
    }
    format!("{sign}{shown}")
}

#[cfg(test)]
mod tests {
    use super::{exact_seconds_text, milli_text, seconds_text, short};

    #[test]
    fn moments_that_differ_look_different() {
        let rows = [
            (0, "0s"),
            (45, "45s"),
            (930, "15m30s"),
            (3_600, "1h"),
            (3_615, "1h15s"),
            (3_765, "1h2m45s"),
            (187_215, "52h15s"),
            (-90, "-1m30s"),
        ];
        for (seconds, text) in rows {
            assert_eq!(exact_seconds_text(seconds), text);
        }
        assert_eq!(rows.len(), 8);
    }

    #[test]
    fn numbers_read_without_ballast() {
        assert_eq!(short(2.5, 2), "2.5");
        assert_eq!(short(1.0, 4), "1");
        assert_eq!(short(0.920_000_1, 4), "0.92");
        assert_eq!(short(f64::INFINITY, 2), "inf");
        assert_eq!(milli_text(18_500), "18.5");
        assert_eq!(milli_text(-250), "-0.25");
        assert_eq!(milli_text(i64::MIN), "-9223372036854775.808");
    }

    #[test]
    fn seconds_read_in_at_most_two_units() {
        let rows = [
            (0, "0s"),
            (45, "45s"),
            (165, "2m45s"),
            (180, "3m"),
            (3 * 3600 + 5, "3h"),
            (2 * 86_400 + 4 * 3600, "2d4h"),
            (-30, "-30s"),
        ];
        for (seconds, text) in rows {
            assert_eq!(seconds_text(seconds), text);
        }
    }
}
