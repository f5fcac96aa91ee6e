//! Why a metric failed, in words that do not mislead, and where to look next;
//! and the fallback of an External metric, a design that no release has, and
//! always called so.
//!
//! The controller's own text is always shown beside it: somebody will search
//! for that text.

use super::words::{View, counted};
use crate::api::MetricKind;
use crate::render::block::Prose;
use crate::trace::{
    FailureCause, FallbackRecord, Group, Groups, MetricRecord, MetricResult, Rule, ShellCommand,
    rbac_command, seconds_text,
};

/// A failure in plain words.
pub(super) struct Cause {
    /// What is wrong; absent where the controller's text says it well.
    pub(super) plain: Option<String>,
    /// The command that shows more.
    pub(super) command: ShellCommand,
}

impl Cause {
    fn of(plain: impl Into<String>, command: ShellCommand) -> Self {
        Self {
            plain: Some(plain.into()),
            command,
        }
    }
}

/// The controller's text of a failed metric, or why we may not read it.
pub(super) fn message(metric: &MetricRecord) -> Option<&str> {
    match metric.result.as_ref()? {
        MetricResult::Failed { message, error, .. } if message.is_empty() => Some(error),
        MetricResult::Failed { message, .. } => Some(message),
        MetricResult::Unreadable { reason, .. } => Some(reason),
        MetricResult::Proposed(_) => None,
    }
}

/// Translates the failure of a metric; a metric that did not fail has none.
pub(super) fn cause(view: View, metric: &MetricRecord) -> Option<Cause> {
    let cause = match metric.cause()? {
        FailureCause::NoSamples => no_sample(view, metric),
        FailureCause::MissingRequest { pod, .. } => Cause::of(
            "one container without a request fails the whole metric",
            view.trace.look_at_pod(pod),
        ),
        FailureCause::NoPods => Cause::of(
            "the target's selector matches no pod",
            view.trace.kubectl_pods("kubectl get pods"),
        ),
        FailureCause::ContainerNotFound { container, .. } => Cause::of(
            format!(
                "a pod has no sample of container {}, which fails the whole metric",
                view.name(container)
            ),
            view.trace.kubectl_pods("kubectl top pods --containers"),
        ),
        FailureCause::NoReadyPodWithRequest if metric.groups.is_some_and(|it| it.ready == 0) => {
            Cause::of(
                "all samples are of other pods, none of the selected ones",
                view.trace.kubectl_pods("kubectl top pods"),
            )
        }
        FailureCause::NoReadyPodWithRequest => Cause::of(
            "no pod with a sample has a request above 0",
            view.trace.kubectl_pods("kubectl describe pods"),
        ),
        FailureCause::GateOff => spec(
            view,
            "the controller's feature gate HPAContainerMetrics is off",
        ),
        FailureCause::NoTarget => {
            spec(view, "the metric's target sets no field that its type uses")
        }
        FailureCause::UnknownType => spec(view, "the controller does not know this type of metric"),
        cause @ (FailureCause::NotAsked
        | FailureCause::NotRead
        | FailureCause::Refused
        | FailureCause::Unauthorized) => unreadable(view, cause),
        cause => source(view, metric, cause),
    };
    Some(cause)
}

/// What to do about a refusal: log in, or ask for the role.
pub(super) fn grant(view: View, cause: &FailureCause) -> ShellCommand {
    if *cause == FailureCause::Unauthorized {
        return ShellCommand::new("kubectl auth whoami");
    }
    rbac_command(view.trace)
}

fn unreadable(view: View, cause: &FailureCause) -> Cause {
    if cause.is_refusal() {
        return Cause::of(
            "you may not read this; the controller probably can",
            grant(view, cause),
        );
    }
    Cause::of(
        "it could not be read from here; the controller probably can",
        ShellCommand::new("kubectl get --raw /readyz"),
    )
}

/// "pods might be unready" is the controller's guess; the groups know.
fn no_sample(view: View, metric: &MetricRecord) -> Cause {
    let groups = metric.groups.unwrap_or_default();
    let container = metric.source.container.as_deref();
    let nobody = groups.missing > 0 && groups.missing + groups.ignored == groups.selected;
    let plain = match container {
        Some(container) if nobody => format!(
            "no pod has a sample of {} for a container named {}; no pod is unready",
            view.name(&metric.source.name),
            view.name(container)
        ),
        _ if groups.unready == 0 => format!("no pod is unready; {}", without_sample(groups)),
        _ => unready(view, metric, groups),
    };
    let verb = match container {
        Some(_) => "kubectl top pods --containers",
        None if groups.unready > 0 => "kubectl get pods",
        None => "kubectl top pods",
    };
    Cause::of(plain, view.trace.kubectl_pods(verb))
}

fn without_sample(groups: Groups) -> String {
    let all = groups.selected;
    let of = |count: usize, one: &str, several: &str| match count {
        0 => None,
        1 => Some(format!("1 of {all} {one}")),
        count => Some(format!("{count} of {all} {several}")),
    };
    let parts = [
        of(groups.missing, "has no sample", "have no sample"),
        of(groups.ignored, "is ignored", "are ignored"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn unready(view: View, metric: &MetricRecord, groups: Groups) -> String {
    let set_aside = metric.pods.iter().filter(|pod| pod.group == Group::Unready);
    let first = set_aside.filter_map(|pod| pod.until).min();
    let until = first.map_or_else(String::new, |first| {
        format!("; the first one counts by {}", view.moment(first))
    });
    let others = match without_sample(groups) {
        none if none.is_empty() => none,
        others => format!(", {others}"),
    };
    format!(
        "{} of {} count as not ready{others}{until}",
        groups.unready,
        counted(groups.selected, "pod")
    )
}

/// The spec, or a switch of the controller, is the reason.
fn spec(view: View, plain: &str) -> Cause {
    Cause::of(
        plain,
        view.trace.kubectl_hpa("kubectl get hpa").and("-o yaml"),
    )
}

/// The metrics API is the reason.
fn source(view: View, metric: &MetricRecord, cause: &FailureCause) -> Cause {
    let (api, service) = match metric.kind.known() {
        Some(MetricKind::Resource | MetricKind::ContainerResource) => {
            ("metrics.k8s.io", "v1beta1.metrics.k8s.io")
        }
        Some(MetricKind::External) => {
            ("external.metrics.k8s.io", "v1beta1.external.metrics.k8s.io")
        }
        _ => ("custom.metrics.k8s.io", "v1beta2.custom.metrics.k8s.io"),
    };
    let plain = match cause {
        FailureCause::ApiNotFound => Some(format!("no server provides the API {api}")),
        FailureCause::MetricNotFound => {
            Some(format!("{api} answers, but does not have this metric"))
        }
        FailureCause::ApiUnavailable => Some(format!("the server of {api} is down")),
        FailureCause::NoMetrics => Some(format!("{api} answers without a sample")),
        _ => None,
    };
    let is_down = *cause == FailureCause::ApiUnavailable;
    let command = if *cause == FailureCause::NoMetrics && api == "metrics.k8s.io" {
        view.trace.kubectl_pods("kubectl top pods")
    } else if let Some(path) = external_path(view, metric).filter(|_| !is_down) {
        ShellCommand::new("kubectl get --raw").word(&path)
    } else {
        ShellCommand::new("kubectl get apiservice").and(service)
    };
    Cause { plain, command }
}

/// Where an external metric is asked, if a line has room for that.
fn external_path(view: View, metric: &MetricRecord) -> Option<String> {
    if metric.kind != MetricKind::External {
        return None;
    }
    let path = format!(
        "/apis/external.metrics.k8s.io/v1beta1/namespaces/{}/{}",
        view.trace.namespace, metric.source.name
    );
    (path.len() <= view.page.width.saturating_sub(28)).then_some(path)
}

/// What every mention of it begins with.
const DESIGN: &str = "fallback (a proposed design, in no release yet)";

/// The remark on a metric: that its fallback asks for something, or when it
/// would.
pub(super) fn fallback_note(view: View, metric: &MetricRecord) -> Option<Prose> {
    let fallback = metric.fallback.as_ref()?;
    let is_reported = fallback.rule != Rule::FallbackNormal || view.options.verbosity > 0;
    is_reported.then(|| Prose::behind("    ", format!("{DESIGN}: {}", says(view, fallback))))
}

/// What becomes of each fallback, with the metric's name.
pub(super) fn coming_fallbacks(view: View) -> Vec<(String, String)> {
    let metrics = view.trace.metrics.iter();
    let all = metrics.filter_map(|metric| Some((metric, metric.fallback.as_ref()?)));
    all.map(|(metric, fallback)| {
        let text = format!("{DESIGN}: {}", says(view, fallback));
        (view.metric_name(metric), text)
    })
    .collect()
}

fn says(view: View, fallback: &FallbackRecord) -> String {
    let replicas = fallback.replicas;
    match fallback.rule {
        Rule::FallbackActive => match fallback.first_failure {
            Some(since) => format!(
                "failing for {}, so it asks for {replicas}",
                view.trace.age(since)
            ),
            None => format!("it asks for {replicas}"),
        },
        Rule::FallbackWaiting => {
            let left = seconds_text(fallback.seconds_left.unwrap_or_default());
            format!("in {left} this metric would ask for {replicas}")
        }
        Rule::FallbackUnknown => "unknown, since the metric was not read".to_owned(),
        _ => {
            let needed = seconds_text(fallback.failure_duration_seconds);
            format!("after {needed} of failures this metric would ask for {replicas}")
        }
    }
}

/// The sentence of the verdict where a fallback decides.
pub(super) fn fallback_asks(
    view: View,
    metric: &MetricRecord,
    fallback: &FallbackRecord,
) -> String {
    let failing = fallback.first_failure.map_or_else(
        || "fails".to_owned(),
        |since| format!("has failed for {}", view.trace.age(since)),
    );
    format!(
        "{} {failing}, and its fallback asks for {}; this is a proposed design that no Kubernetes \
         release has, so the cluster's controller does not do it",
        view.metric_name(metric),
        fallback.replicas
    )
}

/// The sentence of the verdict where a fallback that waits may decide later.
pub(super) fn countdown(view: View) -> Option<String> {
    // Where the pass does not get to the metrics, no clock runs.
    view.trace.recommendation.as_ref()?;
    let waiting = view.trace.metrics.iter();
    let waiting = waiting.filter_map(|metric| Some((metric, metric.awaits_fallback()?)));
    let (metric, fallback) = waiting.min_by_key(|(_, fallback)| fallback.active_at)?;
    let left = seconds_text(fallback.seconds_left.unwrap_or_default());
    Some(format!(
        "if {} keeps failing, its fallback would ask for {} in {left} (a proposed design that no \
         Kubernetes release has)",
        view.metric_name(metric),
        fallback.replicas,
    ))
}

/// The step with its numbers (`-v`).
pub(super) fn fallback_formula(view: View, fallback: &FallbackRecord) -> String {
    let active = fallback.active_at.filter(|_| !fallback.active);
    let from = active.map_or_else(String::new, |at| format!(" from {}", view.moment(at)));
    format!("{}; fallback {}{from}", fallback.formula, fallback.replicas)
}
