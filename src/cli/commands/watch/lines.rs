//! A line a pass, for a pipe, and a line for what cannot be read.

use std::io::{self, Write};

use jiff::Timestamp;
use jiff::civil::Date;

use crate::history::{Agreement, Pass};
use crate::render::{TextOptions, escape};

const TITLES: &str = "TIME      SIZE           ASKS FOR  PREDICTION      WHY";

/// Writes lines; each day's first one comes after its date.
#[derive(Debug, Default)]
pub struct Lines {
    day: Option<Date>,
}

impl Lines {
    /// A pass.
    pub fn pass(
        &mut self,
        pass: &Pass,
        look: &TextOptions,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.day(pass.at, look, out)?;
        let asks_for = pass.asks_for.map_or("?".to_owned(), |it| it.to_string());
        let line = format!(
            "{}  {:<13}  {asks_for:>8}  {:<14}  {}",
            time(pass.at, look),
            size(pass, look),
            prediction(pass),
            why(pass),
        );
        writeln!(out, "{}", cut(&escape(&line), look))
    }

    /// What went wrong, or that it is over; as long as it has to be.
    pub fn remark(
        &mut self,
        at: Timestamp,
        text: &str,
        look: &TextOptions,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.day(at, look, out)?;
        let mut line = time(at, look);
        let mut is_first = true;
        for word in escape(text).split_whitespace() {
            if !is_first && line.chars().count() + 1 + word.chars().count() > look.width {
                writeln!(out, "{line}")?;
                line = " ".repeat(8);
            }
            line += if is_first { "  " } else { " " };
            is_first = false;
            line += word;
        }
        writeln!(out, "{line}")
    }

    fn day(&mut self, at: Timestamp, look: &TextOptions, out: &mut impl Write) -> io::Result<()> {
        let day = at.to_zoned(look.zone.clone()).date();
        if self.day == Some(day) {
            return Ok(());
        }
        let is_first = self.day.replace(day).is_none();
        writeln!(out, "{day}")?;
        if is_first {
            writeln!(out, "{TITLES}")?;
        }
        Ok(())
    }
}

/// The last pass in half a line: `15:46:53 10 → 14 (predicted)`.
pub fn short(pass: &Pass, look: &TextOptions) -> String {
    let (time, size) = (time(pass.at, look), size(pass, look));
    let inferred = if pass.inferred { "inferred, " } else { "" };
    format!("{time}  {size}  ({inferred}{})", prediction(pass))
}

/// A time of day.
pub fn time(at: Timestamp, look: &TextOptions) -> String {
    let at = at.to_zoned(look.zone.clone());
    at.strftime("%H:%M:%S").to_string()
}

fn size(pass: &Pass, look: &TextOptions) -> String {
    let (from, to) = (pass.current_replicas, pass.desired_replicas);
    if from == to {
        return format!("stays {to}");
    }
    let arrow = if look.ascii { "->" } else { "→" };
    format!("{from} {arrow} {to}")
}

fn prediction(pass: &Pass) -> String {
    match (pass.prediction, pass.expected) {
        (Agreement::Predicted, _) => "predicted".to_owned(),
        (Agreement::Inside, Some(set)) => format!("inside {}..{}", set.from, set.to),
        (Agreement::Inside, None) => "inside, open".to_owned(),
        (Agreement::Missed, Some(set)) if set.single().is_some() => format!("missed: {}", set.from),
        (Agreement::Missed, Some(set)) => format!("missed: {}..{}", set.from, set.to),
        (Agreement::Missed, None) => "missed".to_owned(),
        (Agreement::NoSample, _) => "no sample".to_owned(),
    }
}

fn why(pass: &Pass) -> String {
    if pass.inferred {
        return "inferred: status unchanged".to_owned();
    }
    let reasons = pass.reasons.join(", ");
    // What was foreseen in spite of it needs no excuse.
    if pass.prediction == Agreement::Missed && !pass.moved.is_empty() {
        return format!("{reasons}: {} after the sample", pass.moved.join(", "));
    }
    reasons
}

/// A line no longer than there is room for.
pub fn cut(line: &str, look: &TextOptions) -> String {
    if line.chars().count() <= look.width {
        return line.trim_end().to_owned();
    }
    let more = if look.ascii { "~" } else { "…" };
    let room = look.width.saturating_sub(1);
    line.chars().take(room).collect::<String>() + more
}
