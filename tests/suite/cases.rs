//! What people reported, with the numbers that they gave: one file a report,
//! one pass a run.

use crate::support;

use crate::support::case;

use std::fmt::Debug;
use std::fs;
use std::path::Path;

use case::{Event, Expect, Failed, PolicyLimit, Proposal, Run, Steps, Why};
use hpa_explain::api::{MetricStatus, MetricValueStatus};
use hpa_explain::trace::{MetricRecord, MetricResult, Rule};
use support::pass::Pass;

#[test]
fn every_reported_case_comes_out_as_expected() {
    let mut differing = Vec::new();
    let (mut run_count, mut skipped) = (0, 0);
    for run in runs() {
        let Some(case) = run.case() else {
            skipped += 1;
            continue;
        };
        run_count += 1;
        let differences = differences(&run.expect, &case.run());
        if !differences.is_empty() {
            differing.push(format!("{}:\n  {}", run.title(), differences.join("\n  ")));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    // Releases before 1.23 are history, given for contrast only.
    assert_eq!((run_count, skipped), (85, 6));
}

#[test]
fn a_case_with_an_expectation_that_nothing_checks_is_refused() {
    let block = "{id: X, hpa: {min: 1, max: 2, metrics: []}, scale: {spec: 1}, expect: {final: 1, WHAT: 1}}";
    let known = block.replace("WHAT", "desired");
    assert_eq!(case::read(&known).expect("known keys").len(), 1);
    for unknown in ["replicas", "finally", "scale"] {
        assert!(
            case::read(&block.replace("WHAT", unknown)).is_err(),
            "{unknown}"
        );
    }
}

/// All runs of all files.
fn runs() -> Vec<Run> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let files = fs::read_dir(&folder).expect("the folder of cases");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 40);
    paths.iter().flat_map(|path| read(path)).collect()
}

fn read(path: &Path) -> Vec<Run> {
    let text = fs::read_to_string(path).expect("a readable file");
    let runs = case::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let name = path.file_stem().and_then(|stem| stem.to_str());
    assert!(
        runs.iter().all(|run| Some(run.id.as_str()) == name),
        "{}",
        path.display()
    );
    runs
}

/// Every expectation that a pass does not meet.
fn differences(expect: &Expect, pass: &Pass) -> Vec<String> {
    let mut differences = Differences::default();
    let trace = &pass.trace;
    differences.compare("proposals", expect.proposals.as_ref(), &proposals(pass));
    let recommendation = trace.recommendation.as_ref();
    let desired = recommendation.and_then(|recommendation| recommendation.replicas);
    differences.compare_some("desired", expect.desired.as_ref(), desired.as_ref());
    let stabilization = trace.stabilization.as_ref();
    let band = stabilization.and_then(|found| Some([found.up?.value, found.down.value]));
    differences.compare_some("band", expect.band.as_ref(), band.as_ref());
    let stabilized = stabilization.map(|found| found.result);
    differences.compare_some(
        "stabilized",
        expect.stabilized.as_ref(),
        stabilized.as_ref(),
    );
    differences.compare("limits", expect.limits.as_ref(), &limits(pass));
    differences.compare("final", expect.size.as_ref(), &pass.size());
    match &expect.event {
        Event::Unsaid => {}
        Event::None => differences.compare("event", Some(&None), &pass.reason()),
        Event::Reason(reason) => {
            let reason = named(reason, pass);
            differences.compare("event", Some(&Some(reason.as_str())), &pass.reason());
        }
    }
    for (kind, wanted) in &expect.conditions {
        let wanted = wanted.as_str().expect("a status, a reason, or both");
        let found = condition(kind, pass);
        if found != wanted && !found.split('/').any(|part| part == wanted) {
            differences.add(kind, &wanted, &found);
        }
    }
    if let Some(error) = &expect.error
        && !pass.error().contains(error.as_str())
    {
        differences.add("error", error, &pass.error());
    }
    if let Some(steps) = &expect.trace {
        assert_eq!(steps.len(), trace.metrics.len(), "one entry a metric");
        for (steps, metric) in steps.iter().zip(&trace.metrics) {
            differences.compare_steps(steps, metric);
        }
    }
    differences.0
}

/// What each metric proposes, where the pass looks at them.
fn proposals(pass: &Pass) -> Vec<Proposal> {
    if pass.trace.recommendation.is_none() {
        return Vec::new();
    }
    let proposals = pass.proposals().into_iter();
    proposals
        .map(|proposal| proposal.map_or(Proposal::Failed(Failed::Error), Proposal::Replicas))
        .collect()
}

fn limits(pass: &Pass) -> Vec<PolicyLimit> {
    let policies = pass.trace.limit.iter().flat_map(|limit| &limit.policies);
    policies
        .map(|policy| {
            let (value, period) = (policy.value, policy.period_seconds);
            (
                policy.kind.to_string(),
                value,
                period,
                policy.period_start,
                policy.limit,
            )
        })
        .collect()
}

/// A condition as the pass set it. What stabilization says of `AbleToScale`
/// is overwritten where the scale is written after it (`setCondition`), but
/// it is what a case is about.
fn condition(kind: &str, pass: &Pass) -> String {
    match &pass.trace.stabilization {
        Some(stabilization) if kind == "AbleToScale" => {
            format!("True/{}", stabilization.reason.word())
        }
        _ => pass.condition(kind),
    }
}

/// An event's reason, with `metric 0` written as the controller names it.
fn named(reason: &str, pass: &Pass) -> String {
    let Some(number) = reason
        .strip_prefix("metric ")
        .and_then(|rest| rest.strip_suffix(" above target"))
    else {
        return reason.to_owned();
    };
    let index: usize = number.parse().expect("a metric's number");
    match &pass.trace.metrics[index].result {
        Some(MetricResult::Proposed(proposed)) => format!("{} above target", proposed.name),
        _ => reason.to_owned(),
    }
}

#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn add(&mut self, what: &str, wanted: &impl Debug, found: &impl Debug) {
        self.0
            .push(format!("{what}: expected {wanted:?}, found {found:?}"));
    }

    fn compare<T: Debug + PartialEq>(&mut self, what: &str, wanted: Option<&T>, found: &T) {
        self.compare_some(what, wanted, Some(found));
    }

    /// Compares what is expected, if anything is.
    fn compare_some<T: Debug + PartialEq>(
        &mut self,
        what: &str,
        wanted: Option<&T>,
        found: Option<&T>,
    ) {
        if wanted.is_some() && wanted != found {
            self.add(what, &wanted, &found);
        }
    }

    fn compare_steps(&mut self, wanted: &Steps, metric: &MetricRecord) {
        let measured = metric.measured.as_ref();
        let filled_in = metric
            .filled_in
            .as_ref()
            .map(|filled_in| &filled_in.measured);
        let util = measured.and_then(|measured| measured.utilization);
        self.compare_some("util", wanted.util.as_ref(), util.as_ref());
        let util2 = filled_in.and_then(|measured| measured.utilization);
        self.compare_some("util2", wanted.util2.as_ref(), util2.as_ref());
        let raw = measured.and_then(|measured| measured.average);
        self.compare_some("raw", wanted.raw.as_ref(), raw.as_ref());
        let ratio = measured.map(|measured| measured.ratio);
        if let Some(wanted) = wanted.ratio
            && !ratio.is_some_and(|ratio| (ratio - wanted).abs() < 0.000_05)
        {
            self.add("ratio", &wanted, &ratio);
        }
        let groups = metric.groups;
        self.compare_some(
            "ready",
            wanted.ready.as_ref(),
            groups.map(|g| g.ready).as_ref(),
        );
        self.compare_some(
            "unready",
            wanted.unready.as_ref(),
            groups.map(|g| g.unready).as_ref(),
        );
        self.compare_some(
            "missing",
            wanted.missing.as_ref(),
            groups.map(|g| g.missing).as_ref(),
        );
        self.compare_some(
            "ignored",
            wanted.ignored.as_ref(),
            groups.map(|g| g.ignored).as_ref(),
        );
        let proposed = match &metric.result {
            Some(MetricResult::Proposed(proposed)) => Some(proposed),
            _ => None,
        };
        let shown = proposed.and_then(|proposed| shown(&proposed.current));
        self.compare_some("shown", wanted.shown.as_ref(), shown.as_ref());
        if let Some(why) = wanted.why
            && !proposed.is_some_and(|proposed| rules(why).contains(&proposed.rule))
        {
            self.add("why", &why, &proposed.map(|proposed| proposed.rule));
        }
    }
}

fn rules(why: Why) -> &'static [Rule] {
    match why {
        Why::Tolerated => &[
            Rule::ReplicasTolerated,
            Rule::ValueTolerated,
            Rule::AverageTolerated,
        ],
        Why::ToleratedFilledIn => &[Rule::ReplicasToleratedFilledIn],
        Why::Reversed => &[Rule::ReplicasReversed],
    }
}

/// What the status shows of a metric, in thousandths.
fn shown(status: &MetricStatus) -> Option<i64> {
    let sources = [
        status.resource.as_ref().map(|source| &source.current),
        status
            .container_resource
            .as_ref()
            .map(|source| &source.current),
        status.external.as_ref().map(|source| &source.current),
    ];
    let MetricValueStatus {
        value,
        average_value,
        ..
    } = sources.into_iter().flatten().next()?;
    Some(average_value.as_ref().or(value.as_ref())?.milli_value())
}
