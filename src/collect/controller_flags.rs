//! The controller's own flags, where they can be seen: static pods of kubeadm
//! and minikube show their command line, nodes of k3s their arguments.

use std::time::Duration;

use serde::Deserialize;

use crate::api::GoDuration;
use crate::snapshot::ControllerFlags;

/// A pod, as far as its command lines, or a node, as far as the arguments
/// that k3s notes on it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Manager {
    metadata: ManagerMeta,
    spec: ManagerSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ManagerMeta {
    annotations: Option<ManagerAnnotations>,
}

#[derive(Debug, Deserialize)]
struct ManagerAnnotations {
    /// A JSON array of words.
    #[serde(rename = "k3s.io/node-args")]
    node_args: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ManagerSpec {
    containers: Vec<Program>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Program {
    command: Vec<String>,
    args: Vec<String>,
}

/// What hands a flag on to the controller manager inside k3s.
const HANDED_ON: &str = "--kube-controller-manager-arg";

/// The flags of the first controller manager that can be seen. Where there
/// are several, they are replicas of one configuration.
pub fn observed(managers: &[Manager]) -> ControllerFlags {
    let mut flags = ControllerFlags::default();
    let words = managers.iter().map(Manager::words);
    let words = words.into_iter().find(|words| !words.is_empty());
    for (name, value) in pairs(&words.unwrap_or_default()) {
        match name {
            HANDED_ON => {
                if let Some((name, value)) = value.split_once('=') {
                    set(&mut flags, &format!("--{name}"), value);
                }
            }
            name => set(&mut flags, name, value),
        }
    }
    flags
}

impl Manager {
    /// The command line, word by word; a shell's script is one word of it.
    fn words(&self) -> Vec<String> {
        let containers = self.spec.containers.iter();
        let words = containers.flat_map(|program| program.command.iter().chain(&program.args));
        let words = words.flat_map(|word| word.split_whitespace());
        let mut words: Vec<String> = words.map(str::to_owned).collect();
        let noted = self.metadata.annotations.as_ref();
        let noted = noted.and_then(|noted| noted.node_args.as_deref());
        let noted = noted.and_then(|text| serde_json::from_str::<Vec<String>>(text).ok());
        words.extend(noted.unwrap_or_default());
        words
    }
}

/// `--name=value`, or `--name value`.
fn pairs(words: &[String]) -> impl Iterator<Item = (&str, &str)> {
    let flags = words.iter().enumerate();
    let flags = flags.filter(|(_, word)| word.starts_with("--"));
    flags.filter_map(|(at, word)| match word.split_once('=') {
        Some(pair) => Some(pair),
        None => Some((word.as_str(), words.get(at + 1)?.as_str())),
    })
}

fn set(flags: &mut ControllerFlags, name: &str, value: &str) {
    let seconds = || {
        let duration: GoDuration = value.parse().ok()?;
        let whole = Duration::from_nanos(u64::try_from(duration.0).ok()?).as_secs();
        u32::try_from(whole).ok()
    };
    match name.strip_prefix("--horizontal-pod-autoscaler-") {
        Some("sync-period") => flags.sync_period_seconds = seconds(),
        Some("tolerance") => flags.tolerance = value.parse().ok().filter(|t: &f64| t.is_finite()),
        Some("downscale-stabilization") => flags.downscale_stabilization_seconds = seconds(),
        Some("cpu-initialization-period") => flags.cpu_initialization_period_seconds = seconds(),
        Some("initial-readiness-delay") => flags.initial_readiness_delay_seconds = seconds(),
        _ if name == "--feature-gates" => {
            let gates = value.split(',').filter_map(|gate| gate.split_once('='));
            let gates = gates.filter_map(|(gate, on)| Some((gate.to_owned(), on.parse().ok()?)));
            flags.feature_gates.extend(gates);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Manager, observed};

    fn flags(managers: serde_json::Value) -> crate::snapshot::ControllerFlags {
        let managers: Vec<Manager> = serde_json::from_value(managers).expect("a list");
        observed(&managers)
    }

    #[test]
    fn flags_are_read_off_the_command_line() {
        let flags = flags(json!([{"spec": {"containers": [{
            "command": ["kube-controller-manager", "--v=2"],
            "args": [
                "--horizontal-pod-autoscaler-sync-period=10s",
                "--horizontal-pod-autoscaler-tolerance", "0.05",
                "--horizontal-pod-autoscaler-downscale-stabilization=1m30s",
                "--feature-gates=HPAScaleToZero=true,Other=false",
            ],
        }]}}]));
        assert_eq!(flags.sync_period_seconds, Some(10));
        assert_eq!(flags.tolerance, Some(0.05));
        assert_eq!(flags.downscale_stabilization_seconds, Some(90));
        assert_eq!(flags.cpu_initialization_period_seconds, None);
        assert_eq!(flags.feature_gates.get("HPAScaleToZero"), Some(&true));
    }

    #[test]
    fn flags_are_read_off_a_shells_script() {
        let script = "exec kube-controller-manager --horizontal-pod-autoscaler-tolerance=0.2 --v=2";
        let command = json!(["/bin/sh", "-c", script]);
        let managers = json!([{"spec": {"containers": [{"command": command}]}}]);
        assert_eq!(flags(managers).tolerance, Some(0.2));
    }

    #[test]
    fn flags_are_read_off_the_nodes_of_k3s() {
        let node = |words: serde_json::Value| json!({"metadata": {"annotations": {"k3s.io/node-args": words.to_string()}}});
        let rows = [
            json!([
                "server",
                "--kube-controller-manager-arg",
                "horizontal-pod-autoscaler-tolerance=0.3"
            ]),
            json!([
                "server",
                "--kube-controller-manager-arg=horizontal-pod-autoscaler-tolerance=0.3"
            ]),
        ];
        for words in rows {
            let managers = json!([{"metadata": {}}, node(words)]);
            assert_eq!(flags(managers).tolerance, Some(0.3));
        }
        let plain = json!([node(json!(["server"])), {"metadata": {"annotations": null}}]);
        assert_eq!(flags(plain).tolerance, None);
    }
}
