//! What of it is shown, and how: drawn on a terminal, a line a pass, or only
//! what went wrong.

use std::io::Write;

use crate::cli::terminal::Terminal;
use crate::history::Pass;
use crate::render::{Remark, TextOptions, escape, write_json, write_text};
use crate::trace::Trace;

use super::lines::{Lines, cut, short, time};
use super::screen::Screen;

/// What of it is shown, and how.
pub enum View {
    /// The newest explanation, drawn over the last one.
    Drawn(Box<Drawn>),
    /// A line a pass.
    Lines(Lines),
    /// A JSON document a line.
    Json,
    /// What goes wrong, on the standard error stream.
    Quiet,
}

/// What is drawn.
#[derive(Default)]
pub struct Drawn {
    screen: Screen,
    explanation: Vec<String>,
    pass: Option<Pass>,
    remark: Option<Remark>,
}

impl View {
    /// Whether each sample is to be explained.
    pub fn wants_explanations(&self) -> bool {
        matches!(self, Self::Drawn(_))
    }

    /// Shows a pass.
    pub fn pass(&mut self, pass: &Pass, terminal: &mut Terminal) -> anyhow::Result<()> {
        let look = terminal.text.clone();
        match self {
            Self::Drawn(drawn) => drawn.pass = Some(pass.clone()),
            Self::Lines(lines) => lines.pass(pass, &look, terminal.out())?,
            Self::Json => write_json(pass, false, terminal.out())?,
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
            Self::Json => write_json(remark, false, terminal.out())?,
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
            write_text(trace, &sized(terminal), &mut text)?;
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
