//! What helps, below the sentence that says so: what to run, or to change.

use crate::trace::Remedy;

use super::page::{Line, Page};

/// Stands for a command that is wider than the page.
const TOO_WIDE: &str = "(-o json has the command)";

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
    let patch = remedy.patch.iter().flat_map(|patch| patch.lines());
    lines.extend(patch.map(|line| page.line(&format!("{indent}{line}"))));
    lines
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
