//! Changes of single fields, and the formats that have to show them.

use std::fmt::Debug;

use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::history::Observer;
use hpa_explain::render::{Explanation, Format, Prediction, TextOptions, UpgradePreview};
use hpa_explain::trace::{Preview, Trace};
use hpa_explain::what_if::{explain, own_release};
use serde_json::{Value, json};

/// Where a changed field shows. JSON has every one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shown {
    Everywhere,
    /// Beside JSON, Markdown alone has it.
    InMarkdown,
    /// It is for programs.
    InJsonAlone,
}

/// One field, changed.
pub struct Mutation<T> {
    field: &'static str,
    change: fn(&mut T),
    shown: Shown,
    predicted: Option<&'static str>,
}

impl<T> Mutation<T> {
    /// A change that every format has to show.
    pub fn new(field: &'static str, change: fn(&mut T)) -> Self {
        Self {
            field,
            change,
            shown: Shown::Everywhere,
            predicted: None,
        }
    }

    /// The prediction shows it, too, in this field.
    pub fn predicted(mut self, pointer: &'static str) -> Self {
        self.predicted = Some(pointer);
        self
    }

    /// The text has no place for it.
    pub fn not_in_text(mut self) -> Self {
        self.shown = Shown::InMarkdown;
        self
    }

    /// Neither the text nor Markdown has a place for it.
    pub fn in_json_alone(mut self) -> Self {
        self.shown = Shown::InJsonAlone;
        self
    }
}

/// What has all its words and numbers from one record.
pub trait Projected: Clone + PartialEq + Debug {
    fn json(&self) -> Value;
    fn text(&self) -> String;
    fn markdown(&self) -> String;
    /// A field of the prediction.
    fn predicted(&self, _pointer: &str) -> Value {
        Value::Null
    }
}

impl Projected for Trace {
    fn json(&self) -> Value {
        serde_json::to_value(Explanation::of(self)).expect("a document")
    }

    fn text(&self) -> String {
        written(|out| Format::Text.write(self, &options(), out))
    }

    fn markdown(&self) -> String {
        written(|out| Format::Markdown.write(self, &options(), out))
    }

    fn predicted(&self, pointer: &str) -> Value {
        let prediction = json!(Prediction::of(self));
        prediction.pointer(pointer).cloned().unwrap_or(Value::Null)
    }
}

impl Projected for Preview {
    fn json(&self) -> Value {
        serde_json::to_value(UpgradePreview::of(self)).expect("a document")
    }

    fn text(&self) -> String {
        written(|out| Format::Text.write(self, &options(), out))
    }

    fn markdown(&self) -> String {
        written(|out| Format::Markdown.write(self, &options(), out))
    }
}

/// The text of a trace, as `-vv` writes it.
pub fn text(trace: &Trace) -> String {
    trace.text()
}

fn options() -> TextOptions {
    TextOptions {
        verbosity: 2,
        // The longest command has room.
        width: 200,
        ..TextOptions::default()
    }
}

fn written(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("memory is writable");
    String::from_utf8(out).expect("text")
}

/// Makes each of the changes alone and looks at every format; returns how
/// many were made.
pub fn check<T: Projected>(before: &T, mutations: &[Mutation<T>]) -> usize {
    let (json, text, markdown) = (before.json(), before.text(), before.markdown());
    let mut wrong = Vec::new();
    for mutation in mutations {
        let field = mutation.field;
        let mut after = before.clone();
        (mutation.change)(&mut after);
        assert_ne!(before, &after, "{field} is not changed");
        let mut look = |format: &str, shows: bool, expected: bool| {
            if shows != expected {
                let verb = if shows { "shows" } else { "does not show" };
                wrong.push(format!("{format} {verb} {field}"));
            }
        };
        let shown = mutation.shown;
        look("JSON", after.json() != json, true);
        look("the text", after.text() != text, shown == Shown::Everywhere);
        let is_expected = shown != Shown::InJsonAlone;
        look("Markdown", after.markdown() != markdown, is_expected);
        if let Some(pointer) = mutation.predicted {
            let is_other = after.predicted(pointer) != before.predicted(pointer);
            look("the prediction", is_other, true);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    mutations.len()
}

/// The inputs of a demo.
pub fn snapshot(demo: &str) -> Snapshot {
    let path = format!("{}/demos/{demo}.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a demo");
    let mut documents = read_documents(&text);
    let document = documents.pop().expect("one document");
    document.snapshot.expect("a snapshot")
}

/// A demo, explained.
pub fn trace(demo: &str) -> Trace {
    trace_with(demo, &Overrides::default())
}

/// A demo without its events, which tell what is remembered.
pub fn forgetful(demo: &str) -> Trace {
    let mut snapshot = snapshot(demo);
    snapshot.events.clear();
    let settings = Settings::resolve(&snapshot, &Overrides::default());
    let observer = Observer::default();
    explain(&snapshot, &settings, snapshot.captured_at, &observer)
}

/// A demo, explained with what is given in place of what is known of the
/// controller; beside it what the cluster's own release decides.
pub fn trace_with(demo: &str, overrides: &Overrides) -> Trace {
    let snapshot = snapshot(demo);
    let settings = Settings::resolve(&snapshot, overrides);
    let observer = Observer::default();
    let mut trace = explain(&snapshot, &settings, snapshot.captured_at, &observer);
    trace.own_release = own_release(&trace, &snapshot, overrides, &observer);
    trace
}
