//! How far the policies allow to go (`calculateScaleUpLimitWithScalingRules`,
//! `calculateScaleDownLimitWithBehaviors`).

use super::Normalization;
use crate::api::{PolicyKind, SelectPolicy};
use crate::controller::go::{ceil_to_i32, to_i32};
use crate::controller::memory::ScaleEvent;
use crate::controller::prepared::{Policy, Rules};
use crate::controller::release::Switch;
use crate::controller::time::{Nanos, SECOND, timestamp};
use crate::trace::{Direction, PolicyRecord, short};

/// How far one policy allows to go, and from where.
#[derive(Clone, Copy)]
pub struct PolicyLimit {
    pub replicas: i32,
    added: i32,
    removed: i32,
    uncounted: i32,
    pub period_start: i32,
}

impl Normalization<'_> {
    /// The count that the selected policy allows, before the bounds.
    pub(super) fn scale_limit(&self, direction: Direction, rules: &Rules) -> i32 {
        let policies = rules.policies.iter();
        let limits = policies.map(|policy| self.policy_limit(direction, policy).replicas);
        // The largest change is the highest count upwards, the lowest
        // downwards.
        match (rules.select, direction) {
            (SelectPolicy::Disabled, _) => self.current,
            (SelectPolicy::Max, Direction::Up) | (SelectPolicy::Min, Direction::Down) => {
                limits.max().unwrap_or(i32::MIN)
            }
            (SelectPolicy::Min, Direction::Up) | (SelectPolicy::Max, Direction::Down) => {
                limits.min().unwrap_or(i32::MAX)
            }
        }
    }

    /// Each policy with its numbers, where `limit` is what all of them allow.
    pub(super) fn policies(
        &self,
        direction: Direction,
        rules: &Rules,
        limit: i32,
    ) -> Vec<PolicyRecord> {
        let policies = rules.policies.iter().map(|policy| {
            let own = self.policy_limit(direction, policy);
            PolicyRecord {
                selected: rules.select != SelectPolicy::Disabled && own.replicas == limit,
                changes_at: self.gives_room_at(direction, policy).map(timestamp),
                ..own.record(direction, policy)
            }
        });
        policies.collect()
    }

    pub(super) fn policy_limit(&self, direction: Direction, policy: &Policy) -> PolicyLimit {
        let cutoff = self.now - Nanos::from(policy.period_seconds) * SECOND;
        let memory = self.memory;
        let added = change_since(memory.scale_up_events.as_deref(), cutoff);
        let removed = change_since(memory.scale_down_events.as_deref(), cutoff);
        let changed = added.wrapping_add(removed);
        let (added, removed) = self.counted(direction, added, removed);
        let period_start = self.current.wrapping_sub(added).wrapping_add(removed);
        PolicyLimit {
            replicas: self.limit_from(period_start, direction, policy),
            added,
            removed,
            uncounted: changed.wrapping_sub(added).wrapping_sub(removed),
            period_start,
        }
    }

    /// When so many changes have left the period that it starts from a size
    /// that gives room for more; those both ways can cancel out.
    fn gives_room_at(&self, direction: Direction, policy: &Policy) -> Option<Nanos> {
        let period = Nanos::from(policy.period_seconds) * SECOND;
        let changes = |events: &Option<Vec<ScaleEvent>>, sign: i64| {
            let recent = recent(events.as_deref(), self.now - period);
            let signed = recent.map(|event| (event.at, sign * i64::from(event.change)));
            signed.collect::<Vec<_>>()
        };
        // What was added and leaves moves the start up, what was removed down.
        let (counts_up, counts_down) = self.counted(direction, 1, 1);
        let mut leaving = changes(&self.memory.scale_up_events, counts_up.into());
        leaving.extend(changes(
            &self.memory.scale_down_events,
            -i64::from(counts_down),
        ));
        leaving.sort_unstable();
        let mut moved = 0;
        let mut moments = leaving.chunk_by(|(one, _), (other, _)| one == other);
        let first = moments.find(|together| {
            moved += together.iter().map(|(_, change)| change).sum::<i64>();
            match direction {
                Direction::Up => moved > 0,
                Direction::Down => moved < 0,
            }
        });
        first.map(|together| together[0].0 + period)
    }

    /// The changes that tell the size at the start of the period. Up to 1.24
    /// those the other way were left out.
    fn counted(&self, direction: Direction, added: i32, removed: i32) -> (i32, i32) {
        let both = self
            .settings
            .release
            .has(Switch::PeriodStartFromBothDirections);
        match direction {
            _ if both => (added, removed),
            Direction::Up => (added, 0),
            Direction::Down => (0, removed),
        }
    }

    /// Percentages are rounded up upwards and truncated downwards, after a
    /// division that is rounded, too: 100 + 10% is 111.
    pub(super) fn limit_from(&self, start: i32, direction: Direction, policy: &Policy) -> i32 {
        let release = self.settings.release;
        let share = f64::from(policy.value) / 100.0;
        match (policy.kind, direction) {
            (PolicyKind::Pods, Direction::Up) => start.wrapping_add(policy.value),
            (PolicyKind::Pods, Direction::Down) => start.wrapping_sub(policy.value),
            (PolicyKind::Percent, Direction::Up) => {
                ceil_to_i32(f64::from(start) * (1.0 + share), release)
            }
            (PolicyKind::Percent, Direction::Down) => to_i32(f64::from(start) * (1.0 - share)),
        }
    }
}

/// `getReplicasChangePerPeriod`: the sum of the changes after the cutoff.
fn change_since(events: Option<&[ScaleEvent]>, cutoff: Nanos) -> i32 {
    recent(events, cutoff).fold(0, |sum: i32, event| sum.wrapping_add(event.change))
}

/// The changes after the cutoff.
fn recent(events: Option<&[ScaleEvent]>, cutoff: Nanos) -> impl Iterator<Item = &ScaleEvent> {
    let events = events.unwrap_or_default().iter();
    events.filter(move |event| event.at > cutoff)
}

impl PolicyLimit {
    /// The record of a policy that was not selected.
    fn record(self, direction: Direction, policy: &Policy) -> PolicyRecord {
        let (start, value, limit) = (self.period_start, policy.value, self.replicas);
        let formula = match policy.kind {
            PolicyKind::Pods => pods_formula(start, direction, value, limit),
            PolicyKind::Percent => percent_formula(start, direction, value, limit),
        };
        PolicyRecord {
            kind: policy.kind,
            value,
            period_seconds: policy.period_seconds,
            added: self.added,
            removed: self.removed,
            uncounted: Some(self.uncounted).filter(|it| *it != 0),
            period_start: start,
            limit,
            selected: false,
            changes_at: None,
            formula,
        }
    }
}

fn pods_formula(start: i32, direction: Direction, value: i32, limit: i32) -> String {
    let (sign, exact) = match direction {
        Direction::Up => ('+', i64::from(start) + i64::from(value)),
        Direction::Down => ('-', i64::from(start) - i64::from(value)),
    };
    if exact == i64::from(limit) {
        return format!("{start} {sign} {value} = {limit}");
    }
    format!("{start} {sign} {value} overflows to {limit}")
}

/// The controller multiplies floating point numbers: where a calculator would
/// find another count, its product is shown.
fn percent_formula(start: i32, direction: Direction, value: i32, limit: i32) -> String {
    let share = f64::from(value) / 100.0;
    let (name, factor, percent) = match direction {
        Direction::Up => ("ceil", 1.0 + share, 100 + i64::from(value)),
        Direction::Down => ("trunc", 1.0 - share, 100 - i64::from(value)),
    };
    let hundredths = i64::from(start) * percent;
    let exact = match direction {
        Direction::Up => hundredths.div_euclid(100) + i64::from(hundredths.rem_euclid(100) != 0),
        Direction::Down => hundredths / 100,
    };
    let factor_text = short(factor, 4);
    if exact == i64::from(limit) {
        return format!("{name}({start} × {factor_text}) = {limit}");
    }
    let product = f64::from(start) * factor;
    let rounded = match direction {
        Direction::Up => product.ceil(),
        Direction::Down => product.trunc(),
    };
    if rounded.total_cmp(&f64::from(limit)).is_eq() {
        return format!("{name}({product}) = {limit}, {start} × {factor_text} in floating point");
    }
    format!("{name}({start} × {factor_text}) overflows to {limit}")
}

#[cfg(test)]
mod tests {
    use super::{percent_formula, pods_formula};
    use crate::trace::Direction::{Down, Up};

    #[test]
    fn formulas_hold() {
        let rows = [
            (percent_formula(10, Up, 10, 11), "ceil(10 × 1.1) = 11"),
            (percent_formula(20, Down, 10, 18), "trunc(20 × 0.9) = 18"),
            (
                percent_formula(50, Up, 14, 58),
                "ceil(57.00000000000001) = 58, 50 × 1.14 in floating point",
            ),
            (
                percent_formula(20, Down, 90, 1),
                "trunc(1.9999999999999996) = 1, 20 × 0.1 in floating point",
            ),
            (
                percent_formula(i32::MAX, Up, 100, i32::MIN),
                "ceil(2147483647 × 2) overflows to -2147483648",
            ),
            (pods_formula(10, Up, 4, 14), "10 + 4 = 14"),
            (
                pods_formula(i32::MAX, Up, 1, i32::MIN),
                "2147483647 + 1 overflows to -2147483648",
            ),
        ];
        for (formula, text) in rows {
            assert_eq!(formula, text);
        }
    }
}
