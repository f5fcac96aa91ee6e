//! What people paste: words of a command line, ready for a shell, and parts of a manifest
//! as YAML.

use serde_json::Value;

use super::Trace;
use crate::api::CRASH_LOOP_BACK_OFF;

/// A word as a shell reads it back: in quotes where it would read more into
/// it.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

impl Trace {
    /// The target as a kubectl argument, such as `deployment/web`; a kind of
    /// another group than `apps` is named with its group.
    pub fn target_argument(&self) -> String {
        shell_word(&format!("{}/{}", self.target_kind(), self.target.name))
    }

    /// The target's kind as kubectl takes it, such as `rollout.argoproj.io`.
    pub fn target_kind(&self) -> String {
        kubectl_kind(&self.target.kind, &self.target.api_version)
    }

    /// The command that tells about a pod: of one that crashes, its last words.
    pub fn look_at_pod(&self, pod: &str) -> String {
        let (name, namespace) = (shell_word(pod), self.namespace_argument());
        let mut waiting = self.waiting.iter();
        match waiting.find(|it| it.pod == pod && it.reason == CRASH_LOOP_BACK_OFF) {
            Some(it) => {
                let container = shell_word(&it.container);
                format!("kubectl logs {name} {namespace} -c {container} --previous")
            }
            None => format!("kubectl describe pod {name} {namespace}"),
        }
    }

    /// A command of kubectl in the HPA's namespace, of words that need not be
    /// safe for a shell.
    pub fn kubectl(&self, words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
        format!("kubectl {} {}", words.join(" "), self.namespace_argument())
    }

    /// The command that patches the HPA; the type is `merge` or `json`.
    pub fn patch_hpa(&self, kind: &str, patch: &str) -> String {
        let command = self.kubectl(&["patch", "hpa", &self.name]);
        format!("{command} --type={kind} -p {}", shell_word(patch))
    }

    /// A command of kubectl with the target as its last word.
    pub fn kubectl_target(&self, words: &[&str]) -> String {
        let target = format!("{}/{}", self.target_kind(), self.target.name);
        self.kubectl(&[words, &[&target]].concat())
    }

    /// The namespace as kubectl arguments.
    pub fn namespace_argument(&self) -> String {
        format!("-n {}", shell_word(&self.namespace))
    }
}

/// A kind as kubectl takes it, such as `deployment` or `rollout.argoproj.io`.
pub fn kubectl_kind(kind: &str, api_version: &str) -> String {
    let kind = kind.to_lowercase();
    match api_version.split_once('/') {
        Some((group, _)) if group != "apps" => format!("{kind}.{group}"),
        _ => kind,
    }
}

/// The command that prints the role which explaining this HPA needs.
pub fn rbac_command(trace: &Trace) -> String {
    let target = &trace.target;
    let is_usual = matches!(target.kind.as_str(), "Deployment" | "StatefulSet");
    let kind = match target.api_version.split_once('/') {
        Some((group, _)) if !is_usual => {
            let plural = format!("{}s.{group}", target.kind.to_lowercase());
            format!(" --target {}", shell_word(&plural))
        }
        _ => String::new(),
    };
    format!(
        "kubectl hpa-explain rbac {}{kind}",
        trace.namespace_argument()
    )
}

/// The words of a command line, with their quotes.
pub fn shell_words(command: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let words = command.split(|character: char| {
        is_quoted ^= character == '\'';
        character == ' ' && !is_quoted
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// The flags that the tool itself puts into commands.
const FLAGS: [&str; 28] = [
    "-c",
    "-f",
    "-l",
    "-n",
    "-o",
    "-p",
    "-v",
    "--as",
    "--containers",
    "--field-manager",
    "--field-selector",
    "--full",
    "--history",
    "--list",
    "--overwrite",
    "--previous",
    "--raw",
    "--record",
    "--replicas",
    "--requests",
    "--server-side",
    "--show-labels",
    "--show-managed-fields",
    "--subresource",
    "--target",
    "--type",
    "--validate",
    "--watch",
];

/// Whether a command does what it says when it is pasted. No object of a
/// cluster has a name that reads as a flag, or that nobody can type; a file
/// can hold any. `-` alone, which is standard input, is no flag.
pub fn is_pasteable(command: &str) -> bool {
    let is_typed = command.chars().all(|c| c == ' ' || c.is_ascii_graphic());
    let is_known = |word: &str| {
        let word = word.trim_matches('\'');
        let flag = word.split_once('=').map_or(word, |(flag, _)| flag);
        !word.starts_with('-')
            || word == "-"
            || FLAGS.contains(&flag) && (word == flag || flag.starts_with("--"))
    };
    is_typed && shell_words(command).into_iter().all(is_known)
}

/// A part of a manifest as YAML: a line for each field, in the order in which kubectl
/// prints them, and a list of what has no more levels on one line each, which
/// `serde_yaml` cannot write.
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
    // A text of JSON is one of YAML.
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{is_pasteable, scalar, shell_word, shell_words, yaml};

    #[test]
    fn quoted_blanks_part_no_words() {
        let command = "kubectl get pods -l 'app in (a,b), c' --show-labels";
        let words = [
            "kubectl",
            "get",
            "pods",
            "-l",
            "'app in (a,b), c'",
            "--show-labels",
        ];
        assert_eq!(shell_words(command), words);
    }

    #[test]
    fn a_name_is_never_a_flag() {
        let rows = [
            ("kubectl delete pod web-1 -n shop", true),
            ("kubectl get pods -l 'app in (a,b)' --show-labels", true),
            (
                "kubectl set resources deployment/web -c app --requests=cpu=5m",
                true,
            ),
            ("helm template . | kubectl hpa-explain lint -f -", true),
            ("kubectl delete pod --all -n shop", false),
            ("kubectl delete pod -A -n shop", false),
            ("kubectl delete pod '--all' -n shop", false),
            ("kubectl delete pod -l=x -n shop", false),
            ("kubectl delete pod 'web\u{202e}' -n shop", false),
            ("kubectl delete pod 'a\nb'", false),
        ];
        for (command, pasteable) in rows {
            assert_eq!(is_pasteable(command), pasteable, "{command}");
        }
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_read_them() {
        assert_eq!(shell_word("web-7c9d4f"), "web-7c9d4f");
        assert_eq!(shell_word("app=web,tier!=x"), "'app=web,tier!=x'");
        assert_eq!(shell_word("a;rm -rf '$x'"), r"'a;rm -rf '\''$x'\'''");
        assert_eq!(shell_word(""), "''");
    }

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
            ("a\nb\"", "\"a\\nb\\\"\""),
        ];
        for (name, expected) in rows {
            assert_eq!(scalar(name), expected);
        }
    }
}
