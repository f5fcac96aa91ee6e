//! Hours of load under one or several specs: what came of each, then a chart
//! of the load and of each size, and when each change was.

mod changes;
mod scores;
mod words;

use std::io::{self, Write};

use crate::render::chart::{Canvas, Chart};
use crate::trace::{Search, Simulation, seconds_text};

use super::TextOptions;
use super::page::{Line, Page};
use super::patch::command_lines;

pub(in crate::render) use changes::{ShownChange, changes, changes_title, listed};
pub(in crate::render) use scores::{front_and_table, table};
pub(in crate::render) use words::{heading, searched, sentences};

use scores::fitted;

/// The rows of a chart.
const HEIGHT: usize = 5;
/// Nothing is gained by more columns.
const MOST_WIDTH: usize = 100;
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
    lines.extend(fitted(table(simulation), page).lines(page));
    for (title, chart) in charts(simulation, options) {
        lines.push(Line::blank());
        lines.push(page.line(&page.clean(&title)));
        lines.extend(chart.iter().map(|line| page.line(&format!("  {line}"))));
    }
    for run in &simulation.runs {
        lines.extend(changes::lines(page, run, options.verbosity));
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
    let release = format!("v{} rules", simulation.release);
    page.headline(&heading(simulation).join("  "), &release)
}

/// The load, and the size under each spec; sizes in one scale, and all from 0
/// on, so that heights can be compared.
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
    let chart = |points: &[(i64, i64)], most: i64, label: &dyn Fn(i64) -> String| {
        let chart = Chart {
            points,
            span: (0, simulation.seconds),
            ends: ("0s", &end),
            reach: &[0, most],
        };
        chart.labelled(canvas, label)
    };
    let mut charts = Vec::new();
    if let Some(run) = simulation.runs.first() {
        let demand: Vec<(i64, i64)> = run.steps.iter().map(|it| (it.second, it.demand)).collect();
        let amount = |milli: i64| simulation.amount(milli);
        charts.push((
            format!("Load, {}", simulation.metric_label),
            chart(&demand, 0, &amount),
        ));
    }
    let sizes = simulation.runs.iter().flat_map(|run| &run.steps);
    let most = sizes.map(|it| i64::from(it.desired_replicas)).max();
    let most = most.unwrap_or_default();
    for run in &simulation.runs {
        let sizes = run.steps.iter();
        let sizes: Vec<(i64, i64)> = sizes
            .map(|it| (it.second, i64::from(it.desired_replicas)))
            .collect();
        let title = format!("Replicas, {}", run.name);
        charts.push((title, chart(&sizes, most, &|count: i64| count.to_string())));
    }
    charts
}

fn search_lines(page: Page, search: &Search) -> Vec<Line> {
    let mut lines = vec![Line::blank()];
    lines.extend(page.paragraph("", &searched(search)));
    lines.push(Line::blank());
    let (front, table) = front_and_table(search);
    lines.extend(fitted(table, page).lines(page));
    for (number, it) in front {
        let Some(patch) = &it.patch else { continue };
        lines.push(Line::blank());
        lines.extend(page.paragraph(&format!("{number}  "), &it.name));
        lines.extend(command_lines(page, patch));
    }
    lines
}
