//! What would happen under other inputs: the same pass under other specs, rules
//! and pods, and the passes to come; and the whole answer to a pass, which is made
//! of that and of what is found in it.

mod coming;
mod comparison;
mod dry_run;
mod preview;
mod prospects;
mod room;
mod steps;

use jiff::Timestamp;

use super::api::{Phase, Pod};
use super::controller::{Overrides, Prepared, Settings};
use super::document::snapshot::Snapshot;
use super::findings::{Case, findings, of_case};
use super::flaps::{self, ObservedPasses, flapping};
use super::history::{self, Observer};
use super::simulate::load::{Load, Shape};
use super::simulate::{Keep, MetricLoad, Subject, bare, delay, is_share, usual};
use super::trace::{Flaps, Reaction, Trace, Word};

pub use coming::{Horizon, Recorded};
pub use comparison::{Divergence, compare};
pub use dry_run::{Candidate, Given, Inputs, InputsError, Level, dry_run, patch};
pub use preview::{own_release, preview};
pub use room::room;
pub use steps::steps;

/// Re-runs one pass of the controller on a snapshot, at `now`, as
/// [`history::explain`] does, and adds what follows from it: the trace's
/// prospects and findings.
pub fn explain(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> Trace {
    answered(snapshot, settings, now, observer, |case, trace| {
        concluded(case, trace, true)
    })
}

/// The same of one of many HPAs, whose coming sizes nobody shows: its verdict and
/// its findings are those of [`explain`].
pub fn summarize(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> Trace {
    answered(snapshot, settings, now, observer, |case, trace| {
        concluded(case, trace, false)
    })
}

/// What is to be said of a pass, by all that tells of it.
fn answered<T>(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
    answer: impl FnOnce(&Case, Trace) -> T,
) -> T {
    let prepared = &Prepared::new(snapshot, settings);
    let (trace, memory) = history::explain_and_recall(prepared, settings, now, observer);
    of_case(
        snapshot, prepared, settings, &memory, trace, observer, answer,
    )
}

/// Adds to a trace what follows from it.
fn concluded(case: &Case, mut trace: Trace, is_shown: bool) -> Trace {
    trace.prospects = Some(prospects::prospects(case, &trace, is_shown));
    let mut findings = findings(case, &trace);
    // It looks at the others for the reason.
    findings.extend(flapping(case, &trace, &findings));
    trace.conclude(findings);
    // Whether the size can be reached, where that is the question: at `maxReplicas`,
    // and where pods are Pending.
    let is_pending = |pod: &&Pod| pod.status.phase == Phase::Pending;
    if trace.verdict.word == Word::AtMax || case.selected.iter().any(is_pending) {
        trace.room = room(case.snapshot, case.selected, trace.recommended());
    }
    trace
}

/// Whether an HPA flaps or is stuck at `now`, by its events and by what
/// `observer` has seen of its past; and why, by its inputs of now and by what
/// `sightings` has found in earlier ones.
pub fn flaps(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
    sightings: &ObservedPasses,
) -> Flaps {
    answered(snapshot, settings, now, observer, |case, trace| {
        // What earlier passes have found can need it as well.
        let trace = concluded(case, trace, !sightings.is_empty());
        flaps::answer(case, &trace, sightings)
    })
}

/// The wait of the pods of a pass, of the metric that decides; with the times that
/// pods and samples usually take. Absent where what a pod carries is unknown.
pub fn reaction(snapshot: &Snapshot, overrides: &Overrides, trace: &Trace) -> Option<Reaction> {
    let spec = &snapshot.hpa.spec;
    let index = trace.recommendation.as_ref()?.winner?;
    let metric = spec.metrics.get(index)?;
    let model = usual(snapshot, overrides, (index, metric));
    if is_share(metric) && model.request.is_none() {
        return None;
    }
    let settings = Settings::resolve(snapshot, overrides);
    let own = trace.outcome.current_replicas;
    let pods = own.max(spec.min_replicas.unwrap_or(1));
    let subject = Subject {
        snapshot: &bare(snapshot, pods),
        overrides,
        lead: MetricLoad {
            metric,
            load: &Load::even(Shape::Steps(Vec::new())),
            model: &model,
        },
        others: Vec::new(),
        replicas: pods,
        seconds: settings.sync_period_seconds(),
        keep: Keep::All,
    };
    Some(Reaction {
        from: pods,
        now: delay(&subject, spec, pods)?,
        then: None,
    })
}
