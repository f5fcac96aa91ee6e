//! Texts that are used as formats: up to 1.28 a `%` in them is garbled.

use crate::support::build::Case;
use crate::support::pass::Pass;
use serde_json::json;

fn in_both(case: &Case) -> [Pass; 2] {
    [28, 29].map(|release| case.clone().release(release).run())
}

#[test]
fn conditions_of_failed_metrics_are_garbled_but_not_events_and_errors() {
    let [before, since] = in_both(&Case::new().fails("50% of a%2Fb%"));
    let text = |tail: &str| {
        format!(
            "unable to get external metric default/broken-0/nil: unable to fetch metrics from external metrics API: {tail}"
        )
    };
    let sentence = "the HPA was unable to compute the replica count: ";
    let (literal, garbled) = (
        text("50% of a%2Fb%"),
        text("50%!o(MISSING)f a%!F(MISSING)b%!(NOVERB)"),
    );
    assert_eq!(
        before.message("ScalingActive"),
        format!("{sentence}{garbled}")
    );
    assert_eq!(
        since.message("ScalingActive"),
        format!("{sentence}{literal}")
    );
    for pass in [before, since] {
        assert_eq!(pass.failure(), literal);
        assert_eq!(
            pass.events()[0],
            format!("FailedGetExternalMetric: {literal}")
        );
        assert!(pass.error().ends_with(&literal), "{}", pass.error());
    }
}

#[test]
fn a_refused_selector_is_garbled_in_condition_and_error() {
    let [before, since] = in_both(&Case::new().wants(2).selector("app=10%d"));
    for (pass, value) in [(&before, "10%!d(MISSING)"), (&since, "10%d")] {
        let part = format!("Invalid value: \"{value}\": a valid label must be");
        assert!(pass.message("ScalingActive").contains(&part), "{part}");
        assert!(pass.error().contains(&part), "{part}");
        assert!(pass.events()[1].starts_with("FailedComputeMetricsReplicas: "));
        assert!(pass.events()[1].contains(&part), "{part}");
        // The event of the selector itself is not used as a format.
        assert!(pass.events()[0].starts_with("InvalidSelector: "));
        assert!(pass.events()[0].contains("\"10%d\""));
    }
}

#[test]
fn a_scale_that_cannot_be_read_is_an_argument_and_stays_whole() {
    let case = Case::new().wants(2).set("/scale", json!({"error": "100%"}));
    let sentence = "the HPA controller was unable to get the target's current scale";
    for pass in in_both(&case) {
        assert_eq!(pass.message("AbleToScale"), format!("{sentence}: 100%"));
        assert_eq!(pass.events(), ["FailedGetScale: 100%"]);
        assert!(pass.error().ends_with(": 100%"), "{}", pass.error());
    }
}

#[test]
fn the_name_of_a_metric_is_an_argument_and_stays_whole() {
    let case = Case::new()
        .replicas(2)
        .external_average("fill%d", "1", &["4"]);
    let found = "the HPA was able to successfully calculate a replica count from external metric";
    for pass in in_both(&case) {
        assert_eq!(
            pass.message("ScalingActive"),
            format!("{found} fill%d(nil)")
        );
        assert_eq!(
            pass.reason(),
            Some("external metric fill%d(nil) above target")
        );
    }
}
