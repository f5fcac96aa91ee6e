//! What is legal in a manifest and hardly meant: findings that need no
//! cluster, one file a part of the manifest.
//!
//! They share their codes with those of a running HPA. What depends on the
//! load is left to these.

mod behavior;
mod fields;
mod metrics;
mod neighbors;
mod pods;
mod policies;
mod review;
mod target;

use std::cmp::Reverse;

use std::collections::BTreeMap;

use crate::api::HpaSpec;
use crate::document::Place;
use crate::manifest::{Manifest, Neighbor, Rules};
use crate::trace::{Finding, PlacedFinding};

pub use review::{review, unreadable};

/// A manifest and what stands beside it in the same input.
#[derive(Clone, Copy, Debug)]
pub struct Lint<'a> {
    /// The file that the HPA is in.
    pub file: &'a str,
    /// The HPA, as it is written.
    pub manifest: &'a Manifest,
    /// The whole input, this one included.
    pub input: &'a WholeInput<'a>,
    /// What the API server goes by.
    pub rules: Rules,
}

/// Something of the input, and the file that it is in.
#[derive(Debug)]
pub struct InFile<'a, T> {
    /// The file.
    pub file: &'a str,
    /// What is in it.
    pub item: &'a T,
}

/// What an input holds, found by what it is looked for by.
#[derive(Debug)]
pub struct WholeInput<'a> {
    /// The HPAs by namespace and name.
    by_name: BTreeMap<(&'a str, &'a str), Vec<&'a InFile<'a, Manifest>>>,
    /// The HPAs by namespace and their target's name.
    by_target: BTreeMap<(&'a str, &'a str), Vec<&'a InFile<'a, Manifest>>>,
    /// Everything else by name.
    objects: BTreeMap<&'a str, Vec<&'a InFile<'a, Neighbor>>>,
    /// Of everything else what reaches beyond itself.
    reaching: Vec<&'a InFile<'a, Neighbor>>,
    /// Everything else.
    neighbors: &'a [InFile<'a, Neighbor>],
}

impl<'a> WholeInput<'a> {
    /// Of its HPAs, and of everything else.
    #[must_use]
    pub fn new(
        autoscalers: &'a [InFile<'a, Manifest>],
        neighbors: &'a [InFile<'a, Neighbor>],
    ) -> Self {
        let (mut by_name, mut by_target) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::new());
        for it in autoscalers {
            let metadata = &it.item.metadata;
            let namespace = metadata.namespace.as_str();
            let target = it.item.spec.scale_target_ref.name.as_str();
            by_name
                .entry((namespace, metadata.name.as_str()))
                .or_default()
                .push(it);
            let of_target: &mut Vec<_> = by_target.entry((namespace, target)).or_default();
            of_target.push(it);
        }
        let mut objects = BTreeMap::<_, Vec<_>>::new();
        for it in neighbors {
            let name = it.item.object.name.as_str();
            objects.entry(name).or_default().push(it);
        }
        let reaches = |it: &&InFile<Neighbor>| {
            it.item.scaler.is_some() || it.item.object.kind == "LimitRange"
        };
        Self {
            by_name,
            by_target,
            objects,
            reaching: neighbors.iter().filter(reaches).collect(),
            neighbors,
        }
    }
}

impl Lint<'_> {
    /// `line 12`, or `deploy.yaml:12` in another file.
    fn place(&self, file: &str, place: Place) -> String {
        let line = place.line;
        if file == self.file {
            format!("line {line}")
        } else {
            format!("{file}:{line}")
        }
    }
}

/// What was found, and in which field.
type Found = (String, Finding);

/// Looks for one thing, and adds what it finds.
type Check = fn(&Lint, &HpaSpec, &mut Vec<Found>);

/// The same in a spec alone, as the API server stores it.
type SpecCheck = fn(&HpaSpec, &mut Vec<Found>);

/// What is looked for in a spec, wherever it comes from.
const OF_SPEC: &[SpecCheck] = &[
    target::fixed_size,
    behavior::empty,
    behavior::disabled,
    behavior::window_order,
    behavior::sudden_drop,
    policies::idle,
    policies::percent,
    behavior::wide_tolerance,
    metrics::object_target,
    metrics::ignored_type,
    metrics::twice,
    metrics::whole_queue,
];

/// What is looked for in a manifest, and beside it.
const OF_MANIFEST: &[Check] = &[
    fields::strays,
    fields::annotations,
    fields::old_version,
    target::scale_to_zero,
    behavior::dropped_tolerance,
    behavior::disabled_rules,
    metrics::fallback_design,
    neighbors::keda,
    neighbors::same_name,
    neighbors::same_target,
    neighbors::sizes,
    neighbors::scaled_object,
    neighbors::vertical,
    target::kind,
    target::absent,
    pods::requests,
    pods::limits,
];

/// What is looked for where nothing can be decoded.
const UNDECODED: &[Check] = &[fields::strays, metrics::fallback_design];

/// What is found in a manifest, the worst first, then from top to bottom; of
/// one that cannot be decoded only what is no field of a release.
#[must_use]
pub fn lint(lint: &Lint) -> Vec<PlacedFinding> {
    let mut found = Vec::new();
    if lint.manifest.faults.is_empty() {
        let spec = lint.manifest.defaulted(lint.rules);
        for check in OF_MANIFEST {
            check(lint, &spec, &mut found);
        }
        found.extend(of_spec(&spec, behavior::SYNC_PERIOD.into()));
    } else {
        for check in UNDECODED {
            check(lint, &lint.manifest.spec, &mut found);
        }
    }
    let placed = found.into_iter().map(|(field, finding)| {
        let place = lint.manifest.place_of(&field);
        PlacedFinding {
            field,
            line: place.line,
            column: place.column,
            finding,
        }
    });
    let mut findings: Vec<PlacedFinding> = placed.collect();
    findings.sort_by_key(|it| {
        let severity = Reverse(it.finding.severity);
        (severity, it.line, it.column, it.finding.code)
    });
    findings
}

/// What is found in a spec alone, as the API server stores it, for a controller
/// that looks every so many seconds.
pub(super) fn of_spec(spec: &HpaSpec, sync_period: i64) -> Vec<Found> {
    let mut found = Vec::new();
    for check in OF_SPEC {
        check(spec, &mut found);
    }
    behavior::short_periods(spec, sync_period, &mut found);
    review::drop_superseded(&mut found);
    found
}

fn at(field: impl Into<String>, finding: Finding) -> Found {
    (field.into(), finding)
}
