//! The coming minutes: the pass again and again, each on the size that the
//! one before it left, under a load that stays or that was recorded.

mod branches;
mod recorded;

use jiff::Timestamp;

use crate::controller::{
    Memory, Nanos, Prepared, SECOND, Settings, WhatIf, selected_pods, timestamp,
};
use crate::snapshot::Snapshot;
use crate::trace::{Average, Coming, ForecastLoad, Minutes, Range, Stopped};

use super::owners::foreign_pods;

use branches::{PassInputs, StopReason};
use recorded::{Replayed, of_others};

pub use recorded::Recorded;

pub(super) use branches::{Branches, Staying};

/// More passes than this are not run.
const MOST_PASSES: usize = 10_000;

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
            load: self.record.map_or(ForecastLoad::Constant, |record| {
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
) -> Coming {
    let prepared = Prepared::new(snapshot, settings);
    let foreign = foreign_pods(snapshot, selected_pods(snapshot).into_iter());
    let names = foreign.iter().map(|pod| pod.name.as_str()).collect();
    let start = now.as_nanosecond();
    let run = SideRun {
        memory,
        start,
        end: start + horizon.length(),
    };
    let Some(what_if) = WhatIf::new(&prepared, settings, start, &names) else {
        return Coming {
            changes: Range::of(0),
            reversals: Range::of(0),
            average_replicas: Average::default(),
            taken_constant: Vec::new(),
            stopped: Some(stopped(start, StopReason::NoScale)),
            passes: Vec::new(),
        };
    };
    let Some(record) = horizon.record else {
        let load = Staying {
            what_if: &what_if,
            first: start,
        };
        return run.follow(&what_if, load, |now| now + settings.pass_period());
    };
    let courses = record.courses(snapshot, now);
    let others = of_others(&prepared, &names);
    let pods = (&prepared, &others);
    let load = Replayed::new(&what_if, pods, settings, now, &courses);
    let every = settings.sync_period_seconds();
    run.follow(&what_if, load, |now| {
        let second = i64::try_from((now - start) / SECOND).unwrap_or(i64::MAX);
        let mut models = courses.iter().flatten().map(|(_, model)| model);
        let next = models
            .next()
            .map_or(second + every, |it| it.next_pass(second, every));
        start + Nanos::from(next) * SECOND
    })
}

fn stopped(at: Nanos, why: StopReason) -> Stopped {
    Stopped {
        at: timestamp(at),
        why: why.to_string(),
    }
}

/// One side's time.
struct SideRun<'a> {
    memory: &'a Memory,
    start: Nanos,
    end: Nanos,
}

impl SideRun<'_> {
    /// Runs to the end, or to where it is not known how it goes on.
    fn follow<'w>(
        &self,
        what_if: &WhatIf,
        load: impl PassInputs<'w>,
        next: impl Fn(Nanos) -> Nanos,
    ) -> Coming {
        let memory = what_if.counting(self.memory, self.start);
        let mut ways = Branches::at(what_if.size(), memory, load);
        let mut now = self.start;
        let mut passes = Vec::new();
        let mut early = None;
        while now <= self.end && early.is_none() {
            match ways.pass(now) {
                Ok(_) if passes.len() == MOST_PASSES => {
                    early = Some(stopped(now, StopReason::TooManyPasses));
                }
                Ok(pass) => passes.push(pass),
                Err(why) => early = Some(stopped(now, why)),
            }
            now = next(now);
        }
        ways.reported(passes, what_if.taken_constant(), early)
    }
}
