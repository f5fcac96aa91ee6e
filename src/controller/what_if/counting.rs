//! Which pods each metric counts, asked without a pass: a pass that needs no
//! metrics groups no pods.

use crate::controller::prepared::{External, Metric, Object, Pod, Prepared, Source, Target};
use crate::controller::replica_calculator::group_pod;
use crate::controller::settings::Settings;
use crate::controller::time::Nanos;
use crate::trace::Group;

/// The names of the pods that each metric of the spec counts, in their order:
/// of what is measured pod by pod those with a usable sample (`groupPods`), of
/// a target of type Value those that are Running and Ready
/// (`getReadyPodsCount`). `None` for a metric that has no samples or does not
/// look at pods.
pub fn counting<'s>(
    prepared: &Prepared<'s>,
    settings: &Settings,
    now: Nanos,
) -> Vec<Option<Vec<&'s str>>> {
    let metrics = prepared.metrics.iter();
    metrics
        .map(|metric| counted(&prepared.pods, metric, settings, now))
        .collect()
}

fn counted<'s>(
    pods: &[Pod<'s>],
    metric: &Metric,
    settings: &Settings,
    now: Nanos,
) -> Option<Vec<&'s str>> {
    let (samples, is_cpu) = match &metric.source {
        Source::Resource(resource) => (&resource.samples, resource.is_cpu()),
        Source::Pods(pods) => (&pods.samples, false),
        Source::Object(Object { target, .. }) | Source::External(External { target, .. }) => {
            let is_value = matches!(target, Some(Target::Value(_)));
            let ready = pods.iter().filter(|pod| pod.is_running_and_ready());
            return is_value.then(|| ready.map(|pod| pod.name).collect());
        }
        Source::Unknown => return None,
    };
    let samples = samples.as_ref().ok()?;
    let counted = pods.iter().zip(&samples.by_pod).filter(|(pod, sample)| {
        let grouped = group_pod(pod, sample.as_ref(), is_cpu, settings, now);
        grouped.group == Group::Ready
    });
    Some(counted.map(|(pod, _)| pod.name).collect())
}
