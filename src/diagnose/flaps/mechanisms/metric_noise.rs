//! The load hardly moves, but it crosses the tolerance: what the metric shows
//! differs from pass to pass by as much as is tolerated, and each time the
//! size follows.

use crate::diagnose::flaps::ground::{Ground, scale_down};
use crate::trace::{Change, Fact, Mechanism, MechanismKind};

use super::demand::Demand;
use super::short_window;

/// So often the HPA itself must have turned round.
pub(super) const OWN_TURNS: i32 = 3;
/// A wider tolerance keeps too many pods to be a remedy.
const WIDEST: f64 = 0.3;

pub(super) fn tell(ground: &Ground) -> Option<Mechanism> {
    let episode = ground.flapping()?;
    if episode.own_turns() < OWN_TURNS {
        return None;
    }
    let demand = Demand::of(ground, episode)?;
    let tolerance = demand.tolerated.0.max(demand.tolerated.1);
    if demand.is_open || demand.least_deviation() > tolerance {
        return None;
    }
    let swing = &episode.swing;
    let says = format!(
        "to go between {} and {}, a load is enough that moves by {} either way of its middle, \
         and the tolerance is {}",
        swing.least,
        swing.most,
        percent(demand.least_deviation()),
        percent(tolerance)
    );
    let mut mechanism = Mechanism {
        kind: MechanismKind::MetricNoise,
        says,
        evidence: arithmetic(&demand),
        changes: Vec::new(),
    };
    let wider = wider(&demand).filter(|_| ground.case.settings.gates.configurable_tolerance);
    let longer = short_window::longer(ground, episode);
    mechanism.changes = longer.into_iter().chain(wider).collect();
    Some(mechanism)
}

fn arithmetic(demand: &Demand) -> Vec<Fact> {
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
    ]
}

/// The tolerance downwards under which the lowest load keeps the largest
/// size: it may need as little as one pod less than was asked for.
fn wider(demand: &Demand) -> Option<Change> {
    let (least, most) = (demand.least.saturating_sub(1), demand.most);
    let needed = (1.0 - f64::from(least) / f64::from(most.max(1))).clamp(0.0, 1.0);
    let rounded = (needed * 100.0).ceil() / 100.0;
    let says = format!(
        "or a tolerance downwards of {:.0}%, which keeps {most} as long as the load is that of \
         more than {least} pods",
        rounded * 100.0
    );
    let change = scale_down(says, "tolerance", &format!("'{rounded}'"));
    (rounded <= WIDEST).then_some(change)
}

/// `4.8%`, or `10%`.
pub(super) fn percent(fraction: f64) -> String {
    let text = format!("{:.1}", fraction * 100.0);
    format!("{}%", text.strip_suffix(".0").unwrap_or(&text))
}

/// `11`, or `10.8`.
fn pods(load: f64) -> String {
    let text = format!("{load:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}
