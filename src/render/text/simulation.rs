//! Hours of load under one or several specs: what came of each, then a chart
//! of the load and of each size, and when each change was.

use std::io::{self, Write};

use crate::render::chart::{Canvas, Chart};
use crate::render::escape::display_width;
use crate::trace::amount::counted;
use crate::trace::{
    Scores, Search, SimulatedRun, SimulatedStep, Simulation, Unbeaten, seconds_text, short,
};

use super::TextOptions;
use super::dry_run::command_lines;
use super::page::{Line, Page, Tone};
use super::table::{Column, Row, Table};

/// The rows of a chart.
const HEIGHT: usize = 5;
/// Nothing is gained by more columns.
const MOST_WIDTH: usize = 100;
/// Behaviors that are shown of a search; JSON has all.
const MOST_UNBEATEN: usize = 6;
/// Changes that are listed of each run without `-v`.
const MOST_CHANGES: usize = 4;

/// Writes a simulation.
///
/// # Errors
///
/// What `out` returns.
pub fn write_simulation(
    simulation: &Simulation,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = Page::new(options);
    let mut lines = title(page, simulation);
    for warning in &simulation.warnings {
        lines.extend(page.paragraph("Warning: ", warning));
    }
    lines.push(Line::blank());
    for sentence in sentences(simulation) {
        lines.extend(page.paragraph("", &sentence));
    }
    lines.push(Line::blank());
    lines.extend(table(simulation).lines(page));
    for (title, chart) in charts(simulation, options) {
        lines.push(Line::blank());
        lines.push(page.line(&page.clean(&title)));
        lines.extend(chart.iter().map(|line| page.line(&format!("  {line}"))));
    }
    for run in &simulation.runs {
        lines.extend(changes(page, run, options.verbosity));
    }
    for run in &simulation.runs {
        if let Some(patch) = &run.patch {
            lines.push(Line::blank());
            lines.extend(page.paragraph("", &format!("Apply {}:", run.name)));
            lines.extend(command_lines(page, patch));
        }
    }
    if let Some(search) = &simulation.search {
        lines.extend(search_lines(page, search));
    }
    lines.push(Line::blank());
    let assumed = simulation.assumptions.join("; ");
    lines.extend(page.paragraph("Assumed  ", &assumed));
    page.write(&lines, out)
}

fn title(page: Page, simulation: &Simulation) -> Vec<Line> {
    let text = page.clean(&heading(simulation));
    let release = format!("v{} rules", simulation.release);
    let used = display_width(&text) + 2 + release.len();
    if used <= page.width {
        let gap = " ".repeat(page.width + 2 - used);
        return vec![Line {
            head: (Tone::Strong, text),
            rest: (Tone::Plain, format!("{gap}{release}")),
        }];
    }
    let mut lines = page.paragraph("", &text);
    for line in &mut lines {
        line.rest.0 = Tone::Strong;
    }
    lines
}

/// Which HPA it is about, and for how long.
pub(in crate::render) fn heading(simulation: &Simulation) -> String {
    let target = &simulation.target;
    format!(
        "{}/{}  {}/{}  {} of load, simulated",
        simulation.namespace,
        simulation.name,
        target.kind,
        target.name,
        seconds_text(simulation.seconds)
    )
}

/// What came of each spec, in a sentence, and what the load was.
pub(in crate::render) fn sentences(simulation: &Simulation) -> Vec<String> {
    let mut sentences: Vec<String> = simulation.runs.iter().map(sentence).collect();
    sentences.push(format!(
        "Load: {}, {}. A pass every {}.",
        simulation.metric,
        simulation.load,
        seconds_text(simulation.every_seconds)
    ));
    sentences
}

fn sentence(run: &SimulatedRun) -> String {
    let scores = &run.scores;
    let enough = match scores.under_provisioned_seconds {
        None => String::new(),
        Some(0) => "always enough pods; ".to_owned(),
        Some(seconds) if scores.worst_lag_seconds == Some(seconds) => {
            format!("too few pods for {}; ", seconds_text(seconds))
        }
        Some(seconds) => format!(
            "too few pods for {} in all, {} at a stretch; ",
            seconds_text(seconds),
            seconds_text(scores.worst_lag_seconds.unwrap_or(seconds))
        ),
    };
    let count = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
    let flapping = match scores.reversals {
        0 => "no reversal".to_owned(),
        reversals => counted(count(reversals), "reversal"),
    };
    format!(
        "{}: {enough}{}, {flapping}; {} pod-hours.",
        run.name,
        counted(count(scores.scalings), "change"),
        pod_hours(scores.pod_seconds)
    )
}

/// Every run, a row each.
pub(in crate::render) fn table(simulation: &Simulation) -> Table {
    let runs = simulation.runs.iter();
    scored(runs.map(|run| (run.name.clone(), &run.scores)))
}

/// Those of a search that nothing beats, by their numbers.
fn front(search: &Search) -> Vec<(String, &Unbeaten)> {
    let places = spread_over(search.front.len(), MOST_UNBEATEN);
    let shown = places.into_iter().filter_map(|at| search.front.get(at));
    let named = (1..)
        .zip(shown)
        .map(|(number, it): (usize, _)| match it.patch {
            Some(_) => (number.to_string(), it),
            None => (format!("{number}, now"), it),
        });
    named.collect()
}

/// The same, with a row of each.
pub(in crate::render) fn front_and_table(search: &Search) -> (Vec<(String, &Unbeaten)>, Table) {
    let front = front(search);
    let rows = front.iter();
    let table = scored(rows.map(|(name, it)| (name.clone(), &it.scores)));
    (front, table)
}

/// What was tried, and what the table of it shows.
pub(in crate::render) fn searched(search: &Search) -> String {
    let found = search.front.len();
    let shown = match found.saturating_sub(MOST_UNBEATEN) {
        0 => String::new(),
        _ => format!(", of which {MOST_UNBEATEN} are shown (-o json has all)"),
    };
    format!(
        "{} behaviors tried. {found} of them no other beats in time with too few pods, pod-hours \
         and reversals together{shown}:",
        search.tried,
    )
}

fn scored<'s>(rows: impl Iterator<Item = (String, &'s Scores)>) -> Table {
    let rows = rows.map(|(name, scores)| Row {
        is_marked: false,
        cells: cells(name, scores),
        note: Vec::new(),
    });
    Table {
        columns: vec![
            Column::new("SPEC", false, u8::MAX),
            Column::new("TOO FEW", true, 9),
            Column::new("LONGEST", true, 5),
            Column::new("POD-HOURS", true, 7),
            Column::new("TOO MANY", true, 6),
            Column::new("CHANGES", true, 8),
            Column::new("REVERSALS", true, 8),
            Column::new("PODS", false, 4),
        ],
        rows: rows.collect(),
    }
}

fn cells(name: String, scores: &Scores) -> Vec<String> {
    let time = |seconds: Option<i64>| seconds.map_or("unknown".to_owned(), seconds_text);
    let over = scores.over_provisioned_pod_seconds;
    vec![
        name,
        time(scores.under_provisioned_seconds),
        time(scores.worst_lag_seconds),
        pod_hours(scores.pod_seconds),
        over.map_or("unknown".to_owned(), pod_hours),
        scores.scalings.to_string(),
        scores.reversals.to_string(),
        format!("{}..{}", scores.least_replicas, scores.most_replicas),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "the text shows a few digits")]
fn pod_hours(pod_seconds: i64) -> String {
    short(pod_seconds as f64 / 3600.0, 1)
}

/// The load, and the size under each spec.
pub(in crate::render) fn charts(
    simulation: &Simulation,
    options: &TextOptions,
) -> Vec<(String, Vec<String>)> {
    let page = Page::new(options);
    let canvas = Canvas {
        width: page.width.min(MOST_WIDTH).saturating_sub(2),
        height: HEIGHT,
        ascii: options.ascii,
    };
    let end = seconds_text(simulation.seconds);
    let chart = |points: &[(i64, i64)], label: &dyn Fn(i64) -> String| {
        let chart = Chart {
            points,
            span: (0, simulation.seconds),
            ends: ("0s", &end),
            reach: &[],
        };
        chart.labelled(canvas, label)
    };
    let mut charts = Vec::new();
    if let Some(run) = simulation.runs.first() {
        let demand: Vec<(i64, i64)> = run.steps.iter().map(|it| (it.second, it.demand)).collect();
        let amount = |milli: i64| simulation.amount(milli);
        charts.push((
            format!("Load, {}", simulation.metric),
            chart(&demand, &amount),
        ));
    }
    for run in &simulation.runs {
        let sizes = run.steps.iter();
        let sizes: Vec<(i64, i64)> = sizes
            .map(|it| (it.second, i64::from(it.desired_replicas)))
            .collect();
        let title = format!("Replicas, {}", run.name);
        charts.push((title, chart(&sizes, &|count: i64| count.to_string())));
    }
    charts
}

fn search_lines(page: Page, search: &Search) -> Vec<Line> {
    let mut lines = vec![Line::blank()];
    lines.extend(page.paragraph("", &searched(search)));
    lines.push(Line::blank());
    let (front, table) = front_and_table(search);
    lines.extend(table.lines(page));
    for (number, it) in front {
        let Some(patch) = &it.patch else { continue };
        lines.push(Line::blank());
        lines.extend(page.paragraph(&format!("{number}  "), &it.name));
        lines.extend(command_lines(page, patch));
    }
    lines
}

/// When the size changes, and what holds it where it is not what the metrics
/// ask for.
fn changes(page: Page, run: &SimulatedRun, verbosity: u8) -> Vec<Line> {
    let is_change = |step: &&SimulatedStep| step.current_replicas != step.desired_replicas;
    let changes: Vec<&SimulatedStep> = run.steps.iter().filter(is_change).collect();
    if changes.is_empty() {
        return Vec::new();
    }
    let most = if verbosity > 0 {
        changes.len()
    } else {
        MOST_CHANGES
    };
    let mut lines = vec![Line::blank()];
    lines.push(page.line(&page.clean(&format!("Changes, {}", run.name))));
    let shown = changes.iter().take(most);
    lines.extend(shown.map(|step| page.line(&format!("  {}", change(step)))));
    if let more @ 1.. = changes.len().saturating_sub(most) {
        lines.push(page.line(&format!("  and {more} more; -v lists them")));
    }
    lines
}

fn change(step: &SimulatedStep) -> String {
    let at = seconds_text(step.second);
    let (from, to) = (step.current_replicas, step.desired_replicas);
    let held = match step.scaling_limited_reason {
        _ if step.recommendation == to => String::new(),
        _ if step.recommendation < 0 => "  outside minReplicas..maxReplicas".to_owned(),
        Some("DesiredWithinRange") | None => {
            format!("  asked for {}, held by the window", step.recommendation)
        }
        Some(reason) => format!("  asked for {}, {reason}", step.recommendation),
    };
    format!("{at:>8}  {from} → {to}{held}")
}

/// So many of a front, spread over it, both ends included.
fn spread_over(front: usize, most: usize) -> Vec<usize> {
    if front <= most || most < 2 {
        return (0..front.min(most)).collect();
    }
    (0..most).map(|at| at * (front - 1) / (most - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::spread_over;

    #[test]
    fn a_front_is_thinned_evenly() {
        assert_eq!(spread_over(10, 4), [0, 3, 6, 9]);
        assert_eq!(spread_over(3, 4), [0, 1, 2]);
        assert_eq!(spread_over(1, 4), [0]);
        assert!(spread_over(0, 4).is_empty());
    }
}
