//! A target of type Value is compared with the whole metric: where that does
//! not fall as pods are added, the same ratio multiplies the size at every
//! pass, up to `maxReplicas`; and when the metric is low again, all of them go
//! at once.

use super::response::{Response, Rise, climbs, is_one_factor, steps};
use crate::api::TargetKind;
use crate::findings::average_in_place_of_value;
use crate::flaps::pass_facts::{PassFacts, of_finding, suggested};
use crate::trace::amount::counted;
use crate::trace::{
    Code, Direction, Fact, Finding, Mechanism, MechanismKind, MetricRecord, SizeChange, Standing,
};

/// A climb of so many steps shows their factor.
const STEPS: usize = 2;
/// So many climbs, or one of so many steps, are no accident.
const CLIMBS: usize = 2;
const LONG: usize = 3;

pub(super) fn tell(facts: &PassFacts) -> Option<Mechanism> {
    up(facts).or_else(|| up_and_down(facts))
}

/// On its way to `maxReplicas`, or there.
fn up(facts: &PassFacts) -> Option<Mechanism> {
    // A climb is a runaway only if it leads there; one rise is none yet.
    let noted = || {
        facts
            .noted(Code::ValueForAverage)
            .filter(|_| facts.climbs())
    };
    let finding = facts.finding(Code::ValueForAverage).or_else(noted)?;
    let mut mechanism = climbing(facts, MechanismKind::ValueRunaway, finding)?;
    if mechanism.standing == Standing::Known {
        let says = "it did not fall as pods were added";
        mechanism.evidence.push(Fact::new("in the record", says));
    }
    Some(mechanism)
}

/// What a finding tells of a metric that does not fall as pods are added, and how
/// sure that is; nothing where it does fall.
pub(super) fn climbing(
    facts: &PassFacts,
    kind: MechanismKind,
    finding: &Finding,
) -> Option<Mechanism> {
    let metric = facts.trace.prospects.as_ref()?.settling.as_ref()?.metric?;
    let mut mechanism = of_finding(kind, finding);
    mechanism.standing = match Response::of(facts, metric) {
        Response::Falls => return None,
        Response::Stays => Standing::Known,
        Response::Unknown => Standing::Inferred,
    };
    mechanism.evidence.extend(climb(facts));
    Some(mechanism)
}

/// Up by the same factor again and again, and all the way down in between.
fn up_and_down(facts: &PassFacts) -> Option<Mechanism> {
    let episode = facts.flapping()?;
    if episode.own(Direction::Down) == 0 {
        return None;
    }
    let metrics = facts.trace.metrics.iter();
    let mut whole = metrics.filter(|it| it.is_aimed_at(TargetKind::Value));
    whole.find_map(|metric| multiplied(facts, metric))
}

fn multiplied(facts: &PassFacts, metric: &MetricRecord) -> Option<Mechanism> {
    let is_of_it = |climb: &&Vec<Rise>| {
        let mut metrics = climb.iter().map(|it| it.change.reason.metric());
        climb.len() >= STEPS && metrics.all(|it| it == Some(metric.source.name.as_str()))
    };
    let climbs: Vec<Vec<Rise>> = climbs(facts).iter().filter(is_of_it).cloned().collect();
    let longest = climbs.iter().max_by_key(|climb| climb.len())?;
    if climbs.len() < CLIMBS && longest.len() < LONG {
        return None;
    }
    let is_one = |climb: &Vec<Rise>| is_one_factor(&steps(facts, climb), None);
    if !climbs.iter().all(is_one) {
        return None;
    }
    // What is measured now is the end of it.
    let standing = match Response::measured(facts, metric.index) {
        Some(Response::Falls) => return None,
        Some(_) => Standing::Known,
        None => Standing::Inferred,
    };
    let name = &metric.source.name;
    let says = format!(
        "{name} is compared with its target as a whole, whatever the size: while it is above, \
         each pass multiplies the size by the same factor; when it is below, the size falls all \
         the way back"
    );
    let similar = match standing {
        Standing::Known => Vec::new(),
        Standing::Inferred => vec![MechanismKind::ShortWindow],
    };
    let remedy = average_in_place_of_value(facts.case, facts.trace, metric);
    let sizes = sizes(longest.first()?.before, longest.iter().map(|it| it.change));
    let climbs = counted(climbs.len(), "such climb");
    Some(Mechanism {
        standing,
        similar,
        evidence: vec![Fact::new("sizes", format!("{sizes} ({climbs})"))],
        changes: vec![suggested(remedy)],
        ..Mechanism::known(MechanismKind::ValueRunaway, says)
    })
}

/// The sizes on the way up.
pub(super) fn climb(facts: &PassFacts) -> Option<Fact> {
    let episode = facts.episode.as_ref()?;
    if episode.own(Direction::Down) > 0 || episode.own(Direction::Up) < 2 {
        return None;
    }
    let sizes = sizes(episode.moves.first()?.before, episode.moves.iter());
    Some(Fact::new("sizes", format!("{sizes}, never down")))
}

/// One after the other.
fn sizes<'m>(first: Option<i32>, moves: impl Iterator<Item = &'m SizeChange>) -> String {
    let sizes = first.into_iter().chain(moves.filter_map(|it| it.after));
    let sizes: Vec<String> = sizes.map(|size| size.to_string()).collect();
    sizes.join(" → ")
}
