//! The HPA that is simulated: of a manifest, a snapshot, or a cluster.

use std::path::Path;

use serde_json::Value;
use tokio::signal::ctrl_c;

use crate::cli::dry_run::candidates::at;
use crate::cli::dry_run::ground::{autoscaler as autoscaler_of, snapshots};
use crate::cli::failure::Failure;
use crate::cli::live::collect_all;
use crate::cli::select::{Numbered, Wanted, list, several};
use crate::cli::session::{Session, block_on};
use crate::cli::source::{name, read_text};
use crate::cli::terminal::Terminal;
use crate::controller::Release;
use crate::manifest::{self, Content, Manifest, Rules, accepted};
use crate::simulate::template;
use crate::snapshot::Snapshot;

use super::Simulate;

/// The HPA that is simulated.
pub struct Ground {
    /// The HPA with what is known of its pods.
    pub snapshot: Snapshot,
    /// The size to begin with.
    pub replicas: i32,
}

impl Ground {
    /// Reads it; in the inner result, what is wrong with a manifest.
    ///
    /// # Errors
    ///
    /// The file cannot be read or has no such HPA; the cluster cannot be
    /// asked.
    pub fn read(
        simulate: &Simulate,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Result<Self, Vec<String>>> {
        if let Some(path) = &simulate.files {
            return of_manifest(simulate, path);
        }
        let snapshot = match &simulate.snapshot {
            Some(path) => of_snapshot(simulate, path, terminal)?,
            None => of_cluster(simulate, terminal)?,
        };
        let scale = snapshot.scale.response.as_ref();
        let status = snapshot.horizontal_pod_autoscaler.status.current_replicas;
        let replicas = scale.map_or(status, |scale| scale.spec.replicas).max(0);
        Ok(Ok(Self { snapshot, replicas }))
    }
}

fn of_manifest(simulate: &Simulate, path: &Path) -> anyhow::Result<Result<Ground, Vec<String>>> {
    let hint = "-f takes a manifest with an HPA, or - for standard input";
    let release = simulate.settings.kubernetes_version;
    let release = release.unwrap_or(Release::ASSUMED).nearest_known();
    let gates = simulate.overrides().feature_gates;
    let rules = Rules::new(release, &gates);
    let documents = manifest::read(&read_text(path, hint)?, rules);
    let file = name(path);
    let manifests: Vec<&Manifest> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Ok(Content::Autoscaler(manifest)) => Some(&**manifest),
            _ => None,
        })
        .filter(|manifest| {
            let mut asked = simulate.name.iter();
            asked.all(|asked| asked.trim_start_matches("hpa/") == manifest.metadata.name)
        })
        .collect();
    let [manifest] = manifests.as_slice() else {
        let unread = documents.iter().filter_map(|it| it.content.as_ref().err());
        let unread: Vec<String> = unread.map(ToString::to_string).collect();
        let found = match manifests.len() {
            0 if !unread.is_empty() => unread.join("; "),
            0 => "holds no such HPA".to_owned(),
            several => format!("holds {several} HPAs"),
        };
        return Err(Failure::error(
            format!("{file}: {found}"),
            "give the name of the HPA that is meant, as in `simulate web -f hpa.yaml`",
        ));
    };
    let spec = match accepted(manifest, None, rules) {
        Ok(spec) => spec,
        Err(refusals) => {
            let refusals = refusals.iter().map(|refusal| at(&file, refusal));
            return Ok(Err(refusals.collect()));
        }
    };
    let replicas = spec.min_replicas.unwrap_or(1);
    let own = &manifest.metadata;
    let namespace = simulate.namespace().unwrap_or(&own.namespace);
    let namespace = if namespace.is_empty() {
        "default"
    } else {
        namespace
    };
    let mut hpa = autoscaler_of(namespace, &own.name, manifest);
    hpa.spec = spec;
    let hpa = serde_json::to_value(&hpa)?;
    let snapshot = template(&hpa, &Value::Null, &Value::Null, replicas);
    let snapshot = snapshot.map_err(|error| Failure::error(format!("{file}: {error}"), hint))?;
    Ok(Ok(Ground { snapshot, replicas }))
}

fn of_snapshot(
    simulate: &Simulate,
    path: &Path,
    terminal: &mut Terminal,
) -> anyhow::Result<Snapshot> {
    let snapshots = snapshots(path, simulate.namespace(), terminal)?;
    let asked = simulate.name.as_deref().unwrap_or_default();
    let wanted = Wanted::parse(asked);
    let found = snapshots.iter().filter(|it| wanted.matches(&it.snapshot));
    let found: Vec<&Numbered> = found.collect();
    match found.as_slice() {
        [only] => Ok(only.snapshot.clone()),
        [] => Err(Failure::error(
            format!(
                "horizontalpodautoscalers.autoscaling \"{asked}\" not found in {}",
                name(path)
            ),
            format!("it holds {}", list(snapshots.iter().map(|it| &it.snapshot))),
        )),
        all => Err(several(&name(path), asked, all)),
    }
}

fn of_cluster(simulate: &Simulate, terminal: &mut Terminal) -> anyhow::Result<Snapshot> {
    let wanted: Vec<String> = simulate.name.iter().cloned().collect();
    let collected = block_on(async {
        let session = Session::open(&simulate.connection, simulate.namespace()).await?;
        let collected = tokio::select! {
            collected = collect_all(&wanted, &session) => collected,
            _ = ctrl_c() => Err(Failure::error("interrupted", "nothing was simulated")),
        };
        session.report(terminal);
        collected
    })?;
    let mut collected = collected.into_iter();
    match (collected.next(), collected.next()) {
        (Some(only), None) => only,
        _ => Err(Failure::error(
            format!("several HPAs point to {}", wanted.join(", ")),
            "name the HPA itself",
        )),
    }
}
