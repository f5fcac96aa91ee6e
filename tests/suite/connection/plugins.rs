//! Exec plugins: programs that print credentials.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::connection::steady;
use crate::connection::tool::{Beside, beside_kubectl, explain};
use crate::support::apiserver::ApiServer;
use crate::support::interrupt::interrupted;

const V1: &str = "client.authentication.k8s.io/v1";
const V1BETA1: &str = "client.authentication.k8s.io/v1beta1";

/// A script that notes each run in a file beside it.
struct Plugin {
    folder: TempDir,
}

impl Plugin {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("plugin");
        let text = format!("#!/bin/sh\necho run >> \"$(dirname \"$0\")/runs\"\n{script}\n");
        fs::write(&path, text).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        Self { folder }
    }

    fn printing(status: &Value) -> Self {
        let credential = json!({"kind": "ExecCredential", "apiVersion": V1, "status": status});
        Self::new(&format!("cat <<'END'\n{credential}\nEND"))
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("plugin")
    }

    fn runs(&self) -> usize {
        let runs = fs::read_to_string(self.folder.path().join("runs"));
        runs.map_or(0, |runs| runs.lines().count())
    }

    fn exec(&self) -> Value {
        json!({"apiVersion": V1, "command": self.path(), "interactiveMode": "Never"})
    }
}

fn kubeconfig(server: &ApiServer, exec: &Value) -> PathBuf {
    server.kubeconfig_with(|config| config["users"][0]["user"] = json!({"exec": exec}))
}

#[test]
fn a_plugin_runs_once() {
    let server = steady().https().token("secret").start();
    let statuses = [
        json!({"token": "secret"}),
        json!({"token": "secret", "expirationTimestamp": "2999-01-01T00:00:00Z"}),
        // It would be refreshed, if it were asked again.
        json!({"token": "secret", "expirationTimestamp": "2001-01-01T00:00:00Z"}),
    ];
    for status in &statuses {
        let plugin = Plugin::printing(status);
        let config = kubeconfig(&server, &plugin.exec());
        explain(&config, &[]).explained(&status.to_string());
        assert_eq!(plugin.runs(), 1, "{status}");
    }
    assert_eq!(statuses.len(), 3);
}

#[test]
fn a_plugin_may_give_a_certificate() {
    let server = steady().client_certificate().start();
    let (certificate, key) = server.client();
    let plugin = Plugin::printing(&json!({
        "clientCertificateData": certificate,
        "clientKeyData": key,
    }));
    let config = kubeconfig(&server, &plugin.exec());
    explain(&config, &[]).explained("a certificate");
    assert_eq!(plugin.runs(), 1);
}

/// Arguments, variables, and what client-go tells a plugin.
fn a_plugin_is_told_what_kubectl_tells_it(beside: Beside) {
    let server = steady().https().token("secret").start();
    let script = format!(
        "echo \"$1 $FROM $KUBERNETES_EXEC_INFO\" > \"$(dirname \"$0\")/told\"\n\
         echo '{{\"kind\":\"ExecCredential\",\"apiVersion\":\"{V1BETA1}\",\"status\":{{\"token\":\"secret\"}}}}'"
    );
    let plugin = Plugin::new(&script);
    let exec = json!({
        "apiVersion": V1BETA1,
        "command": plugin.path(),
        "args": ["argument"],
        "env": [{"name": "FROM", "value": "kubeconfig"}],
        "provideClusterInfo": true,
    });
    let config = server.kubeconfig_with(|config| {
        config["users"][0]["user"] = json!({"exec": exec});
        config["clusters"][0]["cluster"]["extensions"] =
            json!([{"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x"}}]);
    });
    explain(&config, &[]).explained("told");
    let told = || {
        let text = fs::read_to_string(plugin.folder.path().join("told")).expect("told");
        let info = text
            .strip_prefix("argument kubeconfig ")
            .expect("arguments")
            .to_owned();
        serde_json::from_str::<Value>(&info).expect("JSON")
    };
    let ours = told();
    assert_eq!(ours["spec"]["cluster"]["server"], server.url());
    assert_eq!(ours["spec"]["cluster"]["config"]["audience"], "x");
    if beside.kubectl(&config, &[], &[]).is_some() {
        assert_eq!(ours, told());
    }
}

beside_kubectl!(a_plugin_is_told_what_kubectl_tells_it);

#[test]
fn other_credentials_come_first() {
    let server = steady().https().start();
    let plugin = Plugin::printing(&json!({"token": "of-the-plugin"}));
    let with_token = server.kubeconfig_with(|config| {
        config["users"][0]["user"] = json!({"token": "inline", "exec": plugin.exec()});
    });
    explain(&with_token, &[]).explained("a token");
    let config = kubeconfig(&server, &plugin.exec());
    explain(&config, &["--token", "flag"]).explained("the flag");
    assert_eq!(plugin.runs(), 0);
    assert!(
        server
            .log()
            .iter()
            .all(|entry| entry.header("authorization") != "Bearer of-the-plugin")
    );
}

#[test]
fn a_plugin_without_credentials_says_why() {
    let server = steady().https().start();
    let failing = Plugin::new("exit 3");
    let killed = Plugin::new("kill -9 $$");
    let nonsense = Plugin::new("echo my-secret");
    let silent = Plugin::new("true");
    let empty = Plugin::printing(&json!({}));
    let half = Plugin::printing(&json!({"clientKeyData": "my-secret"}));
    let endless = Plugin::new("exec yes my-secret");
    let changed = |plugin: &Plugin, key: &str, value: Value| {
        let mut exec = plugin.exec();
        exec[key] = value;
        exec
    };
    let hint = "log in again";
    let rows = [
        (failing.exec(), "failed with exit code 3", hint),
        (killed.exec(), "failed with a signal", hint),
        (
            nonsense.exec(),
            "printed no credentials: no ExecCredential at line 1",
            hint,
        ),
        (silent.exec(), "printed no credentials", hint),
        (
            empty.exec(),
            "printed no credentials: neither a token nor a certificate",
            hint,
        ),
        (
            half.exec(),
            "printed no credentials: only one of certificate and key",
            hint,
        ),
        (
            endless.exec(),
            "printed no credentials: it prints more than 1 MiB",
            hint,
        ),
        (
            changed(&empty, "apiVersion", json!(V1BETA1)),
            "printed no credentials: no ExecCredential of client.authentication.k8s.io/v1beta1",
            hint,
        ),
        (
            changed(
                &empty,
                "apiVersion",
                json!("client.authentication.k8s.io/v1alpha1"),
            ),
            "exec plugin: invalid apiVersion",
            "kubectl config view --minify",
        ),
        (
            changed(&empty, "interactiveMode", json!(null)),
            "interactiveMode must be specified",
            "kubectl config view --minify",
        ),
        (
            changed(&empty, "interactiveMode", json!("Always")),
            "it needs a terminal",
            "kubectl config view --minify",
        ),
        (
            changed(&empty, "command", json!("")),
            "command must be specified",
            "kubectl config",
        ),
        (
            changed(&empty, "command", json!("no-such-plugin")),
            "exec: executable no-such-plugin not found",
            "put its folder into PATH",
        ),
        (
            json!({
                "apiVersion": V1,
                "command": "no-such-plugin",
                "interactiveMode": "Never",
                "installHint": "get it with\nbrew install it\u{1b}[2J",
            }),
            "exec: executable no-such-plugin not found",
            "get it with\\u{a}brew install it\\u{1b}[2J",
        ),
    ];
    for (exec, sentence, hint) in &rows {
        let ran = explain(&kubeconfig(&server, exec), &[]);
        ran.failed(&exec.to_string(), sentence, hint);
        assert!(
            ran.stderr.starts_with("error: getting credentials: exec"),
            "{}",
            ran.stderr
        );
        assert!(!ran.stderr.contains("my-secret"), "{}", ran.stderr);
    }
    assert_eq!(rows.len(), 14);
    assert!(server.log().is_empty());
}

/// Without a terminal, what it says is handed on as it comes, harmless, and
/// not for ever.
#[test]
fn what_a_plugin_says_is_handed_on() {
    let server = steady().https().token("secret").start();
    let script = format!(
        "printf 'log in\\033[2J\\n' >&2; yes again | head -n 100000 >&2\n\
         echo '{{\"kind\":\"ExecCredential\",\"apiVersion\":\"{V1}\",\"status\":{{\"token\":\"secret\"}}}}'"
    );
    let plugin = Plugin::new(&script);
    let ran = explain(&kubeconfig(&server, &plugin.exec()), &[]);
    assert_eq!(ran.code, Some(0));
    let mut lines = ran.stderr.lines();
    assert_eq!(lines.next(), Some("log in\\u{1b}[2J"));
    assert!((2_000..4_000).contains(&lines.clone().filter(|it| *it == "again").count()));
    assert!(
        lines.any(|it| it.ends_with("says more, which is left out")),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_plugin_that_hangs_is_given_up() {
    let server = steady().https().start();
    let plugin = Plugin::new("exec sleep 600");
    let started = Instant::now();
    let config = kubeconfig(&server, &plugin.exec());
    let ran = explain(&config, &["--request-timeout", "1s"]);
    ran.failed("hanging", "did not end within 1s", "--request-timeout");
    assert!(started.elapsed() < Duration::from_secs(60));
}

/// Ctrl-C does not wait for it, in lists either, which go on with what was read.
#[test]
fn a_plugin_that_hangs_can_be_interrupted() {
    let plugin = Plugin::new("exec sleep 60");
    let server = steady().https().start();
    let config = kubeconfig(&server, &plugin.exec());
    let commands = ["web", "list", "flaps -A", "list -A --full"];
    for command in commands {
        let before = plugin.runs();
        let began = Instant::now();
        let mut program = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"));
        let args = program.args(command.split(' ')).env_clear();
        let run = args.env("PATH", "/usr/bin:/bin").env("KUBECONFIG", &config);
        let output = interrupted(run, || plugin.runs() > before, Duration::ZERO);
        assert_eq!(began.elapsed().as_secs() / 30, 0, "{command}");
        assert_ne!(output.status.code(), Some(0), "{command}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{command}");
    }
    assert_eq!(plugin.runs(), commands.len());
}
