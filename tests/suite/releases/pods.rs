//! Which pods count, as what, and what they request.

use super::Change;
use crate::support::build::Case;
use crate::support::pass::Pass;
use crate::support::pod::{Pod, container, cpu, silent};
use serde_json::json;

/// The proposal, or what is wrong with the metric in short.
fn proposal(pass: &Pass) -> String {
    match pass.proposals()[0] {
        Ok(replicas) => replicas.to_string(),
        Err(error) => error
            .rsplit_once(": ")
            .map_or(error, |(_, inner)| inner)
            .to_owned(),
    }
}

fn asks(name: &str, millicores: u32) -> Pod {
    Pod::of(vec![
        container(name)
            .uses("cpu", "90m")
            .requests("cpu", format!("{millicores}m")),
    ])
}

pub fn changes() -> Vec<Change> {
    groups().into_iter().chain(requests()).collect()
}

/// Which pods count, and as what.
fn groups() -> Vec<Change> {
    let other = json!([{"namespace": "default", "name": "other", "selector": "app=web"}]);
    vec![
        Change {
            what: "two HPAs that select the same pods block each other",
            case: Case::new()
                .replicas(2)
                .pods(2, &cpu(90, 100))
                .cpu(50)
                .set("/otherAutoscalers", other),
            answer: |pass| format!("{} {}", pass.size(), pass.condition("ScalingActive")),
            answers: vec![
                (23, "4 True/ValidMetricFound"),
                (26, "2 False/AmbiguousSelector"),
            ],
        },
        Change {
            what: "missing pods with a target above 100% (k/k#112178)",
            case: Case::new()
                .replicas(10)
                .cpu(200)
                .pods(8, &cpu(150, 100))
                .pods(2, &silent(100)),
            answer: proposal,
            answers: vec![(23, "7"), (26, "8")],
        },
        Change {
            what: "missing pods where the average is exactly on target",
            case: Case::new()
                .replicas(4)
                .cpu_average("50m")
                .pods(3, &cpu(50, 100))
                .pods(1, &silent(100)),
            answer: proposal,
            answers: vec![(23, "3"), (28, "4")],
        },
        Change {
            what: "a pod without a sample of the container (k/k#127193)",
            case: Case::new()
                .replicas(4)
                .container_cpu("app", 50)
                .pods(3, &asks("app", 100))
                .pods(
                    1,
                    &Pod::of(vec![container("app").unsampled().requests("cpu", "100m")]),
                ),
            answer: proposal,
            answers: vec![
                (
                    23,
                    "container app not present in metrics for pod default/pod-3",
                ),
                (33, "6"), // 270 of 400 is 67%
            ],
        },
        Change {
            what: "a pod without the container at all",
            case: Case::new()
                .replicas(4)
                .container_cpu("app", 50)
                .pods(2, &asks("app", 100))
                .pods(2, &asks("old", 100)),
            answer: proposal,
            answers: vec![
                (
                    23,
                    "container app not present in metrics for pod default/pod-2",
                ),
                (33, "8"), // 90% of the requests, over four entries
                (35, "container app not found in Pod pod-2"),
            ],
        },
        Change {
            what: "Succeeded pods (k/k#141302)",
            case: Case::new()
                .replicas(10)
                .cpu(50)
                .pods(10, &cpu(20, 100))
                .pods(10, &silent(100).phase("Succeeded")),
            answer: proposal,
            answers: vec![(23, "10"), (38, "4")],
        },
    ]
}

/// What pods request.
fn requests() -> Vec<Change> {
    let sidecar = container("proxy")
        .uses("cpu", "10m")
        .requests("cpu", "100m")
        .sidecar();
    vec![
        Change {
            what: "the requests of sidecars count, as their usage always did (k/k#120001)",
            case: Case::new()
                .cpu(50)
                .pods(1, &asks("app", 100).init_containers(vec![sidecar])),
            answer: |pass| format!("{:?}", pass.percent().0.expect("a percentage")),
            answers: vec![(23, "100"), (29, "50")],
        },
        Change {
            what: "pod-level requests",
            case: Case::new()
                .cpu(50)
                .pods(1, &asks("app", 100).pod_level("cpu", "180m")),
            answer: |pass| format!("{:?}", pass.percent().0.expect("a percentage")),
            answers: vec![(23, "90"), (34, "50")],
        },
        Change {
            what: "the overhead of a pod with pod-level requests (k/k#142154)",
            case: Case::new().cpu(50).pods(
                1,
                &asks("app", 100)
                    .pod_level("cpu", "90m")
                    .overhead(json!({"cpu": "10m"})),
            ),
            answer: |pass| {
                pass.metric().pods[0]
                    .request
                    .expect("a request")
                    .to_string()
            },
            answers: vec![(23, "100"), (38, "90")],
        },
    ]
}
