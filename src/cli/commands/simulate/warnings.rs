//! What weakens a simulation, in words.

use crate::api::{HorizontalPodAutoscaler, HpaSpec, MetricSpec};
use crate::controller::{Overrides, Settings};
use crate::diagnose::Candidate;
use crate::manifest::{Rules, refusals};
use crate::simulate::{idle_today, is_paused, metric_label};
use crate::snapshot::Snapshot;

/// What weakens all runs: release and settings, and an HPA that could not be
/// stored or does nothing today.
pub(super) fn of_today(
    snapshot: &Snapshot,
    settings: &Settings,
    overrides: &Overrides,
    rules: Rules,
) -> Vec<String> {
    let mut warnings = settings.basis().weaknesses();
    warnings.extend(refused(&snapshot.horizontal_pod_autoscaler, rules));
    warnings.extend(idle_today(snapshot, overrides));
    warnings
}

/// What is said of an HPA that could not be stored today.
fn refused(hpa: &HorizontalPodAutoscaler, rules: Rules) -> Option<String> {
    let mut refusals = refusals(hpa, rules);
    refusals.dedup();
    (!refusals.is_empty()).then(|| {
        format!(
            "the API server would refuse this HPA today, and the controller runs it all the \
             same: {}",
            refusals.join("; ")
        )
    })
}

/// Whose rules are taken where nobody said so.
pub(super) fn rules_assumed(settings: &Settings) -> Vec<String> {
    let release = &settings.basis().release;
    let assumed = release.is_unheard_of().then(|| release.told());
    assumed.into_iter().collect()
}

/// Every spec with what it is called.
pub(super) fn all<'s>(own: &'s HpaSpec, others: &'s [Candidate]) -> Vec<(&'s str, &'s HpaSpec)> {
    let others = others.iter().map(|it| (it.name.as_str(), &it.spec));
    std::iter::once(("now", own)).chain(others).collect()
}

/// What is said where the simulation begins at 0, and stays there.
pub(super) fn paused(
    snapshot: &Snapshot,
    overrides: &Overrides,
    specs: &[(&str, &HpaSpec)],
    replicas: i32,
) -> Option<String> {
    let specs = specs.iter();
    let paused = specs.filter(|(_, spec)| is_paused(snapshot, overrides, spec, replicas));
    let names: Vec<&str> = paused.map(|(name, _)| *name).collect();
    (!names.is_empty()).then(|| {
        format!(
            "{}: scaling is disabled at 0 replicas, so that nothing changes; --replicas 1 begins \
             with a pod",
            names.join(", ")
        )
    })
}

/// What is said of the metrics that no load is of, of any of the specs.
pub(super) fn left_out(specs: &[(&str, &HpaSpec)], driven: &MetricSpec) -> Option<String> {
    let all = || specs.iter().flat_map(|(_, spec)| &spec.metrics);
    let mut names: Vec<String> = Vec::new();
    for metric in all().filter(|it| !it.measures_the_same(driven)) {
        let name = metric_label(metric, all());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| {
        format!(
            "{} left out: taken never to ask for more than the load of {}",
            names.join(", "),
            metric_label(driven, all())
        )
    })
}
