//! Pods use more cpu while they start than later: once they count, they ask
//! for more pods, which start in turn; and when all have warmed up, there are
//! too many.

use crate::controller::whole_seconds;
use crate::diagnose::flaps::pass_facts::PassFacts;
use crate::trace::{Code, Direction, Fact, Mechanism, MechanismKind, seconds_text};

pub(super) fn tell(ground: &PassFacts) -> Option<Mechanism> {
    ground.flapping()?;
    let mut mechanism = ground.told_by(MechanismKind::StartupBurst, Code::StartupBurst)?;
    mechanism.evidence.extend(in_a_row(ground));
    Some(mechanism)
}

/// How many rises came while the pods of the one before them were still
/// young.
fn in_a_row(ground: &PassFacts) -> Option<Fact> {
    let period = ground.case.settings.cpu_initialization_period;
    let episode = ground.episode.as_ref()?;
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
    (follow > 0).then(|| Fact {
        about: "rises".to_owned(),
        says: format!(
            "{follow} of {rises} came within {} of another, while its pods were young",
            seconds_text(whole_seconds(period))
        ),
    })
}
