//! An HPA followed pass by pass: which passes there were, what was said of
//! each before it ran, and what each tells of the memory.

mod foresight;
mod passes;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::api::{HorizontalPodAutoscaler, HpaSpec, HpaStatus};
use crate::controller::Settings;
use crate::document::snapshot::Snapshot;
use crate::history::{Observer, explain_next};
use crate::trace::{Notice, NoticeKind, PassFigures, Range, Trace};
use foresight::Foresight;
use passes::{Inputs, Passes};

pub use passes::{Agreement, Pass};

/// The sync period until a sample tells it, and where it is none.
const PERIOD: SignedDuration = SignedDuration::from_secs(15);

/// An HPA that is followed.
#[derive(Default)]
pub struct Follower {
    begun: Timestamp,
    /// The status that was written last.
    latest: Written,
    period: Option<SignedDuration>,
    passes: Passes,
    foresight: Foresight,
    inputs: Inputs,
    leads: Leads,
    observer: Observer,
    /// The latest sample, unless what follows is no neighbor of it.
    sample: Option<(Arc<Snapshot>, Settings)>,
    /// Whether somebody asks what comes after the next pass: nobody does of what is past.
    pub(super) looks_ahead: bool,
}

/// What a sample adds.
#[derive(Debug, Default)]
pub struct Learned {
    /// Passes that wrote nothing, of which only the time tells.
    pub passes: Vec<Pass>,
    /// A pass that is known to have run on just the inputs of the sample.
    pub pass_at: Option<Timestamp>,
    /// What tells of restarts of the controller, as far back as its memory goes.
    pub restarts: Vec<Notice>,
}

/// A status, and when it was written, as far as the HPA says so.
#[derive(Clone, Debug, Default, PartialEq)]
struct Written {
    spec: Option<HpaSpec>,
    status: HpaStatus,
    at: Option<Timestamp>,
}

impl Written {
    fn of(hpa: &HorizontalPodAutoscaler) -> Self {
        Self {
            spec: Some(hpa.spec.clone()),
            status: hpa.status.clone(),
            at: hpa.status_written(),
        }
    }

    /// Whether it is about a newer spec than another was, where both say (1.37
    /// and later).
    fn is_first_of_spec_after(&self, other: &Self) -> bool {
        let generations = self.status.observed_generation;
        let generations = generations.zip(other.status.observed_generation);
        generations.is_some_and(|(this, other)| this > other)
    }

    fn is_of_the_same_pass(&self, other: &Self) -> bool {
        (self.at, &self.status) == (other.at, &other.status)
    }
}

impl Follower {
    /// Follows an HPA from a moment on. Passes before it are not told of.
    pub fn new(hpa: &HorizontalPodAutoscaler, begun: Timestamp) -> Self {
        let latest = Written::of(hpa);
        Self {
            begun,
            passes: Passes::since(latest.at),
            latest,
            looks_ahead: true,
            ..Self::default()
        }
    }

    /// The time from pass to pass.
    pub fn period(&self) -> SignedDuration {
        self.period.unwrap_or(PERIOD)
    }

    /// What was seen of earlier passes.
    pub fn observer(&self) -> &Observer {
        &self.observer
    }

    /// The latest sample, unless what follows is no neighbor of it.
    pub fn sample(&self) -> Option<(&Snapshot, &Settings)> {
        self.sample
            .as_ref()
            .map(|(snapshot, settings)| (&**snapshot, settings))
    }

    /// What was predicted of a pass of which nothing tells when it ran: it can have come up
    /// to a period before it was seen.
    pub(super) fn predicted_before(&self, at: Timestamp) -> Option<(Option<Range>, PassFigures)> {
        let period = self.period();
        let prediction = self.foresight.of(at, period.saturating_add(period))?;
        Some((prediction.expected, prediction.figures.clone()))
    }

    /// A state of the HPA that was written: that of a pass, unless the status
    /// is as it was. Passes before it may have written nothing.
    pub fn written(&mut self, hpa: &HorizontalPodAutoscaler, now: Timestamp) -> Vec<Pass> {
        let written = Written::of(hpa);
        if written.is_of_the_same_pass(&self.latest) {
            let is_edited = self.latest.spec != written.spec;
            self.latest = written;
            if is_edited {
                self.edited(hpa, now);
            }
            return Vec::new();
        }
        let at = written.at.unwrap_or(now);
        let before = if written.is_first_of_spec_after(&self.latest)
            && self.passes.is_off(at, self.period())
        {
            self.passes.unwritten(at, self.period())
        } else {
            self.passes.written(at, self.period())
        };
        self.leads.passed(at, self.period());
        let mut passes = self.inferred(before);
        self.latest = written;
        self.inputs.passed(at);
        passes.push(self.pass(at, false));
        passes
    }

    /// What is said of the next pass is said anew as soon as the HPA is edited:
    /// from 1.37 on it comes at once, before anything can be sampled.
    fn edited(&mut self, hpa: &HorizontalPodAutoscaler, now: Timestamp) {
        let Some((mut snapshot, settings)) = self.sample.clone() else {
            return;
        };
        Arc::make_mut(&mut snapshot).hpa = hpa.clone();
        let due = self.due(hpa, &settings, now);
        let next = self.next(&snapshot, &settings, due);
        self.foresight.note(now, true, &snapshot, &next);
    }

    fn next(&self, snapshot: &Snapshot, settings: &Settings, due: Timestamp) -> Trace {
        explain_next(snapshot, settings, due, &self.observer, self.looks_ahead)
    }

    /// When the next pass is due after a moment; that moment where no pass is
    /// known, and where an edit has queued one (1.37 and later).
    fn due(
        &self,
        hpa: &HorizontalPodAutoscaler,
        settings: &Settings,
        after: Timestamp,
    ) -> Timestamp {
        if settings.gates.generation && hpa.is_pass_of_older_spec() {
            return after;
        }
        let due = self.passes.due(after, self.period());
        let first = self.leads.first_due(self.period());
        first
            .filter(|it| *it >= after)
            .map_or(due, |it| it.max(due))
    }

    /// The HPA was deleted.
    pub fn deleted(&mut self) {
        self.latest = Written::default();
        self.passes = Passes::default();
    }

    /// What was sampled before is no neighbor of what will be. Hands out the latest
    /// sample.
    pub fn lost(&mut self) -> Option<Arc<Snapshot>> {
        self.inputs.unknown();
        self.observer.gap();
        self.sample.take().map(|(snapshot, _)| snapshot)
    }

    /// A sample of the inputs; `is_after_pass` where reading it began after
    /// the latest pass was seen.
    pub fn sampled(
        &mut self,
        snapshot: impl Into<Arc<Snapshot>>,
        settings: Settings,
        is_after_pass: bool,
    ) -> Learned {
        let snapshot = snapshot.into();
        let nanos = i64::try_from(settings.sync_period).ok();
        let nanos = nanos.filter(|nanos| *nanos > 0);
        self.period = nanos.map(SignedDuration::from_nanos);
        self.leads.note(&snapshot);
        let passes = self.unwritten(&snapshot);
        let pass_at = self.inputs.sampled(&snapshot, is_after_pass);
        self.observer.observe(snapshot.clone(), &settings, pass_at);
        let at = snapshot.captured_at;
        let due = self.due(&snapshot.hpa, &settings, at);
        let next = self.next(&snapshot, &settings, due);
        self.foresight.note(at, false, &snapshot, &next);
        self.sample = Some((snapshot, settings));
        let restarts = next.recollection.notices.into_iter();
        Learned {
            passes,
            pass_at,
            restarts: restarts
                .filter(|it| it.kind == NoticeKind::Restarted)
                .collect(),
        }
    }

    /// Passes without a trace, as long as the sample shows that nothing was
    /// written which is yet to be told.
    fn unwritten(&mut self, snapshot: &Snapshot) -> Vec<Pass> {
        let written = Written::of(&snapshot.hpa);
        if !written.is_of_the_same_pass(&self.latest) {
            return Vec::new();
        }
        // The passes of the last half a period are not told of yet: what is
        // told ran while the Lease was renewed.
        let renewed = self.leads.renewed();
        let renewed = renewed.and_then(|it| it.checked_add(self.period() / 2).ok());
        let until = renewed.map_or(snapshot.captured_at, |it| it.min(snapshot.captured_at));
        let passes = self.passes.unwritten(until, self.period());
        self.inferred(passes)
    }

    /// Passes that left the status as it is; of one from before that was written
    /// nobody knows what it said.
    fn inferred(&self, passes: Vec<Timestamp>) -> Vec<Pass> {
        let is_later = |at: &Timestamp| self.latest.at.is_none_or(|written| written < *at);
        let can_be = |at: &Timestamp| self.leads.can_have_passed(*at, self.period());
        let own = passes.into_iter().filter(|at| *at >= self.begun);
        let own = own.filter(can_be).filter(is_later);
        own.map(|at| self.pass(at, true)).collect()
    }

    fn pass(&self, at: Timestamp, inferred: bool) -> Pass {
        let prediction = self.foresight.of(at, self.period());
        Pass::new(at, inferred, &self.latest, prediction)
    }
}

/// How late a new leader, or the news of a renewal, may seem to be: times are
/// whole seconds, and a Lease is renewed every two.
const LATE: SignedDuration = SignedDuration::from_secs(3);

/// The Lease of the controller, as the samples show it.
#[derive(Clone, Debug, Default)]
pub struct Leads(Vec<Lead>);

/// A time in which the same controller renewed the Lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lead {
    acquired: Timestamp,
    renewed: Timestamp,
}

impl Leads {
    /// Takes in what a sample shows.
    pub fn note(&mut self, snapshot: &Snapshot) {
        let lease = snapshot.controller_lease.as_ref().map(|it| &it.spec);
        let times = lease.and_then(|it| it.acquire_time.zip(it.renew_time));
        let Some((acquired, renewed)) = times else {
            self.0.clear();
            return;
        };
        match self.0.last_mut() {
            Some(last) if last.acquired == acquired => last.renewed = last.renewed.max(renewed),
            _ => self.0.push(Lead { acquired, renewed }),
        }
        // What is older is told of already.
        if self.0.len() > 8 {
            self.0.remove(0);
        }
    }

    /// A status was written by a controller that does not renew the Lease: it
    /// elects no leader, and the Lease tells nothing.
    pub fn passed(&mut self, at: Timestamp, period: SignedDuration) {
        let is_of_another = |lead: &Lead| at.duration_since(lead.renewed) > period + period;
        if self.0.last().is_some_and(is_of_another) {
            self.0.clear();
        }
    }

    /// Whether a pass that wrote nothing can have run: somebody led then. A
    /// new leader waits a whole period before its first.
    pub fn can_have_passed(&self, at: Timestamp, period: SignedDuration) -> bool {
        let leads = |lead: &Lead, late: SignedDuration| {
            at.duration_since(lead.acquired) >= period - LATE
                && at.duration_since(lead.renewed) <= late
        };
        let Some((last, earlier)) = self.0.split_last() else {
            return true;
        };
        let first = earlier.first().unwrap_or(last);
        // Of those that lead no more, the last renewal is known.
        at < first.acquired
            || leads(last, LATE)
            || earlier.iter().any(|it| leads(it, SignedDuration::ZERO))
    }

    /// Until when it is known that somebody leads, if the Lease is known.
    pub fn renewed(&self) -> Option<Timestamp> {
        self.0.last().map(|it| it.renewed)
    }

    /// When the first pass of a new leader is due.
    pub fn first_due(&self, period: SignedDuration) -> Option<Timestamp> {
        let [.., _, last] = self.0.as_slice() else {
            return None;
        };
        last.acquired.checked_add(period).ok()
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{Lead, Leads};

    pub(super) const PERIOD: SignedDuration = SignedDuration::from_secs(15);

    pub(super) fn second(second: i64) -> Timestamp {
        Timestamp::from_second(1_000_000 + second).expect("a time")
    }

    const MOMENTS: [i64; 8] = [0, 15, 30, 45, 60, 75, 90, 105];

    /// What happens, the leads, and the moments of which a pass is told.
    type Row = (&'static str, &'static [(i64, i64)], &'static [i64]);

    /// Each row: the leads, and the moments of which a pass is told.
    #[test]
    fn a_pass_is_inferred_only_while_somebody_leads() {
        let rows: [Row; 8] = [
            ("no Lease is known", &[], &MOMENTS),
            ("one leads all the time", &[(-900, 105)], &MOMENTS),
            ("it stands still", &[(-900, 31)], &[0, 15, 30]),
            (
                "it is taken over",
                &[(-900, 31), (47, 105)],
                &[0, 15, 30, 60, 75, 90, 105],
            ),
            (
                "it is taken over late",
                &[(-900, 31), (80, 105)],
                &[0, 15, 30, 105],
            ),
            (
                "it ends shortly before a pass",
                &[(-900, 43), (58, 105)],
                &[0, 15, 30, 75, 90, 105],
            ),
            (
                "twice",
                &[(-900, 16), (20, 46), (60, 105)],
                &[0, 15, 45, 75, 90, 105],
            ),
            (
                "the successor stands still",
                &[(-900, 16), (20, 50)],
                &[0, 15, 45],
            ),
        ];
        for (what, leads, reported) in rows {
            let lead = |(acquired, renewed): &(i64, i64)| Lead {
                acquired: second(*acquired),
                renewed: second(*renewed),
            };
            let leads = Leads(leads.iter().map(lead).collect());
            let found = MOMENTS.into_iter();
            let found = found.filter(|at| leads.can_have_passed(second(*at), PERIOD));
            assert_eq!(found.collect::<Vec<i64>>(), reported, "{what}");
        }
    }
}
