//! The scaleDown window as a change that can be tried.

use std::cmp::Ordering;

use crate::controller::{Settings, whole_seconds};
use crate::snapshot::HpaSpec;
use crate::trace::{Change, seconds_text};

use super::ground::scale_down;

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
    let [there_is, wanted] = specs.map(|spec| window(spec, settings));
    if wanted <= there_is {
        return vec![suggested.clone()];
    }
    let others = LADDER.into_iter().filter(|it| *it > there_is);
    let mut all: Vec<i64> = others.chain([wanted]).collect();
    all.sort_unstable();
    all.dedup();
    let try_one = |seconds: i64| {
        let why = match seconds.cmp(&wanted) {
            Ordering::Less => "is enough; {} would hold the size through every trough",
            Ordering::Equal => return suggested.clone(),
            Ordering::Greater => "helps; {}, which spans the troughs, does not",
        };
        let why = why.replace("{}", &seconds_text(wanted));
        let [longer, there_is] = [seconds, there_is].map(seconds_text);
        change(
            seconds,
            format!("a scaleDown window of {longer} in place of {there_is} {why}"),
        )
    };
    all.into_iter().map(try_one).collect()
}
