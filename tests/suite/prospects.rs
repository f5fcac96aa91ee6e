//! What other inputs would lead to, against the pass run on these inputs.

use crate::support;

use crate::support::case;

use std::fs;
use std::path::Path;

use crate::support::vectors::{RECORDED, vectors};
use hpa_explain::api::{Format, PodMetrics, Quantity, TargetKind};
use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::history::Observer;
use hpa_explain::trace::{
    BreakPoint, End, Group, MetricRecord, MetricResult, Premise, Prospects, Trace,
};
use hpa_explain::what_if;
use proptest::prelude::*;
use serde_json::{Value, json};
use support::build::Case;
use support::pod::{Pod, cpu, silent};

#[test]
fn the_cases_break_where_they_should() {
    // First value that asks for more, and that asks for less: the last value
    // that does not, in the metric's unit (percent, or thousandths in total).
    type Break = Option<(i64, i32)>;
    let rows: [(&str, Break, Break); 12] = [
        // Tolerated up to 39.6; down to 32.4, too, but 9 still come of more
        // than 32: ceil(32.001 / 4).
        ("F1/t37", Some((39_600, 10)), Some((32_001, 8))),
        // The band 59..71 is the tolerance; ceil(0.678 × 3) is the first 2.
        ("F4/u71", Some((71, 4)), Some((44, 2))),
        ("G1/u80", Some((110, 5)), Some((76, 3))),
        // Asks for more already.
        ("V3/upper-edge-until-1.32", None, Some((32_001, 8))),
        // Until 1.32 the edge itself is outside.
        (
            "V3/lower-edge-until-1.32",
            Some((39_599, 10)),
            Some((32_001, 8)),
        ),
        ("H5", Some((77, 4)), Some((47, 2))),
        // One pod counts, nine are at 0% upwards and play no part downwards.
        ("C4", Some((1109, 12)), Some((90, 1))),
        ("B1/as-reported", Some((56, 6)), Some((21, 2))),
        ("W1", Some((85, 15)), Some((44, 11))),
        ("N2", Some((6_600, 4)), None),
        ("F3", Some((24_200, 25)), Some((19_800, 20))),
        (
            "O1/averageValue-fixed-point",
            Some((11_000, 3)),
            Some((5_001, 1)),
        ),
    ];
    let mut wrong = Vec::new();
    for (id, up, down) in rows {
        let prospects = prospects(&explain(&case(id)));
        let found = prospects.break_points[0];
        let text = |point: Option<BreakPoint>| point.map(|point| (point.last, point.replicas));
        if (text(found.up), text(found.down)) != (up, down) {
            wrong.push(format!("{id}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_cases_end_where_they_should() {
    let rows = [
        ("F1/t37", End::Rest, 9, Some(37_000)),
        ("B1/without-foreign", End::Rest, 5, Some(30)),
        ("G4/jac-1", End::AtMax, 10, Some(166)),
        ("G4/jac-3", End::AtMax, 10, Some(166)),
        ("O1/v1", End::AtMax, 5, Some(10_000)),
        ("O1/averageValue", End::Rest, 2, Some(10_000)),
        ("A4", End::Rest, 6, Some(73)),
        ("J2", End::Rest, 2, Some(22)),
    ];
    let mut wrong = Vec::new();
    for (id, end, replicas, value) in rows {
        let found = prospects(&explain(&case(id))).settling;
        let shown = found.as_ref().map(|it| (it.end, it.replicas, it.value));
        if shown != Some((end, Some(replicas), value)) {
            wrong.push(format!("{id}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn policies_decide_where_it_rests() {
    // 150% of 12 pods asks for 30; two pods a minute it is at 28 that 64% is
    // tolerated.
    let case = Case::new()
        .bounds(4, 40)
        .cpu(60)
        .replicas(12)
        .pods(12, &cpu(150, 100))
        .behavior(json!({"scaleUp": {"policies": [
            {"type": "Pods", "value": 2, "periodSeconds": 60},
        ]}}));
    let trace = explain(&snapshot(&case.document()));
    let found = prospects(&trace).settling.expect("it rests");
    assert_eq!(
        (found.end, found.replicas, found.value),
        (End::Rest, Some(28), Some(64))
    );
    assert_eq!(found.holds(), Some((54, 66)));
    let sizes: Vec<i32> = found.steps.iter().map(|step| step.replicas).collect();
    assert_eq!(sizes, [14, 16, 18, 20, 22, 24, 26, 28]);
    let minutes: Vec<i64> = found
        .steps
        .iter()
        .map(|step| {
            step.at
                .expect("a known memory")
                .duration_since(trace.at)
                .as_secs()
        })
        .collect();
    // The next pass may be a whole period away.
    assert_eq!(minutes, [15, 75, 135, 195, 255, 315, 375, 435]);
    let [attempt] = prospects(&trace).attempts.try_into().expect("one");
    assert_eq!(attempt.field, "spec.behavior.scaleUp.policies[0].value");
    assert_eq!((attempt.to.as_str(), attempt.replicas), ("18", 30));
    assert_eq!(
        attempt.command.to_string(),
        "kubectl patch hpa web -n default --type=json -p \
         '[{\"op\":\"replace\",\"path\":\"/spec/behavior/scaleUp/policies/0/value\",\"value\":18}]'"
    );
}

/// Deployment/web's own pods, and two of its canary; the chain of owners is
/// told by the name and the label of the template.
fn with_canary(own: &Pod, canary: &Pod) -> Case {
    let case = Case::new().bounds(1, 20).cpu(50).replicas(2);
    let case = case.pods(2, own).pods(1, canary);
    ["web", "web", "be"].iter().enumerate().fold(case, |case, (position, deployment)| {
        let owner = json!([{"kind": "ReplicaSet", "name": format!("{deployment}-5d4f"), "controller": true}]);
        let labels = json!({"app": "web", "pod-template-hash": "5d4f"});
        case.set(&format!("/pods/{position}/metadata/ownerReferences"), owner)
            .set(&format!("/pods/{position}/metadata/labels"), labels)
    })
}

#[test]
fn foreign_pods_stay_as_they_are() {
    // Two idle pods, and one of somebody else's that is fully used.
    let case = with_canary(&cpu(0, 200), &cpu(600, 600));
    let trace = explain(&snapshot(&case.document()));
    let found = prospects(&trace);
    assert_eq!(found.foreign_pods.len(), 1);
    assert_eq!(
        found.foreign_pods[0].owner.as_deref(),
        Some("Deployment/be")
    );
    let settling = found.settling.expect("it rests");
    assert_eq!(
        (settling.end, settling.replicas, settling.value),
        (End::Rest, Some(5), Some(37))
    );
    let without = &found.counterfactuals[0];
    assert_eq!(without.premise, Premise::WithoutForeignPods { pods: 1 });
    assert_eq!((without.recommendation, without.value), (Some(0), Some(0)));
    assert_eq!(without.replicas, Some(1));
}

#[test]
fn owners_are_told_only_where_they_are_known() {
    type Edit = (&'static str, Value);
    let replica_set =
        |owner: Value| json!([{"metadata": {"name": "be-5d4f", "ownerReferences": owner}}]);
    let rows: [(&[Edit], Option<Option<&str>>); 7] = [
        (&[], Some(Some("Deployment/be"))),
        // The ReplicaSet says more than its name.
        (
            &[(
                "/replicaSets",
                replica_set(json!([{"kind": "Deployment", "name": "web", "controller": true}])),
            )],
            None,
        ),
        (
            &[("/replicaSets", replica_set(json!([])))],
            Some(Some("ReplicaSet/be-5d4f")),
        ),
        // Without the label the name proves nothing.
        (&[("/pods/2/metadata/labels", json!({"app": "web"}))], None),
        (
            &[(
                "/pods/2/metadata/ownerReferences",
                json!([{"kind": "Job", "name": "j", "controller": true}]),
            )],
            Some(Some("Job/j")),
        ),
        (
            &[("/pods/2/metadata/ownerReferences", json!([]))],
            Some(None),
        ),
        // What a kind of somebody's own owns in between is not known.
        (
            &[(
                "/horizontalPodAutoscaler/spec/scaleTargetRef",
                json!({"apiVersion": "x.io/v1", "kind": "App", "name": "web"}),
            )],
            None,
        ),
    ];
    for (edits, expected) in rows {
        let case = with_canary(&cpu(0, 200), &cpu(600, 600));
        let case = edits
            .iter()
            .fold(case, |case, (at, value)| case.set(at, value.clone()));
        let found = prospects(&explain(&snapshot(&case.document())));
        let owners: Vec<_> = found
            .foreign_pods
            .iter()
            .map(|pod| pod.owner.as_deref())
            .collect();
        assert_eq!(
            owners,
            expected.into_iter().collect::<Vec<_>>(),
            "{edits:?}"
        );
    }
}

#[test]
fn set_aside_pods_as_if_they_counted() {
    let case = Case::new().bounds(3, 20).cpu(60).replicas(8);
    let case = case
        .pods(5, &cpu(460, 500))
        .pods(2, &cpu(0, 500).pending())
        .pods(1, &silent(500));
    let trace = explain(&snapshot(&case.document()));
    let found = prospects(&trace);
    let answers: Vec<_> = found
        .counterfactuals
        .iter()
        .map(|one| (&one.premise, one.replicas, one.value))
        .collect();
    let one = Premise::OneCounts {
        pod: "pod-7".to_owned(),
    };
    let all = Premise::AllCount { pods: 3 };
    assert_eq!(
        answers,
        [(&one, Some(10), Some(92)), (&all, Some(8), Some(57))]
    );
    let up = found.break_points[0].up.expect("a break-point");
    assert_eq!((up.last, up.replicas), (107, 9));
}

#[test]
fn each_attempt_lets_the_change_through() {
    let tight = json!({"scaleDown": {"stabilizationWindowSeconds": 300}});
    let busy = || Case::new().cpu(60).replicas(4).pods(4, &cpu(90, 100));
    let idle = || Case::new().cpu(60).replicas(4).pods(4, &cpu(15, 100));
    let rows = [
        (busy().bounds(1, 4), "spec.maxReplicas", "6", 6),
        (
            idle().behavior(tight).remembers(&[(100, 4)]),
            "spec.behavior.scaleDown.stabilizationWindowSeconds",
            "100",
            1,
        ),
        (
            Case::new().cpu(60).replicas(4).pods(4, &cpu(64, 100)),
            "spec.behavior.scaleUp.tolerance",
            "0.066",
            5,
        ),
    ];
    for (case, field, to, replicas) in rows {
        let found = prospects(&explain(&snapshot(&case.document()))).attempts;
        let shown: Vec<_> = found
            .iter()
            .map(|it| (it.field.as_str(), it.to.as_str(), it.replicas))
            .collect();
        assert_eq!(shown, [(field, to, replicas)]);
    }
}

/// Each finding with an input that has it, and with the nearest that has not.
#[test]
fn findings_appear_only_where_they_should() {
    let value = |current: &str| {
        Case::new()
            .bounds(1, 5)
            .replicas(2)
            .external_value("m", "5", &[current])
            .pods(2, &cpu(1, 100))
    };
    let memory = |percent: &str| {
        Case::new()
            .bounds(1, 10)
            .memory(80)
            .replicas(1)
            .pods(1, &support::pod::memory(percent, "100Mi"))
    };
    let both = |used: u32| {
        let pod = Pod::of(vec![
            support::pod::container("app")
                .uses("memory", "46Mi")
                .requests("memory", "100Mi")
                .uses("cpu", format!("{used}m"))
                .requests("cpu", "100m"),
        ]);
        Case::new()
            .bounds(2, 5)
            .memory(50)
            .cpu(50)
            .replicas(3)
            .pods(3, &pod)
    };
    let done = |release| {
        let case = Case::new().release(release).cpu(50).replicas(10);
        case.pods(10, &cpu(200, 1000))
            .pods(10, &silent(1000).phase("Succeeded"))
    };
    let aside = |pod: Pod| {
        Case::new()
            .bounds(3, 20)
            .cpu(60)
            .replicas(8)
            .pods(5, &cpu(460, 500))
            .pods(3, &pod)
    };
    let rows = [
        ("target-unreachable", memory("166Mi"), memory("88Mi")),
        ("value-for-average", value("10"), value("5")),
        ("memory-cannot-fall", both(1), both(50)),
        ("succeeded-pods", done(36), done(38)),
        ("dampened", aside(silent(500)), aside(cpu(460, 500))),
        (
            "foreign-pods",
            with_canary(&cpu(0, 200), &cpu(600, 600)),
            with_canary(&cpu(0, 200), &cpu(600, 600))
                .set("/pods/2/metadata/ownerReferences/0/name", "web-5d4f"),
        ),
    ];
    for (code, with, without) in rows {
        let codes = |case: &Case| -> Vec<&str> {
            let findings = explain(&snapshot(&case.document())).findings;
            findings
                .iter()
                .map(|finding| finding.code.as_str())
                .collect()
        };
        assert!(codes(&with).contains(&code), "{code}: {:?}", codes(&with));
        assert!(
            !codes(&without).contains(&code),
            "{code}: {:?}",
            codes(&without)
        );
    }
}

fn prospects(trace: &Trace) -> Prospects {
    trace.prospects.clone().expect("prospects")
}

/// A run of a reported case by its title.
fn case(id: &str) -> Snapshot {
    let (file, _) = id.split_once('/').unwrap_or((id, ""));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let text = fs::read_to_string(folder.join(format!("{file}.yaml"))).expect("a case");
    let runs = case::read(&text).expect("a block");
    let run = runs.iter().find(|run| run.title() == id).expect(id);
    snapshot(&run.case().expect("a release in scope").document())
}

fn snapshot(document: &Value) -> Snapshot {
    let mut documents = read_documents(&document.to_string());
    documents.remove(0).snapshot.expect("a readable snapshot")
}

fn settings(snapshot: &Snapshot) -> Settings {
    Settings::resolve(snapshot, &Overrides::default())
}

fn explain(snapshot: &Snapshot) -> Trace {
    let (settings, at) = (settings(snapshot), snapshot.captured_at);
    what_if::explain(snapshot, &settings, at, &Observer::default())
}

/// Ratios that overflow change sides billions of times; what is looked for
/// among them has an end.
#[test]
fn a_search_ends_where_numbers_overflow() {
    let pods = |case: Case| case.pods(3, &cpu(300, 1000));
    let cases = [
        pods(Case::new().bounds(1, 10).cpu(0).replicas(3)),
        pods(Case::new().bounds(1, i32::MAX).cpu(50).replicas(i32::MAX)),
        pods(Case::new().bounds(1, i32::MAX).cpu(i32::MAX).replicas(3)),
    ];
    for case in &cases {
        let trace = explain(&snapshot(&case.document()));
        assert!(trace.prospects.is_some());
    }
}

/// At each value that is named, the pass proposes what is said; one
/// thousandth nearer it does not.
#[test]
fn every_break_point_is_one() {
    let mut checked = [0_usize; 6];
    let mut wrong = Vec::new();
    for (id, snapshot) in sample() {
        let trace = explain(&snapshot);
        let current = trace.outcome.current_replicas;
        for points in &prospects(&trace).break_points {
            let metric = &trace.metrics[points.metric];
            for (sign, point) in [(1, points.up), (-1, points.down)] {
                let Some(point) = point else { continue };
                let at = |total| proposal(&altered(&snapshot, metric, total), points.metric);
                let (first, last) = (at(point.total), at(point.total - sign));
                let moves = |replicas: i32| (i64::from(replicas) - i64::from(current)) * sign > 0;
                let holds = first == Some(point.replicas)
                    && moves(point.replicas)
                    && !last.is_some_and(moves);
                if !holds {
                    wrong.push(format!("{id} {point:?} of {current}: {first:?} {last:?}"));
                }
                checked[kind(metric)] += 1;
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {checked:?}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(checked.iter().all(|count| *count > 50), "{checked:?}");
}

/// Every so-many-th recorded case, and every run of the reported ones.
fn sample() -> impl Iterator<Item = (String, Snapshot)> {
    let recorded = RECORDED.iter().flat_map(|(version, _)| {
        vectors(version)
            .step_by(7)
            .map(|vector| (vector.id.clone(), snapshot(&vector.snapshot)))
    });
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let files = fs::read_dir(folder).expect("the folder of cases");
    let reported = files.flat_map(|file| {
        let text = fs::read_to_string(file.expect("a file").path()).expect("a case");
        let runs = case::read(&text).expect("a block").into_iter();
        runs.filter_map(|run| Some((run.title(), snapshot(&run.case()?.document()))))
            .collect::<Vec<_>>()
    });
    recorded.chain(reported)
}

fn kind(metric: &MetricRecord) -> usize {
    let is_value = metric
        .target
        .is_some_and(|target| target.kind == TargetKind::Value);
    match metric.kind.as_str() {
        "Resource" => 0,
        "ContainerResource" => 1,
        "Pods" => 2,
        "Object" => 3,
        _ if is_value => 4,
        _ => 5,
    }
}

fn proposal(snapshot: &Snapshot, metric: usize) -> Option<i32> {
    let trace = reconcile(snapshot, &settings(snapshot), snapshot.captured_at);
    match trace.metrics[metric].result.as_ref()? {
        MetricResult::Proposed(proposed) => Some(proposed.replicas),
        _ => None,
    }
}

/// The snapshot with a metric's counted samples changed so that they come to
/// this sum.
fn altered(snapshot: &Snapshot, metric: &MetricRecord, total: i64) -> Snapshot {
    let mut altered = snapshot.clone();
    let spec = &snapshot.hpa.spec.metrics[metric.index];
    let counted: Vec<&str> = metric
        .pods
        .iter()
        .filter(|pod| pod.group == Group::Ready)
        .map(|pod| pod.name.as_str())
        .collect();
    // As the controller adds up, so that what is left are the strangers.
    let ready = metric.pods.iter().filter(|pod| pod.group == Group::Ready);
    let own = ready.filter_map(|pod| pod.usage).fold(0, i64::wrapping_add);
    let measured = metric
        .measured
        .as_ref()
        .map_or(0, |measured| measured.total);
    let all = total.wrapping_sub(measured.wrapping_sub(own));
    // The first pod that counts has it all.
    let share = |name: &str| {
        let place = counted.iter().position(|counted| *counted == name)?;
        Some(if place == 0 { all } else { 0 })
    };
    match metric.kind.as_str() {
        "Resource" | "ContainerResource" => {
            let resource = &metric.source.name;
            let list = altered.metrics.resource.as_mut().expect("samples");
            for item in &mut list.response_mut().expect("samples").items {
                if let Some(amount) = share(&item.metadata.name) {
                    put(item, resource, metric.source.container.as_deref(), amount);
                }
            }
        }
        "Pods" => {
            let name = &spec.pods.as_ref().expect("a source").metric.name;
            for asked in &mut altered.metrics.custom {
                if &asked.metric == name && asked.described_object.is_none() {
                    for item in &mut asked.answer.response_mut().expect("values").items {
                        if let Some(amount) = share(&item.described_object.name) {
                            item.value = quantity(amount);
                        }
                    }
                }
            }
        }
        "Object" => {
            let source = spec.object.as_ref().expect("a source");
            for asked in &mut altered.metrics.custom {
                if asked.metric == source.metric.name && asked.described_object.is_some() {
                    for item in asked
                        .answer
                        .response_mut()
                        .into_iter()
                        .flat_map(|list| &mut list.items)
                    {
                        item.value = quantity(total);
                    }
                }
            }
        }
        _ => {
            let source = spec.external.as_ref().expect("a source");
            for asked in &mut altered.metrics.external {
                if asked.metric == source.metric.name {
                    let list = asked.answer.response_mut().expect("values");
                    list.items.truncate(1);
                    list.items[0].value = quantity(total);
                }
            }
        }
    }
    altered
}

/// Gives the first container that counts the whole amount, others nothing.
fn put(item: &mut PodMetrics, resource: &str, container: Option<&str>, amount: i64) {
    let mut amount = Some(amount);
    for used in &mut item.containers {
        if container.is_none_or(|name| used.name == name) && used.usage.get(resource).is_some() {
            let amount = quantity(amount.take().unwrap_or(0));
            let names: Vec<_> = used.usage.keys().cloned().collect();
            let entries = names.into_iter().map(|name| {
                let own = used.usage.get(&name).cloned().expect("its value");
                (
                    name.clone(),
                    if name == resource {
                        amount.clone()
                    } else {
                        own
                    },
                )
            });
            used.usage = entries.collect();
        }
    }
}

fn quantity(milli: i64) -> Quantity {
    Quantity::from_milli(milli, Format::DecimalSi)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A pass on just that size with the same load leaves the size alone, or
    /// asks for more than there may be.
    #[test]
    fn where_it_rests_a_pass_changes_nothing(
        used in 1..400_u32,
        target in 20..120_i32,
        pods in 1..12_usize,
        max in 12..30_i32,
    ) {
        let size = i32::try_from(pods).expect("few");
        let start = |replicas: i32| Case::new().bounds(1, max).cpu(target).replicas(replicas);
        let case = start(size).pods(pods, &cpu(used, 100));
        let found = prospects(&explain(&snapshot(&case.document()))).settling;
        let found = found.expect("cpu spreads");
        let replicas = found.replicas.expect("one size");
        let count = u32::try_from(replicas).expect("a count");
        let total = used * u32::try_from(pods).expect("few");
        let case = (0..count).fold(start(replicas), |case, pod| {
            let rest = u32::from(pod < total % count);
            case.pods(1, &cpu(total / count + rest, 100))
        });
        let pass = case.run();
        match found.end {
            End::Rest => prop_assert_eq!(pass.size(), replicas),
            End::AtMax => prop_assert!(replicas == max && pass.proposal() > max),
            End::Cycle => prop_assert!(found.steps.len() > 1),
        }
    }
}

#[test]
fn a_rise_that_is_cut_can_go_on_to_what_was_recommended_before() {
    // Without behavior and with a memory that is not known: pods, percent of
    // the request against 50, and the sizes at which its whole percents, or those
    // of a thousandth of a core less per pod, are tolerated.
    let rows = [
        (9, 112, (18, 22)),
        (4, 250, (18, 22)),
        (2, 300, (11, 13)),
        (6, 150, (16, 20)),
    ];
    for (pods, percent, sizes) in rows {
        let case = Case::new().bounds(1, 30).cpu(50).replicas(pods);
        let count = usize::try_from(pods).expect("a count");
        let case = case
            .pods(count, &cpu(percent, 100))
            .set("/history", json!(null));
        let found = prospects(&explain(&snapshot(&case.document()))).settling;
        let range = found.map(|it| (it.end, it.range().from, it.range().to));
        assert_eq!(
            range,
            Some((End::Rest, sizes.0, sizes.1)),
            "{pods} pods at {percent}%"
        );
    }
}

#[test]
fn steps_have_no_times_where_the_next_pass_decides_on_the_way() {
    // Two pods leave per 30 s. What was added leaves that period before or
    // after the next pass, which comes within 15 s: how long ago, how many.
    let rows = [
        (16.0, 2, 0),
        (20.0, 2, 0),
        (25.0, 1, 0),
        (28.0, 3, 0),
        (600.0, 2, 7),
    ];
    for (ago, added, steps) in rows {
        let case = Case::new()
            .bounds(3, 30)
            .cpu(60)
            .replicas(22)
            .pods(22, &cpu(20, 100))
            .added(&[(ago, added)])
            .behavior(
                json!({"scaleDown": {"stabilizationWindowSeconds": 0, "policies": [
                    {"type": "Pods", "value": 2, "periodSeconds": 30},
                ]}}),
            );
        let found = prospects(&explain(&snapshot(&case.document()))).settling;
        let found = found.expect("it rests");
        assert_eq!((found.end, found.replicas), (End::Rest, Some(8)), "{ago}");
        assert_eq!(found.steps.len(), steps, "{ago}: {:?}", found.steps);
    }
}

#[test]
fn nowhere_is_said_to_be_where_it_rests_while_samples_reach_back_before_pods_were_ready() {
    let young = |started, ready, sampled| {
        let pod = cpu(50, 100).started(started).ready("True", ready);
        pod.sampled(sampled)
    };
    // Such pods, how many of 8, and whether a size is told.
    let rows = [
        (young(60.0, 40.0, 11.0), 1, false),
        (young(60.0, 20.0, 0.0), 2, false),
        (young(45.0, 5.0, 10.0), 7, false),
        (young(200.0, 29.0, 0.0), 4, false),
        (young(60.0, 40.0, 10.0), 4, true),
        (young(600.0, 5.0, 0.0), 4, true),
    ];
    for (row, (pod, count, is_told)) in rows.iter().enumerate() {
        let case = Case::new().bounds(1, 30).cpu(50).replicas(8);
        let case = case.pods(8 - count, &cpu(90, 100)).pods(*count, pod);
        let found = prospects(&explain(&snapshot(&case.document()))).settling;
        assert_eq!(found.is_some(), *is_told, "row {row}: {found:?}");
    }
}
