//! Something else sets the size, and the HPA sets it back. Who it is, the
//! finding about writers knows; the changes themselves tell that there is
//! somebody even where nobody left a name.

use crate::diagnose::flaps::episode::Episode;
use crate::diagnose::flaps::ground::{Ground, of_finding, suggested};
use crate::diagnose::flaps::legs::By;
use crate::trace::{
    Code, Fact, Mechanism, MechanismKind, Remedy, SizeChange, Standing, Way, seconds_text,
};

/// A single write that the HPA has taken back is over.
const WRITES: usize = 2;
/// Fewer than one in so many changes are beside the point.
const SHARE: usize = 5;
/// So often the HPA must have gone one way, without ever going back itself.
const ARRIVALS: u32 = 3;
/// More changes by others are not named one by one.
const MOST: usize = 3;

pub(super) fn tell(ground: &Ground) -> Option<Mechanism> {
    let episode = ground.flapping()?;
    let is_kedas = ground
        .case
        .snapshot
        .horizontal_pod_autoscaler
        .scaled_object()
        .is_some();
    // Of single writes it is a note only; who they are by is told all the
    // same.
    let finding = ground.noted(Code::ReplicasWriter);
    let arrivals = arrivals(episode).filter(|_| !is_kedas);
    let out_of_bounds = out_of_bounds(episode).filter(|_| !is_kedas);
    let writes = episode.writes();
    // KEDA takes its target to 0 and back, which is no fight.
    let is_known = finding.is_some() || !is_kedas;
    let is_much = is_known && writes >= WRITES && writes * SHARE >= episode.legs.len();
    if !is_much && arrivals.is_none() && out_of_bounds.is_none() {
        return None;
    }
    let mut mechanism = match finding {
        Some(finding) => of_finding(MechanismKind::AnotherWriter, finding),
        None => nameless(ground),
    };
    let told = [counts(episode), arrivals, out_of_bounds];
    mechanism.evidence.splice(0..0, told.into_iter().flatten());
    Some(mechanism)
}

/// What others did beside another mechanism: too little to be one itself.
pub(super) fn beside(ground: &Ground) -> Option<Fact> {
    let episode = ground.episode.as_ref()?;
    let mut fact = counts(episode)?;
    let others = episode.moves.iter().filter(|it| !it.is_own);
    let told = others.take(MOST).filter_map(|it| {
        let from = it
            .before
            .map_or_else(String::new, |from| format!("{from} to "));
        let ago = ground.trace.at.duration_since(it.from).as_secs().max(0);
        Some(format!("{from}{}, {} ago", it.after?, seconds_text(ago)))
    });
    let told: Vec<String> = told.collect();
    if !told.is_empty() {
        fact.says = format!("{}: {}", fact.says, told.join("; "));
    }
    if let Some(finding) = ground.noted(Code::ReplicasWriter) {
        fact.says = format!("{}; {}", fact.says, finding.message);
    }
    Some(fact)
}

/// How many of the changes are not the HPA's.
fn counts(episode: &Episode) -> Option<Fact> {
    let writes = episode.writes();
    let of = |by| episode.legs.iter().filter(|leg| leg.by == by).count();
    let unseen = match of(By::Unseen) {
        0 => String::new(),
        unseen => format!(
            "; {unseen} of them nobody reported, but the HPA's next change cannot follow its last"
        ),
    };
    (writes > 0).then(|| Fact {
        about: "changes".to_owned(),
        says: format!(
            "{writes} of {} are not the HPA's{unseen}",
            episode.legs.len()
        ),
    })
}

/// The HPA arrives at one size again and again, and never leaves it itself.
fn arrivals(episode: &Episode) -> Option<Fact> {
    let (up, down) = (episode.own(Way::Up), episode.own(Way::Down));
    let (ways, count) = match (up, down) {
        (up, 0) if up >= ARRIVALS => (["up", "down"], up),
        (0, down) if down >= ARRIVALS => (["down", "up"], down),
        _ => return None,
    };
    let own = episode.moves.iter().chain(&episode.untold);
    let mut sizes = own.filter(|it| it.is_own).map(|it| it.after);
    let size = sizes.next()??;
    sizes.all(|other| other == Some(size)).then(|| Fact {
        about: "changes by the HPA".to_owned(),
        says: format!(
            "{count} times {} to {size} and never {}: somebody else took it back in between",
            ways[0], ways[1]
        ),
    })
}

/// The size lay outside the bounds, where no metric puts it.
fn out_of_bounds(episode: &Episode) -> Option<Fact> {
    let is_outside = |it: &&SizeChange| it.reason.starts_with("Current number of replicas");
    let all = episode.moves.iter().chain(&episode.untold);
    let outside = all.filter(is_outside).map(|it| it.count);
    let count = outside.fold(0, u32::saturating_add);
    (count >= 2).then(|| Fact {
        about: "changes by the HPA".to_owned(),
        says: format!(
            "{count} times because the size lay outside the bounds, where no metric puts it"
        ),
    })
}

fn nameless(ground: &Ground) -> Mechanism {
    let trace = ground.trace;
    let command = format!(
        "kubectl get {} {} -o yaml --show-managed-fields",
        trace.target_argument(),
        trace.namespace_argument()
    );
    Mechanism {
        kind: MechanismKind::AnotherWriter,
        standing: Standing::Known,
        alike: Vec::new(),
        says: format!(
            "somebody else sets the size of {}; nothing that could be read names him",
            trace.target_name()
        ),
        evidence: Vec::new(),
        changes: vec![suggested(Remedy {
            says: "see who owns spec.replicas; no behavior of the HPA helps against another writer"
                .to_owned(),
            command: crate::trace::is_pasteable(&command).then_some(command),
            patch: None,
        })],
    }
}
