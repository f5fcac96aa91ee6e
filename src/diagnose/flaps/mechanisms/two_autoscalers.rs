//! Several HPAs on the same pods: since 1.26 none of them scales, before that
//! each sets what its own metrics ask for.

use crate::controller::Switch;
use crate::diagnose::flaps::ground::{Ground, advised, of_finding};
use crate::trace::{Code, Fact, Mechanism, MechanismKind, Rule};

pub(super) fn tell(ground: &Ground) -> Option<Mechanism> {
    if let Some(finding) = ground.finding(Code::AmbiguousSelector) {
        return Some(of_finding(MechanismKind::TwoAutoscalers, finding));
    }
    fight(ground)
}

/// Before 1.26 nothing forbids it: the rule of 1.26 tells who is concerned.
fn fight(ground: &Ground) -> Option<Mechanism> {
    ground.flapping()?;
    if ground.case.settings.release.has(Switch::AmbiguousSelector) {
        return None;
    }
    let judged = ground.case.with_rule(Switch::AmbiguousSelector);
    let selector = judged.selector.as_ref();
    let selector = selector.filter(|it| it.rule == Rule::SelectorAmbiguous)?;
    let own = format!("{}/{}", ground.trace.namespace, ground.trace.name);
    let others: Vec<&str> = selector
        .autoscalers
        .iter()
        .filter(|name| **name != own)
        .map(String::as_str)
        .collect();
    let says = format!(
        "{} selects the same pods, and each HPA sets what its own metrics ask for",
        others.join(" and ")
    );
    Some(Mechanism {
        kind: MechanismKind::TwoAutoscalers,
        says,
        evidence: vec![Fact {
            about: "status.selector".to_owned(),
            says: selector.selector.clone(),
        }],
        changes: vec![advised(
            "on one target, merge them into one HPA with several metrics: the highest counts",
        )],
    })
}
