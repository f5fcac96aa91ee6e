//! The passes that scrapes show, and how each ended: the status of a scrape is
//! that of the last pass before it.

use std::sync::Arc;

use jiff::Timestamp;

use super::found::{Findable, Finder, Proposals, kept};
use crate::api::{ConditionKind, ConditionStatus, Direction, HpaSpec, HpaStatus, ScalingPolicy};
use crate::controller::{Memory, Nanos, SECOND, ScaleEvent, Settings, decision};
use crate::document::snapshot::Snapshot;
use crate::history::recall::outcome::ANYTHING;
use crate::history::recall::restarts::lead;
use crate::history::scrapes::is_active;
use crate::history::{Scrape, Scrapes, Span, Stored};
use crate::trace::{Bounds, Range};

/// By how much less than the sync period two passes can lie apart. Where scrapes
/// are as far apart as passes, one pass lies between two.
const EARLY: Nanos = SECOND / 2;
/// So much more than a period can lie between two passes.
const LATER_EACH: Nanos = SECOND / 6;
/// So many periods after or before a pass of which the moment is known, that of
/// another one follows.
const MOST_STEPS: Nanos = 12;
/// So late a scrape can show what has changed.
pub(super) const LAG: Nanos = 2 * SECOND;
/// So long a change of the size by somebody else makes it possible that there
/// are more.
const OTHERS_NEAR: Nanos = 600 * SECOND;
/// By so much more than the interval scrapes lie apart.
const JITTER: Nanos = SECOND / 20;

/// A pass between two scrapes.
#[derive(Clone, Debug)]
pub struct ScrapedPass {
    /// When it ran.
    pub at: Span,
    /// When it probably ran, by the beat of the passes.
    pub(super) probably: Span,
    /// Whether a scrape has its own status; of a pass that another one followed
    /// before the next scrape, only the size is known that it left.
    pub is_observed: bool,
    /// Whether it ran for certain: its status was not there before.
    pub is_certain: bool,
    /// What it asked for.
    pub proposal: Stored,
    /// The metric that decided, by its place in the spec, where it is known.
    pub winner: Option<usize>,
    /// The size that it found; absent where other passes or somebody else may
    /// have set it since the last scrape.
    pub before: Option<i32>,
    /// The size that it left; absent where another pass or somebody else may have
    /// set it.
    pub after: Option<i32>,
    pub(super) ends: Ends,
    /// What it can have found, where that is known.
    pub(super) found: Option<Findable>,
    /// How many pods there were, where that is known.
    pub(super) pods: Option<Range>,
    /// The scrape that shows it, by its place.
    pub(super) scrape: usize,
    /// The spec that it ran on, with the behavior of now.
    pub spec: Arc<HpaSpec>,
    /// Its status, or that of the pass after it.
    pub status: Arc<HpaStatus>,
}

impl ScrapedPass {
    /// Whether a scrape has what it measured, or that it measured nothing.
    pub fn is_measured(&self) -> bool {
        self.is_observed && (self.found.is_some() || self.proposal == Stored::None)
    }
}

impl Scrapes {
    /// All passes that scrapes tell of, the oldest first.
    ///
    /// How old samples are and how soon a pod has one is in no series. It is taken
    /// to be the same for all passes: what contradicts the size that a pass left is
    /// out, and what remains is told as a range.
    pub fn passes(&self, base: &Snapshot, settings: &Settings) -> Vec<ScrapedPass> {
        let reader = PassReader::new(self, base, settings);
        let finder = Finder::new(self, base, settings);
        let (mut passes, mut pairs) = (Vec::new(), Vec::new());
        for (place, pair) in self.all.windows(2).enumerate() {
            let [before, scrape] = pair else {
                continue;
            };
            if before.created == scrape.created && !self.is_hole(before.at, scrape.at) {
                let is_stale = passes.last().is_some_and(|it: &ScrapedPass| !it.is_certain);
                let hidden = reader.hidden(before, scrape, is_stale);
                for mut pass in hidden.into_iter().chain([reader.observed(before, scrape)]) {
                    pass.scrape = place + 1;
                    passes.push(pass);
                    pairs.push((before, scrape));
                }
            }
        }
        reader.narrow(&mut passes);
        let is_open =
            |it: &(usize, &ScrapedPass)| it.1.is_observed && it.1.proposal == Stored::Unknown;
        let open = passes.iter().enumerate().filter(is_open);
        let proposals = open.map(|(index, pass)| finder.proposals(pairs[index], index, pass));
        let proposals: Vec<Proposals> = proposals.collect();
        let kept = kept(&proposals, &passes);
        for own in &proposals {
            own.settle(&kept, &mut passes[own.pass]);
        }
        passes
    }

    /// The passes since a moment, where pods tell what they asked for.
    pub(in crate::history) fn measured_since(
        &self,
        since: Nanos,
        base: &Snapshot,
        settings: &Settings,
    ) -> Vec<ScrapedPass> {
        if self.pods.is_empty() {
            return Vec::new();
        }
        let latest = Self {
            all: self.all[self.all.partition_point(|it| it.at < since)..].to_vec(),
            remarks: Vec::new(),
            pods: self.pods.clone(),
            longest: self.longest,
        };
        latest.passes(base, settings)
    }
}

/// Whether more than two passes may have run between two scrapes.
pub(super) fn are_several(before: &Scrape, scrape: &Scrape, settings: &Settings) -> bool {
    scrape.at - before.at > 2 * settings.sync_period + JITTER
}

/// How a pass ended, under a behavior that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// The size before and after it.
    sizes: (i32, i32),
    /// Whether policies or bounds limited it, where that is known.
    limited: Option<bool>,
    /// Whether the windows up and down hold nothing but the pass itself;
    /// absent without `behavior`, and where it is not known.
    is_alone: Option<(bool, bool)>,
    /// Whether nothing is known of the behavior of then.
    is_unknown: bool,
}

impl Ends {
    /// The part of a range that can have led to it, if any.
    pub(super) fn of(&self, range: Range) -> Option<Range> {
        let (current, desired) = self.sizes;
        // From zero the lower bound comes on top.
        if self.is_unknown || current == 0 && desired != 0 {
            return Some(range);
        }
        let Some((up, down)) = self.is_alone else {
            // Without `behavior` the highest of the window counts.
            let most = if self.limited == Some(false) {
                desired
            } else {
                i32::MAX
            };
            return range.meet(Range::new(0, most));
        };
        let is_limited = self.limited != Some(false);
        let is_free = self.limited != Some(true);
        // By the side of the current size on which it lies.
        let more = Range::new(
            current.saturating_add(1).max(if is_free {
                desired
            } else {
                desired.saturating_add(1)
            }),
            if up && !is_limited { desired } else { i32::MAX },
        );
        let less = Range::new(
            if down && !is_limited { desired } else { 0 },
            current.saturating_sub(1).min(if is_free {
                desired
            } else {
                desired.saturating_sub(1)
            }),
        );
        let same = Range::of(current);
        let can_be_more = desired >= current && (!up || desired > current || is_limited);
        let can_be_less = desired <= current && (!down || desired < current || is_limited);
        let parts = [
            (can_be_more && more.from <= more.to).then_some(more),
            (desired == current && is_free).then_some(same),
            (can_be_less && less.from <= less.to).then_some(less),
        ];
        let parts = parts.into_iter().flatten();
        parts
            .filter_map(|part| range.meet(part))
            .reduce(Range::join)
    }
}

struct PassReader<'a> {
    scrapes: &'a Scrapes,
    settings: &'a Settings,
    /// When somebody else has set the size.
    others: Vec<Nanos>,
    /// Since when the behavior is what it is now.
    behavior_since: Option<Nanos>,
    /// Since when the controller leads.
    led: Option<Nanos>,
}

impl<'a> PassReader<'a> {
    fn new(scrapes: &'a Scrapes, base: &Snapshot, settings: &'a Settings) -> Self {
        let is_other = |it: &&Scrape| it.size != it.status.desired_replicas;
        let others = scrapes.all.iter().filter(is_other);
        let written = base.hpa.tuning_written();
        Self {
            scrapes,
            settings,
            others: others.map(|it| it.at).collect(),
            behavior_since: written.map(Timestamp::as_nanosecond),
            led: lead(base).map(Timestamp::as_nanosecond),
        }
    }

    /// The passes that another one followed before the next scrape shows them. More
    /// than one are told as one of which nothing is known.
    fn hidden(&self, before: &Scrape, scrape: &Scrape, is_stale: bool) -> Option<ScrapedPass> {
        let period = self.settings.sync_period;
        let mut to = scrape.at - period + EARLY;
        if to <= before.at + period / 2 {
            // What the earlier scrape showed was of before its last pass.
            to = before.at;
            if !is_stale {
                return None;
            }
        }
        let at = Span::new(before.at - LAG, to);
        let sizes = (before.size, scrape.status.current_replicas);
        let is_near = |at: &Nanos| (at - scrape.at).abs() < OTHERS_NEAR;
        let mut ends = self.ends(scrape, sizes, None, before.at);
        // A status that was there before tells of no later pass.
        let are_others = self.others.iter().any(is_near);
        let are_several = are_several(before, scrape, self.settings);
        let is_open = before.status == scrape.status || are_others || are_several;
        ends.is_unknown |= is_open;
        if self.is_within_policies(&before.status, scrape, sizes) {
            ends.limited = Some(false);
        }
        let proposal = if are_several && sizes.0 != sizes.1 {
            Stored::Unknown
        } else {
            Stored::Within(ends.of(ANYTHING).unwrap_or(ANYTHING))
        };
        Some(ScrapedPass {
            at,
            probably: at,
            is_observed: false,
            is_certain: false,
            proposal,
            winner: (scrape.spec.metrics.len() == 1).then_some(0),
            before: Some(sizes.0).filter(|_| !are_others && !are_several),
            after: Some(sizes.1).filter(|_| !is_open),
            ends,
            found: None,
            pods: None,
            scrape: 0,
            spec: scrape.spec.clone(),
            status: scrape.status.clone(),
        })
    }

    /// The last pass before a scrape; what it asked for is to be found out,
    /// unless it asked for nothing.
    fn observed(&self, before: &Scrape, scrape: &Scrape) -> ScrapedPass {
        let status = &scrape.status;
        let period = self.settings.sync_period;
        // While nobody led, no pass came after it.
        let is_led = |led: Nanos| before.at < led && led <= scrape.at + period;
        let from = if self.led.is_some_and(is_led) {
            before.at
        } else {
            before.at.max(scrape.at - period - EARLY)
        };
        let at = Span::new(from - LAG, scrape.at);
        let sizes = (status.current_replicas, status.desired_replicas);
        let bounds = Bounds::of(&scrape.spec);
        let is_beyond =
            sizes.0 > bounds.max_replicas || sizes.0 < bounds.min_replicas && sizes.0 > 0;
        let asks = is_active(status) && !(is_beyond && status.current_metrics.is_empty());
        // Without series of conditions, nothing tells.
        let asks = asks || status.conditions.is_empty();
        let limited = status.condition(ConditionKind::ScalingLimited);
        let limited = limited.map(|it| it.status == ConditionStatus::True);
        ScrapedPass {
            at,
            probably: at,
            is_observed: true,
            is_certain: before.status != scrape.status,
            proposal: if asks { Stored::Unknown } else { Stored::None },
            winner: None,
            before: Some(sizes.0),
            after: Some(sizes.1),
            ends: self.ends(scrape, sizes, limited, from),
            found: None,
            pods: None,
            scrape: 0,
            spec: scrape.spec.clone(),
            status: status.clone(),
        }
    }

    /// Narrows when passes ran, by the pods that one created: those of before
    /// and after come whole periods apart, and a little more each.
    fn narrow(&self, passes: &mut [ScrapedPass]) {
        let created = |pass: &ScrapedPass| {
            let is_up = pass.is_observed && pass.after > pass.before;
            let created = self.scrapes.pods.created_within(pass.at);
            let created = created.filter(|_| is_up)?;
            Some(Span::new(created - SECOND, created + SECOND))
        };
        let anchors: Vec<Span> = passes.iter().filter_map(created).collect();
        let period = self.settings.sync_period;
        for pass in passes {
            let middle = |span: Span| Nanos::midpoint(span.from, span.to);
            let is_led = |at: Nanos| {
                self.led
                    .is_none_or(|led| (at < led) == (pass.at.from < led))
            };
            let near = anchors.iter().filter(|it| is_led(it.from));
            let near = near.min_by_key(|it| (middle(**it) - middle(pass.at)).abs());
            let Some(near) = near else {
                continue;
            };
            let steps = (middle(pass.at) - middle(*near)) / period;
            let steps = (steps - 2..=steps + 2).filter(|it| it.abs() <= MOST_STEPS);
            let at = steps.filter_map(|steps| {
                let late = steps * LATER_EACH;
                let later = Span::new(
                    near.from + steps * period + late.min(0) - EARLY,
                    near.to + steps * period + late.max(0) + EARLY,
                );
                later.meet(pass.at)
            });
            let hull =
                at.reduce(|one, other| Span::new(one.from.min(other.from), one.to.max(other.to)));
            pass.probably = hull.unwrap_or(pass.at);
        }
    }

    /// How a pass ended.
    fn ends(&self, scrape: &Scrape, sizes: (i32, i32), limited: Option<bool>, from: Nanos) -> Ends {
        let (up, down) = self.settings.windows(&scrape.spec);
        let period = self.settings.sync_period;
        let has_behavior = scrape.spec.behavior.is_some();
        Ends {
            sizes,
            limited,
            is_alone: has_behavior.then_some((up < period - EARLY, down < period - EARLY)),
            is_unknown: self.behavior_since.is_none_or(|since| since > from),
        }
    }

    /// Whether no policy and no bound can have limited a pass: a step further was
    /// open to it, either way where it kept the size, even if what the pass before
    /// it changed still counts. What is older has left the periods.
    fn is_within_policies(
        &self,
        last: &HpaStatus,
        scrape: &Scrape,
        (current, desired): (i32, i32),
    ) -> bool {
        let spec = &scrape.spec;
        let is_short = |it: &ScalingPolicy| {
            Nanos::from(it.period_seconds) * SECOND <= self.settings.sync_period
        };
        let is_open = |direction: &Direction| {
            let rules = spec.behavior.as_ref().and_then(|it| it.rules(*direction));
            let policies = rules.and_then(|it| it.policies.as_ref());
            let change = ScaleEvent {
                change: (last.desired_replicas - last.current_replicas).abs(),
                at: scrape.at,
                outdated: false,
            };
            let of = Direction::between(last.current_replicas, last.desired_replicas);
            let events = |of_list| (of == Some(of_list)).then_some(change);
            let memory = Memory {
                scale_up_events: Some(events(Direction::Up).into_iter().collect()),
                scale_down_events: Some(events(Direction::Down).into_iter().collect()),
                ..Memory::empty()
            };
            let further = direction.step(desired);
            policies.is_some_and(|it| it.iter().all(is_short))
                && decision(spec, self.settings, &memory, scrape.at, (current, further))
                    == Some(further)
        };
        let (min, max) = (spec.min_replicas.unwrap_or(1), spec.max_replicas);
        let is_inside = min < desired && desired < max && current > 0;
        let ways = [Direction::Up, Direction::Down];
        let own = Direction::between(current, desired);
        let mut ways = ways.iter().filter(|it| own.is_none_or(|own| own == **it));
        is_inside && ways.all(is_open)
    }
}
