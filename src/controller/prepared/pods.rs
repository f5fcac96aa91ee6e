//! The pods that the selector matches.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use super::nanos;
use crate::api::{self, ConditionStatus, Phase, PodConditionKind, Selector, Wording};
use crate::controller::time::{Nanos, SECOND, ZERO_TIME};
use crate::document::snapshot::Snapshot;

/// A pod as the algorithm reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pod<'s> {
    /// The pod's name.
    pub name: &'s str,
    /// Whether it is being deleted.
    pub terminating: bool,
    /// Its phase.
    pub phase: Phase,
    /// When it started.
    pub started: Option<Nanos>,
    /// Its Ready condition.
    pub ready: Option<ReadyCondition>,
}

/// A pod's Ready condition. Its status `Unknown` is neither of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyCondition {
    /// The status is True.
    pub is_true: bool,
    /// The status is False.
    pub is_false: bool,
    /// When the status last changed.
    pub changed: Nanos,
}

impl<'s> Pod<'s> {
    pub(super) fn new(pod: &'s api::Pod) -> Self {
        Self {
            name: &pod.metadata.name,
            terminating: pod.metadata.deletion_timestamp.is_some(),
            phase: pod.status.phase.known().unwrap_or(Phase::Unknown),
            started: pod.status.start_time.map(nanos),
            ready: pod
                .condition(PodConditionKind::Ready)
                .map(|condition| ReadyCondition {
                    is_true: condition.status == ConditionStatus::True,
                    is_false: condition.status == ConditionStatus::False,
                    changed: condition.last_transition_time.map_or(ZERO_TIME, nanos),
                }),
        }
    }

    /// One without a name that has been Running and Ready for a day.
    pub fn steady(now: Nanos) -> Self {
        let since = now - 86_400 * SECOND;
        Self {
            name: "",
            terminating: false,
            phase: Phase::Running,
            started: Some(since),
            ready: Some(ReadyCondition {
                is_true: true,
                is_false: false,
                changed: since,
            }),
        }
    }

    /// What it is told by: one that is made up has no name, but a place among the pods.
    pub fn name_at(&self, place: usize) -> Cow<'s, str> {
        match self.name {
            "" => format!("pod-{}", place + 1).into(),
            name => name.into(),
        }
    }

    /// Whether it is neither over nor about to go: others are in no group.
    pub fn is_there(&self) -> bool {
        !self.terminating && !matches!(self.phase, Phase::Failed | Phase::Succeeded)
    }

    /// Whether the pod counts for targets of type Value.
    pub fn is_running_and_ready(&self) -> bool {
        self.phase == Phase::Running && self.ready.is_some_and(|ready| ready.is_true)
    }
}

/// The pods that the target's scale selects; none where it names no selector
/// that parses.
pub fn selected_pods(snapshot: &Snapshot) -> Vec<&api::Pod> {
    let Some(scale) = snapshot.scale.response() else {
        return Vec::new();
    };
    let text = &scale.status.selector;
    let namespace = &snapshot.hpa.metadata.namespace;
    match Selector::parse(text, Wording::LabelKey) {
        Ok(selector) if !text.is_empty() => select(snapshot, namespace, &selector).collect(),
        _ => Vec::new(),
    }
}

/// Every pod of the namespace whose labels match, whoever owns it and
/// whatever its phase.
pub(super) fn select<'s>(
    snapshot: &'s Snapshot,
    namespace: &str,
    selector: &Selector,
) -> impl Iterator<Item = &'s api::Pod> {
    snapshot
        .pods
        .iter()
        .filter(move |pod| pod.metadata.namespace.is_empty() || pod.metadata.namespace == namespace)
        .filter(move |pod| selector.matches(&pod.metadata.labels))
}

/// How many pods to look at before the names are hashed: samples mostly come
/// in the pods' order, with a few left out.
const AHEAD: usize = 8;

/// Where each selected pod stands.
pub(super) struct Positions<'a> {
    pods: &'a [Pod<'a>],
    /// Only looked up, never iterated; made when order does not help.
    by_name: OnceCell<HashMap<&'a str, usize>>,
}

impl<'a> Positions<'a> {
    pub(super) fn new(pods: &'a [Pod<'a>]) -> Self {
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
        let following = self.pods.get(expected..).unwrap_or_default().iter();
        let near = following.take(AHEAD).position(|pod| pod.name == name);
        near.map(|offset| expected + offset)
            .or_else(|| self.by_name().get(name).copied())
    }

    fn by_name(&self) -> &HashMap<&'a str, usize> {
        self.by_name.get_or_init(|| {
            let names = self.pods.iter().map(|pod| pod.name);
            names
                .enumerate()
                .map(|(position, name)| (name, position))
                .collect()
        })
    }
}
