//! The mechanisms, one file each: what names it, and the arithmetic.

mod another_writer;
mod edited_bounds;
mod metric_noise;
mod movement;
mod of_findings;
mod response;
mod rollout_surge;
mod short_window;
mod unreachable_target;
mod value_runaway;

use crate::trace::amount::target;
use crate::trace::{Effect, Mechanism, MechanismKind, short};

use super::pass_facts::PassFacts;

/// Looks for one mechanism.
type Tell = fn(&PassFacts) -> Option<Mechanism>;

/// What moves the size, or keeps it, whatever the load does.
const CAUSES: &[Tell] = &[
    of_findings::two_autoscalers,
    edited_bounds::tell,
    of_findings::keda_fallback,
    rollout_surge::tell,
    of_findings::startup_burst,
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
