//! The HPAs of a cluster that are named, and the inputs of their passes.

use futures_util::stream::{self, StreamExt};
use jiff::Timestamp;

use super::select::{POD, as_title, did_you_mean};
use crate::api::HorizontalPodAutoscaler;
use crate::cli::session::{Session, until_interrupted};
use crate::cli::{connection::Connection, failure::Failure, select::Selection, terminal::Terminal};
use crate::collect::{Cluster, gather, owners};
use crate::document::snapshot::Snapshot;

/// How many HPAs are read at the same time.
pub const AT_ONCE: usize = 8;

/// One of the HPAs that are named: the inputs of its pass, or why they could not be read,
/// which is printed in its place.
pub type Collected = anyhow::Result<Snapshot>;

/// Connects, and reads the HPAs that are named, as far as they can be read.
pub fn read_named(
    requested: &[String],
    connection: &Connection,
    namespace: Option<&str>,
    reads_nodes: bool,
    terminal: &mut Terminal,
) -> anyhow::Result<Vec<Collected>> {
    until_interrupted(async {
        let session = Session::open(connection, namespace).await?;
        let mut cluster = Cluster::new(&session.reader);
        cluster.room.nodes = reads_nodes;
        let collected = collect_all(requested, &session, &cluster).await;
        session.report(terminal);
        collected
    })
}

/// That a target means several HPAs, where one is needed.
pub fn several(requested: &str) -> anyhow::Error {
    Failure::error(
        format!("several HPAs scale {requested}"),
        "name the HPA itself",
    )
}

/// The snapshots of the HPAs that are named, as far as they can be read.
pub async fn collect_all(
    requested: &[String],
    session: &Session,
    cluster: &Cluster<'_>,
) -> anyhow::Result<Vec<Collected>> {
    let names = names(requested, session, cluster).await?;
    let collected = stream::iter(names)
        .map(async |named| {
            let Named { name, hpa } = named;
            let namespace = &session.namespace;
            let collected = gather(cluster, (namespace, &name), hpa, Timestamp::now());
            let error = match collected.await {
                Err(error) if error.is_not_found() => error,
                other => return other.map_err(|error| session.failure(&error)),
            };
            let listed = cluster.autoscalers(namespace).await;
            let listed = listed.iter().flat_map(|it| it.iter());
            let near = did_you_mean(&name, listed.map(|it| it.metadata.name.as_str()));
            Err(match as_title(&name).or(near) {
                Some(more) => Failure::or(session.failure(&error), &more),
                None => session.failure(&error),
            })
        })
        .buffered(AT_ONCE);
    Ok(collected.collect().await)
}

/// An HPA that is wanted, as far as it is known.
pub struct Named {
    /// The HPA's name.
    pub name: String,
    hpa: Option<HorizontalPodAutoscaler>,
}

/// The HPAs that are named, or that point to a named target, each once.
/// Errors: no HPA points to a target, or which ones do cannot be read.
pub async fn names(
    requested: &[String],
    session: &Session,
    cluster: &Cluster<'_>,
) -> anyhow::Result<Vec<Named>> {
    let mut names: Vec<Named> = Vec::new();
    for text in requested {
        let found = match Selection::parse(text) {
            Selection::Autoscaler(name) => vec![Named { name, hpa: None }],
            Selection::Target { kind, name } => {
                pointing_to(text, (&kind, &name), session, cluster).await?
            }
        };
        for named in found {
            if !names.iter().any(|known| known.name == named.name) {
                names.push(named);
            }
        }
    }
    Ok(names)
}

async fn pointing_to(
    text: &str,
    (kind, name): (&str, &str),
    session: &Session,
    cluster: &Cluster<'_>,
) -> anyhow::Result<Vec<Named>> {
    let namespace = &session.namespace;
    let listed = cluster.autoscalers(namespace).await;
    let listed = listed.map_err(|error| session.failure(&error))?;
    let targets = if kind == POD {
        let owners = owners(&session.reader, namespace, name).await;
        let owners = owners.map_err(|error| session.failure(&error))?;
        owners.into_iter().map(|it| (it.kind, it.name)).collect()
    } else {
        vec![(kind.to_owned(), name.to_owned())]
    };
    let points_there = |hpa: &&HorizontalPodAutoscaler| {
        let target = &hpa.spec.scale_target_ref;
        let mut targets = targets.iter();
        targets.any(|(kind, name)| target.name == *name && target.kind.eq_ignore_ascii_case(kind))
    };
    let pointing = listed.iter().filter(points_there);
    let names: Vec<Named> = pointing
        .map(|hpa| Named {
            name: hpa.metadata.name.to_string(),
            hpa: Some(hpa.clone()),
        })
        .collect();
    if names.is_empty() {
        let owned = targets.last().filter(|_| kind == POD);
        let owned = owned.map_or_else(String::new, |(kind, name)| {
            format!(", a pod of {kind}/{name}")
        });
        let mut hint = format!("`kubectl get hpa -n {namespace}` lists the HPAs and their targets");
        if let Some(title) = as_title(text) {
            hint = format!("{hint}; {title}");
        }
        return Err(Failure::error(
            format!("no HPA in namespace {namespace} points to {text}{owned}"),
            hint,
        ));
    }
    Ok(names)
}
