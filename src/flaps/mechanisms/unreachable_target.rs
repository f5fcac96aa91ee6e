//! Each pod alone is above the target, whatever the load: no number of pods
//! brings the average down, and the size goes to `maxReplicas`.

use super::response::Response;
use super::value_runaway::{climb, climbing};
use crate::flaps::pass_facts::{PassFacts, advised};
use crate::trace::amount::target;
use crate::trace::{Code, End, Fact, Mechanism, MechanismKind, Standing};

pub(super) fn tell(facts: &PassFacts) -> Option<Mechanism> {
    if let Some(finding) = facts.finding(Code::TargetUnreachable) {
        let is_at_max = facts.trace.outcome.current_replicas >= facts.trace.bounds.max_replicas;
        if !is_at_max && !facts.climbs() {
            return None;
        }
        return climbing(facts, MechanismKind::UnreachableTarget, finding);
    }
    idle(facts).or_else(|| cycle(facts))
}

/// Below so many percent of what they request, pods have room to do more.
const ROOM: i32 = 50;

/// At `maxReplicas`, and what a pod uses is little, above the target all the
/// same, and did not fall as pods were added: so idle pods look.
fn idle(facts: &PassFacts) -> Option<Mechanism> {
    let trace = facts.trace;
    let max = trace.bounds.max_replicas;
    let is_at_max = trace.outcome.current_replicas >= max && trace.recommended() > Some(max);
    let metric = trace
        .winner()
        .filter(|it| is_at_max && it.is_of_resource())?;
    let percent = metric.measured.as_ref()?.utilization?;
    let keeps_load = Response::measured(facts, metric.index) == Some(Response::Stays);
    if percent >= ROOM || !keeps_load {
        return None;
    }
    let name = &metric.source.name;
    let says = format!(
        "{name} is at {percent}% of the request (target {}); it did not fall as pods were added, \
         and the size stays at maxReplicas {max}",
        target(metric)
    );
    Some(Mechanism {
        standing: Standing::Inferred,
        evidence: climb(facts).into_iter().collect(),
        changes: vec![advised(
            "set the target well above what an idle pod uses, or lower the request",
        )],
        ..Mechanism::known(MechanismKind::UnreachableTarget, says)
    })
}

/// No size satisfies the metrics under this very load: each asks for the
/// next, round and round.
fn cycle(facts: &PassFacts) -> Option<Mechanism> {
    facts.flapping()?;
    let settling = facts.trace.prospects.as_ref()?.settling.as_ref()?;
    if settling.end != End::Cycle {
        return None;
    }
    let sizes = settling.steps.iter().map(|step| step.replicas.to_string());
    let sizes = sizes.collect::<Vec<_>>().join(" → ");
    Some(Mechanism {
        evidence: vec![Fact::new("sizes", format!("{sizes}, again and again"))],
        changes: vec![advised(
            "use a target per pod (AverageValue or Utilization)",
        )],
        ..Mechanism::known(
            MechanismKind::UnreachableTarget,
            "even under a constant load, no size satisfies the metrics: each size leads to another",
        )
    })
}
