//! The load of a record: what was measured of an HPA that flapped, under the
//! behavior that it had and the one that calmed it.

use std::io::Read;
use std::path::Path;
use std::process::Command;

use hpa_explain::controller::Overrides;
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::simulate::load::{Load, Recorded, Shape};
use hpa_explain::simulate::{Keep, MetricLoad, Model, Spread, Subject, bare};
use serde_json::{Value, json};

use crate::support::flapping;

fn ours(folder: &Path, arguments: &[&str]) -> String {
    let (told, complained) = ours_but(folder, arguments);
    assert_eq!(complained, "", "{arguments:?}");
    told
}

/// The demand went up and down between 420m and 1500m every 75 s. Before the
/// edit the scaleDown window was 30 s, after it 180 s with Pods 2/60s.
#[test]
fn the_edit_that_calmed_the_run_calms_it_in_the_simulation() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let write = |name: &str, content: &[u8]| {
        std::fs::write(folder.path().join(name), content).expect("writable");
    };
    let mut record = Vec::new();
    flapping::lines()
        .read_to_end(&mut record)
        .expect("a record");
    write("run.jsonl", &record);
    let before = [
        "--history",
        "run.jsonl",
        "--at",
        "2026-11-20T08:35:40Z",
        "-o",
        "snapshot",
    ];
    write("before.yaml", ours(folder.path(), &before).as_bytes());
    let down = "spec.behavior.scaleDown";
    let window = format!("{down}.stabilizationWindowSeconds=180");
    let kind = format!("{down}.policies[0].type=Pods");
    let value = format!("{down}.policies[0].value=2");
    let period = format!("{down}.policies[0].periodSeconds=60");
    let mut arguments = vec!["simulate", "api", "--snapshot", "before.yaml", "-o", "json"];
    arguments.extend([
        "--load",
        "history:run.jsonl",
        "--start-up",
        "2s",
        "--readiness",
        "0s",
    ]);
    for set in [&window, &kind, &value, &period] {
        arguments.extend(["--set", set]);
    }
    let answer: Value = serde_json::from_str(&ours(folder.path(), &arguments)).expect("JSON");
    let runs = answer["runs"].as_array().expect("runs");
    let score = |run: usize, name: &str| runs[run]["scores"][name].as_i64().expect("a score");
    // 25 minutes are twenty turns of the load, and most of them are followed.
    assert_eq!(answer["seconds"], 1_475);
    assert!(score(0, "reversals") >= 10, "{}", runs[0]["scores"]);
    assert!(score(1, "reversals") <= 2, "{}", runs[1]["scores"]);
    assert!(score(1, "underProvisionedSeconds") < score(0, "underProvisionedSeconds"));
    // The demand is the one that the script made: between 420m and 1500m,
    // but for what a pod uses at its start and its end.
    let steps = runs[0]["steps"].as_array().expect("steps");
    let demands = steps.iter().filter_map(|step| step["demand"].as_i64());
    let (low, high) = demands.fold((0, 0), |(low, high), demand| match demand {
        400..=480 => (low + 1, high),
        1_400..=1_520 => (low, high + 1),
        _ => (low, high),
    });
    assert!(low > 25 && high > 25, "{low} low, {high} high");
    // The first one is when the record shows that it was.
    assert_eq!(steps.len(), 98);
}

/// A sample of pods that use memory, as a snapshot file has it.
fn of_memory(at: &str, pods: usize, each: &str, target: &Value) -> Snapshot {
    let name = |pod: usize| format!("web-{pod}");
    let labels = json!({"app": "web"});
    let running = |pod| {
        json!({
            "metadata": {"name": name(pod), "namespace": "shop", "labels": labels},
            "spec": {"containers": [{"name": "app", "resources": {"requests": {"memory": "128Mi"}}}]},
            "status": {"phase": "Running", "startTime": "2026-11-20T08:00:00Z", "conditions": [
                {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-20T08:00:05Z"}]},
        })
    };
    let measured = |pod| {
        json!({
            "metadata": {"name": name(pod), "namespace": "shop", "labels": labels},
            "timestamp": at, "window": "15s",
            "containers": [{"name": "app", "usage": {"memory": each}}],
        })
    };
    let document = json!({
        "apiVersion": "hpa-explain/v1", "kind": "Snapshot", "capturedAt": at,
        "horizontalPodAutoscaler": {
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "web", "namespace": "shop"},
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                "maxReplicas": 15,
                "metrics": [{"type": "Resource", "resource": {"name": "memory", "target": target}}],
            },
        },
        "scale": {"response": {"spec": {"replicas": pods},
            "status": {"replicas": pods, "selector": "app=web"}}},
        "pods": (0..pods).map(running).collect::<Vec<_>>(),
        "metrics": {"resource": {"response": {"items": (0..pods).map(measured).collect::<Vec<_>>()}}},
    });
    let mut read = read_documents(&document.to_string());
    read.remove(0).snapshot.expect("a snapshot")
}

/// Each pod holds its memory: thirteen pods of 100Mi are a load of 100Mi, as
/// four of them are, and the HPA asks for what it asked for.
#[test]
fn memory_is_recorded_pod_by_pod() {
    let average = json!({"type": "AverageValue", "averageValue": "120Mi"});
    let share = json!({"type": "Utilization", "averageUtilization": 90});
    let overrides = Overrides::default();
    let mut recorded = 0;
    for (target, size) in [(average, 11), (share, 12)] {
        let samples = [
            of_memory("2026-11-20T08:30:00Z", 13, "100Mi", &target),
            of_memory("2026-11-20T08:30:15Z", 4, "100Mi", &target),
            of_memory("2026-11-20T08:30:30Z", 13, "100Mi", &target),
        ];
        let metric = &samples[0].hpa.spec.metrics[0];
        let mut load = Recorded::new(metric, &overrides);
        for sample in &samples {
            load.take(sample);
        }
        let load = load.load().expect("a load");
        let each = 100 * 1024 * 1024 * 1_000;
        let steps = vec![(0, each), (15, each), (30, each)];
        assert_eq!(load.shape, Shape::Steps(steps));
        let bare = bare(&samples[0], 13);
        let load = Load {
            shape: load.shape,
            noise: None,
        };
        let subject = Subject {
            snapshot: &bare,
            overrides: &overrides,
            lead: MetricLoad {
                metric,
                load: &load,
                model: &Model {
                    request: Some(128 * 1024 * 1024 * 1_000),
                    spread: Spread::EachPod,
                    ..Model::default()
                },
            },
            others: Vec::new(),
            replicas: 13,
            seconds: 1,
            keep: Keep::All,
        };
        let run = subject.run("now", &samples[0].hpa.spec);
        assert_eq!(run.expect("a run").steps[0].recommendation, size);
        recorded += 1;
    }
    assert_eq!(recorded, 2);
}

/// What is wrong with a record is said as every command says it.
#[test]
fn what_is_left_out_of_a_record_is_said() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let mut record = String::new();
    let mut lines = flapping::lines();
    lines.read_to_string(&mut record).expect("a record");
    let lines: Vec<&str> = record.lines().take(60).collect();
    let garbled = [&lines[..30], &["no JSON"], &lines[30..]].concat();
    let late = [&lines[..], &lines[20..24]].concat();
    let cut = format!("{}\n{}", lines.join("\n"), &lines[59][..400]);
    let write = |name: &str, content: &str| {
        std::fs::write(folder.path().join(name), content).expect("writable");
    };
    write("garbled.jsonl", &garbled.join("\n"));
    write("late.jsonl", &late.join("\n"));
    write("cut.jsonl", &cut);
    let at = ["--history", "late.jsonl", "--at", "-0s", "-o", "snapshot"];
    write("before.yaml", &ours_but(folder.path(), &at).0);
    let rows = [
        (
            "garbled.jsonl",
            "warning: garbled.jsonl: line 31 cannot be read",
        ),
        (
            "late.jsonl",
            "is before the line above, so the line is left out; the same goes for 3 more",
        ),
        (
            "cut.jsonl",
            "warning: cut.jsonl: the last line is cut off and left out",
        ),
    ];
    let mut said = 0;
    for (file, warning) in rows {
        let load = format!("history:{file}");
        let simulated = [
            "simulate",
            "api",
            "--snapshot",
            "before.yaml",
            "--load",
            &load,
        ];
        let compared = [
            "dry-run",
            "api",
            "--history",
            file,
            "--at",
            "2026-11-20T08:25:00Z",
            "--for",
            "5m",
            "--set",
            "spec.maxReplicas=9",
        ];
        for arguments in [&simulated[..], &compared[..]] {
            let (_, complained) = ours_but(folder.path(), arguments);
            let lines: Vec<&str> = complained.lines().collect();
            assert_eq!(lines.len(), 1, "{arguments:?}: {complained}");
            assert!(lines[0].contains(warning), "{arguments:?}: {complained}");
            said += 1;
        }
    }
    assert_eq!(said, 6);
}

/// What is printed and what is complained of.
fn ours_but(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .output()
        .expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let complained = text(output.stderr);
    assert!(output.status.success(), "{arguments:?}: {complained}");
    (text(output.stdout), complained)
}
