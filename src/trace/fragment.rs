//! A part of a manifest, as people write it in YAML.

use crate::api::Words;

/// Fields of a manifest, in the order in which they are written. Whatever the names
/// of a cluster are, what is written is YAML, with these values.
#[derive(Clone, Debug, Default)]
pub struct Fragment(Vec<(String, FieldValue)>);

/// The value of a field, or an item of a list.
#[derive(Clone, Debug)]
pub enum FieldValue {
    /// A text, in quotes where YAML would take it for something else.
    Text(String),
    /// A whole number.
    Number(i64),
    /// Values in their order.
    List(Vec<FieldValue>),
    /// More fields.
    Fields(Fragment),
}

impl Fragment {
    /// One field, by its path, such as `spec.behavior`.
    pub fn at(path: &str, value: impl Into<FieldValue>) -> Self {
        match path.split_once('.') {
            Some((key, rest)) => Self::at(key, Self::at(rest, value)),
            None => Self::default().and(path, value),
        }
    }

    /// One field more. Its key is taken as it is: that of an annotation has dots.
    pub fn and(mut self, key: &str, value: impl Into<FieldValue>) -> Self {
        self.0.push((key.to_owned(), value.into()));
        self
    }

    fn block(&self, indent: usize, is_in_list: bool) -> String {
        let fields = self.0.iter().map(|(key, value)| {
            let (key, value) = (scalar(key), value.block(indent, is_in_list));
            format!("\n{:indent$}{key}:{value}", "")
        });
        fields.collect()
    }
}

/// As YAML.
impl From<Fragment> for String {
    fn from(fields: Fragment) -> Self {
        fields.block(0, false).trim_start().to_owned()
    }
}

impl FieldValue {
    /// What follows the key. Within a list, values without more levels are on one
    /// line.
    fn block(&self, indent: usize, is_in_list: bool) -> String {
        match self {
            Self::List(items) if !is_in_list || !items.iter().all(Self::is_scalar) => {
                let items = items.iter().map(|item| item.block(indent, true));
                let items = items.map(|item| format!("\n{:indent$}- {}", "", item.trim_start()));
                items.collect()
            }
            Self::Fields(all) if !is_in_list || !all.0.iter().all(|it| it.1.is_scalar()) => {
                all.block(indent + 2, is_in_list)
            }
            _ => format!(" {}", self.line()),
        }
    }

    fn is_scalar(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Number(_))
    }

    /// The value on one line.
    fn line(&self) -> String {
        let joined = |items: Vec<String>| items.join(", ");
        match self {
            Self::Text(text) => scalar(text),
            Self::Number(number) => number.to_string(),
            Self::List(items) => format!("[{}]", joined(items.iter().map(Self::line).collect())),
            Self::Fields(Fragment(fields)) => {
                let fields = fields.iter();
                let fields = fields.map(|(key, it)| format!("{}: {}", scalar(key), it.line()));
                format!("{{{}}}", joined(fields.collect()))
            }
        }
    }
}

impl From<&str> for FieldValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<W: Words> From<W> for FieldValue {
    fn from(word: W) -> Self {
        word.as_str().into()
    }
}

impl From<i64> for FieldValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<Fragment> for FieldValue {
    fn from(fields: Fragment) -> Self {
        Self::Fields(fields)
    }
}

impl<V: Into<Self>> From<Vec<V>> for FieldValue {
    fn from(items: Vec<V>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

/// A text of the cluster as a scalar. `serde_yaml` writes YAML 1.2, where `Off` needs
/// no quotes; to kubectl, which reads YAML 1.1, it would be false.
fn scalar(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/' | '=');
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let is_word = matches!(
        text.to_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if is_name && !is_word && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        _ if c == ' ' || c.is_ascii_graphic() => c.to_string(),
        _ => format!("\\U{:08x}", u32::from(c)),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::{Fragment, scalar};

    #[test]
    fn lists_are_short_and_all_else_is_a_line_for_each_field() {
        let item = Fragment::at("kind", "Deployment").and("paths", vec!["/spec/replicas"]);
        let target = Fragment::at("type", "Utilization").and("averageUtilization", 60);
        let fields = Fragment::at("spec.a", vec![item.and("target", target)])
            .and(
                "b",
                Fragment::at("c", vec![Fragment::at("p", 1).and("m", 2)]),
            )
            .and("d", vec!["x=true", "y"]);
        let written = "\
spec:
  a:
  - kind: Deployment
    paths: [/spec/replicas]
    target: {type: Utilization, averageUtilization: 60}
b:
  c:
  - {p: 1, m: 2}
d:
- x=true
- \"y\"";
        assert_eq!(String::from(fields), written);
    }

    #[test]
    fn names_stay_texts_in_yaml() {
        let rows = [
            ("web-7c9.d", "web-7c9.d"),
            ("7", "\"7\""),
            ("true", "\"true\""),
            ("*", "\"*\""),
            ("a: b", "\"a: b\""),
            ("it's", "\"it's\""),
            ("", "\"\""),
            ("apps/v1", "apps/v1"),
            ("a\nb\"", "\"a\\U0000000ab\\\"\""),
        ];
        for (name, expected) in rows {
            assert_eq!(scalar(name), expected);
        }
    }
}
