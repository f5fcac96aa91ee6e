//! Which HPAs a command is about: those that are named, or all of a namespace or
//! of a cluster; read one by one, or by a handful of lists, or from a file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Error, anyhow};
use clap::Args;
use jiff::{SignedDuration, Timestamp};

use super::live::collect_all;
use super::options::{given, name, scope_flag};
use crate::api::{
    Answered, ConditionKind, ConditionStatus, HorizontalPodAutoscaler, ReadFailure,
    ReadFailureKind, Selector, Wording,
};
use crate::cli::select::{Selection, all_found, readable};
use crate::cli::session::{Session, as_far_as_read};
use crate::cli::{connection::Connection, kind, terminal::Terminal};
use crate::collect::{Cluster, RoomReading, Scope, survey};
use crate::document::snapshot::{Document, Part, Snapshot};

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
    #[arg(short = 'l', long, value_name = "SELECTOR", conflicts_with = "names",
        value_parser = |text: &str| Selector::parse(text, Wording::LabelKey))]
    pub selector: Option<Selector>,
}

/// What was read.
#[derive(Default)]
pub struct Read {
    pub snapshots: Vec<Snapshot>,
    /// Why others could not be read, as far as nobody has heard of it.
    errors: Vec<Error>,
    /// Whether others could not be read.
    pub has_failed: bool,
}

impl Read {
    fn of(results: impl Iterator<Item = anyhow::Result<Snapshot>>) -> Self {
        let mut read = Self::default();
        for result in results {
            match result {
                Ok(snapshot) => read.snapshots.push(snapshot),
                Err(error) => read.errors.push(error),
            }
        }
        read.has_failed = !read.errors.is_empty();
        read
    }

    /// The same, and says at once why some could not be read.
    fn reported(mut self, terminal: &mut Terminal) -> Self {
        self.report(terminal);
        self.errors.clear();
        self
    }

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
        given(self.namespace.as_deref()).filter(|_| !self.all_namespaces)
    }

    /// Those of a file. Without `-n`, that is all of them.
    pub fn of_file(
        &self,
        path: &Path,
        documents: Vec<Document>,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Read> {
        let file = kind::name(path);
        let in_scope = readable(&documents).filter(|it| self.is_of_scope(it));
        all_found(&file, &self.names, &documents, in_scope)?;
        let results = documents.into_iter().map(|document| {
            terminal.warn_of(&file, &document);
            document.snapshot.map_err(|error| anyhow!("{file}:{error}"))
        });
        let mut read = Read::of(results).reported(terminal);
        let is_wanted =
            |it: &Snapshot| self.is_of_scope(it) && Selection::any_matches(&self.names, it);
        read.snapshots.retain(is_wanted);
        Ok(read)
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
        Ok(Read::of(collected.into_iter()))
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
            let role = format!(
                "kubectl hpa-explain rbac {command} {}",
                scope_flag(namespace)
            );
            session.not_listed(&error, "look at", namespace, &role)
        })?;
        session.report(terminal);
        let results = surveyed.snapshots().map(|it| it.map_err(Error::from));
        let read = Read::of(results).reported(terminal);
        let mut gaps = Gaps::default();
        read.snapshots.iter().for_each(|it| gaps.note(it));
        gaps.warn_of_unread(terminal);
        Ok(read)
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

/// How often each part could not be read, and why.
#[derive(Default)]
pub struct Gaps(BTreeMap<Gap, usize>);

/// A part, why it could not be read, and whether a right is missing.
type Gap = (&'static str, String, bool);

impl Gaps {
    /// Notes what could not be read of an HPA; each part once for each reason.
    pub fn note(&mut self, snapshot: &Snapshot) {
        let not_read = snapshot.provenance.not_read.iter();
        let parts = not_read.filter_map(|one| match one.part {
            Part::Pods => Some(("pods", &one.reason)),
            Part::Events => Some(("events", &one.reason)),
            _ => None,
        });
        // What is measured on pods lacks for the same reason as they.
        let of_pods = parts.clone().find(|(part, _)| *part == "pods");
        let of_pods = of_pods.map(|(_, reason)| reason);
        let own = unreadable_answers(snapshot).filter(|(_, reason)| Some(*reason) != of_pods);
        let all = own.chain(parts);
        let all = all.filter(|(_, reason)| reason.kind != ReadFailureKind::NotAsked);
        let gaps: BTreeSet<Gap> = all.map(gap).collect();
        for gap in gaps {
            *self.0.entry(gap).or_default() += 1;
        }
    }

    /// Warns about what nobody refuses: what is too slow, or too large.
    pub fn warn_of_unread(mut self, terminal: &mut Terminal) {
        self.0.retain(|(_, _, is_forbidden), _| !is_forbidden);
        for line in self.lines("") {
            terminal.complain(&line);
        }
    }

    /// A warning for each part and reason, and the next step where it is a
    /// right that is missing. `place` is the scope as a flag.
    pub fn lines(&self, place: &str) -> Vec<String> {
        let warning = |((part, reason, _), &count): (&Gap, &usize)| {
            let (hpas, whose) = match count {
                1 => ("HPA", "its"),
                _ => ("HPAs", "their"),
            };
            format!("Warning: {count} {hpas} without {whose} {part} ({reason})")
        };
        let mut lines: Vec<String> = self.0.iter().map(warning).collect();
        if self.0.keys().any(|(_, _, is_forbidden)| *is_forbidden) {
            lines.push(format!(
                "hint: `kubectl hpa-explain rbac {place}` prints the role that reads it"
            ));
        }
        lines
    }
}

fn unreadable_answers(snapshot: &Snapshot) -> impl Iterator<Item = (&'static str, &ReadFailure)> {
    fn reason<T>(answer: &Answered<T>) -> Option<&ReadFailure> {
        match answer {
            Answered::Unreadable(reason) => Some(reason),
            _ => None,
        }
    }
    let metrics = &snapshot.metrics;
    let scale = reason(&snapshot.scale).map(|it| ("scale", it));
    let resource = metrics.resource.as_ref().and_then(reason);
    let custom = metrics.custom.iter().filter_map(|one| reason(&one.answer));
    let external = metrics
        .external
        .iter()
        .filter_map(|one| reason(&one.answer));
    scale
        .into_iter()
        .chain(resource.map(|it| ("pods' samples", it)))
        .chain(custom.map(|it| ("custom metrics", it)))
        .chain(external.map(|it| ("external metrics", it)))
}

/// A refusal names object, user and right: one word is enough for all.
fn gap((part, reason): (&'static str, &ReadFailure)) -> Gap {
    match reason.kind {
        ReadFailureKind::Refused => (part, "forbidden".to_owned(), true),
        _ => (part, reason.text.clone(), false),
    }
}
