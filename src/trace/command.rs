//! Words of a command line, ready for a shell.

use super::Trace;

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

impl Trace {
    /// The target as a kubectl argument, such as `deployment/web`; a kind of
    /// another group than `apps` is named with its group.
    #[must_use]
    pub fn target_argument(&self) -> String {
        shell_word(&format!("{}/{}", self.target_kind(), self.target.name))
    }

    /// The target's kind as kubectl takes it, such as `rollout.argoproj.io`.
    #[must_use]
    pub fn target_kind(&self) -> String {
        let kind = self.target.kind.to_lowercase();
        match self.target.api_version.split_once('/') {
            Some((group, _)) if group != "apps" => format!("{kind}.{group}"),
            _ => kind,
        }
    }

    /// The namespace as kubectl arguments.
    #[must_use]
    pub fn namespace_argument(&self) -> String {
        format!("-n {}", shell_word(&self.namespace))
    }
}

/// The command that prints the role which explaining this HPA needs.
#[must_use]
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
