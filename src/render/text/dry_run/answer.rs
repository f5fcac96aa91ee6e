//! The answer for each of the other specs, in a sentence or two, and what would
//! change the size next on every side.

use std::cmp::Ordering;

use serde_json::Value;

use super::{coming, sides};
use crate::render::block::Item;
use crate::render::text::next::coming_steps;
use crate::render::text::preview::reason;
use crate::render::text::words::{View, policy, range};
use crate::render::text::{TextOptions, failure, forecast};
use crate::trace::{
    Bounds, Decided, Difference, Direction, DryRun, FirstDivergence, Hold, LimitRecord, PassStep,
    Severity, Side, StabilizationRecord, Stage, Trace, Word, seconds_text,
};

/// What a pass decides, in a few words.
pub(super) fn decision(trace: &Trace) -> String {
    decided(&Decided::of(trace))
}

fn decided(decided: &Decided) -> String {
    let from = decided.from;
    match (decided.to, decided.rescale) {
        (Some(to), Some(false) | None) if to.single() == Some(from) => format!("stays at {from}"),
        (Some(to), _) => format!("{from} → {}", range(to)),
        (None, _) => format!("{from} → unknown"),
    }
}

/// The answer for each of the other specs, in a sentence or two.
pub(super) fn sentences(dry_run: &DryRun, origin: &str, options: &TextOptions) -> Vec<String> {
    let sides = dry_run.candidates.iter();
    let passes = sides.map(|side| {
        let says = sentence(dry_run, side, options);
        format!("{}{origin}: {says}", side.name)
    });
    passes.chain(coming::answers(dry_run, options)).collect()
}

fn sentence(dry_run: &DryRun, side: &Side, options: &TextOptions) -> String {
    let (Some(difference), Some(current)) = (&side.difference, &dry_run.current) else {
        return "a new HPA; the controller has no memory of it.".to_owned();
    };
    if difference.is_empty() {
        return "no difference; the spec is the same.".to_owned();
    }
    let first = difference.first_divergence.as_ref();
    if let Some(decisions) = &difference.decision {
        let [now, instead] = [&decisions.now, &decisions.instead].map(decided);
        let why = first.map_or_else(|| ".".to_owned(), |first| decides(current, side, first));
        return format!("{instead} (current: {now}){why}");
    }
    let affected = affected(difference, side);
    let is_same_next = is_same_forecast(current, side, options);
    let only = affected.as_ref().filter(|_| is_same_next);
    let only = only.map_or_else(String::new, |it| format!(": it affects only {}", it.0));
    let mut says = vec![format!(
        "no difference now ({}){only}.",
        decision(&side.trace)
    )];
    says.extend(first.and_then(|first| {
        let [now, instead] = parted(current, side, first);
        let name = &current.name;
        (now != instead).then(|| format!("The steps differ: {instead} ({name}: {now})."))
    }));
    if !is_same_next {
        // Where only the coming minutes differ, they are told.
        let is_shown = comes(side, options) != comes(current, options);
        says.extend(is_shown.then(|| "What comes next differs (see Next).".to_owned()));
    } else if side.trace.verdict.word == Word::Failing {
        let findings = side.trace.findings.iter();
        let mut causes = findings.filter(|it| it.severity == Severity::Error);
        let why = causes.next();
        let why = why.map_or_else(String::new, |cause| format!(": {}", cause.message));
        says.push(format!(
            "The HPA fails under both specs; fix that first{why}."
        ));
    } else if side.coming.is_none() {
        if !forecast::can_settle(View::of(&side.trace, options))
            && forecast_of(&side.trace, options).is_empty()
        {
            says.push("What comes next is unknown.".to_owned());
        }
        let load = affected.map_or("another", |it| it.1);
        says.push(format!(
            "To see its effect, run it for a time (--for 15m), try {load} load (--metric \
             NAME=VALUE) or another size (--replicas), or use `simulate`."
        ));
    }
    says.join(" ")
}

/// What the fields that change have a say in, and which load shows it; nothing
/// where they have one in every pass.
fn affected(difference: &Difference, side: &Side) -> Option<(String, &'static str)> {
    let bounds = side.trace.bounds;
    let mut affected: Vec<(String, &str)> = Vec::new();
    for change in &difference.spec {
        let count = |value: &Option<Value>| value.as_ref().and_then(Value::as_i64);
        let counts = count(&change.from).into_iter().chain(count(&change.to));
        let path: Vec<&str> = change.field.names().collect();
        let one = match path[..] {
            ["spec", "maxReplicas"] => {
                let least = counts.min().unwrap_or(bounds.max_replicas.into());
                (format!("sizes above {least}"), "a higher")
            }
            ["spec", "minReplicas"] => {
                let most = counts.max().unwrap_or(bounds.min_replicas.into());
                (format!("sizes below {most}"), "a lower")
            }
            ["spec", "behavior", "scaleDown", ..] => ("scale-downs".to_owned(), "a lower"),
            ["spec", "behavior", "scaleUp", ..] => ("scale-ups".to_owned(), "a higher"),
            _ => return None,
        };
        if !affected.contains(&one) {
            affected.push(one);
        }
    }
    let load = affected.first()?.1;
    let is_one_way = affected.iter().all(|it| it.1 == load);
    let names: Vec<String> = affected.into_iter().map(|it| it.0).collect();
    Some((
        names.join(" and "),
        if is_one_way { load } else { "another" },
    ))
}

/// What makes the decisions differ; then where the passes part first, if that
/// is before.
fn decides(current: &Side, side: &Side, first: &FirstDivergence) -> String {
    let says = |[now, instead]: [String; 2]| format!("{instead} ({}: {now})", current.name);
    let parted = says(parted(current, side, first));
    let Some(stage) = decisive(&current.trace, &side.trace) else {
        return format!(", because {parted}.");
    };
    let also = first.now.as_ref().filter(|step| step.stage < stage);
    let also = also.map_or_else(String::new, |_| format!(" Also different: {parted}."));
    let decisive = says([current, side].map(|it| counted(stage, &it.trace)));
    format!(", because {decisive}.{also}")
}

/// The last stage without which the decisions would not differ so, where that
/// is the window or the limit: what goes into it is the same, differs the
/// other way, or is held back at the size that there is now.
fn decisive(now: &Trace, instead: &Trace) -> Option<Stage> {
    let counts = |trace: &Trace| {
        let recommended = trace.recommendation.as_ref()?.replicas?;
        let stabilized = trace.stabilization.as_ref()?.result;
        Some([recommended, stabilized, trace.limit.as_ref()?.result])
    };
    let (now, instead) = (counts(now)?, counts(instead)?);
    let is_decisive = |at: usize| {
        let way = instead[at].cmp(&now[at]);
        let is_held = now[at - 1].cmp(&now[at]) == way;
        way.is_ne() && (is_held || instead[at - 1].cmp(&now[at - 1]) != way)
    };
    match [is_decisive(1), is_decisive(2)] {
        [_, true] => Some(Stage::Limit),
        [true, _] => Some(Stage::Stabilization),
        _ => None,
    }
}

/// What a pass does at the stage of its window or of its limits.
fn counted(stage: Stage, trace: &Trace) -> String {
    let says = match stage {
        Stage::Limit => {
            let current = trace.outcome.current_replicas;
            trace.limit.as_ref().map(|it| limited(it, current))
        }
        _ => trace.stabilization.as_ref().map(held),
    };
    says.unwrap_or_default()
}

/// `scaleUp Pods 4/60s allows 14`.
fn limited(limit: &LimitRecord, current: i32) -> String {
    let result = limit.result;
    let rules = Direction::between(current, limit.stabilized).unwrap_or(Direction::Up);
    let policies = limit.policies.iter().filter(|policy| policy.selected);
    let policies = policies.map(policy);
    let policies = policies.collect::<Vec<_>>().join(", ");
    match (limit.hold(), limit.rate_limit) {
        (Some(Hold::MaxReplicas), _) => format!("maxReplicas allows {result}"),
        (Some(Hold::MinReplicas), _) => format!("minReplicas requires {result}"),
        (Some(Hold::Disabled), _) => format!("{rules} is Disabled, which keeps {result}"),
        (Some(Hold::Doubling), _) => {
            format!(
                "without behavior, one pass goes at most to {result} (twice the size or 4, whichever \
                 is larger)"
            )
        }
        (Some(_), _) => format!("{rules} {policies} allows {result}"),
        (None, Some(limit)) if !policies.is_empty() => {
            format!("{rules} {policies} allows {limit}, which is enough for {result}")
        }
        (None, _) => format!("no limit applies to {result}"),
    }
}

/// `the scaleDown window (5m) holds 9`.
fn held(window: &StabilizationRecord) -> String {
    let (result, recommended) = (window.result, window.recommendation);
    let (way, edge) = match result.cmp(&recommended) {
        Ordering::Equal => return format!("no older recommendation holds {result} back"),
        Ordering::Greater => (Direction::Down, Some(window.down)),
        Ordering::Less => (Direction::Up, window.up),
    };
    let seconds = edge.map(|edge| format!(" ({})", seconds_text(edge.window_seconds)));
    format!(
        "the {way} window{} holds {result}",
        seconds.unwrap_or_default()
    )
}

/// What either pass does where they part.
fn parted(current: &Side, side: &Side, first: &FirstDivergence) -> [String; 2] {
    let sides = [(current, &first.now), (side, &first.instead)];
    let mut steps = sides.iter().filter_map(|(_, step)| step.as_ref());
    let metric = steps.find_map(|it| it.metric.clone());
    let is_open = sides.map(|(_, step)| step.as_ref().is_some_and(is_undecided));
    sides.map(|(side, step)| match (step, &metric) {
        (None, None) => "the pass has ended".to_owned(),
        (None, Some(metric)) => format!("{metric} is not in the spec"),
        // What decides on this side is why the memory does on the other.
        (Some(step), _) if is_open == [false, true] && !is_undecided(step) && is_limited(side) => {
            counted(Stage::Limit, &side.trace)
        }
        (Some(step), _) => done(step, &side.trace),
    })
}

/// Whether the controller's memory decides between several sizes.
fn is_undecided(step: &PassStep) -> bool {
    step.stage == Stage::Outcome && step.replicas.is_some_and(|it| it.single().is_none())
}

fn is_limited(side: &Side) -> bool {
    let limit = side.trace.limit.as_ref();
    limit.is_some_and(|it| it.hold().is_some())
}

fn done(step: &PassStep, trace: &Trace) -> String {
    match (step.stage, step.replicas) {
        (Stage::Stabilization | Stage::Limit, _) => counted(step.stage, trace),
        (Stage::Outcome, Some(sizes)) if sizes.single().is_none() => {
            format!(
                "the controller's memory is unknown: {} possible",
                range(sizes)
            )
        }
        (Stage::Branch, _) if trace.outcome.current_replicas > 0 => within_bounds(trace),
        (Stage::Outcome, _) if trace.verdict.word == Word::OutOfRange => within_bounds(trace),
        _ if step.metric.is_some() || step.formula.is_empty() => reason(step),
        _ => step.formula.clone(),
    }
}

/// Whether the size is one that the metrics may decide.
fn within_bounds(trace: &Trace) -> String {
    let size = trace.outcome.current_replicas;
    let Bounds {
        min_replicas: min,
        max_replicas: max,
    } = trace.bounds;
    if size < min {
        return format!("{size} is below minReplicas {min}");
    }
    if size > max {
        return format!("{size} is above maxReplicas {max}");
    }
    format!("{size} is within {min}..{max}")
}

/// What would change the size next, each way, and where it ends: of every
/// side, or of none where there is nothing to tell of any. What is the same as
/// under the spec that there is, is said so.
pub(super) fn next_up(dry_run: &DryRun, options: &TextOptions) -> Vec<Item> {
    let current = dry_run.current.as_deref();
    let is_same = |side: &Side| current.is_some_and(|it| is_same_forecast(it, side, options));
    let mut sides = sides(dry_run);
    let is_shown = sides.any(|side| {
        let differs = current.is_some() && !is_same(side);
        differs || !forecast_of(&side.trace, options).is_empty()
    });
    let mut rows = Vec::new();
    for side in self::sides(dry_run).filter(|_| is_shown) {
        let texts = if side.difference.is_some() && is_same(side) {
            vec!["as for current".to_owned()]
        } else {
            comes(side, options)
        };
        rows.extend(texts.into_iter().map(|text| Item::named(&side.name, text)));
    }
    rows
}

/// Whether the same comes next on two sides: by what is told of it, and by the
/// coming minutes where they were run.
fn is_same_forecast(one: &Side, other: &Side, options: &TextOptions) -> bool {
    let are_same = match (&one.coming, &other.coming) {
        (Some(one), Some(other)) => one.has_same_sizes(other),
        (one, other) => one.is_none() && other.is_none(),
    };
    comes(one, options) == comes(other, options) && are_same
}

/// What comes next on a side; of one of which there is nothing to wait for,
/// where it ends.
fn comes(side: &Side, options: &TextOptions) -> Vec<String> {
    match forecast_of(&side.trace, options).as_slice() {
        [] => vec![forecast::ends(View::of(&side.trace, options))],
        // Behind nothing, it is not what comes then.
        [(None, text)] => vec![text.clone()],
        texts => texts
            .iter()
            .map(|(way, text)| format!("{}: {text}", way.as_deref().unwrap_or("then")))
            .collect(),
    }
}

/// What is to come, each by the way that it goes; without one, what the size does
/// after all that.
fn forecast_of(trace: &Trace, options: &TextOptions) -> Vec<(Option<String>, String)> {
    let view = View::of(trace, options);
    let steps = coming_steps(view).into_iter();
    let steps = steps.map(|(way, text)| (Some(way.to_owned()), text.join("; ")));
    let settles = forecast::settles(view).map(|text| (None, text));
    let fallbacks = failure::coming_fallbacks(view).into_iter();
    let fallbacks = fallbacks.map(|(way, text)| (Some(way), text));
    steps.chain(settles).chain(fallbacks).collect()
}
