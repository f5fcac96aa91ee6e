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
use crate::controller::Settings;
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
    objects: Index<'a>,
    /// Everything else by kind.
    kinds: Index<'a>,
    /// What sets sizes or requests, by the name of what it does so to.
    scalers: Index<'a>,
}

/// Objects by what they are looked for by, and their namespaces.
#[derive(Debug)]
struct Index<'a>(BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a InFile<'a, Neighbor>>>>);

impl<'a> Index<'a> {
    fn new(
        neighbors: &'a [InFile<'a, Neighbor>],
        key: impl Fn(&'a Neighbor) -> Option<&'a str>,
    ) -> Self {
        let mut all = BTreeMap::<_, BTreeMap<_, Vec<_>>>::new();
        for it in neighbors {
            if let Some(key) = key(it.item) {
                let namespaces = all.entry(key).or_default();
                let namespace = it.item.namespace.as_str();
                namespaces.entry(namespace).or_default().push(it);
            }
        }
        Self(all)
    }

    /// Those that can be in an HPA's namespace: what names none goes where it
    /// is applied.
    fn of(
        &'a self,
        key: &str,
        lint: &Lint,
    ) -> impl Iterator<Item = &'a InFile<'a, Neighbor>> + use<'a> {
        let own = lint.manifest.metadata.namespace.as_str();
        let (all, some) = match self.0.get(key) {
            Some(namespaces) if own.is_empty() => (Some(namespaces.values()), None),
            Some(namespaces) => (None, Some([namespaces.get(own), namespaces.get("")])),
            None => (None, None),
        };
        let some = some.into_iter().flatten().flatten();
        all.into_iter().flatten().chain(some).flatten().copied()
    }
}

impl<'a> WholeInput<'a> {
    /// Of its HPAs, and of everything else.
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
            let of_target: &mut Vec<&InFile<Manifest>> =
                by_target.entry((namespace, target)).or_default();
            // One that is there twice blocks nothing once more.
            let last = of_target.last().map(|it| &it.item.metadata.name);
            if last != Some(&metadata.name) {
                of_target.push(it);
            }
        }
        Self {
            by_name,
            by_target,
            objects: Index::new(neighbors, |it| Some(it.object.name.as_str())),
            kinds: Index::new(neighbors, |it| Some(it.object.kind.as_str())),
            scalers: Index::new(neighbors, |it| it.scaler.as_ref()?.target_name()),
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
    fields::unknown_fields,
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
const UNDECODED: &[Check] = &[fields::unknown_fields, metrics::fallback_design];

/// What is found in a manifest, the worst first, then from top to bottom; of
/// one that cannot be decoded only what is no field of a release.
pub fn lint(lint: &Lint) -> Vec<PlacedFinding> {
    let mut found = Vec::new();
    if lint.manifest.faults.is_empty() {
        let spec = lint.manifest.defaulted(lint.rules);
        for check in OF_MANIFEST {
            check(lint, &spec, &mut found);
        }
        found.extend(of_stored(&spec, behavior::SYNC_PERIOD.into()));
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

/// What is found in a spec alone, for a controller with these settings.
pub(crate) fn of_spec(spec: &HpaSpec, settings: &Settings) -> Vec<Finding> {
    let mut spec = spec.clone();
    spec.set_defaults();
    let found = of_stored(&spec, settings.sync_period_seconds()).into_iter();
    found.map(|(_, finding)| finding).collect()
}

/// What is found in a spec as the API server stores it, for a controller that
/// looks every so many seconds.
fn of_stored(spec: &HpaSpec, sync_period: i64) -> Vec<Found> {
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
