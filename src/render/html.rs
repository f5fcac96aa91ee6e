//! An answer as one page that needs nothing else: for a report, an incident, or a
//! phone. No script runs in it, and nothing is loaded: what opens, closes and
//! filters is HTML and CSS.

use std::io;
use std::io::Write;

use jiff::tz::TimeZone;

use super::block::{Block, Facts, Item, PassEntry, PassKind, Prose, Table, Wrap};
use super::chart::{Curve, LINES, chart};
use super::escape::escape_page;
use super::style::STYLE;
use super::{Printable, Renderer, TextOptions};
use crate::trace::Remedy;

/// What a page says in its first lines about who wrote it.
pub const PAGE_GENERATOR: &str = "kubectl-hpa-explain";

/// Nothing is loaded, and nothing runs.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

/// Where the page of all findings is read.
const FINDINGS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/findings.md");

/// What passes can be found by.
const KINDS: [(PassKind, &str); 3] = [
    (PassKind::Change, "with a change"),
    (PassKind::Finding, "with a warning or error"),
    (PassKind::Difference, "with a difference"),
];

/// More passes are not printed; the style sheet has the same number.
const MOST_PRINTED: usize = 200;

/// A page of its own.
pub(super) struct Html;

impl Renderer for Html {
    fn write(
        answer: &(impl Printable + ?Sized),
        options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let options = TextOptions {
            is_page: true,
            ..options.clone()
        };
        let blocks = answer.blocks(&options).0;
        let first = blocks.iter().find_map(|block| match block {
            Block::Title(title) => Some(title.parts.join(" · ")),
            Block::Prose(prose) => Some(prose.text.clone()),
            _ => None,
        });
        // Each of several HPAs has a title of its own.
        let several = match titles(&blocks) {
            0 | 1 => None,
            count => Some(format!("{count} HPAs")),
        };
        let title = escape_page(several.as_ref().or(first.as_ref()).map_or("", |it| it));
        writeln!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta name=\"generator\" content=\"{PAGE_GENERATOR}\">\n\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <title>{title}</title><style>{STYLE}</style></head><body><main>"
        )?;
        let mut writer = Writer {
            level: 1 + usize::from(several.is_some()),
            pages: 0,
            zone: options.zone,
            out,
        };
        if several.is_some() {
            writeln!(writer.out, "<h1>{title}</h1>")?;
        }
        writer.blocks(&blocks)?;
        writeln!(
            writer.out,
            "</main><footer><p class=\"faint\">By kubectl hpa-explain.</p></footer></body></html>"
        )
    }
}

fn titles(blocks: &[Block]) -> usize {
    let each = blocks.iter().map(|block| match block {
        Block::Title(_) => 1,
        Block::Beyond(blocks) => titles(blocks),
        _ => 0,
    });
    each.sum()
}

struct Writer<'o> {
    /// That of the heading that what is written stands under.
    level: usize,
    /// The passes that have been numbered.
    pages: usize,
    zone: TimeZone,
    out: &'o mut dyn Write,
}

impl Writer<'_> {
    fn blocks(&mut self, blocks: &[Block]) -> io::Result<()> {
        let shown = blocks
            .iter()
            .filter(|it| !matches!(it, Block::Gap | Block::Page(_)));
        let mut shown = shown.peekable();
        while let Some(block) = shown.next() {
            match block {
                Block::Gap | Block::Page(_) => {}
                Block::Curve(first) => {
                    let mut curves = vec![first];
                    let goes_on =
                        |it: &&Block| matches!(it, Block::Curve(it) if it.title == first.title);
                    while let Some(Block::Curve(next)) = shown.next_if(goes_on) {
                        curves.push(next);
                    }
                    self.charts(first, &curves)?;
                }
                Block::Timeline(it) => {
                    let curves: Vec<&Curve> = it.curves.iter().collect();
                    self.heading(&it.title)?;
                    let chart = chart(&curves, &it.marks, &it.shades, &self.zone);
                    write!(self.out, "{chart}")?;
                }
                Block::Passes(entries) => self.passes(entries)?,
                Block::Beyond(blocks) => self.blocks(blocks)?,
                Block::Title(title) => {
                    let (title, moment) = (title.parts.join(" · "), &title.moment);
                    let level = self.level;
                    writeln!(self.out, "<h{level}>{}</h{level}>", escape_page(&title))?;
                    writeln!(self.out, "<p class=\"faint\">{}</p>", escape_page(moment))?;
                }
                Block::Prose(prose) => {
                    let (begins, text) = (&prose.begins.1, marked(prose));
                    // A clause goes on behind what it begins with.
                    let begins = if begins.trim_end() == begins {
                        strong(begins).trim_end().to_owned()
                    } else {
                        strong(begins)
                    };
                    writeln!(self.out, "<p>{begins}{text}</p>")?;
                }
                Block::Facts(it) => self.facts(it)?,
                Block::Table(it) => self.table(it)?,
                Block::Command(it) => self.code(&it.to_string())?,
                Block::Rows(rows) => self.rows(rows)?,
            }
        }
        Ok(())
    }

    fn heading(&mut self, title: &str) -> io::Result<()> {
        let level = self.level + 1;
        writeln!(self.out, "<h{level}>{}</h{level}>", escape_page(title))
    }

    fn code(&mut self, text: &str) -> io::Result<()> {
        let lines: Vec<String> = text.lines().map(escape_page).collect();
        writeln!(self.out, "<pre>{}</pre>", lines.join("\n"))
    }

    fn facts(&mut self, facts: &Facts) -> io::Result<()> {
        if facts.items.is_empty() {
            return Ok(());
        }
        if !facts.title.is_empty() {
            self.heading(&facts.title)?;
        }
        self.list(&facts.items)
    }

    fn list(&mut self, items: &[Item]) -> io::Result<()> {
        writeln!(self.out, "<ul>")?;
        for item in items {
            let name = strong(&item.name);
            write!(self.out, "<li>{name}{}", escape_page(&item.says))?;
            if let Some(pass) = item.pass {
                write!(self.out, " <a href=\"#p{pass}\">The pass that shows it</a>")?;
            }
            let remedy = item.remedy.iter();
            for code in remedy.flat_map(Remedy::texts) {
                self.code(&code)?;
            }
            if !item.below.is_empty() {
                self.list(&item.below)?;
            }
            if let Some(code) = item.code {
                let code = escape_page(code);
                write!(
                    self.out,
                    "<p class=\"faint\">What it means: <code>kubectl hpa-explain explain {code}</code>, <a href=\"{FINDINGS}#{code}\">docs/findings.md#{code}</a></p>"
                )?;
            }
            writeln!(self.out, "</li>")?;
        }
        writeln!(self.out, "</ul>")
    }

    /// Paragraphs that a page of columns aligns, each behind what it is about.
    fn rows(&mut self, rows: &[Prose]) -> io::Result<()> {
        let mut is_open = false;
        for row in rows {
            let begins = row.begins.1.trim();
            if !is_open {
                writeln!(self.out, "<dl>")?;
            }
            if !begins.is_empty() || !is_open {
                write!(self.out, "<dt>{}</dt>", escape_page(begins))?;
            }
            is_open = true;
            let text = marked(row);
            match &row.wraps {
                Wrap::Command(_) => writeln!(self.out, "<dd><code>{text}</code></dd>")?,
                Wrap::Columns => writeln!(self.out, "<dd class=\"cols\">{text}</dd>")?,
                _ => writeln!(self.out, "<dd>{text}</dd>")?,
            }
        }
        if is_open {
            writeln!(self.out, "</dl>")?;
        }
        Ok(())
    }

    /// Curves of one title in one chart. More lines than can be told apart have a
    /// chart each, in one scale.
    fn charts(&mut self, first: &Curve, curves: &[&Curve]) -> io::Result<()> {
        let each = curves.len() > LINES;
        let groups: Vec<&[&Curve]> = if each {
            curves.chunks(1).collect()
        } else {
            vec![curves]
        };
        for group in groups {
            match group {
                [only] => self.heading(&only.heading())?,
                _ => self.heading(&first.title)?,
            }
            write!(self.out, "{}", chart(group, &[], &[], &self.zone))?;
        }
        Ok(())
    }

    /// A row of cells a line; on a narrow page each cell behind its column's title.
    fn table(&mut self, table: &Table) -> io::Result<()> {
        if table.rows.is_empty() {
            return Ok(());
        }
        write!(self.out, "<table><thead><tr>")?;
        for column in table.columns() {
            write!(
                self.out,
                "<th scope=\"col\"{}>{}</th>",
                number(column.is_number),
                escape_page(&column.title)
            )?;
        }
        writeln!(self.out, "</tr></thead><tbody>")?;
        for row in &table.rows {
            write!(self.out, "<tr>")?;
            for (at, cell) in row.cells.iter().enumerate() {
                let (title, text) = (escape_page(&cell.column.title), escape_page(&cell.text));
                let (tag, scope) = match at {
                    0 => ("th", " scope=\"row\""),
                    _ => ("td", ""),
                };
                let mark = if at == 0 && row.is_marked { "▶ " } else { "" };
                write!(
                    self.out,
                    "<{tag}{scope} data-title=\"{title}\"{}>{mark}{text}</{tag}>",
                    number(cell.column.is_number)
                )?;
            }
            writeln!(self.out, "</tr>")?;
            for note in &row.notes {
                let (begins, text) = (strong(&note.begins.1), escape_page(&note.text));
                let columns = row.cells.len();
                writeln!(
                    self.out,
                    "<tr class=\"note\"><td colspan=\"{columns}\">{begins}{text}</td></tr>"
                )?;
            }
        }
        writeln!(self.out, "</tbody></table>")
    }

    /// Passes in a row, each a line that opens.
    fn passes(&mut self, entries: &[PassEntry]) -> io::Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        self.heading("Passes")?;
        let found = KINDS.map(|(kind, label)| {
            let count = entries.iter().filter(|it| it.kinds.contains(&kind)).count();
            (kind.word(), label, count)
        });
        let found: Vec<_> = found.into_iter().filter(|it| it.2 > 0).collect();
        if !found.is_empty() {
            write!(
                self.out,
                "<fieldset class=\"filter\"><legend>Show entries</legend><label><input type=\"radio\" name=\"show\" checked> all</label>"
            )?;
            for (kind, label, count) in found {
                write!(
                    self.out,
                    " <label><input type=\"radio\" name=\"show\" id=\"{kind}\"> {label} ({count})</label>"
                )?;
            }
            writeln!(self.out, "</fieldset>")?;
        }
        // Of very many, those are printed that open to a table; the style sheet leaves out
        // the others.
        let has_table = |it: &&PassEntry| it.page.iter().any(|it| matches!(it, Block::Table(_)));
        let printed = entries.iter().filter(has_table).take(MOST_PRINTED).count();
        if entries.len() > MOST_PRINTED {
            let (left, all) = (entries.len() - printed, entries.len());
            let says = format!("On paper, {left} of these {all} entries are left out.");
            writeln!(self.out, "<p class=\"paper\">{says}</p>")?;
        }
        writeln!(self.out, "<ol class=\"passes\">")?;
        for entry in entries {
            let kinds: Vec<&str> = entry.kinds.iter().map(|it| it.word()).collect();
            let tags = kinds.iter();
            let tags = tags.map(|kind| format!(" <span class=\"tag\">{kind}</span>"));
            let (tags, kinds) = (tags.collect::<String>(), kinds.join(" "));
            let line = format!(
                "<span class=\"when\">{}</span> <span>{}{tags}</span>",
                escape_page(&entry.begins),
                escape_page(&entry.says)
            );
            if entry.page.is_empty() {
                writeln!(
                    self.out,
                    "<li class=\"{kinds}\"><div class=\"line\">{line}</div></li>"
                )?;
                continue;
            }
            self.pages += 1;
            writeln!(
                self.out,
                "<li class=\"{kinds}\"><details><summary class=\"line\">{line}</summary><div class=\"pass\" id=\"p{}\">",
                self.pages
            )?;
            self.level += 1;
            self.blocks(&entry.page)?;
            self.level -= 1;
            writeln!(self.out, "</div></details></li>")?;
        }
        writeln!(self.out, "</ol>")
    }
}

/// A text whose commands stand between backticks, as in Markdown, where it has any.
fn marked(prose: &Prose) -> String {
    let escaped = escape_page(&prose.text);
    if !prose.marks_commands {
        return escaped;
    }
    let parts: Vec<&str> = escaped.split('`').collect();
    let each = parts.iter().enumerate();
    let each = each.map(|(at, part)| match at % 2 {
        0 => (*part).to_owned(),
        _ => format!("<code>{part}</code>"),
    });
    each.collect()
}

/// The class of a cell with a number.
fn number(is_number: bool) -> &'static str {
    if is_number { " class=\"n\"" } else { "" }
}

/// What a text begins with, if it stands out.
fn strong(text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("<strong>{}</strong> ", escape_page(text)),
    }
}
