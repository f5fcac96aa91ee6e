//! The beat of the passes: each comes a sync period after the one before it, at
//! the earliest.

use crate::controller::{Nanos, SECOND};
use crate::history::recall::restarts::between;
use crate::history::recall::written::QueuedBy;
use crate::history::span::Span;

use super::pass::CertainPass;
use super::unrecorded::Regular;
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

/// The next pass, and the beat of those before it.
#[derive(Clone, Debug)]
pub struct Beat {
    next: Nanos,
    period: Nanos,
    /// Since when they keep it; nothing where they do not.
    since: Option<Nanos>,
    /// The passes that edits queued, off the beat.
    off: Vec<Span>,
}

impl Known<'_> {
    /// The beat, where the next pass is asked for: passes keep it as long as
    /// one process leads, and all known ones but those that edits queued lie
    /// whole periods apart.
    pub(super) fn beat(&self, regular: &[Regular], passes: &[CertainPass]) -> Option<Beat> {
        let next = self.next?;
        let period = self.rules.sync_period;
        let ends = regular.iter().map(|pass| pass.at.to);
        let ends: Vec<Nanos> = ends.chain([next]).collect();
        let mut pairs = ends.windows(2);
        let is_whole = pairs.all(|pair| matches!(between(pair[0], pair[1], period), Some(Ok(_))));
        let is_steady = is_whole && regular.iter().all(|pass| pass.is_steady);
        let since = || {
            let (first, last) = (regular.first()?, regular.last()?);
            let is_led = self.led_until.is_some_and(|until| last.at.from <= until);
            let started = self.led_since.filter(|_| is_led)? + STARTING;
            Some(first.at.from.max(started))
        };
        let off = passes.iter().filter(|it| it.queued_by == QueuedBy::Edit);
        Some(Beat {
            next,
            period,
            since: is_steady.then(since).flatten(),
            off: off.map(|pass| pass.at).collect(),
        })
    }
}

impl Beat {
    /// What a pass stored is older than the whole periods since. What was stored
    /// off the beat can be newer by a second, seen from the next pass: when that
    /// is due is known in whole seconds.
    pub fn settle(&self, entries: &mut [Entry]) {
        for Entry { bounded, .. } in entries {
            let is_off = |at: &Span| at.from <= bounded.to && bounded.from <= at.to;
            let Some(since) = self.since.filter(|_| !self.off.iter().any(is_off)) else {
                bounded.to = (bounded.to + SECOND).min(self.next - 1).max(bounded.to);
                continue;
            };
            let periods = (self.next - bounded.to + self.period / 2) / self.period;
            let latest = self.next - periods * self.period;
            if periods > 0 && bounded.from >= since && bounded.from <= latest {
                bounded.to = bounded.to.min(latest);
            }
        }
    }
}
