//! A simulation as one page that needs nothing else: for a report, an
//! incident, or a phone.

mod svg;

use std::io::{self, Write};

use crate::render::escape::escape;
use crate::render::text::{
    ShownChange, Table, changes, changes_title, searched, simulation_front, simulation_heading,
    simulation_sentences, simulation_table,
};
use crate::trace::{SimulatedRun, Simulation};

use svg::{LINES, Plot, Series};

/// How the page looks: readable at a phone's width, in the light and the dark.
const STYLE: &str = "\
:root{color-scheme:light dark;--fg:#1b1b1f;--bg:#fff;--faint:#63636e;--line:#d9d9e0}
@media(prefers-color-scheme:dark){:root{--fg:#e8e8ee;--bg:#16161a;--faint:#9a9aa6;--line:#3a3a44}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.25rem}h2{font-size:1rem;margin:1.5rem 0 .25rem}
ul{padding-left:1.25rem}p,li{overflow-wrap:anywhere}.faint,figure{color:var(--faint);font-size:.875rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.25rem 1rem .25rem 0;text-align:right;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}
@media(max-width:44rem){tr:first-child{display:none}tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}
td{display:flex;gap:1.5rem;justify-content:space-between;border:0;padding:0}td::before{content:attr(data-title);color:var(--faint)}td:first-child{font-weight:bold}}
figure{margin:0;display:grid;grid-template-columns:auto minmax(0,1fr);gap:.25rem .5rem}figure>svg{width:100%;height:11rem;display:block;border:1px solid var(--line);border-width:0 0 1px 1px}
.axis{display:flex;flex-direction:column;justify-content:space-between;text-align:right;line-height:1}
figcaption,.legend{grid-column:2}figcaption{display:flex;justify-content:space-between}.legend{overflow-wrap:anywhere}
path{vector-effect:non-scaling-stroke}.area{fill:#7aa2f7;opacity:.45}.run{fill:none;stroke-width:2}
.key{display:inline-block;width:2.5rem;height:.5rem}
.r0{stroke:#3b6fd4}.r1{stroke:#d4703b;stroke-dasharray:7 3}.r2{stroke:#2a9d74;stroke-dasharray:2 3}.r3{stroke:#b05fc9;stroke-dasharray:9 3 2 3}
.r4{stroke:#b8860b;stroke-width:3.5}.r5{stroke:#2f9fc4;stroke-dasharray:14 4;stroke-width:3.5}.r6{stroke:#d1495b;stroke-dasharray:3 5;stroke-width:3.5}.r7{stroke:#7d7d88;stroke-dasharray:14 3 3 3 3 3;stroke-width:3.5}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);padding:.5rem}";

/// Changes that are listed of each run.
const MOST_CHANGES: usize = 12;

/// Writes a simulation as a page of its own.
///
/// # Errors
///
/// What `out` returns.
pub fn write_simulation_html(simulation: &Simulation, out: &mut dyn Write) -> io::Result<()> {
    let title = clean(&simulation_heading(simulation).join(" · "));
    writeln!(out, "<!DOCTYPE html>")?;
    writeln!(out, "<html lang=\"en\"><head><meta charset=\"utf-8\">")?;
    writeln!(
        out,
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
    )?;
    writeln!(
        out,
        "<title>{title}</title><style>{STYLE}</style></head><body>"
    )?;
    writeln!(out, "<h1>{title}</h1>")?;
    for warning in &simulation.warnings {
        writeln!(out, "<p><strong>Warning:</strong> {}</p>", clean(warning))?;
    }
    writeln!(out, "<ul>")?;
    for sentence in simulation_sentences(simulation) {
        writeln!(out, "<li>{}</li>", clean(&sentence))?;
    }
    writeln!(out, "</ul>")?;
    table(&simulation_table(simulation), out)?;
    plots(simulation, out)?;
    for run in &simulation.runs {
        changes_of(run, out)?;
    }
    for run in &simulation.runs {
        if let Some(command) = run.patch.as_ref().and_then(|it| it.command.as_ref()) {
            writeln!(out, "<h2>Apply {}</h2>", clean(&run.name))?;
            writeln!(out, "<pre>{}</pre>", clean(command))?;
        }
    }
    front(simulation, out)?;
    let assumed = clean(&simulation.assumptions.join("; "));
    writeln!(out, "<p class=\"faint\">Assumed: {assumed}.</p>")?;
    let release = clean(&simulation.release);
    writeln!(
        out,
        "<p class=\"faint\">Simulated by the rules of Kubernetes v{release}, by kubectl hpa-explain.</p>"
    )?;
    writeln!(out, "</body></html>")
}

/// The load, and the size under each spec.
fn plots(simulation: &Simulation, out: &mut dyn Write) -> io::Result<()> {
    if let Some(run) = simulation.runs.first() {
        let demand = run.steps.iter().map(|it| (it.second, it.demand));
        let demand: Vec<(i64, i64)> = demand.collect();
        let plot = Plot {
            seconds: simulation.seconds,
            series: vec![Series::new("", &demand)],
            is_area: true,
            reach: 0,
        };
        writeln!(out, "<h2>Load, {}</h2>", clean(&simulation.metric_label))?;
        plot.write(&|milli| clean(&simulation.amount(milli)), out)?;
    }
    let drawn = simulation.runs.iter().enumerate().map(|(at, run)| {
        let mut before = simulation.runs.iter().take(at);
        let same = before.find(|other| sizes(other).eq(sizes(run)));
        let name = match same {
            Some(same) => format!("{} (the same sizes as {})", run.name, same.name),
            None => run.name.clone(),
        };
        Series::new(&clean(&name), &sizes(run).collect::<Vec<_>>())
    });
    let drawn: Vec<Series> = drawn.collect();
    let most = drawn
        .iter()
        .filter_map(Series::most)
        .max()
        .unwrap_or_default();
    // More lines than can be told apart have a chart each, in one scale.
    let charts: Vec<(String, Vec<Series>)> = if drawn.len() > LINES {
        let named = drawn.into_iter();
        named
            .map(|it| (format!("Replicas, {}", it.name()), vec![it]))
            .collect()
    } else {
        vec![("Replicas".to_owned(), drawn)]
    };
    for (title, series) in charts {
        let plot = Plot {
            seconds: simulation.seconds,
            series,
            is_area: false,
            reach: most,
        };
        writeln!(out, "<h2>{title}</h2>")?;
        plot.write(&|count| count.to_string(), out)?;
    }
    Ok(())
}

/// The size of each pass.
fn sizes(run: &SimulatedRun) -> impl Iterator<Item = (i64, i64)> {
    let steps = run.steps.iter();
    steps.map(|it| (it.second, i64::from(it.desired_replicas)))
}

/// When the size changes, and what holds it.
fn changes_of(run: &SimulatedRun, out: &mut dyn Write) -> io::Result<()> {
    let (listed, more) = changes(run, MOST_CHANGES);
    if listed.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>{}</h2><ul>", clean(&changes_title(run)))?;
    for ShownChange { at, sizes, held } in &listed {
        let comma = if held.is_empty() { "" } else { ", " };
        writeln!(out, "<li>{at}: {sizes}{comma}{}</li>", clean(held))?;
    }
    if more > 0 {
        writeln!(out, "<li>and {more} more</li>")?;
    }
    writeln!(out, "</ul>")
}

fn front(simulation: &Simulation, out: &mut dyn Write) -> io::Result<()> {
    let Some(search) = &simulation.search else {
        return Ok(());
    };
    let (rows, scores) = simulation_front(search);
    writeln!(out, "<h2>Searched</h2><p>{}</p>", clean(&searched(search)))?;
    table(&scores, out)?;
    for (number, unbeaten) in rows {
        let Some(patch) = &unbeaten.patch else {
            continue;
        };
        writeln!(out, "<p>{}. {}</p>", clean(&number), clean(&unbeaten.name))?;
        if let Some(command) = &patch.command {
            writeln!(out, "<pre>{}</pre>", clean(command))?;
        }
    }
    Ok(())
}

fn table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<table><tr>")?;
    for column in &table.columns {
        write!(out, "<th>{}</th>", clean(&column.title))?;
    }
    writeln!(out, "</tr>")?;
    for row in &table.rows {
        write!(out, "<tr>")?;
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            let title = clean(&column.title);
            write!(out, "<td data-title=\"{title}\">{}</td>", clean(cell))?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</table>")
}

/// A text that is nothing but text in a page: harmless for a terminal that
/// shows the source, and for a browser.
fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for character in escape(text).chars() {
        match character {
            '&' => clean.push_str("&amp;"),
            '<' => clean.push_str("&lt;"),
            '>' => clean.push_str("&gt;"),
            '"' => clean.push_str("&quot;"),
            '\'' => clean.push_str("&#39;"),
            other => clean.push(other),
        }
    }
    clean
}
