//! The load comes and goes, and the scaleDown window ends before it is back:
//! the size falls in each trough and rises again.

use crate::api::LONGEST_WINDOW_SECONDS;
use crate::diagnose::flaps::episode::Episode;
use crate::diagnose::flaps::pass_facts::{PassFacts, advised};
use crate::diagnose::flaps::windows::{self, change};
use crate::trace::{Change, Fact, Mechanism, MechanismKind, seconds_text};

use super::demand::Demand;
use super::metric_noise::OWN_TURNS;
use super::movement::Movement;
use super::percent;
use super::similar::looks_like;
use super::trough::Trough;

/// Windows are suggested in steps of so many seconds.
const STEP: i64 = 30;

pub(super) fn tell(ground: &PassFacts) -> Option<Mechanism> {
    let episode = ground.flapping()?;
    if episode.own_turns() < OWN_TURNS {
        return None;
    }
    let window = window(ground);
    let trough = outlasting(ground, episode)?;
    let longest = seconds_text(trough.seconds);
    let (back, average) = if trough.is_average() {
        ("within", " on average")
    } else {
        ("after up to", "")
    };
    let says = format!(
        "the high load is back {back} {longest}{average}, and the scaleDown window holds {}",
        seconds_text(window)
    );
    let mut evidence = vec![Fact {
        about: "trough".to_owned(),
        says: trough.arithmetic(),
    }];
    let kind = MechanismKind::ShortWindow;
    let demand = Demand::of(ground, episode);
    let mechanism = if let Some(movement) = Movement::of(ground, episode) {
        if demand.is_some_and(|demand| !movement.is_enough(&demand)) {
            return None;
        }
        evidence.push(movement.fact(ground));
        Mechanism::known(kind, says)
    } else {
        evidence.extend(demand.map(|demand| load(&demand)));
        looks_like(ground, kind, says)
    };
    Some(Mechanism {
        evidence,
        changes: vec![longer(ground, trough)],
        ..mechanism
    })
}

/// How far the load moves at the least.
fn load(demand: &Demand) -> Fact {
    let source = if demand.is_asked {
        "the metrics asked for"
    } else {
        "the sizes were"
    };
    Fact {
        about: "load".to_owned(),
        says: format!(
            "{source} {} to {}: it moves by at least {} either way of its middle",
            demand.least,
            demand.most,
            percent(demand.least_deviation())
        ),
    }
}

/// The longest trough, where it is longer than the window holds: a window that
/// holds for longer is not too short.
pub(super) fn outlasting(ground: &PassFacts, episode: &Episode) -> Option<Trough> {
    Trough::longest(ground, episode).filter(|it| it.seconds > window(ground))
}

/// The window that would have held the size through a trough, and one pass
/// more.
pub(super) fn longer(ground: &PassFacts, trough: Trough) -> Change {
    let pass = ground.case.settings.sync_period_seconds();
    let needed = trough.seconds.saturating_add(pass);
    let needed = needed.saturating_add(STEP - 1) / STEP * STEP;
    let longest = i64::from(LONGEST_WINDOW_SECONDS);
    if needed > longest {
        return advised(format!(
            "a window of {} would hold the size, and the API allows {}: let fewer pods go at a \
             time with a scaleDown policy",
            seconds_text(needed),
            seconds_text(longest)
        ));
    }
    let which = if trough.is_average() {
        "average"
    } else {
        "longest"
    };
    let says = format!(
        "a scaleDown window of {} in place of {} holds the size through the {which} trough",
        seconds_text(needed),
        seconds_text(window(ground)),
    );
    change(needed, says)
}

fn window(ground: &PassFacts) -> i64 {
    let spec = &ground.case.snapshot.horizontal_pod_autoscaler.spec;
    windows::window(spec, ground.case.settings)
}
