//! The HPA that is simulated: of a manifest, a snapshot, or a cluster.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::Simulate;
use crate::api::{HorizontalPodAutoscaler, HpaSpec, MetricSpec};
use crate::cli::commands::dry_run::baseline::snapshots;
use crate::cli::commands::dry_run::candidates::{self, at};
use crate::cli::failure::{Failure, Refused};
use crate::cli::kind::{FileKind, name, read_file};
use crate::cli::live::several;
use crate::cli::select::{Selection, missing, only};
use crate::cli::{connection::Connection, live::read_named, options::given, terminal::Terminal};
use crate::controller::{Overrides, Release, Settings};
use crate::document::manifest::{
    self, Content, Document, Manifest, Refusal, Rules, accepted, find, refusals,
};
use crate::document::snapshot::Snapshot;
use crate::simulate::{is_paused, metric_label, template};
use crate::trace::{MetricRecord, NOW, Trace};
use crate::what_if::Candidate;

/// The HPA that is simulated.
pub struct Baseline {
    /// The HPA with what is known of its pods.
    pub snapshot: Snapshot,
    /// The size to begin with.
    pub replicas: i32,
}

impl Baseline {
    /// Reads it.
    /// Errors: the file cannot be read, has no such HPA, or one that the API server would
    /// refuse; the cluster cannot be asked.
    pub fn read(simulate: &Simulate, terminal: &mut Terminal) -> anyhow::Result<Self> {
        if let Some(path) = &simulate.files {
            return of_manifest(simulate, path);
        }
        let snapshot = only_one(
            simulate.name.as_deref(),
            simulate.namespace.as_deref(),
            simulate.snapshot.as_deref(),
            &simulate.connection,
            terminal,
        )?;
        let scale = snapshot.scale.response();
        let status = snapshot.hpa.status.current_replicas;
        let replicas = scale.map_or(status, |scale| scale.spec.replicas).max(0);
        Ok(Self { snapshot, replicas })
    }
}

fn of_manifest(simulate: &Simulate, path: &Path) -> anyhow::Result<Baseline> {
    let hint = "-f takes a manifest with an HPA, or - for standard input";
    let release = simulate.settings.kubernetes_version;
    let release = release.unwrap_or(Release::ASSUMED).nearest_known();
    let gates = simulate.settings.overrides().feature_gates;
    let rules = Rules::new(release, &gates);
    let documents = manifest::read(&FileKind::Manifest.read(path, hint)?, rules);
    let file = name(path);
    let (namespace, own) = intended(simulate, &documents, &file)?;
    let refused = |refusals: Vec<Refusal>| {
        Refused(refusals.iter().map(|refusal| at(&file, refusal)).collect())
    };
    let manifest = find(documents, (&namespace, &own)).map_err(refused)?;
    let spec = accepted(&manifest, None, rules).map_err(refused)?;
    let replicas = spec.min_replicas.unwrap_or(1);
    let mut hpa = candidates::autoscaler(&namespace, &own, &manifest);
    hpa.spec = spec;
    let hpa = serde_json::to_value(&hpa)?;
    let snapshot = template(&hpa, &Value::Null, &Value::Null, replicas);
    let snapshot = snapshot.map_err(|error| Failure::error(format!("{file}: {error}"), hint))?;
    Ok(Baseline { snapshot, replicas })
}

/// Namespace and name of the HPA that is meant; where none is there to be
/// meant, those that are asked for.
fn intended(
    simulate: &Simulate,
    documents: &[Document],
    file: &str,
) -> anyhow::Result<(String, String)> {
    let requested = simulate.name.as_deref();
    let selection = requested.map(Selection::parse);
    let all = documents.iter().filter_map(|it| match &it.content {
        Ok(Content::Autoscaler(manifest)) => Some(&**manifest),
        _ => None,
    });
    let all: Vec<&Manifest> = all.collect();
    let is_intended = |it: &&&Manifest| {
        let target = &it.spec.scale_target_ref;
        selection
            .as_ref()
            .is_none_or(|selection| selection.is_of(&it.metadata.name, target))
    };
    let intended: Vec<&Manifest> = all.iter().filter(is_intended).copied().collect();
    let namespace = |own: &str| {
        let given = given(simulate.namespace.as_deref()).unwrap_or(own);
        if given.is_empty() { "default" } else { given }.to_owned()
    };
    let names: BTreeSet<(&str, &str)> = intended
        .iter()
        .map(|it| (it.metadata.namespace.as_str(), it.metadata.name.as_str()))
        .collect();
    let is_readable = documents.iter().all(|it| it.content.is_ok());
    match (names.first(), names.len(), &selection) {
        (Some((own, name)), 1, _) if requested.is_some() || intended.len() == 1 => {
            Ok((namespace(own), (*name).to_owned()))
        }
        // Which one is not there, or cannot be read, is said with its place.
        (None, _, Some(Selection::Autoscaler(name))) => {
            let own = all.first().map_or("", |it| it.metadata.namespace.as_str());
            Ok((namespace(own), name.clone()))
        }
        _ if !is_readable => Ok((namespace(""), String::new())),
        (first, _, _) => {
            let listed = listed(&all);
            let found = match (first, requested) {
                (Some(_), _) => format!("it has {} HPAs: {listed}", intended.len()),
                (None, _) if all.is_empty() => "it has no HorizontalPodAutoscaler".to_owned(),
                (None, requested) => format!(
                    "it has no HPA {}; it has {listed}",
                    requested.unwrap_or_default()
                ),
            };
            Err(Failure::error(
                format!("{file}: {found}"),
                "name the HPA, as in `simulate web -f hpa.yaml`",
            ))
        }
    }
}

/// `shop/web (Deployment/web)`.
fn listed(all: &[&Manifest]) -> String {
    let listed = all.iter().map(|it| {
        let (own, target) = (&it.metadata, &it.spec.scale_target_ref);
        let slash = if own.namespace.is_empty() { "" } else { "/" };
        format!(
            "{}{slash}{} ({}/{})",
            own.namespace, own.name, target.kind, target.name
        )
    });
    listed.collect::<Vec<_>>().join(", ")
}

/// The one HPA that is meant, of a file or of a cluster.
pub fn only_one(
    requested: Option<&str>,
    namespace: Option<&str>,
    snapshot: Option<&Path>,
    connection: &Connection,
    terminal: &mut Terminal,
) -> anyhow::Result<Snapshot> {
    if let Some(path) = snapshot {
        let snapshots = snapshots(path, read_file(path)?, given(namespace), terminal)?;
        let file = name(path);
        let found = only(&file, requested, &snapshots)?.cloned();
        return found.ok_or_else(|| missing(&file, requested, &snapshots, ""));
    }
    let names: Vec<String> = requested.map(str::to_owned).into_iter().collect();
    let collected = read_named(&names, connection, namespace, false, terminal)?;
    let mut collected = collected.into_iter();
    match (collected.next(), collected.next()) {
        (Some(only), None) => only,
        _ => Err(several(&names.join(", "))),
    }
}

/// What is said of an HPA that could not be stored today.
pub(super) fn refused(hpa: &HorizontalPodAutoscaler, rules: Rules) -> Option<String> {
    let mut refusals = refusals(hpa, rules);
    refusals.dedup();
    (!refusals.is_empty()).then(|| {
        format!(
            "the API server would refuse this HPA today, but the controller still runs it: {}",
            refusals.join("; ")
        )
    })
}

/// Whose rules are taken where nobody said so.
pub(super) fn rules_assumed(settings: &Settings) -> Vec<String> {
    let release = &settings.basis().release;
    let assumed = release.is_unheard_of().then(|| release.describe());
    assumed.into_iter().collect()
}

/// Every spec with what it is called.
pub(super) fn all<'s>(own: &'s HpaSpec, others: &'s [Candidate]) -> Vec<(&'s str, &'s HpaSpec)> {
    let others = others.iter().map(|it| (it.name.as_str(), &it.spec));
    std::iter::once((NOW, own)).chain(others).collect()
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
            "{}: scaling is disabled at 0 replicas, so nothing changes; --replicas 1 starts with one \
             pod",
            names.join(", ")
        )
    })
}

/// What is said of the metrics that no load is of, of any of the specs, with
/// what the pass of today makes of them.
pub(super) fn left_out(
    specs: &[(&str, &HpaSpec)],
    driven: &MetricSpec,
    today: Option<&Trace>,
) -> Vec<String> {
    let all = || specs.iter().flat_map(|(_, spec)| &spec.metrics);
    let own = metric_label(driven, all());
    let record = |metric: &MetricSpec| {
        let mut metrics = specs.first()?.1.metrics.iter();
        let index = metrics.position(|it| it.measures_the_same(metric))?;
        today?.metrics.get(index)
    };
    let asks = |metric: &MetricSpec| record(metric).and_then(MetricRecord::asks_for);
    let mut names = BTreeSet::new();
    let (mut notes, mut others) = (Vec::new(), Vec::new());
    for metric in all().filter(|it| !it.measures_the_same(driven)) {
        let name = metric_label(metric, all());
        if !names.insert(name.clone()) {
            continue;
        }
        let fails = record(metric).is_some_and(MetricRecord::is_invalid);
        match (asks(metric), asks(driven)) {
            _ if fails => notes.push(format!(
                "{name} fails now, which blocks scale-downs; the simulation assumes that this is \
                 fixed"
            )),
            (Some(more), Some(less)) if more > less => notes.push(format!(
                "{name} is left out, although it asks for {more} now and {own} for {less}; \
                 --metric {name} simulates it"
            )),
            _ => others.push(name),
        }
    }
    if !others.is_empty() {
        notes.push(format!(
            "{} left out, assumed never to ask for more than {own}",
            others.join(", ")
        ));
    }
    notes
}

/// What is said of pods that do not count today.
pub(super) fn set_aside(today: &Trace) -> Option<String> {
    today.has_set_aside().then(|| {
        "pods have no sample or are not Ready now; the simulation begins with healthy pods"
            .to_owned()
    })
}
