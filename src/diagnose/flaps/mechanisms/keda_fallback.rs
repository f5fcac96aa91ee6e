//! KEDA answers with a made-up value while its source fails: the size goes to
//! `fallback.replicas` and back as the source comes and goes, or stays there.

use crate::diagnose::flaps::episode::{Episode, times};
use crate::diagnose::flaps::pass_facts::PassFacts;
use crate::trace::{Code, Fact, Mechanism, MechanismKind};

pub(super) fn tell(ground: &PassFacts) -> Option<Mechanism> {
    let mut mechanism = ground.told_by(MechanismKind::KedaFallback, Code::KedaFallback)?;
    // One that is over explains ups and downs, and nothing else.
    let is_over = ground.noted(Code::KedaFallback).is_none();
    if is_over && ground.flapping().is_none() {
        return None;
    }
    let arrivals = arrivals(ground);
    // Ups and downs that never went there are not by it.
    if arrivals.is_none() && ground.flapping().is_some_and(is_told_in_full) {
        return None;
    }
    mechanism.evidence.extend(arrivals);
    Some(mechanism)
}

/// Whether every change tells where it went.
fn is_told_in_full(episode: &Episode) -> bool {
    episode.all().all(|it| it.after.is_some())
}

/// How often the size arrived at what KEDA makes up.
fn arrivals(ground: &PassFacts) -> Option<Fact> {
    let object = ground.case.snapshot.scaled_object.as_ref()?;
    let bounds = ground.trace.bounds;
    let asked = object.spec.fallback.as_ref()?.replicas;
    let replicas = asked.min(bounds.max_replicas).max(bounds.min_replicas);
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
