//! Another size than the one that there is: pods come or go, and what they
//! do together stays.

use crate::snapshot::{
    Format, MetricValue, Pod, PodMetrics, Quantity, Snapshot, is_held_by_each_pod,
};

use crate::diagnose::altered::drop_pods;

use super::inputs::{InputsError, counting};

/// Sets the size. Pods that come are like the last one that counts; pods that
/// go are the last ones.
pub(super) fn resize(snapshot: &mut Snapshot, replicas: i32) -> Result<(), InputsError> {
    let scale = snapshot
        .scale
        .response
        .as_mut()
        .ok_or(InputsError::NoScale)?;
    let from = scale.spec.replicas;
    scale.spec.replicas = replicas;
    scale.status.replicas = replicas;
    let before = counting(snapshot).len();
    match usize::try_from(i64::from(replicas) - i64::from(from)) {
        Ok(0) => return Ok(()),
        Ok(more) => add_pods(snapshot, more)?,
        Err(_) => {
            let fewer = from.saturating_sub(replicas);
            remove_pods(snapshot, usize::try_from(fewer).unwrap_or_default());
        }
    }
    let after = counting(snapshot).len();
    spread(snapshot, before, after);
    Ok(())
}

fn add_pods(snapshot: &mut Snapshot, more: usize) -> Result<(), InputsError> {
    let counting = counting(snapshot);
    let like = counting.last().ok_or(InputsError::NoPod)?;
    let is_it = |pod: &&Pod| pod.metadata.name == *like;
    let pod = snapshot.pods.iter().find(is_it).cloned();
    let pod = pod.ok_or(InputsError::NoPod)?;
    let names: Vec<String> = (1..=more)
        .map(|index| format!("{like}-more-{index}"))
        .collect();
    snapshot.pods.extend(names.iter().map(|name| {
        let mut pod = pod.clone();
        pod.metadata.name = name.as_str().into();
        pod
    }));
    let resource = snapshot.metrics.resource.as_mut();
    if let Some(list) = resource.and_then(|answered| answered.response.as_mut())
        && let Some(sample) = list
            .items
            .iter()
            .find(|it| it.metadata.name == *like)
            .cloned()
    {
        list.items.extend(names.iter().map(|name| {
            let mut sample: PodMetrics = sample.clone();
            sample.metadata.name = name.as_str().into();
            sample
        }));
    }
    let custom = snapshot.metrics.custom.iter_mut();
    let lists = custom.filter(|asked| asked.described_object.is_none());
    for list in lists.filter_map(|asked| asked.response.as_mut()) {
        let mut items = list.items.iter();
        let item = items.find(|it| it.described_object.name == *like).cloned();
        list.items.extend(item.iter().flat_map(|item| {
            names.iter().map(|name| {
                let mut item: MetricValue = item.clone();
                item.described_object.name.clone_from(name);
                item
            })
        }));
    }
    Ok(())
}

fn remove_pods(snapshot: &mut Snapshot, fewer: usize) {
    let selected = crate::controller::selected_pods(snapshot);
    let last = selected.iter().rev().take(fewer);
    let gone: Vec<String> = last.map(|pod| pod.metadata.name.to_string()).collect();
    drop_pods(snapshot, |name| gone.iter().any(|it| it == name));
}

/// What the pods use together stays, as far as pods share it.
fn spread(snapshot: &mut Snapshot, before: usize, after: usize) {
    let shared = |quantity: &Quantity| {
        let milli = i128::from(quantity.milli_value());
        let before = i128::try_from(before).unwrap_or(1);
        let after = i128::try_from(after).unwrap_or(1).max(1);
        let milli = i64::try_from(milli * before / after).unwrap_or(i64::MAX);
        Quantity::from_milli(milli, Format::DecimalSi)
    };
    let resource = snapshot.metrics.resource.as_mut();
    let samples = resource.and_then(|answered| answered.response.as_mut());
    for sample in samples.into_iter().flat_map(|list| &mut list.items) {
        for container in &mut sample.containers {
            let usage = container.usage.keys().filter_map(|name| {
                let quantity = container.usage.get(name)?;
                let is_held = is_held_by_each_pod(name);
                let quantity = if is_held {
                    quantity.clone()
                } else {
                    shared(quantity)
                };
                Some((name.clone(), quantity))
            });
            container.usage = usage.collect();
        }
    }
    let custom = snapshot.metrics.custom.iter_mut();
    let lists = custom.filter(|asked| asked.described_object.is_none());
    for list in lists.filter_map(|asked| asked.response.as_mut()) {
        for item in &mut list.items {
            item.value = shared(&item.value);
        }
    }
}
