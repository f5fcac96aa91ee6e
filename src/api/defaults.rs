//! The API server's defaults for `autoscaling/v2`
//! (`SetDefaults_HorizontalPodAutoscaler`).
//!
//! They are the same in every release from 1.23 on, and applying them to an
//! object that has them already changes nothing.

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
                policy(PolicyKind::Pods, 4),
                policy(PolicyKind::Percent, 100),
            ]
        });
        // The scaleDown window stays unset: the controller's flag fills it.
        let down = self.scale_down.get_or_insert_default();
        down.set_defaults(|| vec![policy(PolicyKind::Percent, 100)]);
    }
}

impl ScalingRules {
    fn set_defaults(&mut self, policies: impl FnOnce() -> Vec<ScalingPolicy>) {
        self.select_policy.get_or_insert(SelectPolicy::Max.into());
        self.policies.get_or_insert_with(policies);
    }
}

fn policy(kind: PolicyKind, value: i32) -> ScalingPolicy {
    ScalingPolicy {
        kind: kind.into(),
        value,
        period_seconds: 15,
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
