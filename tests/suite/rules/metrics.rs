//! Single metrics: which answer is theirs, and what the arithmetic makes of
//! it.

use crate::support::build::Case;
use crate::support::pod::{Pod, container, cpu, memory};
use serde_json::{Value, json};

/// An External metric with a selector, aimed at an average of 1.
fn external(selector: &Value) -> Value {
    json!({"type": "External", "external": {
        "metric": {"name": "queue", "selector": selector},
        "target": {"type": "AverageValue", "averageValue": "1"},
    }})
}

#[test]
fn metrics_of_one_name_are_told_apart_by_their_selectors() {
    let answer = |selector: &str, value: u32| json!({"metric": "queue", "metricSelector": selector, "response": {"items": [{"value": value}]}});
    let pass = Case::new()
        .replicas(50)
        .metric(external(&json!({"matchLabels": {"team": "b", "env": "x"}})))
        .metric(external(&json!({"matchLabels": {"team": "a"}})))
        .metric(external(&json!({"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["b", "a"]}]})))
        .metric(external(&json!({})))
        .metric(external(&Value::Null))
        .metric(external(&json!({"matchLabels": {"team": "c"}})))
        .set("/metrics/external", json!([
            answer("team=a", 7), answer("", 11), answer("env=x,team=b", 3), answer("team notin (a,b)", 5),
        ]))
        .run();
    let selector = "&LabelSelector{MatchLabels:map[string]string{team: c,},MatchExpressions:[]LabelSelectorRequirement{},}";
    let missing = format!(
        "unable to get external metric default/queue/{selector}: unable to fetch metrics from external metrics API: the server could not find the metric queue"
    );
    assert_eq!(
        pass.proposals(),
        [Ok(3), Ok(7), Ok(5), Ok(11), Ok(11), Err(missing.as_str())]
    );
}

#[test]
fn per_pod_metrics_of_one_name_are_told_apart_too() {
    let source = |team: &str| {
        json!({"type": "Pods", "pods": {
            "metric": {"name": "queue", "selector": {"matchLabels": {"team": team}}},
            "target": {"type": "AverageValue", "averageValue": "10"},
        }})
    };
    let answer = |team: &str, value: u32| {
        let items = json!([{"describedObject": {"kind": "Pod", "name": "pod-0"}, "value": value}]);
        json!({"metric": "queue", "metricSelector": format!("team={team}"), "response": {"items": items}})
    };
    let pass = Case::new()
        .pods(1, &cpu(0, 0))
        .metric(source("a"))
        .metric(source("b"))
        .set("/metrics/custom", json!([answer("b", 40), answer("a", 20)]))
        .run();
    assert_eq!(pass.proposals(), [Ok(2), Ok(4)]);
}

#[test]
fn a_percentage_beyond_32_bits_wraps_up_to_1_37_and_saturates_since() {
    // 21474837 × 100 = 2147483700, which is 2^32 too large for -2147483596.
    let app = container("app")
        .uses("cpu", "21474837m")
        .requests("cpu", "1m");
    let case = Case::new().cpu(50).pods(1, &Pod::of(vec![app]));
    let (before, since) = (case.clone().release(37).run(), case.release(38).run());
    assert_eq!(before.percent(), (Some(-2_147_483_596), None));
    assert_eq!((before.proposal(), before.size()), (-42_949_671, 1));
    assert_eq!(since.percent(), (Some(i32::MAX), None));
    assert_eq!((since.proposal(), since.size()), (42_949_673, 4));
}

#[test]
fn an_average_goes_before_any_other_target_whatever_the_type_says() {
    let both = json!({"type": "Utilization", "averageUtilization": 10, "averageValue": "50m"});
    let pass = Case::new()
        .replicas(2)
        .metric(json!({"type": "Resource", "resource": {"name": "cpu", "target": both}}))
        .pods(2, &cpu(100, 1000))
        .run();
    assert_eq!(pass.proposal(), 4); // 100m of 50m, not 10% of 10%
    assert_eq!(pass.reason(), Some("cpu resource above target"));
    assert_eq!(pass.shown(), json!({"averageValue": "100m"}));

    let target = json!({"type": "Value", "value": "100", "averageValue": "10"});
    let source = json!({"metric": {"name": "queue"}, "target": target});
    let pass = Case::new()
        .replicas(2)
        .external_average("queue", "1", &["100"])
        .set("/horizontalPodAutoscaler/spec/metrics/0/external", source)
        .run();
    assert_eq!(pass.proposal(), 10);
}

#[test]
fn an_object_metric_needs_the_target_that_its_type_names() {
    let pass = Case::new()
        .pods(1, &cpu(0, 0))
        .object_value(("Service", "web"), "10", "20")
        .set(
            "/horizontalPodAutoscaler/spec/metrics/0/object/target/type",
            "AverageValue",
        )
        .run();
    let text =
        "invalid object metric source: neither a value target nor an average value target was set";
    assert_eq!(pass.failure(), text);
}

#[test]
fn memory_has_a_binary_suffix_from_1024_whole_bytes_on() {
    let rows = [
        ("500", "500", "500"),
        ("1000", "1k", "1k"),
        ("1023", "1023", "1023"),
        ("1024", "1Ki", "1024"),
        ("1536", "1536", "1536"),
        ("2048500m", "2048500m", "2048500m"),
        ("3Mi", "3Mi", "3145728"),
        ("2000Ki", "2000Ki", "2048k"),
    ];
    for (used, since, before) in rows {
        let case = Case::new()
            .memory_average("1Gi")
            .pods(1, &memory(used, "1Gi"));
        assert_eq!(case.run().shown()["averageValue"], since, "{used}");
        assert_eq!(
            case.release(33).run().shown()["averageValue"],
            before,
            "{used}"
        );
    }
}

#[test]
fn a_tolerance_is_a_product_of_its_digits() {
    // 118 × 0.001 is a little more than 0.118, 59 × 0.001 than 0.059.
    let up = json!({"scaleUp": {"tolerance": "118m"}});
    let down = json!({"scaleDown": {"tolerance": "59m"}});
    let rows = [
        (&up, 1118, 1000),
        (&up, 1119, 1119),
        (&down, 941, 1000),
        (&down, 940, 940),
    ];
    for (behavior, wanted, proposal) in rows {
        let case = Case::new()
            .bounds(1, 5_000)
            .replicas(1_000)
            .behavior(behavior.clone());
        assert_eq!(case.wants(wanted).run().proposal(), proposal, "{wanted}");
    }
    // As a flag it is the number itself.
    let case = Case::new().bounds(1, 5_000).replicas(1_000);
    assert_eq!(
        case.clone()
            .flag("tolerance", 0.118)
            .wants(1118)
            .run()
            .proposal(),
        1118
    );
    assert_eq!(
        case.flag("tolerance", 0.059).wants(941).run().proposal(),
        941
    );
}

#[test]
fn the_sum_of_an_external_metric_runs_over_all_series() {
    let case = Case::new().replicas(4).pods(4, &cpu(0, 0));
    let average = case
        .clone()
        .external_average("queue", "10", &["30", "40", "50"]);
    assert_eq!(average.run().proposal(), 12);
    assert_eq!(average.run().shown(), json!({"averageValue": "30"}));
    let value = case.external_value("queue", "60", &["30", "40", "50"]);
    assert_eq!(value.run().proposal(), 8);
    assert_eq!(value.run().shown(), json!({"value": "120"}));
}
