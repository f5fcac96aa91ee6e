//! The answers of the three metrics APIs, as the controller asks them.

use std::collections::BTreeMap;

use compact_str::CompactString;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AnswerError, Answered, ByName, GoDuration, InvalidOperatorError, LabelSelector, Labels,
    NotOneAnswer, ObjectMeta, Quantity, ReadFailure, nullable, wire_text,
};

/// The answers of the metrics APIs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metrics {
    /// `metrics.k8s.io`: the namespace's pods, unfiltered; absent where the
    /// API is not registered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<Answered<PodMetricsList>>,
    /// `custom.metrics.k8s.io`: Pods and Object metrics.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<CustomMetric>,
    /// `external.metrics.k8s.io`.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub external: Vec<ExternalMetric>,
}

impl Metrics {
    /// What was measured of the resources of each pod.
    pub fn samples(&self) -> &[PodMetrics] {
        self.resource.as_ref().map_or(&[], Answered::items)
    }

    /// The same, to be changed.
    pub fn samples_mut(&mut self) -> Option<&mut Vec<PodMetrics>> {
        let list = self.resource.as_mut().and_then(Answered::response_mut)?;
        Some(&mut list.items)
    }

    /// The answers that hold a custom metric pod by pod, to be changed.
    pub fn pod_answers_mut(&mut self) -> impl Iterator<Item = &mut Vec<MetricValue>> {
        let custom = self.custom.iter_mut();
        let queries = custom.filter(|query| query.described_object.is_none());
        let lists = queries.filter_map(|query| query.answer.response_mut());
        lists.map(|list| &mut list.items)
    }

    /// Where the question about a custom metric stands, of an object by its
    /// kind and name or of the pods; `None` where it was not asked.
    ///
    /// # Errors
    ///
    /// The metric's selector cannot be asked with.
    pub fn custom_at(
        &self,
        metric: &MetricIdentifier,
        object: Option<(&str, &str)>,
    ) -> Result<Option<usize>, InvalidOperatorError> {
        let selector = wire_text(metric.selector.as_ref())?;
        let mut query = self.custom.iter();
        Ok(query.position(|it| it.is_answer(&metric.name, &selector, object)))
    }

    /// Where the question about an external metric stands; `None` where it
    /// was not asked.
    ///
    /// # Errors
    ///
    /// The metric's selector cannot be asked with.
    pub fn external_at(
        &self,
        metric: &MetricIdentifier,
    ) -> Result<Option<usize>, InvalidOperatorError> {
        let selector = wire_text(metric.selector.as_ref())?;
        let mut query = self.external.iter();
        Ok(query.position(|it| it.metric == metric.name && it.metric_selector == selector))
    }
}

/// The answers by their metrics' names: where all of a spec's metrics are
/// looked up, they are not searched for each.
#[derive(Debug, Default)]
pub struct MetricIndex<'m> {
    custom: BTreeMap<&'m str, Vec<&'m CustomMetric>>,
    external: BTreeMap<&'m str, Vec<&'m ExternalMetric>>,
}

impl<'m> MetricIndex<'m> {
    /// Of all answers.
    pub fn new(metrics: &'m Metrics) -> Self {
        let mut index = Self::default();
        for it in &metrics.custom {
            index.custom.entry(&it.metric).or_default().push(it);
        }
        for it in &metrics.external {
            index.external.entry(&it.metric).or_default().push(it);
        }
        index
    }

    /// The answers about a custom metric, whatever they are asked of.
    pub fn custom_named(&self, name: &str) -> impl Iterator<Item = &'m CustomMetric> {
        self.custom.get(name).into_iter().flatten().copied()
    }

    /// The answers about an external metric, whatever its selector.
    pub fn external_named(&self, name: &str) -> impl Iterator<Item = &'m ExternalMetric> {
        self.external.get(name).into_iter().flatten().copied()
    }

    /// The answer about a custom metric, of an object by its kind and name or
    /// of the pods; `None` where it was not asked.
    ///
    /// # Errors
    ///
    /// The metric's selector cannot be asked with.
    pub fn custom(
        &self,
        metric: &MetricIdentifier,
        object: Option<(&str, &str)>,
    ) -> Result<Option<&'m CustomMetric>, InvalidOperatorError> {
        let selector = wire_text(metric.selector.as_ref())?;
        let mut named = self.custom_named(&metric.name);
        Ok(named.find(|it| it.is_answer(&metric.name, &selector, object)))
    }

    /// The answer about an external metric; `None` where it was not asked.
    ///
    /// # Errors
    ///
    /// The metric's selector cannot be asked with.
    pub fn external(
        &self,
        metric: &MetricIdentifier,
    ) -> Result<Option<&'m ExternalMetric>, InvalidOperatorError> {
        let selector = wire_text(metric.selector.as_ref())?;
        let mut named = self.external_named(&metric.name);
        Ok(named.find(|it| it.metric_selector == selector))
    }
}

impl CustomMetric {
    fn is_answer(&self, name: &str, selector: &str, object: Option<(&str, &str)>) -> bool {
        let described = self.described_object.as_ref();
        self.metric == name
            && self.metric_selector == selector
            && described.map(|it| (it.kind.as_str(), it.name.as_str())) == object
    }
}

/// A list as an API of metrics returns it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct MetricsList<T> {
    /// The items.
    #[serde(default = "Vec::new", deserialize_with = "nullable::or_default")]
    pub items: Vec<T>,
}

impl<T> Answered<MetricsList<T>> {
    /// The items that came; none where the request failed.
    pub fn items(&self) -> &[T] {
        self.response().map_or(&[], |list| &list.items)
    }
}

/// A `metrics.k8s.io/v1beta1` PodMetricsList: an item a pod.
pub type PodMetricsList = MetricsList<PodMetrics>;

/// What one pod used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PodMetrics {
    /// The pod's name, and the labels that the pod selector is applied to.
    pub metadata: SampleMeta,
    /// The end of the interval that was measured.
    pub timestamp: Timestamp,
    /// The length of that interval.
    pub window: GoDuration,
    /// The usage of each container.
    #[serde(default, deserialize_with = "nullable::or_default")]
    pub containers: Box<[ContainerUsage]>,
}

/// The part of a sample's `metadata` that is read; the rest of [`ObjectMeta`]
/// would be held once for each pod of a cluster, and says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleMeta {
    /// The pod's name.
    pub name: CompactString,
    /// The pod's namespace; empty where the sample does not say.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "CompactString::is_empty")]
    pub namespace: CompactString,
    /// The pod's labels.
    #[serde(default)]
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub labels: Labels,
}

impl From<&ObjectMeta> for SampleMeta {
    fn from(of_pod: &ObjectMeta) -> Self {
        Self {
            name: of_pod.name.clone(),
            namespace: of_pod.namespace.clone(),
            labels: of_pod.labels.clone(),
        }
    }
}

/// What one container used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContainerUsage {
    /// The container's name.
    pub name: CompactString,
    /// The usage by resource name.
    pub usage: ByName<Quantity>,
}

/// One question to `custom.metrics.k8s.io` and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "CustomMetricForm")]
pub struct CustomMetric {
    /// The metric's name.
    pub metric: String,
    /// The metric's selector as it goes over the wire; empty for none.
    pub metric_selector: String,
    /// The object that the metric describes; absent for the per-pod list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub described_object: Option<DescribedObject>,
    /// The list that the server returned, or why there is none.
    #[serde(flatten)]
    pub answer: Answered<MetricValueList>,
}

/// One question to `external.metrics.k8s.io` and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "ExternalMetricForm")]
pub struct ExternalMetric {
    /// The metric's name.
    pub metric: String,
    /// The metric's selector as it goes over the wire; empty for none.
    pub metric_selector: String,
    /// The list that the server returned, or why there is none.
    #[serde(flatten)]
    pub answer: Answered<ExternalMetricValueList>,
}

/// A question and its answer as they are read: what is flattened would lose
/// the place of a mistake.
macro_rules! form {
    ($form:ident, $metric:ident, $list:ty $(, $object:ident: $described:ty)?) => {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct $form {
            metric: String,
            #[serde(default, deserialize_with = "nullable::or_default")]
            metric_selector: String,
            $($object: Option<$described>,)?
            response: Option<$list>,
            error: Option<AnswerError>,
            unreadable: Option<ReadFailure>,
        }

        impl TryFrom<$form> for $metric {
            type Error = NotOneAnswer;

            fn try_from(form: $form) -> Result<Self, Self::Error> {
                Ok(Self {
                    metric: form.metric,
                    metric_selector: form.metric_selector,
                    $($object: form.$object,)?
                    answer: Answered::one_of(form.response, form.error, form.unreadable)?,
                })
            }
        }
    };
}

form!(CustomMetricForm, CustomMetric, MetricValueList, described_object: DescribedObject);
form!(ExternalMetricForm, ExternalMetric, ExternalMetricValueList);

/// A `custom.metrics.k8s.io/v1beta2` MetricValueList: an item an object.
pub type MetricValueList = MetricsList<MetricValue>;

/// One value of a custom metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricValue {
    /// The object that the value describes.
    pub described_object: DescribedObject,
    /// When the value was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// The interval that was measured; absent means 60 s. v1beta1 calls it
    /// `window`.
    #[serde(default, alias = "window", skip_serializing_if = "Option::is_none")]
    pub window_seconds: Option<i64>,
    /// The value.
    pub value: Quantity,
}

/// An object that a custom metric describes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DescribedObject {
    /// The object's kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The object's name.
    pub name: String,
    /// The object's API version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// The object's namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

impl DescribedObject {
    /// The object of a kind and a name.
    pub fn new((kind, name): (&str, &str)) -> Self {
        Self {
            kind: kind.to_owned(),
            name: name.to_owned(),
            ..Self::default()
        }
    }
}

/// An `external.metrics.k8s.io/v1beta1` ExternalMetricValueList: an item a series.
pub type ExternalMetricValueList = MetricsList<ExternalMetricValue>;

/// One series of an external metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExternalMetricValue {
    /// The metric's name.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub metric_name: String,
    /// The labels that tell the series apart.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metric_labels: BTreeMap<String, String>,
    /// When the value was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// The value.
    pub value: Quantity,
}

/// The identity of a custom or external metric.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MetricIdentifier {
    /// The metric's name.
    pub name: String,
    /// Which of its series count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
}
