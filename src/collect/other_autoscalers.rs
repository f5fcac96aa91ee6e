//! The other HPAs of the namespace, with the selector that the controller
//! remembers for each.

use futures_util::future::join;
use serde::Deserialize;

use crate::snapshot::{
    Answered, CrossVersionObjectReference, HorizontalPodAutoscaler, HpaCondition, LabelSelector,
    OtherAutoscaler, wire_text,
};

use super::paths;
use super::reader::Reader;

/// HPAs, as far as who they are and what they scale.
#[derive(Debug, Deserialize)]
pub struct Listed {
    #[serde(default)]
    items: Vec<Other>,
}

#[derive(Debug, Deserialize)]
struct Other {
    metadata: Named,
    spec: OtherSpec,
    #[serde(default)]
    status: OtherStatus,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OtherSpec {
    scale_target_ref: CrossVersionObjectReference,
}

#[derive(Debug, Default, Deserialize)]
struct OtherStatus {
    #[serde(default)]
    conditions: Option<Vec<HpaCondition>>,
}

impl Other {
    /// Whether the controller has got as far as its selector: an HPA that
    /// never did is remembered with none.
    fn has_registered(&self) -> bool {
        let conditions = self.status.conditions.as_deref().unwrap_or_default();
        let active = conditions
            .iter()
            .find(|condition| condition.kind == "ScalingActive");
        active.is_some_and(|active| {
            !matches!(
                active.reason.as_str(),
                "ScalingDisabled" | "InvalidSelector"
            )
        })
    }
}

/// Workloads, as far as which pods they select.
#[derive(Debug, Deserialize)]
struct Workloads {
    #[serde(default)]
    items: Vec<Workload>,
}

#[derive(Debug, Deserialize)]
struct Workload {
    metadata: Named,
    spec: WorkloadSpec,
}

#[derive(Debug, Deserialize)]
struct WorkloadSpec {
    selector: LabelSelector,
}

/// Reads the selectors of those HPAs that could conflict. An HPA of the same
/// target selects the same pods; for the rest, one list of each kind of
/// workload tells.
pub async fn read(
    reader: &Reader,
    own: &HorizontalPodAutoscaler,
    selector: Option<&str>,
    listed: &Answered<Listed>,
) -> Vec<OtherAutoscaler> {
    let items = listed.response.as_ref().map_or(&[][..], |list| &list.items);
    let others: Vec<&Other> = items
        .iter()
        .filter(|other| other.metadata.name != own.metadata.name && other.has_registered())
        .collect();
    let namespace = &own.metadata.namespace;
    let (deployments, stateful_sets) = join(
        workloads(
            reader,
            namespace,
            "Deployment",
            &others,
            &own.spec.scale_target_ref,
        ),
        workloads(
            reader,
            namespace,
            "StatefulSet",
            &others,
            &own.spec.scale_target_ref,
        ),
    )
    .await;
    let selector_of = |target: &CrossVersionObjectReference| {
        if is_same(target, &own.spec.scale_target_ref) {
            return selector.map(str::to_owned);
        }
        let workloads = match target.kind.as_str() {
            "Deployment" => &deployments,
            "StatefulSet" => &stateful_sets,
            _ => return None,
        };
        let workload = workloads
            .iter()
            .find(|workload| workload.metadata.name == target.name)?;
        wire_text(Some(&workload.spec.selector)).ok()
    };
    let found = others.into_iter().filter_map(|other| {
        Some(OtherAutoscaler {
            namespace: namespace.to_string(),
            name: other.metadata.name.clone(),
            selector: selector_of(&other.spec.scale_target_ref)?,
        })
    });
    found.collect()
}

fn is_same(one: &CrossVersionObjectReference, other: &CrossVersionObjectReference) -> bool {
    one.kind == other.kind
        && one.name == other.name
        && paths::group_of(&one.api_version) == paths::group_of(&other.api_version)
}

/// The workloads of a kind, unless no other HPA scales one.
async fn workloads(
    reader: &Reader,
    namespace: &str,
    kind: &str,
    others: &[&Other],
    own: &CrossVersionObjectReference,
) -> Vec<Workload> {
    let targets = others.iter().map(|other| &other.spec.scale_target_ref);
    let mut foreign = targets.filter(|target| !is_same(target, own));
    if !foreign.any(|target| target.kind == kind) {
        return Vec::new();
    }
    let list: Answered<Workloads> = reader.ask(&paths::workloads(namespace, kind)).await;
    list.response.map_or_else(Vec::new, |list| list.items)
}
