//! What a simulation says to a change.

use crate::trace::{Proof, Scores, Trial};

/// Fewer reversals than these under the spec as it is are no flapping that a
/// change could end.
const LEAST_REVERSALS: u32 = 2;

/// What a trial proves: that the change helps, if at most half of the
/// reversals remain, and if pods are too few for no longer than before, or for
/// one pass more: `period` seconds.
#[must_use]
pub fn proof(trial: Trial, period: i64) -> Proof {
    let Trial { before, after, .. } = &trial;
    let is_calmer = before.reversals >= LEAST_REVERSALS
        && u64::from(after.reversals) * 2 <= u64::from(before.reversals);
    // Unknown of both alike: then the reversals are all that can be compared.
    let short = |scores: &Scores| scores.under_provisioned_seconds.unwrap_or_default();
    if is_calmer && short(after) <= short(before).saturating_add(period) {
        Proof::Confirmed(trial)
    } else {
        Proof::NotConfirmed(trial)
    }
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
            let proof = proof(trial, 15);
            let place = format!("{before:?} {after:?}");
            assert_eq!(
                matches!(proof, Proof::Confirmed(_)),
                is_confirmed,
                "{place}"
            );
        }
        assert_eq!(rows.len(), 10);
    }
}
