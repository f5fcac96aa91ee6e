//! Lines of a given width, and the tones that colour may add to them.
//!
//! Everything that reaches a terminal passes through [`Page::clean`] before
//! its width is measured, so that no text from the cluster can do more than
//! be read, and no escape makes a line longer than it may be.

use std::io::{self, Write};

use owo_colors::{OwoColorize, Style};

use super::TextOptions;
use crate::api::truncated;
use crate::render::escape::{cut, display_width, escape, shorten, take_front};
use crate::trace::ShellCommand;

/// What a piece of text means; colour shows it, but never alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::render) enum Tone {
    /// Plain text.
    #[default]
    Plain,
    /// A headline.
    Strong,
    /// All is well.
    Good,
    /// Worth a look.
    Warn,
    /// Something fails.
    Bad,
    /// Background.
    Faint,
}

/// A line in pieces, each with its tone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::render) struct Line(pub(super) Vec<(Tone, String)>);

impl Line {
    pub(super) fn plain(text: String) -> Self {
        Self::toned(Tone::Plain, text)
    }

    pub(super) fn toned(tone: Tone, text: String) -> Self {
        Self(vec![(tone, text)])
    }

    /// The whole text.
    pub(in crate::render) fn text(&self) -> String {
        self.0.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Its last piece, to be changed.
    pub(super) fn end(&mut self) -> &mut (Tone, String) {
        if self.0.is_empty() {
            self.0.push(<(Tone, String)>::default());
        }
        let last = self.0.len() - 1;
        &mut self.0[last]
    }
}

pub(super) fn toned(tone: Tone, mut lines: Vec<Line>) -> Vec<Line> {
    for line in &mut lines {
        line.end().0 = tone;
    }
    lines
}

/// How wide a page is and which characters it may use.
#[derive(Clone, Copy, Debug)]
pub(in crate::render) struct Page {
    pub(in crate::render) width: usize,
    pub(in crate::render) ascii: bool,
    colour: bool,
}

/// The most colons of a message at which it is cut.
const COLONS: usize = 20;

/// The narrowest page; below, nothing could be said.
const NARROWEST: usize = 20;

/// The most characters of one text that are looked at.
const MOST_READ: usize = 4_000;

impl Page {
    pub(in crate::render) fn new(options: &TextOptions) -> Self {
        Self {
            width: options.width.max(NARROWEST),
            ascii: options.ascii,
            colour: options.colour,
        }
    }

    /// The text as it may be printed: harmless, and not beyond what anybody
    /// reads.
    pub(in crate::render) fn clean(self, text: &str) -> String {
        let text = escape(&truncated(text, MOST_READ));
        if self.ascii { to_ascii(&text) } else { text }
    }

    /// A name, harmless; the middle is cut out of one that is wider than `most`
    /// columns.
    pub(super) fn name(self, text: &str, most: usize) -> String {
        shorten(&self.clean(text), most, self.mark())
    }

    /// A text cut at its end to so many columns.
    pub(super) fn cut(self, text: &str, most: usize) -> String {
        cut(&self.clean(text), most, self.mark())
    }

    /// What stands for what is left out.
    const fn mark(self) -> &'static str {
        if self.ascii { ".." } else { "…" }
    }

    /// Text in lines that fit, the first behind `first`, the others behind
    /// as many blanks.
    pub(super) fn paragraph(self, first: &str, text: &str) -> Vec<Line> {
        let first = self.clean(first);
        let indent = display_width(&first);
        let room = self.width.saturating_sub(indent).max(1);
        let lines = wrap(&self.clean(text), room);
        let lines = lines.into_iter().enumerate().map(|(index, line)| {
            let lead = if index == 0 {
                first.clone()
            } else {
                " ".repeat(indent)
            };
            self.line(&(lead + &line))
        });
        lines.collect()
    }

    /// A message within so many columns, its reason kept.
    pub(super) fn reason(self, text: &str, most: usize) -> String {
        let fits = |text: &str| display_width(&self.clean(text)) <= most;
        self.cut(reason(text, fits), most)
    }

    /// One line, cut at its end if it does not fit.
    pub(super) fn line(self, text: &str) -> Line {
        Line::plain(self.cut(text.trim_end(), self.width))
    }

    /// A command in lines that a shell reads as one. JSON is broken where that
    /// means nothing; another word may be longer than a line, for a cut command
    /// does something else.
    pub(super) fn command(self, first: &str, command: &ShellCommand) -> Vec<Line> {
        if !command.is_pasteable() {
            return Vec::new();
        }
        let indent = display_width(first) + 2;
        let below = || " ".repeat(indent);
        let room = self.width.saturating_sub(indent + 2);
        let mut lines = vec![first.to_owned()];
        for (at, word) in command.words().iter().enumerate() {
            let mut line = lines.pop().unwrap_or_default();
            if at > 0 && display_width(&line) + display_width(&word.text) + 3 > self.width {
                lines.push(line + " \\");
                line = below();
            } else if at > 0 {
                line.push(' ');
            }
            let most = if word.is_json { room } else { usize::MAX };
            for piece in broken(&word.text, most) {
                lines.push(line + &piece);
                line = below();
            }
        }
        let lines = lines.iter();
        lines.map(|line| Line::plain(self.clean(line))).collect()
    }

    /// Writes lines; colour adds nothing but colour.
    pub(super) fn write(self, lines: &[Line], out: &mut dyn Write) -> io::Result<()> {
        for line in lines {
            for (tone, text) in &line.0 {
                match style(*tone).filter(|_| self.colour && !text.is_empty()) {
                    Some(style) => write!(out, "{}", text.style(style))?,
                    None => write!(out, "{text}")?,
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Gives so many bytes, with which a line begins, a tone of their own; a line that
/// is shorter has none.
pub(super) fn stand_out(line: &mut Line, tone: Tone, begins: usize) {
    let (own, text) = line.end();
    if text.is_char_boundary(begins) {
        let rest = (*own, text.split_off(begins));
        *own = tone;
        line.0.push(rest);
    }
}

fn style(tone: Tone) -> Option<Style> {
    let style = Style::new();
    match tone {
        Tone::Plain => None,
        Tone::Strong => Some(style.bold()),
        Tone::Good => Some(style.green().bold()),
        Tone::Warn => Some(style.yellow().bold()),
        Tone::Bad => Some(style.red().bold()),
        Tone::Faint => Some(style.dimmed()),
    }
}

/// The page's own signs by their nearest in ASCII; what else the text holds
/// is spelled out.
fn to_ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '→' => plain.push_str("->"),
            '▶' => plain.push('>'),
            '×' => plain.push('x'),
            '…' => plain.push_str(".."),
            '−' => plain.push('-'),
            _ if character.is_ascii() => plain.push(character),
            _ => plain.extend(character.escape_unicode()),
        }
    }
    plain
}

/// As much of the end of a message as fits, from a colon on; the message
/// itself where it fits, or where not even what is behind the last colon does.
fn reason(text: &str, fits: impl Fn(&str) -> bool) -> &str {
    // Nobody writes more, but a file can hold more.
    let colons = text.match_indices(": ").take(COLONS).map(|(at, _)| at);
    // A selector as Go prints it has colons of its own.
    let colons = colons.filter(|at| !is_in_braces(text, *at));
    let starts = colons.map(|at| at + 2);
    // What is behind a colon can stand alone; a mark before it looks broken.
    let shorter = starts.map(|start| text.split_at(start).1);
    let mut all = std::iter::once(text).chain(shorter);
    all.find(|text| fits(text)).unwrap_or(text)
}

fn is_in_braces(text: &str, at: usize) -> bool {
    let (before, _) = text.split_at(at);
    before.matches('{').count() > before.matches('}').count()
}

/// A text in lines that fit.
pub fn wrapped(indent: &str, text: &str, options: &TextOptions) -> String {
    let lines = Page::new(options).paragraph(indent, text).into_iter();
    lines.map(|line| line.text() + "\n").collect()
}

/// Breaks text at blanks; words that are too long are broken anywhere.
pub(super) fn wrap(text: &str, room: usize) -> Vec<String> {
    if display_width(text) <= room {
        return vec![text.to_owned()];
    }
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let joined = display_width(&line) + 1 + display_width(word);
        if !line.is_empty() && joined > room {
            lines.push(std::mem::take(&mut line));
        } else if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        while display_width(&line) > room {
            let front = take_front(&line, room);
            if front.is_empty() {
                // Not even one character fits.
                line.clear();
                break;
            }
            line.drain(..front.len());
            lines.push(front);
        }
    }
    lines.push(line);
    lines
}

/// JSON in pieces of so many columns, broken where that means nothing; a piece
/// that cannot be broken is longer.
fn broken(json: &str, most: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut token = String::new();
    let mut in_text = false;
    let mut is_escaped = false;
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        token.push(character);
        if in_text {
            in_text = is_escaped || character != '"';
            is_escaped = character == '\\' && !is_escaped;
        } else {
            in_text = character == '"';
        }
        let is_end = !in_text && matches!(character, ',' | '{' | '[');
        if is_end || characters.peek().is_none() {
            let last = pieces.last().map_or(0, |last| display_width(last));
            if last > 0 && last + display_width(&token) > most {
                pieces.push(String::new());
            }
            if let Some(last) = pieces.last_mut() {
                last.push_str(&token);
            }
            token.clear();
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::{broken, reason, to_ascii, wrap};

    #[test]
    fn long_json_is_broken_where_that_means_nothing() {
        let json = r#"{"spec":{"a":[1,2,3],"b":"x, y {z"}}"#;
        let pieces = broken(json, 16);
        assert!(pieces.iter().all(|piece| piece.chars().count() <= 16));
        assert!(pieces.len() > 2, "{pieces:?}");
        assert_eq!(pieces.concat(), json);
        assert_eq!(broken(json, 4).concat(), json);
        assert_eq!(broken(json, 80), [json]);
    }

    #[test]
    fn of_a_long_message_the_reason_survives() {
        let most = |most: usize| move |text: &str| text.chars().count() <= most;
        let text = "unable to get it: unable to fetch: down (get x)";
        assert_eq!(reason(text, most(50)), text);
        assert_eq!(reason(text, most(40)), "unable to fetch: down (get x)");
        assert_eq!(reason(text, most(20)), "down (get x)");
        assert_eq!(reason(text, most(5)), text, "to be cut at its end");
    }

    #[test]
    fn text_wraps_at_blanks_and_long_words_anywhere() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("数量数", 4), ["数量", "数"]);
        assert_eq!(wrap("数", 1), [""]);
        assert_eq!(wrap("", 7), [""]);
        assert_eq!(wrap("a  b", 7), ["a  b"], "columns stay where all fits");
    }

    #[test]
    fn ascii_keeps_the_meaning() {
        assert_eq!(to_ascii("▶ 12 → 14, 10 × 1.1…"), "> 12 -> 14, 10 x 1.1..");
        assert_eq!(to_ascii("größe"), "gr\\u{f6}\\u{df}e");
    }
}
