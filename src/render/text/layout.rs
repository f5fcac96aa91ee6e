//! Blocks on a page of a width.

use std::io::{self, Write};

use super::TextOptions;
use super::page::{Line, Page, Tone, stand_out, toned};
use crate::render::block::{Block, Facts, Item, Prose, Title, Wrap};
use crate::render::chart::Curve;
use crate::render::escape::display_width;
use crate::render::{Printable, Renderer};
use crate::trace::{Remedy, ShellCommand};

/// The least that is left of the name of what a sentence is about.
const NAME: usize = 10;

/// For somebody at a terminal.
pub(in crate::render) struct Text;

impl Renderer for Text {
    fn write(
        answer: &(impl Printable + ?Sized),
        options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let page = Page::new(options);
        page.write(&laid_out(page, &answer.blocks(options).0), out)
    }
}

fn laid_out(page: Page, blocks: &[Block]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut is_apart = false;
    for block in blocks {
        let new = block.lines(page);
        if matches!(block, Block::Gap) {
            is_apart = !lines.is_empty();
        } else if !new.is_empty() {
            if std::mem::take(&mut is_apart) {
                lines.push(Line::default());
            }
            lines.extend(new);
        }
    }
    lines
}

impl Block<'_> {
    pub(in crate::render) fn lines(&self, page: Page) -> Vec<Line> {
        match self {
            Self::Gap | Self::Beyond(_) | Self::Timeline(_) | Self::Passes(_) => Vec::new(),
            Self::Title(title) => title.lines(page),
            Self::Prose(prose) => prose.lines(page),
            Self::Facts(facts) => facts.lines(page),
            Self::Table(table) => table.lines(page),
            Self::Curve(curve) => curve.lines(page),
            Self::Command(command) => command_lines(page, "  ", command),
            Self::Rows(rows) => rows.iter().flat_map(|it| it.lines(page)).collect(),
            Self::Page(blocks) => laid_out(page, blocks),
        }
    }
}

impl Prose {
    pub(super) fn lines(&self, page: Page) -> Vec<Line> {
        let (tone, begins) = &self.begins;
        let lines = match &self.wraps {
            Wrap::Flows | Wrap::Columns => page.paragraph("", &format!("{begins}{}", self.text)),
            Wrap::Hangs => page.paragraph(begins, &self.text),
            Wrap::Command(command) => page.command(begins, command),
            Wrap::Comment => {
                let lines = page.paragraph(&format!("{begins}  "), &self.text);
                let lines = lines.iter().map(|line| {
                    let line = line.text();
                    let (begins, says) = line.split_at_checked(begins.len()).unwrap_or_default();
                    page.line(&format!("{begins}# {}", says.trim_start()))
                });
                lines.collect()
            }
        };
        let mut lines = toned(self.tone, lines);
        if let Some(first) = lines.first_mut().filter(|_| *tone != Tone::Plain) {
            stand_out(first, *tone, page.clean(begins).len());
        }
        lines
    }
}

impl Facts {
    fn lines(&self, page: Page) -> Vec<Line> {
        // A name is shortened only where it does not fit beside the longest of
        // the sentences, or a third of the page.
        let longest = self.items.iter().map(|it| display_width(&it.says)).max();
        let left = page
            .width
            .saturating_sub(longest.unwrap_or_default() + 4 + self.lead);
        let room = (page.width / 3).max(NAME).max(left);
        let names = self.items.iter().map(|it| page.name(&it.name, room));
        let names: Vec<String> = names.collect();
        let width = names.iter().map(|name| display_width(name)).max();
        let width = width.unwrap_or_default();
        let gap = if width > 0 { "  " } else { "" };
        let mut lines = Vec::new();
        let mut last = "";
        for (item, name) in self.items.iter().zip(&names) {
            let title = match (lines.as_slice(), self.lead) {
                (_, 0) if self.title.is_empty() => String::new(),
                ([], 0) => {
                    lines.extend(page.paragraph("", &self.title));
                    "  ".to_owned()
                }
                (_, 0) => "  ".to_owned(),
                ([], lead) => format!("{:<lead$}", self.title),
                (_, lead) => " ".repeat(lead),
            };
            let own = if item.name == last { "" } else { name };
            let blanks = " ".repeat(width.saturating_sub(display_width(own)));
            let lead = format!("{title}{own}{blanks}{gap}");
            lines.extend(item.lines(page, &lead, &" ".repeat(self.lead)));
            last = &item.name;
        }
        lines
    }
}

impl Title {
    fn lines(&self, page: Page) -> Vec<Line> {
        if self.shortens {
            return self.shortened(page);
        }
        let text = page.clean(&self.parts.join("  "));
        let used = display_width(&text) + 2 + display_width(&self.moment);
        if used <= page.width {
            let gap = " ".repeat(page.width + 2 - used);
            let right = (Tone::Plain, format!("{gap}{}", self.moment));
            return vec![Line(vec![(Tone::Strong, text), right])];
        }
        // One that takes its line for itself leaves the right end for the next.
        let mut lines = toned(Tone::Strong, page.paragraph("", &text));
        lines.extend(page.paragraph("", &self.moment));
        lines
    }

    /// In a line, or in two.
    fn shortened(&self, page: Page) -> Vec<Line> {
        let [hpa, target, answer] = self.parts.each_ref().map(|part| page.clean(part));
        let names = format!("{hpa}  {target}");
        let moment = page.clean(&self.moment);
        let used = display_width(&names) + display_width(&answer) + display_width(&moment) + 4;
        let (mut lines, rest) = if used <= page.width {
            (Vec::new(), format!("{names}  {answer}"))
        } else {
            // Names that leave no room for the rest get a line of their own.
            let names = pair(page, &hpa, &target, page.width.saturating_sub(2));
            (vec![page.line(&names)], answer)
        };
        let used = display_width(&rest) + display_width(&moment);
        if used + 2 > page.width {
            lines.extend(page.paragraph("", &rest));
            lines.extend(page.paragraph("", &moment));
        } else {
            let gap = " ".repeat(page.width - used);
            lines.push(page.line(&format!("{rest}{gap}{moment}")));
        }
        toned(Tone::Strong, lines)
    }
}

/// Both names within so many columns; the shorter one keeps its length if it
/// can.
fn pair(page: Page, hpa: &str, target: &str, room: usize) -> String {
    let half = room / 2;
    let (one, other) = (display_width(hpa), display_width(target));
    let (first, second) = match (one <= half, other <= half) {
        (true, false) => (one, room - one),
        (false, true) => (room - other, other),
        _ => (half, room - half),
    };
    format!("{}  {}", page.name(hpa, first), page.name(target, second))
}

impl Item {
    fn lines(&self, page: Page, lead: &str, indent: &str) -> Vec<Line> {
        let mut lines = page.paragraph(lead, &self.says);
        let indent = format!("{indent}  ");
        let below = self.below.iter();
        let below = below.flat_map(|item| toned(Tone::Faint, item.lines(page, &indent, &indent)));
        lines.extend(below);
        let remedy = self.remedy.iter();
        lines.extend(remedy.flat_map(|it| remedy_lines(page, &indent, it)));
        lines
    }
}

impl Curve<'_> {
    /// The chart below its title.
    fn lines(&self, page: Page) -> Vec<Line> {
        let chart = self.drawn(page).into_iter();
        let chart = chart.map(|line| page.line(&format!("  {line}")));
        let heading = page.paragraph("", &self.heading()).into_iter();
        heading.chain(chart).collect()
    }
}

/// A command in as many lines as it takes. One that cannot be shown is told of,
/// never cut and never left out without a word.
fn command_lines(page: Page, indent: &str, command: &ShellCommand) -> Vec<Line> {
    let lines = page.command(indent, command);
    if lines.is_empty() {
        return page.paragraph(indent, UNTYPEABLE);
    }
    lines
}

/// Stands for a command that nobody could type.
const UNTYPEABLE: &str = "(-o json has the command)";

/// Where a patch begins on a page that is too narrow for more.
const NARROW: &str = "  ";

/// The command of a remedy and the lines of its patch, behind an indent.
pub(super) fn remedy_lines(page: Page, indent: &str, remedy: &Remedy) -> Vec<Line> {
    let commands = remedy.command.iter();
    let mut lines: Vec<Line> = commands
        .flat_map(|command| command_lines(page, indent, command))
        .collect();
    let patches = remedy.patch.iter();
    lines.extend(patches.flat_map(|patch| patch_lines(page, indent, patch)));
    lines
}

/// The lines of a patch, further to the left on a narrow page. One may be longer than
/// a line: a patch that is cut says something else.
fn patch_lines(page: Page, indent: &str, patch: &str) -> Vec<Line> {
    let fits = |lead: &&str| {
        let mut lines = patch.lines();
        lines.all(|line| display_width(lead) + display_width(line) <= page.width)
    };
    let lead = Some(indent).filter(fits).unwrap_or(NARROW);
    let lines = patch.lines();
    let lines = lines.map(|line| Line::plain(page.clean(&format!("{lead}{line}"))));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(width: usize) -> Page {
        Page::new(&TextOptions {
            width,
            ..TextOptions::default()
        })
    }

    #[test]
    fn a_command_is_what_a_shell_reads_back() {
        let patch = r#"{"spec":{"behavior":{"scaleDown":{"stabilizationWindowSeconds":60}}}}"#;
        let long = "checkout-service-api-with-a-rather-long-name";
        let mut whole = 0;
        for name in ["web", long] {
            let command = ShellCommand::new("kubectl patch hpa").word(name);
            let command = command.namespace("production-eu").and("--type=merge -p");
            let command = command.json(patch);
            for width in 20..160 {
                let lines = command_lines(page(width), "  ", &command);
                let texts: Vec<String> = lines.iter().map(Line::text).collect();
                // As a shell and a JSON parser read it.
                let read = texts
                    .join("\n")
                    .replace(" \\\n    ", " ")
                    .replace("\n    ", "");
                assert_eq!(read.trim(), command.to_string(), "{width} columns");
                whole += 1;
            }
        }
        assert_eq!(whole, 280);
    }

    #[test]
    fn a_title_goes_on_below() {
        let title = "Known recommendations of the last 5m: always 3";
        let facts = Facts::titled(title, 0, vec![Item::of("more".to_owned())]);
        let blocks = [Block::Prose(Prose::line(title)), Block::Facts(facts)];
        let lines = laid_out(page(40), &blocks);
        let lines: Vec<String> = lines.iter().map(Line::text).collect();
        let wrapped = "Known recommendations of the last 5m:\nalways 3";
        assert_eq!(lines.join("\n"), format!("{wrapped}\n{wrapped}\n  more"));
    }

    #[test]
    fn nothing_that_helps_vanishes() {
        let get = || ShellCommand::new("kubectl get");
        let rows = [
            (Some(get().and("hpa web")), None, "  kubectl get hpa web"),
            (
                Some(get().and("hpa web -n shop -o yaml --watch")),
                None,
                "  kubectl get hpa web -n shop -o yaml \\\n    --watch",
            ),
            (
                Some(get().word(&"x".repeat(40))),
                None,
                "  kubectl get \\\n    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            ),
            (
                Some(get().word("\u{202e}")),
                None,
                "  (-o json has the command)",
            ),
            (
                None,
                Some("spec:\n  maxReplicas: 5"),
                "  spec:\n    maxReplicas: 5",
            ),
            (
                None,
                Some("spec:\n  behavior:\n    scaleDown:\n      stabilizationWindowSeconds: 36000"),
                "  spec:\n    behavior:\n      scaleDown:\n        stabilizationWindowSeconds: 36000",
            ),
            (None, None, ""),
        ];
        for (command, patch, shown) in rows {
            let remedy = Remedy {
                says: "helps".to_owned(),
                command,
                patch: patch.map(str::to_owned),
                looks: false,
            };
            let lines = remedy_lines(page(40), "  ", &remedy);
            let lines: Vec<String> = lines.iter().map(Line::text).collect();
            assert_eq!(lines.join("\n"), shown, "{remedy:?}");
        }
    }
}
