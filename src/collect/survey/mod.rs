//! The inputs of many HPAs from a handful of lists: never a request per pod,
//! and one per HPA only for what no list holds.

mod metrics;
mod spread;
mod targets;

use std::collections::BTreeMap;

use compact_str::CompactString;
use futures_util::future::{join, join3};
use jiff::Timestamp;
use serde::Deserialize;

use crate::snapshot::{
    API_VERSION, Answer, Answered, ControllerFlags, HorizontalPodAutoscaler, HpaSpec, HpaStatus,
    KIND, Lease, Metrics, NotRead, ObjectMeta, OtherAutoscaler, Part, Pod, PodMetrics,
    PodMetricsList, Provenance, Selector, Snapshot, Wording,
};

use super::cluster::Cluster;
use super::collect_error::CollectError;
use super::gather::without_pods;
use super::grace::with_grace;
use super::metrics::needs_pod_metrics;
use super::neighbours::has_registered;
use super::pages::pages;
use super::paths;
use super::reader::Reader;

use metrics::Adapted;
use spread::{Labelled, Namespaces, Spread, objects, samples, spread};
use targets::{Target, targets};

/// How many requests are under way at the same time.
const AT_ONCE: usize = 8;

/// Which HPAs, and how much of each.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'s> {
    /// Those of a namespace; absent for all namespaces.
    pub namespace: Option<&'s str>,
    /// Those whose labels match.
    pub labels: Option<&'s Selector>,
    /// Whether custom and external metrics are asked for, which takes a
    /// request each.
    pub full: bool,
}

impl Scope<'_> {
    fn holds(&self, hpa: &HorizontalPodAutoscaler) -> bool {
        self.labels
            .is_none_or(|labels| labels.matches(&hpa.metadata.labels))
    }
}

/// The inputs of many HPAs.
pub struct Survey {
    /// By namespace and name. Those that are not wanted are known because
    /// HPAs on the same pods disable each other.
    autoscalers: Vec<Surveyed>,
    pods: Spread<Pod>,
    samples: Spread<PodMetrics>,
    captured_at: Timestamp,
    server_version: Option<String>,
    controller: ControllerFlags,
    controller_lease: Option<Lease>,
    not_read: Vec<NotRead>,
}

/// An HPA, and what was asked for it alone.
struct Surveyed {
    hpa: HorizontalPodAutoscaler,
    is_wanted: bool,
    target: Target,
    selector: Option<Selector>,
    adapted: Adapted,
}

/// An HPA that is not what an API server returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The place and the reason.
    pub reason: String,
}

/// An HPA in a list, which does not repeat kind and version.
#[derive(Deserialize)]
struct Item {
    metadata: ObjectMeta,
    spec: HpaSpec,
    #[serde(default)]
    status: HpaStatus,
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
    let needed = Box::pin(needed(cluster, scope));
    let beside = async {
        join(cluster.read_managers(), cluster.read_lease()).await;
    };
    let (needed, server_version) = with_grace(needed, beside).await?;
    Ok(Survey {
        autoscalers: needed.autoscalers,
        pods: needed.pods,
        samples: needed.samples,
        captured_at: cluster.reader.server_time().unwrap_or(now),
        server_version,
        controller: cluster.flags(),
        controller_lease: cluster.lease(),
        not_read: cluster.not_read(),
    })
}

/// What no pass can be computed without.
struct Needed {
    autoscalers: Vec<Surveyed>,
    pods: Spread<Pod>,
    samples: Spread<PodMetrics>,
}

async fn needed(
    cluster: &Cluster<'_>,
    scope: Scope<'_>,
) -> Result<(Needed, Option<String>), CollectError> {
    let reader = cluster.reader;
    let (autoscalers, version) = join(autoscalers(reader, scope), cluster.version()).await;
    let autoscalers = autoscalers?;
    let targets = targets(reader, &autoscalers).await;
    let mut surveyed: Vec<Surveyed> = autoscalers
        .into_iter()
        .zip(targets)
        .map(|(hpa, target)| Surveyed::new(hpa, target, scope))
        .collect();
    let (pods, samples, adapted) = join3(
        pods_of(reader, &surveyed),
        samples_of(reader, &surveyed),
        metrics::adapted(reader, &surveyed, scope.full),
    )
    .await;
    for (surveyed, adapted) in surveyed.iter_mut().zip(adapted) {
        surveyed.adapted = adapted;
    }
    let needed = Needed {
        autoscalers: surveyed,
        pods,
        samples,
    };
    Ok((needed, version))
}

/// All HPAs of the namespaces that hold a wanted one.
async fn autoscalers(
    reader: &Reader,
    scope: Scope<'_>,
) -> Result<Vec<HorizontalPodAutoscaler>, CollectError> {
    let asked = paths::autoscalers(scope.namespace, "");
    let items: Vec<Item> = pages(reader, &asked).await?;
    let mut autoscalers: Vec<_> = items.into_iter().map(Item::object).collect();
    let wanted = autoscalers.iter().filter(|hpa| scope.holds(hpa));
    let namespaces: Namespaces = wanted.map(|hpa| hpa.metadata.namespace.clone()).collect();
    autoscalers.retain(|hpa| namespaces.contains(&hpa.metadata.namespace));
    autoscalers.sort_by(|one, other| place(one).cmp(&place(other)));
    Ok(autoscalers)
}

fn place(hpa: &HorizontalPodAutoscaler) -> (&str, &str) {
    (&hpa.metadata.namespace, &hpa.metadata.name)
}

impl Item {
    fn object(self) -> HorizontalPodAutoscaler {
        HorizontalPodAutoscaler {
            api_version: "autoscaling/v2".to_owned(),
            kind: "HorizontalPodAutoscaler".to_owned(),
            metadata: self.metadata,
            spec: self.spec,
            status: self.status,
        }
    }
}

/// The pods that the wanted HPAs select.
async fn pods_of(reader: &Reader, surveyed: &[Surveyed]) -> Spread<Pod> {
    let selecting = Selecting::of(surveyed.iter());
    spread(&selecting.namespaces(), async |namespace| {
        let asked = paths::pods(namespace, "");
        objects(reader, &asked, |pod: &Pod| selecting.holds(pod)).await
    })
    .await
}

/// Their samples, where a metric needs them.
async fn samples_of(reader: &Reader, surveyed: &[Surveyed]) -> Spread<PodMetrics> {
    let measured = surveyed.iter().filter(|surveyed| surveyed.needs_samples());
    let selecting = Selecting::of(measured);
    spread(&selecting.namespaces(), async |namespace| {
        let asked = paths::pod_metrics(namespace, "");
        samples(reader, &asked, |sample| selecting.holds(sample)).await
    })
    .await
}

/// The selectors of the wanted HPAs.
struct Selecting<'s>(BTreeMap<&'s str, Vec<&'s Selector>>);

impl<'s> Selecting<'s> {
    fn of(surveyed: impl Iterator<Item = &'s Surveyed>) -> Self {
        let mut selectors = BTreeMap::<_, Vec<_>>::new();
        for surveyed in surveyed.filter(|surveyed| surveyed.is_wanted) {
            if let Some(selector) = &surveyed.selector {
                let namespace = surveyed.hpa.metadata.namespace.as_str();
                selectors.entry(namespace).or_default().push(selector);
            }
        }
        Self(selectors)
    }

    fn namespaces(&self) -> Namespaces {
        self.0.keys().copied().map(CompactString::from).collect()
    }

    fn holds(&self, object: &impl Labelled) -> bool {
        let selectors = self.0.get(object.namespace());
        selectors.is_some_and(|all| all.iter().any(|one| one.matches(object.labels())))
    }
}

impl Surveyed {
    fn new(hpa: HorizontalPodAutoscaler, target: Target, scope: Scope<'_>) -> Self {
        let selector = target.selector();
        let selector = selector.and_then(|text| Selector::parse(text, Wording::LabelKey).ok());
        Self {
            is_wanted: scope.holds(&hpa),
            hpa,
            target,
            selector,
            adapted: Adapted::default(),
        }
    }

    fn needs_samples(&self) -> bool {
        self.hpa.spec.metrics.iter().any(needs_pod_metrics)
    }

    /// What is selected of a list of the HPA's namespace.
    fn selected<T: Labelled + Clone>(&self, list: &Spread<T>) -> Answered<Vec<T>> {
        let list = list.get(self.hpa.metadata.namespace.as_str());
        match (list.and_then(Answered::answer), &self.selector) {
            (Some(Answer::Response(items)), Some(selector)) => {
                let items = items.iter();
                let selected = items.filter(|item| selector.matches(item.labels()));
                Answered::response(selected.cloned().collect())
            }
            (Some(Answer::Error(text)), _) => Answered::error(text.to_owned()),
            (Some(Answer::Unreadable(text)), _) => Answered::unreadable(text.to_owned()),
            _ => Answered::response(Vec::new()),
        }
    }
}

impl Survey {
    /// The snapshots of the wanted HPAs by namespace and name, each put
    /// together when it is its turn: the lists are held once.
    #[must_use]
    pub fn snapshots(&self) -> impl ExactSizeIterator<Item = Result<Snapshot, Unusable>> {
        let wanted: Vec<&Surveyed> = self
            .autoscalers
            .iter()
            .filter(|one| one.is_wanted)
            .collect();
        wanted.into_iter().map(|one| {
            self.snapshot(one).finish().map_err(|reason| Unusable {
                namespace: one.hpa.metadata.namespace.to_string(),
                name: one.hpa.metadata.name.to_string(),
                reason,
            })
        })
    }

    fn snapshot(&self, own: &Surveyed) -> Snapshot {
        let (pods, metrics) = self.inputs(own);
        let (other_autoscalers, unknown) = self.others(own);
        Snapshot {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            captured_at: self.captured_at,
            server_version: self.server_version.clone(),
            controller: self.controller.clone(),
            horizontal_pod_autoscaler: own.hpa.clone(),
            scale: own.target.scale.clone(),
            pods,
            metrics,
            other_autoscalers,
            history: None,
            target: own.target.workload.clone(),
            replica_sets: Vec::new(),
            events: Vec::new(),
            controller_lease: self.controller_lease.clone(),
            provenance: self.provenance(own, unknown),
        }
    }

    /// What the selector decides.
    fn inputs(&self, own: &Surveyed) -> (Vec<Pod>, Metrics) {
        if own.target.selector().is_none() {
            return Default::default();
        }
        let specs = &own.hpa.spec.metrics;
        let mut metrics = Metrics {
            resource: own.needs_samples().then(|| {
                let samples = own.selected(&self.samples);
                let failed = samples.hand_on();
                match samples.response {
                    Some(items) => Answered::response(PodMetricsList { items }),
                    None => failed,
                }
            }),
            custom: own.adapted.custom.clone(),
            external: own.adapted.external.clone(),
        };
        let pods = own.selected(&self.pods);
        if let Some(Answer::Unreadable(reason)) = pods.answer() {
            without_pods(&mut metrics, reason, specs);
        }
        (pods.response.unwrap_or_default(), metrics)
    }

    /// The other HPAs of the namespace as far as the controller knows them,
    /// and why one is missing.
    fn others(&self, own: &Surveyed) -> (Vec<OtherAutoscaler>, Option<NotRead>) {
        let namespace = &own.hpa.metadata.namespace;
        let others = self.autoscalers.iter().filter(|other| {
            other.hpa.metadata.namespace == *namespace
                && other.hpa.metadata.name != own.hpa.metadata.name
                && has_registered(&other.hpa.status.conditions)
        });
        let (mut known, mut unknown) = (Vec::new(), None);
        for other in others {
            if let Some(Answer::Unreadable(reason)) = other.target.scale.answer() {
                unknown.get_or_insert(NotRead {
                    part: Part::OtherAutoscalers,
                    reason: reason.to_owned(),
                });
            }
            known.extend(other.target.selector().map(|selector| OtherAutoscaler {
                namespace: namespace.to_string(),
                name: other.hpa.metadata.name.to_string(),
                selector: selector.to_owned(),
            }));
        }
        (known, unknown)
    }

    /// No pass needs them, and no list of many HPAs is worth them.
    fn provenance(&self, own: &Surveyed, unknown: Option<NotRead>) -> Provenance {
        let mut not_asked = vec![Part::Events, Part::ReplicaSets];
        if own.target.workload.is_none() {
            not_asked.push(Part::Target);
        }
        let not_asked = not_asked.into_iter().map(|part| NotRead {
            part,
            reason: "not asked for a list".to_owned(),
        });
        let mut not_read = self.not_read.clone();
        not_read.extend(unknown);
        not_read.extend(not_asked);
        not_read.sort_by_key(|missing| missing.part);
        Provenance { not_read }
    }
}
