//! Label and field selectors as the API reads them in a query.

use std::collections::BTreeMap;

/// The fields by which a resource can be selected, with the place of each in
/// the object. Every resource has the first two.
const EVERYWHERE: [(&str, &str); 2] = [
    ("metadata.name", "metadata.name"),
    ("metadata.namespace", "metadata.namespace"),
];

#[rustfmt::skip] // one field a line
const OF_EVENTS: [(&str, &str); 11] = [
    ("involvedObject.apiVersion", "involvedObject.apiVersion"),
    ("involvedObject.fieldPath", "involvedObject.fieldPath"),
    ("involvedObject.kind", "involvedObject.kind"),
    ("involvedObject.name", "involvedObject.name"),
    ("involvedObject.namespace", "involvedObject.namespace"),
    ("involvedObject.resourceVersion", "involvedObject.resourceVersion"),
    ("involvedObject.uid", "involvedObject.uid"),
    ("reason", "reason"),
    ("reportingComponent", "reportingComponent"),
    ("source", "source.component"),
    ("type", "type"),
];

#[rustfmt::skip] // one field a line
const OF_NEW_EVENTS: [(&str, &str); 10] = [
    ("reason", "reason"),
    ("regarding.apiVersion", "regarding.apiVersion"),
    ("regarding.fieldPath", "regarding.fieldPath"),
    ("regarding.kind", "regarding.kind"),
    ("regarding.name", "regarding.name"),
    ("regarding.namespace", "regarding.namespace"),
    ("regarding.resourceVersion", "regarding.resourceVersion"),
    ("regarding.uid", "regarding.uid"),
    ("reportingController", "reportingController"),
    ("type", "type"),
];

#[rustfmt::skip] // one field a line
const OF_PODS: [(&str, &str); 8] = [
    ("spec.hostNetwork", "spec.hostNetwork"),
    ("spec.nodeName", "spec.nodeName"),
    ("spec.restartPolicy", "spec.restartPolicy"),
    ("spec.schedulerName", "spec.schedulerName"),
    ("spec.serviceAccountName", "spec.serviceAccountName"),
    ("status.nominatedNodeName", "status.nominatedNodeName"),
    ("status.phase", "status.phase"),
    ("status.podIP", "status.podIP"),
];

/// The selectable fields of a resource, with the place of each in the object.
pub fn selectable(
    group: &str,
    resource: &str,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let more: &[(&str, &str)] = match (group, resource) {
        ("", "events") => &OF_EVENTS,
        ("events.k8s.io", "events") => &OF_NEW_EVENTS,
        ("", "pods") => &OF_PODS,
        _ => &[],
    };
    EVERYWHERE.into_iter().chain(more.iter().copied())
}

/// A requirement on the value of a label or field.
#[derive(Debug, PartialEq)]
enum Requirement {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    Missing(String),
    /// By order: whether the number must be greater, and than what.
    Compared(String, bool, i64),
}

/// All of its requirements must hold.
#[derive(Debug, Default, PartialEq)]
pub struct Selector(Vec<Requirement>);

impl Selector {
    /// Reads a label selector.
    pub fn labels(text: &str) -> Result<Self, String> {
        let parts = split_outside_parentheses(text);
        let requirements = parts.into_iter().map(|part| {
            set_based(part)
                .or_else(|| equality(part))
                .or_else(|| ordered(part))
                .or_else(|| existence(part))
                .ok_or_else(|| format!("unable to parse requirement: {part}"))
        });
        requirements.collect::<Result<_, _>>().map(Self)
    }

    /// Reads a field selector on the selectable fields of a resource.
    pub fn fields(text: &str, group: &str, resource: &str) -> Result<Self, String> {
        let mut requirements = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let requirement = equality(part)
                .ok_or_else(|| format!("invalid selector: '{text}'; can't understand '{part}'"))?;
            let field = requirement.key();
            if !selectable(group, resource).any(|(known, _)| known == field) {
                return Err(unknown_field(field, group, resource));
            }
            requirements.push(requirement);
        }
        Ok(Self(requirements))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.iter().all(|requirement| requirement.holds(labels))
    }

    /// A field that an object does not set counts as empty.
    pub fn matches_fields(&self, fields: &BTreeMap<String, String>) -> bool {
        self.0.iter().all(|requirement| {
            let value = fields.get(requirement.key()).map_or("", String::as_str);
            match requirement {
                Requirement::NotIn(_, values) => !values.iter().any(|known| known == value),
                Requirement::In(_, values) => values.iter().any(|known| known == value),
                _ => false,
            }
        })
    }
}

impl Requirement {
    fn key(&self) -> &str {
        match self {
            Self::In(key, _)
            | Self::NotIn(key, _)
            | Self::Exists(key)
            | Self::Missing(key)
            | Self::Compared(key, ..) => key,
        }
    }

    fn holds(&self, labels: &BTreeMap<String, String>) -> bool {
        let value = labels.get(self.key());
        match self {
            Self::In(_, values) => value.is_some_and(|value| values.contains(value)),
            Self::NotIn(_, values) => value.is_none_or(|value| !values.contains(value)),
            Self::Exists(_) => value.is_some(),
            Self::Missing(_) => value.is_none(),
            Self::Compared(_, greater, bound) => value
                .and_then(|value| value.parse::<i64>().ok())
                .is_some_and(|value| {
                    if *greater {
                        value > *bound
                    } else {
                        value < *bound
                    }
                }),
        }
    }
}

fn unknown_field(field: &str, group: &str, resource: &str) -> String {
    if selectable(group, resource).count() > EVERYWHERE.len() {
        return format!("field label not supported: {field}");
    }
    format!(
        "\"{field}\" is not a known field selector: only \"metadata.name\", \
         \"metadata.namespace\""
    )
}

fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|character| {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        character == ',' && depth == 0
    });
    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

/// `key in (a,b)` and `key notin (a,b)`.
fn set_based(part: &str) -> Option<Requirement> {
    let (head, values) = part.strip_suffix(')')?.split_once('(')?;
    let mut words = head.split_whitespace();
    let (key, operator) = (words.next()?.to_owned(), words.next()?);
    let values = values.split(',').map(|value| value.trim().to_owned());
    match operator {
        "in" => Some(Requirement::In(key, values.collect())),
        "notin" => Some(Requirement::NotIn(key, values.collect())),
        _ => None,
    }
}

/// `key=value`, `key==value` and `key!=value`.
fn equality(part: &str) -> Option<Requirement> {
    if let Some((key, value)) = part.split_once("!=") {
        return Some(Requirement::NotIn(
            word(key)?,
            vec![value.trim().to_owned()],
        ));
    }
    let (key, value) = part.split_once("==").or_else(|| part.split_once('='))?;
    Some(Requirement::In(word(key)?, vec![value.trim().to_owned()]))
}

/// `key>1` and `key<1`.
fn ordered(part: &str) -> Option<Requirement> {
    let greater = part.contains('>');
    let (key, bound) = part.split_once(['<', '>'])?;
    Some(Requirement::Compared(
        word(key)?,
        greater,
        bound.trim().parse().ok()?,
    ))
}

/// `key` and `!key`.
fn existence(part: &str) -> Option<Requirement> {
    match part.strip_prefix('!') {
        Some(key) => Some(Requirement::Missing(word(key)?)),
        None => Some(Requirement::Exists(word(part)?)),
    }
}

fn word(text: &str) -> Option<String> {
    let text = text.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    (!text.is_empty() && text.chars().all(plain)).then(|| text.to_owned())
}
