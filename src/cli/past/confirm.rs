//! Tries what would help on the load that a record tells of.

use std::cmp::Reverse;

use crate::api::{HpaSpec, MetricSpec};
use crate::cli::options;
use crate::controller::{self, Overrides};
use crate::document::manifest::edited;
use crate::document::snapshot::Snapshot;
use crate::flaps::{tried, windows};
use crate::simulate::load::{Load, Recorded};
use crate::simulate::{Keep, MetricLoad, Model, Subject, bare, metric_name, usual};
use crate::trace::{Change, Flaps, Proof, Scores, Trial};

/// Simulates each change of one field of the spec on what the record tells of
/// until the moment that is judged, beside the spec as it is; of windows, the
/// shortest that helps takes the place of the suggested one. Where a change or
/// the load cannot be simulated, the change stays suggested.
pub fn confirm(
    flaps: &mut Flaps,
    snapshot: &Snapshot,
    recorded: RecordedLoads,
    settings: &options::Settings,
) {
    let changes = flaps.mechanisms.iter_mut().flat_map(|it| &mut it.changes);
    let mut changes = changes.filter(|change| change.set.is_some()).peekable();
    if changes.peek().is_none() {
        return;
    }
    let overrides = settings.overrides();
    let Some((course, before)) = recorded.most_reversals(snapshot, &overrides) else {
        return;
    };
    let hpa = &snapshot.hpa;
    let controller = controller::Settings::resolve(snapshot, &overrides);
    let period = controller.sync_period_seconds();
    let under = |change: &Change| {
        let assignment = change.set.as_deref().and_then(|set| set.parse().ok());
        assignment.and_then(|it| edited(hpa, &[it], settings.rules(snapshot)).ok())
    };
    let ways = course.ways_to_start();
    let tried = |change: Change| {
        let spec = under(&change);
        let trials = spec.iter().flat_map(|spec| {
            let scores = ways
                .iter()
                .filter_map(|model| course.scores(snapshot, &overrides, spec, model));
            scores.map(|after| course.trial(&hpa.spec, before, after))
        });
        tried(change, trials, period)
    };
    for change in changes {
        let suggested = under(change);
        let all = suggested.map_or_else(
            || vec![change.clone()],
            |suggested| windows(change, [&hpa.spec, &suggested], &controller),
        );
        let is_confirmed = |it: &Change| matches!(it.proof, Proof::Confirmed(_));
        let helps = all.into_iter().map(tried).find(is_confirmed);
        *change = helps.unwrap_or_else(|| tried(change.clone()));
    }
}

/// In so many ways the starts of a record are given to the pods of a trial: as many
/// as a larger step adds at once.
const WAYS_TO_START: usize = 8;

/// The recorded load of a metric.
struct Course<'a> {
    metric: &'a MetricSpec,
    load: Load,
    model: Model,
    /// The size when the load begins.
    replicas: i32,
    seconds: i64,
}

/// What a record tells of the load of each metric, and of the size.
#[derive(Default)]
pub struct RecordedLoads {
    metrics: Vec<Recorded>,
    sizes: Vec<(i64, i32)>,
}

impl RecordedLoads {
    pub fn new(snapshot: &Snapshot, overrides: &Overrides) -> Self {
        let metrics = snapshot.hpa.spec.metrics.iter();
        let metrics = metrics.map(|it| Recorded::new(it, overrides)).collect();
        let sizes = Vec::new();
        Self { metrics, sizes }
    }

    /// Takes in the next sample.
    pub fn take(&mut self, sample: &Snapshot) {
        for recorded in &mut self.metrics {
            recorded.take(sample);
        }
        let (at, scale) = (sample.captured_at.as_second(), sample.scale.response());
        self.sizes.extend(scale.map(|it| (at, it.spec.replicas)));
    }

    /// Of the loads that were recorded, the one that turns the size round most
    /// often under the spec as it is, with what came of it.
    fn most_reversals<'a>(
        self,
        snapshot: &'a Snapshot,
        overrides: &'a Overrides,
    ) -> Option<(Course<'a>, Scores)> {
        let spec = &snapshot.hpa.spec;
        let courses = spec.metrics.iter().zip(self.metrics).enumerate();
        let tried = courses.filter_map(|(index, (metric, recorded))| {
            let recorded = recorded.load()?;
            let first = self.sizes.partition_point(|(at, _)| *at <= recorded.first);
            let (_, replicas) = self.sizes.get(first.saturating_sub(1))?;
            let model = usual(snapshot, overrides, (index, metric));
            let course = Course {
                metric,
                model: recorded.followed_by(model),
                replicas: *replicas,
                seconds: recorded.seconds,
                load: Load::even(recorded.shape),
            };
            let before = course.scores(snapshot, overrides, spec, &course.model)?;
            Some((index, course, before))
        });
        let most = tried.max_by_key(|(index, _, before)| (before.reversals, Reverse(*index)))?;
        Some((most.1, most.2))
    }
}

impl Course<'_> {
    fn scores(
        &self,
        snapshot: &Snapshot,
        overrides: &Overrides,
        spec: &HpaSpec,
        model: &Model,
    ) -> Option<Scores> {
        let subject = Subject {
            snapshot: &bare(snapshot, self.replicas),
            overrides,
            lead: MetricLoad {
                metric: self.metric,
                load: &self.load,
                model,
            },
            others: Vec::new(),
            replicas: self.replicas,
            seconds: self.seconds,
            keep: Keep::All,
        };
        subject.scores("", spec).ok()
    }

    /// The workload, with the starts of the record given to its pods in several
    /// ways: those that a change starts are not those of the record, and each can
    /// start as any of them did.
    fn ways_to_start(&self) -> Vec<Model> {
        let moved = |by| Model {
            timing: self.model.timing.clone().map(|it| it.with_starts_moved(by)),
            ..self.model.clone()
        };
        let mut ways: Vec<Model> = (0..WAYS_TO_START).map(moved).collect();
        ways.dedup();
        ways
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
