//! The command that applies a patch, on several lines where it is long: in
//! JSON a line end means nothing, nor does it within a shell's quotes; and who
//! writes over it.

use crate::render::escape::display_width;
use crate::trace::{MergePatch, Overwritten};

use super::page::{Line, Page};

/// The command that applies a patch, in as many lines as it takes.
pub(super) fn command_lines(page: Page, patch: &MergePatch) -> Vec<Line> {
    let mut lines = apply_lines(page, patch);
    if let Some(overwritten) = &patch.overwritten {
        lines.extend(page.paragraph("", &caveat(overwritten)));
        let command = overwritten.command.iter();
        lines.extend(command.flat_map(|it| page.command("  ", it)));
    }
    lines
}

/// That a patch does not last, and where the same change does.
pub(in crate::render) fn caveat(overwritten: &Overwritten) -> String {
    let fields = overwritten.fields.iter().map(|moved| {
        let own = moved.field.trim_start_matches("spec.");
        format!("{} ({own})", moved.there)
    });
    let fields = fields.collect::<Vec<_>>().join(", ");
    let by = &overwritten.by;
    format!(
        "KEDA made this HPA for {by} and will overwrite the patch. What lasts is set there: {fields}."
    )
}

fn apply_lines(page: Page, patch: &MergePatch) -> Vec<Line> {
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
    lines.extend(broken_lines(page, command, &patch.patch));
    if lines.is_empty() {
        let why = "the command is too wide for this page; -o wide has it";
        lines.extend(page.paragraph("  ", why));
    }
    lines
}

/// The command with its JSON broken where that means nothing; nothing at all
/// where a line of it does not fit, for a cut command does something else.
fn broken_lines(page: Page, command: &str, json: &str) -> Vec<Line> {
    let quoted = format!("'{json}'");
    let Some(start) = command.strip_suffix(&quoted) else {
        return Vec::new();
    };
    let mut texts = page.wrapped("  ", start.trim_end());
    let pieces = broken(json, page.width.saturating_sub(5));
    let (Some(last), Some(pieces)) = (texts.last_mut(), pieces) else {
        return Vec::new();
    };
    last.push_str(" '");
    texts.extend(pieces.into_iter().map(|piece| format!("    {piece}")));
    if let Some(last) = texts.last_mut() {
        last.push('\'');
    }
    texts.iter().map(|text| page.line(text)).collect()
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
    use super::{broken, command_lines};
    use crate::render::text::TextOptions;
    use crate::render::text::page::{Line, Page};
    use crate::trace::MergePatch;

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

    #[test]
    fn the_command_is_whole_or_not_there() {
        let patch = r#"{"spec":{"behavior":{"scaleDown":{"stabilizationWindowSeconds":60}}}}"#;
        let long = "checkout-service-api-with-a-rather-long-name";
        let (mut whole, mut none) = (0, 0);
        for name in ["web", long] {
            let start = format!("kubectl patch hpa {name} -n production-eu --type=merge -p");
            let command = format!("{start} '{patch}'");
            for width in 20..160 {
                let page = Page::new(&TextOptions {
                    width,
                    ..TextOptions::default()
                });
                let patch = MergePatch {
                    patch: patch.to_owned(),
                    command: Some(command.clone()),
                    overwritten: None,
                };
                let lines = command_lines(page, &patch);
                let texts: Vec<String> = lines.iter().map(Line::text).collect();
                if texts.join(" ").replace("  ", "").ends_with("has it") {
                    none += 1;
                    continue;
                }
                // As a shell and a JSON parser read it.
                let read = texts
                    .join("\n")
                    .replace(" \\\n    ", " ")
                    .replace("\n    ", "");
                assert_eq!(read.trim(), command, "{width} columns");
                whole += 1;
            }
        }
        assert!(whole > 150 && none > 25, "{whole} whole, {none} too wide");
    }
}
