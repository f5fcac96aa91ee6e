//! The nodes, and what the pods of all namespaces take of them, where somebody asks for
//! them.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join;

use crate::api::{
    Amounts, Format, LabelSelector, Node, NodeWithPods, Nodes, OS_LABEL, PlacedPod,
    PodAffinityTerm, PodConditionKind, PodDemand, PodTemplateSpec, Quantity, ReadFailure,
    RoomParts, amounts_of, as_scheduled, raise,
};
use crate::collect::request::{Reader, each_of, list, paths};
use crate::snapshot::{NotRead, Part, Snapshot};

/// Reads the nodes and the pods of all namespaces, of which no more than a sum a node
/// is kept; into the snapshot of an HPA of which there is a reason to ask.
pub async fn read_nodes(reader: &Reader, snapshot: &mut Snapshot) {
    let Some(room) = snapshot.room.take() else {
        return;
    };
    let mut taken = Taken::of(snapshot);
    let endpoint = paths::all_pods();
    let pods = each_of(reader, &endpoint, |pod, _| taken.add(&pod));
    let endpoint = paths::nodes();
    let (nodes, pods) = join(list::<Node>(reader, &endpoint), pods).await;
    let pods = pods.map_err(|error| error.failure());
    let failure = nodes.failure().or(pods.err());
    let nodes = nodes.response().filter(|_| failure.is_none());
    let read = nodes.map(|nodes| taken.into_nodes(nodes));
    let too_large = || ReadFailure::not_read("an amount is too large");
    let reason = failure.or_else(|| matches!(read, Some(None)).then(too_large));
    let missing = reason.map(|reason| NotRead::new(Part::Nodes, reason));
    snapshot.provenance.not_read.extend(missing);
    snapshot.room = Some(RoomParts {
        nodes: read.flatten(),
        ..room
    });
}

/// What the pods of all namespaces take, summed as they come.
struct Taken<'s> {
    namespace: String,
    own: BTreeSet<String>,
    template: Option<&'s PodTemplateSpec>,
    /// By node: how many pods, and what they request.
    by_node: BTreeMap<String, (i64, Amounts)>,
    nodes: Nodes,
    is_too_large: bool,
}

impl<'s> Taken<'s> {
    fn of(snapshot: &'s Snapshot) -> Self {
        let target = snapshot.target.as_ref();
        let own = snapshot
            .pods
            .iter()
            .map(|pod| pod.metadata.name.to_string());
        Self {
            namespace: snapshot.hpa.metadata.namespace.to_string(),
            own: own.collect(),
            template: target.and_then(|it| it.spec.template.as_ref()?.spec.as_ref()),
            by_node: BTreeMap::new(),
            nodes: Nodes::default(),
            is_too_large: false,
        }
    }

    fn add(&mut self, pod: &PlacedPod) {
        if pod.has_ended() {
            return;
        }
        let is_here = pod.metadata.namespace == *self.namespace;
        let is_own = is_here && self.own.contains(pod.metadata.name.as_str());
        let priority = pod.spec.priority.unwrap_or_default();
        if is_own {
            let known = &mut self.nodes.own_priority;
            *known = Some(known.map_or(priority, |known| known.max(priority)));
            let template = self.template;
            self.nodes.own_differ |= template.is_some_and(|it| !it.is_placed_as(&pod.spec));
            let limit = || pod.spec.further_limit().map(str::to_owned);
            self.nodes.own_limit = self.nodes.own_limit.take().or_else(limit);
        }
        let Some(node) = &pod.spec.node_name else {
            let is_gated = !pod.spec.scheduling_gates.is_empty();
            self.nodes.others_waiting += usize::from(!is_own && !is_gated);
            return;
        };
        let lowest = &mut self.nodes.lowest_priority;
        *lowest = Some(lowest.map_or(priority, |known| known.min(priority)));
        let (pods, sum) = self.by_node.entry(node.to_string()).or_default();
        *pods += 1;
        match requests(pod) {
            Some(requests) => {
                for (resource, amount) in requests {
                    let amount = as_scheduled(&resource, amount);
                    *sum.entry(resource).or_default() += amount;
                }
            }
            None => self.is_too_large = true,
        }
        self.keep_away(pod, is_here);
    }

    /// What a pod requires not to be near to.
    fn keep_away(&mut self, pod: &PlacedPod, is_here: bool) {
        let affinity = pod.spec.affinity.as_ref();
        let terms = affinity.and_then(|it| it.pod_anti_affinity.as_ref());
        let reaches = |term: &&PodAffinityTerm| {
            let is_own = term.namespaces.is_empty() && term.namespace_selector.is_none();
            (is_own && is_here)
                || term.namespaces.contains(&self.namespace)
                || term.namespace_selector.is_some()
        };
        let terms = terms.into_iter().flat_map(|it| &it.required);
        let selectors = terms
            .filter(reaches)
            .filter_map(|it| it.label_selector.as_ref());
        let known: &mut Vec<LabelSelector> = &mut self.nodes.kept_away;
        for selector in selectors {
            if !known.contains(selector) {
                known.push(selector.clone());
            }
        }
    }

    /// The nodes with what is taken on each; absent where an amount is too large.
    fn into_nodes(mut self, nodes: &[Node]) -> Option<Nodes> {
        for node in nodes {
            let mut node = node.clone();
            let is_looked_at = |label: &str| {
                label == OS_LABEL || self.template.is_some_and(|it| it.looks_at(label))
            };
            node.metadata.labels.retain(is_looked_at);
            let taken = self.by_node.remove(&node.metadata.name);
            let (pods, sum) = taken.unwrap_or_default();
            let requested = sum.into_iter().map(|(resource, nanos)| {
                let milli = i64::try_from(nanos / 1_000_000).ok()?;
                let quantity = Quantity::from_milli(milli, Format::DecimalSi);
                Some((resource.into(), quantity))
            });
            self.nodes.items.push(NodeWithPods {
                node,
                pods,
                requested: requested.collect::<Option<_>>()?,
            });
        }
        let items = &mut self.nodes.items;
        items.sort_by(|a, b| a.node.metadata.name.cmp(&b.node.metadata.name));
        (!self.is_too_large).then_some(self.nodes)
    }
}

/// What a pod takes of its node: what it requests, unless that is a resize that its node
/// can never have, and what it was resized from until that is done (component-helpers `resource.PodRequests` with
/// `UseStatusResources`).
fn requests(pod: &PlacedPod) -> Option<Amounts> {
    let mut demand = PodDemand::of_template(&pod.spec)?;
    let mut conditions = pod.status.conditions.iter();
    let pending = conditions.find(|it| it.kind == PodConditionKind::PodResizePending);
    let is_infeasible = pending.is_some_and(|it| it.reason.as_deref() == Some("Infeasible"));
    for container in &mut demand.containers {
        let statuses = pod.status.init_container_statuses.iter();
        let mut statuses = statuses.chain(&pod.status.container_statuses);
        if let Some(status) = statuses.find(|it| it.name == container.name) {
            if is_infeasible {
                container.requests.clear();
            }
            for has in [&status.allocated_resources, &status.resources.requests] {
                raise(&mut container.requests, &amounts_of(has.entries())?);
            }
        }
    }
    let status = [
        &pod.status.allocated_resources,
        &pod.status.resources.requests,
    ];
    let is_replaced = is_infeasible && status.iter().any(|it| !it.is_empty());
    let own = pod.spec.resources.iter().filter(|_| !is_replaced);
    let own = amounts_of(own.flat_map(|it| it.requests.entries()))?;
    let mut all = demand.requests_within(&own);
    // The overhead is in these.
    for has in status {
        raise(&mut all, &amounts_of(has.entries())?);
    }
    Some(all)
}
