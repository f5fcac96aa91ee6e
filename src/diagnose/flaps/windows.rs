//! The scaleDown window as a change that can be tried.

use std::cmp::Ordering;

use crate::api::HpaSpec;
use crate::controller::{Settings, whole_seconds};
use crate::trace::{Change, seconds_text};

use super::pass_facts::scale_down;

/// Windows that people set, in seconds.
const LADDER: [i64; 12] = [
    30, 60, 120, 180, 240, 300, 420, 600, 900, 1_200, 1_800, 2_700,
];

/// The scaleDown window of a spec, in seconds.
pub(super) fn window(spec: &HpaSpec, settings: &Settings) -> i64 {
    whole_seconds(settings.windows(spec).1)
}

/// A change of the window, with why.
pub(super) fn change(seconds: i64, why: String) -> Change {
    scale_down(why, "stabilizationWindowSeconds", &seconds.to_string())
}

/// A suggested change and, where it is of the window, others in its place, the
/// shortest first: each keeps fewer pods for nothing, and only a trial tells
/// which is long enough. The specs are the one that there is and the suggested one.
#[must_use]
pub fn windows(suggested: &Change, specs: [&HpaSpec; 2], settings: &Settings) -> Vec<Change> {
    let [there_is, spans] = specs.map(|spec| window(spec, settings));
    if spans <= there_is {
        return vec![suggested.clone()];
    }
    let others = LADDER.into_iter().filter(|it| *it > there_is);
    let mut all: Vec<i64> = others.chain([spans]).collect();
    all.sort_unstable();
    all.dedup();
    let try_one = |seconds: i64| {
        let [longer, there_is, wanted] = [seconds, there_is, spans].map(seconds_text);
        let start = format!("a scaleDown window of {longer} in place of {there_is}");
        let says = match seconds.cmp(&spans) {
            Ordering::Less => {
                format!("{start} is enough; {wanted} would hold the size through every trough")
            }
            Ordering::Equal => return suggested.clone(),
            Ordering::Greater => {
                format!("{start} helps; {wanted}, which spans the troughs, does not")
            }
        };
        change(seconds, says)
    };
    all.into_iter().map(try_one).collect()
}
