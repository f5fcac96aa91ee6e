//! What an HPA would do under other specs: the answer first, then both sides
//! in a table, what would change the size next, and what the change is.

use std::io::{self, Write};

use crate::render::escape::display_width;
use crate::trace::{
    BehaviorChange, BehaviorValue, Decided, Difference, DryRun, FieldChange, Finding, MergePatch,
    MetricChange, Parting, PassStep, Proposal, ServerAnswer, Side, Trace, ValueOrigin,
};

use super::TextOptions;
use super::coming::{self, Ahead};
use super::header::what_if;
use super::next::steps_ahead;
use super::page::{Line, Page, Tone};
use super::preview::{reason, stage_name};
use super::table::{Column, Row, Table};
use super::words::{View, range};
use super::{ahead, fallback, verdict};

/// The most columns for the name of a side.
const NAME: usize = 24;
/// The columns for what a line is about.
const LEAD: usize = 10;
/// More fields than this are left to the patch.
const MOST_FIELDS: usize = 8;

/// Objects and lists that are longer are not printed in a line.
const MOST_JSON: usize = 30;

/// A group of lines about the same thing, each with the side that it is of.
pub(in crate::render) struct Group {
    /// What the lines are about.
    pub(in crate::render) title: &'static str,
    /// The side, and what is to be said of it.
    pub(in crate::render) rows: Vec<(String, String)>,
}

/// Writes what an HPA would do under other specs.
///
/// # Errors
///
/// What `out` returns.
pub fn write_dry_run(
    dry_run: &DryRun,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = Page::new(options);
    let mut lines = title(page, dry_run, options);
    lines.extend(premises(dry_run, options));
    lines.push(Line::blank());
    for sentence in sentences(dry_run, options) {
        lines.extend(page.paragraph("", &sentence));
    }
    lines.push(Line::blank());
    lines.extend(table(dry_run, options).lines(page));
    if let Some(ahead) = coming::ahead(dry_run, options) {
        lines.extend(ahead_lines(page, &ahead));
    }
    for group in groups(dry_run, options) {
        lines.push(Line::blank());
        lines.extend(group_lines(page, &group));
    }
    for side in &dry_run.candidates {
        if let Some(patch) = &side.patch {
            lines.push(Line::blank());
            lines.extend(patch_lines(page, dry_run, side, patch));
        }
        if let Some(command) = &side.create {
            lines.push(Line::blank());
            lines.extend(page.paragraph("", &format!("Create it as {} has it:", side.name)));
            lines.extend(page.command("  ", command));
        }
    }
    page.write(&lines, out)
}

/// The coming minutes.
fn ahead_lines(page: Page, ahead: &Ahead) -> Vec<Line> {
    let mut lines = vec![Line::blank()];
    for (at, text) in ahead.basis.iter().enumerate() {
        let title = if at == 0 { "Coming" } else { "" };
        lines.extend(page.paragraph(&format!("{title:<LEAD$}"), text));
    }
    lines.push(Line::blank());
    lines.extend(ahead.score.lines(page));
    for block in &ahead.blocks {
        lines.push(Line::blank());
        lines.extend(block.lines(page));
    }
    let left_out = [
        coming::left_out(ahead),
        coming::without_reasons(ahead).map(str::to_owned),
    ];
    let left_out = left_out.into_iter().flatten();
    lines.extend(left_out.map(|text| page.line(&format!("  {text}"))));
    if !ahead.charts.is_empty() {
        lines.push(Line::blank());
        lines.extend(ahead.charts.iter().map(|line| page.line(line)));
    }
    lines
}

fn title(page: Page, dry_run: &DryRun, options: &TextOptions) -> Vec<Line> {
    let zoned = dry_run.at.to_zoned(options.zone.clone());
    let time = zoned.strftime("%H:%M:%S").to_string();
    page.headline(&heading(dry_run), &time)
}

/// Which HPA it is about, and the answer.
pub(in crate::render) fn heading(dry_run: &DryRun) -> String {
    let target = &dry_run.target;
    let now = match &dry_run.current {
        Some(side) => format!("{} now", decision(&side.trace)),
        None => "does not exist yet".to_owned(),
    };
    let others = dry_run.candidates.iter();
    let others = others.map(|side| format!("with {} {}", side.name, decision(&side.trace)));
    format!(
        "{}/{}  {}/{}  {now}; {}",
        dry_run.namespace,
        dry_run.name,
        target.kind,
        target.name,
        others.collect::<Vec<_>>().join(", ")
    )
}

/// What is altered for every side, of the controller and of the inputs.
fn premises(dry_run: &DryRun, options: &TextOptions) -> Vec<Line> {
    let page = Page::new(options);
    let mut lines = Vec::new();
    if let Some(side) = first(dry_run) {
        lines.extend(what_if(view(&side.trace, options)));
    }
    if let Some(premise) = altered(dry_run) {
        lines.extend(page.paragraph("What-if: ", &premise));
    }
    for line in &mut lines {
        line.rest.0 = Tone::Warn;
    }
    for warning in &dry_run.warnings {
        lines.extend(page.paragraph("Warning: ", warning));
    }
    lines
}

/// What is altered in the inputs.
pub(in crate::render) fn altered(dry_run: &DryRun) -> Option<String> {
    let premises = &dry_run.premises;
    (!premises.is_empty()).then(|| format!("{}, for every side", premises.join(", ")))
}

fn first(dry_run: &DryRun) -> Option<&Side> {
    let current = dry_run.current.as_deref();
    current.or(dry_run.candidates.first())
}

fn view<'a>(trace: &'a Trace, options: &'a TextOptions) -> View<'a> {
    View {
        trace,
        options,
        page: Page::new(options),
        squeeze: 0,
    }
}

/// What a pass decides, in a few words.
fn decision(trace: &Trace) -> String {
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
pub(in crate::render) fn sentences(dry_run: &DryRun, options: &TextOptions) -> Vec<String> {
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
    match &difference.parting {
        None if difference.decision.is_none() => {
            let current = dry_run.current.as_deref();
            let is_same = current.is_none_or(|it| comes(it, options) == comes(side, options));
            let later = if is_same {
                ""
            } else {
                " What comes next is not the same."
            };
            format!("{name}: {whole}, by the same steps.{later}")
        }
        None => format!("{name}: {whole}."),
        Some(parting) => {
            let current = dry_run.current.as_ref();
            let current = current.map_or("now", |it| it.name.as_str());
            let parted = parted(parting, current, name);
            if parting.same_counts {
                return format!("{name}: {whole}, and the same counts, by other steps: {parted}.");
            }
            format!("{name}: {whole}. The first stage that differs: {parted}.")
        }
    }
}

/// The stage at which two passes part, and what either does there.
fn parted(parting: &Parting, current: &str, name: &str) -> String {
    let sides = [&parting.now, &parting.instead];
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

/// Every side, a row each.
pub(in crate::render) fn table(dry_run: &DryRun, options: &TextOptions) -> Table {
    let sides = sides(dry_run);
    let rows = sides.map(|side| Row {
        is_marked: false,
        cells: cells(side, options),
        note: Vec::new(),
    });
    Table {
        columns: vec![
            Column::new("SIDE", false, u8::MAX),
            Column::new("DECISION", false, 9),
            Column::new("ASKS FOR", true, 7),
            Column::new("WINDOW", true, 6),
            Column::new("POLICY", true, 5),
            Column::new("BOUNDS", false, 8),
            Column::new("RESTS AT", true, 4),
        ],
        rows: rows.collect(),
    }
}

pub(super) fn sides(dry_run: &DryRun) -> impl Iterator<Item = &Side> {
    let current = dry_run.current.as_deref().into_iter();
    current.chain(&dry_run.candidates)
}

fn cells(side: &Side, options: &TextOptions) -> Vec<String> {
    let trace = &side.trace;
    let text = |count: Option<i32>| count.map_or("-".to_owned(), |count| count.to_string());
    let recommendation = trace.recommendation.as_ref();
    let window = trace.stabilization.as_ref().map(|record| record.result);
    let limit = trace.limit.as_ref().map(|record| record.result);
    let settling = trace.prospects.as_ref().and_then(|it| it.settling.as_ref());
    let rests = settling.filter(|_| ahead::can_settle(view(trace, options)));
    vec![
        side.name.clone(),
        decision(trace),
        text(recommendation.and_then(|record| record.replicas)),
        text(window),
        text(limit),
        format!(
            "{}..{}",
            trace.bounds.min_replicas, trace.bounds.max_replicas
        ),
        text(rests.map(|settling| settling.replicas)),
    ]
}

/// What is to be said beside the table, in its order.
pub(in crate::render) fn groups(dry_run: &DryRun, options: &TextOptions) -> Vec<Group> {
    let all = [
        group("Verdict", dry_run, |side| verdicts(side, options)),
        next_up(dry_run, options),
        group("Spec", dry_run, |side| difference(side, spec)),
        group("Behavior", dry_run, |side| behavior(side, options)),
        group("Metrics", dry_run, |side| difference(side, metrics)),
        group("Found", dry_run, |side| {
            let is_new = dry_run.current.is_none();
            let findings = is_new.then(|| findings(&side.trace.findings));
            findings.unwrap_or_default()
        }),
        group("Gained", dry_run, |side| {
            difference(side, |it| findings(&it.gained))
        }),
        group("Lost", dry_run, |side| {
            difference(side, |it| findings(&it.lost))
        }),
        group("Server", dry_run, server),
    ];
    let all = all.into_iter();
    all.filter(|group| !group.rows.is_empty()).collect()
}

fn group(title: &'static str, dry_run: &DryRun, rows: impl Fn(&Side) -> Vec<String>) -> Group {
    let sides = sides(dry_run);
    let rows = sides.flat_map(|side| {
        let rows = rows(side).into_iter();
        rows.map(|row| (side.name.clone(), row))
    });
    Group {
        title,
        rows: rows.collect(),
    }
}

fn verdicts(side: &Side, options: &TextOptions) -> Vec<String> {
    let (_, text) = verdict::verdict(view(&side.trace, options)).headline();
    vec![text]
}

/// What would change the size next, each way, and where it ends: of every
/// side, or of none where there is nothing to tell of any. What is the same as
/// under the spec that there is, is said so.
fn next_up(dry_run: &DryRun, options: &TextOptions) -> Group {
    let own = dry_run.current.as_deref();
    let own = own.map(|side| comes(side, options));
    let mut sides = sides(dry_run);
    let is_told = sides.any(|side| {
        let differs = own.as_ref().is_some_and(|own| *own != comes(side, options));
        differs || !ahead_of(&side.trace, options).is_empty()
    });
    let mut rows = Vec::new();
    for side in self::sides(dry_run).filter(|_| is_told) {
        let texts = comes(side, options);
        let texts = match &own {
            Some(own) if side.difference.is_some() && texts == *own => vec!["the same".to_owned()],
            _ => texts,
        };
        rows.extend(texts.into_iter().map(|text| (side.name.clone(), text)));
    }
    Group {
        title: "Next",
        rows,
    }
}

/// What comes next on a side; of one of which there is nothing to wait for,
/// where it ends.
fn comes(side: &Side, options: &TextOptions) -> Vec<String> {
    let texts = ahead_of(&side.trace, options).into_iter();
    let mut texts: Vec<String> = texts.map(|(way, text)| format!("{way}: {text}")).collect();
    if texts.is_empty() {
        texts.push(ahead::ends(view(&side.trace, options)));
    }
    texts
}

fn ahead_of(trace: &Trace, options: &TextOptions) -> Vec<(String, String)> {
    let view = view(trace, options);
    let steps = steps_ahead(view).into_iter();
    let mut texts: Vec<(String, String)> = steps
        .map(|(way, text)| (way.trim().to_owned(), text))
        .collect();
    if let Some(text) = ahead::settles(view) {
        texts.push(("then".to_owned(), text));
    }
    texts.extend(fallback::ahead(view));
    texts
}

fn difference(side: &Side, rows: impl Fn(&Difference) -> Vec<String>) -> Vec<String> {
    side.difference.as_deref().map(rows).unwrap_or_default()
}

fn spec(difference: &Difference) -> Vec<String> {
    let changes = difference.spec.iter().take(MOST_FIELDS);
    let mut rows: Vec<String> = changes
        .map(|FieldChange { field, from, to }| {
            let field = field.trim_start_matches("spec.");
            format!("{field}: {} → {}", short(from.as_ref()), short(to.as_ref()))
        })
        .collect();
    if let more @ 1.. = difference.spec.len().saturating_sub(MOST_FIELDS) {
        rows.push(format!("and {more} more fields"));
    }
    rows
}

/// A value; of a whole object or list, that there is one: the patch has it.
fn short(value: Option<&String>) -> String {
    match value {
        None => "not set".to_owned(),
        Some(json) if json.starts_with(['{', '[']) && json.len() > MOST_JSON => "set".to_owned(),
        Some(json) => json.clone(),
    }
}

/// The values that differ, or with `-v` and for a new HPA all.
fn behavior(side: &Side, options: &TextOptions) -> Vec<String> {
    let whole = |value: &BehaviorValue| format!("{}: {}", value.field, with_origin(value));
    if side.difference.is_none() || options.verbosity > 0 {
        let is_shown = options.verbosity > 0 || side.name != "now";
        let values = side.behavior.iter().filter(|_| is_shown);
        return values.map(whole).collect();
    }
    difference(side, |difference| {
        // The defaults do what the older algorithm does, in these.
        let is_told = |change: &&BehaviorChange| {
            let origins = [change.now.origin, change.instead.origin];
            let is_flag = |it: &ValueOrigin| ValueOrigin::FLAGS.contains(it);
            change.now.value != change.instead.value || origins.iter().any(is_flag)
        };
        let changes = difference.behavior.iter().filter(is_told);
        let texts = changes.map(|change| {
            let (now, instead) = (&change.now, &change.instead);
            format!(
                "{}: {} → {}",
                now.field,
                with_origin(now),
                with_origin(instead)
            )
        });
        texts.collect()
    })
}

fn with_origin(value: &BehaviorValue) -> String {
    format!("{} ({})", value.value, value.origin.says())
}

fn metrics(difference: &Difference) -> Vec<String> {
    let changes = difference.metrics.iter();
    changes
        .map(|change| {
            let MetricChange {
                metric,
                now,
                instead,
            } = change;
            format!("{metric}: asks for {} → {}", asked(*now), asked(*instead))
        })
        .collect()
}

fn asked(proposal: Option<Proposal>) -> String {
    match proposal {
        None => "nothing, it is not there".to_owned(),
        Some(Proposal { replicas: None }) => "nothing: no number".to_owned(),
        Some(Proposal {
            replicas: Some(count),
        }) => count.to_string(),
    }
}

fn findings(findings: &[Finding]) -> Vec<String> {
    let findings = findings.iter();
    findings
        .map(|finding| {
            let severity = finding.severity.as_str();
            format!("{} ({severity}): {}", finding.code, finding.message)
        })
        .collect()
}

fn server(side: &Side) -> Vec<String> {
    let Some(answer) = &side.server else {
        return Vec::new();
    };
    vec![match answer {
        ServerAnswer::Accepted => "accepted".to_owned(),
        ServerAnswer::FieldsDropped { fields } => {
            format!("accepted, field dropped: {}", fields.join(", "))
        }
        ServerAnswer::FieldsChanged { fields, dropped } => {
            let dropped = match dropped.as_slice() {
                [] => String::new(),
                dropped => format!("; field dropped: {}", dropped.join(", ")),
            };
            let changed = fields.join(", ");
            format!("accepted, changed by the server: {changed}{dropped}")
        }
        ServerAnswer::Refused { message } => format!("refused: {message}"),
    }]
}

fn group_lines(page: Page, group: &Group) -> Vec<Line> {
    let names = group.rows.iter().map(|(name, _)| page.name(name, NAME));
    let names: Vec<String> = names.collect();
    let width = names.iter().map(|it| display_width(it)).max();
    let width = width.unwrap_or_default();
    let mut lines = Vec::new();
    let mut last = "";
    for (at, ((_, text), name)) in group.rows.iter().zip(&names).enumerate() {
        let title = if at == 0 { group.title } else { "" };
        let own = if name == last { "" } else { name };
        let blanks = " ".repeat(width.saturating_sub(display_width(own)));
        let lead = format!("{title:<LEAD$}{own}{blanks}  ");
        lines.extend(page.paragraph(&lead, text));
        last = name;
    }
    lines
}

/// The command that makes the change, on several lines where it is long: in
/// JSON a line end means nothing, nor does it within a shell's quotes.
fn patch_lines(page: Page, dry_run: &DryRun, side: &Side, patch: &MergePatch) -> Vec<Line> {
    let lead = if dry_run.candidates.len() > 1 {
        format!("Apply {}:", side.name)
    } else {
        "Apply it:".to_owned()
    };
    let mut lines = page.paragraph("", &lead);
    lines.extend(command_lines(page, patch));
    lines
}

/// The command that applies a patch, in as many lines as it takes.
pub(super) fn command_lines(page: Page, patch: &MergePatch) -> Vec<Line> {
    let mut lines = Vec::new();
    let Some(command) = &patch.command else {
        let why = "a name in the patch cannot be typed; -o json has it";
        lines.extend(page.paragraph("  ", why));
        return lines;
    };
    let short = page.command("  ", command);
    if !short.is_empty() {
        lines.extend(short);
        return lines;
    }
    let broken = command
        .split_once(" -p ")
        .filter(|_| !patch.patch.contains('\''))
        .and_then(|(start, _)| {
            let pieces = broken(&patch.patch, page.width.saturating_sub(5))?;
            Some((start, pieces))
        });
    let Some((start, pieces)) = broken else {
        lines.extend(page.paragraph("  ", "the patch is too wide for this page; -o json has it"));
        return lines;
    };
    lines.push(page.line(&format!("  {start} -p '")));
    let last = pieces.len().saturating_sub(1);
    for (at, piece) in pieces.iter().enumerate() {
        let end = if at == last { "'" } else { "" };
        lines.push(page.line(&format!("    {piece}{end}")));
    }
    lines
}

/// JSON in pieces of so many columns; nothing where one would be wider.
fn broken(json: &str, most: usize) -> Option<Vec<String>> {
    let mut pieces = vec![String::new()];
    let mut token = String::new();
    let mut in_text = false;
    let mut is_escaped = false;
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        token.push(character);
        if in_text {
            in_text = is_escaped || character != '"';
            is_escaped = character == '\\' && !is_escaped;
        } else {
            in_text = character == '"';
        }
        let is_end = !in_text && matches!(character, ',' | '{' | '[');
        if is_end || characters.peek().is_none() {
            let last = pieces.last_mut()?;
            if display_width(last) + display_width(&token) > most && !last.is_empty() {
                pieces.push(String::new());
            }
            pieces.last_mut()?.push_str(&token);
            token.clear();
        }
    }
    let fits = pieces.iter().all(|piece| display_width(piece) <= most);
    fits.then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn long_json_is_broken_where_that_means_nothing() {
        let json = r#"{"spec":{"a":[1,2,3],"b":"x, y {z"}}"#;
        let pieces = broken(json, 16).expect("pieces");
        assert!(pieces.iter().all(|piece| piece.chars().count() <= 16));
        assert!(pieces.len() > 2, "{pieces:?}");
        assert_eq!(pieces.concat(), json);
        assert_eq!(broken(json, 4), None);
        assert_eq!(broken(json, 80), Some(vec![json.to_owned()]));
    }
}
