//! How many more pods the nodes have room for, as the default scheduler counts.

use std::collections::BTreeSet;

use super::RoomCase;
use crate::api::{
    Amounts, ByName, LabelSelectorRequirement, Labels, Node, NodeSelectorTerm, NodeWithPods, Nodes,
    OS_LABEL, Phase, Pod, PodTemplateSpec, Quantity, Selector, Taint, Toleration, Wording,
    as_scheduled, first_set, wire_text,
};
use crate::trace::{RoomLimit, RoomUnknown};

/// How many more pods the nodes have room for.
pub(super) struct OnNodes {
    /// How many, whatever waiting pods of others take, and without drivers of devices.
    pub least: i64,
    /// How many at most, by what is computed here.
    pub most: i64,
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
    case: &RoomCase,
    nodes: &Nodes,
    requests: &Amounts,
) -> Result<OnNodes, RoomUnknown> {
    let template = case.template;
    let may_run = |it: &&NodeWithPods| template.is_none_or(|own| may_run(own, &it.node));
    let pods = nodes.others_waiting;
    let (others, none) = (i64::try_from(pods).unwrap_or(i64::MAX), ByName::default());
    let request = nodes.others_request.as_ref();
    let request = request.or((pods == 0).then_some(&none));
    let systems = systems(case, nodes);
    let (mut allowed, mut least, mut most, mut is_open) = (0, 0_i64, 0_i64, false);
    let mut by_driver = None;
    for node in nodes.items.iter().filter(may_run) {
        let (own, has) = ((node.pods, &node.requested), &node.node.status.allocatable);
        let is_lacked = |(resource, amount): &(String, i128)| {
            let has = has.get(resource);
            let is_none = has.is_none_or(|it| it.nano_value() == Some(0));
            is_none && *amount > 0 && resource.contains('/') && case.may_use_driver()
        };
        let all = requests.clone().into_iter();
        let (lacked, given): (Amounts, Amounts) = all.partition(is_lacked);
        let room = on_node(has, &[own], &given)?;
        let starts = os(&node.node.metadata.labels)
            .is_none_or(|os| systems.contains(os) || systems.is_empty() && os != "windows");
        is_open |= room > 0 && !starts;
        if starts || systems.is_empty() {
            allowed += 1;
            most = most.saturating_add(room);
            if let Some(request) = request.filter(|_| lacked.is_empty()) {
                least = least.saturating_add(on_node(has, &[own, (others, request)], &given)?);
            }
            by_driver = by_driver.or(lacked.into_keys().next());
        }
    }
    let driver = by_driver.map(|resource| RoomUnknown::DeviceDriver { resource });
    let waits = (pods > 0).then_some(RoomUnknown::OthersWait { pods });
    let is_short = least < case.needed + case.waiting;
    let open = is_open.then_some(RoomUnknown::OperatingSystem);
    let open = open.or(driver.or(waits).filter(|_| is_short));
    let either = template.and_then(otherwise_placed);
    let either = either.or(nodes.own_differ.then_some(RoomUnknown::Admission));
    let may_be_fewer = either.clone().or_else(|| fewer(case, nodes)).or(open);
    // Whether the pods may take the place of others. Without a pod of theirs, what their
    // priority is cannot be told: it can be a default of the cluster.
    let is_above = |lowest: i32| nodes.own_priority.is_none_or(|own| own > lowest);
    let preempts = nodes.lowest_priority.is_some_and(is_above);
    Ok(OnNodes {
        least,
        most,
        limit: RoomLimit::Nodes {
            all: nodes.items.len(),
            allowed,
        },
        may_be_fewer,
        may_be_more: either.or_else(|| preempts.then_some(RoomUnknown::Preemption)),
    })
}

/// On which operating systems the pods start, as far as that is known: what is named, or
/// where pods of the target run.
fn systems<'a>(case: &RoomCase<'a>, nodes: &'a Nodes) -> BTreeSet<&'a str> {
    let named = case.template.and_then(|it| {
        let own = it.os.as_ref().map(|os| os.name.as_str());
        own.or_else(|| os(&it.node_selector))
    });
    let running = |pod: &&&Pod| named.is_none() && pod.status.phase == Phase::Running;
    let on = case.own.iter().filter(running);
    let on: BTreeSet<&str> = on.filter_map(|pod| pod.spec.node_name.as_deref()).collect();
    let nodes = nodes.items.iter().map(|it| &it.node.metadata);
    let nodes = nodes.filter(|it| on.contains(it.name.as_str()));
    let shown = nodes.filter_map(|it| os(&it.labels));
    named.into_iter().chain(shown).collect()
}

fn os(labels: &Labels) -> Option<&str> {
    Some(labels.get(OS_LABEL)?.as_str())
}

/// How many more pods a node has room for beside others (`NodeResourcesFit`).
fn on_node(
    allocatable: &ByName<Quantity>,
    taken: &[(i64, &ByName<Quantity>)],
    requests: &Amounts,
) -> Result<i64, RoomUnknown> {
    let amount = |quantity: Option<&Quantity>, resource: &str| {
        let nanos = quantity.map_or(Some(0), Quantity::nano_value);
        let nanos = nanos.ok_or(RoomUnknown::Amount)?;
        Ok::<_, RoomUnknown>(as_scheduled(resource, nanos))
    };
    let pods = amount(allocatable.get("pods"), "pods")? / 1_000_000_000;
    let there: i128 = taken.iter().map(|(pods, _)| i128::from(*pods)).sum();
    let mut more = (pods - there).max(0);
    for (resource, requested) in requests {
        let requested = as_scheduled(resource, *requested);
        if requested > 0 {
            let mut left = amount(allocatable.get(resource), resource)?;
            for (_, taken) in taken {
                left -= amount(taken.get(resource), resource)?;
            }
            more = more.min((left / requested).max(0));
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
    let mut taints = node.spec.taints.iter().chain(&unschedulable);
    node.status.conditions.is_empty()
        && taints.all(is_tolerated)
        && selected.all(|(key, value)| labels.get(key) == Some(value))
        && terms.is_none_or(|terms| terms.iter().any(|term| is_met(term, labels)))
}

/// Whether a term holds of a node; an empty one never does.
fn is_met(term: &NodeSelectorTerm, labels: &Labels) -> bool {
    let mut all = term.match_expressions.iter();
    !term.match_expressions.is_empty() && all.all(|it| holds(it, labels) == Some(true))
}

/// Whether a requirement holds of a node; absent for an operator that is not known.
fn holds(requirement: &LabelSelectorRequirement, labels: &Labels) -> Option<bool> {
    let value = labels.get(&requirement.key);
    let is_listed = value.is_some_and(|value| requirement.values.iter().any(|it| value == it));
    let compared = || {
        let own: i64 = value?.parse().ok()?;
        let other: i64 = requirement.values.first()?.parse().ok()?;
        Some(own.cmp(&other))
    };
    Some(match requirement.operator.as_str() {
        "In" => is_listed,
        "NotIn" => !is_listed,
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" => compared().is_some_and(std::cmp::Ordering::is_gt),
        "Lt" => compared().is_some_and(std::cmp::Ordering::is_lt),
        _ => return None,
    })
}

/// What says that the pods are placed in another way, whichever it is.
fn otherwise_placed(template: &PodTemplateSpec) -> Option<RoomUnknown> {
    let knows = |operator: &str| matches!(operator, "" | "Equal" | "Exists");
    let terms = template.node_terms();
    let is_simple = |term: &NodeSelectorTerm| {
        let mut all = term.match_expressions.iter();
        term.match_fields.is_empty() && all.all(|it| holds(it, &Labels::default()).is_some())
    };
    let is_tolerated = template.tolerations.iter().all(|it| knows(&it.operator));
    let is_placed = terms.unwrap_or_default().iter().all(is_simple);
    let field = first_set(&[
        (!template.uses_default_scheduler(), "schedulerName"),
        (template.node_name.is_some(), "nodeName"),
        (!template.scheduling_gates.is_empty(), "schedulingGates"),
        (template.runtime_class_name.is_some(), "runtimeClassName"),
        (!is_tolerated, "tolerations"),
        (!is_placed, "affinity.nodeAffinity"),
    ])?;
    let field = field.to_owned();
    Some(RoomUnknown::Template { field })
}

/// Why the nodes may have room for fewer pods than are counted.
fn fewer(case: &RoomCase, nodes: &Nodes) -> Option<RoomUnknown> {
    let Some(template) = case.template else {
        return Some(RoomUnknown::NoTemplate);
    };
    if let Some(field) = template.further_limit().map(str::to_owned) {
        return Some(RoomUnknown::Template { field });
    }
    // Kueue gates each until its queue has room.
    let is_set = |key: &&str| case.labels.iter().any(|it| it.get(key).is_some());
    let queued = ["kueue.x-k8s.io/managed", "kueue.x-k8s.io/queue-name"];
    let queued = queued.into_iter().find(is_set).map(str::to_owned);
    if let Some(field) = nodes.own_limit.clone().or(queued) {
        return Some(RoomUnknown::OwnPod { field });
    }
    if nodes.own_priority.is_none() {
        return Some(RoomUnknown::NoOwnPod);
    }
    let is_kept_away = nodes.kept_away.iter().any(|selector| {
        let text = wire_text(Some(selector)).ok();
        let selector = text.and_then(|text| Selector::parse(&text, Wording::LabelKey).ok());
        selector.is_none_or(|selector| case.labels.iter().any(|it| selector.matches(it)))
    });
    is_kept_away.then_some(RoomUnknown::KeptAway)
}
