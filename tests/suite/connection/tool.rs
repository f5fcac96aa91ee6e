//! Runs the binary in an empty environment.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a run gave.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout.clone()).expect("text"),
            stderr: String::from_utf8(output.stderr.clone()).expect("text"),
        }
    }

    /// The HPA was explained, without a word beside.
    pub fn explained(&self, what: &str) {
        assert_eq!(self.code, Some(0), "{what}: {}", self.stderr);
        assert_eq!(self.stderr, "", "{what}");
        assert!(
            self.stdout.starts_with("shop/web  "),
            "{what}: {}",
            self.stdout
        );
    }

    /// It failed with this sentence, and a next step.
    pub fn failed(&self, what: &str, sentence: &str, hint: &str) {
        let Self {
            code,
            stdout,
            stderr,
        } = self;
        assert_eq!(*code, Some(1), "{what}: {stderr}");
        assert_eq!(stdout, "", "{what}");
        let lines: Vec<&str> = stderr.lines().collect();
        assert_eq!(lines.len(), 2, "{what}: {stderr}");
        assert!(
            lines[0].contains(sentence),
            "{what}: want {sentence:?}\nin {stderr}"
        );
        assert!(lines[1].starts_with("hint: "), "{what}: {stderr}");
        assert!(
            lines[1].contains(hint),
            "{what}: want {hint:?}\nin {stderr}"
        );
        // Nothing looks like a programmer's view of it.
        for debug in ["Error {", "Some(", "kind:", "\\\"", "Custom"] {
            assert!(!stderr.contains(debug), "{what}: {stderr}");
        }
    }
}

/// `web -n shop`, with a kubeconfig and more arguments.
pub fn explain(kubeconfig: &Path, arguments: &[&str]) -> Ran {
    explain_with(kubeconfig, arguments, &[])
}

/// The same with environment variables.
pub fn explain_with(kubeconfig: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut all: Vec<&OsStr> = ["web", "-n", "shop", "--kubeconfig"]
        .map(OsStr::new)
        .to_vec();
    all.push(kubeconfig.as_os_str());
    all.extend(arguments.iter().map(OsStr::new));
    run(&all, variables)
}

/// The binary with just these arguments and variables.
pub fn run(arguments: &[&OsStr], variables: &[(&str, &str)]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments)
        .env_clear()
        .env("TZ", "UTC")
        .env("HOME", "/nowhere")
        // For the programs that plugins run.
        .env("PATH", "/usr/bin:/bin")
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs");
    Ran::of(&output)
}

/// Whether kubectl is asked, too, and must do the same.
#[derive(Clone, Copy)]
pub enum Beside {
    Nothing,
    Kubectl,
}

impl Beside {
    /// What kubectl makes of `get hpa web -n shop`, where it is asked.
    pub fn kubectl(
        self,
        kubeconfig: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Option<Ran> {
        if matches!(self, Self::Nothing) {
            return None;
        }
        let output = Command::new("kubectl")
            .args(["get", "hpa", "web", "-n", "shop", "-o", "name"])
            .args(["--request-timeout", "10s", "--kubeconfig"])
            .arg(kubeconfig)
            .arg("--cache-dir")
            .arg(kubeconfig.with_extension("cache"))
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").expect("a PATH"))
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .output()
            .expect("kubectl runs");
        Some(Ran::of(&output))
    }
}

/// Two tests of one function: alone, and beside kubectl.
macro_rules! beside_kubectl {
    ($($name:ident),+) => {$(
        mod $name {
            use crate::connection::tool::Beside;

            #[test]
            fn alone() {
                super::$name(Beside::Nothing);
            }

            #[test]
            #[ignore = "needs kubectl"]
            fn as_kubectl_does() {
                super::$name(Beside::Kubectl);
            }
        }
    )+};
}

pub(super) use beside_kubectl;

/// What a terminal shows of `web -n shop`, in a locale without UTF-8. It is
/// made by util-linux's `script`: that of BSD has other flags.
pub fn on_a_terminal(kubeconfig: &Path) -> String {
    let binary = env!("CARGO_BIN_EXE_kubectl-hpa_explain");
    let command = format!(
        "'{binary}' web -n shop --kubeconfig '{}'",
        kubeconfig.display()
    );
    let output = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env_clear()
        .env("TZ", "UTC")
        .env("HOME", "/nowhere")
        .env("LC_ALL", "C")
        .env("TERM", "dumb")
        .env("PATH", std::env::var_os("PATH").expect("a PATH"))
        .stdin(Stdio::null())
        .output()
        .expect("script runs");
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).into_owned()
}
