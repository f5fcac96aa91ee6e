//! Another size than the one that there is: pods come or go, and what they
//! do together stays.

use std::collections::BTreeSet;

use crate::api::{MetricValue, Pod, PodMetrics};
use crate::controller::selected_pods;
use crate::diagnose::altered::drop_pods;
use crate::diagnose::owners::foreign_pods;
use crate::snapshot::Snapshot;

use super::counting::Counting;
use super::inputs::InputsError;
use super::spread::shared;

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
    let scale = snapshot
        .scale
        .response
        .as_mut()
        .ok_or(InputsError::NoScale)?;
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
            remove_pods(snapshot, fewer, &foreign);
        }
    }
    spread(snapshot, was, counting, &foreign);
    Ok(())
}

fn add_pods(snapshot: &mut Snapshot, more: usize, like: &str) -> Result<(), InputsError> {
    let is_it = |pod: &&Pod| pod.metadata.name == like;
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
            .find(|it| it.metadata.name == like)
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
        let item = items.find(|it| it.described_object.name == like).cloned();
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

fn remove_pods(snapshot: &mut Snapshot, fewer: usize, foreign: &BTreeSet<&str>) {
    let selected = selected_pods(snapshot).into_iter().rev();
    let names = selected.map(|pod| pod.metadata.name.as_str());
    let own = names.filter(|name| !foreign.contains(name)).take(fewer);
    let gone: BTreeSet<String> = own.map(str::to_owned).collect();
    drop_pods(snapshot, |name| gone.contains(name));
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
