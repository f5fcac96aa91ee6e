//! What is known of flapping, as Markdown.

use std::io::{self, Write};

use crate::render::text::{
    Page, TextOptions, flap_blocks, flap_heading, flap_moment, flap_sizes, flap_summary,
    flap_table, problems,
};
use crate::trace::Flaps;

use super::escape::inline;
use super::findings::code;
use super::table::table;
use super::{flowing, title, write_blocks};

/// Writes what is known of the flapping of one HPA, or of several.
///
/// # Errors
///
/// What `out` returns.
pub fn write_flaps_markdown(
    items: &[Flaps],
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let options = flowing(options);
    let page = Page::new(&options);
    let mut blocks = Vec::new();
    if let [only] = items {
        blocks.extend(of_one(page, only, &options));
    } else {
        blocks.push(vec![inline(&flap_summary(items))]);
        if problems(items).next().is_some() {
            blocks.push(table(page, &flap_table(items)));
        }
        for flaps in problems(items) {
            blocks.extend(of_one(page, flaps, &options));
        }
    }
    write_blocks(&blocks, out)
}

fn of_one(page: Page, flaps: &Flaps, options: &TextOptions) -> Vec<Vec<String>> {
    let text = |text: &str| inline(&page.clean(text));
    let heading = page.clean(&flap_heading(flaps));
    let mut blocks = vec![title(&heading, &page.clean(&flap_moment(flaps, options)))];
    for block in flap_blocks(flaps, options) {
        if block.title.is_empty() {
            blocks.push(block.items.iter().map(|item| text(&item.says)).collect());
            continue;
        }
        blocks.push(vec![format!("### {}", block.title)]);
        let mut lines = Vec::new();
        for item in &block.items {
            lines.push(format!("- {}", text(&item.says)));
            lines.extend(item.below.iter().map(|it| format!("  - {}", text(it))));
            let code = item.remedy.iter().flat_map(|it| code(page, it));
            lines.extend(code.map(|line| format!("  {line}")));
        }
        blocks.push(lines);
    }
    let sizes = flap_sizes(flaps, options);
    blocks.extend(sizes.map(|sizes| table(page, &sizes)));
    blocks
}
