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
//!
//! Advice is given only where the simulation is known to be right for this HPA.

mod calibration;
mod candidates;
mod observed;
mod proof;

use crate::controller::{Overrides, Settings};
use crate::simulate::{delay, metric_name, target_of_a_pod};
use crate::snapshot::Snapshot;
use crate::trace::{Flaps, MechanismKind, Reaction, Tune, TuneAnswer, seconds_text};

use calibration::{Replay, calibration, off};
use proof::{Trials, advice};

pub use candidates::MOST_TRIED;
pub use observed::Observed;

/// Shorter histories tell too little: an hour, in seconds.
const LEAST_SECONDS: i64 = 3_600;
/// Fewer samples tell too little.
const LEAST_SAMPLES: usize = 120;
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
}

/// Whether another spec pays; `tried` is told of each that was tried, and says
/// whether to go on.
pub fn tune(question: &Question, tried: &(impl Fn() -> bool + Sync)) -> Tune {
    let hpa = &question.snapshot.hpa;
    let settings = Settings::resolve(question.snapshot, question.overrides);
    let observed = question.observed;
    let mut tune = Tune {
        namespace: hpa.metadata.namespace.to_string(),
        name: hpa.metadata.name.to_string(),
        target: hpa.spec.scale_target_ref.clone(),
        since: observed.since(),
        seconds: 0,
        samples: observed.samples(),
        metric: None,
        release: settings.release.to_string(),
        calibration: None,
        answer: TuneAnswer::Refused {
            reason: String::new(),
        },
        reaction: None,
        assumptions: Vec::new(),
        pod_hour_price: None,
    };
    tune.answer = match answer(question, &settings, &mut tune, tried) {
        Ok(answer) => answer,
        Err(reason) => TuneAnswer::Refused { reason },
    };
    tune
}

fn answer(
    question: &Question,
    settings: &Settings,
    tune: &mut Tune,
    tried: &(impl Fn() -> bool + Sync),
) -> Result<TuneAnswer, String> {
    let spec = &question.snapshot.hpa.spec;
    let observed = question.observed;
    let deciding = observed.deciding(spec)?;
    let metric = deciding.metric;
    tune.metric = Some(metric_name(metric).to_owned());
    if deciding.others_percent > OTHERS_DECIDE {
        return Err(format!(
            "{} decides most passes, and another metric {}% of them: the load of one metric \
             alone does not show the sizes",
            metric_name(metric),
            deciding.others_percent
        ));
    }
    let replay = Replay::new(question, &deciding)?;
    tune.seconds = replay.seconds();
    tune.assumptions = replay.assumptions(observed);
    let calibration = calibration(&replay, spec)?;
    let reason = off(&calibration, observed, &replay, mechanism(question.flaps));
    let too_short = too_short(&replay, observed);
    let unshared = unshared(&replay, settings, question.flaps);
    tune.calibration = Some(calibration.clone());
    if let Some(reason) = reason.or(unshared).or(too_short) {
        return Err(reason);
    }
    let trials = Trials::new(question, &replay, calibration);
    let (answer, proposed) = advice(&trials, spec, question.is_coarse, tried)?;
    let pods = trials.usual_pods(spec);
    let whole = replay.whole();
    tune.reaction = whole.ways().next().and_then(|subject| {
        Some(Reaction {
            from: pods,
            now: delay(&subject, spec, pods)?,
            then: proposed.and_then(|spec| delay(&subject, &spec, pods)),
        })
    });
    Ok(answer)
}

/// Why the history does not reach.
fn too_short(replay: &Replay, observed: &Observed) -> Option<String> {
    let seconds = replay.seconds();
    let edited = match observed.edits() {
        0 => "",
        _ => " since the last edit of the spec",
    };
    if seconds < LEAST_SECONDS {
        return Some(format!(
            "the history is {} long{edited}, and advice needs at least {}",
            seconds_text(seconds),
            seconds_text(LEAST_SECONDS)
        ));
    }
    (observed.samples() < LEAST_SAMPLES).then(|| {
        format!(
            "the history has {} samples{edited}, and advice needs at least {LEAST_SAMPLES}",
            observed.samples()
        )
    })
}

/// Why it is not known what more pods would do to the metric.
fn unshared(replay: &Replay, settings: &Settings, flaps: Option<&Flaps>) -> Option<String> {
    let name = metric_name(replay.metric());
    let (_, carries_more) = target_of_a_pod(replay.metric(), replay.request(), settings.release)?;
    if carries_more {
        return None;
    }
    let is_runaway = flaps.is_some_and(|flaps| {
        let mut all = flaps.mechanisms.iter();
        all.any(|it| it.kind == MechanismKind::ValueRunaway)
    });
    Some(if is_runaway {
        format!("{name} answers its own scaling: the size runs away, whatever the load is")
    } else if replay.metric().is_one_value() {
        format!(
            "the target of {name} is a value for all pods: how it answers another number of \
             pods is unknown"
        )
    } else {
        format!("each pod holds its own {name}: more pods do not carry more of it")
    })
}

/// Who else changes the size, in words.
fn mechanism(flaps: Option<&Flaps>) -> Option<&str> {
    let mut all = flaps?.mechanisms.iter();
    let writer = all.find(|it| it.kind == MechanismKind::AnotherWriter);
    writer.map(|it| it.says.as_str())
}
