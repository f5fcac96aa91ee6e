//! The passes that scrapes show: the status of a scrape is that of the last
//! pass before it, and has what that pass measured. With the pods of then, the
//! engine tells what the pass asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::api::{
    Answered, ConditionKind, ConditionStatus, ContainerUsage, CustomMetric, DescribedObject,
    Direction, ExternalMetric, ExternalMetricValue, ExternalMetricValueList, Format, GoDuration,
    HpaSpec, HpaStatus, Labels, MetricSource, MetricSpec, MetricStatus, MetricValue,
    MetricValueList, Metrics, Pod, PodMetrics, PodMetricsList, Quantity, ReadFailure,
    ScalingPolicy, wire_text,
};
use crate::controller::{
    Memory, Nanos, Prepared, SECOND, Settings, WhatIf, decision, selected_pods, timestamp,
};
use crate::history::observer::Stored;
use crate::history::recall::outcome::ANYTHING;
use crate::history::recall::rescales::times;
use crate::history::recall::restarts::lead;
use crate::history::span::Span;
use crate::snapshot::Snapshot;
use crate::trace::Range;

use super::{Scrape, Scrapes};

/// By how much less than the sync period two passes can lie apart. Where scrapes
/// are as far apart as passes, one pass lies between two.
const EARLY: Nanos = SECOND / 2;
/// So much more than a period can lie between two passes.
const LATER_EACH: Nanos = SECOND / 6;
/// So many periods after or before a pass of which the moment is known, that of
/// another one follows.
const MOST_STEPS: Nanos = 12;
/// How long samples are averaged over, where nothing tells.
const WINDOW: Nanos = 30 * SECOND;
/// So late a scrape can show what has changed.
const LAG: Nanos = 2 * SECOND;
/// So long a change of the size by somebody else makes it possible that there
/// are more.
const OTHERS_NEAR: Nanos = 600 * SECOND;
/// How old samples can be, and how long a new pod can have none, in seconds.
const AGES: [Nanos; 8] = [0, 4, 8, 12, 16, 20, 30, 45];
const DELAYS: [Nanos; 5] = [0, 14, 29, 44, 59];

/// A pass between two scrapes.
#[derive(Clone, Debug)]
pub struct ScrapedPass {
    /// When it ran.
    pub at: Span,
    /// When it probably ran, by the beat of the passes.
    probably: Span,
    /// Whether a scrape has its own status; of a pass that another one followed
    /// before the next scrape, only the size is known that it left.
    pub is_seen: bool,
    /// Whether it ran for certain: its status was not there before.
    pub is_certain: bool,
    /// What it asked for.
    pub asked: Stored,
    /// The metric that decided, by its place in the spec, where it is known.
    pub winner: Option<usize>,
    /// The size that it found.
    pub before: i32,
    /// The size that it left; absent where somebody else may have set it.
    pub after: Option<i32>,
    ends: Ends,
    /// What it can have found, where that is known.
    found: Option<Findable>,
    /// The scrape that shows it, by its place.
    scrape: usize,
    /// The spec that it ran on, with the behavior of now.
    pub spec: Arc<HpaSpec>,
    /// Its status, or that of the pass after it.
    pub status: Arc<HpaStatus>,
}

/// What a pass asked for, under each model of the samples.
struct Asked {
    pass: usize,
    by_model: Vec<Option<Asking>>,
}

/// What a pass asked for that found something: how much, and the metric that
/// decided.
#[derive(Clone, Debug)]
struct Asking {
    range: Range,
    winner: Option<usize>,
    found: Findable,
}

impl ScrapedPass {
    /// Whether a scrape has what it measured, or that it measured nothing.
    pub fn is_measured(&self) -> bool {
        self.is_seen && (self.found.is_some() || self.asked == Stored::None)
    }
}

/// All passes that scrapes tell of, the oldest first.
///
/// How old samples are and how soon a pod has one is in no series. It is taken
/// to be the same for all passes: what contradicts the size that a pass left is
/// out, and what remains is told as a range.
pub fn passes(scrapes: &Scrapes, base: &Snapshot, settings: &Settings) -> Vec<ScrapedPass> {
    let reader = PassReader::new(scrapes, base, settings);
    let (mut passes, mut pairs) = (Vec::new(), Vec::new());
    for (place, pair) in scrapes.all.windows(2).enumerate() {
        let [before, scrape] = pair else {
            continue;
        };
        if before.created == scrape.created && !scrapes.is_hole(before.at, scrape.at) {
            let is_stale = passes.last().is_some_and(|it: &ScrapedPass| !it.is_certain);
            let hidden = reader.hidden(before, scrape, is_stale);
            for mut pass in hidden.into_iter().chain([reader.seen(before, scrape)]) {
                pass.scrape = place + 1;
                passes.push(pass);
                pairs.push((before, scrape));
            }
        }
    }
    reader.narrow(&mut passes);
    let is_open = |it: &(usize, &ScrapedPass)| it.1.asked == Stored::Unknown;
    let open = passes.iter().enumerate().filter(is_open);
    let asked = open.map(|(index, pass)| reader.asked(pairs[index], index, pass));
    let asked: Vec<Asked> = asked.collect();
    let kept = kept(&asked, &passes);
    for asked in &asked {
        asked.settle(&kept, &mut passes[asked.pass]);
    }
    passes
}

/// The models that contradict the fewest passes.
fn kept(asked: &[Asked], passes: &[ScrapedPass]) -> Vec<usize> {
    let count = asked.first().map_or(0, |it| it.by_model.len());
    let contradictions = |model: usize| {
        let contradicts = |it: &&Asked| {
            let asking = it.by_model[model].as_ref();
            asking.is_some_and(|asking| passes[it.pass].ends.of(asking.range).is_none())
        };
        asked.iter().filter(contradicts).count()
    };
    let all: Vec<usize> = (0..count).map(contradictions).collect();
    let fewest = all.iter().min().copied().unwrap_or_default();
    (0..count).filter(|model| all[*model] == fewest).collect()
}

impl Asked {
    /// Tells what remains.
    fn settle(&self, kept: &[usize], pass: &mut ScrapedPass) {
        let left = kept.iter().filter_map(|it| {
            let asking = self.by_model[*it].as_ref()?;
            Some((pass.ends.of(asking.range)?, asking))
        });
        let left: Vec<_> = left.collect();
        let range = left.iter().map(|it| it.0).reduce(Range::join);
        let range = range.or_else(|| pass.ends.of(ANYTHING));
        pass.asked = Stored::Within(range.unwrap_or(ANYTHING));
        let first = left.first().map(|it| it.1);
        let winner = first.and_then(|it| it.winner);
        let winner = winner.filter(|_| left.iter().all(|it| it.1.winner == winner));
        // Of one metric, it is that one.
        pass.winner = winner.or((pass.spec.metrics.len() == 1).then_some(0));
        pass.found = first.map(|it| it.found.clone());
    }
}

/// How a pass ended, under a behavior that is known.
#[derive(Clone, Copy, Debug)]
struct Ends {
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
    fn of(&self, range: Range) -> Option<Range> {
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
            return meet(range, Range { from: 0, to: most });
        };
        let is_limited = self.limited != Some(false);
        let is_free = self.limited != Some(true);
        // By the side of the current size on which it lies.
        let more = Range {
            from: current.saturating_add(1).max(if is_free {
                desired
            } else {
                desired.saturating_add(1)
            }),
            to: if up && !is_limited { desired } else { i32::MAX },
        };
        let less = Range {
            from: if down && !is_limited { desired } else { 0 },
            to: current.saturating_sub(1).min(if is_free {
                desired
            } else {
                desired.saturating_sub(1)
            }),
        };
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
            .filter_map(|part| meet(range, part))
            .reduce(Range::join)
    }
}

/// What both allow, if anything.
fn meet(one: Range, other: Range) -> Option<Range> {
    let (from, to) = (one.from.max(other.from), one.to.min(other.to));
    (from <= to).then_some(Range { from, to })
}

/// What a pass found, as far as series tell; its metrics are unknown where no
/// scrape shows it.
pub fn inputs(
    scrapes: &Scrapes,
    pass: &ScrapedPass,
    base: &Snapshot,
    settings: &Settings,
    at: Timestamp,
) -> Option<Snapshot> {
    let reader = PassReader::new(scrapes, base, settings);
    let scrape = scrapes.all.get(pass.scrape)?;
    let now = at.as_nanosecond();
    let found = pass.found.clone().unwrap_or_else(|| {
        let there = scrapes.pods.of_scrape(scrape.at).into_iter();
        let there = there.filter(|it| scrapes.pods.get(*it).created() <= now);
        let there: Vec<usize> = there.collect();
        Findable {
            samples: vec![SampleAge::New; there.len()],
            there,
            now,
            pods: scrape.pods,
        }
    });
    let mut snapshot = reader.snapshot(scrape, &Findable { now, ..found });
    if pass.found.is_none() && pass.asked != Stored::None {
        unmeasured(&mut snapshot.metrics);
    }
    if let Some(scale) = snapshot.scale.response_mut() {
        scale.spec.replicas = pass.before;
    }
    let hpa = &mut snapshot.horizontal_pod_autoscaler;
    hpa.metadata.creation_timestamp = scrape.created.or(hpa.metadata.creation_timestamp);
    hpa.metadata.generation = None;
    let is_then = |written: Option<Timestamp>| written.is_some_and(|written| written <= at);
    hpa.metadata
        .managed_fields
        .retain(|it| it.fields.spec.is_some() && is_then(it.time));
    let events = base.events.iter();
    let events = events.filter(|it| times(it).is_none_or(|(_, last, _)| last <= at));
    snapshot.events = events.cloned().collect();
    snapshot
        .controller_lease
        .take_if(|lease| !is_then(lease.spec.acquire_time));
    Some(snapshot)
}

/// Nothing tells what was measured.
fn unmeasured(metrics: &mut Metrics) {
    let failure = || ReadFailure::not_read("no scrape shows what this pass measured");
    metrics.resource = Some(Answered::Unreadable(failure()));
    for custom in &mut metrics.custom {
        custom.answer = Answered::Unreadable(failure());
    }
    for external in &mut metrics.external {
        external.answer = Answered::Unreadable(failure());
    }
}

struct PassReader<'a> {
    scrapes: &'a Scrapes,
    base: Snapshot,
    settings: &'a Settings,
    labels: Labels,
    /// How long samples are averaged over.
    window: Nanos,
    /// The age of the youngest pod that has a sample now.
    youngest: Nanos,
    /// When somebody else has set the size.
    others: Vec<Nanos>,
    /// Since when the behavior is what it is now.
    behavior_since: Option<Nanos>,
}

impl<'a> PassReader<'a> {
    fn new(scrapes: &'a Scrapes, base: &'a Snapshot, settings: &'a Settings) -> Self {
        let selected = selected_pods(base);
        let labels = selected.first().map(|pod| pod.metadata.labels.clone());
        let selector = base
            .target
            .as_ref()
            .and_then(|it| it.spec.selector.as_ref());
        let required = || {
            let required = selector.into_iter().flat_map(|it| &it.match_labels);
            required
                .map(|(name, value)| (name.as_str().into(), value.as_str().into()))
                .collect()
        };
        let samples = base.metrics.samples().iter();
        let window = samples.clone().map(|it| Nanos::from(it.window.0)).max();
        let written = base.horizontal_pod_autoscaler.tuning_written();
        let names: BTreeSet<&str> = samples.map(|it| it.metadata.name.as_str()).collect();
        let with_sample = selected.iter();
        let with_sample = with_sample.filter(|it| names.contains(it.metadata.name.as_str()));
        let ages = with_sample.filter_map(|pod| {
            let started = pod.status.start_time?.as_nanosecond();
            Some(base.captured_at.as_nanosecond() - started)
        });
        let is_other = |it: &&Scrape| it.size != it.status.desired_replicas;
        let others = scrapes.all.iter().filter(is_other);
        Self {
            scrapes,
            youngest: ages.min().unwrap_or(Nanos::MAX),
            others: others.map(|it| it.at).collect(),
            base: Snapshot {
                pods: Vec::new(),
                metrics: Metrics::default(),
                events: Vec::new(),
                replica_sets: Vec::new(),
                target: None,
                ..base.clone()
            },
            settings,
            labels: labels.unwrap_or_else(required),
            window: window.unwrap_or(WINDOW),
            behavior_since: written.map(jiff::Timestamp::as_nanosecond),
        }
    }

    /// A pass that another one followed before the next scrape shows it.
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
        let at = Span {
            from: before.at - LAG,
            to,
        };
        let sizes = (before.size, scrape.status.current_replicas);
        let is_near = |at: &Nanos| (at - scrape.at).abs() < OTHERS_NEAR;
        let mut ends = self.ends(scrape, sizes, None, before.at);
        // A status that was there before tells of no later pass.
        let is_by_others = before.status == scrape.status || self.others.iter().any(is_near);
        ends.is_unknown |= is_by_others;
        if self.is_within_policies(scrape, sizes) {
            ends.limited = Some(false);
        }
        Some(ScrapedPass {
            at,
            probably: at,
            is_seen: false,
            is_certain: false,
            asked: Stored::Within(ends.of(ANYTHING).unwrap_or(ANYTHING)),
            winner: (scrape.spec.metrics.len() == 1).then_some(0),
            before: sizes.0,
            after: Some(sizes.1).filter(|_| !is_by_others),
            ends,
            found: None,
            scrape: 0,
            spec: scrape.spec.clone(),
            status: scrape.status.clone(),
        })
    }

    /// The last pass before a scrape; what it asked for is to be found out,
    /// unless it asked for nothing.
    fn seen(&self, before: &Scrape, scrape: &Scrape) -> ScrapedPass {
        let status = &scrape.status;
        let from = scrape.at - self.settings.sync_period - EARLY;
        let at = Span {
            from: from.max(before.at) - LAG,
            to: scrape.at,
        };
        let sizes = (status.current_replicas, status.desired_replicas);
        let is_true = |kind| {
            let condition = status.condition(kind);
            condition.is_some_and(|it| it.status == ConditionStatus::True)
        };
        let (min, max) = (
            scrape.spec.min_replicas.unwrap_or(1),
            scrape.spec.max_replicas,
        );
        let is_beyond = sizes.0 > max || sizes.0 < min && sizes.0 > 0;
        let asks = is_true(ConditionKind::AbleToScale)
            && is_true(ConditionKind::ScalingActive)
            && !(is_beyond && status.current_metrics.is_empty());
        let limited = status.condition(ConditionKind::ScalingLimited);
        let limited = limited.map(|it| it.status == ConditionStatus::True);
        ScrapedPass {
            at,
            probably: at,
            is_seen: true,
            is_certain: before.status != scrape.status,
            asked: if asks { Stored::Unknown } else { Stored::None },
            winner: None,
            before: sizes.0,
            after: Some(sizes.1),
            ends: self.ends(scrape, sizes, limited, from),
            found: None,
            scrape: 0,
            spec: scrape.spec.clone(),
            status: status.clone(),
        }
    }

    /// Narrows when passes ran, by the pods that one created: those of before
    /// and after come whole periods apart, and a little more each.
    fn narrow(&self, passes: &mut [ScrapedPass]) {
        let created = |pass: &ScrapedPass| {
            let is_up = pass.is_seen && pass.after > Some(pass.before);
            let created = self
                .scrapes
                .pods
                .created_within(pass.at)
                .filter(|_| is_up)?;
            Some(Span {
                from: created - SECOND,
                to: created + SECOND,
            })
        };
        let anchors: Vec<Span> = passes.iter().filter_map(created).collect();
        let led = lead(&self.base).map(Timestamp::as_nanosecond);
        let period = self.settings.sync_period;
        for pass in passes {
            let middle = |span: Span| Nanos::midpoint(span.from, span.to);
            let is_led = |at: Nanos| led.is_none_or(|led| (at < led) == (pass.at.from < led));
            let near = anchors.iter().filter(|it| is_led(it.from));
            let near = near.min_by_key(|it| (middle(**it) - middle(pass.at)).abs());
            let Some(near) = near else {
                continue;
            };
            let steps = (middle(pass.at) - middle(*near)) / period;
            let steps = (steps - 2..=steps + 2).filter(|it| it.abs() <= MOST_STEPS);
            let at = steps.filter_map(|steps| {
                let late = steps * LATER_EACH;
                let later = Span {
                    from: near.from + steps * period + late.min(0) - EARLY,
                    to: near.to + steps * period + late.max(0) + EARLY,
                };
                later.meet(pass.at)
            });
            let hull = at.reduce(|one, other| Span {
                from: one.from.min(other.from),
                to: one.to.max(other.to),
            });
            pass.probably = hull.unwrap_or(pass.at);
        }
    }

    /// What a pass asked for, under each model.
    fn asked(
        &self,
        (before, scrape): (&Scrape, &Scrape),
        index: usize,
        pass: &ScrapedPass,
    ) -> Asked {
        let mut known: BTreeMap<Findable, Option<(Range, Option<usize>)>> = BTreeMap::new();
        let models = AGES
            .iter()
            .flat_map(|age| self.delays().map(move |delay| (age * SECOND, delay)));
        let findable = self.findable(before, scrape, pass.probably);
        let by_model = models.map(|model| {
            let mut all: Option<Asking> = None;
            for found in &findable {
                let found = self.with_samples(found, scrape, model);
                let asked = *known
                    .entry(found.clone())
                    .or_insert_with_key(|found| self.reported(scrape, found));
                let Some((range, winner)) = asked else {
                    continue;
                };
                all = Some(match all {
                    None => Asking {
                        range,
                        winner,
                        found,
                    },
                    Some(other) => Asking {
                        range: other.range.join(range),
                        winner: winner.filter(|it| other.winner == Some(*it)),
                        found: other.found,
                    },
                });
            }
            all
        });
        Asked {
            pass: index,
            by_model: by_model.collect(),
        }
    }

    /// How long a new pod can have no sample: no longer than one that has one now
    /// was there.
    fn delays(&self) -> impl Iterator<Item = Nanos> {
        let delays = DELAYS.iter().map(|it| it * SECOND);
        delays.filter(|it| *it <= self.youngest)
    }

    fn reported(&self, scrape: &Scrape, found: &Findable) -> Option<(Range, Option<usize>)> {
        let inputs = self.snapshot(scrape, found);
        let prepared = Prepared::new(&inputs, self.settings);
        let what_if = WhatIf::new(&prepared, self.settings, found.now, &BTreeSet::new())?;
        what_if.as_reported(&scrape.spec, &scrape.status.current_metrics)
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

    /// Whether no policy and no bound can have limited a step: changes before it
    /// have left the periods.
    fn is_within_policies(&self, scrape: &Scrape, (current, desired): (i32, i32)) -> bool {
        let spec = &scrape.spec;
        let Some(direction) = Direction::between(current, desired) else {
            return false;
        };
        let rules = spec.behavior.as_ref().and_then(|it| it.rules(direction));
        let policies = rules.and_then(|it| it.policies.as_ref());
        let is_short = |it: &ScalingPolicy| {
            Nanos::from(it.period_seconds) * SECOND <= self.settings.sync_period
        };
        let (min, max) = (spec.min_replicas.unwrap_or(1), spec.max_replicas);
        let is_inside = min < desired && desired < max && current > 0;
        is_inside
            && policies.is_some_and(|it| it.iter().all(is_short))
            && decision(
                spec,
                self.settings,
                &Memory::empty(),
                scrape.at,
                (current, further(direction, desired)),
            ) == Some(further(direction, desired))
    }

    /// What the pass can have found, whatever samples there were.
    fn findable(&self, before: &Scrape, scrape: &Scrape, at: Span) -> Vec<Findable> {
        let has_rescaled = scrape.status.current_replicas != scrape.status.desired_replicas;
        let mut counts = vec![before.pods, scrape.pods, scrape.status.current_replicas];
        let is_counted = |it: &MetricSpec| it.is_one_value();
        if !scrape.spec.metrics.iter().any(is_counted) {
            counts.truncate(1);
        }
        counts.sort_unstable();
        counts.dedup();
        let mut all: Vec<Findable> = Vec::new();
        let pods = &self.scrapes.pods;
        let has_moved = before.size != scrape.size || has_rescaled;
        // What somebody else sets takes pods away, at once.
        let is_by_others = scrape.size != scrape.status.desired_replicas
            && scrape.at - before.at > self.settings.sync_period + LAG;
        if is_by_others || !has_moved && pods.were_replaced(before.at, scrape.at) {
            return all;
        }
        let (of_before, of_scrape) = (pods.of_scrape(before.at), pods.of_scrape(scrape.at));
        let of_both = of_before.iter().chain(of_scrape.iter()).copied();
        let of_both: BTreeSet<usize> = of_both.collect();
        for now in [at.from, at.to] {
            for of in [&of_before, &of_scrape, &of_both] {
                let there = of.iter().copied();
                let there: Vec<usize> = there.filter(|it| pods.get(*it).created() <= now).collect();
                all.extend(counts.iter().map(|count| Findable {
                    there: there.clone(),
                    now,
                    samples: Vec::new(),
                    pods: *count,
                }));
            }
        }
        // The target has as many pods as it wants, unless it waits for some.
        let size = usize::try_from(scrape.status.current_replicas).unwrap_or_default();
        if all.iter().any(|it| it.there.len() == size) {
            all.retain(|it| it.there.len() == size);
        }
        all
    }

    /// The same with its samples, under a model.
    fn with_samples(
        &self,
        found: &Findable,
        scrape: &Scrape,
        (age, delay): (Nanos, Nanos),
    ) -> Findable {
        let now = found.now;
        let sample = |pod: &usize| {
            let pod = self.scrapes.pods.get(*pod);
            if pod.started().is_none_or(|it| it + delay > now) {
                return SampleAge::Missing;
            }
            match pod.ready_since(now, scrape.at) {
                Some(ready) if ready + self.window > now - age => SampleAge::Old,
                _ => SampleAge::New,
            }
        };
        Findable {
            samples: found.there.iter().map(sample).collect(),
            ..found.clone()
        }
    }

    fn snapshot(&self, scrape: &Scrape, found: &Findable) -> Snapshot {
        let mut snapshot = Snapshot {
            captured_at: timestamp(found.now),
            ..self.base.clone()
        };
        let hpa = &mut snapshot.horizontal_pod_autoscaler;
        hpa.spec = (*scrape.spec).clone();
        hpa.status = (*scrape.status).clone();
        if let Some(scale) = snapshot.scale.response_mut() {
            scale.spec.replicas = scrape.status.current_replicas;
            scale.status.replicas = found.pods;
        }
        let pods = found.there.iter().map(|it| self.scrapes.pods.get(*it));
        let pods = pods.map(|it| it.pod(&self.labels, found.now, scrape.at));
        snapshot.pods = pods.collect();
        let taken = snapshot.pods.iter().zip(&found.samples);
        let taken = taken.map(|(pod, sample)| match sample {
            // One that counted was taken a whole window after its pod was Ready.
            SampleAge::New => {
                let ready = pod
                    .condition("Ready")
                    .filter(|it| it.status == ConditionStatus::True);
                let changed = ready.and_then(|it| it.last_transition_time);
                let counts = changed.map(|it| it.as_nanosecond() + self.window);
                Some(timestamp(found.now.max(counts.unwrap_or(found.now))))
            }
            SampleAge::Old => pod.condition("Ready")?.last_transition_time,
            SampleAge::Missing => None,
        });
        let taken: Vec<Option<Timestamp>> = taken.collect();
        snapshot.metrics = metrics(&snapshot, &taken, self.window);
        snapshot
    }
}

/// A size that lies one step beyond.
fn further(direction: Direction, size: i32) -> i32 {
    match direction {
        Direction::Up => size.saturating_add(1),
        Direction::Down => size.saturating_sub(1),
    }
}

/// What a pass can have found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Findable {
    /// The pods.
    there: Vec<usize>,
    /// When it ran.
    now: Nanos,
    /// The samples of the pods.
    samples: Vec<SampleAge>,
    /// The pods that the target says to have.
    pods: i32,
}

/// Whether a pod has a sample, and one from after it became Ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SampleAge {
    New,
    Old,
    Missing,
}

/// The answers of the metrics APIs that lead to what the status reports.
fn metrics(snapshot: &Snapshot, taken: &[Option<Timestamp>], window: Nanos) -> Metrics {
    let hpa = &snapshot.horizontal_pod_autoscaler;
    let sampled = || snapshot.pods.iter().zip(taken);
    let sampled = || sampled().filter_map(|(pod, at)| Some((pod, (*at)?)));
    let item = |(pod, at): (&Pod, Timestamp)| PodMetrics {
        metadata: (&pod.metadata).into(),
        timestamp: at,
        window: GoDuration(i64::try_from(window).unwrap_or(i64::MAX)),
        containers: pod
            .spec
            .containers
            .iter()
            .map(|it| usage(&it.name))
            .collect(),
    };
    let mut items: Vec<PodMetrics> = sampled().map(item).collect();
    let mut metrics = Metrics::default();
    for metric in &hpa.spec.metrics {
        let mut reported = hpa.status.current_metrics.iter();
        let reported = reported.find(|it| it.is_of(metric));
        let current = reported.and_then(MetricStatus::current);
        let Some((source, current)) = metric.source().zip(current) else {
            continue;
        };
        let selector = source.metric().map(|it| wire_text(it.selector.as_ref()));
        let selector = selector.and_then(Result::ok).unwrap_or_default();
        let name = metric.name().unwrap_or_default().to_owned();
        let average = current
            .average_value
            .as_ref()
            .map_or(0, Quantity::milli_value);
        let milli = |milli| Quantity::from_milli(milli, Format::DecimalSi);
        let whole = || {
            let pods = snapshot.scale.response().map_or(0, |it| it.status.replicas);
            let value = current.value.clone();
            value.unwrap_or_else(|| milli(average.saturating_mul(pods.into())))
        };
        let custom = |described_object, items| CustomMetric {
            metric: name.clone(),
            metric_selector: selector.clone(),
            described_object,
            answer: Answered::Response(MetricValueList { items }),
        };
        let value = |described_object, timestamp, value| MetricValue {
            described_object,
            timestamp,
            window_seconds: None,
            value,
        };
        match source {
            MetricSource::Resource(_) | MetricSource::ContainerResource(_) => {
                let container = source.resource().and_then(|it| it.1);
                for item in &mut items {
                    let mut rest = Some(milli(average));
                    for own in &mut item.containers {
                        let is_own = container.is_none_or(|name| own.name == name);
                        let used = rest.take_if(|_| is_own).unwrap_or_else(|| milli(0));
                        let entries = own.usage.entries().cloned();
                        own.usage = entries.chain([(name.as_str().into(), used)]).collect();
                    }
                }
            }
            MetricSource::Pods(_) => {
                let of_pod = |(pod, at): (&Pod, Timestamp)| {
                    let described = DescribedObject::new(("Pod", &pod.metadata.name));
                    value(described, Some(at), milli(average))
                };
                metrics
                    .custom
                    .push(custom(None, sampled().map(of_pod).collect()));
            }
            MetricSource::Object(object) => {
                let object = &object.described_object;
                let object = DescribedObject::new((&object.kind, &object.name));
                let values = vec![value(object.clone(), None, whole())];
                metrics.custom.push(custom(Some(object), values));
            }
            MetricSource::External(_) => metrics.external.push(ExternalMetric {
                metric: name.clone(),
                metric_selector: selector.clone(),
                answer: Answered::Response(ExternalMetricValueList {
                    items: vec![ExternalMetricValue {
                        metric_name: name.clone(),
                        metric_labels: BTreeMap::new(),
                        timestamp: None,
                        value: whole(),
                    }],
                }),
            }),
        }
    }
    metrics.resource = Some(Answered::Response(PodMetricsList { items }));
    metrics
}

fn usage(container: &str) -> ContainerUsage {
    ContainerUsage {
        name: container.into(),
        ..ContainerUsage::default()
    }
}
