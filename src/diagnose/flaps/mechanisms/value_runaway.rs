//! A target of type Value is compared with the whole metric: where that does
//! not fall as pods are added, the same ratio multiplies the size at every
//! pass, up to `maxReplicas`.

use crate::diagnose::flaps::ground::{Ground, of_finding};
use crate::trace::{Code, Fact, Mechanism, MechanismKind, Way};

pub(super) fn tell(ground: &Ground) -> Option<Mechanism> {
    // A climb is a runaway only if it leads there; one rise is none yet.
    let finding = match ground.finding(Code::ValueForAverage) {
        Some(finding) => finding,
        None => ground
            .noted(Code::ValueForAverage)
            .filter(|_| ground.climbs())?,
    };
    let mut mechanism = of_finding(MechanismKind::ValueRunaway, finding);
    mechanism.evidence.extend(climb(ground));
    Some(mechanism)
}

/// The sizes on the way up.
pub(super) fn climb(ground: &Ground) -> Option<Fact> {
    let episode = ground.episode.as_ref()?;
    if episode.own(Way::Down) > 0 || episode.own(Way::Up) < 2 {
        return None;
    }
    let first = episode.moves.first()?.before;
    let sizes = episode.moves.iter().filter_map(|it| it.after);
    let sizes: Vec<String> = first
        .into_iter()
        .chain(sizes)
        .map(|size| size.to_string())
        .collect();
    Some(Fact {
        about: "sizes".to_owned(),
        says: format!("{}, and never down", sizes.join(" → ")),
    })
}
