//! The newest state, drawn over the one before.

use std::io::{self, Write};

use dialoguer::console::Term;

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

#[cfg(test)]
mod tests {
    use super::Screen;

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
