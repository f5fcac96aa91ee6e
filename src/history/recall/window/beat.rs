//! The beat of the passes: each comes a sync period after the one before it, at
//! the earliest.

use crate::controller::{Nanos, SECOND};
use crate::history::recall::restarts::between;

use super::pass::CertainPass;
use super::{Entry, Known};

/// For so long after its start a controller's passes can lie a little less than
/// a period apart. A period begins with the first news of the HPA since the
/// pass before it began. That is its end, unless the controller's own cache
/// tells of all HPAs anew just then; it does so once in a period, at first
/// together with the passes, until these have fallen behind. Of two recorded
/// controllers, passes lay up to 0.5 s less than a period apart in the five
/// minutes after a start; later 5 of 1,000 did, by 0.05 s at most.
///
/// For these 5 no room is left, although the prediction of such a pass can miss:
/// one that is both early and just as old as a window after its entry finds that
/// entry still. Of 339 recorded passes whose inputs did not move none was missed;
/// with 0.05 s of room 17 of the 336 that are foreseen exactly would be no more
/// than a range, for at most windows a pass is due when an entry leaves them. A
/// prediction is held against the pass, and a miss is told; nothing else rests on
/// the beat.
const STARTING: Nanos = 360 * SECOND;

/// The next pass, and those before it that kept the beat.
#[derive(Clone, Copy, Debug)]
pub struct Beat {
    next: Nanos,
    period: Nanos,
    since: Nanos,
}

impl Known<'_> {
    /// The beat, where the next pass is asked for, all known ones lie whole
    /// periods apart, and one process led all the time.
    pub(super) fn beat(&self, passes: &[CertainPass]) -> Option<Beat> {
        let (next, since) = (self.next?, self.led_since?);
        let period = self.rules.sync_period;
        let (first, last) = (passes.first()?, passes.last()?);
        let is_led = self.led_until.is_some_and(|until| last.at.from <= until);
        let ends = passes.iter().map(|pass| pass.at.to);
        let ends: Vec<Nanos> = ends.chain([next]).collect();
        let mut pairs = ends.windows(2);
        let is_steady = pairs.all(|pair| matches!(between(pair[0], pair[1], period), Some(Ok(_))));
        (is_led && is_steady && !self.rules.may_be_at_once(first.at.from)).then_some(Beat {
            next,
            period,
            since: first.at.from.max(since + STARTING),
        })
    }
}

impl Beat {
    /// What a pass stored is older than the whole periods since.
    pub fn settle(&self, entries: &mut [Entry]) {
        for Entry { bounded, .. } in entries {
            let periods = (self.next - bounded.to + self.period / 2) / self.period;
            let latest = self.next - periods * self.period;
            if periods > 0 && bounded.from >= self.since && bounded.from <= latest {
                bounded.to = bounded.to.min(latest);
            }
        }
    }
}
