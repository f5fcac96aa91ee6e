//! Another value of a metric than the one that was measured.

use jiff::Timestamp;

use crate::controller::selected_pods;
use crate::snapshot::{
    Answered, ByName, ContainerUsage, CustomMetric, DescribedObject, ExternalMetric,
    ExternalMetricValue, ExternalMetricValueList, Format, GoDuration, HpaSpec, MetricIdentifier,
    MetricSpec, MetricValue, MetricValueList, ObjectMetricSource, Pod, PodMetrics, PodMetricsList,
    Quantity, Snapshot, wire_text,
};

use super::inputs::{InputsError, Level};

/// The interval that samples are said to be measured over, in nanoseconds.
const WINDOW: i64 = 30_000_000_000;

/// Sets every metric of a name that some side has.
pub(super) fn set_metric(
    snapshot: &mut Snapshot,
    specs: &[&HpaSpec],
    name: &str,
    level: &Level,
) -> Result<(), InputsError> {
    let all = || specs.iter().flat_map(|spec| &spec.metrics);
    let mut is_found = false;
    for metric in all().filter(|metric| metric.name() == Some(name)) {
        is_found = true;
        set(snapshot, metric, level)?;
    }
    if is_found {
        return Ok(());
    }
    let mut known: Vec<&str> = all().filter_map(MetricSpec::name).collect();
    known.sort_unstable();
    known.dedup();
    Err(InputsError::NoSuchMetric {
        name: name.to_owned(),
        known: known.join(", "),
    })
}

fn set(snapshot: &mut Snapshot, metric: &MetricSpec, level: &Level) -> Result<(), InputsError> {
    if let Some(source) = &metric.resource {
        set_resource(snapshot, &source.name, None, level);
        return Ok(());
    }
    if let Some(source) = &metric.container_resource {
        set_resource(snapshot, &source.name, Some(&source.container), level);
        return Ok(());
    }
    let Level::Amount(amount) = level else {
        let name = metric.name().unwrap_or_default().to_owned();
        return Err(InputsError::NoPercentage(name));
    };
    if let Some(source) = &metric.pods {
        set_pods(snapshot, &source.metric, amount);
    }
    if let Some(source) = &metric.object {
        set_object(snapshot, source, amount);
    }
    if let Some(source) = &metric.external {
        set_external(snapshot, &source.metric, amount);
    }
    Ok(())
}

/// Every sample says the same of the resource. Where nothing was measured,
/// every pod that runs gets a sample.
fn set_resource(snapshot: &mut Snapshot, resource: &str, container: Option<&str>, level: &Level) {
    let at = snapshot.captured_at;
    let pods: Vec<Pod> = selected_pods(snapshot).into_iter().cloned().collect();
    let answered = &mut snapshot.metrics.resource;
    if answered.as_ref().is_none_or(|it| it.response.is_none()) {
        let running = pods.iter().filter(|pod| pod.status.phase == "Running");
        let items = running.map(|pod| new_sample(pod, at)).collect();
        *answered = Some(Answered::response(PodMetricsList { items }));
    }
    let list = answered.as_mut().and_then(|it| it.response.as_mut());
    for sample in list.into_iter().flat_map(|list| &mut list.items) {
        let pod = pods
            .iter()
            .find(|pod| pod.metadata.name == sample.metadata.name);
        for (index, usage) in sample.containers.iter_mut().enumerate() {
            let is_meant = container.is_none_or(|name| usage.name == name);
            if is_meant && let Some(pod) = pod {
                let is_first = index == 0 || container.is_some();
                let milli = of_container(pod, &usage.name, resource, level, is_first);
                usage.usage = with(&usage.usage, resource, milli);
            }
        }
    }
}

/// What a container uses then. An amount is that of the whole pod, or of the
/// one container that counts.
fn of_container(pod: &Pod, name: &str, resource: &str, level: &Level, is_first: bool) -> i64 {
    let percent = match level {
        Level::Amount(amount) if is_first => return amount.milli_value(),
        Level::Amount(_) => return 0,
        Level::Percent(percent) => i128::from(*percent),
    };
    let of_pod = pod.spec.resources.as_ref();
    let of_pod = of_pod.and_then(|resources| resources.requests.get(resource));
    let containers = pod.spec.containers.iter().chain(&pod.spec.init_containers);
    let mut own = containers.filter(|it| it.name == name);
    let own = own.find_map(|it| it.request(resource));
    let request = match of_pod {
        Some(request) if is_first => Some(request),
        Some(_) => None,
        None => own,
    };
    let request = request.map_or(0, |request| i128::from(request.milli_value()));
    // Rounded up, so that a percentage that is cut off is the one that was
    // asked for.
    let milli = (request * percent + 99) / 100;
    i64::try_from(milli).unwrap_or(i64::MAX)
}

fn with(usage: &ByName<Quantity>, resource: &str, milli: i64) -> ByName<Quantity> {
    let others = usage.keys().filter(|name| *name != resource);
    let others = others.filter_map(|name| Some((name.clone(), usage.get(name)?.clone())));
    let own = Quantity::from_milli(milli, Format::DecimalSi);
    others.chain([(resource.into(), own)]).collect()
}

fn new_sample(pod: &Pod, at: Timestamp) -> PodMetrics {
    let sidecars = pod.spec.init_containers.iter().filter(|it| it.is_sidecar());
    let containers = pod.spec.containers.iter().chain(sidecars);
    PodMetrics {
        metadata: pod.metadata.clone(),
        timestamp: at,
        window: GoDuration(WINDOW),
        containers: containers
            .map(|container| ContainerUsage {
                name: container.name.clone(),
                usage: ByName::default(),
            })
            .collect(),
    }
}

fn set_pods(snapshot: &mut Snapshot, metric: &MetricIdentifier, amount: &Quantity) {
    let pods = selected_pods(snapshot);
    let running = pods.iter().filter(|pod| pod.status.phase == "Running");
    let names: Vec<String> = running.map(|pod| pod.metadata.name.to_string()).collect();
    let at = snapshot.captured_at;
    let Some(asked) = custom(snapshot, metric, None) else {
        return;
    };
    let items = match asked.response.take() {
        Some(list) if !list.items.is_empty() => list.items,
        _ => names
            .iter()
            .map(|name| value("Pod", name, at, amount))
            .collect(),
    };
    let items = items.into_iter().map(|item| MetricValue {
        value: amount.clone(),
        ..item
    });
    answer(asked, items.collect());
}

fn set_object(snapshot: &mut Snapshot, source: &ObjectMetricSource, amount: &Quantity) {
    let at = snapshot.captured_at;
    let object = &source.described_object;
    let described = DescribedObject {
        kind: object.kind.clone(),
        name: object.name.clone(),
        ..DescribedObject::default()
    };
    if let Some(asked) = custom(snapshot, &source.metric, Some(described)) {
        answer(asked, vec![value(&object.kind, &object.name, at, amount)]);
    }
}

fn value(kind: &str, name: &str, at: Timestamp, amount: &Quantity) -> MetricValue {
    MetricValue {
        described_object: DescribedObject {
            kind: kind.to_owned(),
            name: name.to_owned(),
            ..DescribedObject::default()
        },
        timestamp: Some(at),
        window_seconds: None,
        value: amount.clone(),
    }
}

fn answer(asked: &mut CustomMetric, items: Vec<MetricValue>) {
    asked.response = Some(MetricValueList { items });
    (asked.error, asked.unreadable) = (None, None);
}

/// The question about a custom metric, asked now if nobody has; nothing where
/// its selector cannot be asked with.
fn custom<'s>(
    snapshot: &'s mut Snapshot,
    metric: &MetricIdentifier,
    object: Option<DescribedObject>,
) -> Option<&'s mut CustomMetric> {
    let selector = wire_text(metric.selector.as_ref()).ok()?;
    let key = |object: &DescribedObject| (object.kind.clone(), object.name.clone());
    let wanted = object.as_ref().map(key);
    let all = &mut snapshot.metrics.custom;
    let found = all.iter().position(|asked| {
        asked.metric == metric.name
            && asked.metric_selector == selector
            && asked.described_object.as_ref().map(key) == wanted
    });
    let at = found.unwrap_or_else(|| {
        all.push(CustomMetric {
            metric: metric.name.clone(),
            metric_selector: selector,
            described_object: object,
            response: None,
            error: None,
            unreadable: None,
        });
        all.len() - 1
    });
    all.get_mut(at)
}

/// The first series says all of it.
fn set_external(snapshot: &mut Snapshot, metric: &MetricIdentifier, amount: &Quantity) {
    let Ok(selector) = wire_text(metric.selector.as_ref()) else {
        return;
    };
    let all = &mut snapshot.metrics.external;
    all.retain(|asked| asked.metric != metric.name || asked.metric_selector != selector);
    all.push(ExternalMetric {
        metric: metric.name.clone(),
        metric_selector: selector,
        response: Some(ExternalMetricValueList {
            items: vec![ExternalMetricValue {
                metric_name: metric.name.clone(),
                metric_labels: std::collections::BTreeMap::new(),
                timestamp: Some(snapshot.captured_at),
                value: amount.clone(),
            }],
        }),
        error: None,
        unreadable: None,
    });
}
