//! What weakens a simulation is said, and what fails in it.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// Two pods at 300m each, as a snapshot file has them.
fn snapshot() -> Value {
    let labels = json!({"app": "web"});
    let pod = |name: &str| {
        json!({
            "metadata": {"name": name, "namespace": "shop", "labels": labels},
            "spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": "500m"}}}]},
            "status": {"phase": "Running", "startTime": "2026-11-20T08:00:00Z"},
        })
    };
    json!({
        "apiVersion": "hpa-explain/v1", "kind": "Snapshot",
        "capturedAt": "2026-11-20T08:30:00Z", "serverVersion": "v1.36.2",
        "horizontalPodAutoscaler": hpa(&json!({"type": "Resource", "resource": {
            "name": "cpu", "target": {"type": "AverageValue", "averageValue": "300m"}}})),
        "scale": {"response": {"spec": {"replicas": 2},
            "status": {"replicas": 2, "selector": "app=web"}}},
        "pods": [pod("web-1"), pod("web-2")],
    })
}

fn hpa(metric: &Value) -> Value {
    json!({
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 1, "maxReplicas": 20, "metrics": [metric],
        },
    })
}

/// A scenario of a queue of 150.
fn scenario(target: &Value) -> Value {
    json!({
        "serverVersion": "v1.36.2",
        "horizontalPodAutoscaler": hpa(&json!({"type": "External", "external": {
            "metric": {"name": "queue"}, "target": target}})),
        "initialReplicas": 2, "stepSeconds": 15, "demand": [150, 150, 150, 150],
    })
}

fn simulate(folder: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .arg("simulate")
        .args(arguments.split(' '))
        .current_dir(folder)
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("the binary runs")
}

/// What is printed and what is complained of.
fn told(folder: &Path, arguments: &str) -> (String, String) {
    let output = simulate(folder, arguments);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let complained = text(output.stderr);
    assert!(output.status.success(), "{arguments}: {complained}");
    (text(output.stdout), complained)
}

#[test]
fn what_weakens_it_is_warned_of() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let other = json!([{"namespace": "shop", "name": "other", "selector": "app=web"}]);
    let forbidden = json!({"unreadable": "scales.autoscaling is forbidden"});
    #[rustfmt::skip] // one row a line
    let rows = [
        ("/otherAutoscalers", other, "",
            "the controller changes nothing today: several HPAs select the same pods: shop/other, shop/web; the simulation assumes that this is fixed"),
        ("/scale", json!({"error": "the server is down"}), "",
            "the controller changes nothing today: it cannot read the target's scale: the server is down;"),
        ("/scale", forbidden, "", "what the controller does today is unknown: reading the target's scale is not allowed"),
        ("/scale/response/status/selector", json!(""), "", "the target's scale has no selector;"),
        ("/scale/response/status/selector", json!("a b"), "", "the scale's selector does not parse:"),
        ("/serverVersion", json!("garbage"), "", "`garbage` is not a Kubernetes version; write it like v1.36.2: the rules of 1.36 are assumed"),
        ("/serverVersion", json!("v1.10.0"), "", "rules of 1.23, the oldest known, for v1.10.0"),
        ("/serverVersion", json!("v1.99.0"), "", "the newest known, for v1.99.0"),
        ("/controller", json!({"tolerance": -1}), "", "the controller's tolerance -1 is negative"),
        ("/capturedAt", json!("2026-11-20T08:30:00Z"), " --replicas 0",
            "now: scaling is disabled at 0 replicas, so nothing changes; --replicas 1 starts with one pod"),
    ];
    let (mut warned, mut wrong) = (0, Vec::new());
    for (place, value, arguments, warning) in rows {
        let mut snapshot = snapshot();
        let (parent, field) = place.rsplit_once('/').expect("a place");
        snapshot.pointer_mut(parent).expect(place)[field] = value;
        std::fs::write(folder.path().join("web.json"), snapshot.to_string()).expect("writable");
        let asked = format!("web --snapshot web.json --load spike{arguments}");
        let (text, complained) = told(folder.path(), &format!("{asked} -o markdown"));
        assert_eq!(complained, "");
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("Warning"))
            .collect();
        let clean = lines.join("\n").replace('\\', "");
        if !clean.contains(warning) {
            wrong.push(format!("{place}: want {warning:?} in {clean}"));
        }
        let (text, _) = told(folder.path(), &format!("{asked} -o json"));
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(
            answer["warnings"].as_array().map(Vec::len),
            Some(lines.len())
        );
        warned += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(warned, 10);
}

/// A scenario for a program says it in its document, and on the side.
#[test]
fn a_scenario_is_warned_of_twice() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let mut scenario = scenario(&json!({"type": "AverageValue", "averageValue": "30"}));
    scenario["controller"] = json!({"tolerance": -1, "tollerance": 1});
    scenario["serverVersion"] = json!("garbage");
    scenario["podCpuRequestMili"] = json!(500);
    // What describes the case is none of what runs.
    for described in ["load", "model", "rawBehavior", "expect"] {
        scenario[described] = json!({"steps": [4]});
    }
    std::fs::write(folder.path().join("web.json"), scenario.to_string()).expect("writable");
    let (text, complained) = told(folder.path(), "--scenario web.json -o json");
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    let warnings = answer["warnings"].as_array().expect("warnings");
    let warnings: Vec<&str> = warnings.iter().filter_map(Value::as_str).collect();
    let expected = [
        "unknown field `podCpuRequestMili`, ignored; did you mean `podCpuRequestMilli`?",
        "unknown field `tollerance`",
        "`garbage` is no",
        "tolerance -1 is negative",
    ];
    assert_eq!(warnings.len(), expected.len(), "{warnings:?}");
    for (warning, expected) in warnings.iter().zip(expected) {
        assert!(warning.contains(expected), "{warning}");
        assert!(
            complained.contains(&format!("warning: web: {warning}")),
            "{complained}"
        );
    }
    let (text, complained) = told(folder.path(), "--scenario web.json");
    assert_eq!(text.matches("Warning: ").count(), 4);
    assert_eq!(complained, "");
}

/// Of an External metric: its chart has the metric's unit, and a target of
/// type Value finds pods.
#[test]
fn a_scenario_of_a_queue() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let rows = [
        (
            json!({"type": "AverageValue", "averageValue": "30"}),
            [4, 5, 5, 5],
        ),
        (json!({"type": "Value", "value": "100"}), [3, 5, 8, 12]),
    ];
    let mut run = 0;
    for (target, sizes) in rows {
        let scenario = scenario(&target);
        std::fs::write(folder.path().join("web.json"), scenario.to_string()).expect("writable");
        let (text, complained) = told(folder.path(), "--scenario web.json");
        assert!(text.contains("Load, queue\n  150 ┤█"), "{text}");
        assert_eq!(complained, "");
        let (text, _) = told(folder.path(), "--scenario web.json -o json");
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        let steps = answer["steps"].as_array().expect("steps");
        let told: Vec<&Value> = steps.iter().map(|step| &step["desiredReplicas"]).collect();
        assert_eq!(told, sizes);
        assert_eq!(steps[0]["demand"], 150);
        run += 1;
    }
    assert_eq!(run, 2);
}

/// Pods that never run have no sample.
#[test]
fn metrics_that_fail_tell_why() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    std::fs::write(folder.path().join("web.json"), snapshot().to_string()).expect("writable");
    let asked = "web --snapshot web.json --load spike --capacity 0 --for 1m";
    let (text, _) = told(folder.path(), asked);
    let sentence = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let error = "metrics failed in 4 passes: failed to get cpu resource metric value:";
    assert!(sentence.contains(error), "{text}");
    let (text, _) = told(folder.path(), &format!("{asked} -o json"));
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    let failures = &answer["runs"][0]["failures"];
    assert_eq!(failures[0]["passes"], 4, "{failures}");
    assert!(
        failures[0]["error"]
            .as_str()
            .is_some_and(|it| it.contains("cpu"))
    );
}

/// Nine lines cannot be told apart in one chart; a page on standard output is
/// alone there.
#[test]
fn a_page_of_many_runs() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    std::fs::write(folder.path().join("web.json"), snapshot().to_string()).expect("writable");
    let mut candidates = Vec::new();
    for size in 21..29 {
        let mut own = snapshot()["horizontalPodAutoscaler"].take();
        own["spec"]["maxReplicas"] = json!(size);
        let name = format!("to-{size}.yaml");
        std::fs::write(folder.path().join(&name), own.to_string()).expect("writable");
        candidates.push(format!(" --candidate {name}"));
    }
    let mut drawn = 0;
    for (count, figures) in [(7, 10), (8, 19)] {
        let candidates = candidates[..count].concat();
        let asked = format!("web --snapshot web.json --load spike{candidates} -o html");
        let (page, _) = told(folder.path(), &asked);
        assert!(page.ends_with("</html>\n"), "{page}");
        assert_eq!(page.matches("<!DOCTYPE html>").count(), 1);
        assert_eq!(page.matches("<figure>").count(), figures);
        drawn += 1;
    }
    assert_eq!(drawn, 2);
}
