//! What a request asks for, in its parts.

use std::collections::BTreeMap;

/// Parameters that do not change what a recording answers: how long to wait,
/// how fresh the answer must be, how to lay it out.
const WITHOUT_EFFECT: [&str; 5] = [
    "pretty",
    "resourceVersion",
    "resourceVersionMatch",
    "timeout",
    "timeoutSeconds",
];

/// A query, whatever the order its parameters were written in.
pub type Query = BTreeMap<String, String>;

/// A path without escapes, and the query that changes the answer. An empty
/// parameter means the same as none, as everywhere in the Kubernetes API.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    pub path: String,
    pub query: Query,
}

impl Target {
    pub fn parse(text: &str) -> Self {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let query = pairs
            .map(|(name, value)| (decoded(name), decoded(&value.replace('+', " "))))
            .filter(|(name, value)| !value.is_empty() && !WITHOUT_EFFECT.contains(&name.as_str()))
            .collect();
        Self {
            path: decoded(path),
            query,
        }
    }

    /// The parameters that select, without those that page.
    pub fn selection(&self) -> Query {
        let mut query = self.query.clone();
        query.retain(|name, _| name != "limit" && name != "continue");
        query
    }

    /// Whether it asks for a watch.
    pub fn is_watch(&self) -> bool {
        matches!(self.parameter("watch"), "1" | "true")
    }

    pub fn parameter(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let escape = (*first == b'%').then(|| tail.get(..2)).flatten();
        let value = escape
            .and_then(|digits| str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(value.unwrap_or(*first));
        rest = if value.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The resource that a path of the API leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    pub group: String,
    pub version: String,
    pub namespace: Option<String>,
    pub resource: String,
    pub name: Option<String>,
    pub subresource: Option<String>,
}

impl Address {
    /// The address of a path without escapes; none for discovery and for
    /// what is no resource.
    pub fn of(path: &str) -> Option<Self> {
        let mut parts = path.strip_prefix('/')?.split('/').map(str::to_owned);
        let group = match parts.next()?.as_str() {
            "api" => String::new(),
            "apis" => parts.next()?,
            _ => return None,
        };
        let version = parts.next()?;
        let rest: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        let (namespace, rest) = match rest.as_slice() {
            // The namespace itself is a resource too, and its status.
            [first, name, third, rest @ ..] if first == "namespaces" && third != "status" => (
                Some(name.clone()),
                [std::slice::from_ref(third), rest].concat(),
            ),
            all => (None, all.to_vec()),
        };
        let mut rest = rest.into_iter();
        Some(Self {
            group,
            version,
            namespace,
            resource: rest.next()?,
            name: rest.next(),
            subresource: rest.reduce(|path, part| format!("{path}/{part}")),
        })
    }

    /// `apps/v1`, or `v1` for the core group.
    pub fn group_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// `deployments.apps`, or `pods` for the core group.
    pub fn qualified(&self) -> String {
        if self.group.is_empty() {
            self.resource.clone()
        } else {
            format!("{}.{}", self.resource, self.group)
        }
    }

    /// Whether both are of one resource, wherever and whichever object.
    pub fn same_resource(&self, other: &Self) -> bool {
        (&self.group, &self.version, &self.resource)
            == (&other.group, &other.version, &other.resource)
    }

    /// The path of the list that the object is in.
    pub fn list_path(&self) -> String {
        let folder = if self.group.is_empty() { "api" } else { "apis" };
        let namespace = self.namespace.as_ref();
        let namespace = namespace.map_or(String::new(), |name| format!("namespaces/{name}/"));
        let version = self.group_version();
        format!("/{folder}/{version}/{namespace}{}", self.resource)
    }

    /// Whether an adapter answers for a metric here: such paths look like
    /// objects and subresources, but are neither.
    pub fn is_adapted_metric(&self) -> bool {
        ["custom.metrics.k8s.io", "external.metrics.k8s.io"].contains(&self.group.as_str())
    }

    /// Whether an aggregated server answers that knows nothing of pages.
    pub fn is_metric(&self) -> bool {
        self.group.ends_with("metrics.k8s.io")
    }
}
