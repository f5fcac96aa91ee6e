//! The scaleDown window as a change that can be tried.

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

/// What may do in place of a suggested spec's window: those between the one
/// of the spec that there is and that one, the shortest first. Each keeps fewer pods
/// for nothing, and only a trial tells whether it is long enough.
#[must_use]
pub fn shorter_windows(specs: [&HpaSpec; 2], settings: &Settings) -> Vec<Change> {
    let [there_is, longest] = specs.map(|spec| window(spec, settings));
    let between = LADDER
        .into_iter()
        .filter(|it| *it > there_is && *it < longest);
    let says = |seconds| {
        format!(
            "a scaleDown window of {} in place of {} is enough; {} would hold the size through \
             every trough",
            seconds_text(seconds),
            seconds_text(there_is),
            seconds_text(longest),
        )
    };
    between.map(|it| change(it, says(it))).collect()
}
