//! How many more pods the nodes have room for, as the default scheduler counts.

use crate::api::{
    Amounts, LabelSelectorRequirement, Labels, Node, NodeSelectorTerm, NodeWithPods, Nodes,
    OS_LABEL, PodTemplateSpec, Quantity, Selector, Taint, Toleration, Wording, as_scheduled,
    first_set, wire_text,
};
use crate::trace::{RoomLimit, RoomUnknown};

/// How many more pods the nodes have room for.
pub(super) struct OnNodes {
    /// How many, by what is computed here.
    pub more: i64,
    /// What allows no more.
    pub limit: RoomLimit,
    /// Why it may be fewer.
    pub may_be_fewer: Option<RoomUnknown>,
    /// Why it may be more.
    pub may_be_more: Option<RoomUnknown>,
}

/// How many more pods of a template the nodes have room for. Pods that are alike
/// fill each node on its own, so that the sum is exact.
pub(super) fn on_nodes(
    nodes: &Nodes,
    requests: &Amounts,
    template: Option<&PodTemplateSpec>,
    labels: &[&Labels],
) -> Result<OnNodes, RoomUnknown> {
    let allowed: Vec<&NodeWithPods> = nodes
        .items
        .iter()
        .filter(|it| template.is_none_or(|template| may_run(template, &it.node)))
        .collect();
    let mut more = 0_i64;
    for node in &allowed {
        more = more.saturating_add(on_node(node, requests)?);
    }
    let either = template.and_then(otherwise_placed);
    let either = either.or(nodes.own_differ.then_some(RoomUnknown::Admission));
    Ok(OnNodes {
        more,
        limit: RoomLimit::Nodes {
            all: nodes.items.len(),
            allowed: allowed.len(),
        },
        may_be_fewer: either.clone().or_else(|| fewer(nodes, template, labels)),
        may_be_more: either.or_else(|| preempts(nodes).then_some(RoomUnknown::Preemption)),
    })
}

/// How many more pods a node has room for (`NodeResourcesFit`).
fn on_node(node: &NodeWithPods, requests: &Amounts) -> Result<i64, RoomUnknown> {
    let allocatable = &node.node.status.allocatable;
    let amount = |quantity: Option<&Quantity>, resource: &str| {
        let nanos = quantity.map_or(Some(0), Quantity::nano_value);
        let nanos = nanos.ok_or(RoomUnknown::Amount)?;
        Ok::<_, RoomUnknown>(as_scheduled(resource, nanos))
    };
    let pods = amount(allocatable.get("pods"), "pods")? / 1_000_000_000;
    let mut more = (pods - i128::from(node.pods)).max(0);
    for (resource, requested) in requests {
        let requested = as_scheduled(resource, *requested);
        if requested > 0 {
            let has = amount(allocatable.get(resource), resource)?;
            let taken = amount(node.requested.get(resource), resource)?;
            more = more.min(((has - taken) / requested).max(0));
        }
    }
    Ok(i64::try_from(more).unwrap_or(i64::MAX))
}

/// Whether neither the state of a node nor anything that the template says keeps its
/// pods away from it.
fn may_run(template: &PodTemplateSpec, node: &Node) -> bool {
    let unschedulable = Taint {
        key: "node.kubernetes.io/unschedulable".to_owned(),
        effect: "NoSchedule".to_owned(),
        ..Taint::default()
    };
    let unschedulable = node.spec.unschedulable.then_some(unschedulable);
    // A pod that may stay for a time is placed, and evicted after it.
    let stays = |it: &Toleration, taint: &Taint| {
        taint.effect != "NoExecute" || it.toleration_seconds.is_none()
    };
    let is_tolerated = |taint: &Taint| {
        let mut tolerations = template.tolerations.iter();
        let first = tolerations.find(|it| it.tolerates(taint));
        taint.effect == "PreferNoSchedule" || first.is_some_and(|it| stays(it, taint))
    };
    let labels = &node.metadata.labels;
    let mut selected = template.node_selector.entries();
    let terms = template.node_terms();
    // The scheduler looks at no operating system that nobody names, and the pods
    // would not start.
    let is_windows = labels.get(OS_LABEL).is_some_and(|os| os == "windows");
    let mut taints = node.spec.taints.iter().chain(&unschedulable);
    node.status.conditions.is_empty()
        && (!is_windows || template.looks_at(OS_LABEL))
        && taints.all(is_tolerated)
        && selected.all(|(key, value)| labels.get(key) == Some(value))
        && terms.is_none_or(|terms| terms.iter().any(|term| is_met(term, labels)))
}

/// Whether a term holds of a node; an empty one never does.
fn is_met(term: &NodeSelectorTerm, labels: &Labels) -> bool {
    let mut all = term.match_expressions.iter();
    !term.match_expressions.is_empty() && all.all(|it| holds(it, labels))
}

fn holds(requirement: &LabelSelectorRequirement, labels: &Labels) -> bool {
    let value = labels.get(&requirement.key);
    let is_listed = value.is_some_and(|value| requirement.values.iter().any(|it| value == it));
    let compared = || {
        let own: i64 = value?.parse().ok()?;
        let other: i64 = requirement.values.first()?.parse().ok()?;
        Some(own.cmp(&other))
    };
    match requirement.operator.as_str() {
        "In" => is_listed,
        "NotIn" => !is_listed,
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" => compared().is_some_and(std::cmp::Ordering::is_gt),
        "Lt" => compared().is_some_and(std::cmp::Ordering::is_lt),
        _ => false,
    }
}

/// The operators that are computed here.
const OPERATORS: [&str; 6] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];

/// What says that the pods are placed in another way, whichever it is.
fn otherwise_placed(template: &PodTemplateSpec) -> Option<RoomUnknown> {
    let knows = |operator: &str| matches!(operator, "" | "Equal" | "Exists");
    let terms = template.node_terms();
    let is_simple = |term: &NodeSelectorTerm| {
        let mut operators = term.match_expressions.iter();
        term.match_fields.is_empty()
            && operators.all(|it| OPERATORS.contains(&it.operator.as_str()))
    };
    let field = first_set(&[
        (!template.uses_default_scheduler(), "schedulerName"),
        (template.node_name.is_some(), "nodeName"),
        (!template.scheduling_gates.is_empty(), "schedulingGates"),
        (template.runtime_class_name.is_some(), "runtimeClassName"),
        (
            !template.tolerations.iter().all(|it| knows(&it.operator)),
            "tolerations",
        ),
        (
            !terms.unwrap_or_default().iter().all(is_simple),
            "affinity.nodeAffinity",
        ),
    ])?;
    let field = field.to_owned();
    Some(RoomUnknown::Template { field })
}

/// Why the nodes may have room for fewer pods than are counted.
fn fewer(
    nodes: &Nodes,
    template: Option<&PodTemplateSpec>,
    labels: &[&Labels],
) -> Option<RoomUnknown> {
    let Some(template) = template else {
        return Some(RoomUnknown::NoTemplate);
    };
    if let Some(field) = template.further_limit().map(str::to_owned) {
        return Some(RoomUnknown::Template { field });
    }
    if let Some(field) = nodes.own_limit.clone() {
        return Some(RoomUnknown::OwnPod { field });
    }
    if nodes.own_priority.is_none() {
        return Some(RoomUnknown::NoOwnPod);
    }
    if nodes.others_waiting > 0 {
        let pods = nodes.others_waiting;
        return Some(RoomUnknown::OthersWait { pods });
    }
    let is_kept_away = nodes.kept_away.iter().any(|selector| {
        let text = wire_text(Some(selector)).ok();
        let selector = text.and_then(|text| Selector::parse(&text, Wording::LabelKey).ok());
        selector.is_none_or(|selector| labels.iter().any(|it| selector.matches(it)))
    });
    is_kept_away.then_some(RoomUnknown::KeptAway)
}

/// Whether the pods may take the place of others. Without a pod of theirs, what
/// their priority is cannot be told: it can be a default of the cluster.
fn preempts(nodes: &Nodes) -> bool {
    let lowest = nodes.lowest_priority;
    lowest.is_some_and(|lowest| nodes.own_priority.is_none_or(|own| own > lowest))
}
