//! HPAs of a cluster: those that are named one by one, many by a handful of
//! lists.

use jiff::{SignedDuration, Timestamp};

use crate::api::{ConditionKind, ConditionStatus, HorizontalPodAutoscaler};
use crate::cli::commands::capture::Gaps;
use crate::cli::live::collect_all;
use crate::cli::session::{Session, as_far_as_read};
use crate::cli::terminal::Terminal;
use crate::collect::{Cluster, Scope, survey};

use super::{Flaps, Judged};

/// Judges HPAs of a cluster.
///
/// # Errors
///
/// No connection, no such HPA, or the HPAs cannot be listed.
pub fn run(flaps: &Flaps, terminal: &mut Terminal) -> anyhow::Result<Judged> {
    terminal.text.live = true;
    as_far_as_read(async {
        let session = Session::open(&flaps.connection, flaps.namespace()).await?;
        if flaps.names.is_empty() {
            many(flaps, &session, terminal).await
        } else {
            named(flaps, &session, terminal).await
        }
    })
}

async fn named(
    flaps: &Flaps,
    session: &Session,
    terminal: &mut Terminal,
) -> anyhow::Result<Judged> {
    let cluster = Cluster::new(&session.reader);
    let collected = collect_all(&flaps.names, session, &cluster).await?;
    session.report(terminal);
    let (mut snapshots, mut errors) = (Vec::new(), Vec::new());
    for snapshot in collected {
        match snapshot {
            Ok(snapshot) => snapshots.push(snapshot),
            Err(error) => errors.push(error),
        }
    }
    let judged = flaps.judge_all(&snapshots, !errors.is_empty(), terminal)?;
    for error in &errors {
        terminal.fail(error);
    }
    Ok(judged)
}

/// All of a namespace, or of all of them, from a handful of lists.
async fn many(flaps: &Flaps, session: &Session, terminal: &mut Terminal) -> anyhow::Result<Judged> {
    let namespace = (!flaps.all_namespaces).then_some(session.namespace.as_str());
    let scope = Scope {
        namespace,
        labels: flaps.selector.as_ref(),
        tally: Some(session.tally()),
        metrics: Some(is_striking),
        whole: true,
        ..Scope::default()
    };
    let cluster = Cluster::new(&session.reader);
    let surveyed = survey(&cluster, scope, Timestamp::now()).await;
    let surveyed = surveyed.map_err(|error| {
        let role = match namespace {
            Some(namespace) => format!("kubectl hpa-explain rbac flaps -n {namespace}"),
            None => "kubectl hpa-explain rbac flaps -A".to_owned(),
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
    flaps.judge_all(&snapshots, has_failed, terminal)
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
