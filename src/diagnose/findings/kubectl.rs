//! The words of commands and manifests in remedies.

use crate::snapshot::CrossVersionObjectReference;
use crate::trace::{Trace, shell_word};

/// An object as kubectl takes it, such as `deployment/web`; the group is
/// named where another kind could have the same name.
pub(super) fn argument(object: &CrossVersionObjectReference) -> String {
    let mut kind = object.kind.to_lowercase();
    if let Some((group, _)) = object.api_version.split_once('/')
        && group != "apps"
    {
        kind = format!("{kind}.{group}");
    }
    shell_word(&format!("{kind}/{}", object.name))
}

/// The HPA's scale target as kubectl takes it.
pub(super) fn target(trace: &Trace) -> String {
    argument(&trace.target)
}

/// `-n NAMESPACE` of the HPA.
pub(super) fn namespace(trace: &Trace) -> String {
    format!("-n {}", shell_word(&trace.namespace))
}

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
    use super::{argument, scalar};
    use crate::snapshot::CrossVersionObjectReference;

    #[test]
    fn objects_are_named_as_kubectl_takes_them() {
        let rows = [
            ("apps/v1", "Deployment", "web", "deployment/web"),
            (
                "v1",
                "ReplicationController",
                "old",
                "replicationcontroller/old",
            ),
            (
                "argoproj.io/v1alpha1",
                "Rollout",
                "canary",
                "rollout.argoproj.io/canary",
            ),
            ("apps/v1", "Deployment", "a;b", "'deployment/a;b'"),
        ];
        for (api_version, kind, name, expected) in rows {
            let object = CrossVersionObjectReference {
                kind: kind.to_owned(),
                name: name.to_owned(),
                api_version: api_version.to_owned(),
            };
            assert_eq!(argument(&object), expected);
        }
    }

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
