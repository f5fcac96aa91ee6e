//! A part of a manifest, as YAML that people paste.

use serde_json::Value;

/// A part of a manifest as YAML: a line for each field, in the order in which kubectl
/// prints them, and a list of what has no more levels on one line each.
pub(super) fn yaml(part: &Value) -> String {
    below(part, 0, false).trim_start().to_owned()
}

/// What stands below a key, or behind a dash, whose fields begin so many columns in.
fn below(value: &Value, indent: usize, is_in_list: bool) -> String {
    let is_on_a_line = is_in_list && is_flat(value);
    match value {
        Value::Array(items) if !is_on_a_line => {
            let items = items.iter().map(|item| below(item, indent, true));
            let dash = indent.saturating_sub(2);
            let items = items.map(|item| format!("\n{:dash$}- {}", "", item.trim_start()));
            items.collect()
        }
        Value::Object(fields) if !is_on_a_line => {
            let fields = fields.iter().map(|(key, value)| {
                let value = below(value, indent + 2, is_in_list);
                format!("\n{:indent$}{}:{value}", "", scalar(key))
            });
            fields.collect()
        }
        _ => format!(" {}", line(value)),
    }
}

/// Whether there are no more levels below it.
fn is_flat(value: &Value) -> bool {
    let has_levels = |it: &Value| it.is_array() || it.is_object();
    match value {
        Value::Array(items) => !items.iter().any(has_levels),
        Value::Object(fields) => !fields.values().any(has_levels),
        _ => true,
    }
}

/// The value on one line.
fn line(value: &Value) -> String {
    let joined = |items: Vec<String>| items.join(", ");
    match value {
        Value::String(text) => scalar(text),
        Value::Array(items) => format!("[{}]", joined(items.iter().map(line).collect())),
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(key, it)| format!("{}: {}", scalar(key), line(it)));
            format!("{{{}}}", joined(fields.collect()))
        }
        other => other.to_string(),
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
    use serde_json::json;

    use super::{scalar, yaml};

    #[test]
    fn lists_are_short_and_all_else_is_a_line_for_each_field() {
        let part = json!({
            "spec": {"a": [{
                "kind": "Deployment",
                "paths": ["/spec/replicas"],
                "target": {"type": "Utilization", "averageUtilization": 60},
            }]},
            "b": {"c": [{"p": 1, "m": 2}]},
            "d": ["x=true", "y"],
        });
        let written = "\
b:
  c:
  - {m: 2, p: 1}
d:
- x=true
- \"y\"
spec:
  a:
  - kind: Deployment
    paths: [/spec/replicas]
    target: {averageUtilization: 60, type: Utilization}";
        assert_eq!(yaml(&part), written);
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
