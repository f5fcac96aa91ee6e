//! KEDA answers with a made-up value while its source fails: the size goes to
//! `fallback.replicas` and back as the source comes and goes, or stays there.

use crate::diagnose::flaps::episode::times;
use crate::diagnose::flaps::ground::{Ground, of_finding};
use crate::trace::{Code, Fact, Mechanism, MechanismKind};

pub(super) fn tell(ground: &Ground) -> Option<Mechanism> {
    let finding = ground.finding(Code::KedaFallback)?;
    // One that is over explains ups and downs, and nothing else.
    let is_over = ground.noted(Code::KedaFallback).is_none();
    if is_over && ground.flapping().is_none() {
        return None;
    }
    let mut mechanism = of_finding(MechanismKind::KedaFallback, finding);
    mechanism
        .evidence
        .extend(ground.sighted(Code::KedaFallback));
    mechanism.evidence.extend(arrivals(ground));
    Some(mechanism)
}

/// How often the size arrived at what KEDA makes up.
fn arrivals(ground: &Ground) -> Option<Fact> {
    let object = ground.case.snapshot.scaled_object.as_ref()?;
    let replicas = object.spec.fallback.as_ref()?.replicas;
    let episode = ground.episode.as_ref()?;
    let count = times(episode.all().filter(|it| it.after == Some(replicas)));
    (count > 0).then(|| Fact {
        about: "fallback.replicas".to_owned(),
        says: match count {
            1 => format!("the size went to {replicas}"),
            _ => format!("the size went to {replicas} {count} times"),
        },
    })
}
