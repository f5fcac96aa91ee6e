//! The answers of the metrics APIs, put where a pass finds them.

use crate::controller::prepared::{Metric, Sample, Samples, Source, none_returned};

/// What was measured pod by pod, in the pods' order. `request` is what each
/// of them requests, in thousandths.
pub fn put_samples(
    metric: &mut Metric,
    request: Option<i64>,
    measured: impl Iterator<Item = Option<Sample>>,
) {
    let (api, samples, requests) = match &mut metric.source {
        Source::Resource(it) => ("resource", &mut it.samples, Some(&mut it.requests)),
        Source::Pods(pods) => ("custom", &mut pods.samples, None),
        _ => return,
    };
    // The lists of the pass before are used again.
    let mut by_pod = match samples {
        Ok(samples) => std::mem::take(&mut samples.by_pod),
        Err(_) => Vec::new(),
    };
    by_pod.clear();
    by_pod.extend(measured);
    if let (Some(requests), Some(request)) = (requests, request) {
        let mut each = requests.as_mut().map(std::mem::take).unwrap_or_default();
        each.clear();
        each.resize(by_pod.len(), request);
        *requests = Ok(each);
    }
    *samples = if by_pod.iter().any(Option::is_some) {
        Ok(Samples {
            by_pod,
            strangers: Vec::new(),
        })
    } else {
        Err(none_returned(api))
    };
}

/// A value that is for all, in thousandths, or none.
pub fn put_value(metric: &mut Metric, value: Option<i64>) {
    match &mut metric.source {
        Source::Object(object) => object.value = value.ok_or_else(|| none_returned("custom")),
        Source::External(external) => match (&mut external.values, value) {
            (Ok(values), Some(value)) => {
                values.clear();
                values.push(value);
            }
            (values, value) => {
                let value = value.map(|value| vec![value]);
                *values = value.ok_or_else(|| none_returned("external"));
            }
        },
        _ => {}
    }
}
