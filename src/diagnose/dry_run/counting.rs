//! Which pods count, by the controller's own rules, for the metrics of every
//! side.

use std::collections::BTreeSet;

use crate::api::{HpaSpec, MetricSpec, Pod};
use crate::controller::prepared::target_kind;
use crate::controller::{Nanos, Prepared, Settings, counting, selected_pods};
use crate::snapshot::Snapshot;
use crate::trace::TargetKind;

/// What decides on which pods count, the pods aside.
#[derive(Clone, Copy)]
pub(super) struct Counting<'a> {
    /// The specs of all sides.
    pub specs: &'a [&'a HpaSpec],
    pub settings: &'a Settings,
    pub now: Nanos,
}

impl<'a> Counting<'a> {
    /// The metrics of all sides.
    pub(super) fn metrics(self) -> impl Iterator<Item = &'a MetricSpec> {
        self.specs.iter().flat_map(|spec| &spec.metrics)
    }

    /// The pods that each of the metrics counts; `None` for one that has no
    /// samples or needs none.
    pub(super) fn by_metric(self, snapshot: &Snapshot) -> Vec<Option<BTreeSet<String>>> {
        let mut asked = snapshot.clone();
        asked.horizontal_pod_autoscaler.spec.metrics = self.metrics().cloned().collect();
        let prepared = Prepared::new(&asked, self.settings);
        let counted = counting(&prepared, self.settings, self.now).into_iter();
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        counted.map(|names| names.map(owned)).collect()
    }

    /// Whether what some metric asks for depends on pods, measured or not.
    pub(super) fn looks_at_pods(self) -> bool {
        self.metrics()
            .any(|metric| !metric.is_one_value() || target_kind(metric) == Some(TargetKind::Value))
    }

    /// The pods that every metric counts which counts any, in their order;
    /// where no metric has samples of pods, those that run.
    pub(super) fn pods(self, snapshot: &Snapshot) -> Vec<String> {
        let by_metric: Vec<_> = self.by_metric(snapshot).into_iter().flatten().collect();
        let is_unmeasured = by_metric.is_empty();
        let counting: Vec<_> = by_metric.iter().filter(|names| !names.is_empty()).collect();
        if counting.is_empty() && !is_unmeasured {
            return Vec::new();
        }
        let selected = selected_pods(snapshot).into_iter();
        let counting = selected.filter(|pod| {
            let name = pod.metadata.name.as_str();
            counting.iter().all(|names| names.contains(name)) && (!is_unmeasured || runs(pod))
        });
        counting.map(|pod| pod.metadata.name.to_string()).collect()
    }
}

fn runs(pod: &Pod) -> bool {
    pod.status.phase == "Running" && pod.metadata.deletion_timestamp.is_none()
}
