//! What is legal in a manifest and hardly meant: findings that need no
//! cluster, one file a part of the manifest; and the review of a manifest: these, with what
//! the API server says of it.
//!
//! They share their codes with those of a running HPA. What depends on the
//! load is left to these.

mod behavior;
mod fields;
mod metrics;
mod neighbors;
mod pods;
mod policies;
mod target;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::api::HpaSpec;
use crate::controller::Settings;
use crate::document::manifest::{FieldError, Hint, Manifest, Neighbor, Rules, Unserved};
use crate::document::{FieldPath, Place, SyntaxError};
use crate::trace::{
    Code, CodeKind, Finding, PlacedFinding, PlacedProblem, Remedy, Review, ShellCommand, Unreadable,
};

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
            let of_name = by_name.entry((namespace, metadata.name.as_str()));
            of_name.or_default().push(it);
            let of_target: &mut Vec<&InFile<Manifest>> =
                by_target.entry((namespace, target)).or_default();
            // An HPA that is given twice does not block itself.
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
type Found = (FieldPath, Finding);

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
    metrics::not_measured,
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
    drop_superseded(&mut found);
    found
}

fn at(field: impl Into<FieldPath>, finding: Finding) -> Found {
    (field.into(), finding)
}

/// Of more problems, or more findings, of one HPA nobody reads the rest.
const MOST_SHOWN: usize = 200;

/// Reviews a manifest of a file.
pub fn review(input: &Lint) -> Review {
    let (file, manifest, rules) = (input.file, input.manifest, input.rules);
    let errors = manifest.errors(rules);
    let unserved = manifest.unserved(rules);
    let decode_error = !manifest.faults.is_empty();
    let accepted = errors.is_empty() && !decode_error && unserved.is_none();
    let mut problems = problems(manifest, unserved, &errors);
    let mut findings = lint(input);
    shorten(&mut problems, "problems", |last, says| last.message = says);
    shorten(&mut findings, "findings", |last, says| {
        last.finding.message = says;
        last.finding.evidence.clear();
        last.finding.remedies.clear();
    });
    let metadata = &manifest.metadata;
    let shown = errors.iter().take(MOST_SHOWN);
    let name = if metadata.name.is_empty() {
        &metadata.generate_name
    } else {
        &metadata.name
    };
    Review {
        file: file.to_owned(),
        line: manifest.node.place.line,
        api_version: manifest.api_version().to_owned(),
        namespace: metadata.namespace.clone(),
        name: name.clone(),
        release: rules.release.to_string(),
        accepted,
        unserved: unserved.is_some(),
        decode_error,
        defaulted: accepted.then(|| manifest.defaulted(rules)),
        errors: shown.map(ToString::to_string).collect(),
        problems,
        findings,
    }
}

/// Leaves out what is too many. The first of it stays, to say how many there
/// are: none of the rest matters more.
fn shorten<T>(items: &mut Vec<T>, what: &str, tell: impl Fn(&mut T, String)) {
    let more = items.len().saturating_sub(MOST_SHOWN);
    items.truncate(MOST_SHOWN + 1);
    if more > 1
        && let Some(last) = items.last_mut()
    {
        let says = format!("{more} more {what} are left out: fix these first");
        tell(last, says);
    }
}

/// Tells of a document of a file that cannot be read, and what to do next.
pub fn unreadable(file: &str, hint: Option<Hint>, error: &SyntaxError) -> Unreadable {
    let render = ShellCommand::new("helm template . | kubectl hpa-explain lint -f -");
    Unreadable {
        file: file.to_owned(),
        line: error.place.line,
        column: error.place.column,
        error: error.reason.clone(),
        remedy: hint.map(|hint| match hint {
            Hint::Template => Remedy::look(hint.says(), render),
            Hint::Tabs => Remedy::advice(hint.says()),
        }),
    }
}

/// What keeps a manifest from being accepted: first that the release does not serve its
/// version, then what would be wrong in one that it serves.
fn problems(
    manifest: &Manifest,
    unserved: Option<Unserved>,
    errors: &[FieldError],
) -> Vec<PlacedProblem> {
    let placed = |field: &FieldPath, place: Place, message: String| PlacedProblem {
        field: field.clone(),
        line: place.line,
        column: place.column,
        message,
    };
    let unserved = unserved.map(|unserved| {
        let field = "apiVersion".into();
        let message = format!("{field}: {unserved}");
        placed(&field, manifest.place_of(&field), message)
    });
    let faults = manifest.faults.iter().map(|fault| {
        let message = format!("{} {}", fault.field, fault.reason());
        placed(&fault.field, fault.place, message)
    });
    let mut reported: BTreeSet<String> = BTreeSet::new();
    let errors = manifest.own(errors).map(|error| {
        let place = manifest.place_of(&error.field);
        placed(&error.field, place, error.to_string())
    });
    let all = unserved.into_iter().chain(faults).chain(errors);
    // The server looks at some fields twice.
    let all = all.filter(|it| reported.insert(it.message.clone()));
    all.collect()
}

/// Drops what another finding makes needless: what has no effect has no trap, and
/// advice on it would only lead away from the cause.
fn drop_superseded(found: &mut Vec<Found>) {
    let ends = [
        CodeKind::EndsBehavior,
        CodeKind::EndsDirection,
        CodeKind::EndsField,
    ];
    let is_cause = |it: &&Found| ends.iter().any(|kind| it.1.code.is(*kind));
    let causes = found.iter().filter(is_cause);
    let causes: Vec<(Code, FieldPath)> = causes.map(|(at, it)| (it.code, at.clone())).collect();
    found.retain(|(field, finding)| {
        let mut causes = causes.iter();
        !causes.any(|(cause, at)| is_superseded((finding.code, field), (*cause, at)))
    });
}

/// Whether a finding tells nothing beside another one.
fn is_superseded((code, field): (Code, &FieldPath), (cause, at): (Code, &FieldPath)) -> bool {
    let inside = |outer: &FieldPath| {
        code.is(CodeKind::OfBehavior) && field != outer && field.is_within(outer)
    };
    // The size cannot change, whatever may change it.
    (cause.is(CodeKind::EndsBehavior) && code.is(CodeKind::OfBehavior))
        // This direction is off; that its tolerance has no use says so.
        || (cause.is(CodeKind::EndsDirection)
            && (code.is(CodeKind::OfBothDirections)
                || inside(&at.parent()) && !code.is(CodeKind::OfDisabled)))
        // The policy never counts, and neither does what is inside.
        || (cause.is(CodeKind::EndsField) && inside(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Release;
    use crate::document::manifest::{Content, Rules, read};
    use crate::findings::lint::{InFile, WholeInput};

    #[test]
    fn of_very_many_findings_the_first_are_told_and_the_rest_counted() {
        let cpu = "{type: Resource, resource: {name: cpu, target: {type: Utilization, \
            averageUtilization: 5}}}";
        let text = format!(
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: web}}\n\
             spec:\n  scaleTargetRef: {{kind: Deployment, name: web, apiVersion: apps/v1}}\n  \
             maxReplicas: 9\n  metrics: [{}]\n",
            vec![cpu; 302].join(", ")
        );
        let rules = Rules::new(Release::ASSUMED, &std::iter::empty().collect());
        let documents = read(&text, rules);
        let [Ok(Content::Autoscaler(manifest))] =
            [documents.into_iter().next().expect("one").content]
        else {
            panic!("no HPA");
        };
        let all = [InFile {
            file: "a.yaml",
            item: &*manifest,
        }];
        let input = Lint {
            file: "a.yaml",
            manifest: &manifest,
            input: &WholeInput::new(&all, &[]),
            rules,
        };
        let whole = lint(&input);
        let review = review(&input);
        assert!(review.accepted && review.problems.is_empty(), "{review:?}");
        assert_eq!(review.findings.len(), MOST_SHOWN + 1);
        assert_eq!(review.findings[..MOST_SHOWN], whole[..MOST_SHOWN]);
        let last = &review.findings[MOST_SHOWN].finding;
        let more = whole.len() - MOST_SHOWN;
        let expected = format!("{more} more findings are left out: fix these first");
        assert_eq!(last.message, expected);
        assert_eq!(last.severity, whole[MOST_SHOWN].finding.severity);
        assert!(more > 100, "{more}");
    }
}
