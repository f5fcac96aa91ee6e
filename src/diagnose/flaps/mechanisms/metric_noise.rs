//! The load hardly moves, but it crosses the tolerance: what the metric shows
//! differs from pass to pass, and each time the size follows.

use crate::diagnose::flaps::pass_facts::{PassFacts, scale_down};
use crate::trace::{Change, Fact, Mechanism, MechanismKind};

use super::demand::Demand;
use super::movement::Movement;
use super::similar::looks_like;
use super::{percent, pods, short_window};

/// So often the HPA itself must have turned round.
pub(super) const OWN_TURNS: i32 = 3;
/// In percent: a wider tolerance keeps too many pods to be a remedy.
const WIDEST: u32 = 30;

pub(super) fn tell(ground: &PassFacts) -> Option<Mechanism> {
    let episode = ground.flapping()?;
    if episode.own_turns() < OWN_TURNS {
        return None;
    }
    let demand = Demand::of(ground, episode)?;
    let tolerance = demand.tolerated.0.max(demand.tolerated.1);
    let mechanism = if let Some(movement) = Movement::of(ground, episode) {
        let is_noise = movement.jumps() || movement.deviation() <= tolerance;
        let is_noise = is_noise && movement.is_enough(&demand);
        is_noise.then(|| measured(ground, &movement, tolerance))?
    } else {
        let is_little = !demand.is_open && demand.least_deviation() <= tolerance;
        is_little.then(|| inferred(ground, &demand, tolerance))?
    };
    let wider = wider(&demand).filter(|_| ground.case.settings.gates.configurable_tolerance);
    let trough = short_window::outlasting(ground, episode);
    let longer = trough.map(|trough| short_window::longer(ground, trough));
    Some(Mechanism {
        changes: longer.into_iter().chain(wider).collect(),
        ..mechanism
    })
}

/// Noise that a record has measured.
fn measured(ground: &PassFacts, movement: &Movement, tolerance: f64) -> Mechanism {
    let how = if movement.jumps() {
        "from one pass to the next"
    } else {
        "between two turns"
    };
    let says = format!(
        "{} moves by {} either way of its middle {how}, and a size is kept only while the metric \
         is within {} of its target",
        movement.name(ground),
        percent(movement.deviation()),
        percent(tolerance)
    );
    Mechanism {
        evidence: vec![movement.fact(ground)],
        ..Mechanism::known(MechanismKind::MetricNoise, says)
    }
}

/// Sizes that noise is enough for.
fn inferred(ground: &PassFacts, demand: &Demand, tolerance: f64) -> Mechanism {
    let says = format!(
        "to go between {} and {}, the load has to move by at least {} either way of its middle: \
         so little may be noise",
        demand.bottom,
        demand.top,
        percent(demand.least_deviation())
    );
    Mechanism {
        evidence: arithmetic(demand, tolerance),
        ..looks_like(ground, MechanismKind::MetricNoise, says)
    }
}

fn arithmetic(demand: &Demand, tolerance: f64) -> Vec<Fact> {
    let source = if demand.is_asked {
        "asked for by the metrics"
    } else {
        "by the sizes alone"
    };
    let fact = |about: &str, says: String| Fact {
        about: about.to_owned(),
        says,
    };
    vec![
        fact(
            "at the top",
            format!(
                "{} ({source}): the load is that of more than {} pods",
                demand.most,
                pods(demand.high)
            ),
        ),
        fact(
            "at the bottom",
            format!(
                "{} ({source}): the load is that of at most {} pods",
                demand.least,
                pods(demand.low)
            ),
        ),
        fact(
            "why so little is enough",
            format!(
                "{} is tolerated around what each size is for, not around the middle of the load: \
                 from where {} no longer do to where {} are too many is a small step",
                percent(tolerance),
                demand.bottom,
                demand.top
            ),
        ),
    ]
}

/// The tolerance downwards under which the lowest load keeps the largest
/// size.
fn wider(demand: &Demand) -> Option<Change> {
    let percent = keeping(demand.least, demand.most).filter(|it| *it <= WIDEST)?;
    let (least, most) = (demand.least.saturating_sub(1), demand.most);
    let says = format!(
        "or a tolerance downwards of {percent}%, which keeps {most} as long as the load is that of \
         more than {least} pods"
    );
    let tolerance = format!("'0.{percent:02}'");
    Some(scale_down(says, "tolerance", &tolerance))
}

/// The deviation, in whole percent, by which a load that asked for `least`
/// can lie below what `most` are for: it may need as little as one pod less.
fn keeping(least: i32, most: i32) -> Option<u32> {
    let most = u32::try_from(most).ok().filter(|most| *most > 0)?;
    let least = u32::try_from(least.saturating_sub(1)).unwrap_or(0);
    let missing = u64::from(most.saturating_sub(least)) * 100;
    u32::try_from(missing.div_ceil(u64::from(most))).ok()
}

#[cfg(test)]
mod tests {
    use super::keeping;

    #[test]
    fn a_tolerance_keeps_the_size_down_to_a_pod_less_than_was_asked_for() {
        // Asked for at the bottom and at the top, and percent.
        let rows = [
            ((20, 20), 5),
            ((8, 10), 30),
            ((10, 12), 25),
            ((9, 12), 34),
            ((1, 4), 100),
            ((0, 4), 100),
            ((i32::MIN, i32::MAX), 100),
            ((i32::MAX, i32::MAX), 1),
        ];
        for ((least, most), percent) in rows {
            assert_eq!(keeping(least, most), Some(percent), "{least} {most}");
        }
        assert_eq!(keeping(1, 0), None);
        assert_eq!(rows.len(), 8);
        // Exactly: no float's error makes it a percent more.
        for most in 1..=200u32 {
            for least in 1..=most {
                let (low, high) = (least.cast_signed(), most.cast_signed());
                let percent = keeping(low, high).expect("a size");
                let kept = |percent: u32| (100 - percent) * most <= 100 * (least - 1);
                assert!(kept(percent) && !kept(percent - 1), "{least} {most}");
            }
        }
    }
}
