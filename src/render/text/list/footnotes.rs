//! Where a line is not of this pass, and why.

use crate::render::Summary;
use crate::render::text::page::{Line, Page};
use crate::trace::FailureCause;

const MOST_REASONS: usize = 2;

/// What the marks of a table mean. Each reason is held once.
#[derive(Default)]
pub(super) struct Footnotes {
    is_not_asked: bool,
    is_refused: bool,
    reasons: Vec<String>,
}

impl Footnotes {
    pub(super) fn note(&mut self, summary: &Summary) {
        let Some(pass) = &summary.last_pass else {
            return;
        };
        self.is_refused |= pass.cause.is_refusal();
        if pass.cause == FailureCause::NotAsked {
            self.is_not_asked = true;
        } else if !self.reasons.contains(&pass.because) {
            self.reasons.push(pass.because.clone());
        }
    }

    /// What the mark means, in a line if nothing is missing but the question;
    /// else why, and where that ends.
    pub(super) fn lines(&self, page: Page, rbac: &str) -> Vec<Line> {
        let mut lines = Vec::new();
        if self.is_not_asked {
            let text = "last pass: custom and external metrics are not asked; `list --full` asks";
            lines.extend(page.paragraph("* ", text));
        }
        for reason in self.reasons.iter().take(MOST_REASONS) {
            lines.extend(page.paragraph("* ", &format!("last pass: {reason}")));
        }
        let more = self.reasons.len().saturating_sub(MOST_REASONS);
        if more > 0 {
            lines.push(page.line(&format!("  and {more} more such")));
        }
        if self.is_refused {
            let text = format!("`{rbac}` prints the role that is needed");
            lines.extend(page.paragraph("  ", &text));
        }
        lines
    }
}
