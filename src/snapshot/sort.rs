//! An order for lists that come in any: the same cluster makes the same
//! snapshot.

use std::cmp::Ordering;

use super::Snapshot;
use crate::api::{Event, ExternalMetricValue, PodMetricsList};

impl Snapshot {
    /// Sorts the lists whose order has no meaning by name; events by time.
    ///
    /// The sorting is stable, so that of two samples of a pod the same one
    /// counts as before.
    pub(super) fn sort(&mut self) {
        self.pods
            .sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
        if let Some(list) = self.metrics.resource.as_mut() {
            sort_samples(list.response.as_mut());
        }
        for list in self.metrics.custom.iter_mut().flat_map(|c| &mut c.response) {
            list.items
                .sort_by(|a, b| a.described_object.name.cmp(&b.described_object.name));
        }
        let external = self.metrics.external.iter_mut();
        for list in external.flat_map(|metric| &mut metric.response) {
            list.items.sort_by(compare_series);
        }
        self.other_autoscalers.sort_by(|a, b| a.name.cmp(&b.name));
        self.replica_sets
            .sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
        self.events.sort_by(|a, b| key(a).cmp(&key(b)));
        self.vertical_pod_autoscalers
            .sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
        self.api_services
            .sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    }
}

fn sort_samples(list: Option<&mut PodMetricsList>) {
    if let Some(list) = list {
        list.items
            .sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    }
}

/// By the labels while they are there: a redacted file has none.
fn compare_series(a: &ExternalMetricValue, b: &ExternalMetricValue) -> Ordering {
    (&a.metric_labels, a.timestamp)
        .cmp(&(&b.metric_labels, b.timestamp))
        .then_with(|| a.value.cmp_value(&b.value))
}

fn key(event: &Event) -> impl Ord {
    let first = event.first_timestamp.or(event.event_time);
    let about = &event.involved_object;
    (first, about, event.reason.as_str(), event.message.as_str())
}
