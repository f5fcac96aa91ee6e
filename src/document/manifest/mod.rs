//! What people write, taken as the API server takes it: parsed, decoded,
//! converted, defaulted and validated, each thing with its place in the file.
//!
//! Nothing here asks a cluster, and nothing here judges: what is legal and
//! hardly meant is the business of [`crate::findings`].

mod assign;
mod candidate;
mod change;
mod decode;
mod field_error;
mod neighbor;
mod read;
mod validate;
mod version;

use std::collections::{BTreeMap, BTreeSet};

use crate::api::{Behavior, HpaSpec, OwnerReference, ScalingRules};
use crate::controller::{FALLBACK_GATE, Release, Switch};
use crate::document::{FieldPath, Node, Place};
use version::Version;

pub use assign::{Assignment, ParseAssignmentError};
pub use candidate::{accepted, edited, find, refusals};
pub use change::{changes, merge_patch};
pub use decode::{Fault, FieldFault, FieldFaultKind, Suggestion};
pub use field_error::{FieldError, Refusal};
pub use neighbor::{Neighbor, Scaler};
pub use read::{Content, Document, Hint, read};
pub use version::{METRICS_ANNOTATION, Unserved};

/// The release whose API server's answers the rules were compared with.
pub const ANSWERED: Release = Release::minor(36);

/// What the API server goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The release.
    pub release: Release,
    /// Whether `minReplicas` may be 0 (gate `HPAScaleToZero`).
    pub scale_to_zero: bool,
    /// Whether `tolerance` is kept (gate `HPAConfigurableTolerance`).
    pub configurable_tolerance: bool,
    /// Whether `external.fallback` is a field at all (gate
    /// `HPAExternalMetricFallback`). No release has it, nor the gate: it is
    /// the design of KEP-5679.
    pub external_metric_fallback: bool,
}

impl Rules {
    /// The rules of a release, with the gates that are given; all others are
    /// as the release has them.
    pub fn new(release: Release, gates: &BTreeMap<String, bool>) -> Self {
        let gate = |name: &str, default| gates.get(name).copied().unwrap_or(default);
        Self {
            release,
            scale_to_zero: gate("HPAScaleToZero", release.has(Switch::ScaleToZeroOn)),
            configurable_tolerance: release.configurable_tolerance(gate),
            external_metric_fallback: gate(FALLBACK_GATE, false),
        }
    }

    /// The rules for a change: what a spec has already it may keep, gate or
    /// not (`ValidateHorizontalPodAutoscalerUpdate`, `dropDisabledFields`).
    pub fn on_update_of(self, current: &HpaSpec) -> Self {
        let mut rules = current.behavior.iter().flat_map(Behavior::directions);
        let has_tolerance = rules.any(|(_, rules)| rules.tolerance.is_some());
        Self {
            scale_to_zero: self.scale_to_zero || current.min_replicas == Some(0),
            configurable_tolerance: self.configurable_tolerance || has_tolerance,
            ..self
        }
    }
}

/// The part of `metadata` that an HPA is judged by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The name; empty where there is none.
    pub name: String,
    /// What the server makes a name from.
    pub generate_name: String,
    /// The namespace; empty where there is none.
    pub namespace: String,
    /// The labels.
    pub labels: BTreeMap<String, String>,
    /// The annotations.
    pub annotations: BTreeMap<String, String>,
    /// The owners.
    pub owner_references: Vec<OwnerReference>,
    /// Who has to agree before it is deleted.
    pub finalizers: Vec<String>,
}

/// An HPA as somebody wrote it.
#[derive(Clone, Debug)]
pub struct Manifest {
    version: Version,
    /// Name and namespace.
    pub metadata: Metadata,
    /// The spec, converted to `autoscaling/v2` and without defaults; what is
    /// left of it where there are faults.
    pub spec: HpaSpec,
    /// What does not have the type of its field. With any of them the server
    /// answers 400, and nothing else is looked at.
    pub faults: Vec<Fault>,
    /// Fields that the API does not have, or that are given twice. kubectl refuses
    /// them, the server by itself drops them.
    pub unknown_fields: Vec<FieldFault>,
    /// Annotations that an older version keeps a part of the spec in, and
    /// that do not parse; the server ignores them without a word.
    pub ignored_annotations: Vec<&'static str>,
    /// The document, for places.
    pub node: Node,
}

impl Manifest {
    /// The spec as the server would store it
    /// (`SetDefaults_HorizontalPodAutoscaler`).
    pub fn defaulted(&self, rules: Rules) -> HpaSpec {
        let mut spec = self.spec.clone();
        if !rules.configurable_tolerance
            && let Some(behavior) = &mut spec.behavior
        {
            let drop = |rules: &mut ScalingRules| rules.tolerance = None;
            behavior.scale_up.iter_mut().for_each(drop);
            behavior.scale_down.iter_mut().for_each(drop);
        }
        spec.set_defaults();
        // Without the gate nothing was read of the field.
        spec.set_fallback_defaults();
        change::print_quantities(&mut spec, rules.release);
        spec
    }

    /// What the server has against creating it, in its order; nothing where
    /// it cannot even be decoded.
    pub fn errors(&self, rules: Rules) -> Vec<FieldError> {
        if !self.faults.is_empty() {
            return Vec::new();
        }
        validate::validate(self, &self.defaulted(rules), rules)
    }

    /// Of the server's errors those that are not there because of a misspelt
    /// name: without it, the field that was meant is not set.
    pub fn own<'e>(&self, errors: &'e [FieldError]) -> impl Iterator<Item = &'e FieldError> {
        let intended = self.unknown_fields.iter().flat_map(FieldFault::intended);
        let intended: BTreeSet<FieldPath> = intended.collect();
        errors
            .iter()
            .filter(move |error| !intended.contains(&error.field))
    }

    /// The version that it is written in, such as `autoscaling/v2`.
    pub fn api_version(&self) -> &'static str {
        self.version.name()
    }

    /// Whether the version it is written in is not the one that answers of a
    /// real server cover.
    pub fn is_converted(&self) -> bool {
        self.version != Version::V2
    }

    /// The last release that serves the version, of one that is gone by now.
    pub fn last_served(&self) -> Option<Release> {
        self.version.last()
    }

    /// That the release does not serve the version, and what it says to that.
    pub fn unserved(&self, rules: Rules) -> Option<Unserved> {
        self.version.unserved(rules.release)
    }

    /// The place of a field, or of the nearest one around it that is there.
    pub fn place_of(&self, field: &FieldPath) -> Place {
        self.node.place_of(field)
    }
}
