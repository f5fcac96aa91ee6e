//! Pods without numbers turn the answer into none.

use crate::trace::amount::plural;
use crate::trace::amount::{counted, now};
use crate::trace::{Code, Finding, Premise, Severity, Trace};

use super::Case;
use super::words::{MOST, alone, on_pod};

/// What the counted pods ask for comes to nothing, because others that give
/// no number are filled in.
pub(super) fn dampened(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let Some(metric) = trace.dampened() else {
        return;
    };
    let (Some(measured), Some(filled)) = (&metric.measured, &metric.filled_in) else {
        return;
    };
    let silent: Vec<_> = metric.filled_in_pods().collect();
    let groups = metric.groups.unwrap_or_default();
    let pods = groups.selected - groups.ignored;
    let verb = plural(silent.len(), "gives", "give");
    let message = format!(
        "{} of {} {verb} no number: the others put {} at {}, filled in it is {}, so the size \
         stays at {}",
        silent.len(),
        counted(pods, "pod"),
        metric.source.name,
        now(metric, measured),
        now(metric, &filled.measured),
        trace.outcome.current_replicas
    );
    let mut finding = Finding::new(Code::Dampened, message);
    for pod in silent.iter().take(MOST) {
        finding = finding.fact(format!("Pod/{}", pod.name), pod.rule.says());
    }
    for one in trace
        .prospects
        .iter()
        .flat_map(|found| &found.counterfactuals)
    {
        let about = match &one.premise {
            Premise::OneCounts { pod } => format!("if {pod} counted like the others"),
            Premise::AllCount { .. } => "if all counted and shared the load".to_owned(),
            Premise::WithoutForeignPods { .. } | Premise::AverageInPlaceOfValue { .. } => continue,
        };
        if let Some(replicas) = one.proposal {
            let asked = alone(trace, metric, replicas);
            finding = finding.fact(
                about,
                format!("{} would ask for {asked}", metric.source.name),
            );
        }
    }
    // Time alone makes some of them count.
    let Some(first) = silent.iter().find(|pod| pod.until.is_none()) else {
        findings.push(finding.at_most(Severity::Info));
        return;
    };
    let command = on_pod(trace, "describe", &first.name);
    findings.push(finding.command("shows why a pod gives no number", command));
}
