//! What limit ranges add to a pod, and which pods they refuse (the API server's
//! `LimitRanger`).

use crate::api::{
    Amounts, ByName, ContainerDemand, LimitRange, LimitRangeItem, PodDemand, Quantity,
};
use crate::trace::{LimitRangeRule, RoomLimit, RoomUnknown};

/// Fills in what containers do not name.
///
/// # Errors
///
/// Several limit ranges differ in it, and which of them comes first is not known;
/// or an amount is too large.
pub(super) fn fill(demand: &mut PodDemand, ranges: &[LimitRange]) -> Result<(), RoomUnknown> {
    let items: Vec<&LimitRangeItem> = items(ranges)
        .map(|(_, item)| item)
        .filter(|item| item.kind == "Container")
        .collect();
    let given = |of: fn(&LimitRangeItem) -> &ByName<Quantity>| {
        let all = items.iter().flat_map(|item| of(item).entries());
        let all = all.map(|(name, value)| (name.as_str(), value));
        all.collect::<Vec<_>>()
    };
    let (requests, limits) = (given(|it| &it.default_request), given(|it| &it.default));
    for container in &mut demand.containers {
        add_defaults(&mut container.requests, &requests)?;
        add_defaults(&mut container.limits, &limits)?;
    }
    Ok(())
}

/// Adds what is not there.
fn add_defaults(amounts: &mut Amounts, given: &[(&str, &Quantity)]) -> Result<(), RoomUnknown> {
    for (name, value) in given {
        if amounts.contains_key(*name) {
            continue;
        }
        let mut others = given.iter().filter(|(other, _)| other == name);
        if others.any(|(_, other)| other.cmp_value(value).is_ne()) {
            return Err(RoomUnknown::Defaults);
        }
        let amount = value.nano_value().ok_or(RoomUnknown::Amount)?;
        amounts.insert((*name).to_owned(), amount);
    }
    Ok(())
}

fn items(ranges: &[LimitRange]) -> impl Iterator<Item = (&LimitRange, &LimitRangeItem)> {
    let items = |range| move |item| (range, item);
    ranges
        .iter()
        .flat_map(move |range: &LimitRange| range.spec.limits.iter().map(items(range)))
}

/// The rule that refuses the pod, if one does.
pub(super) fn refusal(demand: &PodDemand, ranges: &[LimitRange]) -> Option<RoomLimit> {
    items(ranges).find_map(|(range, item)| {
        let name = &range.metadata.name;
        match item.kind.as_str() {
            "Container" => demand.containers.iter().find_map(|container| {
                let ContainerDemand {
                    requests, limits, ..
                } = container;
                broken(name, item, Some(&container.name), requests, limits)
            }),
            "Pod" => {
                let requests = demand.total(|it| &it.requests);
                let limits = demand.total(|it| &it.limits);
                broken(name, item, None, &requests, &limits)
            }
            _ => None,
        }
    })
}

fn broken(
    name: &str,
    item: &LimitRangeItem,
    container: Option<&String>,
    requests: &Amounts,
    limits: &Amounts,
) -> Option<RoomLimit> {
    let rules = [
        (LimitRangeRule::Min, &item.min),
        (LimitRangeRule::Max, &item.max),
        (
            LimitRangeRule::MaxLimitRequestRatio,
            &item.max_limit_request_ratio,
        ),
    ];
    rules.into_iter().find_map(|(rule, allowed)| {
        let mut allowed = allowed.entries();
        let (resource, allowed) = allowed.find(|(resource, allowed)| {
            let (request, limit) = (requests.get(&**resource), limits.get(&**resource));
            !keeps(rule, allowed, request.copied(), limit.copied())
        })?;
        Some(RoomLimit::LimitRange {
            name: name.to_owned(),
            resource: resource.to_string(),
            rule,
            allowed: allowed.to_string(),
            container: container.cloned(),
        })
    })
}

/// Whether a request and a limit keep to a rule; each needs the one that it is about.
fn keeps(
    rule: LimitRangeRule,
    allowed: &Quantity,
    request: Option<i128>,
    limit: Option<i128>,
) -> bool {
    let Some(allowed) = allowed.nano_value() else {
        return rule != LimitRangeRule::Min;
    };
    match rule {
        LimitRangeRule::Min => {
            request.is_some_and(|it| it >= allowed) && limit.is_none_or(|it| it >= allowed)
        }
        LimitRangeRule::Max => {
            limit.is_some_and(|it| it <= allowed) && request.is_none_or(|it| it <= allowed)
        }
        // The ratio is in billionths, too.
        LimitRangeRule::MaxLimitRequestRatio => match (request, limit) {
            (Some(request), Some(limit)) if request > 0 && limit > 0 => {
                let most = request.checked_mul(allowed);
                most.is_none_or(|most| limit.saturating_mul(1_000_000_000) <= most)
            }
            _ => false,
        },
    }
}
