//! A change that was carried out is remembered (`storeScaleEvent`).

use crate::controller::memory::{Memory, ScaleEvent};
use crate::controller::prepared::{Rules, Spec};
use crate::controller::time::{Nanos, SECOND};

/// Stores a change of the scale, unless the spec has no `behavior`.
///
/// A slot is reused once it is older than the longest period of its own
/// direction, even where the other direction still looks back further.
pub fn store_scale_event(memory: &mut Memory, spec: &Spec, from: i32, to: i32, now: Nanos) {
    let Some(behavior) = &spec.behavior else {
        return;
    };
    let change = to.wrapping_sub(from).wrapping_abs();
    let (events, rules) = if to > from {
        (&mut memory.scale_up_events, &behavior.scale_up)
    } else {
        (&mut memory.scale_down_events, &behavior.scale_down)
    };
    let Some(events) = events else {
        for account in &mut memory.accounts {
            account.store_change(to > from, change, now);
        }
        return;
    };
    let slot = mark_outdated(events, now - longest_period(rules));
    let event = ScaleEvent {
        change,
        at: now,
        outdated: false,
    };
    match slot {
        Some(slot) => events[slot] = event,
        None => events.push(event),
    }
}

fn longest_period(rules: &Rules) -> Nanos {
    let periods = rules.policies.iter().map(|policy| policy.period_seconds);
    Nanos::from(periods.max().unwrap_or(0).max(0)) * SECOND
}

/// Marks what is older than the cutoff for good and returns the last slot
/// that is marked.
fn mark_outdated(events: &mut [ScaleEvent], cutoff: Nanos) -> Option<usize> {
    let mut slot = None;
    for (index, event) in events.iter_mut().enumerate() {
        event.outdated |= event.at < cutoff;
        if event.outdated {
            slot = Some(index);
        }
    }
    slot
}
