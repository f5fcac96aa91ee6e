//! The spec as it is, simulated on the load that was recorded, and held against
//! what happened.

use crate::api::{HpaSpec, MetricSpec, PodConditionKind};
use crate::simulate::load::{Load, Recorded, RecordedLoad};
use crate::simulate::{
    Keep, Model, Spread, Subject, bare, common_request, is_share, metric_name, spread,
};
use crate::snapshot::Snapshot;
use crate::trace::amount::{counted, plural};
use crate::trace::{
    BothSizes, Calibration, NOW, NoAdvice, NoAdviceCause, SimulatedRun, SizeTotals, seconds_text,
    short,
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
/// How far pod-hours may be apart, in percent.
const MOST_POD_HOURS: f64 = 5.0;
/// How far changes may be apart, in percent.
const MOST_CHANGES: f64 = 15.0;
/// What is shorter has not seen a whole day, in seconds.
pub(super) const DAY: i64 = 86_400;
/// So few changes tell nothing in percent.
const FEW_CHANGES: u32 = 2;

/// The load of a history, to be run again.
pub(super) struct Replay<'a> {
    question: &'a Question<'a>,
    metric: &'a MetricSpec,
    recorded: &'a Recorded,
    load: RecordedLoad,
    request: Option<i64>,
}

/// A part of it, with what is the same under every spec.
pub(super) struct Stretch<'a> {
    question: &'a Question<'a>,
    metric: MetricSpec,
    snapshot: Snapshot,
    pub(super) load: Load,
    /// How its pods start: as the history has it.
    model: Model,
    /// How they may start otherwise.
    others: Vec<Model>,
    replicas: i32,
    pub(super) seconds: i64,
}

impl Stretch<'_> {
    /// What specs are tried on, with pods that start as the history has it.
    pub(super) fn as_it_was(&self) -> Subject<'_> {
        self.subject(&self.model)
    }

    /// The same with each way in which pods may start.
    pub(super) fn ways(&self) -> impl Iterator<Item = Subject<'_>> {
        let models = std::iter::once(&self.model).chain(&self.others);
        models.map(|model| self.subject(model))
    }

    fn subject<'s>(&'s self, model: &'s Model) -> Subject<'s> {
        Subject {
            snapshot: &self.snapshot,
            overrides: self.question.overrides,
            metric: &self.metric,
            load: &self.load,
            model,
            replicas: self.replicas,
            seconds: self.seconds,
            keep: Keep::All,
        }
    }

    /// The same where another spec is the one that there is: by its target it
    /// is meant to carry.
    pub(super) fn under(&self, spec: &HpaSpec) -> Self {
        let mut snapshot = self.snapshot.clone();
        snapshot.hpa.spec = spec.clone();
        let metric = spec.metric_like(&self.metric).unwrap_or(&self.metric);
        Self {
            question: self.question,
            metric: metric.clone(),
            snapshot,
            load: self.load.clone(),
            model: self.model.clone(),
            others: self.others.clone(),
            ..*self
        }
    }

    /// The same with pods that request something else of the resource.
    pub(super) fn with_request(mut self, request: i64) -> Self {
        self.model.request = Some(request);
        self
    }
}

impl<'a> Replay<'a> {
    pub(super) fn new(
        question: &'a Question<'a>,
        deciding: &Deciding<'a>,
    ) -> Result<Self, NoAdvice> {
        let metric = deciding.metric;
        let load = deciding.recorded.load().ok_or_else(|| unloaded(metric))?;
        let request = common_request(question.snapshot, question.overrides, deciding.index);
        if is_share(metric) && request.is_none() {
            let reason = format!(
                "the target is a percentage of the pods' {} request, and the request is unknown",
                metric_name(metric)
            );
            return Err(NoAdvice::new(NoAdviceCause::UnknownRequest, reason));
        }
        Ok(Self {
            question,
            metric,
            recorded: deciding.recorded,
            load,
            request,
        })
    }

    pub(super) fn metric(&self) -> &'a MetricSpec {
        self.metric
    }

    pub(super) fn request(&self) -> Option<i64> {
        self.request
    }

    pub(super) fn seconds(&self) -> i64 {
        self.load.seconds
    }

    /// What is taken for granted, and what the history lacks.
    pub(super) fn assumptions(&self, observed: &Observed) -> Vec<String> {
        let mut assumed = Vec::new();
        let name = metric_name(self.metric);
        if self.seconds() < DAY {
            let seconds = seconds_text(self.seconds());
            assumed.push(format!(
                "the load to come is like that of the last {seconds}"
            ));
        }
        match spread(self.metric) {
            Spread::Shared => assumed.push("Ready pods share the load evenly".to_owned()),
            Spread::Whole => assumed.push(format!("{name} does not depend on the number of pods")),
            Spread::EachPod => {}
        }
        assumed.push(if self.shows_starts() {
            "pods start and samples come as in the history".to_owned()
        } else {
            let (how, [soon, late]) = match self.measured_starts() {
                Some(starts) => (", as the current ones were", starts),
                None => ("", STARTS),
            };
            let unknown = if self.metric.is_of_resource() {
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
        if observed.edits() > 0 {
            assumed.push("the history before the last edit of the spec is left out".to_owned());
        }
        let apart = seconds_text(self.load.apart);
        match self.load.gaps {
            0 => {}
            1 => assumed.push(format!(
                "the load before a gap of {apart} continues through it"
            )),
            gaps => assumed.push(format!(
                "the load before each of {gaps} gaps of up to {apart} continues through it"
            )),
        }
        assumed
    }

    /// Whether pods started in it.
    pub(super) fn shows_starts(&self) -> bool {
        self.recorded.starts() > 0
    }

    /// How long the pods that there are took until they were Ready: half of them, and
    /// the slowest.
    fn measured_starts(&self) -> Option<[i64; 2]> {
        let pods = self.question.snapshot.pods.iter();
        let took = pods.filter(|pod| pod.is_ready()).filter_map(|pod| {
            let ready = pod
                .condition(PodConditionKind::Ready)?
                .last_transition_time?;
            let took = ready.duration_since(pod.metadata.creation_timestamp?);
            Some(took.as_secs()).filter(|it| (0..=LONGEST_START).contains(it))
        });
        let mut took: Vec<i64> = took.collect();
        took.sort_unstable();
        Some([*took.get(took.len() / 2)?, *took.last()?])
    }

    /// All of it.
    pub(super) fn whole(&self) -> Stretch<'a> {
        self.stretch(self.load.clone(), self.load.seconds)
    }

    /// The part that is searched, and the one that proves.
    pub(super) fn halves(&self) -> Option<[Stretch<'a>; 2]> {
        let half = self.load.seconds / 2;
        let first = self.stretch(self.load.clone(), half);
        let second = self.recorded.load_from(self.load.first + half)?;
        let rest = self.load.seconds - half;
        Some([first, self.stretch(second, rest)])
    }

    fn stretch(&self, load: RecordedLoad, seconds: i64) -> Stretch<'a> {
        let replicas = self.size_at(load.first);
        let [soon, late] = self.measured_starts().unwrap_or(STARTS);
        let of = |start_up| {
            load.followed_by(Model {
                request: self.request,
                spread: spread(self.metric),
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
        let mut others = if self.shows_starts() {
            MOVED.map(moved).to_vec()
        } else {
            vec![of(late)]
        };
        others.dedup();
        others.retain(|it| *it != model);
        Stretch {
            question: self.question,
            metric: self.metric.clone(),
            snapshot: bare(self.question.snapshot, replicas),
            load: Load {
                shape: load.shape,
                noise: None,
            },
            model,
            others,
            replicas,
            seconds,
        }
    }

    /// The size at a second, counted from 1970.
    fn size_at(&self, second: i64) -> i32 {
        let sizes = self.question.observed.sizes();
        let next = sizes.partition_point(|(at, _)| *at <= second);
        let size = sizes.get(next.saturating_sub(1));
        size.map_or(1, |(_, size)| *size)
    }

    /// The sizes that there were, in seconds since the load begins.
    fn happened(&self) -> Vec<(i64, i32)> {
        let first = self.load.first;
        let sizes = self.question.observed.sizes().iter();
        let later = sizes
            .filter(|(at, _)| *at > first)
            .map(|(at, size)| (at - first, *size));
        std::iter::once((0, self.size_at(first)))
            .chain(later)
            .collect()
    }
}

/// Simulates the spec as it is on all of the load.
pub(super) fn calibration(replay: &Replay, spec: &HpaSpec) -> Result<Calibration, NoAdvice> {
    let whole = replay.whole();
    let run = whole.as_it_was().run(NOW, spec);
    let run = run.map_err(|error| NoAdvice::new(NoAdviceCause::NotSimulated, error.to_string()))?;
    let seconds = replay.seconds();
    let happened = replay.happened();
    let simulated = sizes(&run, happened.first().map_or(0, |(_, size)| *size));
    let (real, own) = (totals(&happened, seconds), totals(&simulated, seconds));
    let real_hours = real.pod_seconds;
    Ok(Calibration {
        seconds,
        happened: real,
        simulated: own,
        pod_hours_apart: percent(own.pod_seconds - real_hours, real_hours),
        changes_apart: percent(
            i64::from(own.changes) - i64::from(real.changes),
            i64::from(real.changes),
        ),
        sizes: both(&happened, &simulated),
    })
}

fn sizes(run: &SimulatedRun, first: i32) -> Vec<(i64, i32)> {
    let steps = run.steps.iter().map(|it| (it.second, it.desired_replicas));
    std::iter::once((0, first)).chain(steps).collect()
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
    let mut was_up = None;
    let pod_seconds = lasting(sizes, end).map(|(size, seconds)| i64::from(size) * seconds);
    totals.pod_seconds = pod_seconds.sum();
    for (one, next) in sizes.iter().zip(sizes.iter().skip(1)) {
        if one.1 != next.1 {
            let is_up = next.1 > one.1;
            totals.changes += 1;
            totals.reversals += u32::from(was_up.is_some_and(|was_up| was_up != is_up));
            was_up = Some(is_up);
        }
    }
    totals
}

/// Both sizes whenever one of them changes.
fn both(happened: &[(i64, i32)], simulated: &[(i64, i32)]) -> Vec<BothSizes> {
    let at = |sizes: &[(i64, i32)], second: i64| {
        let next = sizes.partition_point(|(at, _)| *at <= second);
        sizes
            .get(next.saturating_sub(1))
            .map_or(0, |(_, size)| *size)
    };
    let mut seconds: Vec<i64> = happened
        .iter()
        .chain(simulated)
        .map(|(at, _)| *at)
        .collect();
    seconds.sort_unstable();
    seconds.dedup();
    let all = seconds.into_iter().map(|second| BothSizes {
        second,
        happened: at(happened, second),
        simulated: at(simulated, second),
    });
    let mut all: Vec<BothSizes> = all.collect();
    all.dedup_by_key(|it| (it.happened, it.simulated));
    all
}

/// How far something is apart, in percent of what it should be.
#[expect(clippy::cast_precision_loss, reason = "a few digits of a percentage")]
pub(super) fn percent(apart: i64, of: i64) -> f64 {
    if apart == 0 {
        return 0.0;
    }
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
    let (own, real) = (calibration.simulated.changes, calibration.happened.changes);
    let hours = calibration.pod_hours_apart;
    let is_off = hours > MOST_POD_HOURS
        || (calibration.changes_apart > MOST_CHANGES && own.abs_diff(real) > FEW_CHANGES);
    let by_others = observed.by_others();
    let cause = if let Some(writer) = writer.filter(|_| by_others > 0) {
        format!(": {writer}")
    } else if by_others > 0 {
        let are = plural(by_others, "is", "are");
        format!(
            ": {} of the size {are} not by the HPA",
            counted(by_others, "change")
        )
    } else if spread(replay.metric()) == Spread::EachPod {
        format!(": each pod holds its own {}", metric_name(replay.metric()))
    } else if replay.load.gaps > 0 {
        format!(
            ": the history has gaps of up to {}",
            seconds_text(replay.load.apart)
        )
    } else {
        String::new()
    };
    is_off.then(|| {
        let reason = format!(
            "the simulation does not show what happened ({} and not {real}, pod-hours \
             {}% apart){cause}",
            counted(own, "change"),
            short(hours, 1)
        );
        NoAdvice::new(NoAdviceCause::NotReproduced, reason)
    })
}
