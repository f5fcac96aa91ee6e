//! The real binary in a scratch directory.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::apiserver::ApiServer;

/// The binary, connected to a server, in a directory of its own.
pub struct Run {
    kubeconfig: PathBuf,
    directory: TempDir,
}

impl Run {
    pub fn on(server: &ApiServer) -> Self {
        Self {
            kubeconfig: server.kubeconfig(),
            directory: tempfile::tempdir().expect("a scratch directory"),
        }
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.directory.path().join(file)
    }

    pub fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).expect(file)
    }

    /// What is in the directory, by name.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.path()).expect("readable");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name())
            .map(|name| name.into_string().expect("plain"))
            .collect();
        names.sort();
        names
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env_clear()
            .env("KUBECONFIG", &self.kubeconfig)
            .env("TZ", "UTC");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    /// Runs what must go well.
    pub fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            stderr(&output)
        );
        String::from_utf8(output.stdout).expect("text")
    }

    /// Captures an HPA to a file of its name.
    pub fn capture(&self, name: &str, more: &[&str]) -> String {
        let file = format!("{name}.yaml");
        let arguments = [&["capture", name, "-n", "shop", "--file", &file], more].concat();
        self.stdout(&arguments);
        file
    }

    /// The traces of a live run and of a file of the same second: the time is
    /// the server's, plus the seconds since it told it, of which a busy
    /// machine can make one. A live run on such a machine may also go without
    /// what a capture waits for.
    pub fn at_one_moment(&self, name: &str, file: &str) -> (Value, Value) {
        let from_file = self.trace(&["--snapshot", file]);
        for _ in 0..20 {
            let live = self.trace(&[name, "-n", "shop"]);
            let is_same = |path| live.pointer(path) == from_file.pointer(path);
            if is_same("/at") && is_same("/basis/notRead") {
                return (live, from_file);
            }
        }
        panic!("{name}: never as {}", from_file["basis"]);
    }

    fn trace(&self, arguments: &[&str]) -> Value {
        let text = self.stdout(&[arguments, &["-o", "json"]].concat());
        let mut document: Value = serde_json::from_str(&text).expect("JSON");
        document["trace"].take()
    }
}

/// What was said, less that the recorded clock is another than ours.
pub fn stderr(output: &Output) -> String {
    let text = std::str::from_utf8(&output.stderr).expect("text");
    let lines = text.split_inclusive('\n');
    lines
        .filter(|line| !line.starts_with("warning: this machine's clock is "))
        .collect()
}

/// The rights of a file, for owner, group and others.
#[cfg(unix)]
pub fn mode(path: &std::path::Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;

    std::fs::metadata(path)
        .expect("a file")
        .permissions()
        .mode()
        & 0o777
}
