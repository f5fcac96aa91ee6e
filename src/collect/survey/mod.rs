//! The inputs of many HPAs from a handful of lists: never a request per pod,
//! and one per HPA only for what no list holds. Each list is held once, and each snapshot
//! put together when it is its turn.

mod metrics;
mod spread;
mod supplements;
mod targets;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{join, join_all, join3};
use jiff::Timestamp;
use tokio::time::timeout;

use crate::api::{
    Answered, Event, FieldSelector, HorizontalPodAutoscaler, MetricSpec, Metrics, Pod, PodMetrics,
    PodMetricsList, ReadFailure, Selector, Wording,
};
use crate::collect::autoscaler::neighbours::has_registered;
use crate::collect::autoscaler::supplements::{failing, has_requests_of_vpa};
use crate::collect::autoscaler::{label_samples, without_pods};
use crate::collect::cluster::{Cluster, Shared, within};
use crate::collect::listed;
use crate::collect::request::CollectError;
use crate::document::snapshot::{NotRead, OtherAutoscaler, Part, Snapshot};
use metrics::{pods_of, samples_of, selected};
use spread::{Namespaces, Permits, Spread};
use supplements::{AUTOSCALER, EventLists, Events, Place, Supplements};
use targets::{Target, targets};

pub use spread::SurveyTally;

/// How many requests are under way at the same time, all in all.
const AT_ONCE: usize = 8;

/// Which HPAs, and how much of each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'s> {
    /// Those of a namespace; absent for all namespaces.
    pub namespace: Option<&'s str>,
    /// Those whose labels match.
    pub labels: Option<&'s Selector>,
    /// Those whose fields match, as the API server says.
    pub fields: Option<&'s FieldSelector>,
    /// Of which HPAs custom and external metrics are asked for, which takes
    /// a request each; absent for none.
    pub metrics: Option<fn(&HorizontalPodAutoscaler, Timestamp) -> bool>,
    /// Whether what no pass needs is read as well.
    pub whole: bool,
    /// Where it is noted how far it is.
    pub tally: Option<&'s SurveyTally>,
}

/// The HPAs of a scope, as far as the server has to say which these are.
struct Scoped<'s> {
    labels: Option<&'s Selector>,
    /// Namespaces and names; absent where all are wanted.
    named: Option<BTreeSet<(String, String)>>,
}

impl Scoped<'_> {
    fn holds(&self, hpa: &HorizontalPodAutoscaler) -> bool {
        let metadata = &hpa.metadata;
        let labels = self.labels;
        let named = self.named.as_ref();
        labels.is_none_or(|labels| labels.matches(&metadata.labels))
            && named.is_none_or(|named| {
                named.contains(&(metadata.namespace.to_string(), metadata.name.to_string()))
            })
    }
}

/// The inputs of many HPAs.
pub struct Survey {
    needed: Needed,
    shared: Shared,
    events: Events,
}

/// An HPA, and what was asked for it alone.
struct Surveyed {
    hpa: HorizontalPodAutoscaler,
    is_selected: bool,
    target: Target,
    selector: Option<Selector>,
    /// The places of its pods in the list of its namespace.
    pods: Vec<usize>,
    /// The places of their samples in theirs.
    samples: Vec<usize>,
    /// Of its custom and external metrics.
    adapted: Metrics,
}

/// An HPA that is not what an API server returns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{namespace}/{name}: {reason}")]
pub struct Unusable {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The place and the reason.
    pub reason: String,
}

/// Reads the inputs of the HPAs of a scope. `now` stands in for the server's
/// clock should it not tell the time. What else cannot be read is missing
/// from the snapshots concerned.
///
/// # Errors
///
/// The HPAs themselves cannot be listed.
pub async fn survey(
    cluster: &Cluster<'_>,
    scope: Scope<'_>,
    now: Timestamp,
) -> Result<Survey, CollectError> {
    let permits = &Permits::new(cluster.reader);
    let events = EventLists::default();
    let needed = Box::pin(needed(cluster, permits, scope, now, &events));
    let supplements = async {
        let managers = async {
            let turn = permits.next().await;
            // It says where the flags are.
            cluster.version().await;
            cluster.read_managers().await;
            drop(turn);
        };
        let lease = async {
            let _turn = permits.next().await;
            cluster.read_lease().await;
        };
        let events = events.read(permits, scope.namespace, AUTOSCALER, |_| true);
        join3(managers, lease, events).await;
    };
    let needed = within(needed, supplements, cluster.wait).await?;
    let survey = Survey {
        needed,
        shared: cluster.shared(now),
        events: events.into_events(),
    };
    survey.read_api_services(permits, cluster.wait).await;
    Ok(survey)
}

/// What no pass can be computed without.
struct Needed {
    /// By namespace and name. Those that are not wanted are known because
    /// HPAs on the same pods disable each other.
    autoscalers: Vec<Surveyed>,
    pods: Spread<Pod>,
    samples: Spread<PodMetrics>,
    /// What no pass needs, if it was asked for.
    supplements: Option<Supplements>,
}

async fn needed(
    cluster: &Cluster<'_>,
    permits: &Permits<'_>,
    scope: Scope<'_>,
    now: Timestamp,
    events: &EventLists,
) -> Result<Needed, CollectError> {
    let requested = requested(permits, scope).await?;
    let autoscalers = autoscalers(permits, scope, &requested).await?;
    let targets = targets(permits, &autoscalers, scope.whole).await;
    let mut surveyed: Vec<Surveyed> = autoscalers
        .into_iter()
        .zip(targets)
        .map(|(hpa, target)| Surveyed::new(hpa, target, &requested))
        .collect();
    let unnoted = SurveyTally::default();
    let tally = scope.tally.unwrap_or(&unnoted);
    tally.want(surveyed.iter().filter(|one| one.is_selected).count());
    // What takes a request each takes longest.
    let (by_pods, by_metrics) = if scope.metrics.is_some() {
        (&unnoted, tally)
    } else {
        (tally, &unnoted)
    };
    let now = cluster.reader.server_time().unwrap_or(now);
    let asks_metrics = |hpa: &_| scope.metrics.is_some_and(|is_read| is_read(hpa, now));
    let inputs = join3(
        pods_of(permits, &surveyed, by_pods),
        samples_of(permits, &surveyed, scope.whole),
        metrics::adapted(permits, &surveyed, asks_metrics, by_metrics),
    )
    .map(Ok::<_, CollectError>);
    let supplements = Supplements::default();
    let optional = async {
        if scope.whole {
            let events = events_of_targets(permits, scope.namespace, &surveyed, events);
            let supplements = supplements.read(permits, &surveyed, cluster.room.always);
            join(supplements, events).await;
        }
    };
    let (pods, mut samples, adapted) = Box::pin(within(inputs, optional, cluster.wait)).await?;
    for (namespace, list) in &mut samples {
        let pods = pods.get(namespace).and_then(Answered::response);
        if let (Some(samples), Some(pods)) = (list.response_mut(), pods) {
            label_samples(samples, pods);
        }
    }
    let own_pods = selected(&surveyed, &pods, |pod| &pod.metadata.labels);
    let own_samples = selected(&surveyed, &samples, |one| &one.metadata.labels);
    let own = own_pods.into_iter().zip(own_samples).zip(adapted);
    for (surveyed, ((pods, samples), adapted)) in surveyed.iter_mut().zip(own) {
        (surveyed.pods, surveyed.samples) = (pods, samples);
        surveyed.adapted = adapted;
    }
    Ok(Needed {
        autoscalers: surveyed,
        pods,
        samples,
        supplements: scope.whole.then_some(supplements),
    })
}

/// What was said of the targets: a size that changes is an event of both.
async fn events_of_targets(
    permits: &Permits<'_>,
    namespace: Option<&str>,
    surveyed: &[Surveyed],
    events: &EventLists,
) {
    let selected = surveyed.iter().filter(|one| one.is_selected);
    let targets: BTreeSet<Place> = selected
        .map(|one| {
            let target = &one.hpa.spec.scale_target_ref;
            let namespace = one.hpa.metadata.namespace.to_string();
            (namespace, target.kind.clone(), target.name.clone())
        })
        .collect();
    let kinds: BTreeSet<&str> = targets.iter().map(|(_, kind, _)| kind.as_str()).collect();
    let is_target = |place: &Place| targets.contains(place);
    let lists = kinds
        .into_iter()
        .map(|kind| events.read(permits, namespace, kind, is_target));
    join_all(lists).await;
}

/// Which HPAs are wanted. Only the server knows which fields it knows, so it
/// is asked; of the HPAs, the names are enough.
async fn requested<'s>(
    permits: &Permits<'_>,
    scope: Scope<'s>,
) -> Result<Scoped<'s>, CollectError> {
    let fields = scope.fields.filter(|fields| !fields.text().is_empty());
    let named = match fields {
        Some(fields) => Some(listed::names(&*permits.next().await, scope.namespace, fields).await?),
        None => None,
    };
    Ok(Scoped {
        labels: scope.labels,
        named,
    })
}

/// All HPAs of the namespaces that hold a wanted one.
async fn autoscalers(
    permits: &Permits<'_>,
    scope: Scope<'_>,
    requested: &Scoped<'_>,
) -> Result<Vec<HorizontalPodAutoscaler>, CollectError> {
    let named = requested.named.as_ref();
    let places: Option<Namespaces> =
        named.map(|named| named.iter().map(|(place, _)| place.clone()).collect());
    let place = match places.as_ref().map(|places| (places.len(), places.first())) {
        Some((0, _)) => return Ok(Vec::new()),
        Some((1, Some(only))) => Some(only.as_str()),
        _ => scope.namespace,
    };
    let mut autoscalers = listed::autoscalers(&*permits.next().await, place).await?;
    let holding = autoscalers.iter().filter(|hpa| requested.holds(hpa));
    let namespaces: Namespaces = holding
        .map(|hpa| hpa.metadata.namespace.to_string())
        .collect();
    autoscalers.retain(|hpa| namespaces.contains(hpa.metadata.namespace.as_str()));
    autoscalers.sort_by(|one, other| place_of(one).cmp(&place_of(other)));
    Ok(autoscalers)
}

fn place_of(hpa: &HorizontalPodAutoscaler) -> (&str, &str) {
    (&hpa.metadata.namespace, &hpa.metadata.name)
}

impl Surveyed {
    fn new(hpa: HorizontalPodAutoscaler, target: Target, requested: &Scoped<'_>) -> Self {
        let selector = target.scale.selector();
        let selector = selector.and_then(|text| Selector::parse(text, Wording::LabelKey).ok());
        Self {
            is_selected: requested.holds(&hpa),
            hpa,
            target,
            selector,
            pods: Vec::new(),
            samples: Vec::new(),
            adapted: Metrics::default(),
        }
    }

    fn needs_samples(&self) -> bool {
        self.hpa.spec.metrics.iter().any(MetricSpec::is_of_resource)
    }
}

/// Why a part is missing that no pass needs.
pub const NOT_FOR_A_LIST: &str = "not asked for a list";

impl Survey {
    /// The snapshots of the wanted HPAs by namespace and name, each put
    /// together when it is its turn: the lists are held once.
    pub fn snapshots(&self) -> impl ExactSizeIterator<Item = Result<Snapshot, Unusable>> {
        let requested: Vec<&Surveyed> = self.selected().collect();
        requested.into_iter().map(|one| {
            self.snapshot(one).finish().map_err(|flaw| Unusable {
                namespace: one.hpa.metadata.namespace.to_string(),
                name: one.hpa.metadata.name.to_string(),
                reason: flaw.to_string(),
            })
        })
    }

    fn selected(&self) -> impl Iterator<Item = &Surveyed> {
        let all = self.needed.autoscalers.iter();
        all.filter(|one| one.is_selected)
    }

    fn snapshot(&self, own: &Surveyed) -> Snapshot {
        let (hpa, scale) = (own.hpa.clone(), own.target.scale.clone());
        let mut snapshot = self.shared.snapshot(hpa, scale);
        (snapshot.pods, snapshot.metrics) = self.inputs(own);
        let (others, unknown) = self.others(own);
        snapshot.other_autoscalers = others;
        snapshot.events = self.events_of(own).into_iter().map(Arc::new).collect();
        let missing = &mut snapshot.provenance.not_read;
        match &own.target.workload {
            Ok(workload) => snapshot.target.clone_from(workload),
            Err(reason) => missing.push(NotRead::new(Part::Target, reason.clone())),
        }
        missing.extend(own.missed_pods(self));
        missing.extend(unknown);
        missing.extend(self.events.not_read());
        match &self.needed.supplements {
            Some(supplements) => supplements.fill(own, &mut snapshot),
            None => missing.extend(own.not_asked(&snapshot.pods)),
        }
        snapshot
    }

    fn events_of(&self, own: &Surveyed) -> Vec<Event> {
        let (namespace, name) = place_of(&own.hpa);
        let target = &own.hpa.spec.scale_target_ref;
        let own = self.events.of(namespace, AUTOSCALER, name);
        [own, self.events.of(namespace, &target.kind, &target.name)].concat()
    }

    /// Reads who answers for the metrics APIs that fail, for a moment.
    async fn read_api_services(&self, permits: &Permits<'_>, wait: Duration) {
        let Some(supplements) = &self.needed.supplements else {
            return;
        };
        let failing = self.selected().flat_map(|own| failing(&self.inputs(own).1));
        // What has not come by then is named as not waited for.
        let _ = timeout(
            wait,
            supplements.read_api_services(permits, failing.collect()),
        )
        .await;
    }

    /// What the selector decides.
    fn inputs(&self, own: &Surveyed) -> (Vec<Pod>, Metrics) {
        if own.target.scale.selector().is_none() {
            return Default::default();
        }
        let specs = &own.hpa.spec.metrics;
        let pods = own.of_its(&self.needed.pods, &own.pods);
        let mut metrics = Metrics {
            resource: own.needs_samples().then(|| {
                match own
                    .of_its(&self.needed.samples, &own.samples)
                    .into_response()
                {
                    Ok(items) => Answered::Response(PodMetricsList { items }),
                    Err(failed) => failed,
                }
            }),
            ..own.adapted.clone()
        };
        if let Answered::Unreadable(reason) = &pods {
            without_pods(&mut metrics, reason, specs);
        }
        let pods = pods.into_response::<()>().unwrap_or_default();
        (pods, metrics)
    }

    /// The other HPAs of the namespace as far as the controller knows them,
    /// and why one is missing.
    fn others(&self, own: &Surveyed) -> (Vec<OtherAutoscaler>, Option<NotRead>) {
        let namespace = &own.hpa.metadata.namespace;
        let others = self.needed.autoscalers.iter().filter(|other| {
            other.hpa.metadata.namespace == *namespace
                && other.hpa.metadata.name != own.hpa.metadata.name
                && has_registered(&other.hpa.status)
        });
        let (mut known, mut unknown) = (Vec::new(), None);
        for other in others {
            if let Answered::Unreadable(reason) = &other.target.scale {
                unknown.get_or_insert(NotRead::new(Part::OtherAutoscalers, reason.clone()));
            }
            let selector = other.target.scale.selector();
            known.extend(selector.map(|selector| OtherAutoscaler {
                namespace: namespace.to_string(),
                name: other.hpa.metadata.name.to_string(),
                selector: selector.to_owned(),
            }));
        }
        (known, unknown)
    }
}

impl Surveyed {
    /// What no pass needs, and no list of many HPAs is worth.
    fn not_asked(&self, pods: &[Pod]) -> impl Iterator<Item = NotRead> {
        let parts = [
            (true, Part::ReplicaSets),
            (
                has_requests_of_vpa(&self.hpa, pods),
                Part::VerticalPodAutoscalers,
            ),
            (self.hpa.scaled_object().is_some(), Part::ScaledObject),
        ];
        let parts = parts.into_iter().filter(|(is_selected, _)| *is_selected);
        parts.map(|(_, part)| NotRead::new(part, ReadFailure::not_read(NOT_FOR_A_LIST)))
    }

    /// Why the pods are missing, if they are.
    fn missed_pods(&self, survey: &Survey) -> Option<NotRead> {
        self.target.scale.selector()?;
        let list = survey.needed.pods.get(self.hpa.metadata.namespace.as_str());
        Some(NotRead::new(Part::Pods, list?.failure()?))
    }

    /// What is selected of the list of the HPA's namespace.
    fn of_its<T: Clone>(&self, lists: &Spread<T>, places: &[usize]) -> Answered<Vec<T>> {
        match lists.get(self.hpa.metadata.namespace.as_str()) {
            Some(Answered::Response(items)) => {
                let selected = places.iter().filter_map(|place| items.get(*place));
                Answered::Response(selected.cloned().collect())
            }
            Some(Answered::Error(error)) => Answered::Error(error.clone()),
            Some(Answered::Unreadable(reason)) => Answered::Unreadable(reason.clone()),
            None => Answered::Response(Vec::new()),
        }
    }
}
