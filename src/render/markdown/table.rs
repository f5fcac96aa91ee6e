//! Tables as GitHub's Markdown has them.

use crate::render::text::{Page, Table};

use super::escape::inline;

/// The lines of a table. Where a row decides, a first column marks it; what
/// is remarked of a row follows below.
pub(super) fn table(page: Page, table: &Table) -> Vec<String> {
    let has_marks = table.rows.iter().any(|row| row.is_marked);
    let mut titles: Vec<String> = Vec::new();
    let mut rules: Vec<&str> = Vec::new();
    if has_marks {
        titles.push(String::new());
        rules.push("---");
    }
    for column in &table.columns {
        titles.push(inline(&page.clean(&column.title)));
        rules.push(if column.is_number { "--:" } else { "---" });
    }
    let mut lines = vec![line(&titles), line(&rules)];
    let mut remarks = Vec::new();
    for row in &table.rows {
        let mut cells: Vec<String> = Vec::new();
        if has_marks {
            cells.push(if row.is_marked {
                page.clean("▶")
            } else {
                String::new()
            });
        }
        let clean = row.cells.iter().map(|cell| inline(&page.clean(cell)));
        cells.extend(clean);
        lines.push(line(&cells));
        let first = row.cells.first().map_or("", String::as_str);
        for note in &row.note {
            let note = inline(note.text().trim());
            remarks.push(format!("- {}: {note}", inline(&page.clean(first))));
        }
    }
    if !remarks.is_empty() {
        lines.push(String::new());
        lines.extend(remarks);
    }
    lines
}

fn line(cells: &[impl AsRef<str>]) -> String {
    let cells = cells.iter().map(AsRef::as_ref);
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}
