//! The words of manifests in remedies.

/// A name from the cluster as a scalar of a YAML patch.
pub(super) fn scalar(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/');
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
    // What YAML takes for something else than a text.
    let is_word = matches!(
        name.to_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if is_name && !is_word && name.chars().all(is_plain) {
        return name.to_owned();
    }
    if name.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
        return format!("'{}'", name.replace('\'', "''"));
    }
    let escaped = name.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        _ if c == ' ' || c.is_ascii_graphic() => c.to_string(),
        _ => format!("\\U{:08x}", u32::from(c)),
    });
    format!("\"{}\"", escaped.collect::<String>())
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
            ("apps/v1", "apps/v1"),
            ("a\nb\"", "\"a\\U0000000ab\\\"\""),
        ];
        for (name, expected) in rows {
            assert_eq!(scalar(name), expected);
        }
    }
}
