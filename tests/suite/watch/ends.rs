//! How a run begins and ends, and what it says then.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::apiserver::{Fault, list_document};
use crate::watch::process::Process;
use crate::watch::world::{HPAS, World};

fn run(kubeconfig: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .arg("watch")
        .args(arguments)
        .args(["-n", "shop"])
        .env_clear()
        .env("KUBECONFIG", kubeconfig)
        .env("HPA_EXPLAIN_TEST_PACE", "150")
        .env("TZ", "UTC")
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// Nobody waits: a signal ends it with the numbers, and no failure.
#[test]
fn a_signal_ends_it_with_a_summary() {
    let signals = ["INT", "TERM"];
    for signal in signals {
        let mut world = World::start();
        let process = Process::watch(&world.kubeconfig(), &[]);
        world.wait_until("a watch", |server| World::watches(server) == 1);
        world.run(10);
        world.wait_until("a pass", |_| process.lines().len() > 3);
        process.signal(signal);
        let (status, lines, complaints) = process.end();
        assert_eq!(status.code(), Some(0), "{signal}: {complaints:?}");
        assert_eq!(lines[0], "2026-11-01", "{lines:#?}");
        assert!(lines[1].starts_with("TIME      SIZE "), "{lines:#?}");
        let longest = lines.iter().map(|line| line.chars().count()).max();
        assert!(longest <= Some(80), "{lines:#?}");
        let [.., passes, predictions] = complaints.as_slice() else {
            panic!("no summary: {complaints:?}");
        };
        let count = format!("{} passes (", lines.len() - 2);
        assert!(passes.starts_with(&count), "{passes}");
        assert!(predictions.contains(" predicted, "), "{predictions}");
    }
}

#[test]
fn a_run_ends_by_itself_after_a_time() {
    let world = World::start();
    let output = run(&world.kubeconfig(), &["web", "--for=60s"]);
    assert_eq!(output.status.code(), Some(0));
    let stderr = text(&output.stderr);
    assert!(stderr.contains(" inferred), 0 gaps\n"), "{stderr}");
}

/// What keeps it from beginning, and the next step.
#[test]
fn what_cannot_be_watched_is_said_at_once() {
    let world = World::start();
    let kubeconfig = world.kubeconfig();
    let rows: [(&[&str], Option<Fault>, &str, &str); 7] = [
        (
            &["nope"],
            None,
            "Error from server (NotFound): horizontalpodautoscalers.autoscaling \"nope\" not found",
            "hint: `kubectl get hpa -n shop` lists the HPAs",
        ),
        (
            &["deploy/nope"],
            None,
            "error: no HPA in namespace shop points to deploy/nope",
            "hint: `kubectl get hpa",
        ),
        (
            &["web"],
            Some(Fault::Status(403)),
            "Error from server (Forbidden): ",
            "hint: ask for the right to list horizontalpodautoscalers in namespace shop",
        ),
        (
            &["web"],
            Some(Fault::Status(500)),
            "Error from server (InternalError): ",
            "hint: try again",
        ),
        (
            &["web", "--record", "/"],
            None,
            "error: /: is not a regular file",
            "hint: --record",
        ),
        (
            &["web", "--quiet"],
            None,
            "error: watch needs --record <FILE>",
            "--record web.jsonl",
        ),
        (
            &["web", "--record=x", "--record-size=1Ki"],
            None,
            "must be at least 64Ki",
            "",
        ),
    ];
    for (arguments, fault, message, hint) in rows {
        let fault = fault.map(|fault| world.server.fault(HPAS, fault));
        let output = run(&kubeconfig, arguments);
        if let Some(fault) = fault {
            world.server.lift(fault);
        }
        let stderr = text(&output.stderr);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(stderr.contains(message), "{arguments:?}: {stderr}");
        assert!(stderr.contains(hint), "{arguments:?}: {stderr}");
    }
}

/// Who may list but not watch is told of the right, and not left waiting.
#[test]
fn a_right_that_is_missing_ends_it_at_once() {
    let world = World::start();
    let fault = Fault::NoWatch;
    world.server.fault(HPAS, fault);
    let output = run(&world.kubeconfig(), &["web"]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = text(&output.stderr);
    let hint = "ask for the right to watch horizontalpodautoscalers in namespace shop";
    assert!(stderr.contains(hint), "{stderr}");
}

#[test]
fn one_of_several_hpas_of_a_target_is_asked_for() {
    let world = World::start();
    let twin = |name: &str| {
        serde_json::json!({
            "metadata": {"name": name, "namespace": "shop"},
            "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "db"}, "maxReplicas": 3},
        })
    };
    let twins = list_document(
        "HorizontalPodAutoscalerList",
        "autoscaling/v2",
        &[twin("a"), twin("b")],
    );
    world.server.put(HPAS, &twins);
    let output = run(&world.kubeconfig(), &["deploy/db"]);
    let stderr = text(&output.stderr);
    assert!(stderr.contains("error: 2 HPAs scale deploy/db"), "{stderr}");
    assert!(stderr.contains("hint: watch one of them: a, b"), "{stderr}");
}

/// An HPA that is deleted and made anew is followed on.
#[test]
fn a_deleted_hpa_is_waited_for() {
    let mut world = World::start();
    let process = Process::watch(&world.kubeconfig(), &["-o", "json"]);
    world.wait_until("a watch", |server| World::watches(server) == 1);
    world.run(6);
    world.server.delete(&format!("{HPAS}/web"));
    world.wait_until("the notice", |_| says(&process, "the HPA was deleted"));
    world.wait_until("the gap", |_| says(&process, "not found"));
    world.run(30);
    world.wait_until("the end of the gap", |_| says(&process, "sampled again"));
    process.signal("INT");
    let (status, lines, _) = process.end();
    assert_eq!(status.code(), Some(0));
    for written in &world.written[1..] {
        let at = format!("\"at\":\"{written}\"");
        let told = lines.iter().filter(|line| line.contains(&at));
        let told = told.filter(|line| line.contains("\"inferred\":false"));
        assert_eq!(told.count(), 1, "{written}: {lines:#?}");
    }
}

fn says(process: &Process, text: &str) -> bool {
    process.lines().iter().any(|line| line.contains(text))
}
