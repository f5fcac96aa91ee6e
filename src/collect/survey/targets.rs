//! The targets of many HPAs: the scales of built-in kinds follow from lists
//! of the workloads, as the API server derives them; where a custom kind
//! keeps its selector no list can tell, so each of those is asked for.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::stream::{self, StreamExt};

use super::spread::{Namespaces, Permits, Spread, objects, spread};
use super::{AT_ONCE, NOT_FOR_A_LIST};
use crate::api::{
    AnswerError, AnswerErrorKind, Answered, CrossVersionObjectReference, HorizontalPodAutoscaler,
    ReadFailure, Scale, ScaleSpec, ScaleStatus, Workload, wire_text,
};
use crate::collect::request::Resource;
use crate::collect::target::{Mapped, resource, scale};

/// The target of an HPA.
pub struct Target {
    pub scale: Answered<Scale>,
    /// The object itself, or none if it is not there.
    pub workload: Result<Option<Workload>, ReadFailure>,
}

/// Reads the target of each HPA, in their order.
pub async fn targets(
    permits: &Permits<'_>,
    autoscalers: &[HorizontalPodAutoscaler],
    whole: bool,
) -> Vec<Target> {
    let mapped = custom_kinds(permits, autoscalers).await;
    let resource_of = |reference: &CrossVersionObjectReference| {
        let custom = || mapped.get(&kind(reference))?.as_ref().ok().cloned();
        listed(reference).or_else(|| custom().filter(|_| whole))
    };
    let lists = workloads(permits, autoscalers, resource_of).await;
    let targets = stream::iter(autoscalers).map(async |hpa| {
        let reference = &hpa.spec.scale_target_ref;
        let namespace = hpa.metadata.namespace.as_str();
        if let Some(resource) = listed(reference) {
            let list = lists.get(&resource.qualified());
            let list = list.and_then(|list| list.get(namespace));
            return from_list(list, &resource, &reference.name);
        }
        let list = resource_of(reference).and_then(|it| lists.get(&it.qualified()));
        let list = list.and_then(|list| list.get(namespace));
        Target {
            scale: scale(
                &*permits.next().await,
                namespace,
                &reference.name,
                &mapped[&kind(reference)],
            )
            .await,
            workload: match list {
                Some(list) => found(list, &reference.name).map(Option::<&Workload>::cloned),
                None if whole => Ok(None),
                None => Err(ReadFailure::not_read(NOT_FOR_A_LIST)),
            },
        }
    });
    targets.buffered(AT_ONCE).collect().await
}

/// The resource of a built-in kind that has a scale.
fn listed(reference: &CrossVersionObjectReference) -> Option<Resource> {
    Resource::built_in(reference).filter(|resource| {
        matches!(
            resource.qualified().as_str(),
            "deployments.apps"
                | "statefulsets.apps"
                | "replicasets.apps"
                | "replicationcontrollers"
        )
    })
}

/// The workloads that the HPAs scale, by plural.
async fn workloads(
    permits: &Permits<'_>,
    autoscalers: &[HorizontalPodAutoscaler],
    resource_of: impl Fn(&CrossVersionObjectReference) -> Option<Resource>,
) -> BTreeMap<String, Spread<Workload>> {
    let mut requested: BTreeMap<String, (Resource, BTreeSet<_>)> = BTreeMap::new();
    for hpa in autoscalers {
        let reference = &hpa.spec.scale_target_ref;
        let Some(resource) = resource_of(reference) else {
            continue;
        };
        let kind = requested.entry(resource.qualified());
        let (_, names) = kind.or_insert_with(|| (resource, BTreeSet::new()));
        names.insert((hpa.metadata.namespace.as_str(), reference.name.as_str()));
    }
    let lists = stream::iter(requested).map(async |(name, (resource, names))| {
        let namespaces: Namespaces = names.iter().map(|(own, _)| (*own).to_owned()).collect();
        let list = spread(&namespaces, async |namespace| {
            let endpoint = resource.list(namespace, &[]);
            objects(permits, &endpoint, |workload: &Workload| {
                let own = &workload.metadata;
                names.contains(&(own.namespace.as_str(), own.name.as_str()))
            })
            .await
        });
        (name, list.await)
    });
    lists.buffered(AT_ONCE).collect().await
}

type Kind = (String, String);

fn kind(reference: &CrossVersionObjectReference) -> Kind {
    (reference.api_version.clone(), reference.kind.clone())
}

/// The resources of the custom kinds, each looked up once.
async fn custom_kinds(
    permits: &Permits<'_>,
    autoscalers: &[HorizontalPodAutoscaler],
) -> BTreeMap<Kind, Mapped> {
    let references = autoscalers.iter().map(|hpa| &hpa.spec.scale_target_ref);
    let custom: BTreeMap<Kind, &CrossVersionObjectReference> = references
        .filter(|reference| listed(reference).is_none())
        .map(|reference| (kind(reference), reference))
        .collect();
    let mapped = stream::iter(custom)
        .map(async |(kind, reference)| (kind, resource(&*permits.next().await, reference).await));
    mapped.buffered(AT_ONCE).collect().await
}

/// The target as the list of its namespace shows it.
fn from_list(list: Option<&Answered<Vec<Workload>>>, resource: &Resource, name: &str) -> Target {
    let nothing = Answered::Response(Vec::new());
    let workload = match found(list.unwrap_or(&nothing), name) {
        Ok(workload) => workload,
        Err(reason) => {
            return Target {
                scale: Answered::Unreadable(reason.clone()),
                workload: Err(reason),
            };
        }
    };
    Target {
        scale: match workload {
            Some(workload) => scale_of(workload),
            // The API server's words for a scale of nothing.
            None => Answered::Error(AnswerError::new(
                AnswerErrorKind::NotFound(name.to_owned()),
                format!("{} {name:?} not found", resource.qualified()),
            )),
        },
        workload: Ok(workload.cloned()),
    }
}

/// The object of a name.
fn found<'l>(
    list: &'l Answered<Vec<Workload>>,
    name: &str,
) -> Result<Option<&'l Workload>, ReadFailure> {
    if let Some(reason) = list.failure() {
        return Err(reason);
    }
    let mut items = list.response().into_iter().flatten();
    Ok(items.find(|workload| workload.metadata.name == name))
}

/// The Scale that the API server would return (registry
/// `scaleFromDeployment` and its like for the other kinds).
fn scale_of(workload: &Workload) -> Answered<Scale> {
    match wire_text(workload.spec.selector.as_ref()) {
        Ok(selector) => Answered::Response(Scale {
            other_kind: None,
            spec: ScaleSpec {
                replicas: workload.spec.replicas.unwrap_or_default(),
            },
            status: ScaleStatus {
                replicas: workload.status.replicas.unwrap_or_default(),
                selector,
            },
        }),
        Err(error) => Answered::Error(AnswerError::new(AnswerErrorKind::Other, error.to_string())),
    }
}
