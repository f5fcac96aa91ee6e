//! Whether HPAs flap or are stuck: of one a page, of several a table with
//! those of which something is to be said.

mod answer;
mod page;
mod table;
mod told;
mod tried;
mod words;

use std::io::{self, Write};

use crate::trace::{FlapState, Flaps};

use super::TextOptions;
use super::page::{Line, Page};

pub(in crate::render) use page::{blocks, heading, moment};
pub(in crate::render) use table::{problems, summary, table};
pub(in crate::render) use told::sizes;

/// Writes what is known of the flapping of one HPA, or of several.
///
/// # Errors
///
/// What `out` returns.
pub fn write_flaps(items: &[Flaps], options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let page = Page::new(options);
    let lines = match items {
        [only] => page::lines(page, only, options),
        several => together(page, several, options),
    };
    page.write(&lines, out)
}

/// The summary, the table, and with `-v` a page each.
fn together(page: Page, items: &[Flaps], options: &TextOptions) -> Vec<Line> {
    let mut lines = page.paragraph("", &summary(items));
    if problems(items).next().is_some() {
        lines.push(Line::blank());
        lines.extend(table(items).lines(page));
        lines.push(Line::blank());
        lines.extend(page.paragraph("", table::HINT));
    }
    if options.verbosity == 0 {
        return lines;
    }
    for flaps in items.iter().filter(|it| it.state != FlapState::Calm) {
        lines.push(Line::blank());
        lines.extend(page::lines(page, flaps, options));
    }
    lines
}
