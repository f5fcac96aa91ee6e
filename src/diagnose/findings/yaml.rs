//! The words of manifests in remedies.

/// A name from the cluster as a scalar of a YAML patch.
pub(super) fn scalar(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
    // What YAML takes for something else than a text.
    let is_word = matches!(
        name.to_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if is_name && !is_word && name.chars().all(is_plain) {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::scalar;

    #[test]
    fn names_stay_texts_in_yaml() {
        let rows = [
            ("web-7c9.d", "web-7c9.d"),
            ("7", "'7'"),
            ("true", "'true'"),
            ("*", "'*'"),
            ("a: b", "'a: b'"),
            ("it's", "'it''s'"),
            ("", "''"),
        ];
        for (name, expected) in rows {
            assert_eq!(scalar(name), expected);
        }
    }
}
