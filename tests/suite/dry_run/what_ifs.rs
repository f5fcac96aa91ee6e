//! Inputs that are altered, on both sides alike.

use hpa_explain::document::snapshot::Snapshot;
use hpa_explain::trace::{Group, MetricRecord};
use hpa_explain::what_if::{Given, InputsError, Level};
use serde_json::json;

use super::{compare_with, other, snapshot};
use crate::support::build::Case;
use crate::support::pod::cpu;

fn web() -> Case {
    Case::new()
        .bounds(1, 100)
        .replicas(8)
        .cpu(60)
        .external_average("queue", "30", &["240"])
        .pods(8, &cpu(300, 500))
}

pub fn amount(text: &str) -> Level {
    Level::Amount(text.parse().expect("a quantity"))
}

/// What the metric of a name asks for, on both sides.
fn asked(given: &Given) -> [Vec<Option<i32>>; 2] {
    let snapshot = snapshot(&web().document());
    let mut spec = snapshot.hpa.spec.clone();
    spec.max_replicas = 50;
    let compared = compare_with(&snapshot, &spec, given);
    let proposals = |metrics: &[MetricRecord]| {
        let metrics = metrics.iter();
        metrics
            .map(|metric| metric.proposed().map(|it| it.replicas))
            .collect()
    };
    let current = compared.current.as_ref().expect("a side of now");
    [
        proposals(&current.trace.metrics),
        proposals(&other(&compared).trace.metrics),
    ]
}

#[test]
fn each_is_the_input_that_it_says() {
    let given = |change: &dyn Fn(&mut Given)| {
        let mut given = Given::default();
        change(&mut given);
        given
    };
    let rows = [
        // Nothing, a percentage, an amount of each pod, a whole amount.
        (given(&|_| {}), [Some(8), Some(8)]),
        (
            given(&|it| it.metrics.push(("cpu".to_owned(), Level::Percent(180)))),
            [Some(24), Some(8)],
        ),
        (
            given(&|it| it.metrics.push(("cpu".to_owned(), amount("600m")))),
            [Some(16), Some(8)],
        ),
        (
            given(&|it| it.metrics.push(("queue".to_owned(), amount("900")))),
            [Some(8), Some(30)],
        ),
        // Six pods at 180%, and two at 0%: 135%.
        (
            given(&|it| {
                it.metrics.push(("cpu".to_owned(), Level::Percent(180)));
                it.unready = 2;
            }),
            [Some(18), Some(8)],
        ),
        (
            given(&|it| {
                it.metrics.push(("cpu".to_owned(), Level::Percent(180)));
                it.missing = 2;
            }),
            [Some(18), Some(8)],
        ),
        // The same load on twice the pods, and on half of them.
        (given(&|it| it.replicas = Some(16)), [Some(8), Some(8)]),
        (given(&|it| it.replicas = Some(4)), [Some(8), Some(8)]),
    ];
    for (given, want) in &rows {
        let [now, instead] = asked(given);
        assert_eq!(now, want, "{given:?}");
        assert_eq!(instead, want, "{given:?}");
    }
    assert_eq!(rows.len(), 8);
}

#[test]
fn pods_that_are_set_aside_are_not_the_same_ones() {
    let snapshot = snapshot(&web().document());
    let spec = snapshot.hpa.spec.clone();
    let given = Given {
        unready: 2,
        missing: 3,
        ..Given::default()
    };
    let compared = compare_with(&snapshot, &spec, &given);
    let groups = |group: Group| {
        let pods = &other(&compared).trace.metrics[0].pods;
        pods.iter().filter(|pod| pod.group == group).count()
    };
    assert_eq!(groups(Group::Unready), 2);
    assert_eq!(groups(Group::Missing), 3);
    assert_eq!(groups(Group::Ready), 3);
    let told = compared.premises.join("; ");
    assert!(told.contains("2 more pods never Ready"), "{told}");
    assert!(told.contains("3 more pods without a sample"), "{told}");
}

#[test]
fn a_metric_that_fails_can_be_given_a_value() {
    let case = Case::new()
        .replicas(8)
        .external_average("queue", "30", &[])
        .set("/metrics", json!({}));
    let snapshot = snapshot(&case.document());
    let spec = snapshot.hpa.spec.clone();
    let given = Given {
        metrics: vec![("queue".to_owned(), amount("900"))],
        ..Given::default()
    };
    let size = |given: &Given| {
        let compared = compare_with(&snapshot, &spec, given);
        other(&compared).trace.metrics[0]
            .proposed()
            .map(|it| it.replicas)
    };
    assert_eq!(size(&Given::default()), None);
    assert_eq!(size(&given), Some(30));
}

/// Why the inputs cannot be altered so.
pub fn given_error(snapshot: &Snapshot, given: &Given) -> InputsError {
    let (overrides, observer) = Default::default();
    let inputs = hpa_explain::what_if::Inputs {
        snapshot,
        overrides: &overrides,
        observer: &observer,
        now: snapshot.captured_at,
        given,
        is_new: false,
        horizon: None,
    };
    hpa_explain::what_if::dry_run(&inputs, &[]).expect_err("nothing to alter")
}

#[test]
fn what_is_not_there_cannot_be_altered() {
    let snapshot = snapshot(&web().document());
    let error = |given: Given| given_error(&snapshot, &given);
    let of_metric = |name: &str, level| Given {
        metrics: vec![(name.to_owned(), level)],
        ..Given::default()
    };
    let no_such = InputsError::NoSuchMetric {
        name: "jobs".to_owned(),
        known: "cpu, queue".to_owned(),
    };
    assert_eq!(error(of_metric("jobs", amount("3"))), no_such);
    let no_percentage = InputsError::NoPercentage("queue".to_owned());
    assert_eq!(error(of_metric("queue", Level::Percent(5))), no_percentage);
    let too_few = Given {
        unready: 5,
        missing: 4,
        ..Given::default()
    };
    let wanted = InputsError::TooFewPods {
        there: 8,
        desired: 9,
    };
    assert_eq!(error(too_few), wanted);
}
