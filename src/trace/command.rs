//! What people paste: words of a command line, ready for a shell, and parts of a manifest
//! as YAML.

use std::borrow::Cow;

use serde::{Serialize, ser};

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

/// A document as YAML, which every reader takes as it is meant: `serde_yaml` writes
/// YAML 1.2, where `Off` is a text; to kubectl, which reads YAML 1.1, it would be false.
/// JSON, which is YAML, too, where quotes would change more than that.
///
/// # Errors
///
/// The document has no form as YAML.
pub fn yaml(document: &impl Serialize) -> Result<String, serde_yaml::Error> {
    let text = serde_yaml::to_string(document)?;
    let lines: Vec<Cow<str>> = text.split('\n').map(quoted).collect();
    if lines.iter().all(|it| matches!(it, Cow::Borrowed(_))) {
        return Ok(text);
    }
    let quoted = lines.join("\n");
    let document = serde_yaml::to_value(document)?;
    let is_same = serde_yaml::from_str(&quoted).is_ok_and(|it: serde_yaml::Value| it == document);
    let json = || serde_json::to_string_pretty(&document).map_err(ser::Error::custom);
    if is_same { Ok(quoted) } else { json() }
}

/// A line with quotes around a name or a text that YAML 1.1 takes for something else.
fn quoted(line: &str) -> Cow<'_, str> {
    let rest = line.trim_start().trim_start_matches("- ");
    let (lead, end) = (&line[..line.len() - rest.len()], rest.find(": "));
    let end = end.or(rest.len().checked_sub(1).filter(|_| rest.ends_with(':')));
    let (name, rest) = rest.split_at(end.unwrap_or(0));
    let (colon, value) = rest.split_at(rest.len().min(if end.is_some() { 2 } else { 0 }));
    if ![name, value].into_iter().any(is_misread) {
        return Cow::Borrowed(line);
    }
    let word = |it: &str| format!("{0}{it}{0}", if is_misread(it) { "\"" } else { "" });
    format!("{lead}{}{colon}{}", word(name), word(value)).into()
}

/// Whether YAML 1.1 takes a word without quotes for a truth or a number: no value that
/// is one is written so.
fn is_misread(word: &str) -> bool {
    let words = ["on", "off", "yes", "no", "y", "n"];
    let is_truth = words.iter().any(|it| word.eq_ignore_ascii_case(it));
    let is_digit = |it: char| it.is_ascii_digit() || "_:+-.".contains(it);
    let is_number = word.starts_with(|it: char| it.is_ascii_digit() || "+-".contains(it));
    is_truth || is_number && word.contains(['_', ':']) && word.chars().all(is_digit)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{is_pasteable, shell_word, shell_words, yaml};

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

    /// What YAML 1.1 reads as something else is in quotes, as a name, too; where that
    /// cannot be, in a text of several lines, all is JSON.
    #[test]
    fn a_text_is_a_text_to_every_reader() {
        let words = ["on", "OFF", "yes", "No", "y", "N", "1_000", "1:30", "-1_0"];
        for word in words {
            let rows = [
                (json!(word), format!("\"{word}\"\n")),
                (json!({ word: "x" }), format!("\"{word}\": x\n")),
                (
                    json!({ word: [word] }),
                    format!("\"{word}\":\n- \"{word}\"\n"),
                ),
                (json!({ "x": word }), format!("x: \"{word}\"\n")),
            ];
            for (document, written) in rows {
                assert_eq!(yaml(&document).expect("YAML"), written);
            }
        }
        for plain in ["once", "2026-11-20T03:12:08Z", "a: no one", "5", "no-1"] {
            let document = json!({ "x": plain, "y1": 5 });
            let written = yaml(&document).expect("YAML");
            assert_eq!(written, serde_yaml::to_string(&document).expect("YAML"));
        }
        let document = json!({ "x": "a\noff\nb" });
        let written = yaml(&document).expect("JSON");
        assert_eq!(
            written,
            serde_json::to_string_pretty(&document).expect("JSON")
        );
    }
}
