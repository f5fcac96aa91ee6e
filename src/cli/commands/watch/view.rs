//! What of it is shown, and how: drawn on a terminal, a line a pass for a
//! pipe, or only what went wrong.

use std::io::{self, Write};

use dialoguer::console::Term;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::api::OneOf;
use crate::cli::terminal::Terminal;
use crate::history::{Agreement, Pass};
use crate::render::{self, Format, OwnDocument, Remark, TextOptions, escape, wrapped};
use crate::trace::Trace;
use crate::trace::amount::{counted, plural};

/// What of it is shown, and how.
pub enum View {
    /// The newest explanation, drawn over the last one.
    Drawn(Box<Drawn>),
    /// A line a pass.
    Lines(Lines),
    /// A document each.
    Documents(Format),
    /// What goes wrong, on the standard error stream.
    Quiet,
}

#[derive(Default)]
pub struct Drawn {
    screen: Screen,
    explanation: Vec<String>,
    pass: Option<Pass>,
    remark: Option<Remark>,
}

impl View {
    /// Shows a pass.
    pub fn pass(&mut self, pass: &Pass, terminal: &mut Terminal) -> anyhow::Result<()> {
        let look = terminal.text.clone();
        match self {
            Self::Drawn(drawn) => drawn.pass = Some(pass.clone()),
            Self::Lines(lines) => lines.pass(pass, &look, terminal.out())?,
            Self::Documents(format) => format.write(&OwnDocument(pass), &look, terminal.out())?,
            Self::Quiet => {}
        }
        Ok(terminal.flush()?)
    }

    /// Shows what there is to say beside the passes.
    pub fn remark(&mut self, remark: &Remark, terminal: &mut Terminal) -> anyhow::Result<()> {
        let look = terminal.text.clone();
        match self {
            Self::Drawn(drawn) => drawn.remark = Some(remark.clone()),
            Self::Lines(lines) => lines.remark(remark.at, &remark.text(), &look, terminal.out())?,
            Self::Documents(format) => format.write(&OwnDocument(remark), &look, terminal.out())?,
            Self::Quiet => {
                terminal.complain(&format!("{}  {}", time(remark.at, &look), remark.text()));
            }
        }
        Ok(terminal.flush()?)
    }

    /// Keeps the explanation of the newest sample, to be drawn.
    pub fn explain(&mut self, trace: &Trace, terminal: &Terminal) -> anyhow::Result<()> {
        if let Self::Drawn(drawn) = self {
            let mut text = Vec::new();
            Format::Text.write(trace, &sized(terminal), &mut text)?;
            let text = String::from_utf8_lossy(&text);
            drawn.explanation = text.lines().map(str::to_owned).collect();
        }
        Ok(())
    }

    /// Draws what has changed, with the state of things beneath it.
    pub fn draw(&mut self, state: &[String], terminal: &mut Terminal) -> anyhow::Result<()> {
        if let Self::Drawn(drawn) = self {
            let look = sized(terminal);
            let lines = drawn.lines(state, &look, Screen::rows());
            drawn.screen.draw(&lines, terminal.out())?;
        }
        Ok(())
    }

    /// Leaves the last picture. A terminal shows `^C` beneath it.
    pub fn end(&self, terminal: &mut Terminal) {
        if let Self::Drawn(_) = self {
            // Nobody is left to see it where this fails.
            _ = terminal.out().write_all(b"\r\x1b[2K");
        }
    }
}

/// Terminals are resized.
fn sized(terminal: &Terminal) -> TextOptions {
    let mut look = terminal.text.clone();
    if let Some(columns) = Screen::columns() {
        look.width = look.width.min(columns);
    }
    look
}

impl Drawn {
    /// The explanation as far as there is room, a blank line, and the state of
    /// things, which comes first where there is little room.
    fn lines(&self, state: &[String], look: &TextOptions, rows: usize) -> Vec<String> {
        let mut beneath = vec![String::new()];
        beneath.extend(state.iter().map(|line| cut(&escape(line), look)));
        let pass = self.pass.as_ref();
        beneath.extend(pass.map(|it| cut(&format!("Last pass  {}", short(it, look)), look)));
        beneath.extend(self.remark.as_ref().map(|it| {
            let line = format!("{}   {}", time(it.at, look), it.text());
            cut(&escape(&line), look)
        }));
        beneath.truncate(rows);
        let room = rows - beneath.len();
        let explanation = self.explanation.iter().take(room).cloned();
        explanation.chain(beneath).collect()
    }
}

/// What was seen so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passes: usize,
    inferred: usize,
    predicted: usize,
    inside: usize,
    missed: usize,
    without_sample: usize,
    /// Times in which something could not be read.
    pub gaps: usize,
}

impl Tally {
    pub fn count(&mut self, pass: &Pass) {
        self.passes += 1;
        self.inferred += usize::from(pass.inferred);
        let of_its_kind = match pass.prediction {
            Agreement::Predicted => &mut self.predicted,
            Agreement::Inside => &mut self.inside,
            Agreement::Missed => &mut self.missed,
            Agreement::NoSample => &mut self.without_sample,
        };
        *of_its_kind += 1;
    }

    /// `12 passes (5 inferred), 1 gap`, and how they compare with what was
    /// said before: `9 predicted, 2 inside the range, 1 missed`.
    pub fn lines(&self) -> [String; 2] {
        let without_sample = match self.without_sample {
            0 => String::new(),
            some => format!(", {some} without a sample"),
        };
        [
            format!(
                "{} {} ({} inferred), {}",
                self.passes,
                plural(self.passes, "pass", "passes"),
                self.inferred,
                counted(self.gaps, "gap")
            ),
            format!(
                "{} predicted, {} inside the range, {} missed{without_sample}",
                self.predicted, self.inside, self.missed
            ),
        ]
    }
}

/// Rows of a terminal that does not say how many it has.
const ROWS: usize = 24;

/// What is drawn on the terminal.
#[derive(Debug, Default)]
pub struct Screen {
    /// The lines of the last picture, beneath which the cursor stands.
    drawn: usize,
}

impl Screen {
    /// How many lines there is room for; the cursor takes one.
    pub fn rows() -> usize {
        let rows = Term::stdout().size_checked();
        let rows = rows.map_or(ROWS, |(rows, _)| usize::from(rows));
        rows.max(4) - 1
    }

    /// The columns, should the terminal have been resized.
    pub fn columns() -> Option<usize> {
        let (_, columns) = Term::stdout().size_checked()?;
        Some(usize::from(columns)).filter(|columns| *columns > 0)
    }

    /// Draws lines over the last ones. All of it is written at once, so that
    /// nothing flickers. Lines that are too long are cut off by the terminal,
    /// for a wrapped one would take two rows; it wraps again afterwards.
    pub fn draw(&mut self, lines: &[String], out: &mut impl Write) -> io::Result<()> {
        // No number counts as 1: there is no moving by none.
        let up = match self.drawn {
            0 => String::new(),
            drawn => format!("\x1b[{drawn}A"),
        };
        let mut picture = format!("\x1b[?7l{up}\r");
        for line in lines {
            picture += "\x1b[2K";
            picture += line;
            picture += "\n";
        }
        picture += "\x1b[J\x1b[?7h";
        self.drawn = lines.len();
        out.write_all(picture.as_bytes())?;
        out.flush()
    }
}

const TITLES: [&str; 5] = ["TIME", "SIZE", "ASKS FOR", "PREDICTION", "WHY"];

/// Rows come one at a time: a table that fits its columns needs all of them first. What
/// is too wide for its column moves the rest of its row, and the last one has no limit.
fn row([time, size, asks_for, prediction, why]: [&str; 5]) -> String {
    format!("{time:<8}  {size:<13}  {asks_for:>8}  {prediction:<14}  {why}")
}

/// Writes lines; each day's first one comes after its date.
#[derive(Debug, Default)]
pub struct Lines {
    day: Option<Date>,
}

impl Lines {
    pub fn pass(
        &mut self,
        pass: &Pass,
        look: &TextOptions,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.day(pass.at, look, out)?;
        let asks_for = pass.asks_for.map_or("?".to_owned(), |it| it.to_string());
        let (time, size) = (time(pass.at, look), size(pass, look));
        let line = row([&time, &size, &asks_for, &prediction(pass), &why(pass)]);
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
        let begins = time(at, look) + "  ";
        write!(out, "{}", wrapped(&begins, text, look))
    }

    fn day(&mut self, at: Timestamp, look: &TextOptions, out: &mut impl Write) -> io::Result<()> {
        let day = at.to_zoned(look.zone.clone()).date();
        if self.day == Some(day) {
            return Ok(());
        }
        let is_first = self.day.replace(day).is_none();
        writeln!(out, "{day}")?;
        if is_first {
            writeln!(out, "{}", row(TITLES))?;
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
        return format!("stays at {to}");
    }
    let arrow = if look.ascii { "->" } else { "→" };
    format!("{from} {arrow} {to}")
}

fn prediction(pass: &Pass) -> String {
    match (pass.prediction, pass.expected) {
        (Agreement::Predicted, _) => "predicted".to_owned(),
        (Agreement::Inside, Some(set)) => format!("inside {}..{}", set.from, set.to),
        (Agreement::Inside, None) => "inside, unbounded".to_owned(),
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
    let reasons: Vec<&str> = pass.reasons.iter().map(OneOf::as_str).collect();
    let reasons = reasons.join(", ");
    // What was foreseen in spite of it needs no excuse.
    if pass.prediction == Agreement::Missed && !pass.moved.is_empty() {
        return format!("{reasons} ({} after the sample)", pass.moved.join(", "));
    }
    reasons
}

/// A line no wider than there is room for.
fn cut(line: &str, look: &TextOptions) -> String {
    let more = if look.ascii { "~" } else { "…" };
    render::cut(line.trim_end(), look.width, more)
}

#[cfg(test)]
mod tests {
    use super::{Screen, TextOptions, cut};

    #[test]
    fn a_line_is_cut_by_its_columns() {
        let look = TextOptions {
            width: 5,
            ..TextOptions::default()
        };
        assert_eq!(cut("数量数量", &look), "数量…");
        assert_eq!(cut("stays ", &look), "stays");
    }

    #[test]
    fn a_picture_covers_the_one_before() {
        let mut screen = Screen::default();
        let mut draw = |lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            let mut out = Vec::new();
            screen.draw(&lines, &mut out).expect("memory");
            String::from_utf8(out).expect("text")
        };
        assert_eq!(
            draw(&["a", "b"]),
            "\x1b[?7l\r\x1b[2Ka\n\x1b[2Kb\n\x1b[J\x1b[?7h"
        );
        assert_eq!(draw(&["c"]), "\x1b[?7l\x1b[2A\r\x1b[2Kc\n\x1b[J\x1b[?7h");
        assert_eq!(draw(&[]), "\x1b[?7l\x1b[1A\r\x1b[J\x1b[?7h");
    }
}
