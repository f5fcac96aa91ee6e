//! The command that applies a patch, on several lines where it is long: in
//! JSON a line end means nothing, nor does it within a shell's quotes.

use crate::render::escape::display_width;
use crate::trace::MergePatch;

use super::page::{Line, Page};

/// The command that applies a patch, in as many lines as it takes.
pub(super) fn command_lines(page: Page, patch: &MergePatch) -> Vec<Line> {
    let mut lines = Vec::new();
    let Some(command) = &patch.command else {
        let why = "a name in the patch cannot be typed; -o json has it";
        lines.extend(page.paragraph("  ", why));
        return lines;
    };
    let short = page.command("  ", command);
    if !short.is_empty() {
        lines.extend(short);
        return lines;
    }
    let broken = command
        .split_once(" -p ")
        .filter(|_| !patch.patch.contains('\''))
        .and_then(|(start, _)| {
            let pieces = broken(&patch.patch, page.width.saturating_sub(5))?;
            Some((start, pieces))
        });
    let Some((start, pieces)) = broken else {
        lines.extend(page.paragraph("  ", "the patch is too wide for this page; -o json has it"));
        return lines;
    };
    lines.push(page.line(&format!("  {start} -p '")));
    let last = pieces.len().saturating_sub(1);
    for (at, piece) in pieces.iter().enumerate() {
        let end = if at == last { "'" } else { "" };
        lines.push(page.line(&format!("    {piece}{end}")));
    }
    lines
}

/// JSON in pieces of so many columns; nothing where one would be wider.
fn broken(json: &str, most: usize) -> Option<Vec<String>> {
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
            let last = pieces.last_mut()?;
            if display_width(last) + display_width(&token) > most && !last.is_empty() {
                pieces.push(String::new());
            }
            pieces.last_mut()?.push_str(&token);
            token.clear();
        }
    }
    let fits = pieces.iter().all(|piece| display_width(piece) <= most);
    fits.then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn long_json_is_broken_where_that_means_nothing() {
        let json = r#"{"spec":{"a":[1,2,3],"b":"x, y {z"}}"#;
        let pieces = broken(json, 16).expect("pieces");
        assert!(pieces.iter().all(|piece| piece.chars().count() <= 16));
        assert!(pieces.len() > 2, "{pieces:?}");
        assert_eq!(pieces.concat(), json);
        assert_eq!(broken(json, 4), None);
        assert_eq!(broken(json, 80), Some(vec![json.to_owned()]));
    }
}
