//! What an HPA would do under other specs: the answer first, then both sides
//! in a table, what would change the size next, what the change is, and what is to be said
//! beside the table: what another spec changes, in its fields, in the behavior that is in
//! effect, in what each metric asks for and in what is found.

mod answer;
mod coming;

use serde_json::Value;

use super::page::Tone;
use super::remembered::timeline;
use super::words::{DAY, View, moment};
use super::{TextOptions, explanation, forecast, given, headline};
use crate::render::block::{
    Block, Cell, Facts, Item, PassEntry, PassKind, Prose, Row, Table, Title, applied,
};
use crate::trace::amount::counted;
use crate::trace::{
    BehaviorChange, BehaviorValue, CodeKind, Difference, DryRun, FieldChange, Finding, Proposal,
    ServerAnswer, Side, ValueOrigin, seconds_text,
};
use answer::{decision, next_up, sentences};
use coming::Whole;

/// The columns for what a line is about.
const LEAD: usize = 10;

/// What an HPA would do under other specs.
pub(in crate::render) fn blocks(dry_run: &DryRun, options: &TextOptions) -> Vec<Block<'static>> {
    let (dry_run, origin) = &named(dry_run);
    let mut blocks = vec![Block::Title(title(dry_run, options))];
    blocks.extend(premises(dry_run, options).map(Block::Prose));
    blocks.extend([
        Block::Gap,
        Block::Facts(Facts::of(sentences(dry_run, origin, options))),
        Block::Gap,
    ]);
    let coming = Whole::of(dry_run, options);
    let shown = coming.as_ref().filter(|_| options.is_page);
    let shown = shown.map(|coming| (coming, coming.runs()));
    match (&shown, &dry_run.current) {
        (Some((coming, runs)), _) => blocks.extend(coming.timelines(runs)),
        // Without minutes to come, the chart has those before the pass.
        (None, Some(now)) => blocks.extend(timeline(View::of(&now.trace, options))),
        (None, None) => {}
    }
    let rows = sides(dry_run).map(|side| Row::of(cells(side, options)));
    blocks.push(Block::Table(Table::of(rows)));
    blocks.extend(coming.iter().flat_map(Whole::blocks));
    for (title, rows) in groups(dry_run, options) {
        let lead = if title.len() < LEAD { LEAD } else { 0 };
        blocks.extend([Block::Gap, Block::Facts(Facts::titled(title, lead, rows))]);
    }
    for side in &dry_run.candidates {
        if let Some(patch) = &side.patch {
            let says = match dry_run.candidates.as_slice() {
                [_] => "Apply it",
                _ => &format!("Apply {}", side.name),
            };
            let removed = side.difference.iter().flat_map(|it| removed(it));
            let removed: Vec<String> = removed.collect();
            let says = match removed.as_slice() {
                [] => format!("{says}:"),
                removed => format!("{says}; this removes {}:", removed.join(", ")),
            };
            blocks.extend([Block::Gap, Block::Prose(Prose::plain(says))]);
            blocks.extend(applied(patch));
        }
        if let Some(command) = side.create.clone() {
            let says = "Create it:".to_owned();
            blocks.extend([
                Block::Gap,
                Block::Prose(Prose::plain(says)),
                Block::Command(command),
            ]);
        }
    }
    if options.is_page {
        let now = sides(dry_run).map(|it| pass(it, options)).collect();
        blocks.extend(match shown {
            Some((coming, runs)) => coming.strip(now, &runs),
            None => vec![Block::Passes(now)],
        });
    }
    blocks
}

/// The pass of a side, which a page opens.
fn pass(side: &Side, options: &TextOptions) -> PassEntry<'static> {
    let difference = side.difference.as_ref();
    let differs = difference.is_some_and(|it| it.decision.is_some());
    let blocks = explanation(&side.trace, options).into_iter();
    let is_below = |it: &Block| !matches!(it, Block::Title(_) | Block::Timeline(_));
    let kinds = [(PassKind::Difference, differs)];
    PassEntry {
        page: blocks.filter(is_below).collect(),
        ..PassEntry::of(&side.name, 1, decision(&side.trace), kinds)
    }
}

/// The same with its sides called *current* and *proposed*, and where the
/// latter comes from; several keep the names of their files.
fn named(dry_run: &DryRun) -> (DryRun, String) {
    let mut named = dry_run.clone();
    if let Some(current) = &mut named.current {
        "current".clone_into(&mut current.name);
    }
    let mut origin = String::new();
    if let [side] = named.candidates.as_mut_slice() {
        let name = std::mem::replace(&mut side.name, "proposed".to_owned());
        origin = format!(" ({name})");
    }
    (named, origin)
}

/// Which HPA it is about, the answer, and the moment.
fn title(dry_run: &DryRun, options: &TextOptions) -> Title {
    let new = dry_run.current.as_ref().map_or("new HPA, ", |_| "");
    let each = |says: fn(&Side) -> String| {
        let now = dry_run.current.iter().map(|side| says(side));
        let others = dry_run.candidates.iter();
        let others = others.map(|side| format!("{} {}", side.name, says(side)));
        now.chain(others).collect::<Vec<_>>().join(", ")
    };
    let now = each(|it| decision(&it.trace));
    let minutes = dry_run.minutes.as_ref();
    let after = minutes.map_or_else(String::new, |it| {
        format!(
            "; after {}: {}",
            seconds_text(it.seconds),
            each(coming::end)
        )
    });
    let hpa = [dry_run.namespace.as_str(), &dry_run.name];
    let at = moment(dry_run.at, options, DAY);
    Title::of(hpa, &dry_run.target, format!("{new}{now}{after}"), at)
}

/// What is altered for every side, of the controller and of the inputs, and
/// what weakens the answer.
fn premises(dry_run: &DryRun, options: &TextOptions) -> impl Iterator<Item = Prose> {
    let first = sides(dry_run).next();
    let given = first.and_then(|side| given(View::of(&side.trace, options)));
    let altered = &dry_run.premises;
    let altered = (!altered.is_empty()).then(|| format!("{}, on every side", altered.join(", ")));
    let what_if = given.into_iter().chain(altered);
    let what_if = what_if.map(|it| Prose::behind("What-if: ", it).toned(Tone::Warn));
    let warnings = dry_run.warnings.iter();
    what_if.chain(warnings.map(|it| Prose::behind("Warning: ", it)))
}

fn sides(dry_run: &DryRun) -> impl Iterator<Item = &Side> {
    let current = dry_run.current.as_deref().into_iter();
    current.chain(&dry_run.candidates)
}

fn cells(side: &Side, options: &TextOptions) -> [Cell; 7] {
    let trace = &side.trace;
    let count = |title, count: Option<i32>| {
        Cell::number(
            title,
            count.map_or("-".to_owned(), |count| count.to_string()),
        )
    };
    let recommendation = trace.recommendation.as_ref();
    let recommended = recommendation.and_then(|record| record.replicas);
    let bounds = trace.bounds;
    let bounds = format!("{}..{}", bounds.min_replicas, bounds.max_replicas);
    let window = trace.stabilization.as_ref().map(|record| record.result);
    let limit = trace.limit.as_ref().map(|record| record.result);
    let settling = trace.prospects.as_ref().and_then(|it| it.settling.as_ref());
    let rests = settling.filter(|_| forecast::can_settle(View::of(trace, options)));
    let ending = rests.map_or("-".to_owned(), forecast::ending);
    [
        Cell::text("SIDE", side.name.clone()),
        Cell::text("DECISION", decision(trace)),
        count("ASKS FOR", recommended),
        count("WINDOW", window),
        count("POLICY", limit),
        Cell::text("BOUNDS", bounds),
        Cell::number("SETTLES AT", ending),
    ]
}

/// More fields than this are left to the patch.
const MOST_FIELDS: usize = 8;
/// Objects and lists that are longer are not printed in a line.
const MOST_JSON: usize = 30;

/// What lines are about, and the lines, each with the side that it is of.
type Section = (&'static str, Vec<Item>);

/// What is to be said beside the table, in its order.
fn groups(dry_run: &DryRun, options: &TextOptions) -> Vec<Section> {
    let mut all = vec![
        group("Verdict", dry_run, |side| {
            vec![headline(&side.trace, &side.trace.verdict, options).text()]
        }),
        ("Next", next_up(dry_run, options)),
        group("Spec", dry_run, |side| difference(side, spec)),
        group("Behavior", dry_run, |side| {
            behavior(side, dry_run.current.is_none(), options)
        }),
        group("Metrics", dry_run, |side| difference(side, metrics)),
        group("Findings", dry_run, |side| {
            let own = side.trace.findings.iter();
            findings(own.filter(|_| dry_run.current.is_none()))
        }),
        group("New findings", dry_run, |side| {
            difference(side, |it| findings(it.gained.iter()))
        }),
        group("Resolved findings", dry_run, |side| {
            // Pods without a sample are still there where they no longer decide.
            let is_kept =
                |it: &&Finding| it.code.is(CodeKind::OfSetAside) && side.trace.has_set_aside();
            difference(side, |it| {
                findings(it.lost.iter().filter(|it| !is_kept(it)))
            })
        }),
        group("Server", dry_run, server),
    ];
    all.retain(|(_, rows)| !rows.is_empty());
    all
}

fn group<R: Into<Item>>(
    title: &'static str,
    dry_run: &DryRun,
    rows: impl Fn(&Side) -> Vec<R>,
) -> Section {
    let sides = sides(dry_run);
    let rows = sides.flat_map(|side| {
        let rows = rows(side).into_iter();
        rows.map(|row| Item {
            name: side.name.clone(),
            ..row.into()
        })
    });
    (title, rows.collect())
}

/// What is to be said of how a side differs.
fn difference<R>(side: &Side, rows: impl Fn(&Difference) -> Vec<R>) -> Vec<R> {
    side.difference.as_deref().map(rows).unwrap_or_default()
}

fn findings<'f>(findings: impl Iterator<Item = &'f Finding>) -> Vec<Item> {
    let findings = findings.map(|finding| {
        let (code, severity) = (finding.code.as_str(), finding.severity);
        Item {
            code: Some(code),
            ..Item::of(format!("{code} ({severity}): {}", finding.message))
        }
    });
    findings.collect()
}

fn server(side: &Side) -> Vec<String> {
    let Some(answer) = &side.server else {
        return Vec::new();
    };
    vec![match answer {
        ServerAnswer::Accepted => "accepted".to_owned(),
        ServerAnswer::FieldsDropped { fields } => {
            format!("accepted; the server drops {}", listed(fields))
        }
        ServerAnswer::FieldsChanged { fields, dropped } => {
            let dropped = match dropped.as_slice() {
                [] => String::new(),
                dropped => format!("; it drops {}", listed(dropped)),
            };
            let changed = listed(fields);
            format!("accepted; the server changes {changed}{dropped}")
        }
        ServerAnswer::Refused { message } => format!("refused: {message}"),
        ServerAnswer::NotAsked { reason } => format!("not asked: {reason}"),
    }]
}

fn listed(fields: &[impl ToString]) -> String {
    let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
    fields.join(", ")
}

/// The fields and metrics that another spec no longer has.
fn removed(difference: &Difference) -> impl Iterator<Item = String> {
    let removed = difference.spec.iter().filter(|change| change.to.is_none());
    removed.map(field_name)
}

/// A field without the `spec.` in front; a metric with its name.
fn field_name(change: &FieldChange) -> String {
    let field = change.below_spec();
    match &change.metric {
        Some(metric) => format!("{field} {metric}"),
        None => field.to_string(),
    }
}

/// Each field.
fn spec(difference: &Difference) -> Vec<String> {
    let changes = difference.spec.iter().take(MOST_FIELDS);
    let mut rows: Vec<String> = changes
        .map(|change| {
            let FieldChange { from, to, .. } = change;
            let says = match (&change.metric, to) {
                (Some(_), None) => "removed".to_owned(),
                (Some(_), Some(_)) => "added".to_owned(),
                _ => format!("{} → {}", short(from.as_ref()), short(to.as_ref())),
            };
            format!("{}: {says}", field_name(change))
        })
        .collect();
    if let more @ 1.. = difference.spec.len().saturating_sub(MOST_FIELDS) {
        rows.push(format!("and {}", counted(more, "more field")));
    }
    rows
}

/// A value; of a whole object or list, that there is one: the patch has it.
fn short(value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "not set".to_owned();
    };
    let json = value.to_string();
    let is_whole = value.is_object() || value.is_array();
    if is_whole && json.len() > MOST_JSON {
        return "set".to_owned();
    }
    json
}

/// The values that differ, or with `-v` and for a new HPA all.
fn behavior(side: &Side, is_new: bool, options: &TextOptions) -> Vec<String> {
    let whole = |value: &BehaviorValue| format!("{}: {}", value.field, with_origin(value));
    if side.difference.is_none() || options.verbosity > 0 {
        let is_shown = options.verbosity > 0 || is_new;
        let values = side.behavior.iter().filter(|_| is_shown);
        return values.map(whole).collect();
    }
    difference(side, |difference| {
        // The defaults do what the older algorithm does, in these.
        let is_shown = |change: &&BehaviorChange| {
            let origins = [change.now.origin, change.instead.origin];
            let is_flag = |it: &ValueOrigin| ValueOrigin::FLAGS.contains(it);
            change.now.value != change.instead.value || origins.iter().any(is_flag)
        };
        let changes = difference.behavior.iter().filter(is_shown);
        let texts = changes.map(|change| {
            let [from, to] = [&change.now, &change.instead].map(with_origin);
            format!("{}: {from} → {to}", change.now.field)
        });
        texts.collect()
    })
}

fn with_origin(value: &BehaviorValue) -> String {
    format!("{} ({})", value.value, value.origin.says())
}

/// The metrics that ask for another size.
fn metrics(difference: &Difference) -> Vec<String> {
    let changes = difference.metrics.iter();
    let texts = changes.map(|change| {
        let [from, to] = [change.now, change.instead].map(recommended);
        format!("{}: asks for {from} → {to}", change.metric)
    });
    texts.collect()
}

fn recommended(proposal: Option<Proposal>) -> String {
    match proposal {
        None => "nothing (not in the spec)".to_owned(),
        Some(Proposal { replicas: None }) => "nothing (no value)".to_owned(),
        Some(Proposal {
            replicas: Some(count),
        }) => count.to_string(),
    }
}
