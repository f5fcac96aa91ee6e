//! What both sides run on: the HPA and its inputs, from a file.

use std::mem;
use std::path::Path;

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};

use super::DryRun;
use super::candidates::{Files, Proposed};
use crate::cli::kind::name;
use crate::cli::past::reading::{Instant, Reading};
use crate::cli::select::{Numbered, Selection, missing, only, unreadable};
use crate::cli::{failure::Refused, options::given, terminal::Terminal};
use crate::document::snapshot::{Document, History, OtherAutoscaler, Snapshot};
use crate::history::Observer;

/// What both sides run on.
pub struct Baseline {
    /// The HPA and its inputs. Of an HPA that does not exist yet, with the
    /// spec that comes first.
    pub snapshot: Snapshot,
    /// The specs to try.
    pub proposal: Proposed,
    /// The moment of the pass.
    pub at: Timestamp,
    /// What was seen of earlier passes.
    pub observer: Observer,
    /// The inputs of now, where those of a time ago were scraped.
    pub today: Option<Box<Snapshot>>,
}

impl Baseline {
    /// Reads a snapshot or a moment of a record.
    /// Errors: the file cannot be read, or has no such HPA; something is wrong with the
    /// candidates.
    pub fn read(dry_run: &DryRun, files: &Files, terminal: &mut Terminal) -> anyhow::Result<Self> {
        let (past, overrides) = (&dry_run.past, dry_run.settings.overrides());
        let (names, namespace) = (dry_run.name.as_slice(), given(dry_run.namespace.as_deref()));
        if let Some(moment) = past.moment(names, namespace, &overrides, terminal)? {
            return Ok(Self {
                at: moment.at,
                observer: moment.observer,
                ..Self::on(moment.snapshot, files, dry_run)?
            });
        }
        let file = past.files.documents(dry_run.snapshot.as_deref())?;
        let (path, documents) = file.context("a file or a moment of a record")?;
        let snapshots = snapshots(path, documents, namespace, terminal)?;
        let requested = dry_run.name.as_deref();
        let mut baseline = match only(&name(path), requested, &snapshots)? {
            Some(only) => Self::on(only.clone(), files, dry_run)?,
            None => new(requested, &snapshots, files, dry_run)?.ok_or_else(|| {
                let more =
                    "; to try a new one, give its manifest with -f, for one of these targets";
                missing(&name(path), requested, &snapshots, more)
            })?,
        };
        baseline.read_past(dry_run, terminal)?;
        Ok(baseline)
    }

    /// The HPA of a snapshot.
    fn on(snapshot: Snapshot, files: &Files, dry_run: &DryRun) -> Result<Self, Refused> {
        let rules = dry_run.settings.rules(&snapshot);
        let proposal = Proposed::of(snapshot.hpa.clone(), false, files, &dry_run.set, rules)?;
        Ok(Self::of(proposal, snapshot))
    }

    /// A proposal on the inputs of its target. Of an HPA that does not exist yet
    /// the controller knows nothing.
    pub fn of(proposal: Proposed, mut snapshot: Snapshot) -> Self {
        snapshot.hpa.clone_from(&proposal.hpa);
        if proposal.is_new {
            snapshot.history = Some(History {
                recommendations: Some(Vec::new()),
                scale_up_events: Some(Vec::new()),
                scale_down_events: Some(Vec::new()),
            });
        }
        Self {
            at: snapshot.captured_at,
            snapshot,
            proposal,
            observer: Observer::default(),
            today: None,
        }
    }

    /// Adds what was seen of earlier passes. With a Prometheus and a time, both
    /// sides begin so long ago, on the inputs of then.
    /// Errors: it cannot be read, or nothing was scraped then.
    pub fn read_past(&mut self, dry_run: &DryRun, terminal: &mut Terminal) -> anyhow::Result<()> {
        let overrides = dry_run.settings.overrides();
        let mut reading = Reading::new(&overrides, &dry_run.connection);
        let files = &dry_run.past.files;
        let start = dry_run.duration.filter(|_| files.prometheus.is_given());
        let now = self.snapshot.captured_at;
        let start = start.map(|it| now - SignedDuration::from_secs(it));
        if let Some(start) = start {
            reading = reading.of_time((start, now));
        }
        let past_passes = files.read([&self.snapshot], reading, terminal)?;
        self.observer = past_passes.of(&self.snapshot).clone();
        if let Some(start) = start {
            reading.at = Some(Instant::At(start));
            let found = past_passes.scraped_moment(&self.snapshot, &reading)?;
            if let Some((at, moment)) = found {
                let mut then = moment.snapshot;
                // Both sides are specs of today.
                let own = &self.snapshot.hpa.spec;
                then.hpa.spec = own.clone();
                let today = mem::replace(&mut self.snapshot, then);
                (self.at, self.observer) = (at, moment.observer);
                self.today = Some(Box::new(today));
            }
        }
        Ok(())
    }
}

/// The snapshots of a file that can be read, of a namespace if one is given.
pub fn snapshots(
    path: &Path,
    documents: Vec<Document>,
    namespace: Option<&str>,
    terminal: &mut Terminal,
) -> anyhow::Result<Vec<Numbered>> {
    let mut snapshots = Vec::new();
    let name = name(path);
    if let Some(error) = unreadable(&name, &documents) {
        return Err(error);
    }
    for document in documents {
        terminal.warn_of(&name, &document);
        match document.snapshot {
            Ok(snapshot) => snapshots.push(Numbered {
                document: document.number,
                snapshot,
            }),
            Err(error) => terminal.complain(&format!("warning: {name}:{error}")),
        }
    }
    snapshots.retain(|Numbered { snapshot, .. }| {
        let own = &snapshot.hpa.metadata.namespace;
        namespace.is_none_or(|requested| own == requested)
    });
    Ok(snapshots)
}

/// A new HPA, on the inputs of the HPA that has its target.
fn new(
    requested: Option<&str>,
    snapshots: &[Numbered],
    files: &Files,
    dry_run: &DryRun,
) -> Result<Option<Baseline>, Refused> {
    let Some(Selection::Autoscaler(name)) = &requested.map(Selection::parse) else {
        return Ok(None);
    };
    let mut snapshots = snapshots.iter().map(|it| &it.snapshot);
    let Some(first) = snapshots.clone().next() else {
        return Ok(None);
    };
    let own = &first.hpa.metadata.namespace;
    let namespace = given(dry_run.namespace.as_deref())
        .unwrap_or(own)
        .to_owned();
    let rules = dry_run.settings.rules(first);
    let Some(hpa) = files.autoscaler((&namespace, name), rules)? else {
        return Ok(None);
    };
    let proposal = Proposed::of(hpa, true, files, &dry_run.set, rules)?;
    let target = &proposal.hpa.spec.scale_target_ref;
    let has_target = |snapshot: &&Snapshot| {
        let hpa = &snapshot.hpa;
        hpa.metadata.namespace == *namespace && hpa.spec.scale_target_ref.is_same_target(target)
    };
    let Some(like) = snapshots.find(has_target) else {
        return Err(Refused(vec![format!(
            "{}: it is a new HPA for {}/{}, and the snapshot has no inputs of that target",
            files.first_name(),
            target.kind,
            target.name
        )]));
    };
    let mut snapshot = like.clone();
    let other = &like.hpa.metadata;
    let selector = like.scale.response();
    snapshot.other_autoscalers.push(OtherAutoscaler {
        namespace: other.namespace.to_string(),
        name: other.name.to_string(),
        selector: selector.map_or_else(String::new, |scale| scale.status.selector.clone()),
    });
    Ok(Some(Baseline::of(proposal, snapshot)))
}
