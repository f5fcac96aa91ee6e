//! What each release would decide: a row for those that do the same, and
//! below it the rules that make the difference.

use std::io::{self, Write};

use crate::render::escape::display_width;
use crate::trace::{NewRule, Origin, PassStep, Preview, ReleaseAnswer, Rule, Stage};

use super::TextOptions;
use super::page::{Line, Page, Tone};
use super::table::{Column, Row, Table};
use super::words::range;

/// Writes what each release would decide.
///
/// # Errors
///
/// What `out` returns.
pub fn write_preview(
    preview: &Preview,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = Page::new(options);
    let mut lines = vec![title(page, preview, options), Line::blank()];
    lines.extend(table(preview).lines(page));
    let rules = rules(preview);
    if !rules.is_empty() {
        lines.push(Line::blank());
    }
    for (release, says) in rules {
        lines.extend(page.paragraph(&format!("{release}  "), &says));
    }
    lines.push(Line::blank());
    for note in notes(preview) {
        lines.extend(page.paragraph("", &note));
    }
    page.write(&lines, out)
}

fn title(page: Page, preview: &Preview, options: &TextOptions) -> Line {
    let time = clock(preview, options, "%H:%M:%S");
    let room = page.width.saturating_sub(display_width(&time) + 2);
    let names = page.name(&heading(preview), room);
    let gap = page
        .width
        .saturating_sub(display_width(&names) + display_width(&time));
    Line {
        head: (Tone::Strong, names),
        rest: (Tone::Plain, format!("{}{time}", " ".repeat(gap))),
    }
}

fn clock(preview: &Preview, options: &TextOptions, format: &str) -> String {
    let zoned = preview.at.to_zoned(options.zone.clone());
    zoned.strftime(format).to_string()
}

/// The moment that it is about, with date and zone.
pub(in crate::render) fn moment(preview: &Preview, options: &TextOptions) -> String {
    clock(preview, options, "%Y-%m-%d %H:%M:%S %Z")
}

/// Which HPA it is about.
pub(in crate::render) fn heading(preview: &Preview) -> String {
    let target = &preview.target;
    format!(
        "{}/{}  {}/{}  what each release decides",
        preview.namespace, preview.name, target.kind, target.name
    )
}

/// The answers, the own release's marked.
pub(in crate::render) fn table(preview: &Preview) -> Table {
    let is_alone = preview.answers.len() == 1;
    let rows = preview.answers.iter().map(|answer| Row {
        is_marked: answer.is_own,
        cells: vec![releases(answer), decision(answer), why(answer, is_alone)],
        note: Vec::new(),
    });
    Table {
        columns: vec![
            Column::new("RELEASES", false, 9),
            Column::new("DECISION", false, 8),
            Column::of_sentences("WHY"),
        ],
        rows: rows.collect(),
    }
}

fn releases(answer: &ReleaseAnswer) -> String {
    if answer.from == answer.to {
        return answer.from.clone();
    }
    format!("{}..{}", answer.from, answer.to)
}

/// What is decided, as the header of an explanation says it.
pub(in crate::render) fn decision(answer: &ReleaseAnswer) -> String {
    let current = answer.current_replicas;
    match (answer.desired_replicas, answer.possible) {
        (Some(desired), _) if answer.rescale == Some(true) => format!("{current} → {desired}"),
        (Some(_), _) => format!("stays at {current}"),
        (None, Some(possible)) => format!("{current} → {}?", range(possible)),
        (None, None) => format!("{current} → unknown"),
    }
}

fn why(answer: &ReleaseAnswer, is_alone: bool) -> String {
    match &answer.step {
        Some(step) => reason(step),
        None if is_alone => "every release takes the same steps".to_owned(),
        None => "the same steps as in the cluster's own release".to_owned(),
    }
}

/// What a step does, with its numbers.
pub(in crate::render) fn reason(step: &PassStep) -> String {
    let subject = match (&step.metric, step.replicas) {
        (Some(metric), _) if step.stage == Stage::Pods => format!("set aside for {metric}"),
        (Some(metric), Some(count)) if step.rule == Rule::FallbackActive => {
            format!("{metric} asks for {} by its fallback", range(count))
        }
        (Some(metric), Some(count)) => format!("{metric} asks for {}", range(count)),
        (Some(metric), None) => format!("{metric} gives no number"),
        (None, _) => stage_name(step.stage).to_owned(),
    };
    if step.formula.is_empty() {
        return format!("{subject}: {}", step.rule.says());
    }
    format!("{subject}: {}", step.formula)
}

/// A stage in words.
pub(super) fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Scale => "scale",
        Stage::Branch => "way of the pass",
        Stage::Selector => "selector",
        Stage::Metric => "metric",
        Stage::Recommendation => "recommendation",
        Stage::Stabilization => "stabilization",
        Stage::Limit => "policies and bounds",
        Stage::Zero => "back from zero",
        Stage::Outcome => "decision",
        Stage::Pods => "pods",
    }
}

/// With each release at which the answer changes, what is new in it.
pub(in crate::render) fn rules(preview: &Preview) -> Vec<(String, String)> {
    let changed = preview.answers.iter().skip(1);
    changed
        .map(|answer| (answer.from.clone(), news(&answer.new_rules)))
        .collect()
}

/// What is new, in sentences.
pub(super) fn news(rules: &[NewRule]) -> String {
    if rules.is_empty() {
        return "More than two of the new rules together.".to_owned();
    }
    let says: Vec<String> = rules.iter().map(told).collect();
    says.join(" ")
}

/// A rule in a sentence, and that it is not measured.
pub(super) fn told(rule: &NewRule) -> String {
    match rule.derived_from {
        None => rule.says.to_owned(),
        Some(_) => format!("{} (Derived from a pull request.)", rule.says),
    }
}

/// Which release the mark stands for, and what weakens the answers.
pub(in crate::render) fn notes(preview: &Preview) -> Vec<String> {
    let release = &preview.release;
    let own = match (release.origin, &release.version) {
        (Origin::Assumed, _) => format!("{}, which is assumed", release.rules),
        (_, Some(version)) => version.clone(),
        (_, None) => release.rules.clone(),
    };
    let mut notes = vec![format!("▶ the cluster's own release: {own}")];
    if !preview.unchecked.is_empty() {
        notes.push(format!(
            "Not checked against a real controller: {}",
            preview.unchecked.join(", ")
        ));
    }
    notes
}
