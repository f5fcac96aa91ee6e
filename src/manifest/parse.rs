//! From text to [`Node`]s, as kubectl reads manifests: JSON, and YAML with the
//! plain words of its version 1.1 (`yes` is a boolean).

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};

use super::node::{Entry, Node, Place, Value};
use super::scalar::{plain, surrogates_joined};

/// The deepest nesting; the API has no object that needs a tenth of it.
const DEEPEST: usize = 200;

/// The most values that a document may hold, with what its aliases repeat.
const MOST_NODES: usize = 2_000_000;

/// Why a text is no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct SyntaxError {
    /// Where the text stops making sense.
    pub place: Place,
    /// What is wrong.
    pub reason: String,
}

/// Parses one document; `lines_before` are the lines of the file above it.
///
/// # Errors
///
/// The text is neither JSON nor YAML, or asks for too much.
pub fn parse(text: &str, lines_before: usize) -> Result<Node, SyntaxError> {
    let is_json = text.trim_start().starts_with('{');
    let joined = is_json.then(|| surrogates_joined(text));
    let text = joined.as_deref().unwrap_or(text);
    let mut builder = Builder {
        is_json,
        lines_before,
        ..Builder::default()
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| builder.broken(&error))?;
        builder.take(event, span)?;
    }
    let place = builder.place(None);
    Ok(builder.document.unwrap_or(Node {
        value: Value::Null,
        place,
    }))
}

/// A list or an object that is not closed yet.
struct Open {
    anchor: usize,
    place: Place,
    kind: OpenKind,
}

enum OpenKind {
    List(Vec<Node>),
    Object(Vec<Entry>, Option<(String, Place)>),
}

#[derive(Default)]
struct Builder {
    is_json: bool,
    lines_before: usize,
    open: Vec<Open>,
    anchors: BTreeMap<usize, (Node, usize)>,
    nodes: usize,
    document: Option<Node>,
}

impl Builder {
    fn take(&mut self, event: Event, span: Span) -> Result<(), SyntaxError> {
        let place = self.place(Some(span));
        match event {
            Event::SequenceStart(anchor, _) => self.open(anchor, place, OpenKind::List(Vec::new())),
            Event::MappingStart(anchor, _) => {
                self.open(anchor, place, OpenKind::Object(Vec::new(), None))
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = tag.is_some_and(|tag| tag.suffix == "str");
                let value = if style == ScalarStyle::Plain && !is_text {
                    plain(&text, self.is_json)
                } else {
                    Value::Text(text.into_owned())
                };
                self.add(Node { value, place }, anchor, 1)
            }
            Event::Alias(anchor) => {
                let Some((node, size)) = self.anchors.get(&anchor).cloned() else {
                    return Err(refused(place, "the alias stands inside of what it repeats"));
                };
                self.add(node, 0, size)
            }
            Event::DocumentStart(_) if self.document.is_some() => {
                Err(refused(place, "a second document begins here"))
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, anchor: usize, place: Place, kind: OpenKind) -> Result<(), SyntaxError> {
        if self.open.len() >= DEEPEST {
            return Err(refused(place, &format!("nested more than {DEEPEST} deep")));
        }
        self.open.push(Open {
            anchor,
            place,
            kind,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), SyntaxError> {
        let Some(Open {
            anchor,
            place,
            kind,
        }) = self.open.pop()
        else {
            return Ok(());
        };
        let value = match kind {
            OpenKind::List(items) => Value::List(items),
            OpenKind::Object(entries, _) => Value::Object(entries),
        };
        self.add(Node { value, place }, anchor, 1)
    }

    /// Puts a value where it belongs, and remembers it where an alias may
    /// repeat it. `size` is how many values it adds.
    fn add(&mut self, node: Node, anchor: usize, size: usize) -> Result<(), SyntaxError> {
        self.nodes = self.nodes.saturating_add(size);
        if self.nodes > MOST_NODES {
            return Err(refused(
                node.place,
                &format!("more than {MOST_NODES} values; write out fewer aliases"),
            ));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), values(&node)));
        }
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.document = Some(node),
            Some(OpenKind::List(items)) => items.push(node),
            Some(OpenKind::Object(entries, key)) => match key.take() {
                Some((name, place)) if name == "<<" && !self.is_json => {
                    merge(entries, node, place)?;
                }
                Some((key, place)) => entries.push(Entry {
                    key,
                    place,
                    value: node,
                }),
                None => *key = Some((name(&node)?, node.place)),
            },
        }
        Ok(())
    }

    fn place(&self, span: Option<Span>) -> Place {
        let (line, column) = span.map_or((1, 0), |span| (span.start.line(), span.start.col()));
        Place {
            line: line + self.lines_before,
            column: column + 1,
        }
    }

    fn broken(&self, error: &ScanError) -> SyntaxError {
        let place = self.place(Some(Span::empty(*error.marker())));
        refused(place, error.info())
    }
}

fn refused(place: Place, reason: &str) -> SyntaxError {
    SyntaxError {
        place,
        reason: reason.to_owned(),
    }
}

/// How many values there are in a value, itself included.
fn values(node: &Node) -> usize {
    match &node.value {
        Value::List(items) => 1 + items.iter().map(values).sum::<usize>(),
        Value::Object(entries) => {
            let inner = entries.iter().map(|entry| values(&entry.value));
            1 + inner.sum::<usize>()
        }
        _ => 1,
    }
}

/// A field's name. Names that are no text are written as JSON has them, as
/// kubectl does.
fn name(node: &Node) -> Result<String, SyntaxError> {
    match &node.value {
        Value::Text(text) | Value::Number(text) => Ok(text.clone()),
        Value::Bool(value) => Ok(value.to_string()),
        other => Err(refused(
            node.place,
            &format!("the name of a field must be a string, not {}", other.kind()),
        )),
    }
}

/// `<<: *base`: the fields of another object, where the object does not have
/// them itself.
fn merge(entries: &mut Vec<Entry>, node: Node, place: Place) -> Result<(), SyntaxError> {
    let sources = match node.value {
        Value::List(items) => items,
        _ => vec![node],
    };
    for source in sources {
        let Value::Object(fields) = source.value else {
            return Err(refused(place, "`<<` takes an object or a list of objects"));
        };
        for field in fields {
            // Behind its own fields the object's last one of a name counts,
            // so what is merged goes first.
            if entries.iter().all(|entry| entry.key != field.key) {
                entries.insert(0, field);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::node::Value;
    use super::*;

    fn json(node: &Node) -> serde_json::Value {
        super::super::node_to_json(node)
    }

    #[test]
    fn json_and_yaml_say_the_same() {
        let rows = [
            (r#"{"a":1,"b":[true,null,"x"]}"#, "a: 1\nb: [true, ~, x]\n"),
            ("{\"a\":\"\\ud83d\\ude00\"}", "a: \u{1F600}\n"),
            ("{\n\t\"a\":\t{\"b\": \"no\"}\n}", "a: {b: 'no'}\n"),
            (
                r#"{"a":{"x":1,"z":3},"b":{"x":1,"z":2}}"#,
                "a: &a\n  x: 1\n  z: 3\nb:\n  <<: *a\n  z: 2\n",
            ),
            (r#"{"a":true,"b":false}"#, "a: yes\nb: off\n"),
        ];
        for (left, right) in rows {
            let both = [left, right].map(|text| json(&parse(text, 0).expect(text)));
            assert_eq!(both[0], both[1], "{left} {right}");
        }
    }

    #[test]
    fn what_is_broken_is_refused_with_its_place() {
        let deep = format!("{}{}", "[".repeat(250), "]".repeat(250));
        let deeper = format!("{}x", "- ".repeat(300));
        let bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n\
            c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n\
            e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n\
            g: [*f,*f,*f]\n";
        let rows = [
            ("a: [1, 2\n", 3, "expected"),
            ("a: b: c\n", 3, "mapping values"),
            ("\"a\n", 3, ""),
            ("[a]: b\n", 3, "must be a string, not a list"),
            ("a: &a [*a]\n", 3, ""),
            (&deep, 3, "nested more than 200 deep"),
            (&deeper, 3, "nested more than 200 deep"),
            (bomb, 9, "more than 2000000 values"),
        ];
        for (text, line, reason) in rows {
            let error = parse(text, 2).expect_err(text);
            assert!(error.reason.contains(reason), "{text}: {error:?}");
            assert!(error.place.line.abs_diff(line) <= 1, "{text}: {error:?}");
        }
    }

    #[test]
    fn nothing_is_null() {
        for text in ["", "# only a comment\n", "---\n"] {
            assert_eq!(parse(text, 0).expect(text).value, Value::Null);
        }
    }
}
