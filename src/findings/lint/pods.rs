//! What the pods of the target request and may use, by its template: what is
//! injected, or set by a `LimitRange`, is not in it.

use super::metrics::{Held, held, percents};
use super::neighbors::targets;
use super::{Found, InFile, Lint, at};
use crate::api::{Container, HpaSpec, PodSpec, Quantity};
use crate::controller::Switch;
use crate::document::manifest::Neighbor;
use crate::findings::shared_findings;
use crate::trace::amount::plural;
use crate::trace::{Code, Finding, Severity, milli_text};

/// Sidecars that a mesh puts into pods beside those of the template.
const INJECTED: [&str; 3] = ["daprd", "istio-proxy", "linkerd-proxy"];

/// The manifests of the target that have pods: more than one where the input
/// holds several versions of it, of which nobody knows which is meant.
fn templates<'a>(lint: &Lint<'a>, spec: &HpaSpec) -> Vec<(&'a InFile<'a, Neighbor>, &'a PodSpec)> {
    let all = targets(lint, spec);
    all.filter_map(|it| Some((it, it.item.pods.as_ref()?)))
        .collect()
}

/// The containers that are measured: those of the pod, and native sidecars.
fn measured<'p>(
    lint: &Lint,
    pods: &'p PodSpec,
    container: Option<&'p str>,
) -> impl Iterator<Item = &'p Container> {
    let has_sidecars = lint.rules.release.has(Switch::SidecarRequests);
    let sidecars = pods.init_containers.iter();
    let sidecars = sidecars.filter(move |it| has_sidecars && it.is_sidecar());
    let all = pods.containers.iter().chain(sidecars);
    all.filter(move |it| container.is_none_or(|name| it.name == name))
}

/// A limit without a request is the request, too (`SetDefaults_Pod`).
fn request<'p>(container: &'p Container, resource: &str) -> Option<&'p Quantity> {
    let resources = container.resources.as_ref()?;
    let own = resources.requests.get(resource);
    own.or_else(|| resources.limits.get(resource))
}

/// A percentage of requests that are not there, or of a container that is not.
pub(super) fn requests(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    let templates = templates(lint, spec);
    let Some((target, pods)) = templates.first().copied() else {
        return;
    };
    // What one of several versions has may be patched into the others.
    let in_none = |container: &str, lacks: &dyn Fn(&Container) -> bool| {
        let mut all = templates.iter();
        all.all(|(_, pods)| measured(lint, pods, Some(container)).all(lacks))
    };
    for metric in held(spec) {
        if let Some(name) = metric.container
            && in_none(name, &|_| false)
        {
            findings.extend(wrong_container(lint, (target, pods), &metric, name));
        }
    }
    // These may give every pod requests that its template has not.
    let mut limits = lint.input.kinds.of("LimitRange", lint);
    let is_defaulted = limits.next().is_some();
    let mut resources = templates.iter().filter_map(|(_, it)| it.resources.as_ref());
    let is_of_pod = resources.any(|own| !own.requests.is_empty() || !own.limits.is_empty());
    if is_defaulted || is_of_pod {
        return;
    }
    for (metric, percent) in percents(spec) {
        let all = measured(lint, pods, metric.container);
        let lacking =
            all.filter(|it| in_none(&it.name, &|it| request(it, metric.resource).is_none()));
        let lacking: Vec<&str> = lacking.map(|it| it.name.as_str()).collect();
        if let Some(first) = lacking.first() {
            findings.push(missing(lint, target, (&metric, percent), (first, &lacking)));
        }
    }
}

fn missing(
    lint: &Lint,
    target: &InFile<Neighbor>,
    (metric, percent): (&Held, i32),
    (first, lacking): (&str, &[&str]),
) -> Found {
    let object = &target.item.object;
    let (resource, place) = (metric.resource, lint.place(target.file, target.item.place));
    let who = match lacking {
        [_] => format!("container {first}"),
        lacking => format!("containers {}", lacking.join(", ")),
    };
    let verb = plural(lacking.len(), "has", "have");
    let message = format!(
        "{who} of {} {} ({place}) {verb} no {resource} request, so the {resource} utilization fails \
         for all pods",
        object.kind, object.name
    );
    let finding = Finding::new(Code::MissingRequest, message)
        .fact(&metric.field, format!("{percent}% of the request"))
        .fact(
            "the pod template",
            "does not show what a LimitRange or a webhook adds",
        )
        .advice(format!(
            "set resources.requests.{resource} for {who} in {} {}",
            object.kind, object.name
        ));
    let finding = if metric.container.is_none() {
        finding.advice(
            "measure a container that has a request alone, with a metric of type ContainerResource",
        )
    } else {
        finding
    };
    at(metric.field.clone(), finding)
}

fn wrong_container(
    lint: &Lint,
    (target, pods): (&InFile<Neighbor>, &PodSpec),
    metric: &Held,
    name: &str,
) -> Option<Found> {
    if INJECTED.contains(&name) {
        return None;
    }
    let object = &target.item.object;
    let there = measured(lint, pods, None).map(|it| it.name.as_str());
    let there: Vec<&str> = there.collect();
    let message = format!(
        "{} {} ({}) has no container named {name}; it has {}",
        object.kind,
        object.name,
        lint.place(target.file, target.item.place),
        there.join(", ")
    );
    let finding = Finding::new(Code::WrongContainer, message)
        .fact(&metric.field, format!("names container {name}"))
        .fact("the pod template", "does not show what a webhook injects")
        .advice("use the name of a container that the template has");
    let field = metric.field.clone().join("containerResource.container");
    Some(at(field, finding))
}

/// The tolerance of the controller, unless its flag says otherwise.
const TOLERANCE: f64 = 0.1;

/// A target that the limits of the containers keep out of reach.
pub(super) fn limits(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    let templates = templates(lint, spec);
    let Some((target, pods)) = templates.first().copied() else {
        return;
    };
    let is_one = templates.iter().all(|(_, it)| *it == pods);
    if pods.resources.is_some() || !is_one {
        return;
    }
    let behavior = spec.behavior.as_ref();
    let own = behavior.and_then(|it| it.scale_up.as_ref()?.tolerance.as_ref());
    let tolerance = own.map_or(TOLERANCE, Quantity::as_approximate_float);
    for metric in held(spec) {
        let sum = |of: fn(&Container, &str) -> Option<i64>| {
            let all = measured(lint, pods, metric.container);
            let sum: Option<i64> = all.map(|it| of(it, metric.resource)).sum();
            sum.filter(|sum| *sum > 0)
        };
        let limits = sum(|it, resource| {
            let limit = it.resources.as_ref()?.limits.get(resource)?;
            Some(limit.milli_value())
        });
        let requests = sum(|it, resource| Some(request(it, resource)?.milli_value()));
        let (Some(limit), Some(request)) = (limits, requests) else {
            continue;
        };
        let (most, goal) = match (metric.percent, metric.average) {
            (Some(percent), _) => (limit.saturating_mul(100) / request, i64::from(percent)),
            (None, Some(average)) => (limit, average.milli_value()),
            (None, None) => continue,
        };
        #[expect(clippy::cast_precision_loss, reason = "as the controller divides")]
        let is_reached = most as f64 / goal as f64 > 1.0 + tolerance;
        if is_reached || goal <= 0 {
            continue;
        }
        let in_unit = |value: i64| match metric.percent {
            Some(_) => format!("{value}%"),
            None => milli_text(value),
        };
        let resource = metric.resource;
        let place = lint.place(target.file, target.item.place);
        let finding =
            shared_findings::target_above_limit(resource, resource, &in_unit(most), &in_unit(goal))
                .fact("limit per pod", milli_text(limit))
                .fact("request per pod", milli_text(request))
                .fact("the pod template", place)
                .at_most(Severity::Warning);
        findings.push(at(metric.field.clone(), finding));
    }
}
