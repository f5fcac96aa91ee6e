//! The controller's own flags, where its pod can be seen: static pods of
//! kubeadm and the like show their command line.

use std::time::Duration;

use serde::Deserialize;

use crate::snapshot::{Answered, ControllerFlags, GoDuration};

/// A list of pods, as far as their command lines.
#[derive(Debug, Deserialize)]
pub struct Managers {
    #[serde(default)]
    items: Vec<Manager>,
}

#[derive(Debug, Deserialize)]
struct Manager {
    spec: ManagerSpec,
}

#[derive(Debug, Deserialize)]
struct ManagerSpec {
    #[serde(default)]
    containers: Vec<Program>,
}

#[derive(Debug, Deserialize)]
struct Program {
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    args: Vec<String>,
}

/// The flags of the first controller manager that can be seen. Where there
/// are several, they are replicas of one configuration.
pub fn seen(managers: &Answered<Managers>) -> ControllerFlags {
    let mut flags = ControllerFlags::default();
    let manager = managers
        .response
        .as_ref()
        .and_then(|list| list.items.first());
    let programs = manager
        .into_iter()
        .flat_map(|manager| &manager.spec.containers);
    for argument in programs.flat_map(|program| program.command.iter().chain(&program.args)) {
        if let Some((name, value)) = argument.split_once('=') {
            set(&mut flags, name, value);
        }
    }
    flags
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
    use super::{Managers, seen};
    use crate::snapshot::Answered;

    #[test]
    fn flags_are_read_off_the_command_line() {
        let managers: Managers = serde_json::from_value(serde_json::json!({"items": [{"spec": {
            "containers": [{"command": ["kube-controller-manager", "--v=2"], "args": [
                "--horizontal-pod-autoscaler-sync-period=10s",
                "--horizontal-pod-autoscaler-tolerance=0.05",
                "--horizontal-pod-autoscaler-downscale-stabilization=1m30s",
                "--feature-gates=HPAScaleToZero=true,Other=false",
            ]}],
        }}]}))
        .expect("a list");
        let flags = seen(&Answered::response(managers));
        assert_eq!(flags.sync_period_seconds, Some(10));
        assert_eq!(flags.tolerance, Some(0.05));
        assert_eq!(flags.downscale_stabilization_seconds, Some(90));
        assert_eq!(flags.cpu_initialization_period_seconds, None);
        assert_eq!(flags.feature_gates.get("HPAScaleToZero"), Some(&true));
    }
}
