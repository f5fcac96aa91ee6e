//! The field selector of a list: `metadata.name=web,metadata.namespace!=dev`.
//!
//! The API server applies it to what it lists. Of a file nobody does but us,
//! so this reads it as apimachinery `fields.ParseSelector` does and knows the
//! fields that the API server knows of HPAs.

use super::AutoscalerMeta;

/// Requirements on fields, all of which must hold. Without any it matches
/// everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    text: String,
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    field: String,
    is_equal: bool,
    value: String,
}

/// Why a text is not a field selector, or none for HPAs; in the API's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FieldSelectorError(String);

impl FieldSelector {
    /// Reads a selector; the empty text matches everything.
    ///
    /// # Errors
    ///
    /// A part compares nothing, or its value holds a character that must be
    /// escaped.
    pub fn parse(text: &str) -> Result<Self, FieldSelectorError> {
        let parts = split_unescaped(text);
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let terms = parts.map(|part| match split_term(part) {
            Some((field, is_equal, value)) => Ok(Term {
                field: field.to_owned(),
                is_equal,
                value: unescape(value)?,
            }),
            None => Err(FieldSelectorError(format!(
                "invalid selector: '{text}'; can't understand '{part}'"
            ))),
        });
        Ok(Self {
            terms: terms.collect::<Result<_, _>>()?,
            text: text.to_owned(),
        })
    }

    /// The selector as it was given, for the API server.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether an HPA meets every requirement.
    ///
    /// # Errors
    ///
    /// A field is none that HPAs can be selected by
    /// (`runtime.DefaultMetaV1FieldSelectorConversion`).
    pub fn matches(&self, metadata: &AutoscalerMeta) -> Result<bool, FieldSelectorError> {
        let mut is_met = true;
        for term in &self.terms {
            let value = match term.field.as_str() {
                "metadata.name" => &metadata.name,
                "metadata.namespace" => &metadata.namespace,
                other => {
                    return Err(FieldSelectorError(format!(
                        "{other:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                    )));
                }
            };
            is_met &= (*value == term.value) == term.is_equal;
        }
        Ok(is_met)
    }
}

/// The parts between commas that no backslash stands before.
fn split_unescaped(text: &str) -> Vec<&str> {
    let mut is_escaped = false;
    text.split(|character| {
        let is_end = character == ',' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        is_end
    })
    .collect()
}

/// Field, whether it must be equal, and the value as it is written.
fn split_term(part: &str) -> Option<(&str, bool, &str)> {
    let at = part.find('=')?;
    let (front, rest) = part.split_at(at);
    let value = rest.strip_prefix("==").or(rest.strip_prefix('='))?;
    match front.strip_suffix('!') {
        // `a!==b` compares with `=b`, which must be escaped.
        Some(field) => Some((field, false, rest.strip_prefix('=')?)),
        None => Some((front, true, value)),
    }
}

fn unescape(value: &str) -> Result<String, FieldSelectorError> {
    let refused = |what: &str, which: String| {
        Err(FieldSelectorError(format!(
            "invalid field selector: {what}: {which}"
        )))
    };
    let mut plain = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(escaped @ ('\\' | ',' | '=')) => plain.push(escaped),
                Some(other) => return refused("invalid escape sequence", format!("\\{other}")),
                None => return refused("invalid escape sequence", "\\".to_owned()),
            },
            '=' => return refused("unescaped character in value", character.to_string()),
            _ => plain.push(character),
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::{AutoscalerMeta, FieldSelector, FieldSelectorError};

    fn matches(text: &str) -> Result<bool, FieldSelectorError> {
        let metadata = AutoscalerMeta {
            name: "web".into(),
            namespace: "shop".into(),
            ..AutoscalerMeta::default()
        };
        FieldSelector::parse(text)?.matches(&metadata)
    }

    #[test]
    fn fields_are_compared() {
        let rows = [
            ("", true),
            (",", true),
            ("metadata.name=web", true),
            ("metadata.name==web", true),
            ("metadata.name!=web", false),
            ("metadata.name=api", false),
            ("metadata.name!=api", true),
            ("metadata.name=web,metadata.namespace=shop", true),
            ("metadata.name=web,metadata.namespace=dev", false),
            ("metadata.namespace=", false),
            (r"metadata.name=we\\b", false),
            (r"metadata.name!=a\,b", true),
        ];
        for (text, expected) in rows {
            assert_eq!(matches(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_selector_is_refused_in_the_apis_words() {
        let rows = [
            ("web", "invalid selector: 'web'; can't understand 'web'"),
            (
                "metadata.name=web,shop",
                "invalid selector: 'metadata.name=web,shop'; can't understand 'shop'",
            ),
            (
                "metadata.name=a=b",
                "invalid field selector: unescaped character in value: =",
            ),
            (
                "metadata.name!==b",
                "invalid field selector: unescaped character in value: =",
            ),
            (
                r"metadata.name=a\b",
                r"invalid field selector: invalid escape sequence: \b",
            ),
            (
                r"metadata.name=a\",
                r"invalid field selector: invalid escape sequence: \",
            ),
            (
                "spec.maxReplicas=3",
                "\"spec.maxReplicas\" is not a known field selector: \
                 only \"metadata.name\", \"metadata.namespace\"",
            ),
        ];
        for (text, expected) in rows {
            let refused = FieldSelectorError(expected.to_owned());
            assert_eq!(matches(text), Err(refused), "{text}");
        }
    }
}
