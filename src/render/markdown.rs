//! Documents as Markdown, for a pull request or an incident: sentences flow,
//! tables are GitHub's, and what a page aligns by blanks stands between fences
//! as it is.

use std::io::{self, Write};

use super::block::{Block, Facts, Item, Prose, Table};
use super::text::{Line, Page, Tone};
use super::{Printable, Renderer, TextOptions};
use crate::trace::{Remedy, ShellCommand};

/// For a pull request or an incident.
pub(super) struct Markdown;

impl Renderer for Markdown {
    fn write(
        answer: &(impl Printable + ?Sized),
        options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut parts = Vec::new();
        add(Page::new(options), &answer.blocks(options).0, &mut parts);
        let parts = parts.into_iter().map(|part| match part {
            Part::Aligned(lines) => fenced("text", &lines),
            Part::Prose(lines) | Part::Whole(lines) => lines,
        });
        let parts = parts.filter(|lines| !lines.is_empty());
        for (at, lines) in parts.enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            for line in lines {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }
}

/// What stands between two blank lines.
enum Part {
    /// Paragraphs, of which more may follow.
    Prose(Vec<String>),
    /// What goes between fences, and may go on.
    Aligned(Vec<String>),
    Whole(Vec<String>),
}

fn add(page: Page, blocks: &[Block], parts: &mut Vec<Part>) {
    for block in blocks {
        match block {
            Block::Gap => parts.push(Part::Whole(Vec::new())),
            Block::Page(_) | Block::Timeline(_) | Block::Passes(_) => {}
            Block::Beyond(blocks) => add(page, blocks, parts),
            Block::Title(title) => {
                let heading = text(page, &title.parts.join("  "));
                parts.push(Part::Whole(vec![format!("## {heading}")]));
                parts.push(Part::Whole(vec![text(page, &title.moment)]));
            }
            Block::Prose(it) => match parts.last_mut() {
                Some(Part::Prose(lines)) => lines.push(prose(page, it)),
                _ => parts.push(Part::Prose(vec![prose(page, it)])),
            },
            Block::Rows(_) => {
                let aligned = block.lines(page);
                let aligned = aligned.iter().map(Line::text);
                match parts.last_mut() {
                    Some(Part::Aligned(lines)) => lines.extend(aligned),
                    _ if aligned.len() == 0 => {}
                    _ => parts.push(Part::Aligned(aligned.collect())),
                }
            }
            Block::Facts(facts) => parts.extend(self::facts(page, facts).map(Part::Whole)),
            Block::Table(it) => parts.extend(table(page, it).map(Part::Whole)),
            Block::Curve(curve) => {
                parts.push(Part::Whole(heading(page, &curve.heading())));
                parts.push(Part::Whole(fenced("text", &curve.drawn(page))));
            }
            Block::Command(it) => {
                parts.push(Part::Whole(fenced("sh", &[page.clean(&it.to_string())])));
            }
        }
    }
}

fn text(page: Page, text: &str) -> String {
    inline(&page.clean(text))
}

fn heading(page: Page, title: &str) -> Vec<String> {
    match title {
        "" => Vec::new(),
        title => vec![format!("### {}", text(page, title))],
    }
}

/// What stands out of a text stands out here, too.
fn prose(page: Page, prose: &Prose) -> String {
    let (tone, begins) = &prose.begins;
    let (begins, rest) = (text(page, begins.trim_start()), text(page, &prose.text));
    match tone {
        Tone::Plain => format!("{begins}{rest}"),
        _ => format!("**{begins}**{rest}"),
    }
}

fn facts(page: Page, facts: &Facts) -> impl Iterator<Item = Vec<String>> {
    let lines = facts.items.iter().flat_map(|it| item(page, it)).collect();
    let title = match facts.items.as_slice() {
        [] => Vec::new(),
        _ => heading(page, &facts.title),
    };
    [title, lines].into_iter()
}

/// A sentence with what belongs to it below.
fn item(page: Page, item: &Item) -> Vec<String> {
    let name = match item.name.trim_start() {
        "" => String::new(),
        name => format!("**{}** ", text(page, name)),
    };
    let code = item.remedy.iter().flat_map(|it| code(page, it));
    let below = item.below.iter().flat_map(|it| self::item(page, it));
    let below = code.chain(below).map(|line| format!("  {line}"));
    std::iter::once(format!("- {name}{}", text(page, &item.says)))
        .chain(below)
        .collect()
}

/// What to run, or to change, as code.
fn code(page: Page, remedy: &Remedy) -> Vec<String> {
    let command = remedy.command.as_ref().map(ShellCommand::to_string);
    let parts = [("sh", command.as_ref()), ("yaml", remedy.patch.as_ref())];
    let code = parts.into_iter().filter_map(|(language, text)| {
        let lines = text?.lines().map(|line| page.clean(line));
        Some(fenced(language, &lines.collect::<Vec<_>>()))
    });
    code.flatten().collect()
}

/// A table as GitHub's Markdown has them, and what is remarked of its rows.
/// Where a row decides, a first column marks it.
fn table(page: Page, table: &Table) -> impl Iterator<Item = Vec<String>> {
    let has_marks = table.rows.iter().any(|row| row.is_marked);
    let line = |mark: &str, cells: &mut dyn Iterator<Item = String>| {
        let mark = has_marks.then(|| mark.to_owned());
        let cells: Vec<String> = mark.into_iter().chain(cells).collect();
        format!("| {} |", cells.join(" | "))
    };
    let mut titles = table.columns().map(|it| text(page, &it.title));
    let rules = table.columns();
    let mut rules = rules.map(|it| if it.is_number { "--:" } else { "---" }.to_owned());
    let mut lines = vec![line("", &mut titles), line("---", &mut rules)];
    let mut remarks = Vec::new();
    for row in &table.rows {
        let mark = if row.is_marked { "▶" } else { "" };
        let mut cells = row.cells.iter().map(|cell| text(page, &cell.text));
        lines.push(line(&page.clean(mark), &mut cells));
        let first = row.cells.first().map_or("", |cell| &cell.text);
        let notes = row.notes.iter();
        remarks.extend(notes.map(|it| format!("- {}: {}", text(page, first), prose(page, it))));
    }
    [lines, remarks].into_iter()
}

/// A text inside a paragraph, a heading or a cell of a table that must not act
/// as GitHub reads it: no markup, no HTML, no link, no picture, no mention of a
/// person or an issue. What would act in a terminal is made harmless before.
fn inline(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' => {
                safe.push('\\');
                safe.push(character);
            }
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            // An escape does not keep these from being looked up; code does.
            '@' | '#' | '$' => {
                safe.push('`');
                safe.push(character);
                safe.push('`');
            }
            // The colon of `https://`.
            ':' if rest.peek() == Some(&'/') => safe.push_str("\\:"),
            // The dot of `www.`.
            '.' if safe.ends_with("www") || safe.ends_with("WWW") => safe.push_str("\\."),
            _ => safe.push(character),
        }
    }
    safe
}

/// Lines as they are, between fences that none of them can close.
fn fenced(language: &str, lines: &[String]) -> Vec<String> {
    let longest = lines.iter().map(|line| longest_run(line)).max();
    let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
    let mut fenced = vec![format!("{fence}{language}")];
    fenced.extend(lines.iter().cloned());
    fenced.push(fence);
    fenced
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|character| character != '`');
    runs.map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{fenced, inline};

    #[test]
    fn nothing_acts() {
        let rows = [
            ("web-7c9d4f is at 60%.", "web-7c9d4f is at 60%."),
            ("a|b", r"a\|b"),
            (
                "`rm` **now** _or_ ~later~",
                r"\`rm\` \*\*now\*\* \_or\_ \~later\~",
            ),
            ("<img src=x>&lt;", "&lt;img src=x&gt;&amp;lt;"),
            ("[me](http://x) ![p](//y)", r"\[me\](http\://x) !\[p\](//y)"),
            ("www.example.com", r"www\.example.com"),
            ("@team, see #12", "`@`team, see `#`12"),
            (r"C:\x", r"C:\\x"),
        ];
        for (text, safe) in rows {
            assert_eq!(inline(text), safe);
        }
    }

    #[test]
    fn no_line_closes_its_fence() {
        let lines = |lines: &[&str]| {
            lines
                .iter()
                .map(|line| (*line).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            fenced("text", &lines(&["a"])),
            lines(&["```text", "a", "```"])
        );
        let fences = fenced("", &lines(&["```", "x ````` y"]));
        assert_eq!(fences.first().map(String::as_str), Some("``````"));
    }
}
