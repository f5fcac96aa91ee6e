//! The beginning of a text.

/// So many characters of a text, from its beginning: one of a cluster or of a file
/// can have any length, and nobody reads all of it.
pub fn beginning(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most);
    end.map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::beginning;

    #[test]
    fn characters_are_counted_and_never_cut() {
        let rows = [("größe", 3, "grö"), ("größe", 5, "größe"), ("", 1, "")];
        for (text, most, expected) in rows {
            assert_eq!(beginning(text, most), expected);
        }
    }
}
