//! What helps, below the sentence that says so: what to run, or to change.

use crate::render::escape::display_width;
use crate::trace::Remedy;

use super::page::{Line, Page};

/// Stands for a command that is wider than the page.
const TOO_WIDE: &str = "(-o json has the command)";

/// The same for a patch.
const TOO_WIDE_PATCH: &str = "(-o json has the patch)";
/// Where a patch begins on a page that is too narrow for more.
const NARROW: &str = "  ";

/// The command of a remedy and the lines of its patch, behind an indent. A
/// command that does not fit is told of, never cut and never left out
/// without a word.
pub(super) fn remedy_lines(page: Page, indent: &str, remedy: &Remedy) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(command) = &remedy.command {
        lines = page.command(indent, command);
        if lines.is_empty() {
            lines = page.paragraph(indent, TOO_WIDE);
        }
    }
    let patches = remedy.patch.iter();
    lines.extend(patches.flat_map(|patch| patch_lines(page, indent, patch)));
    lines
}

/// The lines of a patch, further to the left on a narrow page: one that is cut
/// says something else.
fn patch_lines(page: Page, indent: &str, patch: &str) -> Vec<Line> {
    let fits = |lead: &&str| {
        let mut lines = patch.lines();
        lines.all(|line| display_width(lead) + display_width(line) <= page.width)
    };
    match [indent, NARROW].into_iter().find(fits) {
        Some(lead) => {
            let lines = patch.lines();
            lines
                .map(|line| page.line(&format!("{lead}{line}")))
                .collect()
        }
        None => page.paragraph(indent, TOO_WIDE_PATCH),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::text::TextOptions;

    #[test]
    fn nothing_that_helps_vanishes() {
        let page = Page::new(&TextOptions {
            width: 40,
            ..TextOptions::default()
        });
        let wide = format!("kubectl get {}", "x".repeat(40));
        let rows = [
            (Some("kubectl get hpa web"), None, "  kubectl get hpa web"),
            (
                Some("kubectl get hpa web -n shop -o yaml --watch"),
                None,
                "  kubectl get hpa web -n shop -o yaml \\\n    --watch",
            ),
            (Some(wide.as_str()), None, "  (-o json has the command)"),
            (
                None,
                Some("spec:\n  maxReplicas: 5"),
                "  spec:\n    maxReplicas: 5",
            ),
            (
                None,
                Some("spec:\n  behavior:\n    scaleDown:\n      stabilizationWindowSeconds: 36000"),
                "  (-o json has the patch)",
            ),
            (None, None, ""),
        ];
        for (command, patch, shown) in rows {
            let remedy = Remedy {
                says: "helps".to_owned(),
                command: command.map(str::to_owned),
                patch: patch.map(str::to_owned),
            };
            let lines = remedy_lines(page, "  ", &remedy);
            let lines: Vec<String> = lines.iter().map(Line::text).collect();
            assert_eq!(lines.join("\n"), shown, "{remedy:?}");
        }
    }
}
