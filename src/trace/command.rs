//! What people paste: words of a command line, ready for a shell, and parts of a manifest
//! as YAML.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer, ser};

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

/// A command line to paste, word by word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellCommand {
    words: Vec<ShellWord>,
    is_pasteable: bool,
}

/// A word as a shell reads it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellWord {
    /// With its quotes.
    pub text: Cow<'static, str>,
    /// Whether it can be broken where that means nothing to JSON.
    pub is_json: bool,
}

impl ShellCommand {
    /// A command of words of our own, with a blank between them.
    pub fn new(words: &'static str) -> Self {
        let command = Self {
            words: Vec::new(),
            is_pasteable: true,
        };
        command.and(words)
    }

    /// More words of our own.
    pub fn and(mut self, words: &'static str) -> Self {
        self.words.extend(words.split(' ').map(|text| ShellWord {
            text: text.into(),
            is_json: false,
        }));
        self
    }

    /// A name, or another word that is not our own.
    pub fn word(mut self, word: &str) -> Self {
        self.is_pasteable &= !word.starts_with('-') || word == "-";
        self.value("", word)
    }

    /// A value that is not our own, behind a flag as `--requests=`.
    pub fn value(self, flag: &'static str, value: &str) -> Self {
        self.push(flag, value, false)
    }

    /// JSON, as one word.
    pub fn json(self, json: &str) -> Self {
        self.push("", json, true)
    }

    fn push(mut self, flag: &str, value: &str, is_json: bool) -> Self {
        self.is_pasteable &= value.chars().all(|c| c == ' ' || c.is_ascii_graphic());
        let text = format!("{flag}{}", shell_word(value)).into();
        self.words.push(ShellWord { text, is_json });
        self
    }

    /// The flag of a namespace.
    pub fn namespace(self, namespace: &str) -> Self {
        self.and("-n").word(namespace)
    }

    /// Its words, with their quotes.
    pub fn words(&self) -> &[ShellWord] {
        &self.words
    }

    /// Whether it does what it says when it is pasted. No object of a cluster has a name
    /// that reads as a flag, or that nobody can type; a file can hold any.
    pub fn is_pasteable(&self) -> bool {
        self.is_pasteable
    }

    /// The command, if it does what it says when it is pasted.
    pub fn pasteable(self) -> Option<Self> {
        self.is_pasteable.then_some(self)
    }
}

impl fmt::Display for ShellCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_ref()).collect();
        f.write_str(&words.join(" "))
    }
}

impl Serialize for ShellCommand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Trace {
    /// The target as a kubectl argument, such as `deployment/web`; a kind of
    /// another group than `apps` is named with its group.
    pub fn target_argument(&self) -> String {
        format!("{}/{}", self.target_kind(), self.target.name)
    }

    /// The target's kind as kubectl takes it, such as `rollout.argoproj.io`.
    pub fn target_kind(&self) -> String {
        kubectl_kind(&self.target.kind, &self.target.api_version)
    }

    /// The command that tells about a pod: of one that crashes, its last words.
    pub fn look_at_pod(&self, pod: &str) -> ShellCommand {
        let mut waiting = self.waiting.iter();
        match waiting.find(|it| it.pod == pod && it.reason == CRASH_LOOP_BACK_OFF) {
            Some(it) => {
                let command = self.kubectl("kubectl logs", &[pod]).and("-c");
                command.word(&it.container).and("--previous")
            }
            None => self.kubectl("kubectl describe pod", &[pod]),
        }
    }

    /// A command with names, in the HPA's namespace.
    pub fn kubectl(&self, command: &'static str, names: &[&str]) -> ShellCommand {
        let command = ShellCommand::new(command);
        let command = names.iter().fold(command, |it, name| it.word(name));
        command.namespace(&self.namespace)
    }

    /// A command about the HPA.
    pub fn kubectl_hpa(&self, command: &'static str) -> ShellCommand {
        self.kubectl(command, &[&self.name])
    }

    /// A command about the target.
    pub fn kubectl_target(&self, command: &'static str) -> ShellCommand {
        self.kubectl(command, &[&self.target_argument()])
    }

    /// The command that shows who owns which fields of the target.
    pub fn see_managers(&self) -> ShellCommand {
        let command = self.kubectl_target("kubectl get");
        command.and("-o yaml --show-managed-fields")
    }

    /// A command about the pods that the scale's selector matches, where it is known.
    pub fn kubectl_pods(&self, command: &'static str) -> ShellCommand {
        let command = self.kubectl(command, &[]);
        let scale = self.scale.as_ref();
        match scale.and_then(|scale| scale.selector.as_deref()) {
            Some(selector) if !selector.is_empty() => command.and("-l").word(selector),
            _ => command,
        }
    }

    /// The command that sets the size to the lower bound, or to 1.
    pub fn scale_to_min(&self) -> ShellCommand {
        let size = self.bounds.min_replicas.max(1).to_string();
        let command = ShellCommand::new("kubectl scale").word(&self.target_argument());
        command
            .value("--replicas=", &size)
            .namespace(&self.namespace)
    }

    /// The command that patches the HPA, with `--type=merge` or `--type=json`.
    pub fn patch_hpa(&self, kind: &'static str, patch: &str) -> ShellCommand {
        self.kubectl_hpa("kubectl patch hpa")
            .and(kind)
            .and("-p")
            .json(patch)
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
pub fn rbac_command(trace: &Trace) -> ShellCommand {
    let target = &trace.target;
    let is_usual = matches!(target.kind.as_str(), "Deployment" | "StatefulSet");
    let command = trace.kubectl("kubectl hpa-explain rbac", &[]);
    match target.api_version.split_once('/') {
        Some((group, _)) if !is_usual => {
            let plural = format!("{}s.{group}", target.kind.to_lowercase());
            command.and("--target").word(&plural)
        }
        _ => command,
    }
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

    use super::{ShellCommand, shell_word, yaml};

    #[test]
    fn quoted_blanks_part_no_words() {
        let command = ShellCommand::new("kubectl get pods -l").word("app in (a,b), c");
        let command = command.and("--show-labels");
        let words = [
            "kubectl",
            "get",
            "pods",
            "-l",
            "'app in (a,b), c'",
            "--show-labels",
        ];
        assert!(command.words().iter().map(|word| &word.text).eq(&words));
        assert_eq!(command.to_string(), words.join(" "));
    }

    #[test]
    fn a_name_is_never_a_flag() {
        let rows = [
            ("web-1", true),
            ("app in (a,b)", true),
            ("-", true),
            ("--all", false),
            ("-A", false),
            ("-n", false),
            ("-l=x", false),
            ("web\u{202e}", false),
            ("a\nb", false),
        ];
        for (name, is_pasteable) in rows {
            let command = ShellCommand::new("kubectl delete pod").word(name);
            assert_eq!(
                command.namespace("shop").is_pasteable(),
                is_pasteable,
                "{name}"
            );
        }
        let amount = ShellCommand::new("kubectl set resources").value("--requests=", "-5m");
        assert!(amount.is_pasteable());
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
