//! The API server's defaults for `autoscaling/v2`
//! (`SetDefaults_HorizontalPodAutoscaler`).
//!
//! They are the same in every release from 1.23 on, and applying them to an
//! object that has them already changes nothing.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize, Serializer};

use super::{
    Behavior, HpaSpec, MetricKind, MetricSpec, MetricTarget, PolicyKind, ResourceMetricSource,
    ScalingPolicy, ScalingRules, SelectPolicy, TargetKind,
};

/// Percent of the cpu request that an HPA without metrics aims at.
const DEFAULT_CPU_UTILIZATION: i32 = 80;

impl HpaSpec {
    /// Fills in what the user left out, as the API server does
    /// (`SetDefaults_HorizontalPodAutoscaler`).
    pub fn set_defaults(&mut self) {
        self.min_replicas.get_or_insert(1);
        if self.metrics.is_empty() {
            self.metrics.push(MetricSpec::cpu(DEFAULT_CPU_UTILIZATION));
        }
        if let Some(behavior) = &mut self.behavior {
            behavior.set_defaults();
        }
    }
}

impl Behavior {
    /// What the API server makes of `behavior: {}`.
    pub fn of_defaults() -> Self {
        let mut behavior = Self::default();
        behavior.set_defaults();
        behavior
    }

    fn set_defaults(&mut self) {
        let up = self.scale_up.get_or_insert_default();
        up.stabilization_window_seconds.get_or_insert(0);
        up.set_defaults(|| {
            vec![
                ScalingPolicy::new(PolicyKind::Pods, 4, 15),
                ScalingPolicy::new(PolicyKind::Percent, 100, 15),
            ]
        });
        // The scaleDown window stays unset: the controller's flag fills it.
        let down = self.scale_down.get_or_insert_default();
        down.set_defaults(|| vec![ScalingPolicy::new(PolicyKind::Percent, 100, 15)]);
    }
}

impl ScalingRules {
    fn set_defaults(&mut self, policies: impl FnOnce() -> Vec<ScalingPolicy>) {
        self.select_policy.get_or_insert(SelectPolicy::Max.into());
        self.policies.get_or_insert_with(policies);
    }
}

impl ScalingPolicy {
    /// So many pods or percent in so many seconds.
    pub fn new(kind: PolicyKind, value: i32, period_seconds: i32) -> Self {
        Self {
            kind: kind.into(),
            value,
            period_seconds,
        }
    }
}

impl MetricSpec {
    /// The cpu, aimed at so many percent of its request.
    pub fn cpu(percent: i32) -> Self {
        Self {
            kind: MetricKind::Resource.into(),
            resource: Some(Box::new(ResourceMetricSource {
                name: "cpu".to_owned(),
                target: MetricTarget {
                    kind: TargetKind::Utilization.into(),
                    average_utilization: Some(percent),
                    ..MetricTarget::default()
                },
            })),
            ..Self::default()
        }
    }
}

/// Seconds for which an External metric has to fail before its fallback
/// applies, where nothing else is set.
const DEFAULT_FAILURE_DURATION_SECONDS: i64 = 180;

/// A field that no release has. Its gate is not known when a document is
/// read, and without the gate nobody looks at what the field holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Designed<T> {
    /// What the design says.
    Fits(T),
    /// Anything else; nothing of it is kept.
    Other(#[serde(serialize_with = "as_null")] IgnoredAny),
}

// What is ignored equals itself; only serde does not say so.
impl<T: Eq> Eq for Designed<T> {}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn as_null<S: Serializer>(_: &IgnoredAny, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_unit()
}

/// What an External metric asks for while it fails, as KEP-5679 designs it. No release
/// of Kubernetes has the field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExternalMetricFallback {
    /// The size that is asked for; by the design at least 1.
    pub replicas: i32,
    /// For how many seconds the metric must have failed; by the design at
    /// least 180, and that by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_duration_seconds: Option<i64>,
}

impl ExternalMetricFallback {
    /// For how many seconds the metric must have failed, defaulted.
    pub fn failure_seconds(&self) -> i64 {
        let given = self.failure_duration_seconds;
        given.unwrap_or(DEFAULT_FAILURE_DURATION_SECONDS)
    }
}

impl HpaSpec {
    /// The fallbacks of External metrics, each with its path in the spec.
    pub fn fallbacks(&self) -> impl Iterator<Item = (String, Designed<ExternalMetricFallback>)> {
        let metrics = self.metrics.iter().enumerate();
        metrics.filter_map(|(index, metric)| {
            let fallback = metric.external.as_ref()?.fallback?;
            Some((format!("spec.metrics[{index}].external.fallback"), fallback))
        })
    }

    /// Fills in what an API server with the feature gate
    /// `HPAExternalMetricFallback` would. No release has that gate, so
    /// [`set_defaults`](Self::set_defaults) leaves the field alone; to be
    /// called only where the gate is switched on.
    pub fn set_fallback_defaults(&mut self) {
        let metrics = self.metrics.iter_mut();
        let sources = metrics.filter_map(|metric| metric.external.as_mut());
        for fallback in sources.filter_map(|source| source.fallback.as_mut()) {
            if let Designed::Fits(fallback) = fallback {
                fallback.failure_duration_seconds = Some(fallback.failure_seconds());
            }
        }
    }

    /// Takes the field away, as an API server without the gate does; with the
    /// gate only where it holds anything else than the design says.
    pub fn drop_fallbacks(&mut self, is_gate_on: bool) {
        let metrics = self.metrics.iter_mut();
        for source in metrics.filter_map(|metric| metric.external.as_mut()) {
            let fits = |it: &Designed<_>| matches!(it, Designed::Fits(_));
            source.fallback = source.fallback.filter(|it| is_gate_on && fits(it));
        }
    }
}
