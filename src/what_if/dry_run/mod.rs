//! What an HPA would do under another spec: the same pass on the same
//! inputs, with what the controller remembers, once a spec.

mod answers;
mod difference;
mod inputs;
mod size;

use std::sync::Arc;

use jiff::Timestamp;

use super::coming::{Horizon, coming};
use super::concluded;
use crate::api::{HorizontalPodAutoscaler, HpaSpec};
use crate::controller::{FALLBACK_DESIGN, Overrides, Prepared, Settings, whole_seconds};
use crate::document::manifest::{changes, merge_patch};
use crate::document::snapshot::Snapshot;
use crate::findings::{BEHAVIOR, Case, of_case};
use crate::history::{self, Observer};
use crate::simulate::opened;
use crate::trace::{
    CodeKind, Coming, DryRun, Knowledge, MergePatch, Moved, NOW, Overwritten, ServerAnswer,
    ShellCommand, Side, seconds_text,
};
use difference::effective;
use inputs::Counting;

pub use inputs::{Given, InputsError, Level};

/// A spec that somebody thinks of.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What it is called, such as the file that it comes from.
    pub name: String,
    /// The spec as the API server would store it.
    pub spec: HpaSpec,
    /// What leads to it from the spec that there is; absent where they are the
    /// same, and where there is none.
    pub patch: Option<MergePatch>,
    /// The command that creates the HPA, where it is a new one of a file.
    pub create: Option<ShellCommand>,
    /// What the API server says of it, where it was asked.
    pub server: Option<ServerAnswer>,
}

/// What leads from the spec of an HPA to another one; absent where they are
/// the same.
pub fn patch(hpa: &HorizontalPodAutoscaler, spec: &HpaSpec) -> Option<MergePatch> {
    let patch = merge_patch(&hpa.spec, spec)?;
    let command = ShellCommand::new("kubectl patch hpa").word(&hpa.metadata.name);
    let command = command.namespace(&hpa.metadata.namespace);
    Some(MergePatch {
        // A name in it could make it do something else.
        command: command.and("--type=merge -p").json(&patch).pasteable(),
        patch,
        overwritten: overwritten(hpa, spec),
    })
}

/// What is the same for every side.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The HPA as it is, and what the controller sees of the cluster.
    pub snapshot: &'a Snapshot,
    /// The controller's settings that are given.
    pub overrides: &'a Overrides,
    /// What was seen of earlier passes.
    pub observer: &'a Observer,
    /// The moment of the pass.
    pub now: Timestamp,
    /// What is altered in the inputs, for every side.
    pub given: &'a Given,
    /// Whether the HPA does not exist yet: there is no side of now.
    pub is_new: bool,
    /// How far every side is to be run on; absent where the one pass will do.
    pub horizon: Option<Horizon<'a>>,
}

impl Inputs<'_> {
    /// The specs of all sides, in their order.
    pub fn specs<'s>(&'s self, candidates: &'s [Candidate]) -> Vec<&'s HpaSpec> {
        let own = &self.snapshot.hpa.spec;
        let current = (!self.is_new).then_some(own);
        let others = candidates.iter().map(|candidate| &candidate.spec);
        current.into_iter().chain(others).collect()
    }
}

/// Runs the pass under the spec that there is and under each of the others.
///
/// # Errors
///
/// What is to be altered in the inputs is not there.
pub fn dry_run(inputs: &Inputs, candidates: &[Candidate]) -> Result<DryRun, InputsError> {
    let own = &inputs.snapshot.hpa;
    let settings = Settings::resolve(inputs.snapshot, inputs.overrides);
    let specs = inputs.specs(candidates);
    let counting = Counting {
        specs: &specs,
        settings: &settings,
        now: inputs.now.as_nanosecond(),
    };
    let snapshot = inputs.given.applied(inputs.snapshot, counting)?;
    let run = Run {
        inputs,
        snapshot: &snapshot,
    };
    let current = (!inputs.is_new).then(|| run.side(None));
    let mut warnings: Vec<String> = candidates.iter().filter_map(|it| run.warning(it)).collect();
    let longer = |it: &Candidate| run.longer_window(it, current.as_ref()?);
    warnings.extend(candidates.iter().filter_map(longer));
    warnings.extend(candidates.iter().filter_map(design));
    let candidates = candidates.iter();
    let candidates = candidates
        .map(|it| run.side(Some((it, current.as_ref()))))
        .collect();
    let mut dry_run = DryRun {
        namespace: own.metadata.namespace.to_string(),
        name: own.metadata.name.to_string(),
        target: own.spec.scale_target_ref.clone(),
        at: inputs.now,
        premises: inputs.given.describe(),
        warnings,
        minutes: inputs.horizon.map(|it| it.minutes(&settings, inputs.now)),
        current: current.map(Box::new),
        candidates,
    };
    if let Some(horizon) = inputs.horizon.filter(|it| it.explains) {
        run.explain(&specs, &mut dry_run, horizon);
    }
    Ok(dry_run)
}

/// The inputs as they were altered.
struct Run<'a> {
    inputs: &'a Inputs<'a>,
    snapshot: &'a Snapshot,
}

impl Run<'_> {
    /// A side, from its pass and what is remembered before it: that of now,
    /// or a candidate's, beside that of now.
    fn side(&self, candidate: Option<(&Candidate, Option<&Side>)>) -> Side {
        let Inputs { now, observer, .. } = *self.inputs;
        let before = self.snapshot;
        let after = candidate.map(|(it, _)| self.under(&it.spec));
        let snapshot = after.as_ref().unwrap_or(before);
        let settings = &Settings::resolve(snapshot, self.inputs.overrides);
        let prepared = &Prepared::new(snapshot, settings);
        let (trace, memory) = match candidate {
            None => history::explain_and_recall(prepared, settings, now, observer),
            Some(_) => history::explain_edited(before, prepared, settings, now, observer),
        };
        let concluded = |case: &Case, trace| concluded(case, trace, true);
        let mut trace = of_case(
            before, prepared, settings, &memory, trace, observer, concluded,
        );
        let spec = &snapshot.hpa.spec;
        let mut findings = difference::with_spec(&trace, spec, settings);
        // Nothing can have befallen an HPA that does not exist yet.
        findings.retain(|it| !(self.inputs.is_new && it.code.is(CodeKind::OfPast)));
        trace.conclude(findings);
        let coming = |it| coming(snapshot, settings, &memory, trace.at, it, &[]);
        let coming = self.inputs.horizon.map(coming);
        let behavior = effective(spec, settings);
        let current = candidate.and_then(|(_, current)| current);
        let difference = current.map(|current| {
            let now = (self.spec(), &*current.trace, current.behavior.as_slice());
            difference::difference(now, (spec, &trace, &behavior))
        });
        let candidate = candidate.map(|(candidate, _)| candidate);
        // What the server refuses is not to be applied.
        let applied =
            candidate.filter(|it| !matches!(it.server, Some(ServerAnswer::Refused { .. })));
        Side {
            name: candidate.map_or_else(|| NOW.to_owned(), |it| it.name.clone()),
            behavior,
            difference: difference.map(Box::new),
            patch: applied.and_then(|it| it.patch.clone()),
            create: applied.and_then(|it| it.create.clone()),
            server: candidate.and_then(|it| it.server.clone()),
            verdict: trace.verdict.clone(),
            trace: Arc::new(trace),
            coming,
        }
    }

    /// Runs the coming passes again, and keeps how those decide that a page opens.
    fn explain(&self, specs: &[&HpaSpec], dry_run: &mut DryRun, horizon: Horizon) {
        let Inputs { now, observer, .. } = *self.inputs;
        let current = dry_run.current.as_deref_mut().into_iter();
        let sides = current.chain(&mut dry_run.candidates);
        let mut sides: Vec<&mut Coming> = sides.filter_map(|it| it.coming.as_mut()).collect();
        let all = sides.iter().map(|side| {
            let passes = side.passes.iter();
            passes
                .map(|it| (it.at.as_second(), it.into(), false))
                .collect()
        });
        let seconds = opened(all);
        for (side, spec) in sides.iter_mut().zip(specs) {
            let after = self.under(spec);
            let settings = Settings::resolve(&after, self.inputs.overrides);
            let memory = history::remembered(self.snapshot, spec, &settings, now, observer);
            let again = coming(&after, &settings, &memory, now, horizon, &seconds);
            for (own, again) in side.passes.iter_mut().zip(again.passes) {
                own.page = again.page.filter(|_| own.replicas == again.replicas);
            }
        }
    }

    fn spec(&self) -> &HpaSpec {
        &self.snapshot.hpa.spec
    }

    /// The inputs with another spec.
    fn under(&self, spec: &HpaSpec) -> Snapshot {
        let mut after = self.snapshot.clone();
        after.hpa.spec = spec.clone();
        after
    }

    /// What a longer window may find of the time before that of now: it is
    /// taken to be gone, for the controller writes over what has left its
    /// windows.
    fn longer_window(&self, candidate: &Candidate, current: &Side) -> Option<String> {
        let settings = Settings::resolve(self.snapshot, self.inputs.overrides);
        let now = whole_seconds(settings.longest_window(self.spec()));
        let longer = whole_seconds(settings.longest_window(&candidate.spec));
        let is_open = current.trace.remembered != Knowledge::Known;
        let hpa = &self.snapshot.hpa;
        let edited = hpa.spec_written().map(|at| {
            let ago = self.inputs.now.duration_since(at);
            (ago.as_secs(), seconds_text(ago.as_secs()))
        });
        (longer > now && is_open).then(|| {
            let of_before = match edited {
                Some((ago, text)) if ago <= longer => {
                    format!("the spec changed {text} ago, so older recommendations may still count")
                }
                _ => format!(
                    "recommendations older than the current window of {} are assumed to be gone",
                    seconds_text(now)
                ),
            };
            let (name, longer) = (&candidate.name, seconds_text(longer));
            format!("the window of {name} reaches back {longer}; {of_before}")
        })
    }

    /// What a candidate asks for and the inputs have no answer to.
    fn warning(&self, candidate: &Candidate) -> Option<String> {
        let known = (!self.inputs.is_new).then(|| self.spec());
        let names = answers::unanswered(self.snapshot, known, &candidate.spec);
        let name = &candidate.name;
        (!names.is_empty()).then(|| {
            format!(
                "{name} uses {}, which the inputs do not have: the metrics API is assumed not to know \
                 it; --metric NAME=VALUE sets a value",
                names.join(", ")
            )
        })
    }
}

/// What a candidate sets and no cluster has.
fn design(candidate: &Candidate) -> Option<String> {
    let (field, _) = candidate.spec.fallbacks().next()?;
    Some(format!(
        "{} has {field}, {FALLBACK_DESIGN}: the API server drops the field, and the cluster's \
         controller ignores it",
        candidate.name
    ))
}

/// The fields of a spec, and those of the `ScaledObject` that KEDA makes them from (KEDA's
/// `ScaledObject` reference).
const FIELDS: [(&str, &str); 4] = [
    ("minReplicas", "spec.minReplicaCount"),
    ("maxReplicas", "spec.maxReplicaCount"),
    ("metrics", "spec.triggers"),
    ("behavior", BEHAVIOR),
];

/// Who writes over a change of the HPA's spec, and where the same change
/// lasts; nothing for an HPA that nobody else makes.
pub(super) fn overwritten(hpa: &HorizontalPodAutoscaler, spec: &HpaSpec) -> Option<Overwritten> {
    let name = hpa.scaled_object()?;
    let changed = changes(&hpa.spec, spec);
    let is_changed = |own| changed.iter().any(|it| it.is_of(own));
    let fields = FIELDS.iter().filter(|(own, _)| is_changed(own));
    let command = ShellCommand::new("kubectl edit scaledobject").word(name);
    Some(Overwritten {
        by: format!("ScaledObject/{name}"),
        fields: fields
            .map(|(field, there)| Moved { field, there })
            .collect(),
        command: command.namespace(&hpa.metadata.namespace).pasteable(),
    })
}
