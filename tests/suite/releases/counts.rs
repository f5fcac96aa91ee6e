//! Arithmetic: tolerance, limits, overflow.

use super::Change;
use crate::support::build::Case;
use crate::support::pass::Pass;
use crate::support::pod::{Pod, container, cpu, memory};
use serde_json::json;

fn proposal(pass: &Pass) -> String {
    pass.proposal().to_string()
}

pub fn changes() -> Vec<Change> {
    edges()
        .into_iter()
        .chain(caps())
        .chain(saturation())
        .collect()
}

/// What is compared with what.
fn edges() -> Vec<Change> {
    let percent = json!([{"type": "Percent", "value": 300, "periodSeconds": 300}]);
    vec![
        Change {
            what: "the start of a period looks at both directions (k/k#109058)",
            case: Case::new()
                .replicas(6)
                .wants(24)
                .behavior(json!({"scaleUp": {"policies": percent}}))
                .added(&[(200, 4)])
                .removed(&[(100, 2)]),
            answer: |pass| pass.size().to_string(),
            answers: vec![(23, "8"), (25, "16")],
        },
        Change {
            what: "exactly 110% is tolerated",
            case: Case::new()
                .replicas(9)
                .external_average("jobs", "4", &["39600m"]),
            answer: proposal,
            answers: vec![(23, "10"), (33, "9")],
        },
        Change {
            what: "an average of nothing over no replicas",
            case: Case::new().replicas(3).status_replicas(0).external_average(
                "queue",
                "10",
                &["0"],
            ),
            answer: |pass| pass.proposed().rule.to_string(),
            answers: vec![(23, "average.tolerated"), (33, "average.total")],
        },
    ]
}

/// Counts that are too large, before 1.38.
fn caps() -> Vec<Change> {
    vec![
        Change {
            what: "an External average is capped",
            case: Case::new()
                .bounds(2, 8)
                .replicas(4)
                .external_average("queue", "1", &["3G"]),
            answer: |pass| format!("{} {}", pass.proposal(), pass.size()),
            answers: vec![(23, "-2147483648 2"), (34, "2147483647 8")],
        },
        Change {
            what: "a negative External average counts as overflow",
            case: Case::new()
                .bounds(2, 5)
                .replicas(3)
                .external_average("balance", "1", &["-5"]),
            answer: |pass| format!("{} {}", pass.proposal(), pass.size()),
            answers: vec![(23, "-5 2"), (34, "2147483647 5")],
        },
        Change {
            what: "a target of type Value is capped",
            case: Case::new()
                .bounds(2, 8)
                .replicas(4)
                .pods(1, &cpu(0, 0))
                .object_value(("Service", "web"), "1", "3G"),
            answer: |pass| format!("{} {}", pass.proposal(), pass.size()),
            answers: vec![(23, "-2147483648 2"), (35, "2147483647 8")],
        },
        Change {
            // 10^19 thousandths are 2^64 too many for -8446744073709551616.
            what: "the sum of an External metric is capped",
            case: Case::new().replicas(4).pods(1, &cpu(0, 0)).external_value(
                "queue",
                "1000000000000000",
                &["5000000000000000", "5000000000000000"],
            ),
            answer: proposal,
            answers: vec![(23, "-8"), (35, "10")],
        },
    ]
}

/// Numbers that are too large, since 1.38.
fn saturation() -> Vec<Change> {
    let doubled = json!([{"type": "Percent", "value": 100, "periodSeconds": 15}]);
    vec![
        Change {
            what: "counts saturate (k/k#141397)",
            case: Case::new().bounds(2, 8).replicas(4).object_average(
                ("Service", "web"),
                "1",
                "3G",
            ),
            answer: |pass| format!("{} {}", pass.proposal(), pass.size()),
            answers: vec![(23, "-2147483648 2"), (38, "2147483647 8")],
        },
        Change {
            what: "limits saturate (k/k#141397)",
            case: Case::new()
                .bounds(1, i32::MAX)
                .replicas(1_500_000_000)
                .wants(i32::MAX)
                .behavior(json!({"scaleUp": {"policies": doubled}})),
            answer: |pass| format!("{:?}", pass.policy_limits()),
            answers: vec![(23, "[-2147483648]"), (38, "[2147483647]")],
        },
        Change {
            // 10^17 thousandths times 100 are 2^64 too many.
            what: "a percentage does not overflow 64 bits (k/k#142192)",
            case: Case::new().memory(50).pods(1, &memory("100T", "100T")),
            answer: |pass| format!("{:?}", pass.percent().0.expect("a percentage")),
            answers: vec![(23, "-84"), (38, "100")],
        },
        Change {
            what: "a percentage does not overflow 32 bits (k/k#142192)",
            case: Case::new().cpu(50).pods(
                1,
                &Pod::of(vec![
                    container("app")
                        .uses("cpu", "21474837m")
                        .requests("cpu", "1m"),
                ]),
            ),
            answer: |pass| format!("{:?}", pass.percent().0.expect("a percentage")),
            answers: vec![(23, "-2147483596"), (38, "2147483647")],
        },
        Change {
            what: "the reported average of no replicas (k/k#140958)",
            case: Case::new().replicas(3).status_replicas(0).external_average(
                "queue",
                "10",
                &["50"],
            ),
            answer: |pass| {
                pass.shown()["averageValue"]
                    .as_str()
                    .expect("a quantity")
                    .to_owned()
            },
            answers: vec![(23, "-9223372036854775808m"), (38, "0")],
        },
    ]
}
