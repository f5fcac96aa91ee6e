//! The other HPAs of the namespace, with the selector that the controller
//! remembers for each: several HPAs on the same pods disable each other
//! (`validateAndParseSelector`, 1.26 and later).

use std::cell::RefCell;
use std::collections::BTreeMap;

use futures_util::future::join_all;
use serde::Deserialize;
use tokio::sync::SetOnce;

use crate::snapshot::{
    Answered, CrossVersionObjectReference, HpaCondition, NotRead, OtherAutoscaler, Part, Workload,
    wire_text,
};

use super::cluster::not_read;
use super::pages::list;
use super::paths::{self, Resource};
use super::reader::Reader;

/// The other HPAs of a namespace, and their targets.
pub struct Neighbours<'c> {
    reader: &'c Reader,
    namespace: &'c str,
    name: &'c str,
    autoscalers: SetOnce<Answered<Vec<Autoscaler>>>,
    /// The workloads by plural, of those kinds that other HPAs scale.
    workloads: RefCell<BTreeMap<String, Answered<Vec<Workload>>>>,
}

/// An HPA, as far as who it is and what it scales.
#[derive(Debug, Deserialize)]
pub struct Autoscaler {
    /// Its name.
    pub metadata: Named,
    /// Its target.
    pub spec: Spec,
    #[serde(default)]
    status: Status,
}

/// The name of an object.
#[derive(Debug, Deserialize)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The namespace.
    #[serde(default)]
    pub namespace: String,
}

/// The target of an HPA.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    /// The target.
    pub scale_target_ref: CrossVersionObjectReference,
}

#[derive(Debug, Default, Deserialize)]
struct Status {
    #[serde(default)]
    conditions: Option<Vec<HpaCondition>>,
}

impl Autoscaler {
    fn target(&self) -> &CrossVersionObjectReference {
        &self.spec.scale_target_ref
    }

    /// Whether the controller has got as far as its selector: an HPA that
    /// never did is remembered with none.
    fn has_registered(&self) -> bool {
        has_registered(self.status.conditions.as_deref().unwrap_or_default())
    }
}

/// Whether the conditions say that the controller has got as far as the pod
/// selector.
pub fn has_registered(conditions: &[HpaCondition]) -> bool {
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

impl<'c> Neighbours<'c> {
    /// Nothing is known yet.
    pub fn new(reader: &'c Reader, namespace: &'c str, name: &'c str) -> Self {
        Self {
            reader,
            namespace,
            name,
            autoscalers: SetOnce::new(),
            workloads: RefCell::default(),
        }
    }

    /// Reads the HPAs; then a list of each kind of workload that another HPA
    /// scales.
    pub async fn read(&self) {
        let asked = paths::autoscalers(Some(self.namespace), "");
        _ = self.autoscalers.set(list(self.reader, &asked).await);
        join_all(self.resources().into_values().map(async |resource| {
            let asked = paths::workloads(&resource, Some(self.namespace));
            let workloads = list(self.reader, &asked).await;
            self.workloads
                .borrow_mut()
                .insert(resource.plural, workloads);
        }))
        .await;
    }

    fn others(&self) -> impl Iterator<Item = &Autoscaler> {
        let listed = self.autoscalers.get();
        let listed = listed.and_then(|listed| listed.response.as_deref());
        let listed = listed.unwrap_or_default().iter();
        listed.filter(|other| other.metadata.name != self.name && other.has_registered())
    }

    /// The kinds of workload that other HPAs scale. An HPA of the own target
    /// selects the same pods, which needs no list.
    fn resources(&self) -> BTreeMap<String, Resource> {
        let own = self.own_target();
        let foreign = self
            .others()
            .map(Autoscaler::target)
            .filter(|target| own.is_none_or(|own| !is_same(target, own)));
        let resources = foreign.filter_map(Resource::built_in);
        resources
            .map(|resource| (resource.plural.clone(), resource))
            .collect()
    }

    fn own_target(&self) -> Option<&CrossVersionObjectReference> {
        let listed = self.autoscalers.get()?.response.as_deref()?;
        let own = listed.iter().find(|one| one.metadata.name == self.name)?;
        Some(own.target())
    }

    /// Whether the target is among the workloads that are read anyway, once
    /// that is known.
    pub async fn list(&self, resource: &Resource, target: &CrossVersionObjectReference) -> bool {
        self.autoscalers.wait().await;
        self.own_target().is_some_and(|own| is_same(own, target))
            && self.resources().contains_key(&resource.plural)
    }

    /// A workload as the lists show it: none if it is not there. Nothing if
    /// its kind is not listed.
    pub fn listed(
        &self,
        target: &CrossVersionObjectReference,
    ) -> Option<Result<Option<Workload>, NotRead>> {
        let resource = Resource::built_in(target)?;
        let workloads = self.workloads.borrow();
        let answer = workloads.get(&resource.plural)?;
        if let Some(missing) = not_read(Part::Target, Some(answer)) {
            return Some(Err(missing));
        }
        let mut list = answer.response.iter().flatten();
        let found = list.find(|workload| workload.metadata.name == target.name);
        Some(Ok(found.cloned()))
    }

    /// The selector of each other HPA, and why one is missing.
    pub fn selectors(
        &self,
        own: &CrossVersionObjectReference,
        own_selector: Option<&str>,
    ) -> (Vec<OtherAutoscaler>, Option<NotRead>) {
        let mut missing = not_read(Part::OtherAutoscalers, self.autoscalers.get());
        let mut found = Vec::new();
        for other in self.others() {
            let selector = if is_same(other.target(), own) {
                Ok(own_selector.map(str::to_owned))
            } else {
                self.selector(other.target())
            };
            match selector {
                Ok(Some(selector)) => found.push(OtherAutoscaler {
                    namespace: self.namespace.to_owned(),
                    name: other.metadata.name.clone(),
                    selector,
                }),
                Ok(None) => {}
                Err(reason) => {
                    missing.get_or_insert(reason);
                }
            }
        }
        (found, missing)
    }

    /// The selector of a workload; none of one that is not there.
    fn selector(&self, target: &CrossVersionObjectReference) -> Result<Option<String>, NotRead> {
        let missing = |reason: String| NotRead {
            part: Part::OtherAutoscalers,
            reason,
        };
        if Resource::built_in(target).is_none() {
            let (kind, name) = (&target.kind, &target.name);
            return Err(missing(format!("{kind}/{name}: not asked for")));
        }
        let listed = self.listed(target);
        let found = listed.unwrap_or_else(|| Err(missing("not waited for".to_owned())));
        let found = found.map_err(|other| missing(other.reason))?;
        let selector = found.and_then(|workload| workload.spec.selector);
        Ok(selector.and_then(|selector| wire_text(Some(&selector)).ok()))
    }
}

/// Whether two references lead to the same object.
pub fn is_same(one: &CrossVersionObjectReference, other: &CrossVersionObjectReference) -> bool {
    one.kind == other.kind
        && one.name == other.name
        && paths::group_of(&one.api_version) == paths::group_of(&other.api_version)
}
