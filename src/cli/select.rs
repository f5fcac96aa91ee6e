//! Which HPAs a command is about.

use std::borrow::Borrow;
use std::collections::HashSet;

use anyhow::anyhow;

use crate::api::CrossVersionObjectReference;
use crate::cli::failure::Failure;
use crate::document::nearest;
use crate::document::snapshot::{Document, Snapshot, may_be_own};
use crate::trace::amount::{counted, some};
use crate::trace::shell_word;

/// How many HPAs a message lists.
const MOST_LISTED: usize = 10;

/// Kinds that no HPA scales, and no one names a namespace after.
const OTHER_KINDS: [&str; 6] = [
    "service",
    "scaledobject",
    "job",
    "cronjob",
    "daemonset",
    "node",
];

/// A pod, which stands for the HPA of its owner.
pub const POD: &str = "pod";

/// Kinds that kubectl takes as a word before the name.
const REPLICATED: [&str; 6] = [
    "deployment",
    "statefulset",
    "replicaset",
    "replicationcontroller",
    POD,
    "rollout",
];

/// A name as the user gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The HPA of this name.
    Autoscaler(String),
    /// Every HPA that points to this target.
    Target {
        /// The target's kind in lower case.
        kind: String,
        /// The target's name.
        name: String,
    },
}

impl Selection {
    /// Reads `NAME`, `hpa/NAME` or `TYPE/NAME`.
    pub fn parse(text: &str) -> Self {
        let Some((kind, name)) = text.split_once('/') else {
            return Self::Autoscaler(text.to_owned());
        };
        // `deployments.apps` and `deployments.v1.apps` name the same kind.
        let resource = kind.split('.').next().unwrap_or(kind).to_ascii_lowercase();
        match resource.as_str() {
            _ if is_hpa(kind) => Self::Autoscaler(name.to_owned()),
            _ => Self::Target {
                kind: kind_of(&resource).to_owned(),
                name: name.to_owned(),
            },
        }
    }

    /// Whether the snapshot is of an HPA that one of the names wants; without
    /// names all are wanted.
    pub fn any_matches(names: &[String], snapshot: &Snapshot) -> bool {
        let mut requested = names.iter().map(|name| Self::parse(name));
        names.is_empty() || requested.any(|it| it.matches(snapshot))
    }

    /// Whether the snapshot is of a wanted HPA.
    pub fn matches(&self, snapshot: &Snapshot) -> bool {
        if let Self::Target { kind, name } = self
            && kind == POD
        {
            let mut named = snapshot.pods.iter();
            return named.any(|pod| pod.metadata.name == *name && may_be_own(snapshot, pod));
        }
        let hpa = &snapshot.hpa;
        self.is_of(&hpa.metadata.name, &hpa.spec.scale_target_ref)
    }

    /// Whether an HPA of this name and target is wanted.
    pub fn is_of(&self, autoscaler: &str, target: &CrossVersionObjectReference) -> bool {
        match self {
            Self::Autoscaler(name) => *name == autoscaler,
            Self::Target { kind, name } => {
                target.name == *name && target.kind.eq_ignore_ascii_case(kind)
            }
        }
    }
}

/// An HPA as messages list it: `shop/web (Deployment/web)`.
fn listed(snapshot: &Snapshot) -> String {
    let (own, target) = (&snapshot.hpa.metadata, &snapshot.hpa.spec.scale_target_ref);
    let (namespace, name) = (&own.namespace, &own.name);
    format!("{namespace}/{name} ({}/{})", target.kind, target.name)
}

/// A snapshot, and where in its file it is.
pub struct Numbered {
    /// The document's number in the file, counted from 1.
    pub document: usize,
    pub snapshot: Snapshot,
}

impl Numbered {
    fn namespace(&self) -> &str {
        &self.snapshot.hpa.metadata.namespace
    }

    fn name(&self) -> &str {
        &self.snapshot.hpa.metadata.name
    }
}

/// The snapshot of a file that is meant: the one of that name, or without a
/// name the only one; `None` where there is no such.
pub fn only<'s>(
    file: &str,
    requested: Option<&str>,
    snapshots: &'s [Numbered],
) -> anyhow::Result<Option<&'s Snapshot>> {
    let selection = requested.map(Selection::parse);
    let is_intended = |it: &&Numbered| {
        let selection = selection.as_ref();
        selection.is_none_or(|selection| selection.matches(&it.snapshot))
    };
    let found: Vec<&Numbered> = snapshots.iter().filter(is_intended).collect();
    match found.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(&only.snapshot)),
        all => Err(several(file, requested, all)),
    }
}

/// The snapshots among the documents.
pub fn readable(documents: &[Document]) -> impl Iterator<Item = &Snapshot> + Clone {
    let snapshots = documents.iter();
    snapshots.filter_map(|document| document.snapshot.as_ref().ok())
}

/// Why a file has no HPA at all: what is wrong with its first document, where
/// none of them can be read.
pub fn unreadable(file: &str, documents: &[Document]) -> Option<anyhow::Error> {
    let mut errors = documents.iter().map(|it| it.snapshot.as_ref().err());
    let first = errors.next()??;
    let more = match errors.try_fold(0, |count, error| error.map(|_| count + 1))? {
        0 => String::new(),
        more => format!(
            " ({} after it cannot be read either)",
            counted(more, "document")
        ),
    };
    Some(anyhow!("{file}:{first}{more}"))
}

/// The first name that none of the snapshots has.
pub fn not_among<'n>(
    snapshots: &[impl Borrow<Snapshot>],
    names: &'n [String],
) -> Option<&'n String> {
    names.iter().find(|name| {
        let selection = Selection::parse(name);
        !snapshots.iter().any(|it| selection.matches(it.borrow()))
    })
}

/// Refuses a name that none of these snapshots has, which are some of a file's
/// documents.
pub fn all_found<'s>(
    file: &str,
    names: &[String],
    documents: &[Document],
    snapshots: impl Iterator<Item = &'s Snapshot>,
) -> anyhow::Result<()> {
    let snapshots: Vec<&Snapshot> = snapshots.collect();
    let missing = not_among(&snapshots, names);
    missing.map_or(Ok(()), |name| Err(not_found(file, name, documents)))
}

/// That a file has no such HPA among these documents.
fn not_found(file: &str, requested: &str, documents: &[Document]) -> anyhow::Error {
    if let Some(error) = unreadable(file, documents) {
        return error;
    }
    let unreadable = documents.iter().filter_map(|it| it.snapshot.as_ref().err());
    let unreadable: Vec<String> = unreadable
        .map(|error| format!("{file}:{error}"))
        .take(3)
        .collect();
    let mut hint = holds(Some(requested), readable(documents));
    if !unreadable.is_empty() {
        hint = format!("{hint}; not readable: {}", unreadable.join("; "));
    }
    let message = match Selection::parse(requested) {
        Selection::Autoscaler(_) => no_such(file, requested),
        Selection::Target { .. } => format!("no HPA in {file} points to {requested}"),
    };
    if let Some(title) = as_title(requested) {
        hint = format!("{hint}; {title}");
    }
    Failure::error(message, hint)
}

/// How to ask for an HPA by what the title of its page has, its namespace and
/// its name, or by the name of a Service; nothing where the first word is a kind.
pub fn as_title(requested: &str) -> Option<String> {
    let (namespace, name) = if let Some(both) = requested.split_once('/') {
        both
    } else {
        let (name, rest) = requested.split_once('.')?;
        (rest.split('.').next().unwrap_or(rest), name)
    };
    let is_other = OTHER_KINDS.contains(&kind_of(&namespace.to_lowercase()));
    (!is_other && !is_kind(namespace)).then(|| {
        let words = format!("{} -n {}", shell_word(name), shell_word(namespace));
        format!("{name} of namespace {namespace} is `kubectl hpa-explain {words}`")
    })
}

/// That a file has no such HPA; `more` is what else can be done.
pub fn missing(
    file: &str,
    requested: Option<&str>,
    snapshots: &[Numbered],
    more: &str,
) -> anyhow::Error {
    let error = match requested {
        Some(requested) => no_such(file, requested),
        None => format!("no HPA found in {file}"),
    };
    let snapshots = snapshots.iter().map(|it| &it.snapshot);
    let hint = match snapshots.len() {
        0 => "it holds no readable HPA".to_owned(),
        _ => holds(requested, snapshots) + more,
    };
    Failure::error(error, hint)
}

/// What is in a file instead of a name, the one that may be meant first.
fn holds<'s>(
    requested: Option<&str>,
    snapshots: impl Iterator<Item = &'s Snapshot> + Clone,
) -> String {
    let hpas = snapshots.clone().map(|it| &it.hpa);
    let names = hpas.map(|it| it.metadata.name.as_str());
    let near = requested.and_then(|it| did_you_mean(it, names));
    let near = near.map_or_else(String::new, |it| it + " ");
    format!("{near}it holds {}", list(snapshots))
}

/// The name that is nearly what was typed, if it begins like that.
pub fn did_you_mean<'n>(typed: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let first = typed.chars().next();
    let names: Vec<&str> = names.filter(|it| it.chars().next() == first).collect();
    nearest(typed, &names).map(|it| format!("did you mean {it}?"))
}

/// What the API server says of a name, said of a file.
fn no_such(file: &str, requested: &str) -> String {
    format!("horizontalpodautoscalers.autoscaling \"{requested}\" not found in {file}")
}

/// That a file holds several HPAs that are meant: where, and what tells them
/// apart.
fn several(file: &str, requested: Option<&str>, found: &[&Numbered]) -> anyhow::Error {
    let is_one = |key: fn(&Numbered) -> &str| {
        let mut keys = found.iter().map(|it| key(it));
        let first = keys.next();
        keys.all(|key| Some(key) == first)
    };
    let documents = enumerated(found.iter().map(|it| it.document.to_string()));
    match (is_one(Numbered::namespace), is_one(Numbered::name)) {
        (true, true) => {
            let own = found.first().map_or_else(String::new, |it| {
                format!("{}/{}", it.namespace(), it.name())
            });
            Failure::error(
                format!(
                    "{file} has {own} {} times: in documents {documents}",
                    found.len()
                ),
                "keep one of these documents: no flag tells them apart",
            )
        }
        (_, has_one_name) => {
            let all = found.iter().map(|it| {
                let document = it.document;
                format!("{} in document {document}", listed(&it.snapshot))
            });
            let ways = found.iter().map(|it| {
                let name = if has_one_name && requested.is_some() {
                    String::new()
                } else {
                    format!("hpa/{} ", it.name())
                };
                format!("{name}-n {}", it.namespace())
            });
            let intended =
                requested.map_or_else(String::new, |requested| format!(" that {requested} means"));
            Failure::error(
                format!(
                    "{file} holds {} HPAs{intended}: {}",
                    found.len(),
                    enumerated(all)
                ),
                format!("choose one: {}", enumerated(ways)),
            )
        }
    }
}

/// What the snapshots are of, each once, as far as it fits a message.
pub fn list<'s>(snapshots: impl Iterator<Item = &'s Snapshot>) -> String {
    enumerated(snapshots.map(listed))
}

/// The namespaces of the snapshots, each once.
pub fn namespaces<'s>(snapshots: impl Iterator<Item = &'s Snapshot>) -> String {
    enumerated(snapshots.map(|snapshot| {
        let metadata = &snapshot.hpa.metadata;
        metadata.namespace.to_string()
    }))
}

/// The items, each once, as far as they fit a message.
pub fn enumerated(items: impl Iterator<Item = String>) -> String {
    let mut known = HashSet::new();
    let items: Vec<String> = items.filter(|item| known.insert(item.clone())).collect();
    some(&items, MOST_LISTED)
}

/// Whether a word is the kind of HPAs, as kubectl takes it.
pub fn is_hpa(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    let (resource, group) = kind.split_once('.').unwrap_or((&kind, "autoscaling"));
    group.ends_with("autoscaling")
        && matches!(
            resource,
            "hpa" | "hpas" | "horizontalpodautoscaler" | "horizontalpodautoscalers"
        )
}

/// Whether kubectl takes a word for a kind that has replicas, or a pod.
pub fn is_kind(word: &str) -> bool {
    let resource = word.split('.').next().unwrap_or_default().to_lowercase();
    REPLICATED.contains(&kind_of(&resource))
}

/// The kind behind a resource's short, plural or singular name.
fn kind_of(resource: &str) -> &str {
    match resource {
        "deploy" => "deployment",
        "sts" => "statefulset",
        "rs" => "replicaset",
        "rc" => "replicationcontroller",
        "po" => POD,
        "svc" => "service",
        "so" => "scaledobject",
        "ds" => "daemonset",
        other => other.strip_suffix('s').unwrap_or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::Selection;

    #[test]
    fn names_are_read_as_kubectl_reads_them() {
        let hpa = |name: &str| Selection::Autoscaler(name.to_owned());
        let target = |kind: &str, name: &str| Selection::Target {
            kind: kind.to_owned(),
            name: name.to_owned(),
        };
        let rows = [
            ("web", hpa("web")),
            ("hpa/web", hpa("web")),
            ("horizontalpodautoscaler.v2.autoscaling/web", hpa("web")),
            ("deploy/web", target("deployment", "web")),
            ("deployments.apps/web", target("deployment", "web")),
            ("StatefulSet/db", target("statefulset", "db")),
            ("rollout/canary", target("rollout", "canary")),
            ("po/web-1", target("pod", "web-1")),
        ];
        for (text, selection) in rows {
            assert_eq!(Selection::parse(text), selection, "{text}");
        }
    }
}
