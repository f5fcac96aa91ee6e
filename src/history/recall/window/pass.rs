//! The passes that ran for certain, and what each stored; and their beat: each
//! comes a sync period after the one before it, at the earliest.

use super::Known;
use super::unrecorded::Regular;
use crate::controller::{Nanos, SECOND, timestamp};
use crate::history::recall::outcome::text;
use crate::history::recall::{
    CLOSER, Entry, Implied, Normalized, Outcome, QueuedBy, Scaling, between,
};
use crate::history::{Span, Stored};
use crate::trace::{Evidence, EvidenceKind, Notice, NoticeKind, Range};

/// How much earlier than its event a rescale's recommendation is stored: the
/// scale is written in between.
const BEFORE_EVENT: Nanos = 2 * SECOND;

/// A pass that ran for certain.
#[derive(Clone, Debug)]
pub struct CertainPass {
    pub at: Span,
    /// What it stored; nothing where it stored none.
    pub implied: Option<Implied>,
    /// Whether it wrote a status that was seen.
    pub is_written: bool,
    /// Whether its status tells what it measured.
    pub is_measured: bool,
    /// The generation of its spec, and what queued it, where a status tells.
    pub generation: Option<i64>,
    pub queued_by: QueuedBy,
    /// Where it is known from.
    pub evidence: Evidence,
}

impl Known<'_> {
    /// The passes that ran for certain, the oldest first.
    pub(super) fn passes(&self, notices: &mut Vec<Notice>) -> Vec<CertainPass> {
        let passes = self.rescales.known.iter();
        let passes = passes.map(|it| self.rescaled(it, notices));
        let mut passes: Vec<CertainPass> = passes.collect();
        let logged = self.logged.passes.iter();
        passes.extend(logged.map(|(at, replicas)| logged_pass(*at, *replicas)));
        passes.extend(self.written.iter().map(|written| {
            if written.contradicts_itself() {
                let says = format!(
                    "no pass can lead to the current status: {} from {}, {}",
                    written.status.desired_replicas,
                    written.status.current_replicas,
                    written.able_to_scale()
                );
                notices.push(contradiction(written.at, says, written.evidence()));
            }
            let mut implied = match written.normalized() {
                // Its windows were those of an older spec.
                Normalized::Stored(implied) | Normalized::StoredOnce(implied)
                    if self.rules.is_edited_since(written.at.from) =>
                {
                    let own = implied.own;
                    let nothing = Implied::NOTHING;
                    Some(Implied { own, ..nothing })
                }
                Normalized::Stored(implied) | Normalized::StoredOnce(implied) => Some(implied),
                Normalized::Nothing => None,
                Normalized::Unknown => Some(Implied::NOTHING),
            };
            let measured = implied.as_mut().zip(written.reported);
            let is_measured = measured.is_some_and(|(implied, reported)| {
                let both = implied.own.meet(reported);
                implied.own = both.unwrap_or(implied.own);
                both.is_some()
            });
            CertainPass {
                at: written.at,
                implied,
                is_written: true,
                is_measured,
                generation: written.status.observed_generation,
                queued_by: written.queued_by,
                evidence: written.evidence(),
            }
        }));
        passes.retain(|pass| self.since.is_none_or(|since| self.is_since(pass.at, since)));
        passes.sort_by_key(|pass| pass.at);
        // The last two of before that no edit queued tell when those after them
        // ran.
        let oldest = self.horizon() - self.rules.longest_window();
        let older = passes.partition_point(|pass| pass.at.to < oldest);
        let regular = passes[..older].iter().enumerate().rev();
        let mut regular = regular.filter(|(_, pass)| pass.queued_by != QueuedBy::Edit);
        let first = regular.nth(1).map_or(0, |(index, _)| index);
        passes.drain(..first);
        // What was written tells passes apart, however close an edit brings them.
        let (mut merged, others): (Vec<_>, Vec<_>) =
            passes.into_iter().partition(|it| it.is_written);
        for pass in others {
            let nearest = merged.iter_mut().min_by_key(|it| it.at.gap(pass.at));
            match nearest.filter(|it| it.is_same(&pass, self.rules.sync_period)) {
                Some(nearest) => nearest.merge(pass, notices),
                None => merged.push(pass),
            }
        }
        merged.sort_by_key(|pass| pass.at);
        for pass in &mut merged {
            self.narrow(pass, notices);
        }
        merged
    }

    /// Whether a pass is one of the controller that has led since then: it
    /// waits a whole period before its first.
    pub(super) fn is_since(&self, at: Span, since: Nanos) -> bool {
        if self.rules.is_at_once_on_edits {
            return at.from >= since;
        }
        at.to >= since + self.rules.sync_period - CLOSER
    }

    fn rescaled(&self, rescale: &Scaling, notices: &mut Vec<Notice>) -> CertainPass {
        let recommended = rescale.recommended();
        let implied = match rescale.after {
            _ if rescale.reason.is_outside() => None,
            Some(size) if !self.rules.is_edited_since(rescale.at.from) => {
                let outcome = Outcome {
                    has_behavior: self.rules.has_behavior,
                    current: self.sizes.before(rescale.at),
                    desired: size,
                    able_to_scale: None,
                    limited: self.rescaled_unlimited(rescale.at).then_some((false, None)),
                    recommended,
                };
                Some(outcome.implied().unwrap_or_else(|| {
                    let before = outcome.current.unwrap_or_default();
                    let says = format!(
                        "no rescale from {before} can have this event: {}",
                        rescale.message
                    );
                    notices.push(contradiction(rescale.at, says, rescale.evidence()));
                    Implied::NOTHING
                }))
            }
            _ => Some(Implied::NOTHING),
        };
        CertainPass {
            at: rescale.at.widened(BEFORE_EVENT, SECOND),
            implied,
            is_written: false,
            is_measured: false,
            generation: None,
            queued_by: QueuedBy::Period,
            evidence: rescale.evidence(),
        }
    }

    /// What the samples say of a pass.
    fn narrow(&self, pass: &mut CertainPass, notices: &mut Vec<Notice>) {
        // What was measured need not be what was sampled before or after.
        if pass.is_measured || pass.evidence.kind == EvidenceKind::ControllerLog {
            return;
        }
        let Some(implied) = &mut pass.implied else {
            return;
        };
        match self.sampled(pass.at) {
            Some(Stored::Within(range)) => match implied.own.meet(range) {
                Some(own) => implied.own = own,
                None => notices.push(contradiction(
                    pass.at,
                    format!(
                        "a pass recommended {} by its outcome, but {} by the sampled inputs",
                        text(implied.own),
                        text(range)
                    ),
                    pass.evidence.clone(),
                )),
            },
            Some(Stored::None | Stored::Unknown) | None => {}
        }
    }

    /// What a pass stored, within what all passes say of it.
    pub(super) fn entry(&self, pass: &CertainPass, passes: &[CertainPass]) -> Option<Entry> {
        let implied = pass.implied.as_ref()?;
        let range = self.universal(pass.at, implied.own, passes);
        let at = Span::new(pass.at.from, pass.at.to.min(self.now - 1));
        Some(Entry::within(at, range, true, pass.evidence.clone()))
    }
}

impl CertainPass {
    /// Passes lie a sync period apart, so what lies closer is one.
    fn is_same(&self, other: &Self, sync_period: Nanos) -> bool {
        self.at.gap(other.at) < (sync_period - CLOSER).max(0) / 2
    }

    /// Two pieces of evidence of one pass.
    fn merge(&mut self, other: Self, notices: &mut Vec<Notice>) {
        let at = self.at.meet(other.at).unwrap_or(Span::new(
            self.at.from.min(other.at.from),
            self.at.to.max(other.at.to),
        ));
        self.at = at;
        self.is_written |= other.is_written;
        self.is_measured |= other.is_measured;
        if self.generation.is_none() {
            (self.generation, self.queued_by) = (other.generation, other.queued_by);
        }
        // The log tells what was, whatever else is concluded.
        let is_logged = |pass: &Self| pass.evidence.kind == EvidenceKind::ControllerLog;
        if is_logged(&other) || is_logged(self) {
            if is_logged(&other) {
                *self = other;
            }
            return;
        }
        let (Some(implied), Some(more)) = (&mut self.implied, other.implied) else {
            // One that tells more of why nothing was stored.
            self.implied = None;
            return;
        };
        match implied.own.meet(more.own) {
            Some(own) => implied.own = own,
            None => notices.push(contradiction(
                at,
                format!(
                    "two recommendations are on record for one pass: {} and {}",
                    text(implied.own),
                    text(more.own)
                ),
                other.evidence.clone(),
            )),
        }
        implied.down_at_most = implied.down_at_most.min(more.down_at_most);
        implied.up_at_least = implied.up_at_least.max(more.up_at_least);
        implied.earlier_at_least = implied.earlier_at_least.max(more.earlier_at_least);
        implied.earlier_at_most = match (implied.earlier_at_most, more.earlier_at_most) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        if self.evidence.kind != EvidenceKind::Event {
            self.evidence = other.evidence;
        }
    }
}

/// A pass that the controller logged: the recommendation is stored within
/// moments of the line.
fn logged_pass(at: Nanos, replicas: i32) -> CertainPass {
    CertainPass {
        at: Span::at(at),
        implied: Some(Implied {
            own: Range::of(replicas.max(0)),
            ..Implied::NOTHING
        }),
        is_written: false,
        is_measured: true,
        generation: None,
        queued_by: QueuedBy::Period,
        evidence: Evidence::at(EvidenceKind::ControllerLog, timestamp(at), ""),
    }
}

fn contradiction(at: Span, says: String, source: Evidence) -> Notice {
    Notice {
        kind: NoticeKind::Contradiction,
        from: Some(timestamp(at.from)),
        to: timestamp(at.to),
        says,
        source,
    }
}

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
