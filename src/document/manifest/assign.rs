//! Setting a field by its path, as `--set` does.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::field_error::Refusal;
use super::read::corrected;
use crate::document::PathStep::{self, Field, Item};
use crate::document::{Entry, FieldPath, Node, Place, Value, parse};
use crate::trace::shell_word;

/// The longest path; the API has none that is half as long.
const MOST_STEPS: usize = 40;

/// `PATH=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The field.
    pub field: FieldPath,
    /// The value as it was written.
    pub text: String,
}

const EXAMPLE: &str = "give PATH=VALUE, such as spec.maxReplicas=20";

/// Why a text is not an assignment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseAssignmentError {
    /// It has no `=`.
    #[error("{EXAMPLE}")]
    NoSign,
    /// It has nothing behind the `=`.
    #[error("has no value; null removes a field, \"\" is an empty string")]
    NoValue,
    /// The path begins like a target of the spec, of which there is none.
    #[error(
        "`{0}` is not a field; a target is one of a metric, such as \
         spec.metrics[0].resource.target.averageUtilization"
    )]
    Target(String),
    /// What is written in another way than a path is, and what is probably meant.
    #[error("`{0}` is not a path; did you mean {word}?", word = shell_word(&.1.to_string()))]
    NoPath(String, Assignment),
    /// Several assignments, each with its flag but the first.
    #[error("give each its own flag: --set {0}")]
    Several(String),
    /// The path leads elsewhere.
    #[error("`{0}` is not a field of spec; {EXAMPLE}")]
    NotOfSpec(String),
    /// The path has too many steps.
    #[error("more than {MOST_STEPS} steps")]
    TooLong,
    /// The path has an empty step.
    #[error("a field has no name in {0:?}")]
    NoName(String),
    /// What stands behind a `[`, and the path.
    #[error("[{0} in {1:?} is not a list index such as [0]")]
    NoIndex(String, String),
}

impl FromStr for Assignment {
    type Err = ParseAssignmentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        use ParseAssignmentError::{NoPath, NoSign, Several};
        let Some((path, value)) = text.split_once('=') else {
            // As in YAML.
            let (path, value) = text.split_once(':').ok_or(NoSign)?;
            let meant = Self::meant(&format!("{}={}", path.trim(), value.trim()))?;
            return Err(NoPath(text.to_owned(), meant));
        };
        // As Helm takes them; what is none is a value with a comma.
        let all = text.split(',').map(|it| Self::meant(it.trim()));
        if text.contains(',')
            && !value.contains(['"', '\'', '{'])
            && let Ok(all) = all.collect::<Result<Vec<Self>, _>>()
        {
            let all = all.iter().map(|it| shell_word(&it.to_string()));
            return Err(Several(all.collect::<Vec<String>>().join(" --set ")));
        }
        // As in a JSON patch.
        if let Some(pointer) = path.strip_prefix('/') {
            let meant = Self::likely(Self::of(path, steps_of_pointer(pointer)?, value))?;
            return Err(NoPath(path.to_owned(), meant));
        }
        // As in a JSONPath.
        let path = path.strip_prefix('.').unwrap_or(path);
        Self::of(path, steps(path)?, value)
    }
}

/// The steps of a JSON pointer (RFC 6901).
fn steps_of_pointer(pointer: &str) -> Result<Vec<PathStep<String>>, ParseAssignmentError> {
    let steps = pointer.split('/').map(|step| match step {
        "" => Err(ParseAssignmentError::NoName(pointer.to_owned())),
        // In a patch, the place behind the last item.
        "-" => Err(ParseAssignmentError::NoIndex(
            "-".to_owned(),
            pointer.to_owned(),
        )),
        step => Ok(match index(step) {
            Some(index) => Item(index),
            None => Field(step.replace("~1", "/").replace("~0", "~")),
        }),
    });
    steps.collect()
}

/// An index is written in digits alone, without a sign.
fn index(text: &str) -> Option<usize> {
    let is_number = text.bytes().all(|it| it.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// A dot parts the fields, `\.` is one inside of a name, as in the keys of
/// labels; `[0]` is an item of a list.
fn steps(path: &str) -> Result<Vec<PathStep<String>>, ParseAssignmentError> {
    let mut steps = Vec::new();
    for part in parts(path) {
        let (name, items) = match part.split_once('[') {
            Some((name, items)) => (name.to_owned(), Some(items)),
            None => (part.clone(), None),
        };
        if name.is_empty() {
            return Err(ParseAssignmentError::NoName(path.to_owned()));
        }
        steps.push(Field(name));
        for item in items.into_iter().flat_map(|items| items.split('[')) {
            let index = item.strip_suffix(']').and_then(index);
            let wrong = || ParseAssignmentError::NoIndex(item.to_owned(), path.to_owned());
            steps.push(Item(index.ok_or_else(wrong)?));
        }
    }
    Ok(steps)
}

fn parts(path: &str) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let mut characters = path.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '.' => parts.push(std::mem::take(&mut part)),
            '\\' if characters.peek() == Some(&'.') => part.extend(characters.next()),
            other => part.push(other),
        }
    }
    parts.push(part);
    parts
}

/// As it can be given again.
impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.field.0.iter().map(|step| match step {
            Field(name) => Field(name.replace('.', "\\.")),
            Item(index) => Item(*index),
        });
        write!(f, "{}={}", FieldPath(steps.collect()), self.text)
    }
}

impl Assignment {
    /// What a text is, or was probably meant to be.
    ///
    /// # Errors
    ///
    /// It is like no assignment.
    pub fn meant(text: &str) -> Result<Self, ParseAssignmentError> {
        Self::likely(text.parse())
    }

    fn likely(own: Result<Self, ParseAssignmentError>) -> Result<Self, ParseAssignmentError> {
        match own {
            Err(ParseAssignmentError::NoPath(_, meant)) => Ok(meant),
            own => own,
        }
    }

    /// Of a path as it was written, and its steps.
    fn of(
        path: &str,
        steps: Vec<PathStep<String>>,
        value: &str,
    ) -> Result<Self, ParseAssignmentError> {
        use ParseAssignmentError::{NoPath, NoValue, NotOfSpec, Target, TooLong};
        let (own, text) = (path.to_owned(), value.to_owned());
        if text.is_empty() {
            return Err(NoValue);
        }
        match steps.as_slice() {
            [Field(first), Field(field), ..] if first == "spec" && field == "target" => {
                return Err(Target(own));
            }
            [Field(first), Field(_), ..] if first == "spec" => {}
            [Field(first), ..] if !matches!(first.as_str(), "spec" | "metadata" | "status") => {
                return Err(match corrected(&steps) {
                    Some(field) => NoPath(own, Self { field, text }),
                    None if matches!(first.as_str(), "target" | "cpu" | "memory") => Target(own),
                    None => NotOfSpec(own),
                });
            }
            _ => return Err(NotOfSpec(own)),
        }
        if steps.len() > MOST_STEPS {
            return Err(TooLong);
        }
        let field = FieldPath(steps);
        Ok(Self { field, text })
    }

    /// Whether a field is what was set, a part of it, or around it.
    pub(super) fn is_about(&self, field: &FieldPath) -> bool {
        field.is_within(&self.field) || self.field.is_within(field)
    }

    /// What the field is set to: a value of YAML, or the text itself.
    pub(super) fn value(&self, is_text: bool) -> Value {
        let parsed = (!is_text).then(|| parse(&self.text, 0).ok()).flatten();
        parsed.map_or_else(|| Value::Text(self.text.clone()), |node| node.value)
    }

    /// Sets the field.
    /// Errors: why there is no such place.
    pub(super) fn apply(&self, document: &mut Node, value: Value) -> Result<(), Refusal> {
        let place = document.place;
        set(
            document,
            &FieldPath::default(),
            &self.field.0,
            Node { value, place },
        )
    }
}

fn set(
    node: &mut Node,
    path: &FieldPath,
    steps: &[PathStep<String>],
    value: Node,
) -> Result<(), Refusal> {
    let Some((step, rest)) = steps.split_first() else {
        *node = value;
        return Ok(());
    };
    let is_null = value.value == Value::Null;
    if is_null && node.value == Value::Null {
        // What is not there has nothing to remove.
        return Ok(());
    }
    let is_removal = rest.is_empty() && is_null;
    let place = node.place;
    match step {
        Field(name) => {
            let entries = fields(node, path, name)?;
            let inner = path.clone().field(name);
            let at = match entries.iter().rposition(|entry| entry.key == *name) {
                Some(_) if is_removal => {
                    entries.retain(|entry| entry.key != *name);
                    return Ok(());
                }
                None if is_null => return Ok(()),
                Some(at) => at,
                None => {
                    entries.push(Entry {
                        key: name.clone(),
                        place,
                        value: absent(place),
                    });
                    entries.len() - 1
                }
            };
            set(&mut entries[at].value, &inner, rest, value)
        }
        Item(index) => {
            let items = items(node, path)?;
            let inner = path.clone().item(*index);
            let length = items.len();
            if *index > length || is_null && *index == length {
                let items = if length == 1 { "item" } else { "items" };
                let next = match length.checked_sub(1) {
                    _ if is_null => String::new(),
                    None => format!("; {path}[0] adds the first one"),
                    Some(last) => {
                        format!("; {path}[{last}] changes the last one, {path}[{length}] adds one")
                    }
                };
                return Err(Refusal::whole(format!(
                    "{inner} is beyond the end: {path} has {length} {items}{next}"
                )));
            }
            if is_removal {
                items.remove(*index);
                return Ok(());
            }
            if *index == length {
                items.push(absent(place));
            }
            set(&mut items[*index], &inner, rest, value)
        }
    }
}

fn absent(place: Place) -> Node {
    Node {
        value: Value::Null,
        place,
    }
}

fn fields<'n>(
    node: &'n mut Node,
    path: &FieldPath,
    name: &str,
) -> Result<&'n mut Vec<Entry>, Refusal> {
    if node.value == Value::Null {
        node.value = Value::Object(Vec::new());
    }
    let says = match &mut node.value {
        Value::Object(entries) => return Ok(entries),
        Value::List(items) => format!("{path} is a list; {}", one_of(items, path, name)),
        other => format!("{path} is {} and has no fields", other.kind()),
    };
    Err(Refusal::whole(says))
}

/// The item of a list that a field may be meant to be of: the metric of a
/// resource, with the field of its target, or the first one.
fn one_of(items: &[Node], path: &FieldPath, name: &str) -> String {
    let mut targets = items.iter().enumerate().filter_map(|(at, item)| {
        let resource = item.get("resource")?;
        let Value::Object(target) = &resource.get("target")?.value else {
            return None;
        };
        let amount = target.iter().find(|entry| entry.key != "type")?;
        (resource.text("name") == Some(name)).then_some((at, &amount.key))
    });
    match targets.next() {
        Some((at, amount)) => format!("{name} is {path}[{at}].resource.target.{amount}"),
        None => format!("{path}[0] is its first item"),
    }
}

fn items<'n>(node: &'n mut Node, path: &FieldPath) -> Result<&'n mut Vec<Node>, Refusal> {
    if node.value == Value::Null {
        node.value = Value::List(Vec::new());
    }
    match &mut node.value {
        Value::List(items) => Ok(items),
        other => {
            let says = format!("{path} is {} and has no items", other.kind());
            Err(Refusal::whole(says))
        }
    }
}
