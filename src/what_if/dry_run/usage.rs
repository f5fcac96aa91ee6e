//! Another usage of a resource than the one that was measured.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::api::{
    Answered, ByName, ContainerUsage, Format, GoDuration, MetricSpec, Phase, Pod, PodMetrics,
    PodMetricsList, Quantity, SampleMeta,
};
use crate::controller::{Settings, pod_request, selected_pods};
use crate::snapshot::Snapshot;

use super::inputs::{InputsError, Level};
use super::size::split;

/// The interval that samples are said to be measured over, in nanoseconds.
const WINDOW: i64 = 30_000_000_000;

/// Every sample says the same of the metric's resource. Where nothing was
/// measured, every pod that runs gets a sample.
pub(super) fn set_resource(
    snapshot: &mut Snapshot,
    metric: &MetricSpec,
    level: &Level,
    settings: &Settings,
) -> Result<(), InputsError> {
    let Some((resource, container)) = metric.measured_resource() else {
        return Ok(());
    };
    let desired = DesiredUsage {
        metric,
        resource,
        container,
        level,
        settings,
    };
    let selected = selected_pods(snapshot).into_iter();
    let pods: BTreeMap<String, Pod> = selected
        .map(|pod| (pod.metadata.name.to_string(), pod.clone()))
        .collect();
    for sample in samples(snapshot, &pods) {
        if let Some(pod) = pods.get(sample.metadata.name.as_str()) {
            desired.set(pod, sample)?;
        }
    }
    Ok(())
}

/// The samples of all pods, as they are or as they are made.
fn samples<'s>(
    snapshot: &'s mut Snapshot,
    pods: &BTreeMap<String, Pod>,
) -> impl Iterator<Item = &'s mut PodMetrics> {
    let at = snapshot.captured_at;
    let answered = &mut snapshot.metrics.resource;
    if answered.as_ref().is_none_or(|it| it.response().is_none()) {
        let running = pods
            .values()
            .filter(|pod| pod.status.phase == Phase::Running);
        let items = running.map(|pod| new_sample(pod, at)).collect();
        *answered = Some(Answered::Response(PodMetricsList { items }));
    }
    let list = answered.as_mut().and_then(Answered::response_mut);
    list.into_iter().flat_map(|list| &mut list.items)
}

/// What the containers of a pod are to use.
struct DesiredUsage<'a> {
    metric: &'a MetricSpec,
    resource: &'a str,
    /// The container that alone is measured, if one is.
    container: Option<&'a str>,
    level: &'a Level,
    settings: &'a Settings,
}

impl DesiredUsage<'_> {
    /// The containers share it as they share the requests.
    fn set(&self, pod: &Pod, sample: &mut PodMetrics) -> Result<(), InputsError> {
        let total = self.total(pod)?;
        let containers = sample.containers.iter_mut();
        let is_intended =
            |it: &&mut ContainerUsage| self.container.is_none_or(|name| it.name == name);
        let intended: Vec<&mut ContainerUsage> = containers.filter(is_intended).collect();
        let request = |it: &&mut ContainerUsage| self.request(pod, Some(&it.name)).unwrap_or(0);
        let weights: Vec<i128> = intended.iter().map(request).collect();
        for (container, milli) in intended.into_iter().zip(split(total, &weights)) {
            container.usage = with(&container.usage, self.resource, milli);
        }
        Ok(())
    }

    /// What the pod, or the one container, is to use, in thousandths.
    fn total(&self, pod: &Pod) -> Result<i128, InputsError> {
        let percent = match self.level {
            Level::Amount(amount) => return Ok(amount.milli_value().into()),
            Level::Percent(percent) => i128::from(*percent),
        };
        let request = match self.request(pod, self.container) {
            Some(request) => request,
            // The controller complains of it, in every side that asks.
            None if self.metric.percent_of_request().is_some() => 0,
            None => {
                return Err(InputsError::NoRequest {
                    name: self.resource.to_owned(),
                    pod: pod.metadata.name.to_string(),
                });
            }
        };
        // Rounded up, so that a percentage that is cut off is the one that was
        // asked for.
        Ok((request * percent + 99).div_euclid(100))
    }

    fn request(&self, pod: &Pod, container: Option<&str>) -> Option<i128> {
        pod_request(pod, self.resource, container, self.settings).map(i128::from)
    }
}

fn with(usage: &ByName<Quantity>, resource: &str, milli: i64) -> ByName<Quantity> {
    let others = usage.keys().filter(|name| *name != resource);
    let others = others.filter_map(|name| Some((name.clone(), usage.get(name)?.clone())));
    let own = Quantity::from_milli(milli, Format::DecimalSi);
    others.chain([(resource.into(), own)]).collect()
}

fn new_sample(pod: &Pod, at: Timestamp) -> PodMetrics {
    let containers = pod.spec.running();
    PodMetrics {
        metadata: SampleMeta::from(&pod.metadata),
        timestamp: at,
        window: GoDuration(WINDOW),
        containers: containers
            .map(|container| ContainerUsage {
                name: container.name.clone(),
                usage: ByName::default(),
            })
            .collect(),
    }
}
