//! The answer for each of the other specs, in a sentence or two, and what would
//! change the size next on every side.

use crate::render::text::next::coming_steps;
use crate::render::text::preview::{reason, stage_name};
use crate::render::text::words::{View, range};
use crate::render::text::{TextOptions, failure, forecast};
use crate::trace::{Decided, DryRun, FirstDivergence, PassStep, Side, Trace};

use super::{coming, sides};

/// What a pass decides, in a few words.
pub(super) fn decision(trace: &Trace) -> String {
    decided(&Decided::of(trace))
}

fn decided(decided: &Decided) -> String {
    let from = decided.from;
    match (decided.to, decided.rescale) {
        (Some(to), Some(false)) if to.single() == Some(from) => format!("stays at {from}"),
        (Some(to), None) if to.single() == Some(from) => format!("stays at {from}"),
        (Some(to), _) => format!("{from} → {}", range(to)),
        (None, _) => format!("{from} → unknown"),
    }
}

/// The answer for each of the other specs, in a sentence or two.
pub(super) fn sentences(dry_run: &DryRun, options: &TextOptions) -> Vec<String> {
    let sides = dry_run.candidates.iter();
    let passes = sides.map(|side| sentence(dry_run, side, options));
    passes.chain(coming::answers(dry_run)).collect()
}

fn sentence(dry_run: &DryRun, side: &Side, options: &TextOptions) -> String {
    let name = &side.name;
    let Some(difference) = &side.difference else {
        let created = "is created as it stands; the controller remembers nothing of it";
        return format!("{name}: {created}.");
    };
    if difference.is_empty() {
        return format!("{name}: no difference. The spec is the one that there is.");
    }
    if difference.is_without_effect() {
        return format!("{name}: no difference but in the spec: on these inputs nothing follows.");
    }
    let whole = match &difference.decision {
        None => format!("the same decision, {}", decision(&side.trace)),
        Some(decisions) => format!(
            "{} in place of {}",
            decided(&decisions.instead),
            decided(&decisions.now)
        ),
    };
    match &difference.first_divergence {
        None if difference.decision.is_none() => {
            let current = dry_run.current.as_deref();
            let later = current.map_or("", |current| later(current, side, options));
            format!("{name}: {whole}, by the same steps.{later}")
        }
        None => format!("{name}: {whole}."),
        Some(first_divergence) => {
            let current = dry_run.current.as_ref();
            let current = current.map_or("now", |it| it.name.as_str());
            let parted = parted(first_divergence, current, name);
            if first_divergence.same_counts {
                return format!("{name}: {whole}, and the same counts, by other steps: {parted}.");
            }
            format!("{name}: {whole}. The first stage that differs: {parted}.")
        }
    }
}

/// Whether what comes after the same pass is the same, too.
fn later(current: &Side, side: &Side, options: &TextOptions) -> &'static str {
    if !is_same_forecast(current, side, options) {
        " What comes next is not the same."
    } else if side.coming.is_none() && !is_forecast(side, options) {
        " What comes next these inputs do not tell; --for 15m runs both on."
    } else {
        ""
    }
}

/// The stage at which two passes part, and what either does there.
fn parted(first_divergence: &FirstDivergence, current: &str, name: &str) -> String {
    let sides = [&first_divergence.now, &first_divergence.instead];
    let stages = sides.map(|it| it.as_ref().map(|it| it.stage));
    let metric = sides.into_iter().flatten().find_map(|it| it.metric.clone());
    let step = |step: &Option<PassStep>| match (step, &metric) {
        (None, None) => "the pass has ended".to_owned(),
        (None, Some(metric)) => format!("{metric} is not measured"),
        (Some(step), _) if stages[0] == stages[1] => done(step),
        (Some(step), _) => reason(step),
    };
    // What is left out on a side is held against what follows there.
    let stage = stages.into_iter().flatten().min().map_or("", stage_name);
    let [now, instead] = sides.map(step);
    format!("{stage}; {current}: {now}; {name}: {instead}")
}

/// What a step does, its stage being told already.
fn done(step: &PassStep) -> String {
    match &step.metric {
        None if !step.formula.is_empty() => step.formula.clone(),
        _ => reason(step),
    }
}

/// What would change the size next, each way, and where it ends: of every
/// side, or of none where there is nothing to tell of any. What is the same as
/// under the spec that there is, is said so.
pub(super) fn next_up(dry_run: &DryRun, options: &TextOptions) -> Vec<(String, String)> {
    let current = dry_run.current.as_deref();
    let is_same = |side: &Side| current.is_some_and(|it| is_same_forecast(it, side, options));
    let mut sides = sides(dry_run);
    let is_shown = sides.any(|side| {
        let differs = current.is_some() && !is_same(side);
        differs || !ahead_of(&side.trace, options).is_empty()
    });
    let mut rows = Vec::new();
    for side in self::sides(dry_run).filter(|_| is_shown) {
        let texts = if side.difference.is_some() && is_same(side) {
            vec!["the same".to_owned()]
        } else {
            comes(side, options)
        };
        rows.extend(texts.into_iter().map(|text| (side.name.clone(), text)));
    }
    rows
}

/// Whether the same comes next on two sides: by what is told of it, and by the
/// coming minutes where they were run.
fn is_same_forecast(one: &Side, other: &Side, options: &TextOptions) -> bool {
    let sizes = |side: &Side| {
        let passes = side.coming.as_ref().map(|it| &it.passes);
        let sizes = passes.into_iter().flatten().map(|it| it.replicas);
        sizes.collect::<Vec<_>>()
    };
    comes(one, options) == comes(other, options) && sizes(one) == sizes(other)
}

/// Whether anything is told of what comes next on a side.
fn is_forecast(side: &Side, options: &TextOptions) -> bool {
    forecast::can_settle(View::of(&side.trace, options))
        || !ahead_of(&side.trace, options).is_empty()
}

/// What comes next on a side; of one of which there is nothing to wait for,
/// where it ends.
fn comes(side: &Side, options: &TextOptions) -> Vec<String> {
    let texts = ahead_of(&side.trace, options).into_iter();
    let mut texts: Vec<String> = texts.map(|(way, text)| format!("{way}: {text}")).collect();
    if texts.is_empty() {
        texts.push(forecast::ends(View::of(&side.trace, options)));
    }
    texts
}

fn ahead_of(trace: &Trace, options: &TextOptions) -> Vec<(String, String)> {
    let view = View::of(trace, options);
    let steps = coming_steps(view).into_iter();
    let mut texts: Vec<(String, String)> = steps
        .map(|(way, text)| (way.trim().to_owned(), text.join("; ")))
        .collect();
    if let Some(text) = forecast::settles(view) {
        texts.push(("then".to_owned(), text));
    }
    texts.extend(failure::coming_fallbacks(view));
    texts
}
