//! What both sides run on: the HPA and its inputs, from a file.

use std::path::Path;

use jiff::Timestamp;

use crate::cli::failure::Refused;
use crate::cli::kind::read_file;
use crate::cli::options::given;
use crate::cli::past::Reading;
use crate::cli::select::{Numbered, Selection, missing, only, unreadable};
use crate::cli::source::name;
use crate::cli::terminal::Terminal;
use crate::diagnose::Candidate;
use crate::history::Observer;
use crate::snapshot::{History, OtherAutoscaler, Snapshot};

use super::DryRun;
use super::candidates::{Files, Proposed};

/// What both sides run on.
pub struct Baseline {
    /// The HPA and its inputs. Of an HPA that does not exist yet, with the
    /// spec that comes first.
    pub snapshot: Snapshot,
    /// The moment of the pass.
    pub at: Timestamp,
    /// What was seen of earlier passes.
    pub observer: Observer,
    /// Whether the HPA does not exist yet.
    pub is_new: bool,
    /// What is not as in the inputs.
    pub remarks: Vec<String>,
    /// The specs to try.
    pub candidates: Vec<Candidate>,
}

impl Baseline {
    /// Reads a snapshot or a moment of a record.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or has no such HPA; something is wrong with
    /// the candidates.
    pub fn read(dry_run: &DryRun, files: &Files, terminal: &mut Terminal) -> anyhow::Result<Self> {
        let (past, overrides) = (&dry_run.past, dry_run.settings.overrides());
        let (names, namespace) = (dry_run.name.as_slice(), given(dry_run.namespace.as_deref()));
        if let Some(moment) = past.moment(names, namespace, &overrides, terminal)? {
            return Ok(Self {
                at: moment.at,
                observer: moment.observer,
                ..Self::existing(dry_run, files, moment.snapshot)?
            });
        }
        let path = dry_run.snapshot.as_deref().unwrap_or(Path::new("-"));
        let snapshots = snapshots(path, namespace, terminal)?;
        let requested = dry_run.name.as_deref();
        let baseline = match only(&name(path), requested, &snapshots)? {
            Some(only) => Self::existing(dry_run, files, only.clone())?,
            None => new(requested, &snapshots, files, dry_run)?.ok_or_else(|| {
                let more =
                    "; to try a new one, give its manifest with -f, for one of these targets";
                missing(&name(path), requested, &snapshots, more)
            })?,
        };
        let reading = Reading::new(&overrides, &dry_run.connection);
        let past_passes = past.files.read([&baseline.snapshot], reading, terminal)?;
        let observer = past_passes.of(&baseline.snapshot).clone();
        Ok(Self {
            observer,
            ..baseline
        })
    }

    /// An HPA that exists.
    fn existing(dry_run: &DryRun, files: &Files, snapshot: Snapshot) -> Result<Self, Refused> {
        let rules = dry_run.settings.rules(&snapshot);
        let hpa = snapshot.horizontal_pod_autoscaler.clone();
        let proposal = Proposed::of(hpa, files, &dry_run.set, rules)?;
        Ok(Self::of(proposal, snapshot))
    }

    /// A proposal on the inputs of its target. Of an HPA that does not exist yet
    /// the controller knows nothing.
    pub fn of(proposal: Proposed, mut snapshot: Snapshot) -> Self {
        let Proposed {
            hpa,
            is_new,
            remarks,
            candidates,
        } = proposal;
        snapshot.horizontal_pod_autoscaler = hpa;
        if is_new {
            snapshot.history = Some(History {
                recommendations: Some(Vec::new()),
                scale_up_events: Some(Vec::new()),
                scale_down_events: Some(Vec::new()),
            });
        }
        Self {
            at: snapshot.captured_at,
            snapshot,
            observer: Observer::default(),
            is_new,
            remarks,
            candidates,
        }
    }
}

/// The snapshots of a file that can be read, of a namespace if one is given.
pub fn snapshots(
    path: &Path,
    namespace: Option<&str>,
    terminal: &mut Terminal,
) -> anyhow::Result<Vec<Numbered>> {
    let mut snapshots = Vec::new();
    let name = name(path);
    let documents = read_file(path)?;
    if let Some(error) = unreadable(&name, &documents) {
        return Err(error);
    }
    for document in documents {
        for warning in document.warning_lines() {
            terminal.complain(&format!("warning: {name}: {warning}"));
        }
        match document.snapshot {
            Ok(snapshot) => snapshots.push(Numbered {
                document: document.number,
                snapshot,
            }),
            Err(error) => terminal.complain(&format!("warning: {name}:{error}")),
        }
    }
    snapshots.retain(|Numbered { snapshot, .. }| {
        let own = &snapshot.horizontal_pod_autoscaler.metadata.namespace;
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
    let own = &first.horizontal_pod_autoscaler.metadata.namespace;
    let namespace = given(dry_run.namespace.as_deref())
        .unwrap_or(own)
        .to_owned();
    let rules = dry_run.settings.rules(first);
    let proposal = Proposed::new((&namespace, name), files, &dry_run.set, rules)?;
    let Some(proposal) = proposal else {
        return Ok(None);
    };
    let target = &proposal.hpa.spec.scale_target_ref;
    let has_target = |snapshot: &&Snapshot| {
        let hpa = &snapshot.horizontal_pod_autoscaler;
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
    let other = &like.horizontal_pod_autoscaler.metadata;
    let selector = like.scale.response();
    snapshot.other_autoscalers.push(OtherAutoscaler {
        namespace: other.namespace.to_string(),
        name: other.name.to_string(),
        selector: selector.map_or_else(String::new, |scale| scale.status.selector.clone()),
    });
    Ok(Some(Baseline::of(proposal, snapshot)))
}
