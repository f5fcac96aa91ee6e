//! What the samples of a history tell: the load of each metric, which of them
//! decides, the sizes, and who else changed them.

use std::cmp::Reverse;

use jiff::{SignedDuration, Timestamp};

use crate::api::{HorizontalPodAutoscaler, HpaSpec, MetricSpec, Pod};
use crate::controller::{Memory, Overrides, Prepared, Settings, reconcile_once};
use crate::document::snapshot::Snapshot;
use crate::simulate::load::Recorded;
use crate::simulate::metric_name;
use crate::trace::{NoAdvice, NoAdviceCause};

/// A rescale is written to the status so many seconds after the scale, at the
/// most.
const LATE: i64 = 2;
/// Pods of this age that are not Ready will hardly be.
const LATEST_READY: SignedDuration = SignedDuration::from_mins(10);

/// What the samples of a history tell, since the last edit of the spec.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    overrides: Overrides,
    /// When the spec was edited last, where that is known otherwise.
    edited: Option<Timestamp>,
    spec: Option<HpaSpec>,
    /// How often the spec was edited.
    pub(super) edits: usize,
    recorded: Vec<Recorded>,
    /// In how many samples each metric decided.
    decided: Vec<usize>,
    /// When each sample was, and the size that the scale asks for.
    pub(super) sizes: Vec<(i64, i32)>,
    /// When samples first show changes of the size that the HPA did not make.
    pub(super) by_others: Vec<i64>,
    /// Since when a change waits for the status that tells of it.
    waiting: Option<i64>,
    /// In how many samples a pod was minutes old and not Ready.
    pub(super) unready: usize,
}

/// A metric, and what is known of its load.
pub(super) struct Deciding<'a> {
    pub(super) metric: &'a MetricSpec,
    pub(super) index: usize,
    pub(super) recorded: &'a Recorded,
    /// In how many percent of the passes it decides.
    pub(super) percent: usize,
}

impl Observed {
    /// Nothing yet.
    pub fn new(overrides: &Overrides) -> Self {
        Self {
            overrides: overrides.clone(),
            ..Self::default()
        }
    }

    /// Leaves out what was before the last edit of an HPA: not every source of
    /// samples shows all of the spec.
    pub fn since_edit_of(self, hpa: &HorizontalPodAutoscaler) -> Self {
        Self {
            edited: hpa.spec_written(),
            ..self
        }
    }

    /// Takes in a sample. What was before an edit of the spec counts no more.
    pub fn take(&mut self, sample: &Snapshot) {
        let second = sample.captured_at.as_second();
        if self.sizes.last().is_some_and(|(last, _)| second <= *last) {
            return;
        }
        if self.edited.is_some_and(|at| sample.captured_at < at) {
            self.edits = 1;
            return;
        }
        let spec = &sample.hpa.spec;
        if self.spec.as_ref() != Some(spec) {
            self.edits += usize::from(self.spec.is_some());
            self.spec = Some(spec.clone());
            let recorded = |it| Recorded::new(it, &self.overrides);
            self.recorded = spec.metrics.iter().map(recorded).collect();
            self.decided = vec![0; spec.metrics.len()];
            self.sizes.clear();
            (self.by_others, self.waiting, self.unready) = (Vec::new(), None, 0);
        }
        let is_late = |pod: &Pod| {
            let made = pod.metadata.creation_timestamp;
            let age = made.map(|made| sample.captured_at.duration_since(made));
            age > Some(LATEST_READY) && !pod.is_ready() && !pod.has_ended()
        };
        self.unready += usize::from(sample.pods.iter().any(is_late));
        for recorded in &mut self.recorded {
            recorded.take(sample);
        }
        let decided = match self.decided.len() {
            1 => Some(0),
            _ => winner(sample, &self.overrides),
        };
        if let Some(count) = decided.and_then(|index| self.decided.get_mut(index)) {
            *count += 1;
        }
        if let Some(scale) = sample.scale.response() {
            self.resized(sample, scale.spec.replicas);
            self.sizes.push((second, scale.spec.replicas));
        }
    }

    /// Notes who changed the size.
    fn resized(&mut self, sample: &Snapshot, replicas: i32) {
        let status = &sample.hpa.status;
        let scaled = status.last_scale_time.map(Timestamp::as_second);
        // Where the status does not tell of rescales, nobody knows.
        let is_own = |since: i64| scaled.is_none_or(|at| at >= since - LATE);
        let last = self.sizes.last();
        let waited = self.waiting.take().filter(|since| !is_own(*since));
        self.by_others.extend(waited.and(last).map(|(at, _)| *at));
        let changed = last.filter(|(at, size)| *size != replicas && !is_own(*at));
        self.waiting = changed.map(|(at, _)| *at);
    }

    /// How many samples count.
    pub fn samples(&self) -> usize {
        self.sizes.len()
    }

    /// The first of them.
    pub fn since(&self) -> Option<Timestamp> {
        let (first, _) = self.sizes.first()?;
        Timestamp::from_second(*first).ok()
    }

    /// How long they are apart, from the first to the last.
    pub(super) fn seconds(&self) -> i64 {
        let (first, last) = (self.sizes.first(), self.sizes.last());
        first.zip(last).map_or(0, |(first, last)| last.0 - first.0)
    }

    /// How far the samples are apart on average, in seconds.
    pub(super) fn apart(&self) -> i64 {
        let samples = i64::try_from(self.samples()).unwrap_or(i64::MAX);
        self.seconds() / (samples - 1).max(1)
    }

    /// All metrics, the one first that decides in most passes.
    pub(super) fn deciding<'a>(&'a self, spec: &'a HpaSpec) -> Result<Vec<Deciding<'a>>, NoAdvice> {
        let unknown = |reason| NoAdvice::new(NoAdviceCause::NoLoad, reason);
        if self.sizes.is_empty() {
            return Err(unknown("the history has no sample of its size"));
        }
        if self.spec.as_ref() != Some(spec) {
            let reason = "the spec was edited since the history ends: nothing is known of this \
                          one yet";
            return Err(NoAdvice::new(NoAdviceCause::Edited, reason));
        }
        let all: usize = self.decided.iter().sum();
        if all == 0 {
            return Err(unknown("no metric had a value in any sample"));
        }
        let each = spec.metrics.iter().zip(&self.recorded).zip(&self.decided);
        let each = each.enumerate();
        let each = each.map(|(index, ((metric, recorded), count))| Deciding {
            metric,
            index,
            recorded,
            percent: (count * 100).div_ceil(all),
        });
        let mut each: Vec<Deciding> = each.collect();
        // Of equals, the first.
        each.sort_by_key(|it| Reverse(it.percent));
        Ok(each)
    }
}

/// The metric that asks for most at a sample.
fn winner(sample: &Snapshot, overrides: &Overrides) -> Option<usize> {
    let settings = Settings::resolve(sample, overrides);
    let prepared = Prepared::new(sample, &settings);
    let trace = reconcile_once(&prepared, &settings, Memory::empty(), sample.captured_at);
    trace.recommendation?.winner
}

/// No sample tells of the load of a metric.
pub(super) fn unloaded(metric: &MetricSpec) -> NoAdvice {
    let reason = format!("no sample has a value of {}", metric_name(metric));
    NoAdvice::new(NoAdviceCause::NoLoad, reason)
}
