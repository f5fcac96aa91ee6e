//! Whether another spec pays for an HPA, by the load that a history tells of.
//!
//! # Layout
//!
//! In the order in which an answer comes about:
//!
//! * `observed`: what the samples of a history tell
//! * `calibration`: the spec as it is, simulated and held against what happened
//! * `candidates`: other specs, searched on the first part of the history
//! * `proof`: the best of them, on the part that the search did not see
//! * `requests`: a smaller cpu request with a higher target
//!
//! Advice is given only where the simulation is known to be right for this HPA.

mod calibration;
mod candidates;
mod observed;
mod proof;
mod requests;

use crate::api::{Direction, HpaSpec, MetricSpec};
use crate::controller::prepared::selected_pods;
use crate::controller::{Overrides, Settings};
use crate::document::snapshot::Snapshot;
use crate::simulate::{Spread, delay, metric_name, spread, target_of_a_pod};
use crate::trace::{
    Calibration, Delay, Flaps, MechanismKind, NOW, NoAdvice, NoAdviceCause, Reaction, Requests,
    Room, SizeLimit, Tune, TuneAnswer, seconds_text,
};
use crate::what_if;

use calibration::{Replay, calibration, off, simulated};
use proof::{Trials, advice};
use requests::requests;

pub use observed::Observed;

/// Shorter histories tell too little: an hour, in seconds.
const LEAST_SECONDS: i64 = 3_600;
/// Shorter ones show no pass, in seconds.
const A_PASS: i64 = 15;
/// In longer ones a clock jumped: forty days, in seconds.
const MOST_SECONDS: i64 = 40 * 86_400;
/// Fewer samples tell too little.
const LEAST_SAMPLES: usize = 120;
/// In more than this share of the samples, in percent, no pod may be minutes old and
/// not Ready.
const MOST_UNREADY: usize = 20;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The HPA as it is now, and its pods.
    pub snapshot: &'a Snapshot,
    /// What was given of the controller's settings.
    pub overrides: &'a Overrides,
    /// What its history tells.
    pub observed: &'a Observed,
    /// What is known of its ups and downs.
    pub flaps: &'a Flaps,
    /// Whether fewer specs are tried.
    pub is_coarse: bool,
    /// Whether another cpu request is tried as well.
    pub with_requests: bool,
    /// Whether a page opens simulated passes.
    pub explains: bool,
}

/// Whether another spec pays; `go_on` is told of each that was tried, and says
/// whether to go on.
pub fn tune(question: &Question, go_on: &(impl Fn() -> bool + Sync)) -> Tune {
    let hpa = &question.snapshot.hpa;
    let settings = Settings::resolve(question.snapshot, question.overrides);
    let observed = question.observed;
    let mut tune = Tune {
        namespace: hpa.metadata.namespace.to_string(),
        name: hpa.metadata.name.to_string(),
        target: hpa.spec.scale_target_ref.clone(),
        since: observed.since(),
        seconds: observed.seconds(),
        samples: observed.samples(),
        metric: None,
        metric_type: None,
        release: settings.release.to_string(),
        calibration: None,
        load_from_outside: Vec::new(),
        answer: TuneAnswer::Refused(NoAdvice::new(NoAdviceCause::NoLoad, "")),
        runs: Vec::new(),
        limit: None,
        room: None,
        reaction: None,
        requests: None,
        assumptions: Vec::new(),
        pod_hour_price: None,
        core_hour_price: None,
    };
    let answer = answer(question, &settings, &mut tune, go_on);
    let (answer, proposed) = answer.unwrap_or_else(|why| (TuneAnswer::Refused(why), None));
    tune.room = room(question.snapshot, tune.limit, proposed);
    Tune { answer, ..tune }
}

/// Whether the pods have room that the HPA may come to, or would need.
fn room(snapshot: &Snapshot, limit: Option<SizeLimit>, proposed: Option<HpaSpec>) -> Option<Room> {
    let mut snapshot = snapshot.clone();
    let spec = &mut snapshot.hpa.spec;
    *spec = proposed.unwrap_or_else(|| spec.clone());
    let needed = limit.map_or(0, |it| it.needed);
    spec.max_replicas = spec.max_replicas.max(needed);
    what_if::room(&snapshot, &selected_pods(&snapshot), None)
}

fn answer(
    question: &Question,
    settings: &Settings,
    tune: &mut Tune,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<(TuneAnswer, Option<HpaSpec>), NoAdvice> {
    let spec = &question.snapshot.hpa.spec;
    let observed = question.observed;
    let deciding = observed.deciding(spec)?;
    let lead = deciding.first().map(|it| it.metric);
    tune.metric = lead.map(|it| metric_name(it).to_owned());
    tune.metric_type = lead.map(|it| it.kind.clone());
    if tune.seconds > MOST_SECONDS {
        let reason = format!(
            "the history spans {}: a clock jumped, or it is more than one; advice takes at most {}",
            seconds_text(tune.seconds),
            seconds_text(MOST_SECONDS)
        );
        return Err(NoAdvice::new(NoAdviceCause::TooLong, reason));
    }
    let replay = Replay::new(question, &deciding)?;
    tune.seconds = replay.seconds();
    let answer = advised(question, settings, tune, &replay, go_on);
    if question.explains && !question.is_coarse {
        let proposed = answer.iter().flat_map(|(_, proposed)| proposed);
        let specs = std::iter::once(spec).chain(proposed);
        let calibration = tune.calibration.as_ref();
        let sizes = |second| calibration.and_then(|it| it.at(second));
        let is_apart = |second| sizes(second).is_some_and(|it| it.is_apart);
        let whole = replay.whole();
        whole.as_it_was().explain(&mut tune.runs, specs, is_apart);
    }
    answer
}

/// The same by the loads of the history.
fn advised(
    question: &Question,
    settings: &Settings,
    tune: &mut Tune,
    replay: &Replay,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<(TuneAnswer, Option<HpaSpec>), NoAdvice> {
    let spec = &question.snapshot.hpa.spec;
    let observed = question.observed;
    let short = || too_short(replay, observed);
    // No pass lies within.
    if let Some(refusal) = short().filter(|_| tune.seconds < A_PASS) {
        return Err(refusal);
    }
    let now = simulated(replay, NOW, spec)?;
    let calibration = calibration(replay, &now, observed.apart());
    tune.runs.push(now);
    tune.calibration = Some(calibration.clone());
    let writer = mechanism(question.flaps, MechanismKind::AnotherWriter);
    // What an edit cut off is short for that reason first.
    let edited = || (observed.edits > 0).then(short).flatten();
    let refusal = edited()
        .or_else(|| unready(observed))
        .or_else(|| off(&calibration, observed, replay, writer))
        .or_else(|| {
            let mut decisive = replay.decisive();
            decisive.find_map(|it| unshared(replay, it, settings, &calibration, question.flaps))
        })
        .or_else(short);
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    tune.assumptions = replay.assumptions(observed);
    let decisive = replay.decisive().map(|(it, _)| it);
    let whole = decisive.filter(|it| spread(it) == Spread::Whole);
    tune.load_from_outside = whole.map(|it| metric_name(it).to_owned()).collect();
    let trials = Trials::new(question, replay, calibration);
    let (pods, limit) = trials.whole_need(spec);
    if let Some((limit, name)) = limit.zip(tune.load_from_outside.first()) {
        let reason = format!(
            "{name} needs {} pods, more than maxReplicas: if they work it off themselves, it grew \
             because they were too few, and how it answers more of them is unknown",
            limit.needed
        );
        return Err(NoAdvice::new(NoAdviceCause::AnswersScaling, reason));
    }
    tune.limit = limit;
    let (answer, proposed) = advice(&trials, spec, question.is_coarse, go_on)?;
    if let Some(proposed) = &proposed {
        tune.assumptions.extend(not_on_purpose(spec, proposed));
        tune.runs.extend(simulated(replay, "proposed", proposed));
    }
    let whole = replay.whole();
    // Each by its own target: what the pods are for is to reach that.
    let delay = |spec: &HpaSpec| {
        let under = whole.under(spec);
        let each = under.ways().map(|way| delay(&way, spec, pods));
        let each = each.collect::<Option<Vec<Delay>>>()?;
        each.into_iter()
            .max_by_key(|it| it.seconds.unwrap_or(i64::MAX))
    };
    tune.reaction = delay(spec).map(|now| Reaction {
        from: pods,
        now,
        then: proposed.as_ref().and_then(delay),
    });
    let under = proposed.as_ref().unwrap_or(spec);
    tune.requests = question
        .with_requests
        .then(|| requests(question, replay, trials.second(), under))
        .map(|it| {
            let keep = |reason: String| Requests::Keep { reason };
            it.unwrap_or_else(|why| keep(why.to_string()))
        });
    Ok((answer, proposed))
}

/// Why the history does not reach.
fn too_short(replay: &Replay, observed: &Observed) -> Option<NoAdvice> {
    let (seconds, samples) = (replay.seconds(), observed.samples());
    let edited = match observed.edits {
        0 => "",
        _ => " since the last edit of the spec",
    };
    let reason = if seconds < LEAST_SECONDS {
        format!(
            "the history is {} long{edited}, and advice needs at least {}",
            seconds_text(seconds),
            seconds_text(LEAST_SECONDS)
        )
    } else if samples < LEAST_SAMPLES {
        format!(
            "the history has {samples} samples{edited}, and advice needs at least {LEAST_SAMPLES}"
        )
    } else {
        return None;
    };
    Some(NoAdvice::new(NoAdviceCause::TooShort, reason))
}

/// Pods of the history that do not serve, while the simulation lets all do.
fn unready(observed: &Observed) -> Option<NoAdvice> {
    let percent = observed.unready * 100 / observed.samples().max(1);
    (percent > MOST_UNREADY).then(|| {
        let reason = format!(
            "in {percent}% of the samples a pod was minutes old and not Ready: what new pods would \
             carry is unknown"
        );
        NoAdvice::new(NoAdviceCause::NotReproduced, reason)
    })
}

/// What a lower bound or a disabled direction may be for, other than the load.
fn not_on_purpose(own: &HpaSpec, proposed: &HpaSpec) -> Vec<String> {
    let (least, lower) = (own.min_replicas.unwrap_or(1), proposed.min_replicas);
    let lowered = lower.filter(|lower| *lower < least);
    let lowered =
        lowered.map(|_| format!("minReplicas {least} has no other purpose, such as zones"));
    let disabled = |spec: &HpaSpec| [Direction::Up, Direction::Down].map(|it| spec.is_disabled(it));
    let enabled = (disabled(own) != disabled(proposed))
        .then(|| "scaling was not disabled on purpose".to_owned());
    lowered.into_iter().chain(enabled).collect()
}

/// Why it is not known what more pods would do to the metric.
fn unshared(
    replay: &Replay,
    (metric, request): (&MetricSpec, Option<i64>),
    settings: &Settings,
    calibration: &Calibration,
    flaps: &Flaps,
) -> Option<NoAdvice> {
    let name = metric_name(metric);
    let target = target_of_a_pod(metric, request, settings.release)?;
    let unknown = |reason| NoAdvice::new(NoAdviceCause::AnswersScaling, reason);
    match target {
        (..=0, _) => {
            let reason = "the target is not above 0".to_owned();
            return Some(NoAdvice::new(NoAdviceCause::NoLoad, reason));
        }
        (_, true) if metric.is_of_resource() || calibration.happened.changes > 0 => return None,
        (_, true) => {
            return Some(unknown(format!(
                "the size never changed: whether {name} would grow with fewer pods is unknown"
            )));
        }
        // What the pods hold besides, they hold in the simulation as well.
        (_, false) if spread(metric) == Spread::EachPod && metric != replay.metric() => {
            return None;
        }
        (_, false) => {}
    }
    let reason = if mechanism(flaps, MechanismKind::ValueRunaway).is_some() {
        format!(
            "{name} answers its own scaling: the size runs away, whatever the load is; the target \
             should be of type AverageValue (`explain value-for-average`)"
        )
    } else if metric.is_one_value() {
        format!(
            "the target of {name} is a value for all pods: how it answers another number of \
             pods is unknown"
        )
    } else {
        format!(
            "{name} decides most passes, and more pods do not lower what each of them has of it"
        )
    };
    Some(unknown(reason))
}

/// What a mechanism of ups and downs does, if it is at work.
fn mechanism(flaps: &Flaps, kind: MechanismKind) -> Option<&str> {
    let mut all = flaps.mechanisms.iter();
    all.find(|it| it.kind == kind).map(|it| it.says.as_str())
}
