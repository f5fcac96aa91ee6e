//! The controller's flags and feature gates, resolved: given values win, else what
//! was seen, else the release's default. Each value keeps its origin.

use std::collections::BTreeMap;

use super::release::{Release, Switch};
use super::time::{Nanos, SECOND, whole_seconds};
use crate::api::{Designed, Direction, GoDuration, HpaSpec};
use crate::document::snapshot::Snapshot;
use crate::trace::{Basis, DerivedRule, Origin, ReleaseBasis, SettingRecord, SettingValue};

/// The flag of the time between two passes.
const SYNC_PERIOD: &str = "--horizontal-pod-autoscaler-sync-period";

/// The settings that shape a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The release whose rules apply.
    pub release: Release,
    /// The time between two passes.
    pub sync_period: Nanos,
    /// The deviation from 1 that a ratio may have; a fraction of 1.
    pub tolerance: f64,
    /// How long recommendations hold back a change downwards.
    pub downscale_stabilization: Nanos,
    /// For how long after its start a pod's cpu samples are under suspicion.
    pub cpu_initialization_period: Nanos,
    /// How long after its start a pod may lose readiness and still count as
    /// never having been ready.
    pub initial_readiness_delay: Nanos,
    /// The feature gates that the release looks at.
    pub gates: Gates,
    basis: Basis,
}

/// Settings given to this run, which win over everything seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// The release.
    pub release: Option<Release>,
    /// The sync period.
    pub sync_period: Option<GoDuration>,
    /// The tolerance.
    pub tolerance: Option<f64>,
    /// The downscale stabilization window.
    pub downscale_stabilization: Option<GoDuration>,
    /// The cpu initialization period.
    pub cpu_initialization_period: Option<GoDuration>,
    /// The initial readiness delay.
    pub initial_readiness_delay: Option<GoDuration>,
    /// Feature gates.
    pub feature_gates: BTreeMap<String, bool>,
}

impl Overrides {
    /// These settings, with those that `other` gives on top.
    pub fn changed_by(&self, other: &Self) -> Self {
        let mut changed = other.clone();
        macro_rules! keep {
            ($($field:ident),*) => { $(changed.$field = changed.$field.or(self.$field);)* };
        }
        keep!(release, sync_period, tolerance, downscale_stabilization);
        keep!(cpu_initialization_period, initial_readiness_delay);
        for (name, on) in &self.feature_gates {
            let known = &mut changed.feature_gates;
            known.entry(name.clone()).or_insert(*on);
        }
        changed
    }

    /// Each setting that is given, alone, as one would write it; the release
    /// is none.
    pub fn each_setting(&self) -> impl Iterator<Item = (String, Self)> {
        macro_rules! alone {
            ($field:ident, $flag:literal) => {
                self.$field.map(|value| {
                    let given = Self {
                        $field: Some(value),
                        ..Self::default()
                    };
                    (format!(concat!($flag, "={}"), value), given)
                })
            };
        }
        let settings = [
            alone!(sync_period, "--sync-period"),
            alone!(tolerance, "--tolerance"),
            alone!(downscale_stabilization, "--downscale-stabilization"),
            alone!(cpu_initialization_period, "--cpu-initialization-period"),
            alone!(initial_readiness_delay, "--initial-readiness-delay"),
        ];
        let gates = self.feature_gates.iter().map(|(name, on)| {
            let given = Self {
                feature_gates: [(name.clone(), *on)].into(),
                ..Self::default()
            };
            (format!("--feature-gates={name}={on}"), given)
        });
        settings.into_iter().flatten().chain(gates)
    }
}

impl Settings {
    /// Resolves the settings of a pass.
    pub fn resolve(snapshot: &Snapshot, overrides: &Overrides) -> Self {
        let mut warnings = Vec::new();
        let (release, release_basis) = resolve_release(snapshot, overrides, &mut warnings);
        let observed = &snapshot.controller;
        let mut resolver = Resolver {
            records: Vec::new(),
        };
        let sync_period = resolver.duration(
            SYNC_PERIOD,
            overrides.sync_period,
            observed.sync_period_seconds,
            15,
        );
        let tolerance = resolver.value(
            "--horizontal-pod-autoscaler-tolerance",
            overrides.tolerance,
            observed.tolerance,
            0.1,
            SettingValue::Fraction,
        );
        let downscale_stabilization = resolver.duration(
            "--horizontal-pod-autoscaler-downscale-stabilization",
            overrides.downscale_stabilization,
            observed.downscale_stabilization_seconds,
            300,
        );
        let cpu_initialization_period = resolver.duration(
            "--horizontal-pod-autoscaler-cpu-initialization-period",
            overrides.cpu_initialization_period,
            observed.cpu_initialization_period_seconds,
            300,
        );
        let initial_readiness_delay = resolver.duration(
            "--horizontal-pod-autoscaler-initial-readiness-delay",
            overrides.initial_readiness_delay,
            observed.initial_readiness_delay_seconds,
            30,
        );
        let (given, observed) = (&overrides.feature_gates, &observed.feature_gates);
        let gates = Gates::resolve(release, &mut resolver, given, observed);
        // Of gates that were given and that nothing asked for.
        let is_known = |name: &str| resolver.records.iter().any(|record| record.name == name);
        let idle = given.keys().filter(|name| !is_known(name));
        warnings.extend(idle.map(|name| {
            format!("feature gate {name} has no effect on the HPA controller of {release}")
        }));
        warnings.extend(gates.external_metric_fallback.remarks(snapshot));
        warnings.extend(overruled(snapshot, overrides, gates));
        if tolerance < 0.0 {
            warnings.push(format!(
                "the controller's tolerance {tolerance} is negative: no ratio is within it"
            ));
        }
        Self {
            release,
            sync_period,
            tolerance,
            downscale_stabilization,
            cpu_initialization_period,
            initial_readiness_delay,
            gates,
            basis: Basis {
                release: release_basis,
                settings: resolver.records,
                warnings,
                not_read: snapshot.provenance.not_read.clone(),
            },
        }
    }

    /// What the settings rest on.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }
}

fn resolve_release(
    snapshot: &Snapshot,
    overrides: &Overrides,
    warnings: &mut Vec<String>,
) -> (Release, ReleaseBasis) {
    let observed = snapshot.server_version.as_deref();
    let (requested, origin, version) = match (overrides.release, observed.map(Release::parse)) {
        (Some(given), _) => (given, Origin::Given, Some(given.to_string())),
        (None, Some(Ok(release))) => (release, Origin::Observed, observed.map(str::to_owned)),
        (None, Some(Err(error))) => {
            warnings.push(format!(
                "{error}: the rules of {} are assumed",
                Release::ASSUMED
            ));
            (
                Release::ASSUMED,
                Origin::Assumed,
                observed.map(str::to_owned),
            )
        }
        (None, None) => (Release::ASSUMED, Origin::Assumed, None),
    };
    let release = requested.nearest_known();
    let basis = ReleaseBasis {
        version,
        rules: release.to_string(),
        nearest: requested.nearest(),
        origin,
        remark: release.remark().map(str::to_owned),
        derived: release
            .derived()
            .map(|(rule, pulls)| DerivedRule {
                rule: rule.name().to_owned(),
                says: rule.says().to_owned(),
                pull_requests: pulls.to_owned(),
            })
            .collect(),
    };
    (release, basis)
}

/// What to say of flags that were given and that do not matter, for the spec
/// sets the same.
fn overruled(snapshot: &Snapshot, overrides: &Overrides, gates: Gates) -> Vec<String> {
    let rules = |way| snapshot.hpa.spec.behavior.as_ref()?.rules(way);
    let has_window =
        rules(Direction::Down).is_some_and(|it| it.stabilization_window_seconds.is_some());
    let has_tolerances = [Direction::Up, Direction::Down]
        .map(|way| rules(way).is_some_and(|it| it.tolerance.is_some()));
    let mut warnings = Vec::new();
    if overrides.downscale_stabilization.is_some() && has_window {
        warnings.push(
            "--downscale-stabilization has no effect: the spec sets \
             behavior.scaleDown.stabilizationWindowSeconds"
                .to_owned(),
        );
    }
    if overrides.tolerance.is_some() && gates.configurable_tolerance && has_tolerances == [true; 2]
    {
        warnings.push(
            "--tolerance has no effect: the spec sets a tolerance in both directions".to_owned(),
        );
    }
    warnings
}

/// Chooses values and keeps a record of each choice.
struct Resolver {
    records: Vec<SettingRecord>,
}

impl Resolver {
    fn value<T: Copy>(
        &mut self,
        name: &'static str,
        given: Option<T>,
        observed: Option<T>,
        default: T,
        typed: fn(T) -> SettingValue,
    ) -> T {
        let (value, origin) = match (given, observed) {
            (Some(given), _) => (given, Origin::Given),
            (None, Some(observed)) => (observed, Origin::Observed),
            (None, None) => (default, Origin::Assumed),
        };
        self.records.push(SettingRecord {
            name,
            value: typed(value),
            origin,
        });
        value
    }

    fn duration(
        &mut self,
        name: &'static str,
        given: Option<GoDuration>,
        observed_seconds: Option<u32>,
        default_seconds: u32,
    ) -> Nanos {
        let of_seconds = |seconds: u32| GoDuration(i64::from(seconds) * 1_000_000_000);
        let observed = observed_seconds.map(of_seconds);
        let chosen = self.value(
            name,
            given,
            observed,
            of_seconds(default_seconds),
            SettingValue::Time,
        );
        Nanos::from(chosen.0)
    }
}

impl Settings {
    /// The downscale stabilization window in whole seconds, as the
    /// controller puts it where `scaleDown` names no window.
    pub fn downscale_stabilization_seconds(&self) -> i64 {
        whole_seconds(self.downscale_stabilization)
    }

    /// The time between two passes that are run one after the other: the sync
    /// period, and a second at least, so that time passes.
    pub fn pass_period(&self) -> Nanos {
        self.sync_period.max(SECOND)
    }

    /// The same in whole seconds.
    pub fn sync_period_seconds(&self) -> i64 {
        whole_seconds(self.pass_period())
    }

    /// The stabilization windows of a spec, upwards and downwards: where it
    /// sets none, that is none upwards and the one of the flag downwards.
    pub fn windows(&self, spec: &HpaSpec) -> (Nanos, Nanos) {
        let window = |way| {
            let rules = spec.behavior.as_ref()?.rules(way)?;
            Some(Nanos::from(rules.stabilization_window_seconds?) * SECOND)
        };
        let down = window(Direction::Down).unwrap_or(self.downscale_stabilization);
        (window(Direction::Up).unwrap_or(0), down)
    }

    /// The longer of the two.
    pub fn longest_window(&self, spec: &HpaSpec) -> Nanos {
        let (up, down) = self.windows(spec);
        up.max(down)
    }
}

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
    fn resolve(
        release: Release,
        resolver: &mut Resolver,
        given: &BTreeMap<String, bool>,
        observed: &BTreeMap<String, bool>,
    ) -> Self {
        let mut gate = |name, default| {
            let (given, observed) = (given.get(name).copied(), observed.get(name).copied());
            resolver.value(name, given, observed, default, SettingValue::Gate)
        };
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
    fn remarks(self, snapshot: &Snapshot) -> Vec<String> {
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
