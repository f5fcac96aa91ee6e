//! What names, label keys and label values may look like.
//!
//! Each check returns what is wrong, in the API's words
//! (apimachinery `validation.IsQualifiedName`, `content.IsLabelKey` and
//! `validation.IsValidLabelValue`).

use super::Wording;

const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
    and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex \
    used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/// What the API says of a text that is no RFC 1123 subdomain.
pub const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
    'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// What the API says of a text that is no RFC 1123 label.
pub const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric \
    characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  \
    or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric \
    characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. \
    'MyValue',  or 'my_value',  or '12345', regex used for validation is \
    '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// What is wrong with a label key.
pub fn key_problems(key: &str, wording: Wording) -> Vec<String> {
    let (prefix, name) = match key.split_once('/') {
        Some((_, name)) if name.contains('/') => return vec![too_many_slashes(wording)],
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let mut problems = prefix.map_or_else(Vec::new, |prefix| prefix_problems(prefix, wording));
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    }
    problems.extend(too_long(name, 63, wording).map(|problem| format!("name part {problem}")));
    if !is_name(name) {
        problems.push(format!("name part {NAME}"));
    }
    problems
}

/// What is wrong with a label value.
pub fn value_problems(value: &str, wording: Wording) -> Vec<String> {
    let mut problems = Vec::from_iter(too_long(value, 63, wording));
    if !value.is_empty() && !is_name(value) {
        problems.push(VALUE.to_owned());
    }
    problems
}

fn prefix_problems(prefix: &str, wording: Wording) -> Vec<String> {
    if prefix.is_empty() {
        return vec!["prefix part must be non-empty".to_owned()];
    }
    let mut problems = Vec::from_iter(too_long(prefix, 253, wording));
    if !is_subdomain(prefix) {
        problems.push(SUBDOMAIN.to_owned());
    }
    problems
        .iter()
        .map(|problem| format!("prefix part {problem}"))
        .collect()
}

fn too_many_slashes(wording: Wording) -> String {
    let subject = match wording {
        Wording::QualifiedName => "a qualified name",
        Wording::LabelKey => "a valid label key",
    };
    format!(
        "{subject} {NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
    )
}

/// Both wordings count bytes.
fn too_long(text: &str, most: usize, wording: Wording) -> Option<String> {
    let unit = match wording {
        Wording::QualifiedName => "characters",
        Wording::LabelKey => "bytes",
    };
    (text.len() > most).then(|| format!("must be no more than {most} {unit}"))
}

/// Whether a resource is memory in huge pages.
pub fn is_huge_page(resource: &str) -> bool {
    resource.starts_with("hugepages-")
}

/// Whether a text is an RFC 1123 label, however long
/// (apimachinery `validation.IsDNS1123Label`).
pub fn is_label(text: &str) -> bool {
    let is_edge = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    is_framed(text, is_edge, b"-")
}

fn is_name(text: &str) -> bool {
    is_framed(text, |byte| byte.is_ascii_alphanumeric(), b"-_.")
}

/// Whether a text is an RFC 1123 subdomain, however long
/// (apimachinery `validation.IsDNS1123Subdomain`).
pub fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

/// Whether a text begins and ends with `is_edge` bytes and has only these and
/// the `inner` ones between.
fn is_framed(text: &str, is_edge: impl Fn(u8) -> bool, inner: &[u8]) -> bool {
    let bytes = text.as_bytes();
    let edges = [bytes.first(), bytes.last()];
    edges
        .iter()
        .all(|edge| edge.is_some_and(|byte| is_edge(*byte)))
        && bytes
            .iter()
            .all(|byte| is_edge(*byte) || inner.contains(byte))
}

/// So many characters of a text, from its beginning: one of a cluster or of a file
/// can have any length, and nobody reads all of it.
pub fn beginning(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most);
    end.map_or(text, |(end, _)| &text[..end])
}

/// The same, with a mark where there is more.
pub fn truncated(text: &str, most: usize) -> String {
    let cut = beginning(text, most);
    let mark = if cut == text { "" } else { "…" };
    cut.to_owned() + mark
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
