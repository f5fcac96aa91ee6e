//! What the pods request (`calculateRequests`, `calculatePodRequests`).

use std::cmp::Ordering;

use crate::api::names::is_huge_page;
use crate::api::{Container, Pod, Quantity};
use crate::controller::conditions::Complaint;
use crate::controller::go::{milli_value, wrap_i64};
use crate::controller::release::Switch;
use crate::controller::settings::Settings;
use crate::trace::FailureCause;

/// The request of every selected pod in thousandths, or the first complaint.
///
/// Pods that will be ignored, or never ran, must have a request all the same.
pub(super) fn calculate(
    pods: &[&Pod],
    resource: &str,
    container: Option<&str>,
    settings: &Settings,
) -> Result<Vec<i64>, Complaint> {
    let pods = pods.iter();
    pods.map(|pod| of_pod(pod, resource, container, settings))
        .collect()
}

/// What a pod requests of a resource in thousandths, as a metric of the whole
/// pod or of one container takes it; `None` where the controller complains.
pub fn pod_request(
    pod: &Pod,
    resource: &str,
    container: Option<&str>,
    settings: &Settings,
) -> Option<i64> {
    of_pod(pod, resource, container, settings).ok()
}

fn of_pod(
    pod: &Pod,
    resource: &str,
    container: Option<&str>,
    settings: &Settings,
) -> Result<i64, Complaint> {
    match container {
        Some(container) => of_container(pod, resource, container, settings),
        None if is_pod_level(pod, settings) => at_pod_level(pod, resource, settings),
        None => of_containers(pod, resource, settings),
    }
}

/// Every request of a pod that the controller would complain about
/// (`calculatePodRequests`), not only the first: of a resource of all its
/// containers, or of one.
pub fn missing_requests(
    pod: &Pod,
    resource: &str,
    container: Option<&str>,
    settings: &Settings,
) -> Vec<FailureCause> {
    let complaints: Vec<Complaint> = match container {
        Some(name) => of_container(pod, resource, name, settings)
            .err()
            .into_iter()
            .collect(),
        None if is_pod_level(pod, settings) => at_pod_level(pod, resource, settings)
            .err()
            .into_iter()
            .collect(),
        None => counted(pod, settings)
            .filter_map(|container| request(pod, container, resource, settings).err())
            .collect(),
    };
    complaints.into_iter().map(|it| it.cause).collect()
}

/// The sum over containers and, since 1.29, sidecars; each must have one.
fn of_containers(pod: &Pod, resource: &str, settings: &Settings) -> Result<i64, Complaint> {
    let mut total = 0;
    for container in counted(pod, settings) {
        total += i128::from(request(pod, container, resource, settings)?);
    }
    Ok(wrap_i64(total))
}

fn of_container(
    pod: &Pod,
    resource: &str,
    name: &str,
    settings: &Settings,
) -> Result<i64, Complaint> {
    match counted(pod, settings).find(|container| container.name == name) {
        Some(container) => request(pod, container, resource, settings),
        None if settings.release.has(Switch::ContainerRequired) => Err(Complaint::new(
            format!("container {name} not found in Pod {}", pod.metadata.name),
            FailureCause::ContainerNotFound {
                container: name.to_owned(),
                pod: pod.metadata.name.to_string(),
            },
        )),
        None => Ok(0),
    }
}

fn counted<'p>(pod: &'p Pod, settings: &Settings) -> impl Iterator<Item = &'p Container> {
    let sidecars = settings.release.has(Switch::SidecarRequests);
    let init_containers = pod.spec.init_containers.iter();
    let sidecars = init_containers.filter(move |container| sidecars && container.is_sidecar());
    pod.spec.containers.iter().chain(sidecars)
}

fn request(
    pod: &Pod,
    container: &Container,
    resource: &str,
    settings: &Settings,
) -> Result<i64, Complaint> {
    let Some(request) = container.request(resource) else {
        let (name, of) = (&container.name, &pod.metadata.name);
        let text = if settings.release.has(Switch::RequestsAfterSamples) {
            format!("missing request for {resource} in container {name} of Pod {of}")
        } else {
            format!("missing request for {resource}")
        };
        let cause = missing(pod, resource, Some(container));
        return Err(Complaint::new(text, cause));
    };
    Ok(milli_value(request, settings.release))
}

fn missing(pod: &Pod, resource: &str, container: Option<&Container>) -> FailureCause {
    FailureCause::MissingRequest {
        resource: resource.to_owned(),
        pod: pod.metadata.name.to_string(),
        container: container.map(|container| container.name.to_string()),
    }
}

/// Whether the pod itself requests something that pods can request. A
/// request for memory moves cpu to the pod's level, too.
fn is_pod_level(pod: &Pod, settings: &Settings) -> bool {
    let supported = |name: &str| matches!(name, "cpu" | "memory") || is_huge_page(name);
    settings.gates.pod_level_resources
        && pod
            .spec
            .resources
            .as_ref()
            .is_some_and(|resources| resources.requests.keys().any(|name| supported(name)))
}

/// The pod's aggregate request, in which a container without one counts as
/// nothing (component-helpers' `PodRequests`).
fn at_pod_level(pod: &Pod, resource: &str, settings: &Settings) -> Result<i64, Complaint> {
    let own = pod
        .spec
        .resources
        .as_ref()
        .and_then(|r| r.requests.get(resource));
    let mut total = match own {
        Some(own) => Some(own.clone()),
        None => larger(
            running_sum(pod, resource),
            initialization_peak(pod, resource),
        ),
    };
    if !settings.release.has(Switch::OverheadExcluded) {
        total = sum(total, pod.spec.overhead.get(resource));
    }
    total
        .map(|total| milli_value(&total, settings.release))
        .ok_or_else(|| {
            let text = format!(
                "missing pod-level request for {resource} in Pod {}",
                pod.metadata.name
            );
            Complaint::new(text, missing(pod, resource, None))
        })
}

/// What the pod needs once it runs: containers and sidecars.
fn running_sum(pod: &Pod, resource: &str) -> Option<Quantity> {
    let sidecars = pod.spec.init_containers.iter().filter(|c| c.is_sidecar());
    let running = pod.spec.containers.iter().chain(sidecars);
    running.fold(None, |total, container| {
        sum(total, container.request(resource))
    })
}

/// The most that the pod needs while it initializes: each init container
/// beside the sidecars that were started before it.
fn initialization_peak(pod: &Pod, resource: &str) -> Option<Quantity> {
    let (mut peak, mut sidecars) = (None, None);
    for container in &pod.spec.init_containers {
        let request = container.request(resource);
        let needed = if container.is_sidecar() {
            sidecars = sum(sidecars, request);
            sidecars.clone()
        } else {
            sum(sidecars.clone(), request)
        };
        peak = larger(peak, needed);
    }
    peak
}

fn sum(total: Option<Quantity>, more: Option<&Quantity>) -> Option<Quantity> {
    match (total, more) {
        (Some(total), Some(more)) => Some(total.add(more)),
        (total, more) => total.or_else(|| more.cloned()),
    }
}

fn larger(one: Option<Quantity>, other: Option<Quantity>) -> Option<Quantity> {
    match (one, other) {
        (Some(one), Some(other)) if one.cmp_value(&other) == Ordering::Less => Some(other),
        (one, other) => one.or(other),
    }
}
