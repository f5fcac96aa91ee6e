//! The documents of a file: HPAs, what else sets the size of their targets,
//! and everything else, which is passed over.

use std::cell::RefCell;

use crate::api::group_of;
use crate::budget;
use crate::document::{
    DocumentText, Node, Place, Readable, SyntaxError, Value, document_texts, is_template, nearest,
    parse,
};

use super::convert::Annotations;
use super::decode::{Notes, Object, document};
use super::neighbor::Neighbor;
use super::version::Version;
use super::{Manifest, Rules, suggest};

/// The most items of a list or fields of an object: more do not fit into what
/// the API server stores, unless they are empty.
const MOST_ITEMS: usize = 10_000;

/// The most fields that do not belong there; with more it is something else.
const MOST_WRONG: usize = 1_000;

/// The bytes of all annotations that the API server accepts
/// (`ValidateAnnotationsSize`).
const MOST_ANNOTATED: usize = 256 << 10;

/// What an HPA is.
const KIND: &str = "HorizontalPodAutoscaler";

/// The group's versions that can be read.
const KNOWN: &str = "use autoscaling/v2 (v1, v2beta2 and v2beta1 can also be read)";

/// A document of a file.
#[derive(Clone, Debug)]
pub struct Document {
    /// Where it begins.
    pub place: Place,
    /// What it is, or why it cannot be read.
    pub content: Result<Content, SyntaxError>,
    /// What it probably is, where it cannot be parsed.
    pub hint: Option<Hint>,
}

/// What a document is.
#[derive(Clone, Debug)]
pub enum Content {
    /// An HPA.
    Autoscaler(Box<Manifest>),
    /// Any other object.
    Neighbor(Box<Neighbor>),
    /// Nothing, as of a template that renders to nothing.
    Nothing,
}

/// Reads every document of a file's text; a `List` counts as its items. The
/// rules say which fields there are.
pub fn read(text: &str, rules: Rules) -> Vec<Document> {
    let texts = document_texts(text);
    let mut read: Vec<Document> = Vec::new();
    let mut readable = Readable::default();
    for document in texts.iter().flat_map(|text| documents(text, rules)) {
        let place = document.place;
        let says = readable.gives_up(document.content.is_ok());
        let says = says.or_else(|| budget::room().err().map(|spent| spent.to_string()));
        read.push(document);
        let Some(reason) = says else {
            continue;
        };
        if readable.is_foreign() {
            // The others fail as it does.
            read.truncate(1);
        }
        read.push(Document {
            place,
            content: Err(SyntaxError { place, reason }),
            hint: None,
        });
        break;
    }
    read
}

fn documents(document: &DocumentText, rules: Rules) -> Vec<Document> {
    match parse(document.text, document.lines_before) {
        Ok(node) => flattened(node, rules),
        Err(mut error) => {
            let hint = Hint::of(document.text, document.lines_before, &mut error);
            vec![Document {
                place: error.place,
                hint,
                content: Err(error),
            }]
        }
    }
}

/// What `kubectl get -o yaml` and Helm put around objects is taken off.
fn flattened(node: Node, rules: Rules) -> Vec<Document> {
    let kind = node.text("kind").filter(|kind| kind.ends_with("List"));
    let items = node.get("items").map(|items| &items.value);
    match (kind, items) {
        (Some(_), Some(Value::List(items))) => {
            let items = items.iter().cloned();
            return items.flat_map(|item| flattened(item, rules)).collect();
        }
        (Some(kind @ ("List" | "HorizontalPodAutoscalerList")), None) => {
            let (place, reason) = (
                node.place,
                format!(
                    "this {kind} has no `items`; give a list as `kubectl get hpa -o yaml` prints it"
                ),
            );
            return vec![Document {
                place,
                content: Err(SyntaxError { place, reason }),
                hint: None,
            }];
        }
        _ => {}
    }
    vec![Document {
        place: node.place,
        content: from_node(node, rules),
        hint: None,
    }]
}

/// What an object is.
pub(super) fn from_node(node: Node, rules: Rules) -> Result<Content, SyntaxError> {
    let refused = |reason: &str| {
        Err(SyntaxError {
            place: node.place,
            reason: reason.to_owned(),
        })
    };
    match &node.value {
        Value::Object(_) => {}
        // A template that rendered to nothing.
        Value::Null => return Ok(Content::Nothing),
        other => return refused(&format!("must be an object, not {}", other.kind())),
    }
    let Some(kind) = node.text("kind") else {
        return refused("kind is missing; an HPA has `kind: HorizontalPodAutoscaler`");
    };
    let api_version = node.text("apiVersion").unwrap_or_default();
    if kind != KIND {
        if is_misspelt(kind, api_version, &node) {
            return Err(SyntaxError {
                place: node.place_of("kind"),
                reason: format!("the kind {kind:?} does not exist; did you mean {KIND}?"),
            });
        }
        return Ok(Content::Neighbor(Box::new(Neighbor::of(&node))));
    }
    let Some(version) = Version::of(api_version) else {
        return refused(&match api_version {
            "" => format!("apiVersion is missing; {KNOWN}"),
            other => format!("apiVersion {other} has no HPA; {KNOWN}"),
        });
    };
    if let Some((path, count, place)) = node.with_more_than(MOST_ITEMS) {
        let reason = format!(
            "{path} has {count} items, more than the {MOST_ITEMS} that this plugin checks; remove some"
        );
        return Err(SyntaxError { place, reason });
    }
    let mut manifest = decoded(node, version, rules);
    let (faults, unknown_fields) = (&manifest.faults, &manifest.unknown_fields);
    let wrong = faults.len() + unknown_fields.len();
    let faults = faults.iter().map(|it| (it.place, &it.field));
    let first = faults
        .chain(unknown_fields.iter().map(|it| (it.place, &it.field)))
        .min();
    if let Some((place, field)) = first.filter(|_| wrong > MOST_WRONG) {
        let others = wrong - 1;
        let reason = format!(
            "{field} and {others} other fields are unknown or have the wrong type: remove or correct them"
        );
        return Err(SyntaxError { place, reason });
    }
    let annotations = manifest.metadata.annotations.iter();
    let bytes: usize = annotations.map(|(key, text)| key.len() + text.len()).sum();
    if bytes > MOST_ANNOTATED {
        let field = "metadata.annotations";
        let place = manifest.place_of(field);
        let reason =
            format!("{field} has {bytes} bytes; the API server accepts at most {MOST_ANNOTATED}");
        return Err(SyntaxError { place, reason });
    }
    let mut annotations = Annotations::new(&manifest.metadata.annotations);
    version.conversion()(&mut manifest.spec, &mut annotations);
    manifest.ignored_annotations = annotations.ignored;
    Ok(Content::Autoscaler(Box::new(manifest)))
}

fn decoded(node: Node, version: Version, rules: Rules) -> Manifest {
    let notes = RefCell::new(Notes::default());
    let (metadata, spec) =
        Object::root(&node, &notes).read(|object| document(object, version.reader(rules)));
    let Notes {
        faults,
        mut unknown_fields,
        ..
    } = notes.into_inner();
    // Nobody writes a status, and the server overlooks it.
    unknown_fields.retain(|fault| !fault.field.starts_with("status."));
    suggest::tell(&mut unknown_fields, &node, version, rules);
    Manifest {
        version,
        metadata,
        spec,
        faults,
        unknown_fields,
        ignored_annotations: Vec::new(),
        node,
    }
}

/// Whether a kind was meant to be an HPA: its group has hardly another one, and
/// in others what an HPA sets tells.
fn is_misspelt(kind: &str, api_version: &str, node: &Node) -> bool {
    let group = group_of(api_version);
    let is_of_cluster = matches!(kind, "Scale") || kind.ends_with("List");
    if group == "autoscaling" {
        return !is_of_cluster;
    }
    let sets = |field: &str| {
        node.get("spec")
            .is_some_and(|spec| spec.get(field).is_some())
    };
    // Somebody's own kind has a group with a dot.
    let is_near = nearest(&kind.to_lowercase(), &[&KIND.to_lowercase(), "hpa"]).is_some();
    is_near && !group.contains('.') && sets("scaleTargetRef") && sets("maxReplicas")
}

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
