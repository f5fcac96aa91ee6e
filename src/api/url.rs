//! Parts of the paths that are asked for, escaped as the controller's client does.

use std::fmt::Write;

/// A query of the parameters that are not empty, as client-go leaves empty
/// ones out.
pub fn query(parameters: &[(&str, &str)]) -> String {
    let present = parameters.iter().filter(|(_, text)| !text.is_empty());
    let pairs: Vec<String> = present
        .map(|(name, text)| format!("{name}={}", value(text)))
        .collect();
    if pairs.is_empty() {
        return String::new();
    }
    format!("?{}", pairs.join("&"))
}

/// The value of a parameter.
pub fn value(text: &str) -> String {
    escaped(text, "+")
}

/// A path segment: blanks are not `+` there.
pub fn segment(text: &str) -> String {
    match text {
        // These would lead somewhere else.
        "." | ".." => text.replace('.', "%2E"),
        _ => escaped(text, "%20"),
    }
}

/// As `net/url` of Go escapes, with blanks as given.
fn escaped(text: &str, blank: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b' ' => escaped.push_str(blank),
            byte if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) => {
                escaped.push(char::from(byte));
            }
            byte => _ = write!(escaped, "%{byte:02X}"),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{query, segment};

    #[test]
    fn parts_of_paths_are_escaped() {
        assert_eq!(segment("s0-kafka"), "s0-kafka");
        assert_eq!(segment("a/b c*"), "a%2Fb%20c%2A");
        assert_eq!(segment(".."), "%2E%2E");
        assert_eq!(query(&[("labelSelector", ""), ("x", "")]), "");
        assert_eq!(
            query(&[("labelSelector", "app=web, x"), ("y", "z")]),
            "?labelSelector=app%3Dweb%2C+x&y=z"
        );
    }
}
