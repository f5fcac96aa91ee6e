//! HPAs of a cluster: those that are named one by one, many by a handful of
//! lists.

use jiff::{SignedDuration, Timestamp};

use crate::api::{ConditionKind, ConditionStatus, HorizontalPodAutoscaler};
use crate::cli::commands::capture::Gaps;
use crate::cli::failure::Failure;
use crate::cli::live::collect_all;
use crate::cli::session::{Session, as_far_as_read};
use crate::cli::terminal::Terminal;
use crate::collect::{Cluster, CollectError, Scope, survey};

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

/// Those that are named.
async fn named(
    flaps: &Flaps,
    session: &Session,
    terminal: &mut Terminal,
) -> anyhow::Result<Judged> {
    let collected = collect_all(&flaps.names, session).await?;
    session.report(terminal);
    let mut judged = Judged::default();
    let past_passes = flaps.past_passes(collected.iter().flatten(), terminal)?;
    judged.has_failed |= past_passes.is_incomplete;
    for snapshot in collected {
        match snapshot {
            Ok(snapshot) => judged.items.push(flaps.judge(&snapshot, &past_passes)?),
            Err(error) => judged.fail(&error, terminal),
        }
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
    let surveyed = surveyed.map_err(|error| not_listed(&error, session, namespace))?;
    session.report(terminal);
    let mut judged = Judged::default();
    let (mut snapshots, mut gaps) = (Vec::new(), Gaps::default());
    for snapshot in surveyed.snapshots() {
        match snapshot {
            Ok(snapshot) => {
                gaps.note(&snapshot);
                snapshots.push(snapshot);
            }
            Err(unusable) => {
                let (namespace, name) = (&unusable.namespace, &unusable.name);
                terminal.complain(&format!("error: {namespace}/{name}: {}", unusable.reason));
                judged.has_failed = true;
            }
        }
    }
    gaps.warn_of_unread(terminal);
    let past_passes = flaps.past_passes(snapshots.iter(), terminal)?;
    judged.has_failed |= past_passes.is_incomplete;
    for snapshot in &snapshots {
        judged.items.push(flaps.judge(snapshot, &past_passes)?);
    }
    Ok(judged)
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

fn not_listed(error: &CollectError, session: &Session, namespace: Option<&str>) -> anyhow::Error {
    if !error.is_forbidden() {
        return session.failure(error);
    }
    let role = match namespace {
        Some(namespace) => format!("kubectl hpa-explain rbac flaps -n {namespace}"),
        None => "kubectl hpa-explain rbac flaps -A".to_owned(),
    };
    let role = format!("`{role}` prints the required role");
    let hint = match namespace {
        None => format!("look at one namespace with -n; {role}"),
        Some(_) => role,
    };
    Failure::stated(error.to_string(), hint)
}

impl Judged {
    /// An HPA of several that cannot be read.
    fn fail(&mut self, error: &anyhow::Error, terminal: &mut Terminal) {
        self.has_failed = true;
        for line in Failure::lines(error) {
            terminal.complain(&line);
        }
    }
}
