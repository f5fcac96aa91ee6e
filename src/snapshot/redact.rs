//! A snapshot to hand on: without what nobody needs to explain it.
//!
//! What a snapshot does not model never gets into one: the environment, the
//! commands and the arguments of containers, volumes, secrets. What is taken
//! out here is what the algorithm does not read, so the Trace stays the same.
//! Sentences that it reports are not touched: the conditions and events of the
//! HPA, and the errors of metrics. Names of objects and labels stay as well.

use std::sync::Arc;

use super::Snapshot;
use super::aliases::Aliases;
use crate::api::object::LAST_APPLIED;
use crate::api::{Lease, OwnerReference, Pod, Workload};

impl Snapshot {
    /// The snapshot with images and nodes hashed, without the labels of
    /// external series and without annotations, but for the size that was
    /// last applied. A redacted snapshot is left as it is.
    pub fn redacted(mut self) -> Self {
        if self.provenance.redacted {
            return self;
        }
        let uid = self.horizontal_pod_autoscaler.metadata.uid.take();
        let mut aliases = Aliases::new(uid.as_deref());
        for pod in &mut self.pods {
            hash_names(pod, &mut aliases);
        }
        for pod in &mut self.pods {
            hash_in_messages(pod, &aliases);
        }
        for event in &mut self.events {
            if let Some(uid) = &mut event.involved_object.uid {
                *uid = aliases.uid(uid);
            }
        }
        for workload in self.target.iter_mut().chain(&mut self.replica_sets) {
            drop_annotations(workload);
        }
        let external = self.metrics.external.iter_mut();
        for list in external.filter_map(|metric| metric.answer.response_mut()) {
            for item in &mut list.items {
                item.metric_labels.clear();
            }
        }
        if let Some(lease) = &mut self.controller_lease {
            hash_holder(lease, &mut aliases);
        }
        self.provenance.redacted = true;
        self
    }
}

fn hash_names(pod: &mut Pod, aliases: &mut Aliases) {
    let spec = &mut pod.spec;
    if let Some(node) = &mut spec.node_name {
        *node = aliases.node(node);
    }
    let containers = Arc::make_mut(&mut spec.containers).iter_mut();
    for container in containers.chain(&mut spec.init_containers) {
        if let Some(image) = &mut container.image {
            *image = aliases.image(image);
        }
    }
    // The pods of a node's own manifests belong to the node.
    let is_node = |owner: &&mut OwnerReference| owner.kind == "Node";
    let owners = Arc::make_mut(&mut pod.metadata.owner_references);
    for owner in owners.iter_mut().filter(is_node) {
        owner.name = aliases.node(&owner.name).into();
    }
}

/// Only once all names are known: a pod's message can name another's node.
fn hash_in_messages(pod: &mut Pod, aliases: &Aliases) {
    let conditions = pod.status.conditions.iter_mut();
    for message in conditions.flat_map(|condition| &mut condition.message) {
        *message = aliases.in_text(message);
    }
}

fn drop_annotations(workload: &mut Workload) {
    let annotations = &mut workload.metadata.annotations;
    annotations.retain(|name, _| name == LAST_APPLIED);
}

/// A manager calls itself after its host, `HOST_UID`.
fn hash_holder(lease: &mut Lease, aliases: &mut Aliases) {
    if let Some(holder) = &mut lease.spec.holder_identity {
        *holder = match holder.rsplit_once('_') {
            Some((host, id)) => format!("{}_{id}", aliases.node(host)),
            None => aliases.node(holder).into(),
        };
    }
}
