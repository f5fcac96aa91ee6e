//! What comes from the cluster must not steer the terminal.
//!
//! Whoever may create a pod or serve a metric chooses texts that end up on
//! the screen of somebody with more rights. [`escape`] is the one place that
//! makes such texts harmless; every line passes through it before its width
//! is measured. Markup and pages for a browser have escapes of their own here, and texts are
//! cut to a display width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Makes every character visible that acts instead of showing: control
/// characters, the marks that reorder text, and what takes no room.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    safe
}

/// The same for HTML and XML, where more characters act.
pub(super) fn escape_markup(text: &str) -> String {
    let text = escape(text).replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// The same for a page, where a text also stands between quotes.
pub(super) fn escape_page(text: &str) -> String {
    escape_markup(text).replace('\'', "&#39;")
}

/// Whether a terminal would obey the character, or hide it.
pub(super) fn is_hidden(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    // What takes no room, such as marks that pile up over other lines.
    character.width().unwrap_or(0) == 0
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
                | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
                | '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// The columns that a text takes on a terminal.
pub fn display_width(text: &str) -> usize {
    text.width()
}

/// Cuts the middle out of a text that is wider than `most` columns and puts
/// the mark there: names differ at their ends.
pub(super) fn shorten(text: &str, most: usize, mark: &str) -> String {
    if display_width(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(display_width(mark));
    let tail = room / 2;
    let (front, back) = (take_front(text, room - tail), take_back(text, tail));
    let shortened = format!("{front}{mark}{back}");
    // Marks that join what stood apart can make a text wider than its parts.
    if display_width(&shortened) > most {
        return take_front(mark, most);
    }
    shortened
}

/// Cuts the end off a text that is wider than `most` columns.
pub fn cut(text: &str, most: usize, mark: &str) -> String {
    if display_width(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(display_width(mark));
    take_front(&format!("{}{mark}", take_front(text, room)), most)
}

/// As much from the front as fits into `most` columns.
pub(super) fn take_front(text: &str, most: usize) -> String {
    within(text.chars(), most)
}

fn take_back(text: &str, most: usize) -> String {
    let reversed = within(text.chars().rev(), most);
    reversed.chars().rev().collect()
}

fn within(characters: impl Iterator<Item = char>, most: usize) -> String {
    let mut used = 0;
    let fits = characters.take_while(|character| {
        used += character.width().unwrap_or(0);
        used <= most
    });
    fits.collect()
}

#[cfg(test)]
mod tests {
    use super::{cut, display_width, escape, shorten};

    #[test]
    fn nothing_that_acts_gets_through() {
        let rows = [
            ("web-7c9d4f", "web-7c9d4f"),
            ("größe 数", "größe 数"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("a\nb\tc\r", "a\\u{a}b\\u{9}c\\u{d}"),
            ("\u{7f}\u{9b}", "\\u{7f}\\u{9b}"),
            ("\u{202e}gnp", "\\u{202e}gnp"),
            (
                "\u{2066}\u{2069}\u{200e}\u{61c}",
                "\\u{2066}\\u{2069}\\u{200e}\\u{61c}",
            ),
            ("a\u{200b}b\u{feff}", "a\\u{200b}b\\u{feff}"),
            ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
            ("\u{e0041}", "\\u{e0041}"),
            ("a\u{301}\u{489}", "a\\u{301}\\u{489}"),
        ];
        for (text, safe) in rows {
            assert_eq!(escape(text), safe);
            assert_eq!(
                escape(&escape(text)),
                safe,
                "escaping again changes nothing"
            );
        }
    }

    #[test]
    fn long_texts_keep_both_ends_or_the_front() {
        assert_eq!(shorten("web", 5, "…"), "web");
        assert_eq!(shorten("checkout-7c9d4f-x2k4p", 11, "…"), "check…x2k4p");
        assert_eq!(cut("checkout", 5, "…"), "chec…");
        assert_eq!(shorten("checkout", 0, "…"), "");
        assert_eq!(cut("checkout", 0, "…"), "");
        assert_eq!(shorten("checkout", 6, ".."), "ch..ut");
        assert_eq!(cut("checkout", 5, ".."), "che..");
        assert_eq!(cut("checkout", 1, ".."), ".");
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(display_width("数量"), 4);
        assert_eq!(shorten("数量数量数量", 7, "…"), "数…量");
        assert_eq!(cut("数量数量", 4, "…"), "数…");
    }
}
