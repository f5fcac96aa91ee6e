//! The coming minutes: the pass again and again, each on the size that the
//! one before it left, under a load that stays or that was recorded.

mod recorded;

use jiff::Timestamp;

use crate::controller::{
    Demand, Edge, Memory, Nanos, Prepared, Reason, SECOND, Settings, WhatIf, timestamp,
};
use crate::trace::{Coming, ComingPass, Course, LoadAhead, Minutes, Stopped};

use super::Case;
use super::owners::foreign_pods;

pub use recorded::Recorded;

/// More passes than this are not run.
const MOST_PASSES: usize = 10_000;

const NO_SCALE: &str = "the scale cannot be read";
const UNREADABLE: &str = "a metric that may not be read can ask for more";
const NO_POD: &str = "no pod counts, so how the load spreads over others is not known";
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
            every_seconds: i64::try_from(every(settings) / SECOND).unwrap_or(i64::MAX),
            load: self.record.map_or(LoadAhead::Constant, |record| {
                record.load(start.as_nanosecond(), end)
            }),
        }
    }

    fn length(self) -> Nanos {
        Nanos::from(self.seconds) * SECOND
    }
}

/// The time between two passes.
fn every(settings: &Settings) -> Nanos {
    settings.sync_period.max(SECOND)
}

/// Runs the passes of a side, the first one on the inputs as they are. Where
/// the memory is open, once at each end of what it leaves.
pub(super) fn coming(case: &Case, horizon: Horizon, place: usize) -> Coming {
    let prepared = Prepared::new(case.snapshot, case.settings);
    let foreign = foreign_pods(case.snapshot, case.selected.iter().copied());
    let names = foreign.iter().map(|pod| pod.name.as_str()).collect();
    let start = case.now.as_nanosecond();
    let Some(what_if) = WhatIf::new(&prepared, case.settings, start, &names) else {
        return stopped(start, NO_SCALE);
    };
    let run = Run {
        what_if: &what_if,
        every: every(case.settings),
        start,
        end: start + horizon.length(),
        load: |now| horizon.record.and_then(|record| record.demand(place, now)),
    };
    let (least, early) = run.course(case.memory, Edge::Least);
    let mut coming = Coming {
        courses: vec![least],
        taken_constant: what_if.taken_constant(),
        stopped: early,
    };
    if !case.memory.is_known() {
        let (most, early) = run.course(case.memory, Edge::Most);
        coming.stopped = coming.stopped.or(early);
        if !coming.courses.contains(&most) {
            coming.courses.push(most);
        }
    }
    coming
}

fn stopped(at: Nanos, why: &'static str) -> Coming {
    Coming {
        courses: Vec::new(),
        taken_constant: Vec::new(),
        stopped: Some(Stopped {
            at: timestamp(at),
            why,
        }),
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
    fn course(&self, memory: &Memory, edge: Edge) -> (Course, Option<Stopped>) {
        let mut memory = memory.clone();
        let mut there = self.what_if.clone();
        let mut size = there.size();
        let mut now = self.start;
        let mut passes = Vec::new();
        let why = loop {
            if passes.len() == MOST_PASSES {
                break TOO_MANY;
            }
            let Some(left) = there.pass_at(&mut memory, now, edge) else {
                break UNREADABLE;
            };
            passes.push(ComingPass {
                at: timestamp(now),
                current_replicas: size,
                asked: left.asked,
                replicas: left.replicas,
                held_by: left.held_by.map(Reason::as_str),
            });
            size = left.replicas;
            now += self.every;
            if now > self.end {
                return (Course::of(passes), None);
            }
            let Some(next) = self.at(now, size) else {
                break NO_POD;
            };
            there = next;
        };
        let at = timestamp(now);
        (Course::of(passes), Some(Stopped { at, why }))
    }

    /// The metrics at a later moment, at a size.
    fn at(&self, now: Nanos, size: i32) -> Option<WhatIf<'_>> {
        match (self.load)(now) {
            Some(demand) => self.what_if.under_demand(demand).at_size(size),
            None => self.what_if.at_size(size),
        }
    }
}
