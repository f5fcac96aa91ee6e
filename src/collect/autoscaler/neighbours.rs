//! The other HPAs of the namespace, with the selector that the controller
//! remembers for each: several HPAs on the same pods disable each other
//! (`validateAndParseSelector`, 1.26 and later).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_util::future::join_all;
use tokio::sync::SetOnce;

use crate::api::{
    Answered, ConditionKind, ConditionReason, CrossVersionObjectReference, HorizontalPodAutoscaler,
    HpaStatus, ReadFailure, Workload, wire_text,
};
use crate::collect::cluster::{Cluster, not_read};
use crate::collect::request::{Resource, list};
use crate::document::snapshot::{NotRead, OtherAutoscaler, Part};

/// Of how many kinds the workloads are listed for somebody who waits.
const MOST_LISTS: usize = 2;

/// The other HPAs of a namespace, and their targets.
pub struct Neighbours<'c> {
    cluster: &'c Cluster<'c>,
    namespace: &'c str,
    name: &'c str,
    autoscalers: SetOnce<Answered<Rc<[HorizontalPodAutoscaler]>>>,
    /// The workloads by plural, of those kinds that other HPAs scale.
    workloads: RefCell<BTreeMap<String, Answered<Vec<Workload>>>>,
}

/// Whether the conditions say that the controller has got as far as the pod
/// selector.
pub fn has_registered(status: &HpaStatus) -> bool {
    let active = status.condition(ConditionKind::ScalingActive);
    active.is_some_and(|active| {
        !matches!(
            active.reason.known(),
            Some(ConditionReason::ScalingDisabled | ConditionReason::InvalidSelector)
        )
    })
}

impl<'c> Neighbours<'c> {
    /// Nothing is known yet.
    pub fn new(cluster: &'c Cluster<'c>, namespace: &'c str, name: &'c str) -> Self {
        Self {
            cluster,
            namespace,
            name,
            autoscalers: SetOnce::new(),
            workloads: RefCell::default(),
        }
    }

    /// Reads the HPAs; then a list of each kind of workload that another HPA
    /// scales.
    pub async fn read(&self) {
        let listed = match self.cluster.autoscalers(self.namespace).await {
            Ok(listed) => Answered::Response(listed),
            Err(error) => Answered::Unreadable(error.failure()),
        };
        _ = self.autoscalers.set(listed);
        join_all(self.resources().into_iter().map(async |resource| {
            let endpoint = resource.list(Some(self.namespace), &[]);
            let workloads = list(self.cluster.reader, &endpoint).await;
            self.workloads
                .borrow_mut()
                .insert(resource.plural, workloads);
        }))
        .await;
    }

    fn others(&self) -> impl Iterator<Item = &HorizontalPodAutoscaler> {
        let listed = self.autoscalers.get();
        let listed = listed.and_then(Answered::response);
        let listed = listed.into_iter().flat_map(|listed| listed.iter());
        listed.filter(|other| other.metadata.name != self.name && has_registered(&other.status))
    }

    /// The kinds of workload that other HPAs scale, as many as are listed. An
    /// HPA of the own target selects the same pods, which needs no list.
    fn resources(&self) -> Vec<Resource> {
        let own = self.own_target();
        let foreign = self
            .others()
            .map(target)
            .filter(|target| own.is_none_or(|own| !target.is_same_target(own)));
        let mut resources: Vec<Resource> = foreign.filter_map(Resource::built_in).collect();
        // Hardly anybody scales the others, which do not come first.
        let rank = |plural: &str| !matches!(plural, "deployments" | "statefulsets");
        resources.sort_by_cached_key(|it| (rank(&it.plural), it.plural.clone()));
        resources.dedup();
        if !self.cluster.is_patient() {
            resources.truncate(MOST_LISTS);
        }
        resources
    }

    fn own_target(&self) -> Option<&CrossVersionObjectReference> {
        let listed = self.autoscalers.get()?.response()?;
        let own = listed.iter().find(|one| one.metadata.name == self.name)?;
        Some(target(own))
    }

    /// Whether the target is among the workloads that are read anyway, once
    /// that is known.
    pub async fn list(&self, resource: &Resource, target: &CrossVersionObjectReference) -> bool {
        self.autoscalers.wait().await;
        self.own_target()
            .is_some_and(|own| own.is_same_target(target))
            && self.resources().contains(resource)
    }

    /// A workload as the lists show it, or why they are not there; neither if they
    /// do not have it. Nothing if its kind is not listed.
    pub fn listed(
        &self,
        target: &CrossVersionObjectReference,
    ) -> Option<(Option<Workload>, Option<NotRead>)> {
        let resource = Resource::built_in(target)?;
        let workloads = self.workloads.borrow();
        let answer = workloads.get(&resource.plural)?;
        if let Some(missing) = not_read(Part::Target, Some(answer)) {
            return Some((None, Some(missing)));
        }
        let mut list = answer.response().into_iter().flatten();
        let found = list.find(|workload| workload.metadata.name == target.name);
        Some((found.cloned(), None))
    }

    /// The selector of each other HPA, and why some are missing.
    pub fn selectors(
        &self,
        own: &CrossVersionObjectReference,
        own_selector: Option<&str>,
    ) -> (Vec<OtherAutoscaler>, Vec<NotRead>) {
        let unlisted = not_read(Part::OtherAutoscalers, self.autoscalers.get());
        let mut reasons: Vec<ReadFailure> = unlisted.into_iter().map(|it| it.reason).collect();
        let mut found = Vec::new();
        for other in self.others() {
            let selector = if target(other).is_same_target(own) {
                Ok(own_selector.map(str::to_owned))
            } else {
                self.selector(target(other))
            };
            match selector {
                Ok(Some(selector)) => found.push(OtherAutoscaler {
                    namespace: self.namespace.to_owned(),
                    name: other.metadata.name.to_string(),
                    selector,
                }),
                Ok(None) => {}
                Err(reason) => reasons.push(reason),
            }
        }
        reasons.sort_by(|a, b| a.text.cmp(&b.text));
        reasons.dedup();
        let missing = reasons.into_iter();
        let missing = missing.map(|reason| NotRead::new(Part::OtherAutoscalers, reason));
        (found, missing.collect())
    }

    /// The selector of a workload, none of one that is not there; or why that
    /// is not known.
    fn selector(
        &self,
        target: &CrossVersionObjectReference,
    ) -> Result<Option<String>, ReadFailure> {
        let is_listed =
            Resource::built_in(target).is_some_and(|resource| self.resources().contains(&resource));
        if !is_listed {
            let text = format!("{}/{}: not asked for", target.kind, target.name);
            return Err(ReadFailure::not_read(text));
        }
        let found = match self.listed(target) {
            Some((_, Some(missing))) => return Err(missing.reason),
            Some((found, None)) => found,
            None => return Err(ReadFailure::not_read("not waited for")),
        };
        let selector = found.and_then(|workload| workload.spec.selector);
        Ok(selector.and_then(|selector| wire_text(Some(&selector)).ok()))
    }
}

/// The HPAs that the controller itself found on the same pods, by its last
/// word on it: some of them may not be known otherwise.
pub fn reported(hpa: &HorizontalPodAutoscaler, selector: &str) -> Vec<OtherAutoscaler> {
    let mut conditions = hpa.status.conditions.iter();
    let ambiguous =
        conditions.find(|condition| condition.reason == ConditionReason::AmbiguousSelector);
    let message = ambiguous.map_or("", |condition| condition.message.as_str());
    let listed = message.rsplit_once('[').map_or("", |(_, listed)| listed);
    let names = listed.trim_end_matches(']').split(' ');
    let others = names.filter_map(|name| name.split_once('/'));
    others
        .filter(|(namespace, name)| {
            *namespace == hpa.metadata.namespace && *name != hpa.metadata.name
        })
        .map(|(namespace, name)| OtherAutoscaler {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            selector: selector.to_owned(),
        })
        .collect()
}

fn target(hpa: &HorizontalPodAutoscaler) -> &CrossVersionObjectReference {
    &hpa.spec.scale_target_ref
}
