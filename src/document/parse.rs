//! From text to [`Node`]s, as kubectl reads manifests: JSON, and YAML with the
//! plain words of its version 1.1 (`yes` is a boolean).

use std::collections::{BTreeMap, BTreeSet};

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::node::{Entry, Node, Place, Value, plain};
use super::texts::is_template;

/// Why a text is no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct SyntaxError {
    /// Where the text stops making sense.
    pub place: Place,
    /// What is wrong.
    pub reason: String,
}

/// What is said of a quote or a bracket that takes all the rest of a document.
const UNCLOSED: &str = "is not closed before the document ends: close it, or copy the file again \
    if it is cut off";

/// What is said of a colon where no value can begin.
const COLON: &str =
    "a value cannot begin here: is this `: ` part of a text? put the text in quotes";

/// What is said of a chart's template.
const TEMPLATE: &str = "this is a Helm template, not YAML; `helm template . | \
    kubectl hpa-explain lint -f -` checks what it renders";

/// Parses one document; `lines_before` are the lines of the file above it.
///
/// # Errors
///
/// The text is neither JSON nor YAML, or asks for too much.
pub fn parse(text: &str, lines_before: usize) -> Result<Node, SyntaxError> {
    parsed(text, lines_before).map_err(|error| {
        if is_template(text) {
            refused(error.place, TEMPLATE)
        } else {
            error
        }
    })
}

fn parsed(text: &str, lines_before: usize) -> Result<Node, SyntaxError> {
    let mut builder = Builder::new(text, lines_before);
    for event in parser(text) {
        let (event, span) = event.map_err(|error| builder.broken(&error))?;
        builder.take(event, span)?;
    }
    let place = builder.place(None);
    Ok(builder.document.unwrap_or(Node {
        value: Value::Null,
        place,
    }))
}

/// A field of a document that is an object; what comes after it may be broken.
pub fn field(text: &str, name: &str) -> Option<Node> {
    let mut builder = Builder::new(text, 0);
    for event in parser(text) {
        let (event, span) = event.ok()?;
        builder.take(event, span).ok()?;
        if let [
            Open {
                kind: OpenKind::Object(object),
                ..
            },
        ] = builder.open.as_mut_slice()
            && let Some(entry) = object.entries.pop_if(|it| it.key == name)
        {
            return Some(entry.value);
        }
    }
    None
}

fn parser(text: &str) -> Parser<'_, StrInput<'_>> {
    // It reads ahead of its events: what is too deep ends it first.
    let options = granit_parser::options! {
        flow_nesting_limit: DEEPEST,
        block_nesting_limit: DEEPEST,
    };
    Parser::new_from_str_with_options(text, options)
}

/// A list or an object that is not closed yet.
struct Open {
    anchor: usize,
    place: Place,
    kind: OpenKind,
    /// With all that it holds so far.
    weight: usize,
}

enum OpenKind {
    List(Vec<Node>),
    Object(OpenObject),
}

#[derive(Default)]
struct OpenObject {
    entries: Vec<Entry>,
    /// What `<<` names, in its order.
    merged: Vec<Entry>,
    /// The name whose value comes next.
    key: Option<(String, Place)>,
}

/// A short text can stand for a very large document, by aliases that repeat
/// parts of it, or take very long, by nesting. No file needs either.
#[derive(Default)]
struct Builder {
    is_json: bool,
    lines_before: usize,
    open: Vec<Open>,
    /// What aliases can repeat, and its weight.
    anchors: BTreeMap<usize, (Node, usize)>,
    document: Option<Node>,
    /// The events so far.
    values: usize,
    /// The weight of what is repeated so far.
    repeated: usize,
}

impl Builder {
    fn new(text: &str, lines_before: usize) -> Self {
        Self {
            is_json: text.trim_start().starts_with('{'),
            lines_before,
            ..Self::default()
        }
    }

    fn take(&mut self, event: Event, span: Span) -> Result<(), SyntaxError> {
        let place = self.place(Some(span));
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(refused(place, format!("more than {MOST_VALUES} values")));
        }
        match event {
            Event::SequenceStart(_, anchor, _) => {
                self.open(anchor, place, OpenKind::List(Vec::new()))
            }
            Event::MappingStart(_, anchor, _) => {
                self.open(anchor, place, OpenKind::Object(OpenObject::default()))
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(place),
            Event::Scalar(text, style, anchor, tag) => {
                let weight = 1 + text.len() / TEXT;
                let is_text = tag.is_some_and(|tag| tag.suffix() == "str");
                let value = if style == ScalarStyle::Plain && !is_text {
                    plain(&text, self.is_json)
                } else {
                    Value::Text(text.into_owned())
                };
                self.add(Node { value, place }, anchor, weight, place)
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor).cloned() {
                Some((node, weight)) => {
                    self.repeat(weight, place)?;
                    self.add(node, 0, weight, place)
                }
                None => Err(refused(
                    place,
                    "the alias is inside the value that it repeats",
                )),
            },
            Event::DocumentStart(..) if self.document.is_some() => {
                Err(refused(place, "a second document begins here"))
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, anchor: usize, place: Place, kind: OpenKind) -> Result<(), SyntaxError> {
        if self.open.len() >= DEEPEST {
            return Err(too_deep(place));
        }
        self.open.push(Open {
            anchor,
            place,
            kind,
            weight: 1,
        });
        Ok(())
    }

    fn close(&mut self, end: Place) -> Result<(), SyntaxError> {
        let Some(Open {
            anchor,
            place,
            kind,
            weight,
        }) = self.open.pop()
        else {
            return Ok(());
        };
        let value = match kind {
            OpenKind::List(items) => Value::List(items),
            OpenKind::Object(object) => Value::Object(object.close()),
        };
        self.add(Node { value, place }, anchor, weight, end)
    }

    /// Puts a value where it belongs, and remembers it where an alias may
    /// repeat it.
    fn add(
        &mut self,
        node: Node,
        anchor: usize,
        weight: usize,
        end: Place,
    ) -> Result<(), SyntaxError> {
        if anchor != 0 {
            // What is kept for its aliases is a copy.
            self.repeat(weight, end)?;
            self.anchors.insert(anchor, (node.clone(), weight));
        }
        let Some(open) = self.open.last_mut() else {
            self.document = Some(node);
            return Ok(());
        };
        open.weight = open.weight.saturating_add(weight);
        match &mut open.kind {
            OpenKind::List(items) => items.push(node),
            OpenKind::Object(object) => match object.key.take() {
                Some((name, place)) if name == "<<" && !self.is_json => {
                    object.merged.extend(merged(node, place)?);
                }
                Some((key, place)) => object.entries.push(Entry {
                    key,
                    place,
                    value: node,
                }),
                None => object.key = Some((name(&node)?, node.place)),
            },
        }
        Ok(())
    }

    fn repeat(&mut self, weight: usize, place: Place) -> Result<(), SyntaxError> {
        self.repeated = self.repeated.saturating_add(weight);
        if self.repeated <= MOST_REPEATED {
            return Ok(());
        }
        let reason = format!(
            "aliases (*NAME) repeat more than {MOST_REPEATED} values, which is refused; write the \
             values out, or give another file"
        );
        Err(refused(place, reason))
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
        match error.kind() {
            ErrorKind::RecursionLimitExceeded => too_deep(place),
            ErrorKind::UnclosedQuotedScalar => refused(place, format!("this quote {UNCLOSED}")),
            ErrorKind::MappingValueNotAllowed => refused(place, COLON),
            ErrorKind::MismatchedFlowCollectionEnd { open, close } => refused(
                place,
                format!(
                    "this `{open}` is closed by a `{close}`: put the bracket that is missing before that"
                ),
            ),
            ErrorKind::UnclosedFlowCollection { open } => {
                refused(place, format!("`{open}` {UNCLOSED}"))
            }
            _ => refused(place, error.info()),
        }
    }
}

fn refused(place: Place, reason: impl Into<String>) -> SyntaxError {
    SyntaxError {
        place,
        reason: reason.into(),
    }
}

fn too_deep(place: Place) -> SyntaxError {
    let reason = format!(
        "nested more than {DEEPEST} levels deep; a snapshot, a scenario or an HPA has fewer than 20"
    );
    refused(place, reason)
}

/// A field's name. Names that are no text are written as JSON has them, as
/// kubectl does.
fn name(node: &Node) -> Result<String, SyntaxError> {
    match &node.value {
        Value::Text(text) | Value::Number(text) => Ok(text.clone()),
        Value::Bool(value) => Ok(value.to_string()),
        Value::Object(_) => Err(refused(
            node.place,
            "the name of a field must be a string, not an object; a template's {{ }} must be \
             rendered first",
        )),
        other => Err(refused(
            node.place,
            format!("the name of a field must be a string, not {}", other.kind()),
        )),
    }
}

/// The fields that `<<: *base` or `<<: [*one, *other]` names.
fn merged(node: Node, place: Place) -> Result<Vec<Entry>, SyntaxError> {
    let sources = match node.value {
        Value::List(items) => items,
        _ => vec![node],
    };
    let mut fields = Vec::new();
    for source in sources {
        let Value::Object(entries) = source.value else {
            return Err(refused(place, "`<<` takes an object or a list of objects"));
        };
        fields.extend(entries);
    }
    Ok(fields)
}

impl OpenObject {
    /// The object's own fields, and before them those that `<<` adds: what the
    /// object has itself, or an earlier source, is not taken.
    fn close(self) -> Vec<Entry> {
        let Self {
            entries, merged, ..
        } = self;
        if merged.is_empty() {
            return entries;
        }
        let mut taken: BTreeSet<String> = entries.iter().map(|it| it.key.clone()).collect();
        let mut all = merged;
        all.retain(|entry| taken.insert(entry.key.clone()));
        all.extend(entries);
        all
    }
}

/// The deepest nesting; the API has no object that needs a tenth of it.
const DEEPEST: usize = 128;

/// The most values that a document may hold, without those that aliases repeat.
const MOST_VALUES: usize = 2_000_000;

/// The most values that aliases may repeat.
const MOST_REPEATED: usize = 500_000;

/// So many bytes of text weigh as much as a value.
const TEXT: usize = 32;

#[cfg(test)]
mod tests {
    use super::super::node::Value;
    use super::*;

    fn json(node: &Node) -> serde_json::Value {
        node.to_json()
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
            (
                r#"{"a":{"x":1},"b":{"x":2,"w":3},"c":{"x":1,"w":3,"z":4}}"#,
                "a: &a {x: 1}\nb: &b {x: 2, w: 3}\nc: {<<: [*a, *b], z: 4}\n",
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
        let deep = format!("{}{}", "[".repeat(150), "]".repeat(150));
        let deeper = format!("{}x", "- ".repeat(150));
        let bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n\
            c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n\
            e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n\
            g: [*f,*f,*f]\n";
        // What an anchor within an anchor keeps is a copy, too.
        let anchors: Vec<String> = (0..100).map(|at| format!("&a{at} [")).collect();
        let items = vec!["1"; 20_000].join(",");
        let nested = format!("{}{items}{}", anchors.concat(), "]".repeat(100));
        let text = "x".repeat(1_000_000);
        let long = format!("a: &a {text}\nb: [{}]\n", vec!["*a"; 1_000].join(","));
        let rows = [
            ("a: [1, 2\n", 3, "is not closed"),
            ("a: b: c\n", 3, "put the text in quotes"),
            ("\"a\n", 3, ""),
            ("[a]: b\n", 3, "must be a string, not a list"),
            ("a: &a [*a]\n", 3, ""),
            (&deep, 3, "nested more than 128 levels deep"),
            (&deeper, 3, "nested more than 128 levels deep"),
            (bomb, 8, "repeat more than 500000 values"),
            (&nested, 3, "repeat more than 500000 values"),
            (&long, 4, "repeat more than 500000 values"),
        ];
        for (text, line, reason) in rows {
            let error = parse(text, 2).expect_err(text);
            let start: String = text.chars().take(40).collect();
            assert!(error.reason.contains(reason), "{start}: {error:?}");
            assert_eq!(error.place.line, line, "{start}: {error:?}");
        }
    }

    #[test]
    fn large_and_pasted_texts_are_read() {
        let pod = "{name: app, image: x, resources: {requests: {cpu: 1, memory: 2}}}";
        let rows = [
            "- {name: \"a*b[\", command: [\"*\", x]}\n".repeat(100_000),
            // Ten thousand pods that share what they run.
            format!("- &p {pod}\n{}", "- {spec: *p}\n".repeat(10_000)),
            // JSON in a text of YAML as it came.
            "a: {\n  \"b\": [\n  ]\n}\nc: [\n1\n]\n".to_owned(),
        ];
        for text in rows {
            let start: String = text.chars().take(40).collect();
            assert!(parse(&text, 0).is_ok(), "{start}");
        }
    }

    #[test]
    fn endless_nesting_is_refused_at_once() {
        for start in ["[", "- ", "? ", "{a: ", "x: ["] {
            let error = parse(&start.repeat(100_000), 0).expect_err(start);
            let is_reported = ["nested", "a value cannot begin here", "expected"];
            assert!(
                is_reported.iter().any(|it| error.reason.contains(it)),
                "{start}: {error:?}"
            );
        }
    }

    #[test]
    fn nothing_is_null() {
        for text in ["", "# only a comment\n", "---\n"] {
            assert_eq!(parse(text, 0).expect(text).value, Value::Null);
        }
    }
}
