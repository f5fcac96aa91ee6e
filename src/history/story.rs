//! A time of the past, told pass by pass: by the samples of a record, followed as
//! `watch` follows an HPA, or by what a Prometheus scraped.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::observer::shared;
use super::recall::restarts::lead;
use super::scrapes::{Scrape, Scrapes};
use super::{Follower, Observer, Pass, ScrapedPass};
use crate::controller::{Overrides, Settings, timestamp};
use crate::document::snapshot::{Snapshot, is_written_in};
use crate::trace::{
    Notice, PassFigures, Range, Reason, Story, StoryCause, StoryChange, StoryPass, Trace,
};

/// So many passes have a page of their own in a story.
const MOST_PAGES: usize = 200;
/// So many of them wherever the time is; the others are spread over all of it.
const AT_ONCE: usize = 50;

/// A pass so many seconds before the end shows how it ends.
const END: usize = 30;
/// So many pages are kept for these.
const AT_END: usize = 5;

/// Which passes have a page of their own: of a row of like ones the first, and of the
/// last row also the last.
struct Pages {
    times: (Timestamp, Timestamp),
    taken: usize,
    /// Whether the last one was of a sample from before what it is to show, so that
    /// the next like it has the page.
    is_owed: bool,
}

impl Pages {
    fn new(times: (Timestamp, Timestamp)) -> Self {
        Self {
            times,
            taken: 0,
            is_owed: false,
        }
    }

    /// Gives a pass after others its page, if it is to have one; it is left out where
    /// there are too many. What differs from what was predicted, and what fails, goes
    /// first.
    fn give(
        &mut self,
        pass: &mut StoryPass,
        before: &[StoryPass],
        explain: impl FnOnce() -> Option<Trace>,
    ) {
        let seconds = |it: SignedDuration| usize::try_from(it.as_secs()).unwrap_or_default();
        let (from, to) = self.times;
        let is_like = before.last().is_some_and(|it| it.is_like(pass));
        let is_end = seconds(to.duration_since(pass.at)) <= END;
        let is_owed = std::mem::take(&mut self.is_owed) || is_end;
        if is_like && !is_owed {
            return;
        }
        let whole = seconds(to.duration_since(from)).max(1);
        let gone = seconds(pass.at.duration_since(from)).min(whole);
        let is_first = pass.is_missed() || !pass.failing.is_empty();
        let room = if is_end {
            MOST_PAGES
        } else if is_first {
            MOST_PAGES - AT_END
        } else {
            AT_ONCE + (MOST_PAGES - 2 * AT_ONCE) * gone / whole
        };
        pass.is_left_out = self.taken >= room;
        if pass.is_left_out {
            return;
        }
        let Some(trace) = explain() else { return };
        self.taken += 1;
        self.is_owed = !pass.failing.is_empty() && trace.recommended().is_some();
        pass.page = (!self.is_owed).then(|| Box::new(trace));
    }
}

/// The passes of a record, told while its samples are visited.
pub struct Teller<'a> {
    times: (Timestamp, Timestamp),
    overrides: &'a Overrides,
    /// Explains the pass of a moment on a sample; without it, no pass has a page.
    explain: Option<&'a Explain<'a>>,
    follower: Option<Follower>,
    states: Vec<Scrape>,
    holes: Vec<(Timestamp, Timestamp)>,
    passes: Vec<StoryPass>,
    pages: Pages,
    /// The `ReplicaSets` whose pods were seen, once there was a sample.
    replica_sets: Option<BTreeSet<String>>,
    rollouts: Vec<(Timestamp, Timestamp)>,
    /// When others wrote the target, by its managed fields, and who.
    sizes_written: Vec<(Timestamp, String)>,
    /// The same of the HPA.
    specs_written: Vec<(Timestamp, String)>,
    /// Since when each controller led that the Lease named.
    led: BTreeSet<Timestamp>,
    /// What else tells of restarts of the controller, and until when it does.
    restarts: Vec<(Notice, Timestamp)>,
    /// The latest sample, where nothing was sampled after it.
    before_hole: Option<Arc<Snapshot>>,
}

/// Explains the pass of a moment on some inputs.
pub type Explain<'a> = dyn Fn(&Snapshot, &Settings, Timestamp, &Observer) -> Trace + 'a;

impl<'a> Teller<'a> {
    /// Nothing is told yet.
    pub fn new(
        times: (Timestamp, Timestamp),
        overrides: &'a Overrides,
        explain: Option<&'a Explain<'a>>,
    ) -> Self {
        Self {
            times,
            overrides,
            explain,
            follower: None,
            states: Vec::new(),
            holes: Vec::new(),
            passes: Vec::new(),
            pages: Pages::new(times),
            replica_sets: None,
            rollouts: Vec::new(),
            sizes_written: Vec::new(),
            specs_written: Vec::new(),
            led: BTreeSet::new(),
            restarts: Vec::new(),
            before_hole: None,
        }
    }

    /// A time that nothing was sampled of.
    pub fn gap(&mut self) {
        let last = self.follower.as_mut().and_then(Follower::lost);
        self.before_hole = last.or(self.before_hole.take());
    }

    /// The next sample.
    pub fn sample(&mut self, snapshot: impl Into<Arc<Snapshot>>) {
        let snapshot = snapshot.into();
        let (hpa, at) = (&snapshot.hpa, snapshot.captured_at);
        let settings = Settings::resolve(&snapshot, self.overrides);
        let follower = self.follower.take();
        let mut follower = follower.unwrap_or_else(|| Follower::new(hpa, at));
        follower.looks_ahead = false;
        if let Some(last) = self.before_hole.take() {
            self.holes.push((last.captured_at, at));
        }
        self.note_rollout(&snapshot);
        let before = self.states.last();
        let since = before.map_or(at, |it| timestamp(it.at));
        let written = |entries| {
            let by_others = snapshot.written_by_others(entries, (since, at));
            by_others.filter_map(|it| Some((it.time?, it.writer_name())))
        };
        if let Some(target) = &snapshot.target {
            let entries = &target.metadata.managed_fields;
            self.sizes_written.extend(written(entries));
        }
        let entries = &hpa.metadata.managed_fields;
        self.specs_written.extend(written(entries));
        self.states.push(Scrape {
            at: at.as_nanosecond(),
            size: snapshot.size().unwrap_or(hpa.status.current_replicas),
            pods: hpa.status.current_replicas,
            spec: shared(before.map(|it| &it.spec), &hpa.spec),
            status: shared(before.map(|it| &it.status), &hpa.status),
            created: hpa.metadata.creation_timestamp,
        });
        let led = lead(&snapshot).filter(|it| *it <= at);
        // Some clients leave the fraction of a second out.
        self.led
            .extend(led.and_then(|it| Timestamp::from_second(it.as_second()).ok()));
        let written = follower.written(hpa, at);
        let is_after_pass = written.is_empty();
        for pass in written {
            self.tell(pass, &follower);
        }
        let learned = follower.sampled(snapshot, settings, is_after_pass);
        for pass in learned.passes {
            self.tell(pass, &follower);
        }
        for notice in learned.restarts {
            let mut known = self.restarts.iter_mut().rev();
            match known.find(|(it, _)| it.to == notice.to) {
                Some((_, until)) => *until = at,
                None => self.restarts.push((notice, at)),
            }
        }
        self.follower = Some(follower);
    }

    /// Notes pods of a `ReplicaSet` that was not seen before.
    fn note_rollout(&mut self, snapshot: &Snapshot) {
        let pods = snapshot.pods.iter();
        let owners = pods.flat_map(|it| &*it.metadata.owner_references);
        let own = owners.filter(|it| it.kind == "ReplicaSet");
        let own: BTreeSet<String> = own.map(|it| it.name.clone()).collect();
        let known = self.replica_sets.get_or_insert_with(|| own.clone());
        let is_new = !own.is_subset(known);
        known.extend(own);
        if let Some(last) = self.states.last().filter(|_| is_new) {
            let last = timestamp(last.at);
            self.rollouts.push((last, snapshot.captured_at));
        }
    }

    fn tell(&mut self, pass: Pass, follower: &Follower) {
        let (from, to) = self.times;
        let is_told = (from..=to).contains(&pass.at);
        let Some(state) = self.states.last().filter(|_| is_told) else {
            return;
        };
        let spec = state.spec.clone();
        let predicted = match pass.figures {
            Some(figures) => Some((pass.expected, figures)),
            None => follower.predicted_before(pass.at),
        };
        let (expected, figures) = predicted.unwrap_or_default();
        let mut own = StoryPass {
            from: pass.at,
            at: pass.at,
            before: Some(pass.current_replicas),
            // One that fails keeps the size, whatever its status says.
            after: Some(if pass.is_failing {
                pass.current_replicas
            } else {
                pass.desired_replicas
            }),
            expected: expected.filter(|_| !pass.is_failing),
            failing: if pass.is_failing {
                pass.reasons
            } else {
                Vec::new()
            },
            figures,
            spec,
            page: None,
            is_left_out: false,
        };
        if let Some(explain) = self.explain {
            self.pages.give(&mut own, &self.passes, || {
                let (snapshot, settings) = follower.sample()?;
                let at = pass.at.max(snapshot.captured_at);
                Some(explain(snapshot, settings, at, follower.observer()))
            });
        }
        self.passes.push(own);
    }

    /// The story; nothing without a sample.
    pub fn story(mut self) -> Option<Story> {
        self.gap();
        let base = self.before_hole?;
        let mut changes: Vec<StoryChange> = self.passes.iter().filter_map(by_pass).collect();
        for pair in self.passes.windows(2) {
            if let Some(size) = pair[1].set_by_others(&pair[0]) {
                let (times, sizes) = ((pair[0].at, pair[1].at), (pair[0].after, Some(size)));
                changes.push(StoryChange::of(times, sizes, StoryCause::SetByOthers));
            }
        }
        let happened = |cause: StoryCause| {
            move |times: (Timestamp, Timestamp)| StoryChange::of(times, (None, None), cause.clone())
        };
        changes.extend(self.holes.into_iter().map(happened(StoryCause::Hole)));
        let rollouts = self.rollouts.into_iter();
        changes.extend(rollouts.map(happened(StoryCause::RolledOut)));
        let begun = self.states.first().map(|it| timestamp(it.at));
        let states = Scrapes::of_states(self.states);
        changes.extend(states.changes_of_states());
        self.led.retain(|at| Some(*at) > begun);
        // What the passes after it do not bear out was none.
        let end = base.captured_at;
        self.restarts.retain(|(it, until)| {
            let borne_out = it.to.saturating_add(BORNE_OUT).unwrap_or(end);
            Some(it.to) > begun && *until >= end.min(borne_out)
        });
        let restarted = |says| happened(StoryCause::Restarted { says });
        let guessed = placed(self.restarts, &self.led).into_iter();
        changes.extend(guessed.map(|(times, says)| restarted(Some(says))(times)));
        changes.extend(self.led.iter().map(|at| restarted(None)((*at, *at))));
        for change in &mut changes {
            let written = match change.cause {
                StoryCause::SetByOthers => &self.sizes_written,
                StoryCause::Edited { .. } => &self.specs_written,
                _ => continue,
            };
            let times = (change.from, change.to);
            let mut written = written.iter();
            let by = written.find(|(at, _)| is_written_in(*at, times));
            change.by = by.map(|(_, by)| by.clone());
        }
        let story = Story::of(&base.hpa, self.times, changes, self.passes);
        Some(Story {
            is_recorded: true,
            ..story
        })
    }
}

/// So long after a restart, passes still tell of it.
const BORNE_OUT: SignedDuration = SignedDuration::from_mins(1);

/// The restarts that no Lease shows, as far as each can be placed by all that tells of it.
fn placed(
    mut reported: Vec<(Notice, Timestamp)>,
    led: &BTreeSet<Timestamp>,
) -> Vec<((Timestamp, Timestamp), String)> {
    reported.sort_by_key(|(it, _)| it.to);
    let mut guessed: Vec<((Timestamp, Timestamp), String)> = Vec::new();
    for (it, _) in reported {
        let (from, to) = (it.from.unwrap_or(it.to), it.to);
        match guessed.last_mut() {
            _ if led.range(from..=to).next().is_some() => {}
            Some((last, _)) if from <= last.1 => last.0 = last.0.max(from),
            _ => guessed.push(((from, to), it.says)),
        }
    }
    guessed
}

/// A pass that changed the size.
pub(super) fn by_pass(pass: &StoryPass) -> Option<StoryChange> {
    let figures = &pass.figures;
    let cause = match figures.recommended {
        Some(proposal) => StoryCause::Metrics {
            metric: figures.winner().map(str::to_owned),
            proposal,
            held_by: figures.held_by.filter(|_| !pass.is_missed()),
        },
        None if figures
            .held_by
            .is_some_and(|it| matches!(it, Reason::TooManyReplicas | Reason::TooFewReplicas)) =>
        {
            StoryCause::Bounds
        }
        None => StoryCause::Unmeasured,
    };
    let (times, sizes) = ((pass.from, pass.at), (pass.before, pass.after));
    pass.is_change()
        .then(|| StoryChange::of(times, sizes, cause))
}

/// A pass that scrapes show.
pub(super) fn of_scraped(pass: &ScrapedPass) -> StoryPass {
    let spec = &pass.spec;
    let recommended = pass.proposal.within().filter(|it| it.to < i32::MAX);
    let name = pass.winner.and_then(|it| spec.metrics.get(it)?.name());
    let proposals = name.map(|name| (name.to_owned(), recommended.and_then(Range::single)));
    StoryPass {
        from: timestamp(pass.at.from),
        at: timestamp(pass.at.to),
        before: pass.before,
        after: pass.after,
        expected: None,
        failing: Vec::new(),
        figures: PassFigures {
            proposals: proposals.into_iter().collect(),
            recommended,
            ..PassFigures::default()
        },
        spec: pass.spec.clone(),
        page: None,
        is_left_out: false,
    }
}

impl Observer {
    /// Every pass of a time that scrapes show, those that matter with a page.
    pub(super) fn scraped_story(
        &self,
        passes: &[ScrapedPass],
        base: &Snapshot,
        settings: &Settings,
        times: (Timestamp, Timestamp),
        explain: &Explain,
    ) -> Vec<StoryPass> {
        let (mut all, mut pages): (Vec<StoryPass>, _) = (Vec::new(), Pages::new(times));
        for own in passes {
            let mut pass = of_scraped(own);
            if !own.is_observed || pass.at < times.0 || pass.at > times.1 {
                continue;
            }
            let at = pass.at;
            pages.give(&mut pass, &all, || {
                let moment = self.moment(passes, base, settings, at)?;
                let trace = explain(&moment.snapshot, settings, at, &moment.observer);
                Some(Trace {
                    scraped: Some(moment.record),
                    ..trace
                })
            });
            all.push(pass);
        }
        all
    }
}
