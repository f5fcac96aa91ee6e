//! Through kubectl, as users call it.

#![cfg(unix)]

use std::env;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::apiserver::ApiServer;
use tempfile::TempDir;

const PLUGIN: &str = env!("CARGO_BIN_EXE_kubectl-hpa_explain");

/// kubectl with the plugin and its helper on an otherwise bare `PATH`, and a
/// home of its own.
struct Kubectl {
    program: PathBuf,
    home: TempDir,
    server: ApiServer,
    kubeconfig: PathBuf,
}

impl Kubectl {
    fn new() -> Self {
        let path = env::var_os("PATH").expect("a PATH");
        let mut found = env::split_paths(&path).map(|folder| folder.join("kubectl"));
        let program = found.find(|file| file.is_file());
        let program = program.expect("kubectl is on the PATH");
        let home = tempfile::tempdir().expect("a home");
        let plugins = home.path().join("bin");
        std::fs::create_dir(&plugins).expect("a folder");
        symlink(PLUGIN, plugins.join("kubectl-hpa_explain")).expect("a link");
        let server = ApiServer::replay("steady").https().start();
        let kubeconfig = server.kubeconfig();
        let kubectl = Self {
            program,
            home,
            server,
            kubeconfig,
        };
        let installed = kubectl.run(&["hpa-explain", "completion", "install"]);
        assert_eq!(stderr(&installed), "");
        kubectl
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.output(Command::new(&self.program).args(arguments))
    }

    fn run_directly(&self, arguments: &[&str]) -> Output {
        self.output(Command::new(PLUGIN).args(arguments))
    }

    fn output(&self, command: &mut Command) -> Output {
        // The helper is a script: /bin is for its shell.
        let path = format!("{}:/bin", self.plugins().display());
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.home.path())
            .env("KUBECONFIG", &self.kubeconfig)
            .env("TZ", "UTC")
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .output()
            .expect("it runs")
    }

    fn plugins(&self) -> PathBuf {
        self.home.path().join("bin")
    }
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("text")
}

/// Two live explanations are equal if the server's clock shows the same second
/// in both.
#[test]
#[ignore = "needs kubectl"]
fn kubectl_explains_what_the_plugin_explains() {
    let kubectl = Kubectl::new();
    for name in ["web", "checkout", "db"] {
        let through = || kubectl.run(&["hpa-explain", name, "-n", "shop"]);
        let direct = || kubectl.run_directly(&[name, "-n", "shop"]);
        let mut pairs = (0..10).map(|_| (through(), direct()));
        let equal = pairs.find(|(through, direct)| through == direct);
        let (through, _) = equal.expect(name);
        assert_eq!(through.status.code(), Some(0), "{name}");
        assert!(stdout(&through).starts_with(&format!("shop/{name}  ")));
    }
    assert!(!kubectl.server.log().is_empty());
}

#[test]
#[ignore = "needs kubectl"]
fn streams_and_exit_codes_pass_through() {
    let kubectl = Kubectl::new();
    let frozen = kubectl.run(&["hpa-explain", "web", "-n", "shop", "-o", "snapshot"]);
    let file = kubectl.home.path().join("web.yaml");
    std::fs::write(&file, &frozen.stdout).expect("writable");
    let file = file.to_str().expect("a plain path");
    let rows: [(&[&str], i32); 9] = [
        (&["--snapshot", file], 0),
        (&["web", "-n", "shop", "--snapshot", file, "-o", "json"], 0),
        (&["demo", "--list"], 0),
        (&["--help"], 0),
        (&["nosuch", "-n", "shop"], 1),
        (&["web", "-n", "nosuch"], 1),
        (&["web", "--context", "nosuch"], 1),
        (&["--nosuch"], 2),
        (&["demo", "-o", "nosuch"], 2),
    ];
    for (arguments, code) in rows {
        let through = kubectl.run(&[&["hpa-explain"], arguments].concat());
        let direct = kubectl.run_directly(arguments);
        assert_eq!(through.status.code(), Some(code), "{arguments:?}");
        assert_eq!(direct.status.code(), Some(code), "{arguments:?}");
        assert_eq!(stdout(&through), stdout(&direct), "{arguments:?}");
        assert_eq!(stderr(&through), stderr(&direct), "{arguments:?}");
    }
}

#[test]
#[ignore = "needs kubectl"]
fn kubectl_completes_names_through_the_helper() {
    let kubectl = Kubectl::new();
    // kubectl's directives: 4 is no files, 0 is files too.
    let rows: [(&[&str], &[&str]); 5] = [
        (&["-n", "shop", "w"], &["web\tDeployment/web", ":4"]),
        (&["hpa/w"], &["hpa/web\tDeployment/web", ":4"]),
        (
            &["demo", "window"],
            &["window-band\tHeld between two windows", ":4"],
        ),
        (&["--context", ""], &["test", ":4"]),
        (&["--snapshot", ""], &[":0"]),
    ];
    for (words, expected) in rows {
        let words = [&["__complete", "hpa-explain"], words].concat();
        // Again on a machine that is too busy to answer in time.
        let mut answers = (0..10).map(|_| kubectl.run(&words));
        let is_expected = |answer: &Output| stdout(answer).lines().eq(expected.iter().copied());
        assert!(answers.any(|answer| is_expected(&answer)), "{words:?}");
    }
    // Without the helper there is nothing to ask.
    let helper = kubectl.plugins().join("kubectl_complete-hpa_explain");
    std::fs::remove_file(helper).expect("the helper");
    let output = kubectl.run(&["__complete", "hpa-explain", "-n", "shop", "w"]);
    assert!(!stdout(&output).contains("web"), "{}", stdout(&output));
}

#[test]
#[ignore = "needs kubectl"]
fn kubectl_lists_the_plugin_without_a_warning() {
    let kubectl = Kubectl::new();
    let output = kubectl.run(&["plugin", "list"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let plugin = kubectl.plugins().join("kubectl-hpa_explain");
    let listed: Vec<&Path> = stdout(&output).lines().map(Path::new).collect();
    assert!(listed.contains(&plugin.as_path()), "{}", stdout(&output));
    let all = format!("{}{}", stdout(&output), stderr(&output));
    assert!(!all.to_lowercase().contains("warning"), "{all}");
}
