//! An average of a total, inside its tolerance, keeps the size that the
//! target's status shows, the extra pods of a roll-out included.

use jiff::{SignedDuration, Timestamp};

use crate::controller::prepared::{Target, target};
use crate::diagnose::flaps::ground::{Ground, advised, of_finding};
use crate::snapshot::MetricSpec;
use crate::trace::{Code, Fact, Mechanism, MechanismKind, SizeChange, Way};

/// A rise this long after a roll-out began is by its extra pods.
const SOON: SignedDuration = SignedDuration::from_mins(3);
/// The most by which a Deployment's default surge raises a size, in percent.
const SURGE: i64 = 25;

pub(super) fn tell(ground: &Ground) -> Option<Mechanism> {
    let is_concerned = ground.flapping().is_some() || ground.climbs();
    if !is_concerned {
        return None;
    }
    let finding = ground.finding(Code::RolloutSurge);
    let rises = rises(ground);
    let mut mechanism = match finding {
        Some(finding) => of_finding(MechanismKind::RolloutSurge, finding),
        None if rises.is_told() => rises.mechanism(ground),
        None => return None,
    };
    mechanism
        .evidence
        .extend(ground.sighted(Code::RolloutSurge));
    mechanism.evidence.extend(rises.facts());
    Some(mechanism)
}

/// The rises by the HPA, and which of them followed a roll-out.
struct Rises {
    all: usize,
    after: Vec<(Timestamp, SizeChange)>,
}

fn rises(ground: &Ground) -> Rises {
    let episode = ground.episode.iter();
    let moves = episode.flat_map(|episode| &episode.moves);
    let rises = moves.filter(|it| it.is_own && it.way == Some(Way::Up));
    let rises: Vec<&SizeChange> = rises.collect();
    let rollouts = rollouts(ground);
    let after = rises.iter().filter_map(|rise| {
        let mut before = rollouts.iter().rev().filter(|at| **at <= rise.to);
        let rollout = before.next()?;
        let is_soon = rise.to.duration_since(*rollout) <= SOON;
        (is_soon && is_small(rise)).then(|| (*rollout, (*rise).clone()))
    });
    Rises {
        all: rises.len(),
        after: after.collect(),
    }
}

/// Whether a rise is no larger than the surge.
fn is_small(rise: &SizeChange) -> bool {
    let Some((before, after)) = rise.before.zip(rise.after) else {
        return true;
    };
    let (before, after) = (i64::from(before), i64::from(after));
    after * 100 <= before * (100 + SURGE) + 99
}

/// When roll-outs began: each makes a set of pods of its own.
fn rollouts(ground: &Ground) -> Vec<Timestamp> {
    let sets = ground.case.snapshot.replica_sets.iter();
    let mut made: Vec<Timestamp> = sets
        .filter_map(|set| set.metadata.creation_timestamp)
        .collect();
    made.sort();
    made
}

/// Whether a metric adopts what the target's status shows: only averages of
/// a total do.
fn adopts(metric: &MetricSpec) -> bool {
    metric.is_one_value() && matches!(target(metric), Some(Target::AverageValue(_)))
}

impl Rises {
    /// Whether more than half of the rises, and more than one, followed a
    /// roll-out.
    fn is_told(&self) -> bool {
        self.after.len() > 1 && self.after.len() * 2 > self.all
    }

    fn mechanism(&self, ground: &Ground) -> Mechanism {
        let metrics = &ground.case.snapshot.horizontal_pod_autoscaler.spec.metrics;
        let says = format!(
            "{} of {} rises came right after a roll-out began, by no more than its surge",
            self.after.len(),
            self.all
        );
        let adopts = metrics.iter().any(adopts);
        let mut evidence = Vec::new();
        if adopts {
            evidence.push(Fact {
                about: "spec.metrics".to_owned(),
                says: "an average of a total, inside its tolerance, keeps the size that the \
                       target's status shows, with the extra pods of a roll-out"
                    .to_owned(),
            });
        }
        let advice = if adopts {
            "a smaller maxSurge makes for fewer extra pods; a tolerance of 0 does not adopt them"
        } else {
            "fewer roll-outs at a time; a startupProbe keeps new pods from counting before they \
             have warmed up"
        };
        Mechanism {
            evidence,
            changes: vec![advised(advice)],
            ..Mechanism::known(MechanismKind::RolloutSurge, says)
        }
    }

    fn facts(&self) -> Vec<Fact> {
        let facts = self.after.iter().map(|(rollout, rise)| {
            let sizes = match (rise.before, rise.after) {
                (Some(before), Some(after)) => format!("{before} to {after}"),
                (_, Some(after)) => format!("to {after}"),
                _ => "up".to_owned(),
            };
            let seconds = rise.to.duration_since(*rollout).as_secs();
            Fact {
                about: format!("roll-out at {rollout}"),
                says: format!("{sizes} {seconds}s later"),
            }
        });
        facts.collect()
    }
}
