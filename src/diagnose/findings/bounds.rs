//! What the bounds do to the size.

use crate::trace::{Code, Finding, Rule, Trace};

use super::Case;

/// The metrics ask for more than `maxReplicas`, or for just that.
pub(super) fn at_max(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let max = trace.bounds.max_replicas;
    let Some(asked) = asked(trace).filter(|_| trace.outcome.current_replicas == max) else {
        return;
    };
    if asked > max {
        let more = i64::from(asked) - i64::from(max);
        let message = format!("at maxReplicas {max}; the metrics ask for {asked}, {more} more");
        findings.push(
            Finding::new(Code::AtMax, message)
                .fact("spec.maxReplicas", max.to_string())
                .advice("raise maxReplicas if the cluster has the room, or make a pod do more"),
        );
    } else if asked == max {
        let message = format!("at maxReplicas {max}, which is just what the metrics ask for");
        findings.push(Finding::new(Code::AtMaxExactly, message));
    }
}

/// The metrics ask for less than `minReplicas`.
pub(super) fn at_min(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let min = trace.bounds.min_replicas;
    let Some(asked) = asked(trace).filter(|_| trace.outcome.current_replicas == min) else {
        return;
    };
    if asked < min {
        let message = format!("at minReplicas {min}; the metrics ask for {asked}: idle");
        findings.push(Finding::new(Code::AtMin, message));
    }
}

/// The recommendation, where the metrics decide.
fn asked(trace: &Trace) -> Option<i32> {
    let recommendation = trace.recommendation.as_ref()?;
    let decides = recommendation.rule == Rule::RecommendationLargest;
    recommendation.replicas.filter(|_| decides)
}
