//! What is printed, as files.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite simulate::` writes them anew.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::flapping;
use crate::support::golden::Goldens;

const CALM: &str = "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 4
  maxReplicas: 20
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}
";
const SLOW: &str = "
  behavior:
    scaleUp:
      policies: [{type: Pods, value: 2, periodSeconds: 60}]
";

/// The file, and what is asked.
#[rustfmt::skip] // one row a line
const OUTPUTS: [(&str, &str); 7] = [
    ("spike.txt", "-f web.yaml --request 500m --load spike --candidate slow.yaml"),
    ("burst.txt", "-f web.yaml --request 500m --load sine:low=1,high=4,period=30m --burst 400m,60s --for 2h -v"),
    ("search.txt", "-f web.yaml --request 500m --load noise:mean=2,by=40%,seed=7 --search"),
    ("memory.txt", "-f memory.yaml --load ramp:from=400Mi,to=900Mi,over=20m --for 30m"),
    ("file.txt", "-f web.yaml --request 500m --load csv:load.csv --rollout 10m --capacity 12"),
    ("names.txt", "-f web.yaml --request 500m --load spike:at=5m,for=10m --for 10m --candidate slow-but-without-limits.yaml --set spec.maxReplicas=9"),
    ("spike.md", "-f web.yaml --request 500m --load spike --candidate slow.yaml -o markdown"),
];

#[test]
fn a_simulation_as_text_and_markdown() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("writable");
    };
    let memory = CALM.replace(
        "cpu, target: {type: Utilization, averageUtilization: 60}",
        "memory, target: {type: AverageValue, averageValue: 500Mi}",
    );
    write("web.yaml", CALM);
    write("slow.yaml", &format!("{}{SLOW}", CALM.trim_end()));
    write(
        "slow-but-without-limits.yaml",
        &format!("{}{SLOW}", CALM.trim_end()),
    );
    write("memory.yaml", &memory);
    write(
        "load.csv",
        "time,cpu\n0s,1\n5m,2500m\n10m,4\n15m,3\n20m,1\n30m,1\n",
    );
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simulate");
    let mut goldens = Goldens::default();
    for (file, arguments) in OUTPUTS {
        let output = run(folder.path(), &format!("simulate {arguments}"));
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments}: {complained}");
        assert_eq!(complained, "", "{arguments}");
        let text = String::from_utf8(output.stdout).expect("text");
        if file.ends_with("txt") {
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(80), "{file}");
        }
        goldens.check(&files.join(file), &text);
    }
    assert_eq!(OUTPUTS.len(), 7);
}

/// What is said of a load: what it leaves out, and what it adds.
#[test]
fn a_load_in_words() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let write = |name: &str, content: &[u8]| {
        std::fs::write(folder.path().join(name), content).expect("writable");
    };
    let mut record = Vec::new();
    let mut lines = flapping::lines();
    lines.read_to_end(&mut record).expect("a record");
    let lines: Vec<&[u8]> = record.split(|byte| *byte == b'\n').collect();
    let part = |lines: &[&[u8]]| lines.join(&b'\n');
    write("web.yaml", CALM.as_bytes());
    write("ten.csv", b"0,1\n600,2\n");
    write("run.jsonl", &part(&lines[..60]));
    write(
        "torn.jsonl",
        &part(&[&lines[..40], &lines[100..120]].concat()),
    );
    #[rustfmt::skip] // one row a line
    let rows = [
        ("steps:0s=2,2h=6", "2 cores from 0s on, 6 cores from 2h on (after the end)."),
        ("spike:base=1,peak=2,at=2h", "1 core, and 2 cores from 2h on for 5m (after the end)."),
        ("spike:base=1,peak=2,at=58m", "1 core, and 2 cores from 58m on for 5m (not over at the end)."),
        ("ramp:from=1,to=2,over=2h", "from 1 core to 2 cores in 2h (not over at the end)."),
        ("noise:mean=2,by=0%", "Load: cpu in total, 2 cores."),
        ("csv:ten.csv", "from ten.csv; its last line only marks the end"),
        ("csv:ten.csv --for 20m", "from ten.csv; its last value continues from 10m to 20m."),
        ("csv:ten.csv --for 5m", "from ten.csv; the first 5m of its 10m."),
        ("history:run.jsonl", "from 55 samples of flap/api in run.jsonl, at most 5s apart; in 16 of them, up to 50% of the Ready pods"),
        ("history:torn.jsonl", "through which the demand before it continues"),
    ];
    let (mut told, mut wrong) = (0, Vec::new());
    for (load, words) in rows {
        let arguments = format!("simulate -f web.yaml --request 500m --load {load} -o markdown");
        let output = ours(folder.path(), &arguments);
        let line = output.lines().find(|line| line.starts_with("- Load: "));
        let line = line.expect("what the load is");
        if !line.contains(words) {
            wrong.push(format!("{load}: want {words:?} in {line}"));
        }
        told += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(told, 10);
}

/// In YAML as in JSON; documents stand apart in every format.
#[test]
fn scenarios_are_documents() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let scenario = format!(
        "horizontalPodAutoscaler:\n  {}\npodCpuRequestMilli: 500\ninitialReplicas: 4\n\
         stepSeconds: 15\ndemand: [1200, 2400]\n",
        CALM.trim_end().replace('\n', "\n  ")
    );
    let scenarios = [&scenario, "demand: []\n", &scenario].join("---\n");
    std::fs::write(folder.path().join("all.yaml"), scenarios).expect("writable");
    let yaml = told(folder.path(), "simulate --scenario all.yaml -o yaml");
    let documents: Vec<&str> = yaml.split("---\n").collect();
    assert_eq!(documents.len(), 4, "{yaml}");
    assert_eq!(documents[0], "");
    assert!(documents[1].contains("kind: Scenario\n"), "{yaml}");
    assert!(documents[2].starts_with("error: "), "{yaml}");
    assert_eq!(documents[1], documents[3]);
    let text = told(folder.path(), "simulate --scenario all.yaml");
    assert_eq!(text.matches("\n\nshop/web").count(), 1, "{text}");
}

fn ours(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {complained}");
    String::from_utf8(output.stdout).expect("text")
}

/// What is printed, whatever the verdict.
fn told(folder: &Path, arguments: &str) -> String {
    String::from_utf8(run(folder, arguments).stdout).expect("text")
}

fn run(folder: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments.split(' '))
        .current_dir(folder)
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("the binary runs")
}

/// Names and files may say anything: a page shows it as text.
#[test]
fn a_page_holds_nothing_but_text_and_charts() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let hostile = "<script>alert(1)<\u{2215}script>&\u{1b}[31m.yaml";
    std::fs::write(folder.path().join("web.yaml"), CALM).expect("writable");
    let slow = format!("{}{SLOW}", CALM.trim_end());
    std::fs::write(folder.path().join(hostile), slow).expect("writable");
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args([
            "simulate",
            "-f",
            "web.yaml",
            "--request",
            "500m",
            "--load",
            "spike",
        ])
        .args(["--candidate", hostile, "--set", "spec.maxReplicas=30"])
        .args(["-o", "html", "--file", "page.html"])
        .current_dir(folder.path())
        .env_clear()
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{output:?}");
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    assert!(!page.contains("<script"), "{page}");
    assert!(!page.contains('\u{1b}'));
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert_eq!(page.matches("<figure>").count(), 5);
    assert!(page.contains("<title>shop/web · Deployment/web · 1h of load"));
    assert!(page.contains("--set (the same as now)"));
    assert!(page.contains("15m30s</span> <span>now: 4 → 8; &lt;script&gt;"));
    // Every element that is opened is closed; nothing is loaded from elsewhere.
    for element in [
        "html", "body", "ul", "li", "table", "tr", "td", "svg", "figure", "pre", "div", "span",
    ] {
        let opened = page.matches(&format!("<{element}>")).count()
            + page.matches(&format!("<{element} ")).count();
        let closed = page.matches(&format!("</{element}>")).count();
        assert_eq!(opened, closed, "{element}");
        assert!(opened > 0, "{element}");
    }
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("url("));
}

/// A page replaces a page, and no other file: no input, and no one's notes.
#[test]
fn a_page_replaces_a_page_only() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    std::fs::write(folder.path().join("web.yaml"), CALM).expect("writable");
    std::fs::write(folder.path().join("notes.html"), "<html>notes").expect("writable");
    let asked = "simulate -f web.yaml --request 500m --load spike -o html --file";
    for (file, text) in [("web.yaml", CALM), ("notes.html", "<html>notes")] {
        let output = run(folder.path(), &format!("{asked} {file}"));
        assert_eq!(output.status.code(), Some(1), "{file}");
        let error = format!(
            "error: {file} exists and is not a page of this tool, so it is not replaced\n\
             hint: name another file, or remove this one first\n"
        );
        assert_eq!(String::from_utf8_lossy(&output.stderr), error);
        let left = std::fs::read_to_string(folder.path().join(file));
        assert_eq!(left.expect("there"), text);
    }
    for _ in 0..2 {
        ours(folder.path(), &format!("{asked} page.html"));
    }
}

/// Two metrics of one name are told apart, and each can be asked for.
#[test]
fn metrics_of_one_name() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let container = "  - type: ContainerResource\n    containerResource: {name: cpu, container: app, \
                     target: {type: AverageValue, averageValue: 300m}}\n";
    let both = format!("{CALM}{container}");
    std::fs::write(folder.path().join("both.yaml"), both).expect("writable");
    let rows = [
        ("", "Resource:cpu", "cpu/app"),
        (" --metric cpu", "Resource:cpu", "cpu/app"),
        (" --metric Resource:cpu", "Resource:cpu", "cpu/app"),
        (" --metric cpu/app", "cpu/app", "Resource:cpu"),
        (" --metric containerresource:cpu", "cpu/app", "Resource:cpu"),
    ];
    let mut told = 0;
    for (asked, driven, left_out) in rows {
        let arguments =
            format!("simulate -f both.yaml --request 500m --load spike -o markdown{asked}");
        let text = ours(folder.path(), &arguments);
        assert!(
            text.contains(&format!("Warning: {left_out} left out")),
            "{asked}: {text}"
        );
        assert!(
            text.contains(&format!("- Load: {driven} in total, ")),
            "{asked}: {text}"
        );
        assert!(
            text.contains(&format!("### Load, {driven}\n")),
            "{asked}: {text}"
        );
        told += 1;
    }
    assert_eq!(told, 5);
}

/// What the simulation assumes, and what the pass of today makes of it.
#[test]
fn what_is_assumed_otherwise_than_it_is_now() {
    let demos = concat!(env!("CARGO_MANIFEST_DIR"), "/demos");
    let rows: [(&str, &[&str]); 4] = [
        (
            "three-metrics-at-max",
            &[
                "Warning: http_requests is left out, although it asks for 15 now and cpu for 8; \
                 --metric http_requests simulates it",
                "Warning: queue_messages_ready left out, assumed never to ask for more than cpu",
                "1440m is exactly the target of 12 pods (measured: 900m)",
            ],
        ),
        (
            "partial-failure",
            &["custom-metric fails now, which blocks scale-downs"],
        ),
        (
            "readiness-collapse",
            &["pods have no sample or are not Ready now"],
        ),
        ("stuck-without-samples", &["begins with healthy pods"]),
    ];
    for (demo, says) in rows {
        let arguments = format!("simulate --snapshot {demos}/{demo}.yaml --load spike");
        let text = ours(Path::new("."), &arguments);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for says in says {
            assert!(text.contains(says), "{demo}: {says}: {text}");
        }
    }
}

/// A stored HPA that could not be stored again is simulated all the same.
#[test]
fn an_hpa_of_older_rules() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let hpa = CALM.replace("minReplicas: 4", "minReplicas: 0");
    let snapshot = format!(
        "apiVersion: hpa-explain/v1\nkind: Snapshot\ncapturedAt: 2026-11-20T08:30:00Z\n\
         serverVersion: v1.35.0\nhorizontalPodAutoscaler:\n  {}\nscale: {{response: {{spec: \
         {{replicas: 4}}, status: {{replicas: 4, selector: app=web}}}}}}\n",
        hpa.trim_end().replace('\n', "\n  ")
    );
    std::fs::write(folder.path().join("web.yaml"), snapshot).expect("writable");
    let arguments = "simulate web --snapshot web.yaml --request 500m --load spike -o markdown";
    let text = ours(folder.path(), arguments);
    let warning =
        "Warning: the API server would refuse this HPA today, but the controller still runs it: ";
    assert!(text.contains(warning), "{text}");
    assert!(!text.contains("it: :"), "{text}");
}
