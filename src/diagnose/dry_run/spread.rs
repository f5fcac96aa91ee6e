//! What pods did together, shared among others.

use std::collections::BTreeSet;

use crate::api::{Format, MetricIdentifier, MetricSpec, Quantity, is_held_by_each_pod};
use crate::snapshot::Snapshot;

use super::split::split;

/// What is measured of each pod.
pub(super) enum PodMeasures<'m> {
    /// A resource of the container of a name.
    Resource(&'m str, String),
    /// A custom metric.
    Custom(&'m MetricIdentifier),
}

/// What a metric measures of each pod and pods share.
pub(super) fn shared<'m>(metric: &'m MetricSpec, snapshot: &Snapshot) -> Vec<PodMeasures<'m>> {
    if let Some((resource, container)) = metric.measured_resource() {
        if is_held_by_each_pod(resource) {
            return Vec::new();
        }
        let names = match container {
            Some(name) => BTreeSet::from([name.to_owned()]),
            None => containers(snapshot),
        };
        let of = |name| PodMeasures::Resource(resource, name);
        return names.into_iter().map(of).collect();
    }
    let pods = metric.pods.iter();
    pods.map(|it| PodMeasures::Custom(&it.metric)).collect()
}

/// The containers that there are samples of.
fn containers(snapshot: &Snapshot) -> BTreeSet<String> {
    let resource = snapshot.metrics.resource.as_ref();
    let list = resource.and_then(|answered| answered.response.as_ref());
    let samples = list.into_iter().flat_map(|list| &list.items);
    let containers = samples.flat_map(|sample| &sample.containers);
    containers
        .map(|container| container.name.to_string())
        .collect()
}

impl PodMeasures<'_> {
    /// What is measured of these pods together, in thousandths.
    pub(super) fn total(&self, snapshot: &mut Snapshot, pods: &BTreeSet<&str>) -> i128 {
        weights(&self.of(snapshot, pods)).iter().sum()
    }

    /// Shares a total among these pods, as they have shared one so far.
    pub(super) fn share(&self, snapshot: &mut Snapshot, pods: &BTreeSet<&str>, total: i128) {
        let values = self.of(snapshot, pods);
        let weights = weights(&values);
        if weights.iter().sum::<i128>() == total {
            return;
        }
        for (value, milli) in values.into_iter().zip(split(total, &weights)) {
            *value = Quantity::from_milli(milli, Format::DecimalSi);
        }
    }

    fn of<'s>(&self, snapshot: &'s mut Snapshot, pods: &BTreeSet<&str>) -> Vec<&'s mut Quantity> {
        match self {
            Self::Resource(resource, container) => {
                let answered = snapshot.metrics.resource.as_mut();
                let list = answered.and_then(|it| it.response.as_mut());
                let samples = list.into_iter().flat_map(|list| &mut list.items);
                let samples = samples.filter(|it| pods.contains(it.metadata.name.as_str()));
                let containers = samples.flat_map(|sample| &mut sample.containers);
                containers
                    .filter(|it| it.name == *container)
                    .filter_map(|it| it.usage.get_mut(resource))
                    .collect()
            }
            Self::Custom(metric) => {
                let metrics = &mut snapshot.metrics;
                let at = metrics.custom_at(metric, None).ok().flatten();
                let asked = at.and_then(|at| metrics.custom.get_mut(at));
                let list = asked.and_then(|asked| asked.response.as_mut());
                let items = list.into_iter().flat_map(|list| &mut list.items);
                let items = items.filter(|it| pods.contains(it.described_object.name.as_str()));
                items.map(|item| &mut item.value).collect()
            }
        }
    }
}

fn weights(values: &[&mut Quantity]) -> Vec<i128> {
    let values = values.iter();
    values.map(|value| value.milli_value().into()).collect()
}
