//! The mechanisms, one file each: what names it, and the arithmetic. Those that a finding
//! tells of, each with what the ups and downs add, are here.

mod another_writer;
mod edited_bounds;
mod metric_noise;
mod movement;
mod response;
mod rollout_surge;
mod short_window;
mod unreachable_target;
mod value_runaway;

use super::pass_facts::{PassFacts, of_finding};
use crate::controller::{Switch, whole_seconds};
use crate::flaps::swings::{Episode, times};
use crate::trace::amount::target;
use crate::trace::{
    Code, Direction, Effect, Fact, Mechanism, MechanismKind, SizeChange, seconds_text, short,
};

/// Looks for one mechanism.
type Tell = fn(&PassFacts) -> Option<Mechanism>;

/// What moves the size, or keeps it, whatever the load does.
const CAUSES: &[Tell] = &[
    two_autoscalers,
    edited_bounds::tell,
    keda_fallback,
    rollout_surge::tell,
    startup_burst,
    value_runaway::tell,
    unreachable_target::tell,
];

/// Every mechanism that is at work, in the order in which they are told.
pub(super) fn mechanisms(facts: &PassFacts) -> Vec<Mechanism> {
    let causes = CAUSES.iter().filter_map(|tell| tell(facts));
    let mut found: Vec<Mechanism> = causes.collect();
    // The load is to blame for what nothing else explains.
    if found.is_empty() {
        found.extend(metric_noise::tell(facts).or_else(|| short_window::tell(facts)));
    }
    // Another HPA is another writer, and named already.
    let is_named = |it: &Mechanism| it.kind == MechanismKind::TwoAutoscalers;
    if found.iter().any(is_named) {
        return found;
    }
    // Whoever else writes the size does so beside all of this.
    let writer = another_writer::tell(facts);
    if writer.is_none() {
        let load = found
            .iter_mut()
            .find(|it| it.kind.does(Effect::FollowsLoad));
        if let Some((load, fact)) = load.zip(another_writer::few_writes(facts)) {
            load.evidence.push(fact);
        }
    }
    found.extend(writer);
    found.sort_by_key(|mechanism| mechanism.kind);
    let kinds: Vec<_> = found.iter().map(|it| it.kind).collect();
    for mechanism in &mut found {
        mechanism.similar.retain(|kind| !kinds.contains(kind));
    }
    found
}

/// `4.8%`, or `10%`.
fn percent(fraction: f64) -> String {
    format!("{}%", short(fraction * 100.0, 1))
}

/// What a load in pods is a load of: so many pods, each of them at the target.
fn unit(facts: &PassFacts) -> String {
    match facts.trace.metrics.as_slice() {
        [only] => format!(" at the target of {}, {}", only.source.name, target(only)),
        _ => " at the target".to_owned(),
    }
}

/// `11`, or `10.8`.
fn pods(load: f64) -> String {
    short(load, 1)
}

/// Several HPAs on the same pods: since 1.26 none of them scales, before that
/// each sets what its own metrics ask for.
fn two_autoscalers(facts: &PassFacts) -> Option<Mechanism> {
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
fn startup_burst(facts: &PassFacts) -> Option<Mechanism> {
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
    let is_rise = |it: &&&SizeChange| it.way == Some(Direction::Up);
    let rises = own.iter().filter(is_rise).count();
    let follow = own.windows(2).filter(|pair| {
        let is_soon = pair[1].to.duration_since(pair[0].to).as_nanos() < period;
        is_soon && pair.iter().all(|it| is_rise(&it))
    });
    let follow = follow.count();
    (follow > 0).then(|| {
        let within = seconds_text(whole_seconds(period));
        let says = format!(
            "{follow} of {rises} came within {within} of the one before, while its pods were still \
             starting"
        );
        Fact::new("rises", says)
    })
}

/// KEDA answers with a made-up value while its source fails: the size goes to
/// `fallback.replicas` and back as the source comes and goes, or stays there.
fn keda_fallback(facts: &PassFacts) -> Option<Mechanism> {
    let mut mechanism = facts.of_text(MechanismKind::KedaFallback, Code::KedaFallback)?;
    // One that is over explains ups and downs, and nothing else.
    let is_over = facts.noted(Code::KedaFallback).is_none();
    if is_over && facts.flapping().is_none() {
        return None;
    }
    let arrivals = arrivals(facts);
    let tells_all = |it: &Episode| it.all().all(|it| it.after.is_some());
    // Ups and downs that never went there are not by it.
    if arrivals.is_none() && facts.flapping().is_some_and(tells_all) {
        return None;
    }
    mechanism.evidence.extend(arrivals);
    Some(mechanism)
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
    let says = match count {
        0 => return None,
        1 => format!("the size went to {replicas}"),
        _ => format!("the size went to {replicas} {count} times"),
    };
    Some(Fact::new("fallback.replicas", says))
}
