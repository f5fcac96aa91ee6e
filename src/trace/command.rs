//! Words of a command line, ready for a shell.

/// A word as a shell reads it back: in quotes where it would read more into
/// it.
#[must_use]
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_them() {
        assert_eq!(shell_word("web-7c9d4f"), "web-7c9d4f");
        assert_eq!(shell_word("app=web,tier!=x"), "'app=web,tier!=x'");
        assert_eq!(shell_word("a;rm -rf '$x'"), r"'a;rm -rf '\''$x'\'''");
        assert_eq!(shell_word(""), "''");
    }
}
