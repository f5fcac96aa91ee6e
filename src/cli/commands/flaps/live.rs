//! HPAs of a cluster: those that are named with all that there is, many by a
//! handful of lists first, and then those that stand out one by one.

use futures_util::stream::{self, StreamExt};
use jiff::Timestamp;

use crate::api::HorizontalPodAutoscaler;
use crate::cli::failure::Failure;
use crate::cli::live::{AT_ONCE, collect_all};
use crate::cli::session::{Session, until_interrupted};
use crate::cli::terminal::Terminal;
use crate::collect::{Cluster, CollectError, Scope, Survey, collect_known, survey};
use crate::snapshot::Snapshot;
use crate::trace::{FlapState, Flaps as Answer};

use super::{Flaps, Judged};

/// Judges HPAs of a cluster.
///
/// # Errors
///
/// No connection, no such HPA, or the HPAs cannot be listed.
pub fn run(flaps: &Flaps, terminal: &mut Terminal) -> anyhow::Result<Judged> {
    terminal.text.live = true;
    until_interrupted(async {
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
    for snapshot in collected {
        match snapshot {
            Ok(snapshot) => judged.items.push(flaps.judge(&snapshot, &past_passes)?),
            Err(error) => judged.fail(&error, terminal),
        }
    }
    Ok(judged)
}

/// All of a namespace, or of all of them.
async fn many(flaps: &Flaps, session: &Session, terminal: &mut Terminal) -> anyhow::Result<Judged> {
    let namespace = (!flaps.all_namespaces).then_some(session.namespace.as_str());
    let scope = Scope {
        namespace,
        labels: flaps.selector.as_ref(),
        tally: Some(session.tally()),
        ..Scope::default()
    };
    let cluster = Cluster::new(&session.reader);
    let surveyed = survey(&cluster, scope, Timestamp::now()).await;
    let surveyed = surveyed.map_err(|error| not_listed(&error, session, namespace))?;
    let mut judged = Judged::default();
    let (calm, striking) = sifted(flaps, &surveyed, &mut judged, terminal);
    judged.items.extend(calm);
    // Who else writes the size, and what KEDA does, no list tells.
    let looked = stream::iter(striking)
        .map(|(answer, hpa)| {
            let cluster = &cluster;
            async move { (answer, collect_known(cluster, hpa, Timestamp::now()).await) }
        })
        .buffered(AT_ONCE);
    let looked: Vec<(Answer, Result<Snapshot, CollectError>)> = looked.collect().await;
    session.report(terminal);
    let closer = looked
        .iter()
        .filter_map(|(_, snapshot)| snapshot.as_ref().ok());
    let past_passes = flaps.past_passes(closer, terminal)?;
    for (answer, snapshot) in &looked {
        let item = match snapshot {
            Ok(snapshot) => flaps.judge(snapshot, &past_passes)?,
            // What the lists told stands, and that it is no more than that.
            Err(error) => {
                judged.fail(&session.failure(error), terminal);
                answer.clone()
            }
        };
        judged.items.push(item);
    }
    Ok(judged)
}

/// An HPA that a closer look is worth, as it looks from afar.
type Striking = (Answer, HorizontalPodAutoscaler);

/// Judges by the lists alone: those of which no more is to be said, and those
/// that are worth requests of their own.
fn sifted(
    flaps: &Flaps,
    surveyed: &Survey,
    judged: &mut Judged,
    terminal: &mut Terminal,
) -> (Vec<Answer>, Vec<Striking>) {
    let (mut calm, mut striking) = (Vec::new(), Vec::new());
    // What files tell of the past is read for those that are looked at.
    let is_looked_at = !flaps.past.files.is_empty();
    for snapshot in surveyed.snapshots() {
        match snapshot {
            Ok(snapshot) => {
                let answer = flaps.glance(&snapshot);
                if is_looked_at || is_striking(&answer, &snapshot.horizontal_pod_autoscaler) {
                    striking.push((answer, snapshot.horizontal_pod_autoscaler));
                } else {
                    calm.push(answer);
                }
            }
            Err(unusable) => {
                let (namespace, name) = (&unusable.namespace, &unusable.name);
                terminal.complain(&format!("error: {namespace}/{name}: {}", unusable.reason));
                judged.has_failed = true;
            }
        }
    }
    (calm, striking)
}

/// Whether a closer look can tell more: of ups and downs who else had a hand
/// in them, of one that KEDA made whether its metric is made up, and at
/// `maxReplicas` what metrics say that no list asks for.
fn is_striking(answer: &Answer, hpa: &HorizontalPodAutoscaler) -> bool {
    let is_at_max = hpa.status.current_replicas >= hpa.spec.max_replicas;
    answer.state != FlapState::Calm
        || answer.swing.is_some()
        || hpa.scaled_object().is_some()
        || is_at_max
}

fn not_listed(error: &CollectError, session: &Session, namespace: Option<&str>) -> anyhow::Error {
    if !error.is_forbidden() {
        return session.failure(error);
    }
    let role = match namespace {
        Some(namespace) => format!("kubectl hpa-explain rbac flaps -n {namespace}"),
        None => "kubectl hpa-explain rbac flaps -A".to_owned(),
    };
    let role = format!("`{role}` prints the role that is needed");
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
