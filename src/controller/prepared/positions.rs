//! Finding a pod by its name.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::snapshot::Pod;

/// How many pods to look at before the names are hashed: samples mostly come
/// in the pods' order, with a few left out.
const AHEAD: usize = 8;

/// Where each selected pod stands.
pub(super) struct Positions<'s> {
    names: Vec<&'s str>,
    /// Only looked up, never iterated; made when order does not help.
    by_name: OnceCell<HashMap<&'s str, usize>>,
}

impl<'s> Positions<'s> {
    pub(super) fn new(pods: &[&'s Pod]) -> Self {
        Self {
            names: pods.iter().map(|pod| pod.metadata.name.as_str()).collect(),
            by_name: OnceCell::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The position of the pod of that name, which is probably at or shortly
    /// after `expected`.
    pub(super) fn find(&self, name: &str, expected: usize) -> Option<usize> {
        let ahead = self.names.get(expected..).unwrap_or_default().iter();
        let near = ahead.take(AHEAD).position(|near| *near == name);
        near.map(|offset| expected + offset)
            .or_else(|| self.by_name().get(name).copied())
    }

    fn by_name(&self) -> &HashMap<&'s str, usize> {
        self.by_name.get_or_init(|| {
            let numbered = self.names.iter().enumerate();
            numbered.map(|(position, name)| (*name, position)).collect()
        })
    }
}
