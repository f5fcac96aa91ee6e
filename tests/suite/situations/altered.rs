//! What would be if a situation were a little different.

use hpa_explain::api::{PodMetrics, Quantity};
use hpa_explain::document::snapshot::{History, Recommendation, ScaleEvent, Snapshot};
use hpa_explain::trace::{Remembered, Trace};

/// Changes the first scaleUp policy.
pub fn set_first_policy(snapshot: &mut Snapshot, value: i32) {
    let behavior = snapshot.hpa.spec.behavior.as_mut();
    let rules = behavior.and_then(|behavior| behavior.scale_up.as_mut());
    let policies = rules.and_then(|rules| rules.policies.as_mut());
    policies.expect("policies")[0].value = value;
}

/// Gives the target another size, with pods and samples like the first.
pub fn resize(snapshot: &mut Snapshot, size: i32) {
    let scale = snapshot.scale.response_mut().expect("a scale");
    (scale.spec.replicas, scale.status.replicas) = (size, size);
    let pod = snapshot.pods[0].clone();
    let item = samples(snapshot)[0].clone();
    snapshot.pods.clear();
    samples(snapshot).clear();
    // Only the first metric keeps its samples.
    snapshot.hpa.spec.metrics.truncate(1);
    for number in 0..size {
        let (mut pod, mut item) = (pod.clone(), item.clone());
        pod.metadata.name = format!("pod-{number}").into();
        item.metadata.name.clone_from(&pod.metadata.name);
        snapshot.pods.push(pod);
        samples(snapshot).push(item);
    }
}

/// What the controller holds in memory after a pass.
pub fn remembered(trace: &Trace) -> History {
    let events = |slots: &Option<Vec<Remembered>>| {
        let slots = slots.as_deref()?.iter();
        let events = slots.map(|slot| ScaleEvent {
            replica_change: slot.replicas,
            timestamp: slot.timestamp,
        });
        Some(events.collect())
    };
    let recommendations = trace.memory.recommendations.as_deref();
    let recommendation = |slot: &Remembered| Recommendation {
        replicas: slot.replicas,
        timestamp: slot.timestamp,
    };
    History {
        recommendations: recommendations.map(|slots| slots.iter().map(recommendation).collect()),
        scale_up_events: events(&trace.memory.scale_up_events),
        scale_down_events: events(&trace.memory.scale_down_events),
    }
}

/// Lets every pod be what the first one is.
pub fn start_all(snapshot: &mut Snapshot) {
    let running = snapshot.pods[0].status.clone();
    for pod in &mut snapshot.pods {
        pod.status = running.clone();
    }
}

/// Gives the pods a sample like the first.
pub fn add_samples(snapshot: &mut Snapshot, names: &[&str]) {
    for name in names {
        let mut item = samples(snapshot)[0].clone();
        item.metadata.name = (*name).into();
        samples(snapshot).push(item);
    }
}

/// Lets every pod use this much cpu.
pub fn set_usage(snapshot: &mut Snapshot, cpu: &str) {
    let cpu: Quantity = cpu.parse().expect(cpu);
    for item in samples(snapshot) {
        item.containers[0].usage = [("cpu".into(), cpu.clone())].into_iter().collect();
    }
}

fn samples(snapshot: &mut Snapshot) -> &mut Vec<PodMetrics> {
    let answer = snapshot.metrics.resource.as_mut();
    let list = answer.and_then(|answer| answer.response_mut());
    &mut list.expect("samples").items
}
