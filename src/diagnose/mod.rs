//! From one pass to what somebody should know about it: what other inputs
//! would lead to, and findings with codes, evidence and remedies.
//!
//! Nothing here decides what the controller does. Where a finding needs to
//! know what would happen under other inputs, it runs the same
//! [`reconcile_with`](crate::controller::reconcile_with) on them.

mod case;
mod findings;
mod lint;
mod metrics_api;
mod owners;
mod preview;
mod prospects;

use jiff::Timestamp;

use crate::controller::{Settings, selected_pods};
use crate::history::{self, Observer};
use crate::snapshot::Snapshot;
use crate::trace::Trace;

use case::Case;

pub use lint::{Lint, lint, review};
pub use preview::{own_release, preview};

/// Re-runs one pass of the controller on a snapshot, at `now`, as
/// [`history::explain`] does, and adds what follows from it: the trace's
/// prospects and findings.
#[must_use]
pub fn explain(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> Trace {
    let (mut trace, memory) = history::explain_and_recall(snapshot, settings, now, observer);
    let selected = selected_pods(snapshot);
    let case = Case {
        snapshot,
        selected: &selected,
        settings,
        memory: &memory,
        now,
    };
    trace.prospects = Some(prospects::prospects(&case, &trace));
    trace.findings = findings::findings(&case, &trace);
    trace
}
