//! Texts.

use super::Change;
use crate::support::build::Case;
use crate::support::pass::Pass;
use crate::support::pod::{Pod, container, cpu, memory};
use serde_json::json;

fn failure(pass: &Pass) -> String {
    pass.failure().to_owned()
}

/// What follows `first error is: ` in the error of the pass.
fn first_error(pass: &Pass) -> String {
    let first = pass.error().split_once("first error is: ");
    first.expect("a failed metric").1.to_owned()
}

pub fn changes() -> Vec<Change> {
    [wrappers(), errors(), texts(), selectors()]
        .into_iter()
        .flatten()
        .collect()
}

/// What the error of a pass adds to the one of a metric.
fn wrappers() -> Vec<Change> {
    vec![
        Change {
            what: "the error of a Resource metric is wrapped",
            case: Case::new()
                .pods(1, &cpu(50, 100))
                .cpu(50)
                .set("/metrics/resource", json!({"error": "gone"})),
            answer: first_error,
            answers: vec![
                (
                    23,
                    "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: gone",
                ),
                (
                    25,
                    "failed to get cpu resource metric value: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: gone",
                ),
            ],
        },
        Change {
            what: "the error of an External metric is wrapped",
            case: Case::new().fails("gone"),
            answer: first_error,
            answers: vec![
                (
                    23,
                    "failed to get broken-0 external metric: unable to get external metric default/broken-0/nil: unable to fetch metrics from external metrics API: gone",
                ),
                (
                    25,
                    "failed to get broken-0 external metric value: failed to get broken-0 external metric: unable to get external metric default/broken-0/nil: unable to fetch metrics from external metrics API: gone",
                ),
            ],
        },
    ]
}

/// Why a metric fails.
fn errors() -> Vec<Change> {
    let requestless = Pod::of(vec![container("app").uses("cpu", "50m")]);
    let pending = cpu(50, 100).phase("Pending");
    let targetless = json!({"name": "cpu", "target": {"type": "Utilization"}});
    vec![
        Change {
            what: "a Resource metric without a target",
            case: Case::new()
                .pods(1, &cpu(50, 100))
                .metric(json!({"type": "Resource", "resource": targetless})),
            answer: failure,
            answers: vec![
                (
                    23,
                    "invalid resource metric source: neither a utilization target nor a value target was set",
                ),
                (
                    25,
                    "invalid resource metric source: neither an average utilization target nor an average value target was set",
                ),
                (
                    26,
                    "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
                ),
            ],
        },
        Change {
            what: "a missing request is named",
            case: Case::new().pods(1, &requestless).cpu(50),
            answer: failure,
            answers: vec![
                (23, "failed to get cpu utilization: missing request for cpu"),
                (
                    26,
                    "failed to get cpu utilization: missing request for cpu in container app of Pod pod-0",
                ),
            ],
        },
        Change {
            what: "the error of an average speaks of usage; nothing measured",
            case: Case::new().pods(1, &pending).cpu_average("50m"),
            answer: failure,
            answers: vec![
                (
                    23,
                    "failed to get cpu utilization: did not receive metrics for any ready pods",
                ),
                (
                    26,
                    "failed to get cpu usage: did not receive metrics for any ready pods",
                ),
                (
                    27,
                    "failed to get cpu usage: did not receive metrics for targeted pods (pods might be unready)",
                ),
            ],
        },
        Change {
            what: "neither a sample nor a request: which error comes first",
            case: Case::new().pods(1, &requestless.phase("Pending")).cpu(50),
            answer: failure,
            answers: vec![
                (23, "failed to get cpu utilization: missing request for cpu"),
                (
                    26,
                    "failed to get cpu utilization: did not receive metrics for any ready pods",
                ),
                (
                    27,
                    "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)",
                ),
            ],
        },
    ]
}

/// Other texts.
fn texts() -> Vec<Change> {
    vec![
        Change {
            what: "a container's metric has a name of its own",
            case: Case::new()
                .replicas(1)
                .pods(1, &cpu(90, 100))
                .container_cpu("app", 50),
            answer: |pass| pass.reason().expect("a rescale").to_owned(),
            answers: vec![
                (
                    23,
                    "cpu resource utilization (percentage of request) above target",
                ),
                (
                    27,
                    "cpu container resource utilization (percentage of request) above target",
                ),
            ],
        },
        Change {
            what: "a partial failure is returned although scaling went on",
            case: Case::new().replicas(2).wants(4).fails("gone"),
            answer: |pass| format!("{} {}", pass.size(), pass.error()),
            answers: vec![
                (23, "4 "),
                (
                    27,
                    "4 invalid metrics (1 invalid out of 2), first error is: failed to get broken-1 external metric value: failed to get broken-1 external metric: unable to get external metric default/broken-1/nil: unable to fetch metrics from external metrics API: gone",
                ),
            ],
        },
        Change {
            what: "a message is used as a format, up to 1.28",
            case: Case::new().fails("at 100%"),
            answer: |pass| {
                let message = pass.message("ScalingActive").rsplit_once(": ");
                message.expect("a reason").1.to_owned()
            },
            answers: vec![(23, "at 100%!(NOVERB)"), (29, "at 100%")],
        },
        Change {
            what: "the status of an Object average names the object",
            case: Case::new()
                .replicas(2)
                .object_average(("Service", "web"), "1", "2"),
            answer: |pass| {
                pass.outcome["metrics"][0]["current"]["object"]["describedObject"].to_string()
            },
            answers: vec![
                (23, r#"{"kind":"","name":""}"#),
                (33, r#"{"kind":"Service","name":"web"}"#),
            ],
        },
        Change {
            what: "memory is shown with binary suffixes",
            case: Case::new()
                .memory_average("100Mi")
                .pods(1, &memory("100Mi", "200Mi")),
            answer: |pass| {
                pass.shown()["averageValue"]
                    .as_str()
                    .expect("a quantity")
                    .to_owned()
            },
            answers: vec![(23, "104857600"), (34, "100Mi")],
        },
    ]
}

/// Why a pod selector is refused.
fn selectors() -> Vec<Change> {
    vec![
        Change {
            what: "the selector parser speaks of bytes",
            case: Case::new()
                .wants(2)
                .selector(&format!("app={}", "x".repeat(64))),
            answer: |pass| {
                let message = pass.message("ScalingActive").rsplit_once(": ");
                message.expect("a reason").1.to_owned()
            },
            answers: vec![
                (23, "must be no more than 63 characters"),
                (35, "must be no more than 63 bytes"),
            ],
        },
        Change {
            what: "the selector parser speaks of label keys",
            case: Case::new().wants(2).selector("x/y/z"),
            answer: |pass| {
                let message = pass.message("ScalingActive").split_once("\"x/y/z\": ");
                message.expect("a reason").1[..17].to_owned()
            },
            answers: vec![(23, "a qualified name "), (35, "a valid label key")],
        },
    ]
}
