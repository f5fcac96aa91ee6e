//! What a snapshot must satisfy beyond its shape, so that the algorithm need
//! not provide for documents that no API server would return; and the order of
//! lists that come in any, so that the same cluster makes the same snapshot.

use std::cmp::Ordering;
use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use thiserror::Error;

use super::{API_VERSION, KIND, Snapshot};
use crate::api::{
    AllLabels, Behavior, Event, ExternalMetricValue, MetricKind, MetricSource, MetricSpec, OneOf,
    Phase, Selector, TargetKind, Wording, Words,
};
use crate::document::{FieldPath, PathStep, UnknownField};

/// How far the clocks of a cluster may be apart, in seconds: a sample that is
/// newer than the snapshot by more is hardly meant.
const CLOCKS_APART: i64 = 5;

/// Each policy has moments of its own, and each is looked at then: the time
/// that it takes grows with the square. Two a direction are many.
pub const MOST_POLICIES: usize = 100;

/// Each metric looks at each pod, and both are remembered for the page: more
/// would fill the memory. Ten metrics of 20,000 pods are as many.
const MOST_PAIRS: usize = 200_000;

/// A place in a document and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{path}{}{reason}", if .path.is_empty() { "" } else { ": " })]
pub struct Flaw {
    /// The path, such as `metrics.custom[0]`; empty where the document as a
    /// whole is at fault.
    pub path: FieldPath,
    /// What is wrong, for a person.
    pub reason: String,
}

impl Flaw {
    /// What is wrong at a place.
    pub fn new(path: impl Into<FieldPath>, reason: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            reason: reason.into(),
        }
    }
}

impl Snapshot {
    /// Finishes a snapshot that was put together: says by which version, keeps of
    /// the other HPAs those that may select one of the pods, puts lists into an
    /// order that does not depend on who answered first, and fills in the API's
    /// defaults.
    ///
    /// # Errors
    ///
    /// It is not what an API server returns.
    pub fn finish(mut self) -> Result<Self, Flaw> {
        self.provenance.tool_version = Some(env!("CARGO_PKG_VERSION").to_owned());
        self.provenance.not_read.sort_by_key(|missing| missing.part);
        let labels = AllLabels::of(self.pods.iter().map(|pod| &pod.metadata.labels));
        self.other_autoscalers
            .retain(|other| labels.may_meet(&other.selector));
        self.sort();
        self.complete().map(|(snapshot, _)| snapshot)
    }

    /// Finishes reading: fills in the API's defaults, then looks for the
    /// first flaw, and for what is readable but hardly meant: there are
    /// recorded answers to such documents, too.
    pub(super) fn complete(mut self) -> Result<(Self, Vec<Flaw>), Flaw> {
        let mut remarks: Vec<Flaw> = self.absent_namespace().into_iter().collect();
        if self.hpa.metadata.namespace.is_empty() {
            self.hpa.metadata.namespace = "default".into();
        }
        self.hpa.spec.set_defaults();
        self.header()?;
        self.tolerance()?;
        self.metric_sources()?;
        self.scaling_rules()?;
        self.pod_names()?;
        remarks.extend(self.bounds());
        remarks.extend(self.target_types());
        remarks.extend(self.scale_remarks());
        remarks.extend(self.phases());
        remarks.extend(self.later_samples());
        remarks.extend(self.samples_without_labels());
        Ok((self, remarks))
    }

    fn header(&self) -> Result<(), Flaw> {
        expect("apiVersion", &self.api_version, API_VERSION)?;
        expect("kind", &self.kind, KIND)?;
        let hpa = &self.hpa;
        expect(of_hpa("kind"), &hpa.kind, "HorizontalPodAutoscaler")?;
        expect(of_hpa("apiVersion"), &hpa.api_version, "autoscaling/v2")
    }

    fn tolerance(&self) -> Result<(), Flaw> {
        match self.controller.tolerance {
            Some(tolerance) if !tolerance.is_finite() => {
                flaw("controller.tolerance", "must be a finite number")
            }
            _ => Ok(()),
        }
    }

    fn metric_sources(&self) -> Result<(), Flaw> {
        let metrics = &self.hpa.spec.metrics;
        for (index, metric) in metrics.iter().enumerate() {
            if let Some(field) = absent_source(metric) {
                let path = of_hpa("spec.metrics").item(index).field(field);
                return flaw(path, &format!("required for type {}", metric.kind));
            }
        }
        Ok(())
    }

    /// Whether what each metric makes of each pod has room in the memory.
    pub(super) fn pairs(&self) -> Result<(), Flaw> {
        let metrics = self.hpa.spec.metrics.len();
        if metrics.saturating_mul(self.pods.len()) <= MOST_PAIRS {
            return Ok(());
        }
        let pods = self.pods.len();
        let reason = format!(
            "{metrics} metrics times {pods} pods are more than the {MOST_PAIRS} that fit in memory; \
             leave some out"
        );
        flaw(of_hpa("spec.metrics"), &reason)
    }

    fn scaling_rules(&self) -> Result<(), Flaw> {
        let behavior = self.hpa.spec.behavior.iter();
        for (direction, rules) in behavior.flat_map(Behavior::directions) {
            let path = of_hpa("spec.behavior").field(direction.field());
            if let Some(select) = &rules.select_policy {
                one_of(path.clone().field("selectPolicy"), select)?;
            }
            if rules
                .policies
                .as_ref()
                .is_some_and(|it| it.len() > MOST_POLICIES)
            {
                let reason = format!("more than {MOST_POLICIES} policies");
                return flaw(path.field("policies"), &reason);
            }
            let policies = rules.policies.iter().flatten();
            for (index, policy) in policies.enumerate() {
                let path = path.clone().field("policies").item(index);
                one_of(path.field("type"), &policy.kind)?;
            }
        }
        Ok(())
    }

    /// An API server holds one pod of a name in a namespace.
    fn pod_names(&self) -> Result<(), Flaw> {
        let own = &self.hpa.metadata.namespace;
        let mut observed = HashSet::with_capacity(self.pods.len());
        for (index, pod) in self.pods.iter().enumerate() {
            let namespace = match &pod.metadata.namespace {
                absent if absent.is_empty() => own,
                namespace => namespace,
            };
            if !observed.insert((namespace, &pod.metadata.name)) {
                return flaw(
                    FieldPath::from("pods").item(index).join("metadata.name"),
                    &format!("a second pod named `{}`", pod.metadata.name),
                );
            }
        }
        Ok(())
    }
}

/// What is readable but hardly meant.
impl Snapshot {
    fn absent_namespace(&self) -> Option<Flaw> {
        let own = &self.hpa.metadata.namespace;
        let namespace = &self.pods.first()?.metadata.namespace;
        let is_everywhere = || {
            let mut pods = self.pods.iter();
            pods.all(|pod| pod.metadata.namespace == *namespace)
        };
        let is_odd =
            own.is_empty() && !namespace.is_empty() && namespace != "default" && is_everywhere();
        is_odd.then(|| {
            Flaw::new(
                "horizontalPodAutoscaler.metadata",
                format!(
                    "no namespace, so `default`; but every pod is in `{namespace}`, and none of them counts"
                ),
            )
        })
    }

    fn bounds(&self) -> Vec<Flaw> {
        let spec = &self.hpa.spec;
        let (min, max) = (spec.min_replicas.unwrap_or(1), spec.max_replicas);
        let mut found = Vec::new();
        if max < 1 {
            found.push(Flaw::new(
                of_hpa("spec.maxReplicas"),
                format!("{max} is below 1, which no API server accepts"),
            ));
        }
        if min < 0 {
            found.push(Flaw::new(
                of_hpa("spec.minReplicas"),
                format!("{min} is below 0, which no API server accepts"),
            ));
        }
        if min > max {
            found.push(Flaw::new(
                of_hpa("spec"),
                format!(
                    "minReplicas {min} is above maxReplicas {max}, which no API server accepts"
                ),
            ));
        }
        found
    }

    fn target_types(&self) -> Vec<Flaw> {
        let metrics = &self.hpa.spec.metrics;
        let metrics = metrics.iter().enumerate();
        metrics
            .filter_map(|(index, metric)| {
                let (field, target) = (metric.kind.known()?.field(), metric.source()?.target());
                let path = of_hpa("spec.metrics").item(index).field(field);
                let is_odd = target.kind.known().is_none() && !target.kind.is_empty();
                is_odd.then(|| {
                    let kinds = TargetKind::list();
                    let path = path.join("target.type");
                    Flaw::new(path, format!("`{}` is not one of {kinds}", target.kind))
                })
            })
            .collect()
    }

    fn scale_remarks(&self) -> Vec<Flaw> {
        let Some(scale) = self.scale.response() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        if let Some(kind) = &scale.other_kind {
            found.push(Flaw::new(
                "scale.response.kind",
                format!(
                    "`{kind}` is not a Scale: `kubectl get TYPE NAME --subresource=scale -o yaml` prints one"
                ),
            ));
        }
        let counts = [
            ("spec", scale.spec.replicas),
            ("status", scale.status.replicas),
        ];
        for (part, replicas) in counts {
            if replicas < 0 {
                found.push(Flaw::new(
                    FieldPath::from("scale.response")
                        .field(part)
                        .field("replicas"),
                    format!("{replicas} is below 0, which no API server returns"),
                ));
            }
        }
        found
    }

    fn phases(&self) -> Option<Flaw> {
        let phases = self.pods.iter().map(|pod| &pod.status.phase).enumerate();
        let mut odd = phases.filter(|(_, phase)| phase.known().is_none() && !phase.is_empty());
        let (index, phase) = odd.next()?;
        let more = also(odd.count(), "pod", "pods");
        let kinds = Phase::list();
        Some(Flaw::new(
            FieldPath::from("pods").item(index).join("status.phase"),
            format!("`{phase}` is not one of {kinds}{more}"),
        ))
    }

    fn later_samples(&self) -> Vec<Flaw> {
        let mut found = Vec::new();
        let clocks_apart = SignedDuration::from_secs(CLOCKS_APART);
        let latest = self.captured_at.saturating_add(clocks_apart);
        let latest = latest.unwrap_or(Timestamp::MAX);
        let mut look = |path: FieldPath, times: &mut dyn Iterator<Item = Option<Timestamp>>| {
            let times = times.enumerate();
            let is_later =
                |(_, time): &(usize, Option<Timestamp>)| time.is_some_and(|time| time > latest);
            let mut later = times.filter(is_later);
            if let Some((index, Some(time))) = later.next() {
                let more = also(later.count(), "sample", "samples");
                found.push(Flaw::new(
                    path.join("response.items").item(index).field("timestamp"),
                    format!("{time} is after capturedAt, {}{more}", self.captured_at),
                ));
            }
        };
        let times = self.metrics.samples().iter();
        let times = times.map(|item| Some(item.timestamp));
        look("metrics.resource".into(), &mut { times });
        for (index, metric) in self.metrics.custom.iter().enumerate() {
            let mut times = metric.answer.items().iter().map(|item| item.timestamp);
            look(FieldPath::from("metrics.custom").item(index), &mut times);
        }
        for (index, metric) in self.metrics.external.iter().enumerate() {
            let mut times = metric.answer.items().iter().map(|item| item.timestamp);
            look(FieldPath::from("metrics.external").item(index), &mut times);
        }
        found
    }

    /// Samples are found by their own labels, not by their pods'.
    fn samples_without_labels(&self) -> Option<Flaw> {
        let text = &self.scale.response()?.status.selector;
        let samples = self.metrics.resource.as_ref()?.response()?;
        // The wording of errors does not matter here.
        let selector = Selector::parse(text, Wording::LabelKey).ok()?;
        let bare = |sample: &&crate::api::PodMetrics| sample.metadata.labels.is_empty();
        let count = samples.items.iter().filter(bare).count();
        if text.is_empty() || count == 0 || selector.matches(&crate::api::Labels::default()) {
            return None;
        }
        let carry = if count == 1 {
            "sample carries"
        } else {
            "samples carry"
        };
        Some(Flaw::new(
            "metrics.resource.response",
            format!(
                "{count} {carry} no labels that match {text}, so the controller does not see them; `kubectl get --raw /apis/metrics.k8s.io/v1beta1/namespaces/NAMESPACE/pods` prints the labels"
            ),
        ))
    }
}

fn also(count: usize, one: &str, many: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!("; the same goes for 1 more {one}"),
        _ => format!("; the same goes for {count} more {many}"),
    }
}

/// The field that the metric's type asks for, if it is not there.
fn absent_source(metric: &MetricSpec) -> Option<&'static str> {
    match metric.source() {
        Some(MetricSource::Pods(it)) if it.target.average_value.is_none() => {
            Some("pods.target.averageValue")
        }
        Some(_) => None,
        None => metric.kind.known().map(MetricKind::field),
    }
}

/// The path of a field of the HPA.
fn of_hpa(inner: &'static str) -> FieldPath {
    FieldPath::from("horizontalPodAutoscaler").join(inner)
}

fn one_of<T: Words>(path: FieldPath, got: &OneOf<T>) -> Result<(), Flaw> {
    if got.known().is_some() {
        return Ok(());
    }
    flaw(path, &format!("must be one of {}, not `{got}`", T::list()))
}

fn expect(path: impl Into<FieldPath>, got: &str, want: &str) -> Result<(), Flaw> {
    if got == want {
        return Ok(());
    }
    flaw(path, &format!("must be `{want}`, not `{got}`"))
}

fn flaw(path: impl Into<FieldPath>, reason: &str) -> Result<(), Flaw> {
    Err(Flaw::new(path, reason))
}

impl Snapshot {
    /// Sorts the lists whose order has no meaning by name; events by time.
    ///
    /// The sorting is stable, so that of two samples of a pod the same one
    /// counts as before.
    pub(super) fn sort(&mut self) {
        by(&mut self.pods, |it| &it.metadata.name);
        if let Some(samples) = self.metrics.samples_mut() {
            by(samples, |it| &it.metadata.name);
        }
        let custom = self.metrics.custom.iter_mut();
        for list in custom.filter_map(|metric| metric.answer.response_mut()) {
            by(&mut list.items, |it| &it.described_object.name);
        }
        let external = self.metrics.external.iter_mut();
        for list in external.filter_map(|metric| metric.answer.response_mut()) {
            list.items.sort_by(compare_series);
        }
        by(&mut self.other_autoscalers, |it| &it.name);
        by(&mut self.replica_sets, |it| &it.metadata.name);
        self.events.sort_by(|a, b| key(a).cmp(&key(b)));
        by(&mut self.vertical_pod_autoscalers, |it| &it.metadata.name);
        by(&mut self.api_services, |it| &it.metadata.name);
    }
}

fn by<T>(items: &mut [T], name: fn(&T) -> &str) {
    items.sort_by(|one, other| name(one).cmp(name(other)));
}

/// By the labels while they are there: a redacted file has none.
fn compare_series(a: &ExternalMetricValue, b: &ExternalMetricValue) -> Ordering {
    (&a.metric_labels, a.timestamp)
        .cmp(&(&b.metric_labels, b.timestamp))
        .then_with(|| a.value.cmp_value(&b.value))
}

fn key(event: &Event) -> impl Ord {
    let first = event.first_timestamp.or(event.event_time);
    let about = &event.involved_object;
    (first, about, event.reason.as_str(), event.message.as_str())
}

/// Whether a snapshot knows all fields of the object at a path: of its own levels, and
/// of the HPA's spec. Other Kubernetes objects inside have fields that are left out on
/// purpose.
pub(super) fn is_known(path: &[PathStep<&str>]) -> bool {
    use PathStep::{Field, Item};
    matches!(
        path,
        [] | [Field("controller" | "metrics" | "scale" | "history")]
            | [Field("metrics"), Field("resource")]
            | [Field("metrics"), Field("custom" | "external"), Item(_)]
            | [Field("otherAutoscalers"), Item(_)]
            | [
                Field("history"),
                Field("recommendations" | "scaleUpEvents" | "scaleDownEvents"),
                Item(_)
            ]
            | [Field("horizontalPodAutoscaler"), Field("spec"), ..]
    )
}

/// The unknown fields that were probably meant to be others, as the end of a sentence.
pub fn misspelt(unknown: &[UnknownField]) -> String {
    let misspelt = unknown.iter().filter(|it| it.similar.is_some());
    misspelt.fold(String::new(), |text, it| {
        format!("{text}; {}", Flaw::from(it.clone()))
    })
}

impl From<UnknownField> for Flaw {
    fn from(field: UnknownField) -> Self {
        let UnknownField {
            path,
            name,
            similar,
        } = field;
        let ignored = format!("unknown field `{name}`, ignored");
        let reason = match similar {
            Some(similar) => format!("{ignored}; did you mean `{similar}`?"),
            None => ignored,
        };
        Self { path, reason }
    }
}
