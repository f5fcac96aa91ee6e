//! Something else sets the size, and the HPA sets it back. Who it is, the
//! finding about writers knows; the changes themselves tell that there is
//! somebody even where nobody left a name.

use std::collections::BTreeSet;

use super::edited_bounds::is_by_edit;
use crate::flaps::pass_facts::{PassFacts, of_finding, suggested};
use crate::flaps::swings::{By, Episode, WRITES, times};
use crate::trace::amount::plural;
use crate::trace::{
    Code, Direction, Fact, Finding, Mechanism, MechanismKind, Remedy, Severity, SizeChange,
    Standing,
};

/// Fewer than one in so many changes are beside the point.
const SHARE: usize = 5;
/// So often the HPA must have gone one way, without ever going back itself.
const ARRIVALS: u32 = 3;
/// More changes by others are not named one by one.
const MOST: usize = 3;

pub(super) fn tell(facts: &PassFacts) -> Option<Mechanism> {
    let episode = facts.flapping()?;
    let is_kedas = facts.case.snapshot.is_by_keda();
    // Of single writes it is a note only; who they are by is told all the
    // same.
    let finding = writer(facts);
    let is_complete = facts.is_complete(episode);
    let arrivals = arrivals(episode, is_complete).filter(|_| !is_kedas);
    let out_of_bounds = out_of_bounds(facts, episode).filter(|_| !is_kedas);
    let writes = episode.writes();
    // KEDA takes its target to 0 and back, which is no fight.
    let is_fight = finding.is_some() || !is_kedas;
    let is_much = is_fight
        && writes >= WRITES
        && (is_often(episode, writes)
            || moves_much(episode, &|it| it.is_own == Some(false), is_complete));
    let possible = episode.possible_writes();
    let looks_so = is_fight
        && possible >= WRITES
        && (is_often(episode, possible) || moves_much(episode, &|it| !it.is_by_hpa(), true))
        && (finding.is_some() || is_strange(episode));
    if !is_much && !looks_so && arrivals.is_none() && out_of_bounds.is_none() {
        return None;
    }
    // What events do not tell may have been dropped, and bounds edited.
    let is_reported = finding.iter().any(|it| it.severity > Severity::Info);
    let is_known = is_much
        || (is_reported && writes >= WRITES)
        || (arrivals.is_some() && is_complete)
        || (out_of_bounds.is_some() && bounds_stayed(facts, episode));
    // The finding counts those that were reported itself.
    let is_counted = finding.is_some() && episode.writes_by(By::Other) >= WRITES;
    let counts = counts(episode).filter(|_| !is_counted);
    let mut mechanism = match finding {
        Some(finding) => of_finding(MechanismKind::AnotherWriter, &finding),
        None => nameless(facts, is_known),
    };
    if !is_known {
        let bounds = out_of_bounds.iter().map(|_| MechanismKind::EditedBounds);
        let load = [MechanismKind::MetricNoise, MechanismKind::ShortWindow];
        let is_load = arrivals.is_some() || looks_so;
        mechanism.standing = Standing::Inferred;
        mechanism.similar = bounds.chain(load.into_iter().filter(|_| is_load)).collect();
    }
    let reported = [counts, arrivals, out_of_bounds].into_iter().flatten();
    let evidence = &mut mechanism.evidence;
    evidence.splice(0..0, reported);
    evidence.extend(facts.sighted(Code::ReplicasWriter));
    Some(mechanism)
}

/// Who it is: by the inputs of now, or, where these have no name, by those of
/// an earlier pass.
fn writer(facts: &PassFacts) -> Option<Finding> {
    let noted = facts.noted(Code::ReplicasWriter);
    let is_named = |it: &&Finding| it.writer.is_some();
    // When it was, it says of that moment.
    let earlier = || {
        let found = facts.earlier(Code::ReplicasWriter)?;
        Some(Finding {
            message: found.writer.clone()?,
            ..found.clone()
        })
    };
    let named = noted.filter(is_named).cloned();
    named.or_else(earlier).or_else(|| noted.cloned())
}

/// Whether enough of the changes are by others.
fn is_often(episode: &Episode, writes: usize) -> bool {
    writes * SHARE >= episode.trends.len()
}

/// Whether the size went, again and again, where no rescale that is told of
/// ever took it.
fn is_strange(episode: &Episode) -> bool {
    let own = || episode.all().filter(|it| it.is_by_hpa());
    // Of one rescale alone nothing follows: the status has it without any event.
    if own().filter(|it| it.after.is_some()).count() < WRITES {
        return false;
    }
    let sizes: BTreeSet<i32> = own().filter_map(|it| it.after).collect();
    let others = episode.moves.iter().filter(|it| !it.is_by_hpa());
    let strange = others.filter(|it| it.after.is_some_and(|size| !sizes.contains(&size)));
    let open = times(own().filter(|it| it.after.is_none()));
    let strange = strange.count();
    strange >= WRITES && u32::try_from(strange).is_ok_and(|strange| strange > open)
}

/// Whether others moved enough of the pods that came and went; what nobody
/// reported is theirs only where the HPA's changes are all told.
fn moves_much(
    episode: &Episode,
    is_by_others: &dyn Fn(&SizeChange) -> bool,
    with_unreported: bool,
) -> bool {
    let apart = |one: i32, other: i32| i64::from(one).abs_diff(i64::from(other));
    let (mut all, mut by_others) = (0_u64, 0_u64);
    let mut last = None;
    for change in &episode.moves {
        let before = change.before.or(last);
        // What nobody reported moved the size in between.
        let unreported = last.zip(before).map_or(0, |(one, other)| apart(one, other));
        let moved = before.zip(change.after);
        let moved = moved.map_or(0, |(one, other)| apart(one, other));
        all += unreported + moved;
        by_others += if with_unreported { unreported } else { 0 };
        by_others += if is_by_others(change) { moved } else { 0 };
        last = change.after;
    }
    let share = u64::try_from(SHARE).unwrap_or(u64::MAX);
    by_others > 0 && by_others.saturating_mul(share) >= all
}

/// What others did beside another mechanism: too little to be one itself.
pub(super) fn few_writes(facts: &PassFacts) -> Option<Fact> {
    let episode = facts.episode.as_ref()?;
    let mut fact = counts(episode).filter(|_| episode.writes() > 0)?;
    let others = episode.moves.iter().filter(|it| it.is_own == Some(false));
    let reported = others.take(MOST).filter_map(|it| {
        let from = it.before.map_or_else(String::new, |it| format!("{it} to "));
        Some(format!("{from}{}, {}", it.after?, facts.ago(it.from)))
    });
    let reported: Vec<String> = reported.collect();
    if !reported.is_empty() {
        fact.says = format!("{}: {}", fact.says, reported.join("; "));
    }
    // Without a name it says the same.
    let finding = facts.noted(Code::ReplicasWriter);
    if let Some(finding) = finding.filter(|it| it.writer.is_some()) {
        fact.says = format!("{}; {}", fact.says, finding.message);
    }
    Some(fact)
}

/// How many of the changes are not the HPA's.
fn counts(episode: &Episode) -> Option<Fact> {
    let writes = episode.writes();
    let unreported = match episode.writes_by(By::Unreported) {
        0 => String::new(),
        unreported => format!(
            "; {unreported} of them {} no event, but the HPA's next change cannot follow its last",
            plural(unreported, "has", "have")
        ),
    };
    let possible = episode.possible_writes();
    let all = episode.trends.len();
    let says = match (writes, possible) {
        (0, 0) => return None,
        (0, _) => format!(
            "{possible} of {all} may not be the HPA's: no event of the HPA shows {}, but events can \
             be dropped",
            plural(possible, "it", "them")
        ),
        _ => format!(
            "{}{writes} of {all} {} not the HPA's{unreported}",
            if possible > writes { "at least " } else { "" },
            plural(writes, "is", "are")
        ),
    };
    Some(Fact::new("changes", says))
}

/// The HPA arrives at one size again and again, and never leaves it itself.
fn arrivals(episode: &Episode, is_complete: bool) -> Option<Fact> {
    let own = || episode.all().filter(|it| it.is_by_hpa());
    let (up, down) = (episode.own(Direction::Up), episode.own(Direction::Down));
    let count = times(own());
    let size = own().next()?.after?;
    let is_one = own().all(|it| it.after == Some(size));
    if count < ARRIVALS || !is_one || (up > 0 && down > 0) {
        return None;
    }
    let ways = match (up, down) {
        (0, 0) => format!("to {size} and never away from it"),
        (_, 0) => format!("up to {size} and never down"),
        _ => format!("down to {size} and never up"),
    };
    let how = if is_complete {
        "another writer moved it back in between"
    } else {
        "it went back in between, and no event of the HPA shows that"
    };
    let says = format!("{count} times {ways}: {how}");
    Some(Fact::new("changes by the HPA", says))
}

/// The size lay outside the bounds, where no metric puts it.
fn out_of_bounds(facts: &PassFacts, episode: &Episode) -> Option<Fact> {
    // An edit of the bounds is another matter.
    let is_outside = |it: &&SizeChange| it.reason.is_outside() && !is_by_edit(it, facts);
    let count = times(episode.all().filter(is_outside));
    let why = "because the size was outside the bounds, where no metric puts it";
    (count >= 2).then(|| Fact::new("changes by the HPA", format!("{count} times {why}")))
}

/// Whether the bounds are those of the whole time.
fn bounds_stayed(facts: &PassFacts, episode: &Episode) -> bool {
    let since = episode.swing.since;
    let hpa = &facts.case.hpa();
    let is_unedited = hpa.spec_written().is_some_and(|at| at <= since);
    let observed = facts.case.moves.bounds.first();
    is_unedited || observed.is_some_and(|(at, _)| *at <= since)
}

fn nameless(facts: &PassFacts, is_known: bool) -> Mechanism {
    let trace = facts.trace;
    let sets = if is_known { "sets" } else { "may set" };
    let says = format!(
        "another writer {sets} the size of {}; its name could not be read",
        trace.target_name()
    );
    Mechanism {
        changes: vec![suggested(Remedy {
            command: trace.see_managers().pasteable(),
            looks: true,
            ..Remedy::advice(
                "check which field manager owns spec.replicas; no HPA behavior helps against another writer",
            )
        })],
        ..Mechanism::known(MechanismKind::AnotherWriter, says)
    }
}
