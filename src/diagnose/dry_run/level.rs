//! Another value of a metric than the one that was measured.

use crate::api::MetricSpec;
use crate::controller::Settings;
use crate::snapshot::Snapshot;

use super::answers::{set_external, set_object, set_pods};
use super::counting::Counting;
use super::inputs::{InputsError, Level};
use super::usage::set_resource;

/// Sets every metric of a name that some side has; that one of them can be set
/// is enough.
pub(super) fn set_metric(
    snapshot: &mut Snapshot,
    counting: Counting,
    name: &str,
    level: &Level,
) -> Result<(), InputsError> {
    let mut is_set = false;
    let mut refused = None;
    for metric in counting.metrics().filter(|it| it.name() == Some(name)) {
        match set(snapshot, metric, level, counting.settings) {
            Ok(()) => is_set = true,
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    if is_set {
        return Ok(());
    }
    Err(refused.unwrap_or_else(|| no_such(counting, name)))
}

fn no_such(counting: Counting, name: &str) -> InputsError {
    let mut known: Vec<&str> = counting.metrics().filter_map(MetricSpec::name).collect();
    known.sort_unstable();
    known.dedup();
    InputsError::NoSuchMetric {
        name: name.to_owned(),
        known: known.join(", "),
    }
}

fn set(
    snapshot: &mut Snapshot,
    metric: &MetricSpec,
    level: &Level,
    settings: &Settings,
) -> Result<(), InputsError> {
    let name = || metric.name().unwrap_or_default().to_owned();
    if metric.measured_resource().is_some() {
        return set_resource(snapshot, metric, level, settings);
    }
    let Level::Amount(amount) = level else {
        return Err(InputsError::NoPercentage(name()));
    };
    if let Some(source) = &metric.pods {
        set_pods(snapshot, &source.metric, amount)
    } else if let Some(source) = &metric.object {
        set_object(snapshot, source, amount)
    } else if let Some(source) = &metric.external {
        set_external(snapshot, &source.metric, amount)
    } else {
        Ok(())
    }
    .map_err(|error| InputsError::NoQuestion {
        name: name(),
        why: error.to_string(),
    })
}
