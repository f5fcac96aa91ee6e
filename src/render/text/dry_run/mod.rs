//! What an HPA would do under other specs: the answer first, then both sides
//! in a table, what would change the size next, and what the change is.

mod answer;
mod changed;
pub(in crate::render) mod coming;
mod groups;
mod next;
mod table;

use std::io::{self, Write};

use crate::render::escape::display_width;
use crate::trace::{DryRun, MergePatch, Side, Trace};

use super::TextOptions;
use super::header::given;
use super::page::{Line, Page, Tone};
use super::patch::command_lines;
use super::words::View;

use answer::decision;
use coming::Ahead;

pub(in crate::render) use answer::sentences;
pub(in crate::render) use groups::{Section, groups};
pub(in crate::render) use table::table;

/// The most columns for the name of a side.
const NAME: usize = 24;
/// What begins a line of what was given.
const WHAT_IF: &str = "What-if: ";
/// The columns for what a line is about.
const LEAD: usize = 10;

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
    let premises = premises(dry_run, options);
    lines.extend(premises.iter().flat_map(|it| premise_lines(page, it)));
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
    lines.extend(ahead.score.whole_lines(page));
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

/// What is altered for every side, of the controller and of the inputs, and
/// what weakens the answer: each with what it begins with.
pub(in crate::render) fn premises(
    dry_run: &DryRun,
    options: &TextOptions,
) -> Vec<(&'static str, String)> {
    let given = first(dry_run).and_then(|side| given(view(&side.trace, options)));
    let altered = &dry_run.premises;
    let altered = (!altered.is_empty()).then(|| format!("{}, for every side", altered.join(", ")));
    let what_if = given.into_iter().chain(altered);
    let warnings = dry_run.warnings.iter().cloned();
    what_if
        .map(|it| (WHAT_IF, it))
        .chain(warnings.map(|it| ("Warning: ", it)))
        .collect()
}

fn premise_lines(page: Page, (begins, text): &(&'static str, String)) -> Vec<Line> {
    let mut lines = page.paragraph(begins, text);
    for line in lines.iter_mut().filter(|_| *begins == WHAT_IF) {
        line.rest.0 = Tone::Warn;
    }
    lines
}

/// The moment that it is about, with its day.
pub(in crate::render) fn moment(dry_run: &DryRun, options: &TextOptions) -> String {
    let zoned = dry_run.at.to_zoned(options.zone.clone());
    zoned.strftime("%Y-%m-%d %H:%M:%S %Z").to_string()
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
    }
}

pub(super) fn sides(dry_run: &DryRun) -> impl Iterator<Item = &Side> {
    let current = dry_run.current.as_deref().into_iter();
    current.chain(&dry_run.candidates)
}

fn group_lines(page: Page, group: &Section) -> Vec<Line> {
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
