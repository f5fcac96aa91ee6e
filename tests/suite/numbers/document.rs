//! The numbers of a document, in every form in which a person may read them.

use std::collections::BTreeSet;

use hpa_explain::api::Quantity;
use hpa_explain::trace::amount::{amount, exact_amount};
use hpa_explain::trace::{MetricRecord, Source, seconds_text, short};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

/// What a document says in numbers.
pub struct Document {
    /// Every number that may be printed, as it may be printed.
    forms: BTreeSet<String>,
    /// Every moment.
    times: Vec<Timestamp>,
    /// The longest list: of so many at most some are left out.
    longest: usize,
}

impl Document {
    /// Collects the numbers.
    pub fn read(document: &Value) -> Self {
        let mut read = Self {
            forms: BTreeSet::new(),
            times: Vec::new(),
            longest: 0,
        };
        read.walk(document);
        let at = document["trace"]["at"].as_str();
        if let Some(at) = at.and_then(|at| at.parse().ok()) {
            read.ages(at);
        }
        read
    }

    fn walk(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => self.whole(whole),
                (None, Some(fraction)) => self.fraction(fraction),
                (None, None) => {}
            },
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.longest = self.longest.max(items.len());
                self.forms.insert(items.len().to_string());
                for item in items {
                    self.walk(item);
                }
            }
            Value::Object(fields) => {
                for field in fields.values() {
                    self.walk(field);
                }
            }
        }
    }

    /// A count, a percentage, seconds, or thousandths of a metric's unit.
    fn whole(&mut self, value: i64) {
        self.forms.insert(value.unsigned_abs().to_string());
        self.forms.extend(tokens(&seconds_text(value)));
        self.forms.insert(format!("{value}s"));
        self.forms.extend(tokens(&short(thousandths(value), 2)));
        for name in ["cpu", "memory", "requests"] {
            self.forms.extend(tokens(&amount(&metric(name), value)));
            self.forms
                .extend(tokens(&exact_amount(&metric(name), value)));
        }
        self.forms
            .extend(tokens(&hpa_explain::trace::milli_text(value)));
    }

    /// A ratio, a tolerance, or a flag's value.
    fn fraction(&mut self, value: f64) {
        for places in 1..18 {
            self.forms.extend(tokens(&format!("{value:.places$}")));
            self.forms.extend(tokens(&short(value, places)));
        }
        self.forms.extend(tokens(&format!("{value:.1e}")));
    }

    /// A name, a sentence or a moment.
    fn text(&mut self, text: &str) {
        if let Ok(time) = text.parse::<Timestamp>() {
            self.times.push(time);
            let time = time.round(jiff::Unit::Second).unwrap_or(time);
            let zoned = time.to_zoned(TimeZone::UTC);
            self.forms.insert(zoned.strftime("%H:%M:%S").to_string());
            self.forms.insert(zoned.strftime("%Y-%m-%d").to_string());
        }
        if let Ok(quantity) = text.parse::<Quantity>() {
            self.whole(quantity.milli_value());
        }
        self.forms.extend(tokens(text));
    }

    /// How long before or after the pass something is, and how far two
    /// moments of it are apart.
    fn ages(&mut self, at: Timestamp) {
        for time in &self.times {
            let age = at.duration_since(*time).as_secs();
            for age in [age, age.saturating_add(1), age.saturating_sub(1)] {
                self.forms.extend(tokens(&seconds_text(age)));
            }
        }
    }

    /// The numbers of a text that the document does not have.
    pub fn missing(&self, text: &str) -> Vec<String> {
        let mut missing = Vec::new();
        // The path of a request is one word, which the end of a line can cut.
        let before = std::iter::once("").chain(text.lines());
        let is_path = |line: &str| line.contains("/apis/");
        // What is counted can stand on the next line.
        let after = text.lines().skip(1).chain([""]);
        let lines = text.lines().zip(before).zip(after);
        let lines = lines.filter(|((line, before), _)| !is_path(line) && !is_path(before));
        for ((line, _), after) in lines.filter(|((line, _), _)| !is_drawn(line)) {
            let next = after.split_whitespace().next().unwrap_or_default();
            let counted = counted(&format!("{line} {next}"));
            for token in tokens(line) {
                let is_counted = counted
                    .iter()
                    .any(|count| *count < self.longest && token == count.to_string());
                if !is_counted && !self.forms.contains(&token) {
                    missing.push(format!("{token} in: {line}"));
                }
            }
        }
        missing
    }
}

#[expect(clippy::cast_precision_loss, reason = "the text shows a few digits")]
fn thousandths(value: i64) -> f64 {
    value as f64 / 1000.0
}

/// The scale of a chart.
fn is_drawn(line: &str) -> bool {
    line.contains(['┤', '└'])
}

/// The parts of a list that a line counts in place of showing them: `and 3
/// more`, `7 entries`, `12 pods: …`.
fn counted(line: &str) -> Vec<usize> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let pairs = words.windows(2).filter(|pair| {
        let what = pair[1].trim_end_matches([',', ';', ':']);
        matches!(what, "more" | "entries" | "events" | "passes") || pair[1] == "pods:"
    });
    pairs.filter_map(|pair| pair[0].parse().ok()).collect()
}

fn metric(name: &str) -> MetricRecord {
    MetricRecord {
        index: 0,
        kind: hpa_explain::api::MetricKind::Resource.into(),
        source: Source {
            name: name.to_owned(),
            ..Source::default()
        },
        target: None,
        pods: Vec::new(),
        groups: None,
        ready_pods: None,
        measured: None,
        filled_in: None,
        fallback: None,
        result: None,
    }
}

/// The numbers of a line: what begins with a digit, with the unit behind it.
/// A number that was cut is none.
pub fn tokens(line: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '_' | '-' | '…');
    let words = line.split(|c: char| !is_part(c));
    let words = words.flat_map(|word| word.split(".."));
    let words = words.map(|word| word.trim_matches(['.', ':', '-', '_']));
    let numbers = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let whole = numbers.filter(|word| !word.contains('…'));
    whole.map(str::to_owned).collect()
}
