//! Each pod alone is above the target, whatever the load: no number of pods
//! brings the average down, and the size goes to `maxReplicas`.

use crate::diagnose::flaps::ground::{Ground, advised, of_finding};
use crate::trace::{Code, End, Fact, Mechanism, MechanismKind};

use super::value_runaway::{climb, standing};

pub(super) fn tell(ground: &Ground) -> Option<Mechanism> {
    if let Some(finding) = ground.finding(Code::TargetUnreachable) {
        let is_at_max = ground.trace.outcome.current_replicas >= ground.trace.bounds.max_replicas;
        if !is_at_max && !ground.climbs() {
            return None;
        }
        let metric = ground.trace.prospects.as_ref()?.settling.as_ref()?.metric?;
        let mut mechanism = Mechanism {
            standing: standing(ground, metric)?,
            ..of_finding(MechanismKind::UnreachableTarget, finding)
        };
        mechanism.evidence.extend(climb(ground));
        return Some(mechanism);
    }
    cycle(ground)
}

/// No size satisfies the metrics under this very load: each asks for the
/// next, round and round.
fn cycle(ground: &Ground) -> Option<Mechanism> {
    ground.flapping()?;
    let settling = ground.trace.prospects.as_ref()?.settling.as_ref()?;
    if settling.end != End::Cycle {
        return None;
    }
    let sizes = settling.steps.iter().map(|step| step.replicas.to_string());
    let sizes: Vec<String> = sizes.collect();
    Some(Mechanism {
        evidence: vec![Fact {
            about: "sizes".to_owned(),
            says: format!("{}, round and round", sizes.join(" → ")),
        }],
        changes: vec![advised(
            "aim at a value per pod (AverageValue or Utilization)",
        )],
        ..Mechanism::known(
            MechanismKind::UnreachableTarget,
            "under a load that stays, no size satisfies the metrics: each asks for another",
        )
    })
}
