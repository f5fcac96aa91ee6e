//! A snapshot made ready for the algorithm: selected pods, samples and
//! requests as integers, found once and read by every pass that follows.
//!
//! Explaining prepares once and runs once; listing and simulating run many
//! passes on prepared inputs. What does not change from pass to pass is
//! settled here: which pods the selector matches, what they request
//! (`calculate_pod_requests`), what the metrics APIs say (`metrics_client`),
//! and which other HPAs select the same pods. What becomes of a complaint is
//! up to the pass.

mod calculate_pod_requests;
mod fallback;
mod metrics;
mod metrics_client;
mod pods;
mod spec;

use std::cell::LazyCell;

use jiff::Timestamp;

use super::release::Switch;
use super::settings::Settings;
use crate::api::{AllLabels, AnswerErrorKind, Answered, ReadFailure, Selector};
use crate::document::snapshot::Snapshot;

use pods::Positions;

pub use calculate_pod_requests::{missing_requests, pod_request};
pub use fallback::Fallback;
pub use metrics::{
    External, Metric, Object, PodsMetric, Resource, Source, Target, target, target_kind,
};
pub use metrics_client::{Sample, Samples, Unavailable, none_returned};
pub use pods::{Pod, ReadyCondition, selected_pods};
pub use spec::{Behavior, Policy, Rules, Spec};

/// Every input of a pass.
#[derive(Clone, Debug)]
pub struct Prepared<'s> {
    /// The HPA as it was before the pass, and what the rest was read from.
    pub snapshot: &'s Snapshot,
    /// Its spec as numbers.
    pub spec: Spec,
    /// The scale, or why there is none.
    pub scale: Result<Scale<'s>, ScaleError<'s>>,
    /// The pod selector, or why it is refused.
    pub selector: SelectorCheck,
    /// The pods that the selector matches, in the order given.
    pub pods: Vec<Pod<'s>>,
    /// The metrics of the spec, each with the answer of its API; empty where
    /// no pods can be selected.
    pub metrics: Vec<Metric<'s>>,
    /// Whether the condition `ScaledToZero` is True.
    pub scaled_to_zero: bool,
    /// `status.currentReplicas` before the pass.
    pub reported_current: i32,
    /// `status.desiredReplicas` before the pass.
    pub reported_desired: i32,
}

/// The target's scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale<'s> {
    /// `spec.replicas`.
    pub replicas: i32,
    /// `status.replicas`.
    pub status_replicas: i32,
    /// `status.selector`.
    pub selector: &'s str,
}

/// Why there is no scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScaleError<'s> {
    /// The target's apiVersion does not parse.
    ApiVersion(String),
    /// No API serves the target's kind.
    NoMapping(&'s str),
    /// The subresource could not be read.
    Failed(&'s str),
    /// We may not read the subresource.
    Unreadable(&'s ReadFailure),
}

/// What `validateAndParseSelector` finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectorCheck {
    /// The selector is usable.
    Accepted,
    /// The scale has none.
    Required,
    /// It does not parse; the parser's words.
    Invalid(String),
    /// These HPAs select the same pods; sorted, this one included.
    Ambiguous(Vec<String>),
}

impl<'s> Prepared<'s> {
    /// Prepares a snapshot.
    pub fn new(snapshot: &'s Snapshot, settings: &Settings) -> Self {
        let hpa = &snapshot.hpa;
        let mut prepared = Self {
            snapshot,
            spec: Spec::new(&hpa.spec, settings.release),
            scale: scale(snapshot),
            selector: SelectorCheck::Required,
            pods: Vec::new(),
            metrics: Vec::new(),
            scaled_to_zero: hpa.is_scaled_to_zero(),
            reported_current: hpa.status.current_replicas,
            reported_desired: hpa.status.desired_replicas,
        };
        match prepared.scale {
            Ok(scale) => prepared.select(snapshot, settings, scale.selector),
            Err(ScaleError::Unreadable(reason)) => {
                let (selector, positions) = (Selector::default(), Positions::new(&[]));
                let none = (&selector, [].as_slice(), positions);
                prepared.metrics = metrics::prepare(snapshot, settings, none, Some(reason));
            }
            Err(_) => {}
        }
        prepared
    }

    /// The HPA's namespace.
    pub fn namespace(&self) -> &'s str {
        &self.snapshot.hpa.metadata.namespace
    }

    /// The target as errors name it: `Kind/namespace/name`.
    pub fn reference(&self) -> String {
        let target = &self.snapshot.hpa.spec.scale_target_ref;
        format!("{}/{}/{}", target.kind, self.namespace(), target.name)
    }

    fn select(&mut self, snapshot: &'s Snapshot, settings: &Settings, text: &str) {
        if text.is_empty() {
            return;
        }
        let wording = settings.release.label_wording();
        let selector = match Selector::parse(text, wording) {
            Ok(selector) => selector,
            Err(error) => {
                self.selector = SelectorCheck::Invalid(error.to_string());
                return;
            }
        };
        let selected = pods::select(snapshot, self.namespace(), &selector);
        // In one go: to look at ten thousand pods twice takes twice as long.
        let (selected, pods): (Vec<_>, Vec<_>) = selected.map(|pod| (pod, Pod::new(pod))).unzip();
        self.selector = self.ambiguity(snapshot, settings, &selected);
        let among = (&selector, selected.as_slice(), Positions::new(&pods));
        self.metrics = metrics::prepare(snapshot, settings, among, None);
        self.pods = pods;
    }

    /// Which HPAs of the namespace remember a selector that matches one of
    /// the selected pods.
    fn ambiguity(
        &self,
        snapshot: &Snapshot,
        settings: &Settings,
        selected: &[&crate::api::Pod],
    ) -> SelectorCheck {
        if !settings.release.has(Switch::AmbiguousSelector) || selected.is_empty() {
            return SelectorCheck::Accepted;
        }
        let (namespace, name) = (self.namespace(), &*self.snapshot.hpa.metadata.name);
        // Most HPAs are alone, and need not know.
        let labels =
            LazyCell::new(|| AllLabels::of(selected.iter().map(|pod| &pod.metadata.labels)));
        let mut autoscalers: Vec<String> = snapshot
            .other_autoscalers
            .iter()
            .filter(|other| other.namespace == namespace && other.name != name)
            // The controller refuses an empty selector, so it remembers none.
            .filter(|other| !other.selector.is_empty() && labels.may_meet(&other.selector))
            .filter(|other| {
                Selector::parse(&other.selector, settings.release.label_wording()).is_ok_and(
                    |selector| {
                        selected
                            .iter()
                            .any(|pod| selector.matches(&pod.metadata.labels))
                    },
                )
            })
            .map(|other| format!("{}/{}", other.namespace, other.name))
            .collect();
        if autoscalers.is_empty() {
            return SelectorCheck::Accepted;
        }
        autoscalers.push(format!("{namespace}/{name}"));
        autoscalers.sort();
        SelectorCheck::Ambiguous(autoscalers)
    }
}

fn scale(snapshot: &Snapshot) -> Result<Scale<'_>, ScaleError<'_>> {
    let target = &snapshot.hpa.spec.scale_target_ref;
    if target.api_version.matches('/').count() > 1 {
        let error = format!("unexpected GroupVersion string: {}", target.api_version);
        return Err(ScaleError::ApiVersion(error));
    }
    match &snapshot.scale {
        Answered::Response(scale) => Ok(Scale {
            replicas: scale.spec.replicas,
            status_replicas: scale.status.replicas,
            selector: &scale.status.selector,
        }),
        Answered::Error(error) => Err(match error.kind {
            AnswerErrorKind::NoMapping => ScaleError::NoMapping(&error.text),
            _ => ScaleError::Failed(&error.text),
        }),
        Answered::Unreadable(reason) => Err(ScaleError::Unreadable(reason)),
    }
}

/// A moment of the API as an integer.
fn nanos(moment: Timestamp) -> super::time::Nanos {
    moment.as_nanosecond()
}
