//! Explanations, lists and previews as Markdown, for a pull request or an
//! incident.
//!
//! The parts are those of the text. Sentences flow, tables are tables of
//! GitHub's, findings come with their codes; what the text aligns by blanks
//! stands between fences as it is.

mod escape;
mod findings;
mod flaps;
mod table;

use std::io::{self, Write};

use crate::trace::{Comparison, DryRun, MergePatch, Preview, Simulation, Trace};

use super::SummaryList;
use super::text::{
    Line, ListOptions, Page, Part, TextOptions, Title, ahead, caveat, changes_title, charts,
    comparison_notes, comparison_table, dry_run_heading, dry_run_moment, dry_run_table, groups,
    heading, left_out, list_footnotes, list_table, listed_changes, moment, notes, parts, premises,
    preview_table, rules, searched, sentences, simulation_front, simulation_heading,
    simulation_sentences, simulation_table,
};

pub use flaps::write_flaps_markdown;

use escape::{fenced, inline};
use findings::findings;
use table::table;

/// Sentences are not wrapped, however long a page reads them.
const FLOWING: usize = 4_000;
/// The columns of a chart.
const CHART: usize = 80;

/// Writes the explanation of a pass.
///
/// # Errors
///
/// What `out` returns.
pub fn write_markdown(trace: &Trace, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let flowing = flowing(options);
    let page = Page::new(&flowing);
    let mut blocks = Vec::new();
    let laid_out = parts(trace, options);
    for (flowing, laid_out) in parts(trace, &flowing).into_iter().zip(laid_out) {
        let mut aligned = Vec::new();
        for (part, laid_out) in flowing.into_iter().zip(laid_out) {
            match (part, laid_out) {
                (_, Part::Lines(lines)) => aligned.extend(lines.iter().map(Line::text)),
                (Part::Title(Title { text, time, .. }), _) => blocks.push(title(&text, &time)),
                (Part::Prose(lines), _) => blocks.push(prose(&lines)),
                (Part::Table(it), _) => blocks.push(table(page, &it)),
                (Part::Found(_) | Part::Lines(_), _) => {}
            }
        }
        if !aligned.is_empty() {
            blocks.push(fenced("text", &aligned));
        }
    }
    if !trace.findings.is_empty() {
        blocks.push(vec!["### Findings".to_owned()]);
        blocks.push(findings(page, &trace.findings));
    }
    write_blocks(&blocks, out)
}

fn flowing(options: &TextOptions) -> TextOptions {
    TextOptions {
        width: FLOWING,
        ..options.clone()
    }
}

/// A heading, and the moment that it is about.
fn title(text: &str, time: &str) -> Vec<String> {
    vec![format!("## {}", inline(text)), String::new(), inline(time)]
}

/// Sentences; what stands out of a text stands out here, too.
fn prose(lines: &[Line]) -> Vec<String> {
    let lines = lines.iter().map(|line| match line.pieces() {
        ("", rest) => inline(rest),
        (head, rest) => format!("**{}**{}", inline(head), inline(rest)),
    });
    lines.collect()
}

/// Writes what each release would decide.
///
/// # Errors
///
/// What `out` returns.
pub fn write_preview_markdown(
    preview: &Preview,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = Page::new(&flowing(options));
    let text = |text: &str| inline(&page.clean(text));
    let rules = rules(preview).into_iter();
    let rules = rules.map(|(release, says)| format!("- **{release}** {}", text(&says)));
    let blocks = [
        title(
            &page.clean(&heading(preview)),
            &page.clean(&moment(preview, options)),
        ),
        table(page, &preview_table(preview)),
        rules.collect(),
        notes(preview)
            .iter()
            .map(|note| format!("- {}", text(note)))
            .collect(),
    ];
    write_blocks(&blocks, out)
}

/// Writes what an HPA would do under other specs.
///
/// # Errors
///
/// What `out` returns.
pub fn write_dry_run_markdown(
    dry_run: &DryRun,
    laid_out: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let options = flowing(laid_out);
    let page = Page::new(&options);
    let text = |text: &str| inline(&page.clean(text));
    let premises = premises(dry_run, &options).into_iter();
    let premises = premises.map(|(begins, it)| format!("{begins}{it}"));
    let mut blocks = vec![
        title(
            &page.clean(&dry_run_heading(dry_run)),
            &page.clean(&dry_run_moment(dry_run, &options)),
        ),
        premises.map(|it| text(&it)).collect(),
        sentences(dry_run, &options)
            .iter()
            .map(|it| format!("- {}", text(it)))
            .collect(),
        table(page, &dry_run_table(dry_run, &options)),
    ];
    if let Some(ahead) = ahead(dry_run, laid_out) {
        blocks.push(vec!["### Coming".to_owned()]);
        blocks.push(
            ahead
                .basis
                .iter()
                .map(|it| format!("- {}", text(it)))
                .collect(),
        );
        blocks.push(table(page, &ahead.score));
        blocks.extend(ahead.moments.as_ref().map(|it| table(page, it)));
        blocks.push(left_out(&ahead).into_iter().collect());
        if !ahead.charts.is_empty() {
            blocks.push(fenced("text", &ahead.charts));
        }
    }
    for group in groups(dry_run, &options) {
        blocks.push(vec![format!("### {}", group.title)]);
        let rows = group.rows.iter();
        let rows = rows.map(|(name, row)| format!("- **{}** {}", text(name), text(row)));
        blocks.push(rows.collect());
    }
    for side in &dry_run.candidates {
        blocks.extend(side.patch.iter().flat_map(|it| applied(page, it)));
        let create = side.create.iter();
        blocks.extend(create.map(|command| fenced("sh", &[page.clean(command)])));
    }
    write_blocks(&blocks, out)
}

/// Writes a simulation.
///
/// # Errors
///
/// What `out` returns.
pub fn write_simulation_markdown(
    simulation: &Simulation,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let charted = TextOptions {
        width: CHART,
        ..options.clone()
    };
    let options = flowing(options);
    let page = Page::new(&options);
    let text = |text: &str| inline(&page.clean(text));
    let mut blocks = vec![
        vec![format!(
            "## {}",
            simulation_heading(simulation)
                .map(|it| text(&it))
                .join(" · ")
        )],
        simulation
            .warnings
            .iter()
            .map(|it| text(&format!("Warning: {it}")))
            .collect(),
        simulation_sentences(simulation)
            .iter()
            .map(|it| format!("- {}", text(it)))
            .collect(),
        table(page, &simulation_table(simulation)),
    ];
    for (title, chart) in charts(simulation, &charted) {
        blocks.push(vec![format!("### {}", text(&title))]);
        blocks.push(fenced("text", &chart));
    }
    for run in &simulation.runs {
        let lines = listed_changes(page, run, options.verbosity);
        if !lines.is_empty() {
            blocks.push(vec![format!("### {}", text(&changes_title(run)))]);
            let lines = lines.iter().map(Line::text);
            blocks.push(fenced("text", &lines.collect::<Vec<_>>()));
        }
    }
    for run in &simulation.runs {
        let patch = run.patch.as_ref().filter(|it| it.command.is_some());
        let Some(patch) = patch else { continue };
        blocks.push(vec![format!("### Apply {}", text(&run.name))]);
        blocks.extend(applied(page, patch));
    }
    if let Some(search) = &simulation.search {
        let (front, scores) = simulation_front(search);
        blocks.push(vec![text(&searched(search))]);
        blocks.push(table(page, &scores));
        for (number, unbeaten) in front {
            let patch = unbeaten.patch.as_ref().filter(|it| it.command.is_some());
            let Some(patch) = patch else { continue };
            blocks.push(vec![format!("{}. {}", text(&number), text(&unbeaten.name))]);
            blocks.extend(applied(page, patch));
        }
    }
    let assumed = simulation.assumptions.join("; ");
    blocks.push(vec![
        format!("Assumed: {}.", text(&assumed)),
        String::new(),
        format!(
            "Simulated by the rules of Kubernetes v{}.",
            text(&simulation.release)
        ),
    ]);
    write_blocks(&blocks, out)
}

/// The command that applies a patch, and who writes over it.
fn applied(page: Page, patch: &MergePatch) -> Vec<Vec<String>> {
    let command = patch.command.iter();
    let command = command.map(|it| fenced("sh", &[page.clean(it)]));
    let overwritten = patch.overwritten.iter();
    command
        .chain(overwritten.map(|it| vec![inline(&page.clean(&caveat(it)))]))
        .collect()
}

/// Writes a list of HPAs.
///
/// # Errors
///
/// What `out` returns.
pub fn write_list_markdown(
    list: &SummaryList,
    columns: &ListOptions,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = Page::new(&flowing(options));
    let notes = list_footnotes(page, list, columns);
    let blocks = [table(page, &list_table(page, list, columns)), prose(&notes)];
    write_blocks(&blocks, out)
}

/// Writes what many HPAs would do under another release or other settings.
///
/// # Errors
///
/// What `out` returns.
pub fn write_comparison_markdown(
    comparison: &Comparison,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = Page::new(&flowing(options));
    let rows = match comparison.items.as_slice() {
        [] => Vec::new(),
        _ => table(page, &comparison_table(comparison, page, true)),
    };
    let notes = comparison_notes(comparison);
    let notes = notes
        .iter()
        .map(|note| format!("- {}", inline(&page.clean(note))));
    write_blocks(&[rows, notes.collect()], out)
}

/// Writes blocks with a blank line between them.
fn write_blocks(blocks: &[Vec<String>], out: &mut dyn Write) -> io::Result<()> {
    let blocks = blocks.iter().filter(|block| !block.is_empty());
    for (at, block) in blocks.enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        for line in block {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
