//! The coming minutes, pass by pass, if the load stays.

use crate::controller::{Memory, SECOND, WhatIf, timestamp};
use crate::trace::{Coming, ComingPass};

use super::super::Case;

/// More passes than this are not run.
const MOST_PASSES: usize = 10_000;

/// Runs the passes of so many seconds. `None` where what cannot be seen
/// decides, or the load at another size is not known.
pub(super) fn coming(case: &Case, what_if: &WhatIf, current: i32, seconds: i64) -> Option<Coming> {
    let every = case.settings.sync_period.max(SECOND);
    let start = case.now.as_nanosecond();
    let end = start + i128::from(seconds) * SECOND;
    let takes_memory_as_empty = !case.memory.is_known();
    let mut memory = if takes_memory_as_empty {
        Memory::empty()
    } else {
        case.memory.clone()
    };
    memory.seed(current, start);
    let mut passes = Vec::new();
    let mut size = current;
    let mut there = what_if.clone();
    let mut now = start;
    while now <= end && passes.len() < MOST_PASSES {
        let passed = there.pass(&mut memory, now)?;
        passes.push(ComingPass {
            at: timestamp(now),
            current_replicas: size,
            asked: passed.asked,
            replicas: passed.replicas,
            held_by: passed.held_by.map(|reason| reason.as_str()),
        });
        // What is set aside now may be so no more at the second pass.
        if passes.len() == 1 || passed.replicas != size {
            size = passed.replicas;
            there = what_if.at_size(size)?;
        }
        now += every;
    }
    Some(Coming {
        seconds,
        every_seconds: i64::try_from(every / SECOND).unwrap_or(i64::MAX),
        takes_memory_as_empty,
        passes,
    })
}
