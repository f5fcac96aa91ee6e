//! How many more pods a quota allows (the API server's `ResourceQuota` admission and
//! its evaluator of pods); what limit ranges add to a pod, and which pods they refuse (its
//! `LimitRanger`).

use super::RoomCase;
use crate::api::{
    Amounts, ByName, LimitRange, LimitRangeItem, PodDemand, Quantity, ResourceQuota,
    ScopeRequirement, limited_resource,
};
use crate::trace::{LimitRangeRule, RoomLimit, RoomUnknown};

/// How many more pods quotas allow.
#[derive(Default)]
pub(super) struct Allowed {
    /// The lowest of what they allow, and what allows no more.
    pub least: Option<(i64, RoomLimit)>,
    /// What else may allow fewer than are needed.
    pub doubt: Option<RoomUnknown>,
}

impl Allowed {
    fn limit(&mut self, more: i64, limit: RoomLimit) {
        if self.least.as_ref().is_none_or(|(least, _)| more < *least) {
            self.least = Some((more, limit));
        }
    }
}

/// How many more pods all quotas together allow.
pub(super) fn allowed(quotas: &[ResourceQuota], demand: &PodDemand, case: &RoomCase) -> Allowed {
    let mut all = Allowed::default();
    for quota in quotas {
        let counts = counts(quota, demand, case);
        if counts == Some(false) {
            continue;
        }
        let own = of_quota(quota, demand, case);
        let name = quota.metadata.name.clone();
        match own.least {
            Some((more, _)) if more < case.needed && counts.is_none() => {
                all.doubt.get_or_insert(RoomUnknown::QuotaScope { name });
            }
            Some((more, limit)) => all.limit(more, limit),
            None => {}
        }
        all.doubt = all.doubt.take().or(own.doubt);
    }
    let class = case.template.and_then(|it| it.priority_class_name.as_ref());
    if class.is_some_and(|class| class.starts_with("system-")) {
        // Some providers allow these only where a quota names them.
        let field = "priorityClassName".to_owned();
        all.doubt.get_or_insert(RoomUnknown::Template { field });
    }
    all
}

fn of_quota(quota: &ResourceQuota, demand: &PodDemand, case: &RoomCase) -> Allowed {
    let mut allowed = Allowed::default();
    let name = &quota.metadata.name;
    let (requests, limits) = (demand.requests(), demand.limits());
    let has_devices = case.may_use_driver() && requests.keys().any(|it| it.contains('/'));
    let not_counted = || RoomUnknown::QuotaNotCounted { name: name.clone() };
    if !is_counted(quota) {
        allowed.doubt = Some(not_counted());
        return allowed;
    }
    for (resource, hard) in quota.status.hard.entries() {
        if is_of_claims(resource, case.has_claims(), has_devices) {
            let name = name.clone();
            allowed.doubt = Some(RoomUnknown::QuotaOfClaims { name });
        }
        if let Some(container) = unnamed(resource, demand) {
            let limit = RoomLimit::Unnamed {
                name: name.clone(),
                resource: resource.to_string(),
                container,
            };
            allowed.limit(0, limit);
            continue;
        }
        let Some((pod, quantity)) = taken(resource, &requests, &limits) else {
            continue;
        };
        let used = quota.status.used.get(resource);
        let left = used.and_then(|used| Some(hard.nano_value()? - used.nano_value()?));
        let (Some(used), Some(left)) = (used, left) else {
            allowed.doubt = Some(not_counted());
            continue;
        };
        let more = match (left, pod) {
            // What takes nothing is not looked at, however much is used.
            (_, 0) => continue,
            (..0, _) => 0,
            (left, pod) => i64::try_from(left / pod).unwrap_or(i64::MAX),
        };
        let limit = RoomLimit::Quota {
            name: name.clone(),
            resource: resource.to_string(),
            hard: hard.clone(),
            used: used.clone(),
            pod: quantity,
        };
        allowed.limit(more, limit);
    }
    allowed
}

/// Whether what the quota allows is what its controller has counted for.
fn is_counted(quota: &ResourceQuota) -> bool {
    let (spec, status) = (&quota.spec.hard, &quota.status.hard);
    let is_same = |name: &str, hard: &Quantity| {
        let own = spec.get(name);
        own.is_some_and(|own| own.cmp_value(hard).is_eq())
    };
    spec.keys().count() == status.keys().count()
        && status.entries().all(|(name, hard)| is_same(name, hard))
}

/// What a pod takes of a quota's resource; absent where it takes none.
fn taken(resource: &str, requests: &Amounts, limits: &Amounts) -> Option<(i128, Quantity)> {
    if matches!(resource, "pods" | "count/pods") {
        let one = 1_000_000_000;
        return Some((one, super::quantity(resource, one)));
    }
    let (is_limit, own) = limited_resource(resource);
    let has_limit = matches!(own, "cpu" | "ephemeral-storage" | "memory");
    // Of these names the controller counts nothing.
    if is_limit && !has_limit || own == resource && own.contains('/') {
        return None;
    }
    let amounts = if is_limit { limits } else { requests };
    let amount = *amounts.get(own)?;
    Some((amount, super::quantity(own, amount)))
}

/// The container that does not name a resource where it must: of others it need not.
fn unnamed(resource: &str, demand: &PodDemand) -> Option<String> {
    let (is_limit, own) = limited_resource(resource);
    if !matches!(own, "cpu" | "memory") {
        return None;
    }
    let mut containers = demand.containers.iter();
    let without = containers.find(|it| {
        let amounts = if is_limit { &it.limits } else { &it.requests };
        !amounts.contains_key(own)
    });
    without.map(|it| it.name.clone())
}

/// Whether a quota's resource is about claims of storage, or of devices, that pods have.
fn is_of_claims(resource: &str, has_volumes: bool, has_devices: bool) -> bool {
    let is = |names: [&str; 2]| names.iter().any(|name| resource.contains(name));
    has_volumes && is(["persistentvolumeclaims", "requests.storage"])
        || has_devices && is(["resourceclaims.", "deviceclass."])
}

/// Whether a quota counts the pod; absent where it cannot be told.
fn counts(quota: &ResourceQuota, demand: &PodDemand, case: &RoomCase) -> Option<bool> {
    let scopes = quota.spec.scopes.iter().map(|name| ScopeRequirement {
        scope_name: name.clone(),
        operator: "Exists".to_owned(),
        values: Vec::new(),
    });
    let selector = quota.spec.scope_selector.iter();
    let selector = selector.flat_map(|it| it.match_expressions.iter().cloned());
    let mut all = Some(true);
    for scope in scopes.chain(selector) {
        match holds(&scope, demand, case) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

fn holds(scope: &ScopeRequirement, demand: &PodDemand, case: &RoomCase) -> Option<bool> {
    let (class, has_deadline) = case.class_and_deadline().unzip();
    match scope.scope_name.as_str() {
        "Terminating" => has_deadline,
        "NotTerminating" => has_deadline.map(|it| !it),
        "BestEffort" => Some(is_best_effort(demand)),
        "NotBestEffort" => Some(!is_best_effort(demand)),
        "PriorityClass" => {
            // A pod of no class gets the default one of the cluster, if there is one.
            let class = class?.filter(|class| !class.is_empty())?;
            let is_listed = scope.values.iter().any(|it| it == class);
            match scope.operator.as_str() {
                "Exists" => Some(true),
                "DoesNotExist" => Some(false),
                "In" => Some(is_listed),
                "NotIn" => Some(!is_listed),
                _ => None,
            }
        }
        // What is only preferred counts as well, and is not read.
        "CrossNamespacePodAffinity" => {
            let mut own = case.own.iter().map(|pod| pod.spec.affinity.is_none());
            (case.template?.affinity.is_none() && own.all(|it| it)).then_some(false)
        }
        "VolumeAttributesClass" => (!case.has_claims()).then_some(false),
        _ => None,
    }
}

/// Whether no container names cpu or memory (`qos.ComputePodQOS`).
fn is_best_effort(demand: &PodDemand) -> bool {
    let is_named = |amounts: &Amounts| {
        let amounts = ["cpu", "memory"].map(|it| amounts.get(it));
        amounts.into_iter().flatten().any(|amount| *amount > 0)
    };
    let mut containers = demand.containers.iter();
    containers.all(|it| !is_named(&it.requests) && !is_named(&it.limits))
}

/// Fills in what containers do not name.
/// Errors: several limit ranges differ in it, and which of them comes first is not known;
/// or an amount is too large.
pub(super) fn fill(demand: &mut PodDemand, ranges: &[LimitRange]) -> Result<(), RoomUnknown> {
    let items = items(ranges).map(|(_, item)| item);
    let items: Vec<&LimitRangeItem> = items.filter(|it| it.kind == "Container").collect();
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
            "Container" => demand
                .containers
                .iter()
                .find_map(|it| broken(name, item, Some(&it.name), (&it.requests, &it.limits))),
            "Pod" => {
                let requests = demand.total(|it| &it.requests);
                let limits = demand.total(|it| &it.limits);
                broken(name, item, None, (&requests, &limits))
            }
            _ => None,
        }
    })
}

fn broken(
    name: &str,
    item: &LimitRangeItem,
    container: Option<&String>,
    (requests, limits): (&Amounts, &Amounts),
) -> Option<RoomLimit> {
    let ratio = &item.max_limit_request_ratio;
    let rules = [
        (LimitRangeRule::Min, &item.min),
        (LimitRangeRule::Max, &item.max),
        (LimitRangeRule::MaxLimitRequestRatio, ratio),
        (LimitRangeRule::Default, &item.default),
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

/// Whether a request and a limit keep to a rule, in thousandths as the plugin compares;
/// each needs the one that it is about.
fn keeps(
    rule: LimitRangeRule,
    allowed: &Quantity,
    request: Option<i128>,
    limit: Option<i128>,
) -> bool {
    let Some(exact) = allowed.nano_value() else {
        return rule != LimitRangeRule::Min;
    };
    if rule == LimitRangeRule::Default {
        // Where the container names no limit, it has this one.
        return limit != Some(exact) || request.is_none_or(|it| it <= exact);
    }
    let milli = |nanos: i128| (nanos + 999_999).div_euclid(1_000_000);
    let (allowed, request, limit) = (milli(exact), request.map(milli), limit.map(milli));
    match rule {
        LimitRangeRule::Min => {
            request.is_some_and(|it| it >= allowed) && limit.is_none_or(|it| it >= allowed)
        }
        LimitRangeRule::Max => {
            limit.is_some_and(|it| it <= allowed) && request.is_none_or(|it| it <= allowed)
        }
        // The ratio is in thousandths, too.
        _ => request.zip(limit).is_some_and(|(request, limit)| {
            let is_within = limit.saturating_mul(1_000) <= request.saturating_mul(allowed);
            request > 0 && limit > 0 && is_within
        }),
    }
}
