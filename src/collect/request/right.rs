//! What one must be allowed to do for a request, in RBAC's terms.

use std::fmt;

/// A right: a verb on a resource of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Right {
    /// The group; empty for the core group.
    pub group: String,
    /// The plural, with the subresource if there is one.
    pub resource: String,
    /// `get`, `list` or `watch`.
    pub verb: &'static str,
    /// Where; absent for all namespaces.
    pub namespace: Option<String>,
}

impl Right {
    pub(super) fn new(
        verb: &'static str,
        group: &str,
        resource: &str,
        namespace: Option<&str>,
    ) -> Self {
        Self {
            group: group.to_owned(),
            resource: resource.to_owned(),
            verb,
            namespace: namespace.map(str::to_owned),
        }
    }
}

/// `list pods in API group "metrics.k8s.io" in namespace "shop"`.
impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)?;
        if !self.group.is_empty() {
            write!(f, " in API group {:?}", self.group)?;
        }
        match &self.namespace {
            Some(namespace) => write!(f, " in namespace {namespace:?}"),
            None => write!(f, " in all namespaces"),
        }
    }
}
