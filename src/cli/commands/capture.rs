//! Freeze the inputs of HPAs: for a colleague, a bug report, a test; and say
//! what they lack, in a few short lines.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use futures_util::stream::{self, StreamExt};
use jiff::Timestamp;
use rayon::prelude::*;

use crate::cli::destination::{Artifact, Destination};
use crate::cli::failure::{Failure, Interrupted};
use crate::cli::live::{AT_ONCE, names};
use crate::cli::options::{name, scope_flag};
use crate::cli::session::{Session, until_interrupted};
use crate::cli::which::Gaps;
use crate::cli::{connection::Connection, exit::ExitStatus, terminal::Terminal};
use crate::collect::{Cluster, CollectError, Scope, Unusable, collect, survey};
use crate::document::snapshot::Snapshot;
use crate::render::{Format, OwnDocument, TextOptions};
use crate::trace::amount::counted;

/// How much more patience a whole namespace or cluster gets.
const WHOLE: u32 = 10;

#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  kubectl hpa-explain capture web -n shop --file web.yaml
  kubectl hpa-explain capture deploy/web -n shop -o yaml   print it
  kubectl hpa-explain capture -A --file all.jsonl          every HPA, JSON lines
  kubectl hpa-explain --snapshot web.yaml                  explain it anywhere",
    after_long_help = "\
What it holds: the HPA, the scale, the pods and metrics that the HPA looks at.
Redacted are images and node names (hashed), annotations, and the labels of
external series; what an explanation needs is not, so it stays the same. Names
and labels of objects, and the messages of the HPA, are kept. Never held are the
environment, commands and arguments of containers.

Named HPAs are written all or not at all. Of a namespace or a cluster, HPAs that
cannot be read are reported and the rest is written; the exit code is then 1.
Where the scale, the pods or metrics of an HPA cannot be read, the file says so,
and so does a warning; the file is whole then, and the exit code 0."
)]
pub struct Capture {
    /// Which HPAs: NAME, hpa/NAME, deploy/NAME of a target, or pod/NAME; all of
    /// the namespace without a name
    #[arg(value_name = "NAME", value_parser = name, conflicts_with = "all_namespaces")]
    names: Vec<String>,
    /// Print to standard output
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_enum)]
    format: Option<Notation>,
    /// Write to this file, readable for you alone: YAML, or a JSON document a
    /// line if its name ends in .json or .jsonl
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "format",
        conflicts_with = "format"
    )]
    file: Option<PathBuf>,
    /// The namespace of the HPAs
    #[arg(short, long)]
    namespace: Option<String>,
    /// Every HPA of every namespace
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Keep images, node names and annotations as they are
    #[arg(long)]
    no_redact: bool,
    #[command(flatten)]
    connection: Connection,
}

/// How the documents are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Notation {
    /// YAML documents
    #[default]
    Yaml,
    /// A JSON document a line
    Json,
}

/// Writes the inputs of HPAs to a file, or prints them.
/// Errors: no connection, an HPA that cannot be read, or nowhere to write.
pub fn run(capture: &Capture, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    let destination = match &capture.file {
        Some(file) => Destination::of(file, Artifact::Capture)?,
        None => Destination::Standard,
    };
    let done = until_interrupted(capture.run(&destination, terminal));
    if done.as_ref().is_err_and(anyhow::Error::is::<Interrupted>) {
        terminal.complain("interrupted: nothing was written");
    }
    done
}

impl Capture {
    async fn run(
        &self,
        destination: &Destination,
        terminal: &mut Terminal,
    ) -> anyhow::Result<ExitCode> {
        let times = if self.names.is_empty() { WHOLE } else { 1 };
        let namespace = self.namespace.as_deref();
        let session = Session::open_for(times, &self.connection, namespace).await?;
        let collected = self.collect(&session).await;
        session.report(terminal);
        let (documents, unread) = collected?;
        for unusable in &unread {
            terminal.complain(&format!("error: {unusable}"));
        }
        if documents.hpas == 0 {
            return Err(Failure::error(
                "none of the HPAs can be read; nothing was written",
                "name one to see the next step, as in `capture web -n shop`",
            ));
        }
        destination.write(&documents.bytes, terminal.out())?;
        self.report(destination, &documents, terminal);
        let namespace = (!self.all_namespaces).then_some(session.namespace.as_str());
        for line in documents.gaps.lines(&scope_flag(namespace)) {
            terminal.complain(&line);
        }
        Ok(ExitStatus::of(!unread.is_empty()).code(false))
    }

    /// The documents, and the HPAs that can be done without and cannot be
    /// read.
    async fn collect(&self, session: &Session) -> anyhow::Result<(Documents, Vec<Unusable>)> {
        let cluster = Cluster::patient(&session.reader);
        if self.names.is_empty() {
            return self.collect_all(session, &cluster).await;
        }
        let failed = |error: CollectError| session.failure(&error);
        let namespace = session.namespace.as_str();
        let named = names(&self.names, session, &cluster).await?;
        let mut collected = stream::iter(&named)
            .map(|it| collect(&cluster, namespace, &it.name, Timestamp::now()))
            .buffered(AT_ONCE);
        let mut documents = Documents::new(self.form());
        // What was named is wanted whole.
        while let Some(snapshot) = collected.next().await {
            self.add(vec![snapshot.map_err(failed)?], &mut documents)?;
        }
        Ok((documents, Vec::new()))
    }

    /// Those of a namespace or of all, from a handful of lists.
    async fn collect_all(
        &self,
        session: &Session,
        cluster: &Cluster<'_>,
    ) -> anyhow::Result<(Documents, Vec<Unusable>)> {
        let namespace = session.namespace.as_str();
        let scope = Scope {
            namespace: (!self.all_namespaces).then_some(namespace),
            tally: Some(session.tally()),
            metrics: Some(|_, _| true),
            whole: true,
            ..Scope::default()
        };
        let surveyed = survey(cluster, scope, Timestamp::now()).await;
        let surveyed = surveyed.map_err(|error| session.failure(&error))?;
        let mut snapshots = surveyed.snapshots();
        if snapshots.len() == 0 {
            let (message, hint) = match scope.namespace {
                Some(place) => (
                    format!("no HPA in namespace {place}"),
                    "-n takes another namespace, -A all of them",
                ),
                None => (
                    "no HPA in the cluster".to_owned(),
                    "`kubectl config current-context` shows which cluster it is",
                ),
            };
            return Err(Failure::error(message, hint));
        }
        let mut documents = Documents::new(self.form());
        let mut unread = Vec::new();
        while snapshots.len() > 0 {
            let (mut usable, some) = (Vec::new(), snapshots.by_ref().take(AT_ONCE));
            for snapshot in some {
                match snapshot {
                    Ok(snapshot) => usable.push(snapshot),
                    Err(unusable) => unread.push(unusable),
                }
            }
            self.add(usable, &mut documents)?;
        }
        Ok((documents, unread))
    }

    /// What was asked for, or what the file's name says.
    fn form(&self) -> Notation {
        let extension = self.file.as_deref().and_then(Path::extension);
        match extension.and_then(OsStr::to_str) {
            Some("json" | "jsonl") => Notation::Json,
            _ => self.format.unwrap_or_default(),
        }
    }

    /// Adds some at once: of many, to write them takes longer than to read them.
    fn add(&self, snapshots: Vec<Snapshot>, documents: &mut Documents) -> anyhow::Result<()> {
        let form = documents.form;
        let write = |snapshot: Snapshot| {
            let redacted = if self.no_redact {
                snapshot
            } else {
                snapshot.redacted()
            };
            let mut text = Vec::new();
            let format = match form {
                Notation::Json => Format::Json,
                Notation::Yaml => Format::Yaml,
            };
            format.write(&OwnDocument(&redacted), &TextOptions::default(), &mut text)?;
            Ok((redacted, text))
        };
        let written: io::Result<Vec<_>> = snapshots.into_par_iter().map(write).collect();
        for (snapshot, text) in written? {
            documents.add(&snapshot, &text);
        }
        Ok(())
    }

    fn report(&self, destination: &Destination, documents: &Documents, terminal: &mut Terminal) {
        if let Destination::File { name, .. } = destination {
            let file = name.display();
            let redacted = if self.no_redact { "" } else { ", redacted" };
            terminal.complain(&format!(
                "Wrote {file}: {}, {}{redacted}",
                counted(documents.hpas, "HPA"),
                counted(documents.pods, "pod"),
            ));
            terminal.complain(&format!(
                "Explain it with: kubectl hpa-explain --snapshot {file}"
            ));
        }
        if self.no_redact {
            terminal.complain("Warning: it is not redacted; check it before you share it");
        }
    }
}

/// The documents of a file, and what they hold.
#[derive(Default)]
struct Documents {
    form: Notation,
    bytes: Vec<u8>,
    hpas: usize,
    pods: usize,
    gaps: Gaps,
}

impl Documents {
    /// No document yet.
    fn new(form: Notation) -> Self {
        Self {
            form,
            ..Self::default()
        }
    }

    fn add(&mut self, snapshot: &Snapshot, text: &[u8]) {
        if self.form == Notation::Yaml && self.hpas > 0 {
            self.bytes.extend_from_slice(b"---\n");
        }
        self.bytes.extend_from_slice(text);
        self.hpas += 1;
        self.pods += snapshot.pods.len();
        self.gaps.note(snapshot);
    }
}
