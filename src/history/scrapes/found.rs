//! What passes found: a scrape has what the last pass before it measured. With
//! the pods of then, the engine tells what the pass asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use jiff::Timestamp;

use super::passes::{LAG, are_several};
use crate::api::{
    Answered, ConditionStatus, ContainerUsage, CustomMetric, DescribedObject, ExternalMetric,
    ExternalMetricValue, ExternalMetricValueList, Format, GoDuration, Labels, MetricSource,
    MetricSpec, MetricStatus, MetricValue, MetricValueList, Metrics, Pod, PodConditionKind,
    PodMetrics, PodMetricsList, Quantity, ReadFailure, wire_text,
};
use crate::controller::{Nanos, Prepared, SECOND, Settings, WhatIf, selected_pods, timestamp};
use crate::document::snapshot::{NotRead, Part, Snapshot};
use crate::history::recall::outcome::ANYTHING;
use crate::history::recall::rescales::times;
use crate::history::{Scrape, ScrapedPass, Scrapes, Span, Stored};
use crate::trace::Range;

/// How long samples are averaged over, where nothing tells.
const WINDOW: Nanos = 30 * SECOND;
/// How old samples can be, and how long a new pod can have none, in seconds.
const AGES: [Nanos; 8] = [0, 4, 8, 12, 16, 20, 30, 45];
const DELAYS: [Nanos; 5] = [0, 14, 29, 44, 59];

/// What a pass asked for, under each model of the samples.
pub(super) struct Proposals {
    pub(super) pass: usize,
    /// What it can have asked for: under most models the same.
    distinct: Vec<ModelProposal>,
    /// Which of these, by model, where the pass found something.
    by_model: Vec<Option<u8>>,
}

/// What a pass asked for that found something: how much, and the metric that
/// decided.
#[derive(Clone, Debug, PartialEq)]
struct ModelProposal {
    range: Range,
    pods: Range,
    winner: Option<usize>,
    /// Shared by the models under which it is the same: these are most.
    found: Rc<Findable>,
}

/// The models that contradict the fewest passes.
pub(super) fn kept(proposals: &[Proposals], passes: &[ScrapedPass]) -> Vec<usize> {
    let count = proposals.first().map_or(0, |it| it.by_model.len());
    let contradictions = |model: usize| {
        let contradicts = |it: &&Proposals| {
            let proposal = it.under(model);
            proposal.is_some_and(|proposal| passes[it.pass].ends.of(proposal.range).is_none())
        };
        proposals.iter().filter(contradicts).count()
    };
    let all: Vec<usize> = (0..count).map(contradictions).collect();
    let fewest = all.iter().min().copied().unwrap_or_default();
    (0..count).filter(|model| all[*model] == fewest).collect()
}

impl Proposals {
    fn under(&self, model: usize) -> Option<&ModelProposal> {
        self.distinct.get(usize::from(self.by_model[model]?))
    }

    /// Tells what remains.
    pub(super) fn settle(&self, kept: &[usize], pass: &mut ScrapedPass) {
        let left = kept.iter().filter_map(|it| {
            let proposal = self.under(*it)?;
            Some((pass.ends.of(proposal.range)?, proposal))
        });
        let left: Vec<_> = left.collect();
        let range = left.iter().map(|it| it.0).reduce(Range::join);
        let range = range.or_else(|| pass.ends.of(ANYTHING));
        pass.proposal = Stored::Within(range.unwrap_or(ANYTHING));
        let first = left.first().map(|it| it.1);
        let winner = first.and_then(|it| it.winner);
        let winner = winner.filter(|_| left.iter().all(|it| it.1.winner == winner));
        // Of one metric, it is that one.
        pass.winner = winner.or((pass.spec.metrics.len() == 1).then_some(0));
        pass.found = first.map(|it| (*it.found).clone());
        pass.pods = left.iter().map(|it| it.1.pods).reduce(Range::join);
    }
}

impl Scrapes {
    /// What a pass found, as far as series tell; its metrics are unknown where no
    /// scrape shows it.
    pub(in crate::history) fn inputs(
        &self,
        pass: &ScrapedPass,
        base: &Snapshot,
        settings: &Settings,
        at: Timestamp,
    ) -> Option<Snapshot> {
        let finder = Finder::new(self, base, settings);
        let scrape = self.all.get(pass.scrape)?;
        let now = at.as_nanosecond();
        let found = pass.found.clone().unwrap_or_else(|| {
            let there = self.pods.of_scrape(scrape.at).into_iter();
            let there = there.filter(|it| self.pods.get(*it).created() <= now);
            let there: Vec<usize> = there.collect();
            Findable {
                samples: vec![SampleAge::New; there.len()],
                there,
                now,
                pods: scrape.pods,
            }
        });
        let mut snapshot = finder.snapshot(scrape, &Findable { now, ..found });
        let has_pods = !self.pods.is_empty() || scrape.pods == 0;
        if pass.found.is_none() && pass.proposal != Stored::None || !has_pods {
            unmeasured(&mut snapshot.metrics);
        }
        if !has_pods {
            let reason = "Prometheus has no series that tell whose they are";
            let missing = NotRead::new(Part::Pods, ReadFailure::not_read(reason));
            snapshot.provenance.not_read.push(missing);
        }
        if let Some((scale, before)) = snapshot.scale.response_mut().zip(pass.before) {
            scale.spec.replicas = before;
        }
        let hpa = &mut snapshot.hpa;
        let created = scrape.created.or(hpa.metadata.creation_timestamp);
        // Without series of conditions, nothing tells whether a pass has seen it.
        let has_conditions = !scrape.status.conditions.is_empty();
        hpa.metadata.creation_timestamp = created.filter(|_| has_conditions);
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
}

/// What a load is told by, of a Prometheus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampledPasses {
    /// The passes that scrapes show.
    count: usize,
    /// Of how many the number of pods is not known exactly.
    uncertain: usize,
    /// Within how many percent it is known of all.
    percent: i32,
}

impl SampledPasses {
    /// How far the pods of the passes are known, unless they are.
    pub fn uncertain(&self) -> Option<String> {
        (self.uncertain > 0).then(|| {
            format!(
                "in {} of {} passes, the number of pods is only known to within {}%",
                self.uncertain, self.count, self.percent
            )
        })
    }
}

impl Scrapes {
    /// Visits what each pass found that a scrape shows, in the order of time, as
    /// far as series tell: the inputs that a record would have of it.
    pub fn samples(
        &self,
        base: &Snapshot,
        settings: &Settings,
        mut visit: impl FnMut(&Snapshot),
    ) -> SampledPasses {
        let mut sampled = SampledPasses::default();
        for pass in self.passes(base, settings) {
            // A pass that got no answer of a metric shows just that.
            let now = pass.found.as_ref().map_or(pass.probably.from, |it| it.now);
            let at = pass.is_measured().then(|| timestamp(now));
            let inputs = at.and_then(|at| self.inputs(&pass, base, settings, at));
            let Some(inputs) = inputs else {
                continue;
            };
            visit(&inputs);
            let Some(pods) = pass.pods else {
                continue;
            };
            sampled.count += 1;
            let wide = (pods.to - pods.from).saturating_mul(100) / pods.to.max(1);
            sampled.uncertain += usize::from(wide > 0);
            sampled.percent = sampled.percent.max(wide);
        }
        sampled
    }

    /// What a reader should know of them.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }
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

/// Puts together what passes can have found.
pub(super) struct Finder<'a> {
    scrapes: &'a Scrapes,
    base: Snapshot,
    settings: &'a Settings,
    labels: Labels,
    /// How long samples are averaged over.
    window: Nanos,
    /// The age of the youngest pod that has a sample now.
    youngest: Nanos,
}

impl<'a> Finder<'a> {
    pub(super) fn new(scrapes: &'a Scrapes, base: &'a Snapshot, settings: &'a Settings) -> Self {
        let selected = selected_pods(base);
        let labels = selected.first().map(|pod| pod.metadata.labels.clone());
        let target = base.target.as_ref();
        let selector = target.and_then(|it| it.spec.selector.as_ref());
        let required = || {
            let required = selector.into_iter().flat_map(|it| &it.match_labels);
            required
                .map(|(name, value)| (name.as_str().into(), value.as_str().into()))
                .collect()
        };
        let samples = base.metrics.samples().iter();
        let window = samples.clone().map(|it| Nanos::from(it.window.0)).max();
        let names: BTreeSet<&str> = samples.map(|it| it.metadata.name.as_str()).collect();
        let with_sample = selected.iter();
        let with_sample = with_sample.filter(|it| names.contains(it.metadata.name.as_str()));
        let ages = with_sample.filter_map(|pod| {
            let started = pod.status.start_time?.as_nanosecond();
            Some(base.captured_at.as_nanosecond() - started)
        });
        Self {
            scrapes,
            youngest: ages.min().unwrap_or(Nanos::MAX),
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
        }
    }

    /// What a pass asked for, under each model.
    pub(super) fn proposals(
        &self,
        (before, scrape): (&Scrape, &Scrape),
        index: usize,
        pass: &ScrapedPass,
    ) -> Proposals {
        let mut known: BTreeMap<Rc<Findable>, Option<(Range, Option<usize>)>> = BTreeMap::new();
        let models = AGES
            .iter()
            .flat_map(|age| self.delays().map(move |delay| (age * SECOND, delay)));
        let findable = self.findable(before, scrape, pass.probably);
        let mut distinct: Vec<ModelProposal> = Vec::new();
        let by_model = models.map(|model| {
            let mut all: Option<ModelProposal> = None;
            for found in &findable {
                let found = self.with_samples(found, scrape, model);
                let shared = known.get_key_value(&found);
                let (found, proposal) = shared.map_or_else(
                    || (Rc::new(found.clone()), self.reported(scrape, &found)),
                    |(found, proposal)| (found.clone(), *proposal),
                );
                known.insert(found.clone(), proposal);
                let Some((range, winner)) = proposal else {
                    continue;
                };
                let pods = Range::of(i32::try_from(found.there.len()).unwrap_or(i32::MAX));
                all = Some(match all {
                    None => ModelProposal {
                        range,
                        pods,
                        winner,
                        found,
                    },
                    Some(other) => ModelProposal {
                        range: other.range.join(range),
                        pods: other.pods.join(pods),
                        winner: winner.filter(|it| other.winner == Some(*it)),
                        found: other.found,
                    },
                });
            }
            let all = all?;
            let place = distinct.iter().position(|it| *it == all);
            let place = place.unwrap_or_else(|| {
                distinct.push(all);
                distinct.len() - 1
            });
            u8::try_from(place).ok()
        });
        Proposals {
            pass: index,
            by_model: by_model.collect(),
            distinct,
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
        // Which pods there were on the way to a size that other passes set.
        let is_on_the_way = before.size != scrape.status.current_replicas
            && are_several(before, scrape, self.settings);
        let were_replaced = !has_moved && pods.were_replaced(before.at, scrape.at);
        if is_by_others || is_on_the_way || were_replaced {
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
        let hpa = &mut snapshot.hpa;
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
                    .condition(PodConditionKind::Ready)
                    .filter(|it| it.status == ConditionStatus::True);
                let changed = ready.and_then(|it| it.last_transition_time);
                let counts = changed.map(|it| it.as_nanosecond() + self.window);
                Some(timestamp(found.now.max(counts.unwrap_or(found.now))))
            }
            SampleAge::Old => pod.condition(PodConditionKind::Ready)?.last_transition_time,
            SampleAge::Missing => None,
        });
        let taken: Vec<Option<Timestamp>> = taken.collect();
        snapshot.metrics = metrics(&snapshot, &taken, self.window);
        snapshot
    }
}

/// What a pass can have found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Findable {
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
    let hpa = &snapshot.hpa;
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
        let average = current.average_value.as_ref();
        let average = average.map_or(0, Quantity::milli_value);
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
