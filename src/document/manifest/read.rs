//! The documents of a file: HPAs, what else sets the size of their targets,
//! and everything else, which is passed over; and what a field that the API does not have
//! was probably meant to be.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::decode::{FieldFault, FieldFaultKind, Notes, Object, Suggestion, document};
use super::neighbor::Neighbor;
use super::version::{Annotations, Version};
use super::{Manifest, Rules};
use crate::api::group_of;
use crate::budget;
use crate::controller::Release;
use crate::document::{
    DocumentText, FieldPath, Node, PathStep, Place, Readable, SyntaxError, Value, document_texts,
    is_template, nearest, parse,
};

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
                place: node.place_of(&"kind".into()),
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
        let what = if path.is_empty() {
            "this object".to_owned()
        } else {
            path.to_string()
        };
        let reason = format!(
            "{what} has {count} items, more than the {MOST_ITEMS} that this plugin checks; remove some"
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
        let field = FieldPath::from("metadata.annotations");
        let place = manifest.place_of(&field);
        let reason =
            format!("{field} has {bytes} bytes; the API server accepts at most {MOST_ANNOTATED}");
        return Err(SyntaxError { place, reason });
    }
    let mut annotations = Annotations {
        all: &manifest.metadata.annotations,
        ignored: Vec::new(),
    };
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
    unknown_fields.retain(|fault| !fault.field.is_within(&"status".into()));
    tell(&mut unknown_fields, &node, version, rules);
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

/// Names of older versions, and where the fields stand since `v2beta2`.
const RENAMED: [(&str, &str); 6] = [
    ("metricName", "metric.name"),
    ("metricSelector", "metric.selector"),
    ("targetAverageUtilization", "target.averageUtilization"),
    ("targetAverageValue", "target.averageValue"),
    (
        "targetCPUUtilizationPercentage",
        "resource.target.averageUtilization",
    ),
    ("targetValue", "target.value"),
];

/// A shorter name is a part of too many.
const SHORTEST_PART: usize = 3;

/// Of more than this, none is near.
const MOST_SUGGESTED: usize = 2;

/// Of more unknown fields nobody reads what was meant.
const MOST_UNKNOWN: usize = 100;

/// Tells of the unknown fields of a document what they were meant to be.
pub(super) fn tell(unknown_fields: &mut [FieldFault], node: &Node, version: Version, rules: Rules) {
    let unknown = unknown_fields
        .iter_mut()
        .filter_map(|fault| match &mut fault.kind {
            FieldFaultKind::Unknown(intended) => Some((&fault.field, intended)),
            FieldFaultKind::Duplicate => None,
        });
    let mut unknown = unknown.take(MOST_UNKNOWN).peekable();
    if unknown.peek().is_none() {
        return;
    }
    let own = fields(version, rules);
    let newest = fields(Version::V2, rules);
    for (field, intended) in unknown {
        *intended = if newest.contains(&field.in_first_items()) {
            Suggestion::Newer(Version::V2.name())
        } else {
            near(field, node, &own)
        };
    }
}

/// The fields that a version has, those of lists as in their first items, in the order
/// in which they are read.
fn fields(version: Version, rules: Rules) -> Vec<FieldPath> {
    let notes = RefCell::new(Notes {
        fields: Some(Vec::new()),
        ..Notes::default()
    });
    let nothing = Node {
        value: Value::Null,
        place: Place::default(),
    };
    Object::root(&nothing, &notes).read(|object| document(object, version.reader(rules)));
    notes.into_inner().fields.unwrap_or_default()
}

/// What is often set, and named by the end of its path alone.
const OFTEN_SET: [&str; 2] = ["averageUtilization", "averageValue"];

/// The path in the spec of the newest version that alone ends as this one, or that has the
/// names that its own are similar to or a part of; none where one is like nothing there.
pub(super) fn corrected(path: &[PathStep<String>]) -> Option<FieldPath> {
    let target = FieldPath::from("spec.metrics")
        .item(0)
        .join("resource.target");
    let mut often = OFTEN_SET.iter().map(|it| target.clone().field(*it));
    if let Some(often) = often.find(|it| ends_inside(it, path)) {
        return Some(often);
    }
    let own = fields(Version::V2, Rules::new(Release::NEWEST, &BTreeMap::new()));
    let spec = FieldPath::from("spec");
    let mut ending = own
        .iter()
        .filter(|it| it.is_within(&spec) && ends_inside(it, path));
    if let (Some(only), None) = (ending.next(), ending.next()) {
        return Some(only.clone());
    }
    path.iter().try_fold(spec, |known, step| {
        let name = match step {
            PathStep::Item(index) => return Some(known.item(*index)),
            PathStep::Field(name) => name.as_str(),
        };
        let peers = peers(&known, &own);
        let similar = nearest(name, &peers).map(|it| vec![it]);
        match similar.unwrap_or_else(|| longer(name, &peers)).as_slice() {
            [only] => Some(known.field(*only)),
            // Such as a label.
            _ if peers.is_empty() => Some(known.field(name)),
            _ => None,
        }
    })
}

/// The first part of a path of the newest version that the API does not have; what people
/// name themselves, as labels, it has all.
pub(super) fn unknown_in(path: &FieldPath, node: &Node, rules: Rules) -> Option<FieldFault> {
    let own = fields(Version::V2, rules);
    let mut prefixes = (1..=path.0.len()).map(|steps| FieldPath(path.0[..steps].to_vec()));
    let field = prefixes.find(|prefix| {
        let first = prefix.in_first_items();
        !own.iter().any(|it| it.is_within(&first))
    })?;
    (field.parent().name() != Some("matchLabels")).then(|| FieldFault {
        kind: FieldFaultKind::Unknown(near(&field, node, &own)),
        place: node.place,
        field,
    })
}

/// Whether a path ends with these steps, and has others before them.
fn ends_inside(path: &FieldPath, end: &[PathStep<String>]) -> bool {
    let mut steps = path.0.iter().rev();
    end.iter().rev().all(|step| steps.next() == Some(step)) && steps.next().is_some()
}

/// A similar name in the same object, the name that the field has now, a
/// longer name, or the same one in another place; the first that there is.
fn near(field: &FieldPath, node: &Node, own: &[FieldPath]) -> Suggestion {
    let name = field.name().unwrap_or_default();
    let peers = peers(&field.parent(), own);
    let renamed = |names: &[&str]| {
        let names = names.iter().map(|it| (*it).to_owned());
        Suggestion::Renamed(names.collect())
    };
    if let Some(similar) = nearest(name, &peers) {
        return renamed(&[similar]);
    }
    if let Some((_, now)) = RENAMED.iter().find(|(old, _)| *old == name) {
        return elsewhere(field, &(*now).into(), node, own);
    }
    let longer = longer(name, &peers);
    match longer.len() {
        0 => elsewhere(field, &FieldPath::default().field(name), node, own),
        1..=MOST_SUGGESTED => renamed(&longer),
        _ => Suggestion::Nothing,
    }
}

/// The names that an object has.
fn peers<'f>(parent: &FieldPath, own: &'f [FieldPath]) -> Vec<&'f str> {
    let parent = parent.in_first_items();
    let names = own.iter().filter(|field| field.parent() == parent);
    names.filter_map(FieldPath::name).collect()
}

/// The names that a name is a part of.
fn longer<'f>(name: &str, peers: &[&'f str]) -> Vec<&'f str> {
    let part = name.to_lowercase();
    if part.len() < SHORTEST_PART {
        return Vec::new();
    }
    let longer = peers.iter().copied();
    longer
        .filter(|it| it.to_lowercase().contains(&part))
        .collect()
}

/// The fields inside of objects whose path ends so: those that are the least far from what
/// the document has, and from the field itself.
fn elsewhere(field: &FieldPath, end: &FieldPath, node: &Node, own: &[FieldPath]) -> Suggestion {
    let mut nearest = Vec::new();
    let mut least = (0, 0);
    for candidate in own.iter().filter(|own| ends_inside(own, &end.0)) {
        let (path, shared) = placed(candidate, field);
        let score = (node.reached(&path), shared);
        if score > least {
            nearest.clear();
            least = score;
        }
        if score == least {
            nearest.push(path);
        }
    }
    match nearest.len() {
        1..=MOST_SUGGESTED => Suggestion::Moved(nearest),
        _ => Suggestion::Nothing,
    }
}

/// A field with the items of lists as another field has them, or else in their first
/// items, and how many steps the two share.
fn placed(candidate: &FieldPath, field: &FieldPath) -> (FieldPath, usize) {
    let first = field.in_first_items();
    let both = candidate.0.iter().zip(&first.0);
    let shared = both.take_while(|(one, other)| one == other).count();
    let steps = field.0[..shared].iter().chain(&candidate.0[shared..]);
    (FieldPath(steps.cloned().collect()), shared)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::controller::Release;
    use crate::document::manifest::{Rules, read};

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
