//! What a text that cannot be read probably is.

use crate::document::{Place, SyntaxError, is_template};

/// What keeps a text from being a manifest, where that can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A template that was not rendered, such as those of a Helm chart.
    Template,
    /// Tabs that indent.
    Tabs,
}

impl Hint {
    /// What to do about it.
    pub const fn says(self) -> &'static str {
        match self {
            Self::Template => "render it first",
            Self::Tabs => "YAML does not allow tabs there: use spaces",
        }
    }

    /// Of a text that is broken, with so many lines of the file above it. What
    /// the hint explains, the error names.
    pub(super) fn of(text: &str, lines_before: usize, error: &mut SyntaxError) -> Option<Self> {
        if is_template(text) {
            "this is a Helm template, not YAML".clone_into(&mut error.reason);
            return Some(Self::Template);
        }
        let own = error.place.line.saturating_sub(lines_before);
        // The parser may have noticed at the end of the line before.
        let mut near = text.lines().zip(1..).skip(own.saturating_sub(1)).take(2);
        let (column, line) = near.find_map(|(line, at)| Some((tab(line)?, at)))?;
        let line = line + lines_before;
        *error = SyntaxError {
            place: Place { line, column },
            reason: "a tab in the indentation".to_owned(),
        };
        Some(Self::Tabs)
    }
}

/// The column of a tab that indents.
fn tab(line: &str) -> Option<usize> {
    let indents = line.chars().take_while(|it| it.is_whitespace());
    indents
        .zip(1..)
        .find(|(it, _)| *it == '\t')
        .map(|(_, column)| column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Release;
    use crate::manifest::{Rules, read};
    use std::collections::BTreeMap;

    #[test]
    fn what_is_broken_is_told_by_what_it_is() {
        let rows = [
            (
                "{{- if .Values.on }}\na: 1\n{{- end }}\n",
                Some(Hint::Template),
            ),
            (
                "# x\na:\n{{- toYaml .Values | nindent 2 }}\n",
                Some(Hint::Template),
            ),
            ("kind: X\nname: {{ .Values.name }}\n", Some(Hint::Template)),
            ("---\na:\n  - {{ .Values.name }}\n", Some(Hint::Template)),
            ("a:\n\tb: 1\n", Some(Hint::Tabs)),
            ("kind: X\n---\na:\n  b: 1\n\tc: 1\n", Some(Hint::Tabs)),
            ("a: [1\n", None),
            ("a: b: c\n", None),
            ("kind: X\nname: '{{ .Values.name }}'\n", None),
        ];
        let rules = Rules::new(Release::ASSUMED, &BTreeMap::new());
        for (text, expected) in rows {
            let documents = read(text, rules);
            let hints: Vec<Hint> = documents.iter().filter_map(|it| it.hint).collect();
            assert_eq!(hints, Vec::from_iter(expected), "{text}");
        }
    }
}
