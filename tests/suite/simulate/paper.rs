//! The workload model against what the rules come to on paper.
//!
//! Pods start, and are measured, at once unless a case says otherwise: then
//! every number follows from the controller's formulas alone.

use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::simulate::load::{Load, Shape};
use hpa_explain::simulate::{Burst, Driven, Model, Plan, Spread, run, template};
use serde_json::{Value, json};

const CPU: &str = r#"{"type": "Resource", "resource": {"name": "cpu",
    "target": {"type": "Utilization", "averageUtilization": 60}}}"#;

/// A case: the metric, `behavior`, `maxReplicas`, the demand in thousandths
/// from seconds on, the pods, and the size to begin with.
struct Case {
    metric: &'static str,
    behavior: Value,
    max: i32,
    demand: Vec<(i64, i64)>,
    model: Model,
    replicas: i32,
}

/// Pods without inertia that request 500m, at a target of 60%: 300m each.
fn at_once() -> Model {
    Model {
        request: Some(500),
        spread: Spread::Shared,
        start_up: 0,
        readiness: 0,
        window: 0,
        lag: 0,
        ..Model::default()
    }
}

impl Case {
    /// The size after each of the first passes.
    fn sizes(&self, passes: i64) -> Vec<i32> {
        let metric: Value = serde_json::from_str(self.metric).expect("a metric");
        let hpa = json!({
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "web", "namespace": "shop"},
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                "minReplicas": 1, "maxReplicas": self.max,
                "metrics": [metric], "behavior": self.behavior,
            },
        });
        let version = json!("v1.36.2");
        let snapshot = template(&hpa, &version, &Value::Null, self.replicas);
        let snapshot = snapshot.expect("a snapshot");
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        let load = Load {
            shape: Shape::Steps(self.demand.clone()),
            noise: None,
        };
        let plan = Plan {
            snapshot: &snapshot,
            settings: &settings,
            lead: Driven {
                index: 0,
                load: &load,
                model: &self.model,
                capacity: None,
            },
            others: Vec::new(),
            replicas: self.replicas,
            seconds: passes * 15,
        };
        let mut sizes = Vec::new();
        let scores = run(&plan, &mut |step| sizes.push(step.desired_replicas));
        scores.expect("a run");
        sizes
    }
}

/// 4200m over 300m a pod is 14, where the ratio is 1 and nothing moves it.
/// In one pass the size at most doubles, or grows by 4.
#[test]
fn a_fixed_point() {
    let case = Case {
        metric: CPU,
        behavior: json!({}),
        max: 40,
        demand: vec![(0, 4_200)],
        model: at_once(),
        replicas: 3,
    };
    let sizes = case.sizes(40);
    assert_eq!(sizes[..4], [7, 14, 14, 14]);
    assert!(sizes[2..].iter().all(|size| *size == 14));
}

/// A Value that pods do not change keeps its ratio of 1.5 at every size: each
/// pass asks for half as many again, rounded up, to the end.
#[test]
fn a_runaway_with_a_value() {
    let metric = r#"{"type": "Object", "object": {
        "metric": {"name": "latency"},
        "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "web"},
        "target": {"type": "Value", "value": "100"}}}"#;
    let case = Case {
        metric,
        behavior: json!({}),
        max: 40,
        demand: vec![(0, 150_000)],
        model: Model {
            spread: Spread::Whole,
            ..at_once()
        },
        replicas: 2,
    };
    assert_eq!(case.sizes(9), [3, 5, 8, 12, 18, 27, 40, 40, 40]);
}

/// Within the tolerance, an average of an External metric proposes the size
/// that the *status* shows. At 4 pods 435 is 1.0875 of the target of 100 each:
/// tolerated, so 4. At 5 it is 0.87: not tolerated, and 4.35 rounded up is 5.
/// Where the status is more than a pass behind, each proposes the other's size; one pass
/// at 460 sets it off.
#[test]
fn a_two_step_cycle_with_the_status_behind() {
    let metric = r#"{"type": "External", "external": {
        "metric": {"name": "queue"},
        "target": {"type": "AverageValue", "averageValue": "100"}}}"#;
    let case = Case {
        metric,
        behavior: json!({"scaleDown": {"stabilizationWindowSeconds": 0}}),
        max: 40,
        demand: vec![(0, 435_000), (30, 460_000), (31, 435_000)],
        model: Model {
            spread: Spread::Whole,
            status_lag: 20,
            window: 1,
            ..at_once()
        },
        replicas: 4,
    };
    // The value of a second is read by the pass that ends it.
    let with_a_pass_at = |second: i64| Case {
        demand: vec![(0, 435_000), (second, 460_000), (second + 1, 435_000)],
        model: case.model.clone(),
        behavior: case.behavior.clone(),
        ..case
    };
    let sizes = with_a_pass_at(29).sizes(12);
    assert_eq!(sizes, [4, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4]);
    // Without the delay it ends at once.
    let mut prompt = with_a_pass_at(29);
    prompt.model.status_lag = 0;
    let sizes = prompt.sizes(12);
    assert_eq!(sizes, [4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
}

/// 1500m needs 5 pods. Each new pod uses 600m of its own for a minute, which
/// asks for more: (1500 + 600)/300 = 7, (1500 + 3·600)/300 = 11, then the
/// bound of 12. After the bursts the window lets go, of each recommendation
/// when it is five minutes old, and in the end it is 5 again.
#[test]
fn a_burst_at_the_start_overshoots() {
    let case = Case {
        metric: CPU,
        behavior: json!({}),
        max: 12,
        demand: vec![(0, 1_200), (15, 1_500)],
        model: Model {
            burst: Some(Burst {
                usage: 600,
                seconds: 60,
            }),
            ..at_once()
        },
        replicas: 4,
    };
    let sizes = case.sizes(80);
    assert_eq!(sizes[..6], [4, 5, 7, 11, 12, 12]);
    assert_eq!(sizes.iter().max(), Some(&12));
    assert_eq!(sizes.last(), Some(&5), "{sizes:?}");
    let mut calm = case;
    calm.model.burst = None;
    assert_eq!(calm.sizes(80).iter().max(), Some(&5));
}

/// Room for 5 of 8 pods: those are at 92% of the request, but with three
/// Pending ones counted as 0 it is 57%, within the tolerance of 60%.
#[test]
fn pods_without_a_sample_hold_the_size() {
    let case = Case {
        metric: CPU,
        behavior: json!({}),
        max: 20,
        demand: vec![(0, 2_300)],
        model: Model {
            capacity: Some(5),
            ..at_once()
        },
        replicas: 8,
    };
    assert!(case.sizes(80).iter().all(|size| *size == 8));
    // With room for all, 2300m over 8 pods is 57%, too.
    let mut roomy = case;
    roomy.model.capacity = None;
    assert!(roomy.sizes(40).iter().all(|size| *size == 8));
}

/// Without a window and a lag, a pass reads what is there in its second: twice
/// the load asks for twice the pods at once.
#[test]
fn a_sample_without_a_window_is_of_the_moment() {
    let case = Case {
        metric: CPU,
        behavior: json!({}),
        max: 40,
        demand: vec![(0, 1_200), (30, 2_400)],
        model: at_once(),
        replicas: 4,
    };
    assert_eq!(case.sizes(4), [4, 4, 8, 8]);
}

/// A size of 0 that a person set stays: scaling is disabled.
#[test]
fn a_paused_workload_stays_paused() {
    let case = Case {
        metric: CPU,
        behavior: json!({}),
        max: 40,
        demand: vec![(0, 1_200)],
        model: at_once(),
        replicas: 0,
    };
    assert_eq!(case.sizes(4), [0, 0, 0, 0]);
}
