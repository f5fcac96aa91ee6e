//! Which HPAs a command is about: those that are named, or all of a namespace or
//! of a cluster; read one by one, or by a handful of lists, or from a file.

use std::path::Path;

use clap::Args;
use jiff::{SignedDuration, Timestamp};

use super::commands::capture::Gaps;
use super::live::collect_all;
use super::options::name;
use crate::api::{ConditionKind, ConditionStatus, HorizontalPodAutoscaler, Selector, Wording};
use crate::cli::select::{Selection, all_found, readable};
use crate::cli::session::{Session, as_far_as_read};
use crate::cli::{connection::Connection, kind, terminal::Terminal};
use crate::collect::{Cluster, RoomReading, Scope, survey};
use crate::snapshot::{Document, Snapshot};

#[derive(Clone, Debug, Default, Args)]
pub struct Which {
    /// Which HPAs: NAME, hpa/NAME, deploy/NAME of a target, or pod/NAME; all of
    /// the namespace without a name
    #[arg(value_name = "NAME", value_parser = name)]
    pub names: Vec<String>,
    /// HPAs of this namespace
    #[arg(short, long)]
    pub namespace: Option<String>,
    /// HPAs of all namespaces
    #[arg(short = 'A', long, conflicts_with_all = ["names", "namespace"])]
    pub all_namespaces: bool,
    /// Only HPAs whose labels match, such as app=web
    #[arg(short = 'l', long, value_name = "SELECTOR", value_parser = selector, conflicts_with = "names")]
    pub selector: Option<Selector>,
}

/// Reads a label selector.
fn selector(text: &str) -> Result<Selector, String> {
    Selector::parse(text, Wording::LabelKey).map_err(|error| error.to_string())
}

/// What was read.
pub struct Read {
    pub snapshots: Vec<Snapshot>,
    /// Why those that were named could not be read.
    errors: Vec<anyhow::Error>,
    /// Whether others could not be read.
    pub has_failed: bool,
}

impl Read {
    /// Says why some could not be read.
    pub fn report(&self, terminal: &mut Terminal) {
        for error in &self.errors {
            terminal.fail(error);
        }
    }
}

impl Which {
    /// The namespace; as in kubectl, an empty one was not given.
    pub fn namespace(&self) -> Option<&str> {
        let namespace = self.namespace.as_deref();
        namespace.filter(|name| !name.is_empty() && !self.all_namespaces)
    }

    /// Those of a file. Without `-n`, that is all of them.
    pub fn of_file(
        &self,
        path: &Path,
        documents: Vec<Document>,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Read> {
        let file = kind::name(path);
        let (mut snapshots, mut has_failed) = (Vec::new(), false);
        let in_scope = readable(&documents).filter(|it| self.is_of_scope(it));
        all_found(&file, &self.names, &documents, in_scope)?;
        for document in documents {
            terminal.warn_of(&file, &document);
            match document.snapshot {
                Ok(snapshot) => snapshots.push(snapshot),
                Err(error) => {
                    terminal.complain(&format!("error: {file}:{error}"));
                    has_failed = true;
                }
            }
        }
        snapshots.retain(|it| self.is_of_scope(it) && Selection::any_matches(&self.names, it));
        Ok(Read {
            snapshots,
            errors: Vec::new(),
            has_failed,
        })
    }

    /// Whether it is of the namespace and has the labels.
    pub fn is_of_scope(&self, snapshot: &Snapshot) -> bool {
        let metadata = &snapshot.hpa.metadata;
        let labels = self.selector.as_ref();
        self.namespace()
            .is_none_or(|namespace| metadata.namespace == namespace)
            && labels.is_none_or(|labels| labels.matches(&metadata.labels))
    }

    /// Those of a cluster, for a command.
    /// Errors: no connection, no such HPA, or the HPAs cannot be listed.
    pub fn live(
        &self,
        command: &str,
        room: RoomReading,
        connection: &Connection,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Read> {
        terminal.text.live = true;
        as_far_as_read(async {
            let session = Session::open(connection, self.namespace()).await?;
            let mut cluster = Cluster::new(&session.reader);
            cluster.room = room;
            if self.names.is_empty() {
                self.many(command, &session, &cluster, terminal).await
            } else {
                self.named(&session, &cluster, terminal).await
            }
        })
    }

    async fn named(
        &self,
        session: &Session,
        cluster: &Cluster<'_>,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Read> {
        let collected = collect_all(&self.names, session, cluster).await?;
        session.report(terminal);
        let (mut snapshots, mut errors) = (Vec::new(), Vec::new());
        for snapshot in collected {
            match snapshot {
                Ok(snapshot) => snapshots.push(snapshot),
                Err(error) => errors.push(error),
            }
        }
        Ok(Read {
            snapshots,
            has_failed: !errors.is_empty(),
            errors,
        })
    }

    /// All of a namespace, or of all of them, from a handful of lists.
    async fn many(
        &self,
        command: &str,
        session: &Session,
        cluster: &Cluster<'_>,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Read> {
        let namespace = (!self.all_namespaces).then_some(session.namespace.as_str());
        let scope = Scope {
            namespace,
            labels: self.selector.as_ref(),
            tally: Some(session.tally()),
            metrics: Some(is_striking),
            whole: true,
            ..Scope::default()
        };
        let surveyed = survey(cluster, scope, Timestamp::now()).await;
        let surveyed = surveyed.map_err(|error| {
            let role = match namespace {
                Some(namespace) => {
                    format!("kubectl hpa-explain rbac {command} -n {namespace}")
                }
                None => format!("kubectl hpa-explain rbac {command} -A"),
            };
            session.not_listed(&error, "look at", namespace, &role)
        })?;
        session.report(terminal);
        let (mut snapshots, mut gaps, mut has_failed) = (Vec::new(), Gaps::default(), false);
        for snapshot in surveyed.snapshots() {
            match snapshot {
                Ok(snapshot) => {
                    gaps.note(&snapshot);
                    snapshots.push(snapshot);
                }
                Err(unusable) => {
                    terminal.complain(&format!("error: {unusable}"));
                    has_failed = true;
                }
            }
        }
        gaps.warn_of_unread(terminal);
        Ok(Read {
            snapshots,
            errors: Vec::new(),
            has_failed,
        })
    }
}

/// How long events are kept: what moved earlier did not flap since.
const EVENTS_LAST: SignedDuration = SignedDuration::from_hours(1);

/// Whether custom and external metrics, which take a request each, can tell
/// more of an HPA: where it moved of late, is in trouble or at `maxReplicas`,
/// and of one that KEDA made whether its metric is made up.
fn is_striking(hpa: &HorizontalPodAutoscaler, now: Timestamp) -> bool {
    let status = &hpa.status;
    let last = status.last_scale_time;
    let mut conditions = status.conditions.iter();
    last.is_some_and(|at| now.duration_since(at) < EVENTS_LAST)
        || conditions.any(|it| {
            it.kind != ConditionKind::ScalingLimited && it.status == ConditionStatus::False
        })
        || hpa.scaled_object().is_some()
        || status.current_replicas >= hpa.spec.max_replicas
}
