//! An average of a total, inside its tolerance, keeps the size that the
//! target's status shows, the extra pods of a rollout included.

use jiff::{SignedDuration, Timestamp};

use crate::api::{MetricSpec, TargetKind};
use crate::controller::prepared::target_kind;
use crate::flaps::pass_facts::{PassFacts, advised};
use crate::trace::{Code, Direction, Fact, Mechanism, MechanismKind, SizeChange};

/// A rise this long after a rollout began is by its extra pods.
const SOON: SignedDuration = SignedDuration::from_mins(3);
/// The most by which a Deployment's default surge raises a size, in percent.
const SURGE: i64 = 25;

pub(super) fn tell(facts: &PassFacts) -> Option<Mechanism> {
    let is_concerned = facts.flapping().is_some() || facts.climbs();
    if !is_concerned {
        return None;
    }
    let rises = rises(facts);
    let reported = facts.of_text(MechanismKind::RolloutSurge, Code::RolloutSurge);
    let mut mechanism = reported.or_else(|| {
        let metrics = &facts.case.hpa().spec.metrics;
        let is_reported = rises.is_reported() && metrics.iter().any(adopts);
        is_reported.then(|| rises.mechanism())
    })?;
    mechanism.evidence.extend(rises.facts());
    Some(mechanism)
}

/// The rises by the HPA, and which of them followed a rollout.
struct Rises {
    all: usize,
    after: Vec<(Timestamp, SizeChange)>,
}

fn rises(facts: &PassFacts) -> Rises {
    let rollouts = rollouts(facts);
    let mut rises = Rises {
        all: 0,
        after: Vec::new(),
    };
    let mut last = None;
    let episode = facts.episode.iter();
    for change in episode.flat_map(|episode| &episode.moves) {
        let before = change.before.or(last);
        last = change.after;
        if !change.is_by_hpa() || change.way != Some(Direction::Up) {
            continue;
        }
        rises.all += 1;
        let mut earlier = rollouts.iter().rev().filter(|at| **at <= change.to);
        let rollout = earlier
            .next()
            .filter(|at| change.to.duration_since(**at) <= SOON);
        if let Some(rollout) = rollout
            && is_small(before, change.after)
        {
            let rise = SizeChange {
                before,
                ..change.clone()
            };
            rises.after.push((*rollout, rise));
        }
    }
    rises
}

/// Whether a rise is no larger than the surge, where that is known.
fn is_small(before: Option<i32>, after: Option<i32>) -> bool {
    let Some((before, after)) = before.zip(after) else {
        return false;
    };
    let (before, after) = (i64::from(before), i64::from(after));
    after * 100 <= before * (100 + SURGE) + 99
}

/// When rollouts began: each makes a set of pods of its own.
fn rollouts(facts: &PassFacts) -> Vec<Timestamp> {
    let sets = facts.case.snapshot.own_replica_sets();
    let mut made: Vec<Timestamp> = sets
        .filter_map(|set| set.metadata.creation_timestamp)
        .collect();
    made.sort();
    made
}

/// Whether a metric adopts what the target's status shows: only averages of
/// a total do.
fn adopts(metric: &MetricSpec) -> bool {
    metric.is_one_value() && target_kind(metric) == Some(TargetKind::AverageValue)
}

impl Rises {
    /// Whether more than half of the rises, and more than one, followed a
    /// rollout.
    fn is_reported(&self) -> bool {
        self.after.len() > 1 && self.after.len() * 2 > self.all
    }

    fn mechanism(&self) -> Mechanism {
        let says = format!(
            "{} of {} rises came right after a rollout began and were no larger than its surge",
            self.after.len(),
            self.all
        );
        Mechanism {
            evidence: vec![Fact::new(
                "spec.metrics",
                "inside its tolerance, an AverageValue metric keeps the size in the target's \
                       status, which includes the extra pods of a rollout",
            )],
            changes: vec![advised(
                "lower maxSurge, so that a rollout adds fewer pods, or set a tolerance of 0, which \
                 does not keep them",
            )],
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
            let says = format!("{sizes} {seconds}s later");
            Fact::new(format!("rollout at {rollout}"), says)
        });
        facts.collect()
    }
}
