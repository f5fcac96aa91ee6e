//! Feature gates and what they guard.

use super::Change;
use crate::support::build::Case;
use crate::support::pass::Pass;
use crate::support::pod::cpu;
use serde_json::json;

fn proposal(pass: &Pass) -> String {
    pass.proposal().to_string()
}

fn zero(pass: &Pass) -> String {
    format!("{} {}", pass.size(), pass.condition("ScalingActive"))
}

pub fn changes() -> Vec<Change> {
    let exact = json!({"scaleUp": {"tolerance": "0"}});
    let near = Case::new().replicas(20).wants(21).behavior(exact);
    let asleep = Case::new().bounds(0, 9).replicas(0).wants(3);
    let container = Case::new()
        .replicas(1)
        .container_cpu("app", 50)
        .pods(1, &cpu(90, 100));
    vec![
        Change {
            what: "HPAContainerMetrics switched off",
            case: container.clone().gate("HPAContainerMetrics", false),
            answer: |pass| format!("{} {:?}", pass.size(), pass.events()),
            answers: vec![
                (
                    23,
                    r#"2 ["SuccessfulRescale: New size: 2; reason: cpu resource utilization (percentage of request) above target"]"#,
                ),
                (
                    27,
                    r#"1 ["FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: ContainerResource metric type is not supported: disabled by the feature gate"]"#,
                ),
                (
                    30,
                    r#"2 ["SuccessfulRescale: New size: 2; reason: cpu container resource utilization (percentage of request) above target"]"#,
                ),
            ],
        },
        Change {
            what: "HPAContainerMetrics switched off leaves an empty condition",
            case: container
                .gate("HPAContainerMetrics", false)
                .condition("ScalingActive", "True"),
            answer: |pass| {
                let conditions = pass.trace.conditions.iter();
                let kinds: Vec<&str> = conditions
                    .map(|condition| condition.kind.as_str())
                    .collect();
                format!("{} {kinds:?}", pass.condition("ScalingActive"))
            },
            answers: vec![
                (
                    23,
                    r#"True/ValidMetricFound ["ScalingActive", "AbleToScale", "ScalingLimited"]"#,
                ),
                (
                    27,
                    r#"True/ScalingActive ["ScalingActive", "AbleToScale", ""]"#,
                ),
                (
                    30,
                    r#"True/ValidMetricFound ["ScalingActive", "AbleToScale", "ScalingLimited"]"#,
                ),
                (
                    37,
                    r#"True/ValidMetricFound ["ScalingActive", "AbleToScale", "ScalingLimited", "ScaledToZero"]"#,
                ),
            ],
        },
        Change {
            what: "HPAConfigurableTolerance switched on",
            case: near.clone().gate("HPAConfigurableTolerance", true),
            answer: proposal,
            answers: vec![(23, "20"), (33, "21")],
        },
        Change {
            what: "HPAConfigurableTolerance as it is",
            case: near.clone(),
            answer: proposal,
            answers: vec![(23, "20"), (35, "21")],
        },
        Change {
            what: "HPAConfigurableTolerance switched off",
            case: near.gate("HPAConfigurableTolerance", false),
            answer: proposal,
            answers: vec![(23, "20"), (37, "21")],
        },
        Change {
            what: "at zero, with a lower bound of zero",
            case: asleep.clone(),
            answer: zero,
            answers: vec![
                (23, "3 True/ValidMetricFound"),
                (36, "0 False/ScalingDisabled"),
            ],
        },
        Change {
            what: "at zero by itself, as the condition tells",
            case: asleep.condition("ScaledToZero", "True"),
            answer: zero,
            answers: vec![
                (23, "3 True/ValidMetricFound"),
                (36, "0 False/ScalingDisabled"), // the gate is off
                (37, "3 True/ValidMetricFound"),
            ],
        },
    ]
}
