//! The search for behaviors that no other beats.

use hpa_explain::controller::Overrides;
use hpa_explain::simulate::load::{Load, Shape};
use hpa_explain::simulate::{Keep, MetricLoad, Model, Subject, bare, search, template};
use rayon::ThreadPoolBuilder;
use serde_json::{Value, json};

#[test]
fn the_front_is_the_same_with_any_number_of_threads_and_nothing_beats_it() {
    let metric = json!({"type": "Resource", "resource": {"name": "cpu",
        "target": {"type": "Utilization", "averageUtilization": 60}}});
    let hpa = json!({
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 2, "maxReplicas": 30, "metrics": [metric],
        },
    });
    let snapshot = template(&hpa, &Value::Null, &Value::Null, 4).expect("a snapshot");
    let snapshot = bare(&snapshot, 4);
    let spec = &snapshot.hpa.spec;
    let load = Load {
        shape: Shape::Sine {
            low: 600,
            high: 3_000,
            period: 600,
        },
        noise: None,
    };
    let model = Model {
        request: Some(500),
        ..Model::default()
    };
    let overrides = Overrides::default();
    let subject = Subject {
        snapshot: &snapshot,
        overrides: &overrides,
        lead: MetricLoad {
            metric: &spec.metrics[0],
            load: &load,
            model: &model,
        },
        others: Vec::new(),
        replicas: 4,
        seconds: 1_800,
        keep: Keep::All,
    };
    let found = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads");
        pool.install(|| search(&subject, spec, |_| {}, || true).expect("an answer"))
    };
    let one = found(1);
    assert_eq!(one, found(3));
    assert_eq!(one.tried, 3 * 5 * 3 * 3 * 3 * 3);
    assert!(one.front.len() > 1);
    let costs = |scores: &hpa_explain::trace::Scores| {
        [
            scores.under_provisioned_seconds.expect("known"),
            scores.pod_seconds,
            i64::from(scores.reversals),
        ]
    };
    // The spec as it is is no better than one of the front.
    let own = subject.scores("now", spec).expect("scores");
    let beats = |other: &[i64; 3]| other.iter().zip(costs(&own)).all(|(it, own)| *it <= own);
    assert!(one.front.iter().any(|tried| beats(&costs(&tried.scores))));
    // What is told of each is what its spec comes to.
    for tried in &one.front {
        let again = subject.scores(&tried.name, &tried.spec).expect("scores");
        assert_eq!(again, tried.scores, "{}", tried.name);
    }
}
