//! The feature gates that shape a pass, resolved: what is given wins, else
//! what was seen, else what the release has.

use std::collections::BTreeMap;

use crate::api::Designed;
use crate::snapshot::Snapshot;

use super::release::{Release, Switch};
use super::settings::Resolver;

/// The gate of the design of KEP-5679, which no release has.
pub const FALLBACK_GATE: &str = "HPAExternalMetricFallback";

/// The gates that shape a pass.
pub const GATES: &[&str] = &[
    "HPAScaleToZero",
    "HPAConfigurableTolerance",
    "PodLevelResources",
    "HPAContainerMetrics",
    "HPAGeneration",
    "HPAOptimizedSelectorStore",
    FALLBACK_GATE,
];

/// What the fallback of an External metric is.
pub const FALLBACK_DESIGN: &str = "a design (KEP-5679) and no shipped feature";

/// The feature gates that shape a pass, as the release has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "gates are independent of each other"
)]
pub struct Gates {
    /// `HPAScaleToZero`, where the controller itself looks at it.
    pub scale_to_zero: bool,
    /// `HPAConfigurableTolerance`.
    pub configurable_tolerance: bool,
    /// `PodLevelResources`.
    pub pod_level_resources: bool,
    /// `HPAContainerMetrics`.
    pub container_metrics: bool,
    /// `HPAGeneration`: whether an edit of the spec is noticed at once.
    pub generation: bool,
    /// `HPAOptimizedSelectorStore`: whether of HPAs that select the same pods
    /// only two are named.
    pub optimized_selector_store: bool,
    /// `HPAExternalMetricFallback`, which no release has: whether the design
    /// of KEP-5679 applies.
    pub external_metric_fallback: FallbackGate,
}

/// The gate `HPAExternalMetricFallback` of the design of KEP-5679.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FallbackGate {
    /// Off, as in every release: the spec's field is ignored, and the status
    /// fields are neither read nor written.
    #[default]
    Off,
    /// On, and nothing says that it was off before: what the status says of
    /// failures counts, for a controller that restarts goes on with it.
    On,
    /// On in this run, where the inputs say that it was off: what the status
    /// says of failures is from an earlier time and is cleared.
    TurnedOn,
}

impl Gates {
    /// Gates that the release does not know are off, locked ones are on;
    /// neither can be switched, so nobody is asked for them.
    pub(super) fn resolve(
        release: Release,
        resolver: &mut Resolver,
        given: &BTreeMap<String, bool>,
        observed: &BTreeMap<String, bool>,
    ) -> Self {
        let mut gate = |name, default| resolver.gate(name, default, given, observed);
        Self {
            scale_to_zero: release.has(Switch::ScaledToZeroCondition)
                && gate("HPAScaleToZero", release.has(Switch::ScaleToZeroOn)),
            configurable_tolerance: release.configurable_tolerance(&mut gate),
            pod_level_resources: release.has(Switch::PodLevelResources)
                && gate("PodLevelResources", true),
            container_metrics: !release.has(Switch::ContainerMetricsGate)
                || release.has(Switch::ContainerMetricsLocked)
                || gate("HPAContainerMetrics", true),
            generation: release.has(Switch::GenerationLocked)
                || release.has(Switch::QueuedOnEdit) && gate("HPAGeneration", true),
            optimized_selector_store: release.has(Switch::AmbiguousPair)
                && gate("HPAOptimizedSelectorStore", true),
            external_metric_fallback: FallbackGate::resolve(gate, given, observed),
        }
    }
}

impl Release {
    /// Whether the spec's tolerances count. `gate` says how a gate is set
    /// that the release lets people switch, by its name and its default.
    pub fn configurable_tolerance(self, gate: impl FnOnce(&'static str, bool) -> bool) -> bool {
        self.has(Switch::ConfigurableToleranceLocked)
            || self.has(Switch::ConfigurableTolerance)
                && gate(
                    "HPAConfigurableTolerance",
                    self.has(Switch::ConfigurableToleranceOn),
                )
    }
}

impl FallbackGate {
    /// Whether the rule applies.
    pub fn is_on(self) -> bool {
        self != Self::Off
    }

    /// No release has this gate, so it is asked for only where somebody set
    /// it.
    fn resolve(
        gate: impl FnOnce(&'static str, bool) -> bool,
        given: &BTreeMap<String, bool>,
        observed: &BTreeMap<String, bool>,
    ) -> Self {
        let is_named = given.contains_key(FALLBACK_GATE) || observed.contains_key(FALLBACK_GATE);
        if !is_named || !gate(FALLBACK_GATE, false) {
            return Self::Off;
        }
        match observed.get(FALLBACK_GATE) {
            Some(false) => Self::TurnedOn,
            _ => Self::On,
        }
    }

    /// What to say of a rule that no cluster's controller has, where it is
    /// switched on.
    pub(super) fn remarks(self, snapshot: &Snapshot) -> Vec<String> {
        if !self.is_on() {
            return Vec::new();
        }
        let fallbacks = snapshot.hpa.spec.fallbacks();
        let (fits, others): (Vec<_>, Vec<_>) =
            fallbacks.partition(|(_, fallback)| matches!(fallback, Designed::Fits(_)));
        let mut remarks = Vec::new();
        if !fits.is_empty() {
            remarks.push(
                "a design (KEP-5679), in no Kubernetes release; the cluster's own controller does \
                 not do it"
                    .to_owned(),
            );
        }
        remarks.extend(others.iter().map(|(field, _)| {
            format!("{field} is left out: it must be {{replicas, failureDurationSeconds}}")
        }));
        if remarks.is_empty() {
            remarks.push("no External metric has a fallback".to_owned());
        }
        let remarks = remarks.iter();
        remarks.map(|it| format!("{FALLBACK_GATE}: {it}")).collect()
    }
}
