//! Metrics APIs that have no answer, and answers that hold nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::Case;
use super::words::{condition, field, line, listed, once, whole_name as name};
use crate::api::url::{query, segment};
use crate::api::{
    AnswerErrorKind, ConditionKind, ConditionStatus, CrossVersionObjectReference,
    ExternalMetricSource, MetricIdentifier, MetricKind, MetricSource, MetricSpec, Phase,
    PodsMetricSource, wire_text,
};
use crate::document::snapshot::Snapshot;
use crate::trace::{
    Code, FailureCause, Finding, MetricRecord, MetricResult, Rule, Severity, ShellCommand, Trace,
};

/// Who the controller is.
const CONTROLLER: &str = "system:serviceaccount:kube-system:horizontal-pod-autoscaler";

/// Reports each failure of an API once, whichever metrics it concerns; a
/// metric that one does not know is that metric's alone.
pub(super) fn metrics_apis(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let mut failures: BTreeMap<(MetricsApi, Code, usize), Vec<&MetricRecord>> = BTreeMap::new();
    for metric in trace.failed_metrics() {
        let api = metric.kind.known().map(MetricsApi::of);
        let Some((api, code)) = api.zip(code(case, metric)) else {
            continue;
        };
        let apart = match code {
            Code::MetricNotFound => metric.index,
            Code::MetricsEmpty if api != MetricsApi::Resource => metric.index,
            _ => 0,
        };
        failures.entry((api, code, apart)).or_default().push(metric);
    }
    for ((api, code, _), metrics) in failures {
        let finding = Finding::new(code, message(case, api, code, &metrics));
        let finding = evidence(finding, case, trace, &metrics);
        let finding = registration(finding, case, api);
        let finding = remedies(finding, case, trace, (api, code), &metrics);
        findings.push(finding.at_most(worst(trace)));
    }
}

/// A metric that fails matters less where another one decides, or none of
/// them does.
pub(super) fn worst(trace: &Trace) -> Severity {
    let branch = trace.branch.as_ref().map(|branch| branch.rule);
    match (branch, &trace.recommendation) {
        // At zero nobody looks at the metrics.
        (Some(Rule::BranchDisabled), _) => Severity::Info,
        (_, Some(recommendation)) if recommendation.replicas.is_none() => Severity::Error,
        _ => Severity::Warning,
    }
}

fn code(case: &Case, metric: &MetricRecord) -> Option<Code> {
    match metric.cause()? {
        FailureCause::ApiNotFound => Some(Code::MetricsApiMissing),
        FailureCause::ApiUnavailable => Some(Code::MetricsApiUnavailable),
        FailureCause::Forbidden => Some(Code::MetricsForbidden),
        FailureCause::MetricNotFound => Some(Code::MetricNotFound),
        // Of pods that do not run there is nothing to measure.
        FailureCause::NoMetrics if measures_pods(metric) => {
            let mut pods = case.selected.iter();
            pods.any(|pod| pod.status.phase == Phase::Running)
                .then_some(Code::MetricsEmpty)
        }
        FailureCause::NoMetrics | FailureCause::NotOne { items: 0 } => Some(Code::MetricsEmpty),
        _ => None,
    }
}

pub(super) fn measures_pods(metric: &MetricRecord) -> bool {
    metric.is_of_resource() || metric.kind == MetricKind::Pods
}

fn message(case: &Case, api: MetricsApi, code: Code, metrics: &[&MetricRecord]) -> String {
    let names = once(metrics.iter().map(|metric| name(metric)));
    let (names, any) = (listed(&names, "and"), listed(&names, "or"));
    let group = api.group();
    let service = case.api_service(group);
    let service = service.and_then(|it| it.spec.service.as_ref());
    let server = match (service, api) {
        (Some(behind), _) => format!(" ({}/{})", behind.namespace, behind.name),
        (None, MetricsApi::Resource) => format!(" ({})", api.server()),
        (None, _) => String::new(),
    };
    match code {
        Code::MetricsApiMissing => {
            format!("nothing serves the {group} API{server}, so {names} cannot be read")
        }
        Code::MetricsApiUnavailable => {
            format!("the {group} API{server} is down or fails, so {names} cannot be read")
        }
        Code::MetricsForbidden => {
            format!("the controller is not allowed to read {names} from the {group} API")
        }
        Code::MetricNotFound => {
            format!("the {group} API{server} answers but does not have {any}")
        }
        _ => format!("the {group} API{server} answers but has no value for {any}"),
    }
}

/// The request of each metric, and what came back.
fn evidence(
    mut finding: Finding,
    case: &Case,
    trace: &Trace,
    metrics: &[&MetricRecord],
) -> Finding {
    let mut cited = BTreeSet::new();
    for metric in metrics {
        if let Some(MetricResult::Failed {
            answer,
            message,
            error,
            ..
        }) = &metric.result
        {
            let text = if message.is_empty() { error } else { message };
            // What came back, without the controller's sentences around it.
            let text = answer.as_ref().unwrap_or(text);
            finding = finding.fact(field(metric), line(text));
        }
        let path = path_of(case, trace, metric);
        let path = path.filter(|path| cited.insert(path.clone()));
        finding = finding.facts(path.map(|path| ("GET", path)));
    }
    finding
}

/// Who should answer for the API, and whether the API server reaches it.
fn registration(finding: Finding, case: &Case, api: MetricsApi) -> Finding {
    let Some(service) = case.api_service(api.group()) else {
        return finding;
    };
    let behind = service.spec.service.as_ref();
    let behind = behind.map(|it| format!("served by Service {}/{}", it.namespace, it.name));
    let available = service.available();
    let failing = available.filter(|it| it.status != ConditionStatus::True);
    let failing = failing.map(|it| format!("Available {}: {}", condition(it), line(&it.message)));
    let about = format!("APIService/{}", service.metadata.name);
    let facts = behind.into_iter().chain(failing);
    finding.facts(facts.map(|says| (about.clone(), says)))
}

/// What runs behind the Service that should answer.
fn endpoints(finding: Finding, case: &Case, api: MetricsApi) -> Finding {
    let service = case.api_service(api.group());
    let Some(behind) = service.and_then(|service| service.spec.service.as_ref()) else {
        return finding;
    };
    finding.look(
        "list what runs behind the Service",
        ShellCommand::new("kubectl get endpointslices")
            .namespace(&behind.namespace)
            .and("-l")
            .word(&format!("kubernetes.io/service-name={}", behind.name)),
    )
}

/// The path that the controller asks.
fn path_of(case: &Case, trace: &Trace, metric: &MetricRecord) -> Option<String> {
    let specs = &case.hpa().spec.metrics;
    let selector = trace.scale.as_ref()?.selector.as_deref()?;
    path(case.snapshot, selector, specs.get(metric.index)?)
}

/// The command that asks what the controller asks, where that is known.
pub(super) fn same_request(
    finding: Finding,
    case: &Case,
    trace: &Trace,
    metric: &MetricRecord,
) -> Finding {
    match path_of(case, trace, metric) {
        Some(path) => finding.look(
            "send the same request as the controller",
            ShellCommand::new("kubectl get --raw").word(&path),
        ),
        None => finding,
    }
}

fn remedies(
    finding: Finding,
    case: &Case,
    trace: &Trace,
    (api, code): (MetricsApi, Code),
    metrics: &[&MetricRecord],
) -> Finding {
    let Some(first) = metrics.first() else {
        return finding;
    };
    let compared = |finding| same_request(finding, case, trace, first);
    match code {
        Code::MetricsApiMissing => finding
            .look(
                "check whether the API is registered",
                ShellCommand::new("kubectl get apiservice").and(api.services()),
            )
            .advice(format!(
                "install {}, which serves {}",
                api.server(),
                api.group()
            )),
        Code::MetricsApiUnavailable => {
            let finding = finding.look(
                "see which Service is behind the API and why it is not Available",
                ShellCommand::new("kubectl describe apiservice").and(api.services()),
            );
            endpoints(compared(finding), case, api)
        }
        Code::MetricsForbidden => {
            let resource = match api {
                MetricsApi::External => first.source.name.as_str(),
                _ => "pods",
            };
            let resource = format!("{resource}.{}", api.group());
            finding.look(
                "check whether the controller is allowed to read it",
                as_controller(trace.kubectl("kubectl auth can-i list", &[&resource])),
            )
        }
        Code::MetricNotFound => compared(finding).look(
            "list what the API has",
            ShellCommand::new(match api {
                MetricsApi::Custom => "kubectl get --raw /apis/custom.metrics.k8s.io/v1beta2",
                _ => "kubectl get --raw /apis/external.metrics.k8s.io/v1beta1",
            }),
        ),
        _ => compared(finding),
    }
}

/// The command that asks what the controller is allowed to do.
fn as_controller(asks: ShellCommand) -> ShellCommand {
    asks.and("--as").and(CONTROLLER)
}

/// The controller was refused at its last pass, although we are not.
pub(super) fn refused_to_controller(case: &Case, trace: &Trace) -> Option<Finding> {
    let status = &case.hpa().status;
    let active = status.condition(ConditionKind::ScalingActive);
    let failing = active.filter(|condition| {
        condition.status == ConditionStatus::False
            && condition.reason.is_failed_metric()
            && AnswerErrorKind::of_text(&condition.message) == AnswerErrorKind::Forbidden
    });
    // Where one of them fails for us, too, that failure is told.
    let can_read_all = trace.metrics.iter().all(|metric| metric.cause().is_none());
    let failing = failing.filter(|_| can_read_all)?;
    let message = "the controller was not allowed to read a metric in its last pass, although you can read all of them";
    Some(
        Finding::new(Code::MetricsForbidden, message)
            .fact("status.conditions ScalingActive", line(&failing.message))
            .look(
                "list what the controller is allowed to do",
                as_controller(trace.kubectl("kubectl auth can-i --list", &[])),
            ),
    )
}

/// The three metrics APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MetricsApi {
    /// Of types `Resource` and `ContainerResource`.
    Resource,
    /// Of types `Pods` and `Object`.
    Custom,
    /// Of type `External`.
    External,
}

impl MetricsApi {
    /// The API of a type of metric.
    pub(super) const fn of(kind: MetricKind) -> Self {
        match kind {
            MetricKind::Resource | MetricKind::ContainerResource => Self::Resource,
            MetricKind::Pods | MetricKind::Object => Self::Custom,
            MetricKind::External => Self::External,
        }
    }

    /// The API's group.
    pub(super) const fn group(self) -> &'static str {
        match self {
            Self::Resource => "metrics.k8s.io",
            Self::Custom => "custom.metrics.k8s.io",
            Self::External => "external.metrics.k8s.io",
        }
    }

    /// The objects that register the API. Adapters serve v1beta2 of custom
    /// metrics, v1beta1, or both.
    pub(super) const fn services(self) -> &'static str {
        match self {
            Self::Resource => "v1beta1.metrics.k8s.io",
            Self::Custom => "v1beta1.custom.metrics.k8s.io v1beta2.custom.metrics.k8s.io",
            Self::External => "v1beta1.external.metrics.k8s.io",
        }
    }

    /// What usually serves it.
    pub(super) const fn server(self) -> &'static str {
        match self {
            Self::Resource => "metrics-server",
            Self::Custom => "an adapter such as prometheus-adapter",
            Self::External => "an adapter such as KEDA's",
        }
    }
}

/// The path that the controller asks for a metric of the spec, with
/// `v1beta2` of custom metrics; none of a kind whose plural only discovery
/// knows.
pub(super) fn path(snapshot: &Snapshot, selector: &str, spec: &MetricSpec) -> Option<String> {
    let namespace = segment(&snapshot.hpa.metadata.namespace);
    let custom = format!("/apis/custom.metrics.k8s.io/v1beta2/namespaces/{namespace}");
    Some(match spec.source()? {
        MetricSource::Resource(_) | MetricSource::ContainerResource(_) => format!(
            "/apis/metrics.k8s.io/v1beta1/namespaces/{namespace}/pods{}",
            query(&[("labelSelector", selector)])
        ),
        MetricSource::Pods(PodsMetricSource { metric, .. }) => {
            let query = query(&[
                ("labelSelector", selector),
                ("metricLabelSelector", &wire(metric)?),
            ]);
            format!("{custom}/pods/%2A/{}{query}", segment(&metric.name))
        }
        MetricSource::Object(source) => {
            let query = query(&[("metricLabelSelector", &wire(&source.metric)?)]);
            let name = segment(&source.metric.name);
            let object = object(&source.described_object)?;
            format!("{custom}/{object}/{name}{query}")
        }
        MetricSource::External(ExternalMetricSource { metric, .. }) => {
            let query = query(&[("labelSelector", &wire(metric)?)]);
            let name = segment(&metric.name);
            format!("/apis/external.metrics.k8s.io/v1beta1/namespaces/{namespace}/{name}{query}")
        }
    })
}

/// `services/web`; of a namespace, which is always the HPA's own, `metrics`.
fn object(object: &CrossVersionObjectReference) -> Option<String> {
    if object.is_namespace() {
        return Some("metrics".to_owned());
    }
    let resource = match object.group() {
        "" => object.plural()?.to_owned(),
        group => format!("{}.{group}", object.plural()?),
    };
    Some(format!("{resource}/{}", segment(&object.name)))
}

fn wire(metric: &MetricIdentifier) -> Option<String> {
    wire_text(metric.selector.as_ref()).ok()
}
