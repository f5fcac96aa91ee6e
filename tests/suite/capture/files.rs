//! Which file is written, how, and when none is.

use serde_json::{Value, json};

use crate::capture::cluster::with_web_in;
use crate::capture::process::{Run, stderr};
use crate::support::apiserver::{ApiServer, Fault, list_document};

/// What an earlier run has written.
const OLD: &str = "apiVersion: hpa-explain/v1\nkind: Snapshot\n";

fn steady() -> ApiServer {
    ApiServer::replay("steady")
        .at_a_standstill()
        .https()
        .start()
}

#[test]
fn it_says_what_it_wrote_and_how_to_go_on() {
    let server = steady();
    let run = Run::on(&server);
    let output = run.run(&["capture", "web", "-n", "shop", "--file", "web.yaml"]);
    assert!(output.stdout.is_empty());
    assert_eq!(
        stderr(&output),
        "Wrote web.yaml: 1 HPA, 12 pods, redacted\n\
         Explain it with: kubectl hpa-explain --snapshot web.yaml\n"
    );
    let explained = run.stdout(&["--snapshot", "web.yaml"]);
    assert!(explained.starts_with("shop/web  Deployment/web  "));
}

#[test]
fn the_same_cluster_gives_the_same_bytes() {
    let server = steady();
    let run = Run::on(&server);
    let mut compared = 0;
    for file in ["all.yaml", "all.jsonl"] {
        let capture = || {
            for _ in 0..20 {
                run.stdout(&["capture", "-n", "shop", "--file", file]);
                let text = run.read(file);
                let mut times = text.split("capturedAt").skip(1);
                // A busy machine can make a later second of some.
                if times.all(|rest| rest[..30].contains("2026-11-20T08:02:21Z")) {
                    return text;
                }
            }
            panic!("never all at the same time");
        };
        let written = capture();
        assert_eq!(written.matches("capturedAt").count(), 10);
        assert_eq!(capture(), written);
        compared += 1;
    }
    assert_eq!(compared, 2);
    assert_eq!(run.files(), ["all.jsonl", "all.yaml"]);
}

#[test]
fn the_files_name_decides_on_its_form() {
    let server = steady();
    let run = Run::on(&server);
    let rows = [
        ("some.yaml", "---\n", 1, 2),
        ("some.yml", "---\n", 1, 2),
        ("some", "---\n", 1, 2),
        ("some.json", "{\"apiVersion\":", 2, 2),
        ("some.jsonl", "{\"apiVersion\":", 2, 2),
    ];
    for (file, mark, times, hpas) in rows {
        run.stdout(&[
            "capture",
            "web",
            "deploy/api",
            "web",
            "-n",
            "shop",
            "--file",
            file,
        ]);
        let text = run.read(file);
        let lines = text.split_inclusive('\n');
        let marked = lines.filter(|line| line.starts_with(mark)).count();
        assert_eq!(marked, times, "{file}");
        let explained = run.stdout(&["--snapshot", file, "-o", "json"]);
        assert_eq!(explained.lines().count(), hpas, "{file}");
    }
    assert_eq!(run.files().len(), rows.len());
}

#[test]
fn standard_output_is_a_file_like_any_other() {
    let server = steady();
    let run = Run::on(&server);
    let output = run.run(&["capture", "web", "-n", "shop", "-o", "yaml"]);
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
    let snapshot: Value = serde_yaml::from_slice(&output.stdout).expect("YAML");
    assert_eq!(snapshot["kind"], "Snapshot");
    assert!(run.files().is_empty());
}

#[test]
fn every_namespace_is_captured() {
    let server = with_web_in(&["shop", "bank"]).https().start();
    let run = Run::on(&server);
    let output = run.run(&["capture", "-A", "--file", "all.yaml"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("Wrote all.yaml: 2 HPAs, 4 pods, redacted\n"));
    let explained = run.stdout(&["--snapshot", "all.yaml", "-o", "json"]);
    let namespaces: Vec<Value> = explained
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["namespace"].take())
        .collect();
    assert_eq!(namespaces, ["bank", "shop"]);
    // What is the same for all is asked once.
    let versions = server.log().into_iter();
    assert_eq!(versions.filter(|sent| sent.target == "/version").count(), 1);

    let output = run.run(&["capture", "-n", "bank", "--file", "bank.yaml"]);
    assert!(stderr(&output).contains("Wrote bank.yaml: 1 HPA, 2 pods, redacted\n"));
}

/// Of many, one that cannot be read is reported and does not spoil the rest;
/// what is named is written whole or not at all.
#[test]
fn an_hpa_that_cannot_be_read() {
    let server = with_web_in(&["shop", "bank"]).https().start();
    let run = Run::on(&server);
    let list = |of_bank: Value| {
        let cpu = json!([{ "type": "Resource", "resource": { "name": "cpu",
            "target": { "type": "Utilization", "averageUtilization": 50 } } }]);
        let hpas = [("shop", cpu), ("bank", of_bank)].map(|(namespace, metrics)| {
            let target = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": "web" });
            json!({ "metadata": { "name": "web", "namespace": namespace },
                "spec": { "maxReplicas": 5, "scaleTargetRef": target, "metrics": metrics } })
        });
        let path = "/apis/autoscaling/v2/horizontalpodautoscalers";
        let kind = "HorizontalPodAutoscalerList";
        server.put(path, &list_document(kind, "autoscaling/v2", &hpas));
    };
    list(json!([{ "type": "Resource" }]));
    let output = run.run(&["capture", "-A", "--file", "all.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    let complaint = stderr(&output);
    assert!(complaint.contains("error: bank/web: "), "{complaint}");
    assert!(complaint.contains("spec.metrics[0]"), "{complaint}");
    assert!(
        complaint.contains("Wrote all.yaml: 1 HPA, 2 pods"),
        "{complaint}"
    );
    run.stdout(&["--snapshot", "all.yaml"]);
    list(json!([]));
    assert!(
        run.run(&["capture", "-A", "--file", "all.yaml"])
            .status
            .success()
    );

    let output = run.run(&[
        "capture", "web", "nosuch", "-n", "shop", "--file", "two.yaml",
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("\"nosuch\" not found"));
    assert_eq!(run.files(), ["all.yaml"]);
}

#[test]
fn without_an_answer_the_old_file_stays() {
    let silent = Fault::Latency(std::time::Duration::from_secs(60));
    let named = &["api", "web"][..];
    let rows = [
        ("it breaks off", named, Fault::Truncated),
        ("it falls silent", named, silent.clone()),
        ("it refuses", named, Fault::Status(500)),
        ("it breaks off, of many", &[], Fault::Truncated),
        ("it falls silent, of many", &[], silent),
    ];
    let count = rows.len();
    for (what, names, fault) in rows {
        let server = steady();
        let run = Run::on(&server);
        std::fs::write(run.path("all.yaml"), OLD).expect("writable");
        // Of those that are named, all come but the last.
        let path = match names {
            [] => "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers",
            _ => "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web",
        };
        let fault = server.fault(path, fault);
        let place = ["capture", "-n", "shop", "--file", "all.yaml"];
        let arguments = [&place, names].concat();
        let hurried = [&arguments[..], &["--request-timeout", "1s"]].concat();
        let output = run.run(&hurried);
        assert_eq!(output.status.code(), Some(1), "{what}");
        assert!(stderr(&output).contains("\nhint: "), "{what}");
        assert_eq!(run.read("all.yaml"), OLD, "{what}");
        assert_eq!(run.files(), ["all.yaml"], "{what}");
        server.lift(fault);
        run.stdout(&arguments);
        assert_ne!(run.read("all.yaml"), OLD, "{what}");
    }
    assert_eq!(count, 5);
}

/// A whole file that holds little is not handed on unawares.
#[test]
fn what_could_not_be_read_is_said() {
    let hint = "hint: `kubectl hpa-explain rbac -n shop` prints the role that reads it\n";
    let end = "Explain it with: kubectl hpa-explain --snapshot f.jsonl\n";
    let core = "/api/v1/namespaces/shop/pods";
    let metrics = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods";
    let rows: [(&[&str], &str, &[&str]); 3] = [
        (&["web"], core, &["pods"]),
        (&["web"], metrics, &["pods' samples"]),
        (&["web", "api"], metrics, &["pods' samples"]),
    ];
    for (names, path, parts) in rows {
        let server = steady();
        let run = Run::on(&server);
        let arguments = [&["capture", "-n", "shop", "--file", "f.jsonl"], names].concat();
        let fault = server.fault(path, Fault::Status(403));
        let output = run.run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{path}");
        let hpas = match names.len() {
            1 => "1 HPA without its".to_owned(),
            many => format!("{many} HPAs without their"),
        };
        let warnings = parts.iter();
        let warnings = warnings.map(|part| format!("Warning: {hpas} {part} (forbidden)\n"));
        let warnings = warnings.collect::<Vec<_>>().concat();
        let said = stderr(&output);
        assert!(
            said.ends_with(&format!("{end}{warnings}{hint}")),
            "{path}: {said}"
        );
        server.lift(fault);
        assert!(stderr(&run.run(&arguments)).ends_with(end), "{path}");
    }

    let server = ApiServer::replay("forbidden").https().start();
    let run = Run::on(&server);
    let output = run.run(&["capture", "-n", "shop", "--file", "f.jsonl"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        stderr(&output),
        format!(
            "Wrote f.jsonl: 10 HPAs, 0 pods, redacted\n\
             {end}Warning: 10 HPAs without their events (forbidden)\n\
             Warning: 10 HPAs without their scale (forbidden)\n{hint}"
        )
    );
}

#[test]
fn nowhere_to_write_is_said_before_anything_is_asked() {
    let server = steady();
    let run = Run::on(&server);
    std::fs::create_dir(run.path("folder")).expect("writable");
    let rows = [
        ("folder", "folder is a directory"),
        ("nowhere/web.yaml", "the directory nowhere does not exist"),
        #[cfg(unix)]
        ("/dev/null", "/dev/null is not a regular file"),
    ];
    for (file, message) in rows {
        let output = run.run(&["capture", "web", "-n", "shop", "--file", file]);
        assert_eq!(output.status.code(), Some(1), "{file}");
        assert!(stderr(&output).starts_with(&format!("error: {message}\nhint: ")));
    }
    assert!(server.log().is_empty());
    assert_eq!(run.files(), ["folder"]);
}

#[cfg(unix)]
mod rights {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::time::Duration;

    use super::{OLD, Run, stderr, steady};
    use crate::capture::process::mode;
    use crate::support::interrupt::interrupted;

    /// Whatever the umask says, and whatever was there before.
    #[test]
    fn the_file_is_its_owners_alone() {
        let server = steady();
        let run = Run::on(&server);
        let binary = env!("CARGO_BIN_EXE_kubectl-hpa_explain");
        let capture = run.command(&[]);
        let kubeconfig = capture
            .get_envs()
            .find_map(|(name, value)| (name == "KUBECONFIG").then_some(value?));
        for umask in ["000", "022", "777"] {
            let script = format!(
                "umask {umask}; '{binary}' capture web -n shop --file '{}'",
                run.path("web.yaml").display()
            );
            let output = Command::new("/bin/sh")
                .arg0("sh")
                .args(["-c", &script])
                .env_clear()
                .env("KUBECONFIG", kubeconfig.expect("set"))
                .output()
                .expect("a shell");
            assert!(output.status.success(), "{}", stderr(&output));
            assert_eq!(mode(&run.path("web.yaml")), 0o600, "umask {umask}");
        }
        let wide = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(run.path("web.yaml"), wide).expect("mine");
        run.capture("web", &[]);
        assert_eq!(mode(&run.path("web.yaml")), 0o600);
    }

    #[test]
    fn a_symbolic_link_that_leads_nowhere() {
        let server = steady();
        let run = Run::on(&server);
        symlink("nowhere", run.path("web.yaml")).expect("a link");
        let output = run.run(&["capture", "web", "-n", "shop", "--file", "web.yaml"]);
        assert_eq!(output.status.code(), Some(1));
        let text = stderr(&output);
        assert!(
            text.contains("web.yaml is a link that leads nowhere"),
            "{text}"
        );
        assert!(run.path("web.yaml").is_symlink());
    }

    #[test]
    fn a_symbolic_link_keeps_leading_there() {
        let server = steady();
        let run = Run::on(&server);
        std::fs::create_dir(run.path("real")).expect("writable");
        std::fs::write(run.path("real/web.yaml"), OLD).expect("writable");
        symlink("real/web.yaml", run.path("web.yaml")).expect("a link");
        run.capture("web", &[]);
        let link = std::fs::symlink_metadata(run.path("web.yaml")).expect("there");
        assert!(link.file_type().is_symlink());
        assert!(run.read("real/web.yaml").starts_with("apiVersion: "));
        assert_eq!(run.files(), ["real", "web.yaml"]);
    }

    /// The rows are the file, its mode, and why it stays.
    #[test]
    fn what_is_there_and_not_a_capture_stays() {
        let server = steady();
        let run = Run::on(&server);
        let rows = [
            (
                "apiVersion: v1\nkind: Config\n",
                0o600,
                "exists and is not a capture",
            ),
            ("token\n", 0o644, "exists and is not a capture"),
            ("<html>", 0o644, "exists and is not a capture"),
            (OLD, 0o444, "is read-only"),
        ];
        for (text, rights, reason) in rows {
            for file in ["real.yaml", "link.yaml"] {
                std::fs::write(run.path("real.yaml"), text).expect("writable");
                _ = symlink("real.yaml", run.path("link.yaml"));
                let rights = std::fs::Permissions::from_mode(rights);
                std::fs::set_permissions(run.path("real.yaml"), rights).expect("mine");
                let output = run.run(&["capture", "web", "-n", "shop", "--file", file]);
                assert_eq!(output.status.code(), Some(1), "{text}");
                let error = format!("error: {file} {reason}, so it is not replaced\nhint: ");
                assert!(stderr(&output).starts_with(&error), "{}", stderr(&output));
                assert_eq!(run.read("real.yaml"), text);
                std::fs::remove_file(run.path("real.yaml")).expect("mine");
            }
        }
        assert!(server.log().is_empty());
    }

    /// Where not even root may write.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_directory_that_takes_no_files() {
        let server = steady();
        let run = Run::on(&server);
        let output = run.run(&["capture", "web", "-n", "shop", "--file", "/proc/web.yaml"]);
        assert_eq!(output.status.code(), Some(1));
        let complaint = stderr(&output);
        assert!(
            complaint.starts_with("error: /proc/web.yaml: "),
            "{complaint}"
        );
        assert!(
            complaint.contains("hint: nothing was written"),
            "{complaint}"
        );
    }

    #[test]
    fn an_interrupt_leaves_nothing() {
        let server = steady();
        let run = Run::on(&server);
        let silent = Duration::from_secs(60);
        server.fault("/", crate::support::apiserver::Fault::Latency(silent));
        let mut command = run.command(&["capture", "web", "-n", "shop", "--file", "web.yaml"]);
        let output = interrupted(&mut command, || !server.log().is_empty(), Duration::ZERO);
        assert_eq!(output.status.code(), Some(130));
        assert_eq!(stderr(&output), "interrupted: nothing was written\n");
        assert!(run.files().is_empty());
    }
}
