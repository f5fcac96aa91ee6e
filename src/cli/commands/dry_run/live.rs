//! Both sides on the inputs of a cluster.

use std::process::ExitCode;

use jiff::Timestamp;

use crate::api::{HorizontalPodAutoscaler, HpaSpec, MetricSpec};
use crate::cli::live::{names, several};
use crate::cli::{ExitStatus, Session, Terminal, printer, until_interrupted};
use crate::collect::{Cluster, CollectError, autoscaler, dry_run_create, dry_run_patch, gather};
use crate::manifest::{Change, changes};
use crate::trace::ServerAnswer;
use crate::what_if::Candidate;

use super::DryRun;
use super::baseline::Baseline;
use super::candidates::{Files, Proposed};

/// Compares both sides on what a cluster tells.
///
/// # Errors
///
/// No connection, no such HPA, or one that cannot be read.
pub fn run(dry_run: &DryRun, files: &Files, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.text.live = true;
    until_interrupted(async {
        let session = Session::open(&dry_run.connection, dry_run.namespace.as_deref()).await?;
        compare_live(dry_run, files, &session, terminal).await
    })
}

async fn compare_live(
    dry_run: &DryRun,
    files: &Files,
    session: &Session,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let read = read(dry_run, files, session).await;
    session.report(terminal);
    let mut baseline = read?;
    baseline.read_past(dry_run, terminal)?;
    if dry_run.server_side {
        let (hpa, is_new) = (&baseline.snapshot.hpa, baseline.proposal.is_new);
        for candidate in &mut baseline.proposal.candidates {
            let answer = server_answers(session, hpa, is_new, candidate).await;
            let answer = answer.unwrap_or_else(|error| {
                terminal.fail(&session.failure(&error));
                ServerAnswer::NotAsked {
                    reason: error.reason(),
                }
            });
            candidate.server = Some(answer);
        }
        session.say_requests(terminal);
    }
    let answer = dry_run.compare(&baseline, terminal)?;
    printer::print(&answer, dry_run.output.format, false, terminal)?;
    let mut answers = answer.candidates.iter().filter_map(|it| it.server.as_ref());
    // A server that refuses a candidate, or cannot be asked, is a failure.
    let has_failed = answers.any(|it| {
        matches!(
            it,
            ServerAnswer::Refused { .. } | ServerAnswer::NotAsked { .. }
        )
    });
    Ok(ExitStatus::of(has_failed).code(false))
}

/// Reads the HPA, and then everything that any of the specs asks for. What is
/// wrong with one of these is found before.
async fn read(dry_run: &DryRun, files: &Files, session: &Session) -> anyhow::Result<Baseline> {
    let cluster = Cluster::new(&session.reader);
    let named = named(dry_run, session, &cluster);
    let (name, known) = cluster.with_settings(named).await?;
    let version = cluster.version_observed();
    let gates = cluster.flags().feature_gates;
    let rules = dry_run.settings.rules_of(version.as_deref(), gates);
    let is_new = known.is_none();
    let hpa = match known {
        None => files.autoscaler((&session.namespace, &name), rules)?,
        known => known,
    };
    let hpa = hpa.ok_or_else(|| session.failure(&CollectError::no_autoscaler(&name)))?;
    let proposal = Proposed::of(hpa, is_new, files, &dry_run.set, rules)?;
    let mut asking = proposal.hpa.clone();
    asking.spec.metrics = metrics(&proposal);
    let own = (session.namespace.as_str(), name.as_str());
    let collected = gather(&cluster, own, Some(asking), Timestamp::now()).await;
    let snapshot = collected.map_err(|error| session.failure(&error))?;
    Ok(Baseline::of(proposal, snapshot))
}

/// What the server would make of a candidate.
async fn server_answers(
    session: &Session,
    hpa: &HorizontalPodAutoscaler,
    is_new: bool,
    candidate: &Candidate,
) -> Result<ServerAnswer, CollectError> {
    let reader = &session.reader;
    let answer = if is_new {
        let mut hpa = hpa.clone();
        hpa.spec = candidate.spec.clone();
        dry_run_create(reader, &hpa).await
    } else {
        let patch = candidate.patch.as_ref();
        let patch = patch.map_or_else(|| "{}".to_owned(), |it| it.patch.clone());
        let own = (hpa.metadata.namespace.as_str(), hpa.metadata.name.as_str());
        dry_run_patch(reader, own, patch).await
    };
    match answer {
        Ok(mut stored) => {
            stored.spec.set_defaults();
            Ok(compared(&candidate.spec, &stored.spec))
        }
        Err(error) if error.is_about_the_object() => Ok(ServerAnswer::Refused {
            message: error.reason(),
        }),
        Err(error) => Err(error),
    }
}

/// What the server would store, held against what was sent.
fn compared(sent: &HpaSpec, stored: &HpaSpec) -> ServerAnswer {
    let all = changes(sent, stored).into_iter();
    let (dropped, other): (Vec<_>, Vec<_>) = all.partition(|it| it.to.is_none());
    let names = |changes: Vec<Change>| changes.into_iter().map(|it| it.field).collect();
    match (dropped.is_empty(), other.is_empty()) {
        (true, true) => ServerAnswer::Accepted,
        (false, true) => ServerAnswer::FieldsDropped {
            fields: names(dropped),
        },
        (_, false) => ServerAnswer::FieldsChanged {
            fields: names(other),
            dropped: names(dropped),
        },
    }
}

/// The HPA that is meant, if it exists.
async fn named(
    dry_run: &DryRun,
    session: &Session,
    cluster: &Cluster<'_>,
) -> anyhow::Result<(String, Option<HorizontalPodAutoscaler>)> {
    let requested = dry_run.name.clone().unwrap_or_default();
    let mut found = names(std::slice::from_ref(&requested), session, cluster).await?;
    let (Some(named), true) = (found.pop(), found.is_empty()) else {
        return Err(several(&requested));
    };
    let read = autoscaler(cluster, &session.namespace, &named.name).await;
    let hpa = read.map_err(|error| session.failure(&error))?;
    Ok((named.name, hpa))
}

/// Every metric that one of the specs asks for, once.
fn metrics(proposal: &Proposed) -> Vec<MetricSpec> {
    let mut metrics = proposal.hpa.spec.metrics.clone();
    for metric in proposal.candidates.iter().flat_map(|it| &it.spec.metrics) {
        if !metrics.contains(metric) {
            metrics.push(metric.clone());
        }
    }
    metrics
}
