//! What a simulation says to a change, and the scaleDown windows to try.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::pass_facts::scale_down;
use crate::api::HpaSpec;
use crate::controller::{Settings, whole_seconds};
use crate::trace::{Change, Proof, Remedy, Scores, Trial, seconds_text};

/// Fewer reversals than these under the spec as it is are no flapping that a
/// change could end.
const LEAST_REVERSALS: u32 = 2;

/// A change, with what trials say to it: it has to help in all of them, and the
/// worst is told. One that is shown not to help is no longer told as one that does.
pub fn tried(change: Change, mut trials: impl Iterator<Item = Trial>, period: i64) -> Change {
    let Some(first) = trials.next() else {
        return change;
    };
    let is_worse = |trial: &Trial| (!helps(trial, period), trial.after.reversals);
    let all = std::iter::once(first.clone()).chain(trials.take_while(|_| helps(&first, period)));
    let Some(trial) = all.max_by_key(is_worse) else {
        return change;
    };
    if helps(&trial, period) {
        let proof = Proof::Confirmed(trial);
        return Change { proof, ..change };
    }
    let is_shown = trial.before.reversals >= LEAST_REVERSALS;
    let says = change.set.as_ref().filter(|_| is_shown);
    let in_vain = says.map(|set| Remedy::advice(format!("{set} does not help enough")));
    Change {
        remedy: in_vain.unwrap_or(change.remedy),
        proof: Proof::NotConfirmed(trial),
        ..change
    }
}

/// Whether a trial shows that the change helps: at most half of the reversals
/// remain, and pods are too few for no longer than before, or for one pass more:
/// `period` seconds.
fn helps(trial: &Trial, period: i64) -> bool {
    let Trial { before, after, .. } = trial;
    let is_calmer = before.reversals >= LEAST_REVERSALS
        && u64::from(after.reversals) * 2 <= u64::from(before.reversals);
    // Unknown of both alike: then the reversals are all that can be compared.
    let short = |scores: &Scores| scores.under_provisioned_seconds.unwrap_or_default();
    is_calmer && short(after) <= short(before).saturating_add(period)
}

/// Windows that people set, in seconds.
const LADDER: [i64; 12] = [
    30, 60, 120, 180, 240, 300, 420, 600, 900, 1_200, 1_800, 2_700,
];

/// A change of the window, with why.
pub(super) fn change(seconds: i64, why: String) -> Change {
    scale_down(why, "stabilizationWindowSeconds", seconds)
}

/// A suggested change and, where it is of the window, others in its place, the
/// shortest first: each keeps fewer pods for nothing, and only a trial tells
/// which is long enough. The specs are the one that there is and the suggested one.
pub fn windows(suggested: &Change, specs: [&HpaSpec; 2], settings: &Settings) -> Vec<Change> {
    let [there_is, spans] = specs.map(|spec| whole_seconds(settings.windows(spec).1));
    if spans <= there_is {
        return vec![suggested.clone()];
    }
    let others = LADDER.into_iter().filter(|it| *it > there_is);
    let all: BTreeSet<i64> = others.chain([spans]).collect();
    let try_one = |seconds: i64| {
        let [longer, there_is, desired] = [seconds, there_is, spans].map(seconds_text);
        let start = format!("set a scaleDown window of {longer} instead of {there_is}");
        let says = match seconds.cmp(&spans) {
            Ordering::Less => {
                format!("{start}: it helps ({desired} would hold the size through every trough)")
            }
            Ordering::Equal => return suggested.clone(),
            Ordering::Greater => {
                format!("{start}: it helps, while {desired}, which spans the troughs, does not")
            }
        };
        change(seconds, says)
    };
    all.into_iter().map(try_one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_must_end_half_of_the_reversals_and_keep_enough_pods() {
        // Reversals and seconds with too few pods, before and after.
        let rows = [
            ((8, Some(140)), (0, Some(30)), true),
            ((8, Some(140)), (4, Some(140)), true),
            ((8, Some(140)), (5, Some(30)), false),
            ((2, Some(0)), (1, Some(15)), true),
            ((8, Some(140)), (0, Some(155)), true),
            ((8, Some(140)), (0, Some(156)), false),
            ((1, Some(140)), (0, Some(0)), false),
            ((0, Some(0)), (0, Some(0)), false),
            ((4, None), (0, None), true),
            (
                (u32::MAX, Some(i64::MAX)),
                (u32::MAX, Some(i64::MAX)),
                false,
            ),
        ];
        let scores = |(reversals, short)| Scores {
            under_provisioned_seconds: short,
            reversals,
            ..Scores::default()
        };
        for (before, after, is_confirmed) in rows {
            let trial = Trial {
                before: scores(before),
                after: scores(after),
                ..Trial::default()
            };
            let place = format!("{before:?} {after:?}");
            assert_eq!(helps(&trial, 15), is_confirmed, "{place}");
        }
        assert_eq!(rows.len(), 10);
    }

    /// The reversals that remain in each trial, and what is told of them: of those
    /// that help the worst, of one that does not that it does not.
    #[test]
    fn the_worst_of_the_trials_is_told() {
        let rows: [(u32, &[u32], Option<u32>, bool); 5] = [
            (8, &[1, 4, 2], Some(4), true),
            (8, &[1, 5, 2], Some(5), false),
            (8, &[5, 8], Some(5), false),
            (1, &[0, 0], Some(0), false),
            (8, &[], None, false),
        ];
        let scores = |reversals| Scores {
            reversals,
            ..Scores::default()
        };
        for (before, each, reported, is_confirmed) in rows {
            let change = super::change(60, "holds".to_owned());
            let trials = each.iter().map(|after| Trial {
                before: scores(before),
                after: scores(*after),
                ..Trial::default()
            });
            let change = tried(change, trials, 15);
            let (trial, standing) = match &change.proof {
                Proof::Confirmed(trial) => (Some(trial), true),
                Proof::NotConfirmed(trial) => (Some(trial), false),
                Proof::Suggested => (None, false),
            };
            let place = format!("{before} {each:?}");
            assert_eq!(trial.map(|it| it.after.reversals), reported, "{place}");
            assert_eq!(standing, is_confirmed, "{place}");
            // Where nothing turns round, nothing shows that it is in vain.
            let is_in_vain = before > 1 && reported.is_some() && !is_confirmed;
            assert_eq!(change.remedy.patch.is_none(), is_in_vain, "{place}");
        }
        assert_eq!(rows.len(), 5);
    }
}
