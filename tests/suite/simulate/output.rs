//! What is printed, as files.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite simulate::` writes them anew.

use std::path::Path;
use std::process::Command;

use crate::support::golden;

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
const OUTPUTS: [(&str, &str); 6] = [
    ("spike.txt", "-f web.yaml --request 500m --load spike --candidate slow.yaml"),
    ("burst.txt", "-f web.yaml --request 500m --load sine:low=1,high=4,period=30m --burst 400m,60s --for 2h -v"),
    ("search.txt", "-f web.yaml --request 500m --load noise:mean=2,by=40%,seed=7 --search"),
    ("memory.txt", "-f memory.yaml --load ramp:from=400Mi,to=900Mi,over=20m --for 30m"),
    ("file.txt", "-f web.yaml --request 500m --load csv:load.csv --rollout 10m --capacity 12"),
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
    write("memory.yaml", &memory);
    write(
        "load.csv",
        "time,cpu\n0s,1\n5m,2500m\n10m,4\n15m,3\n20m,1\n30m,1\n",
    );
    let goldens = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simulate");
    for (file, arguments) in OUTPUTS {
        let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
            .arg("simulate")
            .args(arguments.split(' '))
            .current_dir(folder.path())
            .env_clear()
            .env("LC_ALL", "C.UTF-8")
            .output()
            .expect("the binary runs");
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments}: {complained}");
        assert_eq!(complained, "", "{arguments}");
        let text = String::from_utf8(output.stdout).expect("text");
        if file.ends_with("txt") {
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(80), "{file}");
        }
        golden::check(&goldens.join(file), &text);
    }
    assert_eq!(OUTPUTS.len(), 6);
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
        .args(["--candidate", hostile, "--html", "page.html", "-o", "name"])
        .current_dir(folder.path())
        .env_clear()
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{output:?}");
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    assert!(!page.contains("<script"), "{page}");
    assert!(!page.contains('\u{1b}'));
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert_eq!(page.matches("<figure>").count(), 2);
    // Every element that is opened is closed; nothing is loaded from elsewhere.
    for element in [
        "html", "body", "ul", "li", "table", "tr", "td", "svg", "figure", "pre",
    ] {
        let opened = page.matches(&format!("<{element}>")).count()
            + page.matches(&format!("<{element} ")).count();
        let closed = page.matches(&format!("</{element}>")).count();
        assert_eq!(opened, closed, "{element}");
        assert!(opened > 0, "{element}");
    }
    assert!(!page.contains("http") && !page.contains("url("));
}
