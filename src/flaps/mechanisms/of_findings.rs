//! Mechanisms that a finding tells of, each with what the ups and downs add.

use crate::controller::{Switch, whole_seconds};
use crate::flaps::pass_facts::{PassFacts, of_finding};
use crate::flaps::swings::{Episode, times};
use crate::trace::{Code, Direction, Fact, Mechanism, MechanismKind, seconds_text};

/// Several HPAs on the same pods: since 1.26 none of them scales, before that
/// each sets what its own metrics ask for.
pub(super) fn two_autoscalers(facts: &PassFacts) -> Option<Mechanism> {
    let finding = facts.finding(Code::AmbiguousSelector)?;
    if !facts.case.settings.release.has(Switch::AmbiguousSelector) {
        // They can agree, too.
        facts.flapping()?;
    }
    Some(of_finding(MechanismKind::TwoAutoscalers, finding))
}

/// Pods use more cpu while they start than later: once they count, they ask
/// for more pods, which start in turn; and when all have warmed up, there are
/// too many.
pub(super) fn startup_burst(facts: &PassFacts) -> Option<Mechanism> {
    facts.flapping()?;
    let mut mechanism = facts.of_text(MechanismKind::StartupBurst, Code::StartupBurst)?;
    mechanism.evidence.extend(in_a_row(facts));
    Some(mechanism)
}

/// How many rises came while the pods of the one before them were still
/// young.
fn in_a_row(facts: &PassFacts) -> Option<Fact> {
    let period = facts.case.settings.cpu_initialization_period;
    let episode = facts.episode.as_ref()?;
    let own = episode.moves.iter().filter(|it| it.is_by_hpa());
    let own: Vec<_> = own.collect();
    let rises = own
        .iter()
        .filter(|it| it.way == Some(Direction::Up))
        .count();
    let follow = own.windows(2).filter(|pair| {
        let is_rise = pair.iter().all(|it| it.way == Some(Direction::Up));
        is_rise && pair[1].to.duration_since(pair[0].to).as_nanos() < period
    });
    let follow = follow.count();
    (follow > 0).then(|| {
        Fact::new(
            "rises",
            format!(
                "{follow} of {rises} came within {} of the one before, while its pods were still \
                 starting",
                seconds_text(whole_seconds(period))
            ),
        )
    })
}

/// KEDA answers with a made-up value while its source fails: the size goes to
/// `fallback.replicas` and back as the source comes and goes, or stays there.
pub(super) fn keda_fallback(facts: &PassFacts) -> Option<Mechanism> {
    let mut mechanism = facts.of_text(MechanismKind::KedaFallback, Code::KedaFallback)?;
    // One that is over explains ups and downs, and nothing else.
    let is_over = facts.noted(Code::KedaFallback).is_none();
    if is_over && facts.flapping().is_none() {
        return None;
    }
    let arrivals = arrivals(facts);
    // Ups and downs that never went there are not by it.
    if arrivals.is_none() && facts.flapping().is_some_and(is_complete) {
        return None;
    }
    mechanism.evidence.extend(arrivals);
    Some(mechanism)
}

/// Whether every change tells where it went.
fn is_complete(episode: &Episode) -> bool {
    episode.all().all(|it| it.after.is_some())
}

/// How often the size arrived at what KEDA makes up.
fn arrivals(facts: &PassFacts) -> Option<Fact> {
    let object = facts.case.snapshot.scaled_object.as_ref()?;
    let bounds = facts.trace.bounds;
    let recommended = object.spec.fallback.as_ref()?.replicas;
    let replicas = recommended
        .min(bounds.max_replicas)
        .max(bounds.min_replicas);
    let episode = facts.episode.as_ref()?;
    let count = times(episode.all().filter(|it| it.after == Some(replicas)));
    (count > 0).then(|| {
        Fact::new(
            "fallback.replicas",
            match count {
                1 => format!("the size went to {replicas}"),
                _ => format!("the size went to {replicas} {count} times"),
            },
        )
    })
}
