//! The spec as it is, simulated on the load that was recorded, and held against
//! what happened.

use std::collections::BTreeSet;

use crate::api::{Direction, HpaSpec, MetricSpec, PodConditionKind};
use crate::controller::Settings;
use crate::document::snapshot::Snapshot;
use crate::simulate::load::{Load, RecordedLoad, Shape};
use crate::simulate::{
    Capacity, Keep, MetricLoad, Model, Spread, Subject, bare, common_request, is_share,
    metric_name, spread,
};
use crate::trace::amount::{counted, plural};
use crate::trace::{
    BothSizes, Calibration, NoAdvice, NoAdviceCause, SimulatedRun, SizeTotals, seconds_text, short,
};

use super::Question;
use super::observed::{Deciding, Observed, unloaded};

/// Pods that a change starts are not those of the history: each can start as any
/// of these did that come so many places later.
const MOVED: [usize; 2] = [1, 2];
/// How long pods take until they are Ready, in seconds, where nothing shows it of any:
/// soon, or late.
const STARTS: [i64; 2] = [15, 40];
/// What took longer to be Ready has been so before, and was not for a while.
const LONGEST_START: i64 = 3_600;
/// A metric that decides in no more than this share of the passes, in percent, matters
/// little.
const OTHERS_DECIDE: usize = 5;
/// How far pod-hours may be apart, in percent.
const MOST_POD_HOURS: f64 = 5.0;
/// How far the missing pods may be apart, in percent of the pod-hours.
const MOST_MISSING: f64 = 2.0;
/// Of so many of the Ready pods, in percent, the load must be measured.
const MUCH_UNMEASURED: i64 = 20;
/// How far changes may be apart, in percent.
const MOST_CHANGES: f64 = 15.0;
/// What is shorter has not seen a whole day, in seconds.
pub(super) const DAY: i64 = 86_400;
/// So few changes tell nothing in percent.
const FEW_CHANGES: u32 = 2;

/// The loads of a history, to be run again.
pub(super) struct Replay<'a> {
    question: &'a Question<'a>,
    /// The metric that decides most, and the others.
    lead: MetricHistory<'a>,
    others: Vec<MetricHistory<'a>>,
}

/// What a history tells of a metric.
struct MetricHistory<'a> {
    metric: &'a MetricSpec,
    load: RecordedLoad,
    request: Option<i64>,
    /// In how many percent of the passes it decides.
    percent: usize,
}

/// A part of it, with what is the same under every spec.
pub(super) struct Stretch<'a> {
    question: &'a Question<'a>,
    snapshot: Snapshot,
    lead: LoadPart,
    others: Vec<LoadPart>,
    replicas: i32,
    pub(super) seconds: i64,
}

/// A part of the load of a metric.
#[derive(Clone)]
struct LoadPart {
    metric: MetricSpec,
    load: Load,
    /// How its pods start: as the history has it.
    model: Model,
    /// How they may start otherwise.
    ways: Vec<Model>,
}

impl LoadPart {
    /// In one of the ways in which pods may start, the first as the history has it.
    fn started(&self, way: usize) -> MetricLoad<'_> {
        let other = way.checked_sub(1).and_then(|at| self.ways.get(at));
        MetricLoad {
            metric: &self.metric,
            load: &self.load,
            model: other.unwrap_or(&self.model),
        }
    }

    /// The same by what another spec has of its metric.
    fn under(&self, spec: &HpaSpec) -> Self {
        let metric = spec.metric_like(&self.metric).unwrap_or(&self.metric);
        Self {
            metric: metric.clone(),
            ..self.clone()
        }
    }
}

impl Stretch<'_> {
    /// What specs are tried on, with pods that start as the history has it.
    pub(super) fn as_it_was(&self) -> Subject<'_> {
        self.subject(0)
    }

    /// The same with each way in which pods may start.
    pub(super) fn ways(&self) -> impl Iterator<Item = Subject<'_>> {
        (0..=self.lead.ways.len()).map(|way| self.subject(way))
    }

    fn subject(&self, way: usize) -> Subject<'_> {
        let others = self.others.iter();
        Subject {
            snapshot: &self.snapshot,
            overrides: self.question.overrides,
            lead: self.lead.started(way),
            others: others.map(|it| it.started(way)).collect(),
            replicas: self.replicas,
            seconds: self.seconds,
            keep: Keep::All,
        }
    }

    /// How many pods the load needs from which second on, in thousandths.
    pub(super) fn needs(&self) -> Vec<(i64, i64)> {
        let subject = self.as_it_was();
        let settings = Settings::resolve(subject.snapshot, self.question.overrides);
        let all = std::iter::once(&subject.lead).chain(&subject.others);
        let carried = all.filter_map(|it| Some((it.load, subject.capacity(it, &settings)?)));
        let carried: Vec<(&Load, Capacity)> = carried.collect();
        let steps = carried.iter().flat_map(|(load, _)| match &load.shape {
            Shape::Steps(steps) => steps.as_slice(),
            _ => &[],
        });
        let need = |at: i64| {
            let each = carried.iter();
            let each = each.map(|(load, capacity)| capacity.milli_pods(load.at(at)));
            (at, each.max().unwrap_or_default())
        };
        let moments: BTreeSet<i64> = steps.map(|(at, _)| *at).collect();
        moments.into_iter().map(need).collect()
    }

    /// The same where another spec is the one that there is: by its target it
    /// is meant to carry.
    pub(super) fn under(&self, spec: &HpaSpec) -> Self {
        let mut snapshot = self.snapshot.clone();
        snapshot.hpa.spec = spec.clone();
        let others = self.others.iter();
        Self {
            snapshot,
            lead: self.lead.under(spec),
            others: others.map(|it| it.under(spec)).collect(),
            ..*self
        }
    }

    /// The same with pods that request something else of the resource.
    pub(super) fn with_request(mut self, request: i64) -> Self {
        self.lead.model.request = Some(request);
        self
    }
}

impl<'a> Replay<'a> {
    pub(super) fn new(
        question: &'a Question<'a>,
        deciding: &[Deciding<'a>],
    ) -> Result<Self, NoAdvice> {
        let history = |it: &Deciding<'a>| {
            let metric = it.metric;
            let load = it.recorded.load().ok_or_else(|| unloaded(metric))?;
            let request = common_request(question.snapshot, question.overrides, it.index);
            if is_share(metric) && request.is_none() {
                let reason = format!(
                    "the target is a percentage of the pods' {} request, and the request is unknown",
                    metric_name(metric)
                );
                return Err(NoAdvice::new(NoAdviceCause::UnknownRequest, reason));
            }
            Ok(MetricHistory {
                metric,
                load,
                request,
                percent: it.percent,
            })
        };
        let all = deciding.iter().map(history);
        let mut all = all.collect::<Result<Vec<MetricHistory>, _>>()?;
        // All metrics are of the same pods: of the one that shows most to start.
        let starts = all.iter().map(|it| &it.load.timing.starts);
        let starts = starts.max_by_key(|it| it.len()).cloned();
        for it in &mut all {
            it.load.timing.start_as(starts.clone().unwrap_or_default());
        }
        Ok(Self {
            question,
            lead: all.remove(0),
            others: all,
        })
    }

    pub(super) fn metric(&self) -> &'a MetricSpec {
        self.lead.metric
    }

    pub(super) fn request(&self) -> Option<i64> {
        self.lead.request
    }

    /// The first metric, and those that decide in more than [`OTHERS_DECIDE`] percent of
    /// the passes; with what pods request of each.
    pub(super) fn decisive(&self) -> impl Iterator<Item = (&'a MetricSpec, Option<i64>)> {
        let others = self.others.iter().filter(|it| it.percent > OTHERS_DECIDE);
        let all = std::iter::once(&self.lead).chain(others);
        all.map(|it| (it.metric, it.request))
    }

    pub(super) fn seconds(&self) -> i64 {
        self.lead.load.seconds
    }

    fn metrics(&self) -> impl Iterator<Item = &MetricHistory<'a>> {
        std::iter::once(&self.lead).chain(&self.others)
    }

    /// What is taken for granted, and what the history lacks.
    pub(super) fn assumptions(&self, observed: &Observed) -> Vec<String> {
        let mut assumed = Vec::new();
        if self.seconds() < DAY {
            let seconds = seconds_text(self.seconds());
            assumed.push(format!(
                "the load to come is like that of the last {seconds}"
            ));
        }
        if self.metrics().any(|it| spread(it.metric) == Spread::Shared) {
            assumed.push("Ready pods share the load evenly".to_owned());
        }
        for it in self.metrics() {
            let name = metric_name(it.metric);
            assumed.extend(match spread(it.metric) {
                Spread::Shared => None,
                Spread::Whole => Some(format!("{name} does not depend on the number of pods")),
                Spread::EachPod => Some(format!(
                    "each pod holds as much {name} as now, however many there are"
                )),
            });
        }
        if !self.others.is_empty() {
            let name = metric_name(self.lead.metric);
            assumed.push(format!(
                "{name} decides most passes, and no other target is changed"
            ));
        }
        assumed.push(if self.shows_starts() {
            "pods start and samples come as in the history".to_owned()
        } else {
            let (how, [soon, late]) = match self.measured_starts() {
                Some(starts) => (", as the current ones were", starts),
                None => ("", STARTS),
            };
            let unknown = if self.metrics().any(|it| it.metric.is_of_resource()) {
                "no pod started in the history"
            } else {
                "samples of this metric do not show how pods start"
            };
            let late = (late > soon).then(|| format!(" to {}", seconds_text(late)));
            format!(
                "{unknown}: pods are Ready after {}{}{how}",
                seconds_text(soon),
                late.unwrap_or_default()
            )
        });
        if observed.edits > 0 {
            assumed.push("the history before the last edit of the spec is left out".to_owned());
        }
        let apart = seconds_text(self.lead.load.apart);
        let gaps = match self.lead.load.gaps {
            1 => format!("a gap of {apart} continues through it"),
            gaps => format!("each of {gaps} gaps of up to {apart} continues through it"),
        };
        assumed.extend((self.lead.load.gaps > 0).then(|| format!("the load before {gaps}")));
        assumed
    }

    /// Whether pods started in it.
    pub(super) fn shows_starts(&self) -> bool {
        !self.lead.load.timing.starts.is_empty()
    }

    /// How long the pods that there are took until they were Ready: half of them, and
    /// the slowest.
    fn measured_starts(&self) -> Option<[i64; 2]> {
        let pods = self.question.snapshot.pods.iter();
        let took = pods.filter(|pod| pod.is_ready()).filter_map(|pod| {
            let ready = pod.condition(PodConditionKind::Ready)?;
            let made = pod.metadata.creation_timestamp?;
            let took = ready.last_transition_time?.duration_since(made);
            Some(took.as_secs()).filter(|it| (0..=LONGEST_START).contains(it))
        });
        let mut took: Vec<i64> = took.collect();
        took.sort_unstable();
        Some([*took.get(took.len() / 2)?, *took.last()?])
    }

    /// All of it.
    pub(super) fn whole(&self) -> Stretch<'a> {
        self.stretch(self.lead.load.first, self.seconds())
    }

    /// The part that is searched, and the one that proves.
    pub(super) fn halves(&self) -> [Stretch<'a>; 2] {
        let half = self.seconds() / 2;
        let first = self.lead.load.first;
        [
            self.stretch(first, half),
            self.stretch(first + half, self.seconds() - half),
        ]
    }

    fn stretch(&self, first: i64, seconds: i64) -> Stretch<'a> {
        let replicas = self.size_at(first);
        let [soon, late] = self.measured_starts().unwrap_or(STARTS);
        let part = |it: &MetricHistory| {
            let load = it.load.clone().since(first);
            let of = |start_up| {
                load.followed_by(Model {
                    request: it.request,
                    spread: spread(it.metric),
                    start_up,
                    readiness: 0,
                    ..Model::default()
                })
            };
            let model = of(soon);
            let moved = |by| Model {
                timing: model.timing.clone().map(|it| it.with_starts_moved(by)),
                ..model.clone()
            };
            let ways = if self.shows_starts() {
                MOVED.map(moved).to_vec()
            } else {
                vec![of(late)]
            };
            LoadPart {
                metric: it.metric.clone(),
                load: Load::even(load.shape),
                model,
                ways,
            }
        };
        let mut lead = part(&self.lead);
        lead.ways.dedup();
        lead.ways.retain(|it| *it != lead.model);
        Stretch {
            question: self.question,
            snapshot: bare(self.question.snapshot, replicas),
            lead,
            others: self.others.iter().map(part).collect(),
            replicas,
            seconds,
        }
    }

    /// The size at a second, counted from 1970.
    fn size_at(&self, second: i64) -> i32 {
        at(&self.question.observed.sizes, second).unwrap_or(1)
    }

    /// The sizes that there were, in seconds since the load begins.
    fn happened(&self) -> Vec<(i64, i32)> {
        let first = self.lead.load.first;
        let sizes = self.question.observed.sizes.iter();
        let later = sizes.filter(|(at, _)| *at > first);
        let later = later.map(|(at, size)| (at - first, *size));
        let first = (0, self.size_at(first));
        std::iter::once(first).chain(later).collect()
    }
}

/// Holds the spec as it is, simulated on all of the load, against what happened.
pub(super) fn calibration(replay: &Replay, run: &SimulatedRun, sampled: i64) -> Calibration {
    let whole = replay.whole();
    let seconds = replay.seconds();
    let happened = replay.happened();
    let steps = run.steps.iter().map(|it| (it.second, it.desired_replicas));
    let simulated: Vec<(i64, i32)> = happened.first().copied().into_iter().chain(steps).collect();
    let by_others = replay.question.observed.by_others.iter();
    let by_others: Vec<i64> = by_others.map(|at| at - replay.lead.load.first).collect();
    let (mut real, mut own) = (totals(&happened, seconds), totals(&simulated, seconds));
    let real_hours = real.pod_seconds;
    let [own_changes, changes] = [own, real].map(|it| i64::from(it.changes));
    real.missing_pod_seconds = missing(&whole.needs(), &replay.lead.load.serving, seconds);
    own.missing_pod_seconds = run.scores.missing_pod_seconds();
    Calibration {
        seconds,
        happened: real,
        simulated: own,
        pod_hours_apart: percent(own.pod_seconds - real_hours, real_hours),
        changes_apart: percent(own_changes - changes, changes),
        sizes: both((&happened, &by_others), &simulated, (seconds, sampled)),
    }
}

/// The passes that a spec leads to on all of the load; of one of several HPAs those
/// that come to another size.
pub(super) fn simulated(
    replay: &Replay,
    name: &str,
    spec: &HpaSpec,
) -> Result<SimulatedRun, NoAdvice> {
    let run = replay.whole().as_it_was().run(name, spec);
    let mut run =
        run.map_err(|error| NoAdvice::new(NoAdviceCause::NotSimulated, error.to_string()))?;
    if replay.question.is_coarse {
        run.steps.dedup_by_key(|it| it.desired_replicas);
    }
    Ok(run)
}

/// Each of some values that hold until the next one, with how many seconds it does
/// from 0 to the end.
pub(super) fn lasting<T: Copy>(
    values: &[(i64, T)],
    end: i64,
) -> impl Iterator<Item = (T, i64)> + '_ {
    let within = move |at: i64| at.clamp(0, end);
    let ends = values.iter().skip(1).map(|(at, _)| *at).chain([end]);
    let each = values.iter().zip(ends);
    each.map(move |((at, value), next)| (*value, within(next) - within(*at)))
}

/// What a course of sizes comes to until its end.
fn totals(sizes: &[(i64, i32)], end: i64) -> SizeTotals {
    let mut totals = SizeTotals::default();
    let mut last = None;
    let pod_seconds = lasting(sizes, end).map(|(size, seconds)| i64::from(size) * seconds);
    totals.pod_seconds = pod_seconds.sum();
    for (one, next) in sizes.iter().zip(sizes.iter().skip(1)) {
        if let Some(direction) = Direction::between(one.1, next.1) {
            totals.changes += 1;
            totals.reversals += u32::from(last.replace(direction) == Some(direction.opposite()));
        }
    }
    totals
}

/// What holds at a second, of values that hold until the next one.
fn at<T: Copy>(values: &[(i64, T)], second: i64) -> Option<T> {
    let next = values.partition_point(|(at, _)| *at <= second);
    let (_, value) = values.get(next.saturating_sub(1))?;
    Some(*value)
}

/// Both sizes whenever one of them changes, until an end, with when others changed what
/// happened; samples show it that late.
fn both(
    (happened, by_others): (&[(i64, i32)], &[i64]),
    simulated: &[(i64, i32)],
    (end, sampled): (i64, i64),
) -> Vec<BothSizes> {
    let all = happened.iter().chain(simulated).map(|(at, _)| *at);
    let all: BTreeSet<i64> = all.collect();
    let of = |sizes, second| at(sizes, second).unwrap_or_default();
    let both = |second| (second, (of(happened, second), of(simulated, second)));
    let mut all: Vec<(i64, (i32, i32))> = all.into_iter().map(both).collect();
    all.dedup_by_key(|it| it.1);
    let lasting = lasting(&all, end).zip(&all);
    let mut last = (None, false);
    let all = lasting.map(|(((happened, simulated), seconds), (second, _))| {
        if last.0 != Some(happened) {
            last = (Some(happened), by_others.contains(second));
        }
        BothSizes {
            second: *second,
            happened,
            simulated,
            is_apart: happened != simulated && seconds > sampled,
            set_by_others: last.1,
        }
    });
    all.collect()
}

/// What a load needed, in thousandths of a pod, beyond the pods that were Ready.
fn missing(needs: &[(i64, i64)], serving: &[(i64, i64)], end: i64) -> i64 {
    let all = needs.iter().chain(serving).map(|(at, _)| *at);
    let all: BTreeSet<i64> = all.collect();
    let of = |values, second| at(values, second).unwrap_or_default();
    let short = |second| (of(needs, second) - of(serving, second) * 1_000).max(0);
    let all: Vec<(i64, i64)> = all.into_iter().map(|it| (it, short(it))).collect();
    let each = lasting(&all, end).map(|(milli, seconds)| milli * seconds);
    each.sum::<i64>() / 1_000
}

/// How far something is apart, in percent of what it should be.
#[expect(clippy::cast_precision_loss, reason = "a few digits of a percentage")]
pub(super) fn percent(apart: i64, of: i64) -> f64 {
    let percent = apart.abs() as f64 * 100.0 / of.max(1) as f64;
    (percent * 10.0).round() / 10.0
}

/// Why the simulation is no ground for advice, with the likeliest cause.
pub(super) fn off(
    calibration: &Calibration,
    observed: &Observed,
    replay: &Replay,
    writer: Option<&str>,
) -> Option<NoAdvice> {
    let (own, real) = (calibration.simulated, calibration.happened);
    let hours = calibration.pod_hours_apart;
    let missing = percent(calibration.missing_apart(), real.pod_seconds);
    let mut parts = Vec::new();
    if calibration.changes_apart > MOST_CHANGES && own.changes.abs_diff(real.changes) > FEW_CHANGES
    {
        let changes = counted(own.changes, "change");
        parts.push(format!("{changes} and not {}", real.changes));
    }
    if hours > MOST_POD_HOURS {
        parts.push(format!("pod-hours {}% apart", short(hours, 1)));
    }
    if missing > MOST_MISSING {
        let missing = short(missing, 1);
        parts.push(format!("missing pods {missing}% of the pod-hours apart"));
    }
    if parts.is_empty() {
        return None;
    }
    let (sizes, until) = first_apart(calibration);
    let at = sizes.second;
    let by_others = observed.by_others.len();
    let (load, metric) = (&replay.lead.load, metric_name(replay.metric()));
    let is_near = |(from, to): &(i64, i64)| *from < until && *to > at;
    let is_silent = |it: &&MetricHistory| it.load.timing.silent.iter().any(is_near);
    let unmeasured = load.filled.filter(|it| it.percent >= MUCH_UNMEASURED);
    let cause = if let Some(writer) = writer {
        writer.to_owned()
    } else if by_others > 0 {
        let are = plural(by_others, "is", "are");
        let changes = counted(by_others, "change");
        format!("{changes} of the size {are} not by the HPA")
    } else if spread(replay.metric()) == Spread::EachPod {
        format!("{metric} decides most passes, and pods do not share it")
    } else if load.gaps > 0 {
        format!("the history has gaps of up to {}", seconds_text(load.apart))
    } else if let Some(silent) = replay.metrics().find(is_silent) {
        format!("{} gave no answer then", metric_name(silent.metric))
    } else if let Some(it) = unmeasured {
        let samples = counted(it.samples, "sample");
        format!(
            "the load of new pods is unknown: in {samples} up to {}% of the Ready pods were not measured",
            it.percent
        )
    } else {
        format!(
            "samples {} apart do not show when in between passes ran and pods became Ready",
            seconds_text(observed.apart())
        )
    };
    let reason = format!(
        "the simulation does not show what happened ({}; first {} after the start: {} and not {}): \
         {cause}",
        parts.join(", "),
        seconds_text(at),
        counted(sizes.simulated, "pod"),
        sizes.happened
    );
    Some(NoAdvice::new(NoAdviceCause::NotReproduced, reason))
}

/// How the sizes are first apart for longer than between two samples, if they are, and
/// until when.
fn first_apart(calibration: &Calibration) -> (BothSizes, i64) {
    let (sizes, end) = (&calibration.sizes, calibration.seconds);
    let first = sizes.iter().position(|it| it.is_apart);
    let first = first.or_else(|| sizes.iter().position(|it| it.happened != it.simulated));
    let next = first.and_then(|first| sizes.get(first + 1));
    let until = next.map_or(end, |it| it.second.min(end));
    let first = sizes.get(first.unwrap_or_default()).copied();
    (first.unwrap_or_default(), until)
}
