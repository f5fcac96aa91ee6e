//! Another size than the one that there is: pods come or go, and what they
//! do together stays.

use std::collections::BTreeSet;

use super::inputs::{Counting, InputsError};
use crate::api::{Format, MetricIdentifier, MetricSpec, Pod, Quantity, is_held_by_each_pod};
use crate::controller::selected_pods;
use crate::document::snapshot::Snapshot;
use crate::findings::drop_pods;
use crate::what_if::prospects::foreign_pods;

/// Sets the size. Pods that come are like the last one that counts; pods that
/// go are the last ones. Pods of others, which the selector catches, stay as
/// they are.
pub(super) fn resize(
    snapshot: &mut Snapshot,
    replicas: i32,
    counting: Counting,
) -> Result<(), InputsError> {
    let was = snapshot.clone();
    let foreign = foreign_pods(&was, selected_pods(&was).into_iter());
    let foreign: BTreeSet<&str> = foreign.iter().map(|pod| pod.name.as_str()).collect();
    let scale = snapshot.scale.response_mut().ok_or(InputsError::NoScale)?;
    let from = scale.spec.replicas;
    scale.spec.replicas = replicas;
    scale.status.replicas = replicas;
    match usize::try_from(i64::from(replicas) - i64::from(from)) {
        Ok(0) => return Ok(()),
        Ok(more) => {
            let counted = counting.pods(snapshot);
            let mut own = counted.iter().rev();
            match own.find(|name| !foreign.contains(name.as_str())) {
                Some(like) => add_pods(snapshot, more, like)?,
                None if counting.looks_at_pods() => return Err(InputsError::NoPod),
                None => {}
            }
        }
        Err(_) => {
            let fewer = from.saturating_sub(replicas);
            let fewer = usize::try_from(fewer).unwrap_or_default();
            let selected = selected_pods(snapshot).into_iter().rev();
            let names = selected.map(|pod| pod.metadata.name.as_str());
            let own = names.filter(|name| !foreign.contains(name)).take(fewer);
            let gone: BTreeSet<String> = own.map(str::to_owned).collect();
            drop_pods(snapshot, |name| gone.contains(name));
        }
    }
    spread(snapshot, was, counting, &foreign);
    Ok(())
}

fn add_pods(snapshot: &mut Snapshot, more: usize, like: &str) -> Result<(), InputsError> {
    let is_it = |pod: &&Pod| pod.metadata.name == like;
    let pod = snapshot.pods.iter().find(is_it).cloned();
    let pod = pod.ok_or(InputsError::NoPod)?;
    let names = (1..=more).map(|index| format!("{like}-more-{index}"));
    let names: Vec<String> = names.collect();
    snapshot.pods.extend(names.iter().map(|name| {
        let mut pod = pod.clone();
        pod.metadata.name = name.as_str().into();
        pod
    }));
    if let Some(samples) = snapshot.metrics.samples_mut()
        && let Some(sample) = samples.iter().find(|it| it.metadata.name == like).cloned()
    {
        samples.extend(names.iter().map(|name| {
            let mut sample = sample.clone();
            sample.metadata.name = name.as_str().into();
            sample
        }));
    }
    for items in snapshot.metrics.pod_answers_mut() {
        let mut all = items.iter();
        let Some(item) = all.find(|it| it.described_object.name == like).cloned() else {
            continue;
        };
        items.extend(names.iter().map(|name| {
            let mut item = item.clone();
            item.described_object.name.clone_from(name);
            item
        }));
    }
    Ok(())
}

/// What the pods that a metric counts did together stays, as far as pods share
/// it: those that count now do it. Where none counted nothing is known of it.
fn spread(
    snapshot: &mut Snapshot,
    mut was: Snapshot,
    counting: Counting,
    foreign: &BTreeSet<&str>,
) {
    let before = counting.by_metric(&was);
    let after = counting.by_metric(snapshot);
    let counted = before.iter().zip(&after);
    for (metric, counted) in counting.metrics().zip(counted) {
        let (Some(before), Some(after)) = counted else {
            continue;
        };
        let (before, after) = (own(before, foreign), own(after, foreign));
        if before.is_empty() {
            continue;
        }
        for measured in shared(metric, &was) {
            let total = measured.total(&mut was, &before);
            measured.share(snapshot, &after, total);
        }
    }
}

fn own<'n>(names: &'n BTreeSet<String>, foreign: &BTreeSet<&str>) -> BTreeSet<&'n str> {
    let names = names.iter().map(String::as_str);
    names.filter(|name| !foreign.contains(name)).collect()
}

/// Splits a total in the proportion of the weights; evenly where they come to
/// nothing. What a division leaves goes to the next part, so that the parts
/// come to the total.
pub(super) fn split(total: i128, weights: &[i128]) -> Vec<i64> {
    let sum: i128 = weights.iter().sum();
    let is_even = sum <= 0;
    let all = if is_even {
        i128::try_from(weights.len()).unwrap_or(i128::MAX)
    } else {
        sum
    };
    let mut left = 0;
    let part = |weight: &i128| {
        let weight = if is_even { 1 } else { *weight };
        let part = weight.saturating_mul(total).saturating_add(left);
        left = part.rem_euclid(all);
        i64::try_from(part.div_euclid(all)).unwrap_or(i64::MAX)
    };
    weights.iter().map(part).collect()
}

pub(super) enum PodMeasures<'m> {
    /// A resource of the container of a name.
    Resource(&'m str, String),
    Custom(&'m MetricIdentifier),
}

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
    let samples = snapshot.metrics.samples().iter();
    let containers = samples.flat_map(|sample| &sample.containers);
    containers.map(|it| it.name.to_string()).collect()
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
                let samples = snapshot.metrics.samples_mut().into_iter().flatten();
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
                let query = at.and_then(|at| metrics.custom.get_mut(at));
                let list = query.and_then(|query| query.answer.response_mut());
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

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn the_parts_come_to_the_total() {
        let rows: [(i128, &[i128], &[i64]); 8] = [
            (1_200, &[300, 300, 300], &[400, 400, 400]),
            (1_200, &[100, 200], &[400, 800]),
            (100, &[1, 1, 1], &[33, 33, 34]),
            (7, &[0, 0], &[3, 4]),
            (7, &[0, 5], &[0, 7]),
            (-7, &[1, 1], &[-4, -3]),
            (7, &[], &[]),
            (i128::from(i64::MAX), &[1], &[i64::MAX]),
        ];
        for (total, weights, parts) in rows {
            assert_eq!(split(total, weights), parts, "{total} by {weights:?}");
        }
        assert_eq!(rows.len(), 8);
    }
}
