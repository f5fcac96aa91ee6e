//! What policies allow, and what they count from.

use serde_json::json;

use super::Case;
use super::words::{apart, asks, last_without, policy_text, side};
use crate::api::{PolicyKind, ScalingPolicy, SelectPolicy};
use crate::controller::{Nanos, SECOND, Switch};
use crate::findings::shared_findings::WHOLE_PODS;
use crate::trace::amount::{counted, plural};
use crate::trace::{
    Code, Direction, Finding, Hold, Knowledge, LimitRecord, PolicyRecord, Rule, Severity, Trace,
    seconds_text,
};

/// A policy allows a part of the change for now.
pub(super) fn limits(_case: &Case, trace: &Trace) -> Option<Finding> {
    let (limit, recommended) = (trace.limit.as_ref()?, trace.recommended()?);
    let by_policy = [Hold::ScaleUpPolicy, Hold::ScaleDownPolicy, Hold::Doubling];
    trace.verdict.hold.filter(|it| by_policy.contains(it))?;
    let (result, asks) = (limit.result, asks(trace, recommended));
    let Some(side) = side(limit) else {
        let message = format!(
            "without behavior, one pass goes at most to twice the size or 4, whichever is larger, which \
             is {result} now; {asks}"
        );
        return Some(Finding::new(Code::PolicyLimits, message));
    };
    let selected = limit.policies.iter().find(|policy| policy.selected);
    let allows = selected.map_or_else(
        || "policies allow".to_owned(),
        |policy| format!("policy {} allows", policy_text(policy)),
    );
    let bound = match side {
        Direction::Up => "at most",
        Direction::Down => "no less than",
    };
    let message = format!("{side} {allows} {bound} {result} for now; {asks}");
    let policies = limit.policies.iter().enumerate().map(|(index, policy)| {
        let says = format!("{}: {}", policy_text(policy), policy.formula);
        (format!("spec.behavior.{side}.policies[{index}]"), says)
    });
    // Of an open memory, the moments of changes are not known.
    let is_known = trace.remembered == Knowledge::Known;
    let ends = selected.and_then(|policy| policy.changes_at);
    let ends = ends.filter(|_| is_known).map(|at| {
        let wait = apart(trace, at);
        let says = format!("in {wait}, when earlier changes leave its period");
        ("the policy allows more", says)
    });
    let finding = Finding::new(Code::PolicyLimits, message);
    Some(finding.facts(policies).facts(ends))
}

/// A policy counts from the size at the start of its period, and changes the
/// other way have moved that.
pub(super) fn period(case: &Case, trace: &Trace) -> Option<Finding> {
    let (limit, current) = (trace.limit.as_ref()?, trace.size()?);
    let side = side(limit)?;
    let policy = limit.policies.iter().find(|policy| policy.selected)?;
    // More than the policy's own share shows that the start was moved.
    let moved = i64::from(limit.result).abs_diff(current.into());
    if !limit.slows() && moved <= moves(policy) {
        return None;
    }
    let since = seconds_text(policy.period_seconds.into());
    let (other_way, verb) = match limit.rule {
        Rule::LimitScaleUp => (policy.removed, "removed"),
        _ => (policy.added, "added"),
    };
    let start = policy.period_start;
    let text = policy_text(policy);
    let message = if other_way != 0 && start != current {
        let were = plural(other_way, "pod was", "pods were");
        format!(
            "{side} policy {text} counts from {start}, not {current}, because {other_way} {were} {verb} \
             within its period",
        )
    } else {
        let left_out = left_out(case, limit, policy)?;
        format!(
            "{side} policy {text} counts from {start}: up to {}, the {left_out} {verb} within {since} \
             are left out",
            last_without(Switch::PeriodStartFromBothDirections)
        )
    };
    Some(
        Finding::new(Code::PolicyPeriod, message)
            .fact(
                "the size at the start of the period",
                format!(
                    "{current} now - {} added + {} removed = {start}",
                    policy.added, policy.removed
                ),
            )
            .fact("the limit", &policy.formula),
    )
}

/// What was changed the other way within the period, where the release does
/// not count it.
fn left_out(case: &Case, limit: &LimitRecord, policy: &PolicyRecord) -> Option<i32> {
    let release = case.settings.release;
    if release.has(Switch::PeriodStartFromBothDirections) {
        return None;
    }
    let memory = case.memory;
    let events = match limit.rule {
        Rule::LimitScaleUp => memory.scale_down_events.as_ref()?,
        _ => memory.scale_up_events.as_ref()?,
    };
    let cutoff = case.now.as_nanosecond() - Nanos::from(policy.period_seconds) * SECOND;
    let recent = events.iter().filter(|event| event.at > cutoff);
    let sum = recent.fold(0_i32, |sum, event| sum.saturating_add(event.change));
    (sum != 0).then_some(sum)
}

/// A Percent policy allows less, or more, than it seems to.
pub(super) fn percent(case: &Case, trace: &Trace) -> Option<Finding> {
    let limit = trace.limit.as_ref()?;
    let side = side(limit)?;
    from_zero(trace, limit)
        .or_else(|| smallest(limit, side))
        .or_else(|| rounded(limit, side))
        .or_else(|| unlimited(case, trace, limit))
}

/// A share of nothing is nothing.
fn from_zero(trace: &Trace, limit: &LimitRecord) -> Option<Finding> {
    let is_stuck = limit.rule == Rule::LimitScaleUp
        && trace.size() == Some(0)
        && trace.outcome.desired_replicas == Some(0)
        && limit.slows();
    let is_share =
        |policy: &&PolicyRecord| policy.kind == PolicyKind::Percent && policy.period_start == 0;
    let policy = limit.policies.iter().find(is_share).filter(|_| is_stuck)?;
    let policy = policy_text(policy);
    let message = format!("scaleUp policy {policy} of 0 pods is 0, so the target stays at 0");
    Some(Finding::new(Code::PercentTrap, message).patch(
        "allow the first pods to start (the largest change counts)",
        &json!({"spec": {"behavior": {"scaleUp": {
            "selectPolicy": "Max",
            "policies": [
                {"type": "Pods", "value": 2, "periodSeconds": 15},
                {"type": "Percent", "value": 100, "periodSeconds": 15},
            ],
        }}}}),
    ))
}

/// With `selectPolicy: Min` a share of few pods is what counts.
fn smallest(limit: &LimitRecord, side: Direction) -> Option<Finding> {
    if limit.select_policy != Some(SelectPolicy::Min) || !limit.slows() {
        return None;
    }
    let is_share = |it: &&PolicyRecord| it.selected && it.kind == PolicyKind::Percent;
    let share = limit.policies.iter().find(is_share)?;
    let others = limit.policies.iter().filter(|policy| !policy.selected);
    let other = others.max_by_key(|policy| moves(policy))?;
    if moves(other) < 2 * moves(share) {
        return None;
    }
    let message = format!(
        "{side}.selectPolicy Min chooses {} ({} here) instead of {}",
        policy_text(share),
        counted(moves(share), "pod"),
        policy_text(other)
    );
    let finding = Finding::new(Code::PercentTrap, message)
        .fact(policy_text(share), &share.formula)
        .fact(policy_text(other), &other.formula)
        .patch(
            "choose the policy with the largest change instead",
            &json!({"spec": {"behavior": {side.field(): {"selectPolicy": "Max"}}}}),
        );
    Some(finding.info_if(side == Direction::Down))
}

/// A share of few pods is rounded to a whole one.
fn rounded(limit: &LimitRecord, side: Direction) -> Option<Finding> {
    let policy = limit.policies.iter().find(|policy| policy.selected)?;
    let (start, moved) = (u64::try_from(policy.period_start).ok()?, moves(policy));
    let percent = moved.saturating_mul(100).checked_div(start)?;
    let seems = u64::try_from(policy.value).ok()?;
    // One pod is the least that can go.
    let is_least = side == Direction::Down && moved <= 1;
    if policy.kind != PolicyKind::Percent || !limit.slows() || 2 * percent < 3 * seems || is_least {
        return None;
    }
    let message = format!(
        "{side} policy {} of {start} is {}, which is {percent}%: {WHOLE_PODS}",
        policy_text(policy),
        counted(moved, "pod")
    );
    let finding = Finding::new(Code::PercentTrap, message).at_most(Severity::Info);
    Some(finding.fact(policy_text(policy), &policy.formula))
}

/// All of the pods are a share, too: beside it no other policy limits
/// anything.
fn unlimited(case: &Case, trace: &Trace, limit: &LimitRecord) -> Option<Finding> {
    let is_all = |kind, value| kind == Some(PolicyKind::Percent) && value >= 100;
    let is_idle = |policy: &PolicyRecord| is_all(Some(policy.kind), policy.value);
    let applies =
        limit.rule == Rule::LimitScaleDown && limit.select_policy == Some(SelectPolicy::Max);
    let all = limit.policies.iter().find(|policy| is_idle(policy));
    let all = all.filter(|_| applies)?;
    let other = limit.policies.iter().find(|policy| !is_idle(policy))?;
    let size = trace.outcome.desired_replicas?;
    let limited = case.under(trace, |spec| {
        let down = spec.behavior.as_mut().and_then(|it| it.scale_down.as_mut());
        if let Some(policies) = down.and_then(|down| down.policies.as_mut()) {
            policies.retain(|policy| !is_all(policy.kind.known(), policy.value));
        }
    })?;
    if limited == size {
        return None;
    }
    let message = format!(
        "scaleDown policy {} does not limit the drop to {size}; without it, {} allows no less than {limited}",
        policy_text(all),
        policy_text(other)
    );
    Some(
        Finding::new(Code::PercentTrap, message)
            .fact(
                "spec.behavior.scaleDown.selectPolicy",
                "Max: the largest change counts",
            )
            .advice("remove the policy of 100 percent"),
    )
}

/// Fewer pods than this go at any time.
const MANY: i32 = 4;

/// Half of the pods or more go at once, because nothing limits that.
pub(super) fn sudden_drop(case: &Case, trace: &Trace) -> Option<Finding> {
    let (current, size) = (trace.size()?, trace.outcome.desired_replicas?);
    let limit = trace.limit.as_ref();
    if limit.is_some_and(LimitRecord::slows) {
        return None;
    }
    // Above maxReplicas nothing could limit it.
    if trace.recommended().is_none() || current.saturating_sub(size) < MANY || size > current / 2 {
        return None;
    }
    let first = case.under(trace, |spec| {
        let policy = ScalingPolicy::new(PolicyKind::Percent, 10, 60);
        spec.rules_mut(Direction::Down).policies = Some(vec![policy]);
    });
    if first.is_none_or(|first| first <= size) {
        return None;
    }
    let message = format!(
        "the size goes from {current} to {size} at once; no scaleDown policy limits this drop"
    );
    Some(Finding::new(Code::SuddenDrop, message).patch(
        "limit scale-downs to 10% per minute",
        &json!({"spec": {"behavior": {"scaleDown": {
            "policies": [{"type": "Percent", "value": 10, "periodSeconds": 60}],
        }}}}),
    ))
}

/// By how many pods a policy lets the size change within its period.
fn moves(policy: &PolicyRecord) -> u64 {
    i64::from(policy.limit).abs_diff(policy.period_start.into())
}
