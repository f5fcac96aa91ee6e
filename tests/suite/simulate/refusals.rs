//! What is wrong is said with its place, and nothing is half run.

use std::path::Path;
use std::process::{Command, Output};

const HPA: &str = "\
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

/// A scenario with a place for a field of its own.
const SCENARIO: &str = r#"{"horizontalPodAutoscaler": {"apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "maxReplicas": 9, "metrics": [{"type": "External", "external": {
            "metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "5"}}}]}},
    "initialReplicas": 1, "stepSeconds": 15, "demand": [3, 4]}"#;

fn simulate(folder: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .arg("simulate")
        .args(arguments.split(' '))
        .current_dir(folder)
        .env_clear()
        .output()
        .expect("the binary runs")
}

/// The files that the rows name.
fn write_files(folder: &Path) {
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("writable");
    };
    write("hpa.yaml", HPA);
    write("two.yaml", &format!("{HPA}---\n{HPA}"));
    write("bad.yaml", &HPA.replace("20", "2"));
    let huge = HPA.replace("minReplicas: 4", "minReplicas: 2000000000");
    write(
        "huge.yaml",
        &huge.replace("maxReplicas: 20", "maxReplicas: 2000000000"),
    );
    let average = "AverageValue, averageValue: 300m";
    write(
        "average.yaml",
        &HPA.replace("Utilization, averageUtilization: 60", average),
    );
    let memory = "name: memory, target: {type: AverageValue, averageValue: 500Mi}";
    let cpu = "name: cpu, target: {type: Utilization, averageUtilization: 60}";
    write("memory.yaml", &HPA.replace(cpu, memory));
    let queue = "{metric: {name: queue}, target: {type: AverageValue, averageValue: 30}}";
    let external = HPA.replace("type: Resource", "type: External");
    write(
        "queue.yaml",
        &external.replace(
            &format!("resource: {{{cpu}}}"),
            &format!("external: {queue}"),
        ),
    );
    write("empty.csv", "");
    write("gap.csv", "0s,1\n15s,1\n30s,1\n45s,1\n9m,1\n");
    write("text.csv", "0s,1\n15s,many\n");
    write("negative.csv", "0s,1\n15s,-1\n");
    write("nan.csv", "0s,1\n15s,NaN\n");
    write("unsorted.csv", "0s,1\n30s,1\n15s,1\n");
    write("missing.csv", "0s,1\n15s,\n");
    write("none.jsonl", "");
    let scenario = |from: &str, to: &str| SCENARIO.replace(from, to).replace('\n', " ");
    write("negative.json", &scenario("[3, 4]", "[3, -4]"));
    write("text.json", &scenario("[3, 4]", "[3, \"x\"]"));
    write("list.json", "[1]");
    write("torn.yaml", &format!("{HPA}---\nkind: {{\n"));
    write("steps.json", &scenario("15", "0"));
    write(
        "size.json",
        &scenario("\"initialReplicas\": 1", "\"initialReplicas\": -1"),
    );
    write(
        "cpu.json",
        &scenario(
            "\"stepSeconds\"",
            "\"podCpuRequestMilli\": 100, \"stepSeconds\"",
        ),
    );
    let cpu = r#""resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}"#;
    let start = SCENARIO.find("\"type\": \"External\"").expect("a metric");
    let end = SCENARIO.find("}]}}").expect("its end");
    let misspelt = SCENARIO.replace(
        &SCENARIO[start..end],
        &format!("\"type\": \"Resource\", {cpu}"),
    );
    let misspelt = misspelt.replace("\"demand\"", "\"podCpuRequestMili\": 500, \"demand\"");
    write("misspelt.json", &misspelt.replace('\n', " "));
    write(
        "hpa.json",
        &scenario("\"maxReplicas\": 9", "\"maxReplicas\": \"x\""),
    );
    write(
        "wrong.json",
        &scenario("\"maxReplicas\": 9", "\"maxReplicas\": -5"),
    );
    write(
        "long.json",
        &scenario(
            "\"stepSeconds\": 15",
            "\"stepSeconds\": 9223372036854775807",
        ),
    );
}

#[test]
fn what_cannot_be_simulated() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    write_files(folder.path());
    #[rustfmt::skip] // one row a line
    let rows = [
        ("-f hpa.yaml --load spike", 1, "give it with --request"),
        ("-f hpa.yaml --request 500m", 2, "--load"),
        ("-f hpa.yaml --request 0 --load spike", 2, "must be an amount above 0"),
        ("-f hpa.yaml --request 1 --load wave", 2, "unknown load wave"),
        ("-f hpa.yaml --request 1 --load spike --for 0s", 2, "lasts from 1s to 31 days"),
        ("-f hpa.yaml --request 1 --load spike --for 800h", 2, "lasts from 1s to 31 days"),
        ("-f hpa.yaml --request 1 --load spike --for -5m", 2, "must not be negative"),
        ("-f hpa.yaml --request 1 --load spike --for 1500ms", 2, "must be whole seconds"),
        ("-f hpa.yaml --request 1 --load spike --start-up 900ms", 2, "must be whole seconds"),
        ("-f hpa.yaml --request 1 --load spike --burst 1,900ms", 2, "must be whole seconds"),
        ("-f hpa.yaml --request 1 --load spike --sync-period 0s", 2, "--sync-period must be whole seconds, at least 1s"),
        ("-f hpa.yaml --request 1 --load spike --sync-period 7900ms", 2, "--sync-period must be whole seconds"),
        ("-f hpa.yaml --request 1 --load spike --metric queue", 2, "has no metric queue"),
        ("-f hpa.yaml --request 1 --load spike --set spec.maxReplicsa=3", 1, "spec.maxReplicsa"),
        ("-f hpa.yaml --request 1 --load spike --set spec.maxReplicas=-3", 1, "spec.maxReplicas"),
        ("-f hpa.yaml --request 1 --load spike --candidate two.yaml", 1, "two.yaml"),
        ("-f two.yaml --request 1 --load spike", 1, "two.yaml: it has 2 HPAs"),
        ("-f bad.yaml --request 1 --load spike", 1, "bad.yaml:7"),
        ("-f none.yaml --request 1 --load spike", 1, "none.yaml"),
        ("other -f hpa.yaml --request 1 --load spike", 1, "hpa.yaml: contains no HPA shop/other, but shop/web (line 1)"),
        ("deploy/api -f hpa.yaml --request 1 --load spike", 1, "it has no HPA deploy/api; it has shop/web (Deployment/web)"),
        ("web -n other -f hpa.yaml --request 1 --load spike", 1, "contains no HPA other/web, but shop/web"),
        ("web -f torn.yaml --request 1 --load spike", 1, "torn.yaml:12:7: `{` is not closed"),
        ("-f - --request 1 --load csv:-", 2, "standard input is asked for twice"),
        ("-f hpa.yaml --request 1 --load spike --candidate queue.yaml", 1, "queue.yaml: the load is of cpu, and the spec has no such metric"),
        ("-f hpa.yaml --request 1 --load csv:none.csv", 1, "none.csv"),
        ("-f hpa.yaml --request 1 --load csv:empty.csv", 1, "empty.csv is empty, not a load file"),
        ("-f hpa.yaml --request 1 --load csv:gap.csv", 1, "gap.csv: line 5: a gap of 495s"),
        ("-f hpa.yaml --request 1 --load csv:text.csv", 1, "text.csv: line 2: \"many\" is not a value"),
        ("-f hpa.yaml --request 1 --load csv:negative.csv", 1, "negative.csv: line 2: -1 is negative"),
        ("-f hpa.yaml --request 1 --load csv:nan.csv", 1, "nan.csv: line 2: \"NaN\" is not a value"),
        ("-f hpa.yaml --request 1 --load csv:unsorted.csv", 1, "unsorted.csv: line 3: the time is not later"),
        ("-f hpa.yaml --request 1 --load csv:missing.csv", 1, "missing.csv: line 2: no value"),
        ("-f hpa.yaml --request 1 --load spike --metric-lag 90000h", 2, "--metric-lag is longer than 24h"),
        ("-f huge.yaml --request 1 --load spike", 1, "asks for 2000000000 pods; at most 100000 are simulated"),
        ("-f average.yaml --load spike --candidate hpa.yaml", 1, "hpa.yaml: the target is a percentage of the pods' cpu request"),
        ("-f memory.yaml --load spike --search", 1, "cannot tell how many pods memory needs"),
        ("-f queue.yaml --load spike --burst 5,60s", 2, "--burst has no effect on queue"),
        ("-f queue.yaml --load spike --request 5", 2, "--request has no effect on queue"),
        ("-f hpa.yaml --request 1 --load spike --for 200h --search", 2, "at most 168h"),
        ("-f hpa.yaml --request 1 --load spike --for 48h --sync-period 1s --search", 2, "at most 100000 passes, not 172800"),
        ("-f hpa.yaml --request 1 --load spike --for 700h --sync-period 1s -o json", 2, "at most 400000 passes, not 2520000"),
        ("--scenario wrong.json", 1, "spec.maxReplicas"),
        ("--scenario long.json", 1, "stepSeconds: must be from 1 to 86400"),
        ("--scenario wrong.json --request 500m", 2, "cannot be used with"),
        ("--scenario none.jsonl", 1, "is empty, not a scenario"),
        ("--scenario negative.json", 1, "demand[1]: must be from 0 to"),
        ("--scenario text.json", 1, "demand[1]: must be a whole number, not"),
        ("--scenario list.json", 1, "this is a list, not a scenario"),
        ("--scenario steps.json", 1, "stepSeconds: must be from 1 to 86400"),
        ("--scenario size.json", 1, "initialReplicas: must be from 0 to 100000"),
        ("--scenario cpu.json", 1, "spec.metrics[0]: with podCpuRequestMilli"),
        ("--scenario misspelt.json", 1, "is of a metric of type External; unknown field `podCpuRequestMili`, ignored; did you mean `podCpuRequestMilli`?"),
        ("--scenario hpa.json", 1, "horizontalPodAutoscaler.spec.maxReplicas"),
    ];
    let (mut refused, mut wrong) = (0, Vec::new());
    for (arguments, code, reason) in rows {
        let output = simulate(folder.path(), arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {told}");
        if !told.contains(reason) {
            wrong.push(format!("{arguments}: want {reason:?} in {told}"));
        }
        assert!(output.stdout.is_empty(), "{arguments}");
        refused += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(refused, 54);
}

/// A document that cannot be read has an error in its place.
#[test]
fn one_bad_scenario_does_not_hide_the_others() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let good = SCENARIO.replace('\n', " ");
    let bad = good.replace("[3, 4]", "[]");
    let text = format!("{good}\n{bad}\n{good}\n");
    std::fs::write(folder.path().join("all.jsonl"), text).expect("writable");
    let output = simulate(folder.path(), "--scenario all.jsonl -o json");
    assert_eq!(output.status.code(), Some(1));
    let lines = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].contains("\"steps\""));
    assert!(
        lines[1].contains("all.jsonl:2:467: demand: it has no step"),
        "{}",
        lines[1]
    );
    assert_eq!(lines[0], lines[2]);
}
