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

use crate::controller::{Overrides, Settings};
use crate::simulate::{delay, metric_name, target_of_a_pod};
use crate::snapshot::Snapshot;
use crate::trace::{
    Calibration, Flaps, MechanismKind, NoAdvice, NoAdviceCause, Reaction, Requests, Tune,
    TuneAnswer, seconds_text,
};

use calibration::{Replay, calibration, off};
use proof::{Trials, advice};
use requests::requests;

pub use candidates::MOST_TRIED;
pub use observed::Observed;

/// Shorter histories tell too little: twenty minutes, in seconds.
const LEAST_SECONDS: i64 = 1_200;
/// Fewer samples tell too little.
const LEAST_SAMPLES: usize = 40;
/// In more than this share of the passes, in percent, no other metric may decide.
const OTHERS_DECIDE: usize = 5;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The HPA as it is now, and its pods.
    pub snapshot: &'a Snapshot,
    /// What was given of the controller's settings.
    pub overrides: &'a Overrides,
    /// What its history tells.
    pub observed: &'a Observed,
    /// What is known of its ups and downs, where that was looked at.
    pub flaps: Option<&'a Flaps>,
    /// Whether fewer specs are tried.
    pub is_coarse: bool,
    /// Whether another cpu request is tried as well.
    pub with_requests: bool,
}

/// What an answer rests on, as far as it came.
#[derive(Default)]
struct Basis {
    seconds: i64,
    metric: Option<String>,
    assumptions: Vec<String>,
    calibration: Option<Calibration>,
    reaction: Option<Reaction>,
    requests: Option<Requests>,
}

/// Whether another spec pays; `go_on` is told of each that was tried, and says
/// whether to go on.
pub fn tune(question: &Question, go_on: &(impl Fn() -> bool + Sync)) -> Tune {
    let hpa = &question.snapshot.hpa;
    let settings = Settings::resolve(question.snapshot, question.overrides);
    let observed = question.observed;
    let mut basis = Basis::default();
    let answer = answer(question, &settings, &mut basis, go_on);
    Tune {
        namespace: hpa.metadata.namespace.to_string(),
        name: hpa.metadata.name.to_string(),
        target: hpa.spec.scale_target_ref.clone(),
        since: observed.since(),
        seconds: basis.seconds,
        samples: observed.samples(),
        metric: basis.metric,
        release: settings.release.to_string(),
        calibration: basis.calibration,
        answer: answer.unwrap_or_else(TuneAnswer::Refused),
        reaction: basis.reaction,
        requests: basis.requests,
        assumptions: basis.assumptions,
        pod_hour_price: None,
    }
}

fn answer(
    question: &Question,
    settings: &Settings,
    basis: &mut Basis,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<TuneAnswer, NoAdvice> {
    let spec = &question.snapshot.hpa.spec;
    let observed = question.observed;
    let deciding = observed.deciding(spec)?;
    let name = metric_name(deciding.metric);
    basis.metric = Some(name.to_owned());
    if deciding.others_percent > OTHERS_DECIDE {
        let reason = format!(
            "{name} decides most passes, and another metric {}% of them: the load of one metric \
             alone does not show the sizes",
            deciding.others_percent
        );
        return Err(NoAdvice::new(NoAdviceCause::SeveralMetrics, reason));
    }
    let replay = Replay::new(question, &deciding)?;
    basis.seconds = replay.seconds();
    basis.assumptions = replay.assumptions(observed);
    let calibration = calibration(&replay, spec)?;
    basis.calibration = Some(calibration.clone());
    let refusal = off(&calibration, observed, &replay, mechanism(question.flaps))
        .or_else(|| unshared(&replay, settings, question.flaps))
        .or_else(|| too_short(&replay, observed));
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    let trials = Trials::new(question, &replay, calibration);
    let (answer, proposed) = advice(&trials, spec, question.is_coarse, go_on)?;
    let pods = trials.usual_pods(spec);
    let whole = replay.whole();
    // Each by its own target: what the pods are for is to reach that.
    let delay = |spec| delay(&whole.under(spec).as_it_was(), spec, pods);
    basis.reaction = delay(spec).map(|now| Reaction {
        from: pods,
        now,
        then: proposed.as_ref().and_then(delay),
    });
    let spec = proposed.as_ref().unwrap_or(spec);
    let requests = question
        .with_requests
        .then(|| requests(question, &replay, spec));
    basis.requests = requests;
    Ok(answer)
}

/// Why the history does not reach.
fn too_short(replay: &Replay, observed: &Observed) -> Option<NoAdvice> {
    let (seconds, samples) = (replay.seconds(), observed.samples());
    let edited = match observed.edits() {
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

/// Why it is not known what more pods would do to the metric.
fn unshared(replay: &Replay, settings: &Settings, flaps: Option<&Flaps>) -> Option<NoAdvice> {
    let name = metric_name(replay.metric());
    let (_, carries_more) = target_of_a_pod(replay.metric(), replay.request(), settings.release)?;
    if carries_more {
        return None;
    }
    let is_runaway = flaps.is_some_and(|flaps| {
        let mut all = flaps.mechanisms.iter();
        all.any(|it| it.kind == MechanismKind::ValueRunaway)
    });
    let reason = if is_runaway {
        format!("{name} answers its own scaling: the size runs away, whatever the load is")
    } else if replay.metric().is_one_value() {
        format!(
            "the target of {name} is a value for all pods: how it answers another number of \
             pods is unknown"
        )
    } else {
        format!("each pod holds its own {name}: more pods do not carry more of it")
    };
    Some(NoAdvice::new(NoAdviceCause::AnswersScaling, reason))
}

/// Who else changes the size, in words.
fn mechanism(flaps: Option<&Flaps>) -> Option<&str> {
    let mut all = flaps?.mechanisms.iter();
    let writer = all.find(|it| it.kind == MechanismKind::AnotherWriter);
    writer.map(|it| it.says.as_str())
}
