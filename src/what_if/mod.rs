//! From one pass to what somebody should know about it: what other inputs
//! would lead to, and findings with codes, evidence and remedies.
//!
//! Nothing here decides what the controller does. Where a finding needs to
//! know what would happen under other inputs, it runs the same
//! [`reconcile_with`](crate::controller::reconcile_with) on them.

mod case;
mod coming;
mod comparison;
mod dry_run;
mod findings;
mod flaps;
mod keda;
mod last_change;
mod lint;
mod metrics_api;
mod owners;
mod preview;
mod prospects;
mod shared_findings;
mod steps;
mod target_kind;

use jiff::Timestamp;

use crate::api::{ConditionStatus, MetricIndex, Phase, Pod};
use crate::controller::{Memory, Settings, selected_pods};
use crate::history::{self, Observer};
use crate::snapshot::Snapshot;
use crate::trace::{Finding, Trace, WaitingContainer};

use case::Case;

pub use coming::{Horizon, Recorded};
pub use comparison::{Divergence, compare};
pub use dry_run::{Candidate, Given, Inputs, InputsError, Level, dry_run, effective, patch};
pub use flaps::{ObservedPasses, flaps, tried, windows};
pub use lint::{InFile, Lint, WholeInput, lint, review, unreadable};
pub use owners::may_be_own;
pub use preview::{own_release, preview};

/// Re-runs one pass of the controller on a snapshot, at `now`, as
/// [`history::explain`] does, and adds what follows from it: the trace's
/// prospects and findings.
pub fn explain(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> Trace {
    explained(snapshot, settings, now, observer, true)
}

/// The same of one of many HPAs, whose coming sizes nobody shows: its verdict and
/// its findings are those of [`explain`].
pub fn summarize(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> Trace {
    explained(snapshot, settings, now, observer, false)
}

fn explained(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
    is_shown: bool,
) -> Trace {
    let (trace, memory) = history::explain_and_recall(snapshot, settings, now, observer);
    let snapshots = (snapshot, snapshot);
    diagnosed(snapshots, settings, &memory, trace, observer, is_shown)
}

/// Adds what follows from a trace.
fn conclude(case: &Case, trace: &mut Trace, is_shown: bool) {
    trace.prospects = Some(prospects::prospects(case, trace, is_shown));
    trace.conclude(findings::findings(case, trace));
}

/// Whether a pod counts where the Ready pods multiply (`getReadyPodsCount`).
fn is_ready(pod: &Pod) -> bool {
    let ready = pod.condition("Ready");
    pod.status.phase == Phase::Running && ready.is_some_and(|it| it.status == ConditionStatus::True)
}

/// The container that keeps a pod from running.
fn waiting(pod: &Pod) -> Option<WaitingContainer> {
    let (container, reason) = pod.waiting()?;
    let status = &pod.status;
    let mut statuses = status.container_statuses.iter();
    let own = statuses.find(|status| status.name.as_str() == container);
    Some(WaitingContainer {
        pod: pod.metadata.name.to_string(),
        container: container.to_owned(),
        reason: reason.to_owned(),
        restarts: own.map_or(0, |status| status.restart_count),
    })
}

/// What is found in a pass of which nothing is remembered. What its coming minutes
/// bring takes long to tell, and is left out: no finding that shows only while it
/// lasts needs it.
fn found(snapshot: &Snapshot, settings: &Settings, trace: Trace) -> Vec<Finding> {
    let snapshots = (snapshot, snapshot);
    let (memory, observer) = (Memory::default(), Observer::default());
    of_case(
        snapshots,
        settings,
        &memory,
        trace,
        &observer,
        |case, trace| findings::findings(case, &trace),
    )
}

/// Adds to a trace what follows from it.
fn diagnosed(
    snapshots: (&Snapshot, &Snapshot),
    settings: &Settings,
    memory: &Memory,
    trace: Trace,
    observer: &Observer,
    is_shown: bool,
) -> Trace {
    of_case(
        snapshots,
        settings,
        memory,
        trace,
        observer,
        |case, mut trace| {
            conclude(case, &mut trace, is_shown);
            trace
        },
    )
}

/// Adds to a trace what its inputs say beside it, and hands both on.
fn of_case<T>(
    (before, snapshot): (&Snapshot, &Snapshot),
    settings: &Settings,
    memory: &Memory,
    mut trace: Trace,
    observer: &Observer,
    then: impl FnOnce(&Case, Trace) -> T,
) -> T {
    let selected = selected_pods(snapshot);
    let moves = history::moves(snapshot, settings, trace.at, observer);
    let index = MetricIndex::new(&snapshot.metrics);
    let case = Case {
        snapshot,
        before,
        observer,
        index: &index,
        selected: &selected,
        settings,
        memory,
        moves: &moves,
        now: trace.at,
    };
    trace.last_change = last_change::last_change(moves.known.last(), &trace);
    trace.waiting = selected.iter().filter_map(|pod| waiting(pod)).collect();
    if trace
        .metrics
        .iter()
        .any(|metric| metric.ready_pods.is_some())
    {
        let not_ready = selected.iter().filter(|pod| !is_ready(pod));
        let names = not_ready.map(|pod| pod.metadata.name.to_string());
        trace.not_ready = names.collect();
    }
    then(&case, trace)
}
