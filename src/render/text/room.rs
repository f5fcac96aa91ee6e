//! Whether `maxReplicas` can be reached.

use super::basis::not_read_part;
use super::page::Page;
use super::words::{NAME, View};
use crate::api::{Quantity, limited_resource};
use crate::render::block::Prose;
use crate::trace::amount::{amount_of, counted, plural};
use crate::trace::{Room, RoomAnswer, RoomLimit, RoomUnknown};

/// Renders whether it can be reached, where somebody asked.
pub(super) fn room(view: View) -> Option<Prose> {
    let room = view.trace.room.as_ref()?;
    Some(of_max(view.page, room, view.trace.bounds.max_replicas))
}

/// The same of any room, with its `maxReplicas`.
pub(super) fn of_max(page: Page, room: &Room, max: i32) -> Prose {
    let (size, need) = if room.replicas == max {
        (format!("maxReplicas {max}"), "needs")
    } else {
        let size = format!("the {} that the metrics ask for", room.replicas);
        (size, "need")
    };
    let needs = format!("{size} {need} {} more", room.needed);
    let (waits, pods) = (waiting(room), |more| counted(more, "pod"));
    let text = match &room.answer {
        RoomAnswer::Fits { more } => format!("fits: {} fit, {needs}{waits}", pods(*more)),
        RoomAnswer::FitsQuota { .. } if room.needed == 0 => {
            format!("{}; {UNREAD}", without_node(room))
        }
        RoomAnswer::FitsQuota { more: Some(more) } => {
            format!("fits the quota: {} fit, {needs}; {UNREAD}", pods(*more))
        }
        RoomAnswer::FitsQuota { more: None } => format!("no quota limits it; {UNREAD}"),
        RoomAnswer::DoesNotFit { more, limit } => {
            let fit = fit(*more);
            match limit {
                RoomLimit::Nodes { all, allowed } => {
                    let on = on_nodes(*all, *allowed);
                    format!("does not fit: {fit} {on}, {needs}{waits}")
                }
                limit => format!("does not fit: {}; {fit}, {needs}", says(page, limit)),
            }
        }
        RoomAnswer::Unknown { why } => format!("unknown: {}", unknown(page, why)),
    };
    Prose::behind("Room   ", text)
}

/// What is said where quotas alone were looked at.
const UNREAD: &str = "nodes were not looked at (--nodes)";

/// The pods that are to be placed as well.
fn waiting(room: &Room) -> String {
    match room.waiting {
        0 => String::new(),
        _ => format!(", and {}", without_node(room)),
    }
}

fn without_node(room: &Room) -> String {
    let have = plural(room.waiting, "has", "have");
    format!("{} {have} no node", counted(room.waiting, "pod"))
}

fn on_nodes(all: usize, allowed: usize) -> String {
    let nodes = counted(all, "node");
    if all == allowed {
        return format!("on {nodes}");
    }
    format!("on {allowed} of {nodes} that they may run on")
}

fn fit(count: i64) -> String {
    match count {
        0 => "no more pods fit".to_owned(),
        count => format!("{count} more {}", plural(count, "pod fits", "pods fit")),
    }
}

/// What a quota or a limit range says.
fn says(page: Page, limit: &RoomLimit) -> String {
    match limit {
        RoomLimit::Quota {
            name,
            resource,
            hard,
            used,
            pod,
        } => format!(
            "quota {} allows {resource} {}, {} used, {} for each pod",
            page.name(name, NAME),
            amount(resource, hard),
            amount(resource, used),
            amount(resource, pod)
        ),
        RoomLimit::Unnamed {
            name,
            resource,
            container,
        } => format!(
            "quota {} requires {resource}, which container {} does not set",
            page.name(name, NAME),
            page.name(container, NAME)
        ),
        RoomLimit::LimitRange {
            name,
            resource,
            rule,
            allowed,
            container,
        } => {
            let whose = container.as_ref().map_or_else(
                || "the pod".to_owned(),
                |container| format!("container {}", page.name(container, NAME)),
            );
            let name = page.name(name, NAME);
            format!("LimitRange {name} ({rule} {resource} {allowed}) refuses {whose}")
        }
        RoomLimit::Nodes { all, allowed } => on_nodes(*all, *allowed),
    }
}

/// An amount of a quota as people read it, where that is all of it: the least can be too
/// much.
fn amount(resource: &str, quantity: &Quantity) -> String {
    let (_, own) = limited_resource(resource);
    let read = amount_of(own, true, quantity.milli_value());
    let is_exact = |it: Quantity| it.milli_value() == quantity.milli_value();
    if read.parse().is_ok_and(is_exact) {
        return read;
    }
    quantity.to_string()
}

fn unknown(page: Page, why: &RoomUnknown) -> String {
    match why {
        RoomUnknown::NothingRead => "quotas and nodes were not read".to_owned(),
        RoomUnknown::NotRead(missing) => not_read_part(page, missing),
        RoomUnknown::NoPod => "neither a pod template nor a pod was read".to_owned(),
        RoomUnknown::NoOwnPod => "no pod yet shows what admission adds to the template".to_owned(),
        RoomUnknown::Admission => {
            "an admission plugin or webhook changes where the pods may run".to_owned()
        }
        RoomUnknown::NoTemplate => {
            "the pod template, which says where pods may run, was not read".to_owned()
        }
        RoomUnknown::Rollout => "a rollout replaces pods".to_owned(),
        RoomUnknown::NotCreated { message } => {
            format!("pods could not be created: {}", page.reason(message, 120))
        }
        RoomUnknown::NotPlaced { message } => {
            format!("pods could not be placed: {}", page.cut(message, 200))
        }
        RoomUnknown::PodsDiffer => {
            "it depends on which pod it is: they differ in what they request".to_owned()
        }
        RoomUnknown::PodLevelResources => "pod-level resources are not computed".to_owned(),
        RoomUnknown::Amount => "an amount is too large to compute with".to_owned(),
        RoomUnknown::Defaults => "the LimitRanges set different defaults".to_owned(),
        RoomUnknown::QuotaNotCounted { name } => format!(
            "quota {} has changed, and its use is not counted yet",
            page.name(name, NAME)
        ),
        RoomUnknown::QuotaScope { name } => format!(
            "quota {} allows too few, and may not count these pods",
            page.name(name, NAME)
        ),
        RoomUnknown::QuotaOfClaims { name } => format!(
            "quota {} limits claims, and each pod may have its own",
            page.name(name, NAME)
        ),
        RoomUnknown::Template { field } => {
            format!("the pod template sets {field}, which is not computed")
        }
        RoomUnknown::OwnPod { field } => format!("a pod sets {field}, which is not computed"),
        RoomUnknown::OthersWait { pods } => format!(
            "{} of others {} for a node too",
            counted(*pods, "pod"),
            plural(*pods, "waits", "wait")
        ),
        RoomUnknown::OperatingSystem => {
            "nothing keeps the pods to nodes of one operating system".to_owned()
        }
        RoomUnknown::DeviceDriver { resource } => {
            format!("nodes lack {resource}, but a DRA driver may provide it")
        }
        RoomUnknown::KeptAway => "pods on the nodes have anti-affinity against these".to_owned(),
        RoomUnknown::Preemption => {
            "the nodes are full, but pods of lower priority may have to go".to_owned()
        }
    }
}
