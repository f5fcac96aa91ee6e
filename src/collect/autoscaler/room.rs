//! The nodes, and what the pods of all namespaces take of them, where somebody asks for
//! them.

use std::collections::BTreeMap;

use futures_util::future::join;

use crate::api::{
    Amounts, ByName, Format, LabelSelector, Node, NodeWithPods, Nodes, OS_LABEL, Phase, PlacedPod,
    Pod, PodAffinityTerm, PodConditionKind, PodDemand, PodTemplateSpec, Quantity, ReadFailure,
    RoomParts, Selector, Wording, amounts_of, as_scheduled, raise,
};
use crate::collect::request::{Reader, each_of, list, paths};
use crate::document::snapshot::{NotRead, Part, Snapshot, may_be_own};

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
    let read = match nodes.failure().or(pods.err()) {
        Some(failure) => Err(failure),
        None => taken.into_nodes(nodes.response().map_or(&[], |nodes| nodes)),
    };
    let missing = read.as_ref().err();
    let missing = missing.map(|reason| NotRead::new(Part::Nodes, reason.clone()));
    snapshot.provenance.not_read.extend(missing);
    snapshot.room = Some(RoomParts {
        nodes: read.ok(),
        ..room
    });
}

/// What the pods of all namespaces take, summed as they come.
struct Taken<'s> {
    snapshot: &'s Snapshot,
    /// The selected pods by name, as they were read before.
    selected: BTreeMap<&'s str, &'s Pod>,
    selector: Option<Selector>,
    template: Option<&'s PodTemplateSpec>,
    /// By node, or none: how many pods, and what they request.
    by_node: BTreeMap<String, (i64, Amounts)>,
    nodes: Nodes,
    highest_waiting: Option<i32>,
    flaw: Option<&'static str>,
}

impl<'s> Taken<'s> {
    fn of(snapshot: &'s Snapshot) -> Self {
        let target = snapshot.target.as_ref();
        let selected = snapshot.pods.iter();
        let scale = snapshot.scale.response();
        let scale = scale.filter(|_| !snapshot.pods.is_empty());
        let selector = |text: &str| Selector::parse(text, Wording::LabelKey).ok();
        Self {
            snapshot,
            selected: selected.map(|it| (&*it.metadata.name, it)).collect(),
            selector: scale.and_then(|it| selector(&it.status.selector)),
            template: target.and_then(|it| it.spec.template.as_ref()?.spec.as_ref()),
            by_node: BTreeMap::new(),
            nodes: Nodes::default(),
            highest_waiting: None,
            flaw: None,
        }
    }

    fn add(&mut self, pod: &PlacedPod) {
        if pod.status.phase.known().is_some_and(Phase::has_ended) {
            return;
        }
        let is_here = pod.metadata.namespace == self.snapshot.hpa.metadata.namespace;
        let known = self.selected.get(&*pod.metadata.name).filter(|_| is_here);
        let is_own = known.is_some_and(|known| may_be_own(self.snapshot, known));
        let node = pod.spec.node_name.as_deref().unwrap_or_default();
        let is_same = known.is_some_and(|it| it.spec.node_name.is_some() || node.is_empty());
        let selects = |it: &Selector| it.matches(&pod.metadata.labels);
        if is_here && !is_same && self.selector.as_ref().is_some_and(selects) {
            self.flaw = Some("its pods changed meanwhile");
        }
        let priority = pod.spec.priority.unwrap_or_default();
        if is_own {
            self.nodes.own_priority = self.nodes.own_priority.max(Some(priority));
            self.nodes.own_differ |= self.template.is_some_and(|it| !it.is_placed_as(&pod.spec));
            let limit = || pod.spec.further_limit().map(str::to_owned);
            self.nodes.own_limit = self.nodes.own_limit.take().or_else(limit);
        }
        if !node.is_empty() {
            let lowest = &mut self.nodes.lowest_priority;
            *lowest = Some(lowest.map_or(priority, |known| known.min(priority)));
        } else if is_own || !pod.spec.scheduling_gates.is_empty() {
            return;
        } else {
            self.highest_waiting = self.highest_waiting.max(Some(priority));
            self.nodes.others_waiting += 1;
        }
        let (pods, sum) = self.by_node.entry(node.to_owned()).or_default();
        *pods += 1;
        match requests(pod) {
            Some(requests) => {
                for (resource, amount) in requests {
                    let amount = as_scheduled(&resource, amount);
                    *sum.entry(resource).or_default() += amount;
                }
            }
            None => self.flaw = Some("an amount is too large"),
        }
        self.keep_away(pod, is_here);
    }

    /// What a pod requires not to be near to.
    fn keep_away(&mut self, pod: &PlacedPod, is_here: bool) {
        let affinity = pod.spec.affinity.as_ref();
        let terms = affinity.and_then(|it| it.pod_anti_affinity.as_ref());
        let namespace = &self.snapshot.hpa.metadata.namespace;
        let reaches = |term: &&PodAffinityTerm| {
            let is_own = term.namespaces.is_empty() && term.namespace_selector.is_none();
            (is_own && is_here)
                || term.namespaces.iter().any(|it| *it == *namespace)
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

    /// The nodes with what is taken on each, or why that would mislead.
    fn into_nodes(mut self, nodes: &[Node]) -> Result<Nodes, ReadFailure> {
        for node in nodes.iter().chain([&Node::default()]) {
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
            let requested: Option<ByName<Quantity>> = requested.collect();
            self.nodes.items.push(NodeWithPods {
                node,
                pods,
                requested: requested
                    .ok_or_else(|| ReadFailure::not_read("an amount is too large"))?,
            });
        }
        // Pods whose place the others take would wait as well.
        let others = self.nodes.items.pop().map(|it| it.requested);
        let (highest, lowest) = (self.highest_waiting, self.nodes.lowest_priority);
        let evicts = highest > lowest && lowest.is_some();
        self.nodes.others_request = others.filter(|_| highest.is_some() && !evicts);
        let items = &mut self.nodes.items;
        items.sort_by(|a, b| a.node.metadata.name.cmp(&b.node.metadata.name));
        let mut own = self.selected.values().map(|it| &it.spec.node_name);
        if own.any(|node| {
            self.by_node
                .contains_key(node.as_deref().unwrap_or_default())
        }) {
            self.flaw = Some("the list lacks nodes that its pods run on");
        }
        let flaw = self.flaw.map(ReadFailure::not_read);
        flaw.map_or(Ok(self.nodes), Err)
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
