//! Numbers and amounts of a metric as people read them in formulas and tables: the one
//! place that knows which unit a metric has.

use super::{Fill, FilledIn, Measured, MetricRecord, MetricResult, TargetRecord};
use crate::api::TargetKind;
use crate::api::names::is_huge_page;

/// The middle one of some values; of an even number, the greater one of two.
pub fn median<T: Copy + Ord>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// `1 pod`, `2 pods`.
pub fn counted(count: impl TryInto<usize>, noun: &str) -> String {
    let count = count.try_into().unwrap_or_default();
    format!("{count} {noun}{}", plural(count, "", "s"))
}

/// The word that goes with so many.
pub fn plural<'w>(count: impl TryInto<usize>, one: &'w str, many: &'w str) -> &'w str {
    let is_one = count.try_into().is_ok_and(|count| count == 1);
    if is_one { one } else { many }
}

/// The first few names, and how many more there are.
pub fn some<S: AsRef<str>>(names: &[S], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    let shown = shown.join(", ");
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// How amounts of a metric are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Cores,
    Bytes,
    Plain,
}

fn unit(name: &str, is_resource: bool) -> Unit {
    match name {
        "cpu" if is_resource => Unit::Cores,
        "memory" | "ephemeral-storage" if is_resource => Unit::Bytes,
        name if is_resource && is_huge_page(name) => Unit::Bytes,
        _ => Unit::Plain,
    }
}

/// An amount of a metric, given in thousandths, rounded to what a person
/// reads.
pub fn amount(metric: &MetricRecord, milli: i64) -> String {
    amount_of(&metric.source.name, metric.is_of_resource(), milli)
}

/// The same in a sentence, where a bare number would leave its unit open:
/// `1 core`, `750m`.
pub fn amount_in_words(metric: &MetricRecord, milli: i64) -> String {
    in_words(&metric.source.name, metric.is_of_resource(), milli)
}

/// The same of a metric that has only a name, of a resource or not.
pub fn in_words(name: &str, is_resource: bool, milli: i64) -> String {
    let text = amount_of(name, is_resource, milli);
    match milli {
        _ if unit(name, is_resource) != Unit::Cores || !is_many_cores(milli) => text,
        1_000 => "1 core".to_owned(),
        _ => format!("{text} cores"),
    }
}

/// Whether an amount is written in cores, and not in thousandths of one.
pub fn is_in_cores(metric: &MetricRecord, milli: i64) -> bool {
    unit(&metric.source.name, metric.is_of_resource()) == Unit::Cores && is_many_cores(milli)
}

/// Whether cores are written as such: whole ones, and many.
pub const fn is_many_cores(milli: i64) -> bool {
    milli % 1000 == 0 || milli.unsigned_abs() >= 10_000
}

/// A fraction as `kubectl` shows it and as a number: `1334m = 1.334`.
pub fn as_in_kubectl(metric: &MetricRecord, milli: i64) -> String {
    let is_plain = unit(&metric.source.name, metric.is_of_resource()) == Unit::Plain;
    match milli % 1000 {
        0 => amount(metric, milli),
        _ if is_plain => format!("{milli}m = {}", milli_text(milli)),
        _ => amount(metric, milli),
    }
}

/// The same of a metric that has only a name, of a resource or not.
pub fn amount_of(name: &str, is_resource: bool, milli: i64) -> String {
    let value = thousandths(milli);
    match unit(name, is_resource) {
        Unit::Cores if is_many_cores(milli) => short(value, 1),
        Unit::Cores => format!("{milli}m"),
        Unit::Bytes => scaled(value, 1024.0, &["", "Ki", "Mi", "Gi", "Ti", "Pi"]),
        Unit::Plain if milli.unsigned_abs() < 100_000_000 => plain(milli),
        Unit::Plain => scaled(value, 1000.0, &["", "k", "M", "G", "T", "P"]),
    }
}

/// Below 10 every thousandth can matter, above 1000 not even a tenth does.
fn plain(milli: i64) -> String {
    let places = match milli.unsigned_abs() {
        0..1_000 => 3,
        1_000..10_000 => 2,
        10_000..1_000_000 => 1,
        _ => 0,
    };
    short(thousandths(milli), places)
}

fn scaled(value: f64, base: f64, units: &[&str]) -> String {
    let mut value = value;
    let mut units = units.iter();
    let mut unit = units.next().copied().unwrap_or_default();
    while value.abs() >= base {
        let Some(next) = units.next() else { break };
        value /= base;
        unit = next;
    }
    format!("{}{unit}", short(value, 1))
}

#[expect(clippy::cast_precision_loss, reason = "the text shows a few digits")]
fn thousandths(milli: i64) -> f64 {
    milli as f64 / 1000.0
}

/// An amount exactly, with its unit.
pub fn exact_amount(metric: &MetricRecord, milli: i64) -> String {
    match unit(&metric.source.name, metric.is_of_resource()) {
        Unit::Cores => format!("{milli}m"),
        Unit::Bytes => format!("{} bytes", milli_text(milli)),
        Unit::Plain => milli_text(milli),
    }
}

/// A ratio in two places, or in as many as show on which side of the
/// tolerance it lies.
pub fn ratio(measured: &Measured) -> String {
    let ratio = measured.ratio;
    if !ratio.is_finite() || ratio.abs() >= 1e6 {
        return format!("{ratio:.1e}");
    }
    for places in 2..10 {
        let text = format!("{ratio:.places$}");
        let shown: f64 = text.parse().unwrap_or(ratio);
        let looks_within = shown >= measured.tolerated_from && shown <= measured.tolerated_to;
        if looks_within == measured.within_tolerance {
            return text;
        }
    }
    short(ratio, 12)
}

/// The tolerated ratios.
pub fn tolerated(measured: &Measured) -> String {
    let edge = |value: f64| {
        let text = short(value, 4);
        match text.split_once('.') {
            Some((_, places)) if places.len() >= 2 => text,
            _ => format!("{value:.2}"),
        }
    };
    let [from, to] = [measured.tolerated_from, measured.tolerated_to].map(edge);
    format!("{from}..{to}")
}

/// What a metric was measured at, as the table's NOW.
pub fn now(metric: &MetricRecord, measured: &Measured) -> String {
    match (measured.utilization, measured.average) {
        (Some(percent), _) => format!("{percent}%"),
        // Of no replicas there is no average.
        (None, Some(average)) if measured.count != 0 => amount(metric, average),
        _ => amount(metric, measured.total),
    }
}

/// What the last pass saw of a metric that we may not read; the mark says
/// that it comes from the HPA's status.
pub fn reported(metric: &MetricRecord) -> Option<String> {
    let Some(MetricResult::Unreadable { reported, .. }) = &metric.result else {
        return None;
    };
    let current = reported.as_ref()?.current()?;
    let quantity = current.average_value.as_ref().or(current.value.as_ref());
    let text = match (current.average_utilization, quantity) {
        (Some(percent), _) => format!("{percent}%"),
        (None, Some(quantity)) => amount(metric, quantity.milli_value()),
        (None, None) => return None,
    };
    Some(format!("{text}*"))
}

/// What a metric is aimed at, as the table's TARGET.
pub fn target(metric: &MetricRecord) -> String {
    let value = |target: TargetRecord| in_unit_of_target(metric, target.value);
    metric.target.map_or_else(|| "none".to_owned(), value)
}

/// The same with what a percentage comes to for a pod: `60% (300m)`.
pub fn target_in_units(metric: &MetricRecord) -> String {
    let text = target(metric);
    let percent = metric.target.filter(|_| metric.is_utilization());
    let measured = metric.measured.as_ref();
    let request = measured.and_then(|it| it.requests?.checked_div(it.count));
    match percent.zip(request) {
        Some((percent, request)) => {
            let units = i128::from(request) * i128::from(percent.value) / 100;
            let units = i64::try_from(units).unwrap_or(i64::MAX);
            format!("{text} ({})", amount_in_words(metric, units))
        }
        None => text,
    }
}

/// A value in the unit of the metric's target: given in percent for a
/// utilization, thousandths otherwise.
pub fn in_unit_of_target(metric: &MetricRecord, value: i64) -> String {
    match metric.target.map(|target| target.kind) {
        Some(TargetKind::Utilization) => format!("{value}%"),
        _ => amount(metric, value),
    }
}

/// Whether that text is the value itself, not one that was rounded.
pub fn is_exact_in_unit_of_target(metric: &MetricRecord, value: i64) -> bool {
    let text = amount(metric, value);
    metric.is_utilization() || text == milli_text(value) || text == format!("{value}m")
}

/// What was filled in: how many pods, and as what each counted. Groups that
/// counted as the same are one.
pub fn fills(metric: &MetricRecord, filled: &FilledIn) -> Vec<(usize, String)> {
    let mut fills: Vec<(usize, String)> = Vec::new();
    for fill in [filled.missing, filled.unready].into_iter().flatten() {
        let value = counted_as(metric, fill);
        match fills.iter_mut().find(|(_, known)| *known == value) {
            Some((pods, _)) => *pods += fill.pods,
            None => fills.push((fill.pods, value)),
        }
    }
    fills
}

/// What each pod that was filled in counted as.
pub fn counted_as(metric: &MetricRecord, fill: Fill) -> String {
    in_unit_of_target(metric, fill.counted_as)
}

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
    let shown = shown.map(|(count, unit)| format!("{count}{unit}"));
    let shown: String = shown.collect();
    if shown.is_empty() {
        return "0s".to_owned();
    }
    format!("{sign}{shown}")
}

#[cfg(test)]
mod tests {
    use super::{exact_seconds_text, milli_text, plain, scaled, seconds_text, short};

    #[test]
    fn amounts_read_without_ballast() {
        assert_eq!(plain(12_334), "12.3");
        assert_eq!(plain(1_334), "1.33");
        assert_eq!(plain(15), "0.015");
        assert_eq!(plain(1_600_000), "1600");
        let units = ["", "Ki", "Mi"];
        assert_eq!(scaled(171_502_796.8, 1024.0, &units), "163.6Mi");
        assert_eq!(scaled(-2048.0, 1024.0, &units), "-2Ki");
        assert_eq!(scaled(f64::from(1 << 30), 1024.0, &units), "1024Mi");
    }

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
