//! Tries what would help on the load that a record tells of.

use std::cmp::Reverse;
use std::path::Path;

use jiff::Timestamp;

use crate::cli::args;
use crate::cli::past;
use crate::controller::{self, Overrides};
use crate::diagnose;
use crate::manifest::edited;
use crate::simulate::load::{Load, Recorded};
use crate::simulate::{Keep, Model, Subject, bare, common_request, metric_name, spread};
use crate::snapshot::{HpaSpec, MetricSpec, Snapshot};
use crate::trace::{Change, Flaps, Proof, Scores, Trial};

/// Simulates each change of one field of the spec on what the record tells of
/// until the moment that is judged, beside the spec as it is; of windows, the
/// shortest that helps takes the place of the suggested one. Where a change or
/// the load cannot be simulated, the change stays suggested.
///
/// # Errors
///
/// The record cannot be read.
pub fn confirm(
    flaps: &mut Flaps,
    snapshot: &Snapshot,
    path: &Path,
    settings: &args::Settings,
) -> anyhow::Result<()> {
    let changes = flaps.mechanisms.iter_mut().flat_map(|it| &mut it.changes);
    let mut changes = changes.filter(|change| change.set.is_some()).peekable();
    if changes.peek().is_none() {
        return Ok(());
    }
    let overrides = settings.overrides();
    let Some((course, before)) = most_turns(snapshot, path, flaps.at, &overrides)? else {
        return Ok(());
    };
    let hpa = &snapshot.horizontal_pod_autoscaler;
    let controller = controller::Settings::resolve(snapshot, &overrides);
    let period = controller.sync_period_seconds();
    let under = |change: &Change| {
        let assignment = change.set.as_deref().and_then(|set| set.parse().ok());
        assignment.and_then(|it| edited(hpa, &[it], settings.rules(snapshot)).ok())
    };
    let tried = |mut change: Change| {
        let spec = under(&change);
        let after = spec.and_then(|spec| course.scores(snapshot, &overrides, &spec));
        if let Some(after) = after {
            let trial = course.trial(&hpa.spec, before, after);
            change.proof = diagnose::proof(trial, period);
        }
        change
    };
    for change in changes {
        let suggested = under(change);
        let shorter = suggested
            .iter()
            .flat_map(|suggested| diagnose::shorter_windows([&hpa.spec, suggested], &controller));
        let mut shorter = shorter.map(tried);
        let confirmed = shorter.find(|it| matches!(it.proof, Proof::Confirmed(_)));
        *change = confirmed.unwrap_or_else(|| tried(change.clone()));
    }
    Ok(())
}

/// The recorded load of a metric.
struct Course<'a> {
    metric: &'a MetricSpec,
    load: Load,
    model: Model,
    /// The size when the load begins.
    replicas: i32,
    seconds: i64,
}

/// Of the loads that were recorded, the one that turns the size round most
/// often under the spec as it is, with what came of it.
fn most_turns<'a>(
    snapshot: &'a Snapshot,
    path: &Path,
    until: Timestamp,
    overrides: &'a Overrides,
) -> anyhow::Result<Option<(Course<'a>, Scores)>> {
    let hpa = &snapshot.horizontal_pod_autoscaler;
    let metrics = &hpa.spec.metrics;
    let recorded = metrics.iter().map(|it| Recorded::new(it, overrides));
    let mut recorded: Vec<Recorded> = recorded.collect();
    let mut sizes = Vec::new();
    let own = (hpa.metadata.namespace.as_str(), hpa.metadata.name.as_str());
    past::samples(path, own, until, |sample| {
        for recorded in &mut recorded {
            recorded.take(sample);
        }
        let scale = sample.scale.response.as_ref();
        let size = scale.map(|scale| scale.spec.replicas);
        sizes.extend(size.map(|size| (sample.captured_at.as_second(), size)));
    })?;
    let courses = metrics.iter().zip(recorded).enumerate();
    let tried = courses.filter_map(|(index, (metric, recorded))| {
        let recorded = recorded.load()?;
        let first = sizes.partition_point(|(at, _)| *at <= recorded.first);
        let (_, replicas) = sizes.get(first.saturating_sub(1))?;
        let model = Model {
            request: common_request(snapshot, overrides, index),
            spread: spread(metric),
            ..Model::default()
        };
        let course = Course {
            metric,
            model: recorded.followed_by(model),
            replicas: *replicas,
            seconds: recorded.seconds,
            load: Load {
                shape: recorded.shape,
                noise: None,
            },
        };
        let before = course.scores(snapshot, overrides, &hpa.spec)?;
        Some((index, course, before))
    });
    let most = tried.max_by_key(|(index, _, before)| (before.reversals, Reverse(*index)));
    Ok(most.map(|(_, course, before)| (course, before)))
}

impl Course<'_> {
    fn scores(&self, snapshot: &Snapshot, overrides: &Overrides, spec: &HpaSpec) -> Option<Scores> {
        let subject = Subject {
            snapshot: &bare(snapshot, self.replicas),
            overrides,
            metric: self.metric,
            load: &self.load,
            model: &self.model,
            replicas: self.replicas,
            seconds: self.seconds,
            keep: Keep::All,
        };
        subject.scores("", spec).ok()
    }

    fn trial(&self, spec: &HpaSpec, before: Scores, after: Scores) -> Trial {
        let others = spec.metrics.iter().filter(|it| *it != self.metric);
        Trial {
            metric: metric_name(self.metric).to_owned(),
            left_out: others.map(|it| metric_name(it).to_owned()).collect(),
            seconds: self.seconds,
            replicas: self.replicas,
            before,
            after,
        }
    }
}
