//! What helps, and what a simulation on a recorded load says to it.

use crate::trace::amount::counted;
use crate::trace::{Change, Flaps, Proof, Scores, Trial, seconds_text, short as brief};

use super::page::Item;

/// What helps; below each what a simulation says to it, and once of those that
/// were not simulated that they are only suggested.
pub(super) fn changes(flaps: &Flaps) -> Vec<Item> {
    let all: Vec<&Change> = flaps.mechanisms.iter().flat_map(|it| &it.changes).collect();
    let mut items: Vec<Item> = all.iter().map(|change| tried(change)).collect();
    if let Some(reason) = &flaps.other_reason {
        items.extend(reason.remedies.iter().map(|remedy| Item {
            remedy: Some(remedy.clone()),
            ..Item::of(remedy.says.clone())
        }));
    }
    let suggested = all.iter().filter(|it| it.proof == Proof::Suggested);
    let caveat = match suggested.count() {
        0 => return items,
        some if some < all.len() => {
            "(what has no simulation below it is suggested by what stands above)"
        }
        _ => "(suggested by what stands above; not confirmed by simulation)",
    };
    items.push(Item::of(caveat.to_owned()));
    items
}

fn tried(change: &Change) -> Item {
    let below = match &change.proof {
        Proof::Suggested => Vec::new(),
        Proof::Confirmed(trial) => vec![simulated("confirmed by simulation on", trial)],
        Proof::NotConfirmed(trial) => {
            vec![simulated("not confirmed by simulation on", trial)]
        }
    };
    Item {
        below,
        remedy: Some(change.remedy.clone()),
        ..Item::of(change.remedy.says.clone())
    }
}

/// What came of a trial: what it mends, and what it costs.
fn simulated(what: &str, trial: &Trial) -> String {
    let (before, after) = (&trial.before, &trial.after);
    let short = |scores: &Scores| scores.under_provisioned_seconds.map(seconds_text);
    let short = match (short(before), short(after)) {
        (Some(before), Some(after)) => format!("too few pods {before} → {after}"),
        _ => "too few pods not known".to_owned(),
    };
    let left_out = match trial.left_out.as_slice() {
        [] => String::new(),
        names => format!(" ({} left out)", names.join(", ")),
    };
    let pods = |scores: &Scores| brief(average(scores.pod_seconds, trial.seconds), 1);
    format!(
        "{what} {} of recorded {}{left_out}: {} → {}, {short}, {} → {} pods on average",
        seconds_text(trial.seconds),
        trial.metric,
        counted(before.reversals as usize, "reversal"),
        after.reversals,
        pods(before),
        pods(after),
    )
}

#[expect(clippy::cast_precision_loss, reason = "the text shows a few digits")]
fn average(sum: i64, count: i64) -> f64 {
    sum as f64 / count.max(1) as f64
}
