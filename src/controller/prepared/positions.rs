//! Finding a pod by its name.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::api::Pod;

/// How many pods to look at before the names are hashed: samples mostly come
/// in the pods' order, with a few left out.
const AHEAD: usize = 8;

/// Where each selected pod stands.
pub(super) struct Positions<'a> {
    pods: &'a [&'a Pod],
    /// Only looked up, never iterated; made when order does not help.
    by_name: OnceCell<HashMap<&'a str, usize>>,
}

impl<'a> Positions<'a> {
    pub(super) fn new(pods: &'a [&'a Pod]) -> Self {
        Self {
            pods,
            by_name: OnceCell::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.pods.len()
    }

    /// The position of the pod of that name, which is probably at or shortly
    /// after `expected`.
    pub(super) fn find(&self, name: &str, expected: usize) -> Option<usize> {
        let ahead = self.pods.get(expected..).unwrap_or_default().iter();
        let near = ahead.take(AHEAD).position(|pod| pod.metadata.name == name);
        near.map(|offset| expected + offset)
            .or_else(|| self.by_name().get(name).copied())
    }

    fn by_name(&self) -> &HashMap<&'a str, usize> {
        self.by_name.get_or_init(|| {
            let names = self.pods.iter().map(|pod| pod.metadata.name.as_str());
            names
                .enumerate()
                .map(|(position, name)| (name, position))
                .collect()
        })
    }
}
