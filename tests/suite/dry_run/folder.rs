//! A scratch folder with a snapshot, in which the real binary runs.

use std::process::{Command, Output};

use tempfile::TempDir;

/// The HPA of the built-in case `stuck-without-samples`.
pub const WEB: &str = "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 3
  maxReplicas: 20
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}
";

pub struct Folder(TempDir);

impl Folder {
    pub fn empty() -> Self {
        Self(tempfile::tempdir().expect("a scratch directory"))
    }

    /// With a built-in case as `in.yaml`.
    pub fn of(demo: &str) -> Self {
        let folder = Self::empty();
        let output = folder.binary(&["demo", demo, "-o", "snapshot"]);
        folder.write("in.yaml", output.stdout);
        folder
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.0.path().join(name), content).expect("writable");
    }

    pub fn binary(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    /// On a page of so many columns.
    pub fn on(&self, columns: &str, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        let command = command.env("COLUMNS", columns);
        command.output().expect("the binary runs")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"));
        command
            .args(arguments)
            .current_dir(self.0.path())
            .env_clear()
            .env("TZ", "UTC");
        command
    }

    /// Runs `dry-run` on the snapshot: the exit code, what was answered, and
    /// what was complained of.
    pub fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let arguments = [&["dry-run", "--snapshot", "in.yaml"], arguments].concat();
        let output = self.binary(&arguments);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    }
}
