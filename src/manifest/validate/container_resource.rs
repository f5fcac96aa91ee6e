//! What a `ContainerResource` metric may name
//! (`ValidateContainerResourceName` and `ValidateContainerName`).

use crate::api::Wording;
use crate::api::names::{LABEL, is_label, is_subdomain, key_problems};
use crate::controller::Switch;
use crate::manifest::Rules;

/// Names without a prefix that stand for a resource somewhere in the API.
const STANDARD: [&str; 20] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
];

const EXTENDED: &str = "doesn't follow extended resource name standard";

/// What is wrong with the name of a container's resource.
pub(super) fn problems(name: &str, wording: Wording) -> Vec<String> {
    let mut problems = key_problems(name, wording);
    let is_huge_page = name.starts_with("hugepages-");
    if !name.contains('/') {
        if problems.is_empty() && !is_huge_page && !STANDARD.contains(&name) {
            problems.push("must be a standard resource type or fully qualified".to_owned());
        }
        if !is_huge_page && !matches!(name, "cpu" | "memory" | "ephemeral-storage") {
            problems.push("must be a standard resource for containers".to_owned());
        }
        return problems;
    }
    let is_native = name.contains("kubernetes.io/");
    let as_request = format!("requests.{name}");
    let is_extended =
        !name.starts_with("requests.") && key_problems(&as_request, wording).is_empty();
    if !is_native && !is_extended {
        problems.push(EXTENDED.to_owned());
    }
    problems
}

/// What is wrong with the name of a container.
pub(super) fn container_problems(name: &str, rules: Rules) -> Vec<&'static str> {
    let mut problems = Vec::new();
    if name.len() > 63 {
        problems.push("must be no more than 63 characters");
    }
    if !is_label(name) {
        let has_dots = is_subdomain(name) && rules.release.has(Switch::DotsInLabelText);
        problems.push(if has_dots {
            "must not contain dots"
        } else {
            LABEL
        });
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_of_containers() {
        let fully = "must be a standard resource type or fully qualified";
        let standard = "must be a standard resource for containers";
        let rows: [(&str, &[&str]); 9] = [
            ("cpu", &[]),
            ("hugepages-2Mi", &[]),
            ("nvidia.com/gpu", &[]),
            ("kubernetes.io/x", &[]),
            ("foo", &[fully, standard]),
            ("storage", &[standard]),
            ("requests.cpu", &[standard]),
            ("requests.nvidia.com/gpu", &[EXTENDED]),
            ("requests.x/y", &[EXTENDED]),
        ];
        for (name, expected) in rows {
            assert_eq!(problems(name, Wording::LabelKey), expected, "{name}");
        }
        let malformed = problems("a b", Wording::LabelKey);
        assert_eq!(malformed.len(), 2, "{malformed:?}");
        assert!(malformed[0].starts_with("name part must consist of"));
    }
}
