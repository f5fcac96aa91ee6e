//! Files whose lines end as on Windows are read as those that end as elsewhere:
//! every kind of file that the command line names.

use std::fs;
use std::path::Path;

use crate::support::apiserver::ApiServer;
use crate::support::binary::{run, stderr, stdout};

const HPA: &str = "apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: shop
  annotations:
    note: |
      two
      lines
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: 20
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}
";

const LOAD: &str = "time,cpu\n# a remark\n0s,1\n10m,4\n30m,2\n";

const SCENARIO: &str = "serverVersion: v1.36.2
horizontalPodAutoscaler:
  apiVersion: autoscaling/v2
  kind: HorizontalPodAutoscaler
  metadata: {name: web, namespace: shop}
  spec:
    scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
    minReplicas: 2
    maxReplicas: 20
    metrics:
    - type: Resource
      resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}
podCpuRequestMilli: 500
initialReplicas: 4
stepSeconds: 15
demand: [1200, 1200, 2400, 2400]
";

/// Each kind of file, by the command that reads it; `@` is the folder.
const COMMANDS: [&str; 9] = [
    "--snapshot @/log.yaml",
    "flaps --snapshot @/log.yaml --controller-log @/controller.log",
    "flaps --history @/record.jsonl --at -0s",
    "list --snapshot @/log.yaml",
    "lint -f @/hpa.yaml -o json",
    "dry-run --snapshot @/log.yaml -f @/hpa.yaml",
    "simulate -f @/hpa.yaml --request 500m --load csv:@/load.csv",
    "simulate --scenario @/scenario.yaml",
    "web -n shop --kubeconfig @/kubeconfig",
];

#[test]
fn lines_may_end_as_on_windows() {
    let server = ApiServer::replay("steady")
        .https()
        .at_a_standstill()
        .start();
    let kubeconfig = fs::read_to_string(server.kubeconfig()).expect("a kubeconfig");
    let kubeconfig: serde_yaml::Value = serde_yaml::from_str(&kubeconfig).expect("a kubeconfig");
    let kubeconfig = serde_yaml::to_string(&kubeconfig).expect("YAML");
    let read = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/flaps")
            .join(name);
        fs::read_to_string(path).expect(name)
    };
    let files = [
        ("log.yaml", read("window-log/snapshot.yaml")),
        ("controller.log", read("window-log/controller.log")),
        ("record.jsonl", read("window-record/record.jsonl")),
        ("hpa.yaml", HPA.to_owned()),
        ("load.csv", LOAD.to_owned()),
        ("scenario.yaml", SCENARIO.to_owned()),
        ("kubeconfig", kubeconfig),
    ];
    let [here, windows] = ["\n", "\r\n"].map(|end| {
        let folder = tempfile::tempdir().expect("a scratch directory");
        for (name, text) in &files {
            assert!(!text.contains('\r') && text.lines().count() > 4, "{name}");
            let text = text.replace('\n', end);
            fs::write(folder.path().join(name), text).expect("writable");
        }
        folder
    });
    let mut compared = 0;
    for command in COMMANDS {
        let [here, windows] = [&here, &windows].map(|folder| {
            let folder = folder.path().to_str().expect("a plain path");
            let words: Vec<String> = command
                .split(' ')
                .map(|word| word.replace('@', folder))
                .collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let output = run(Path::new("/nowhere"), &words);
            // The recorded server's clock is not this machine's, which is told.
            assert!(output.status.success(), "{command}: {}", stderr(&output));
            // Lines are broken differently after a longer name of the folder.
            stdout(&output).replace(folder, "@")
        });
        assert!(here.len() > 100, "{command}: {here}");
        assert_eq!(here, windows, "{command}");
        compared += 1;
    }
    assert_eq!(compared, COMMANDS.len());
}
