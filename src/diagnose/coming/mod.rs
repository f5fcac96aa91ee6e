//! The coming minutes: the pass again and again, each on the size that the
//! one before it left, under a load that stays or that was recorded.

mod recorded;
mod ways;

use jiff::Timestamp;

use crate::controller::{
    Demand, Memory, Nanos, Prepared, SECOND, Settings, WhatIf, selected_pods, timestamp,
};
use crate::snapshot::Snapshot;
use crate::trace::{Coming, LoadAhead, Minutes, Stopped};

use super::owners::foreign_pods;

pub use recorded::Recorded;

pub(super) use ways::Ways;

/// More passes than this are not run.
const MOST_PASSES: usize = 10_000;

const NO_SCALE: &str = "the scale cannot be read";
const TOO_MANY: &str = "10000 passes were run, and more are not";

/// How far to look ahead, and on which load.
#[derive(Clone, Copy, Debug)]
pub struct Horizon<'a> {
    /// How much time, in seconds.
    pub seconds: i64,
    /// What was recorded of it; without it the load stays as it is.
    pub record: Option<&'a Recorded>,
}

impl Horizon<'_> {
    /// What is the same for every side.
    pub(super) fn minutes(self, settings: &Settings, start: Timestamp) -> Minutes {
        let end = start.as_nanosecond() + self.length();
        Minutes {
            seconds: self.seconds,
            every_seconds: settings.sync_period_seconds(),
            load: self.record.map_or(LoadAhead::Constant, |record| {
                record.load(start.as_nanosecond(), end)
            }),
        }
    }

    fn length(self) -> Nanos {
        Nanos::from(self.seconds) * SECOND
    }
}

/// Runs the passes of a side from a moment on, the first one on the inputs as
/// they are, with what the controller remembers before it.
pub(super) fn coming(
    snapshot: &Snapshot,
    settings: &Settings,
    memory: &Memory,
    now: Timestamp,
    horizon: Horizon,
    place: usize,
) -> Coming {
    let prepared = Prepared::new(snapshot, settings);
    let foreign = foreign_pods(snapshot, selected_pods(snapshot).into_iter());
    let names = foreign.iter().map(|pod| pod.name.as_str()).collect();
    let start = now.as_nanosecond();
    let Some(what_if) = WhatIf::new(&prepared, settings, start, &names) else {
        let ways = Ways::at(0, Memory::default());
        return ways.told(Vec::new(), Vec::new(), Some(stopped(start, NO_SCALE)));
    };
    let run = Run {
        what_if: &what_if,
        every: settings.pass_period(),
        start,
        end: start + horizon.length(),
        load: |now| horizon.record.and_then(|record| record.demand(place, now)),
    };
    run.follow(memory)
}

fn stopped(at: Nanos, why: &'static str) -> Stopped {
    Stopped {
        at: timestamp(at),
        why,
    }
}

/// One side's time.
struct Run<'a, L> {
    what_if: &'a WhatIf<'a>,
    every: Nanos,
    start: Nanos,
    end: Nanos,
    /// The load that a pass finds; the one at the start where there is none.
    load: L,
}

impl<'r, L> Run<'_, L>
where
    L: Fn(Nanos) -> Option<&'r Demand>,
{
    /// Runs to the end, or to where it is not known how it goes on.
    fn follow(&self, memory: &Memory) -> Coming {
        let mut ways = Ways::at(self.what_if.size(), memory.clone());
        let mut now = self.start;
        let mut passes = Vec::new();
        let mut early = None;
        while now <= self.end && early.is_none() {
            match ways.pass(now, |size| self.at(now, size)) {
                Ok(_) if passes.len() == MOST_PASSES => early = Some(stopped(now, TOO_MANY)),
                Ok(pass) => passes.push(pass),
                Err(why) => early = Some(stopped(now, why)),
            }
            now += self.every;
        }
        ways.told(passes, self.what_if.taken_constant(), early)
    }

    /// The metrics at a moment, at a size. What is set aside now may be so no
    /// more at the second pass.
    fn at(&self, now: Nanos, size: i32) -> Option<WhatIf<'_>> {
        match (self.load)(now) {
            _ if now == self.start => Some(self.what_if.clone()),
            Some(demand) => self.what_if.under_demand(demand).at_size(size),
            None => self.what_if.at_size(size),
        }
    }
}
