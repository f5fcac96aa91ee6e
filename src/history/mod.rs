//! From what the API keeps of earlier passes to what the controller must
//! remember, with bounds and the source of each part.

mod check;
mod controller_log;
mod observer;
mod recall;
mod span;
mod subject;
mod told;

use jiff::Timestamp;

use crate::controller::{Memory, Settings, reconcile_with};
use crate::snapshot::Snapshot;
use crate::trace::Trace;

pub use controller_log::{ControllerLog, LoggedError, LoggedPass, LoggedRescale, LoggedUnchanged};
pub use observer::Observer;
pub use subject::Subject;
pub use told::{ToldRescales, told_rescales};

use check::check;
use recall::recall;

/// Re-runs one pass of the controller on a snapshot, at `now`, with what the
/// controller must remember by all that is known, and holds the result
/// against its latest pass.
///
/// `observer` adds what was seen of the past to what the snapshot itself
/// tells of it; a new one adds nothing.
#[must_use]
pub fn explain(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> Trace {
    explain_and_recall(snapshot, settings, now, observer).0
}

/// The same, with what the controller must remember before the pass: for
/// passes on other inputs.
#[must_use]
pub fn explain_and_recall(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> (Trace, Memory) {
    let recall = recall(snapshot, settings, now, observer);
    let mut trace = reconcile_with(snapshot, settings, recall.memory.clone(), now);
    trace.recollection = recall.recollection;
    trace.check = Some(check(snapshot, &trace, recall.last.as_ref()));
    (trace, recall.memory)
}
