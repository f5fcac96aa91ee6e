//! The metrics of a pass, asked again under another load, at another size or
//! under another spec, by the same rules.
//!
//! A metric's rules look at sums over its pods only. They are taken once, so
//! that asking again costs the same for ten pods and for ten thousand.

mod pass;
mod reported;

use std::collections::BTreeSet;

use super::compute_replicas_for_metric::{
    MetricError, compute_replicas_for_metric, measure, sum_for_average, sum_for_value,
};
use super::compute_replicas_for_metrics::{Merged, compute_replicas_for_metrics};
use super::go::wrap_i64;
use super::memory::Memory;
use super::normalize::{Normalization, possible_range};
use super::prepared::{
    External, Metric, Object, Pod, Prepared, Sample, Samples, Scale, Source, Spec, Target,
};
use super::reconcile::MOST_PODS_EXPLAINED;
use super::replica_calculator::{
    Calculation, Computed, Counted, Measure, PerPod, SetAside, Shown, Tally, Tolerances,
    average_ratio, average_value_replicas, group_pod, group_pods, ready_pods, usage_ratio,
    usage_ratio_replicas,
};
use super::settings::Settings;
use super::time::Nanos;
use crate::api::{HpaSpec, ReadFailure, is_held_by_each_pod};
use crate::trace::{Group, Nothing, ReadyPods};

pub use pass::Open;

/// The metrics of a pass, to be asked again.
#[derive(Clone, Debug)]
pub struct WhatIf<'a> {
    prepared: &'a Prepared<'a>,
    calculation: Calculation<'a>,
    /// Whether the controller itself has scaled to the size of 0.
    scaled_to_zero: bool,
    metrics: Vec<Result<Trial<'a>, MetricError>>,
}

/// One metric that proposes a count, to be asked again.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    calculation: Calculation<'a>,
    load: AssumedLoad,
}

/// What a metric's rules look at.
#[derive(Clone, Debug)]
enum AssumedLoad {
    /// Measured pod by pod.
    PerPod(Box<LoadPerPod>),
    /// One value for all, against a target of type Value.
    Value {
        usage: i64,
        target: i64,
        is_external: bool,
        ready: ReadyPods,
        foreign_ready: usize,
    },
    /// One value for all, against a target of type `AverageValue`.
    Total {
        usage: i64,
        target: i64,
        is_external: bool,
    },
}

/// What is measured pod by pod.
#[derive(Clone, Debug)]
struct LoadPerPod {
    all: Counted,
    /// The target's own pods that count, without those of others.
    own: Tally,
    /// The pods of others that the selector catches and that count.
    foreign: Tally,
    /// Those of others that are set aside: not ready, without a sample.
    foreign_aside: [SetAside; 2],
    /// Who takes the load that the own pods that count show a part of.
    takers: Takers,
    /// What a pod holds, such as memory, does not spread over more pods.
    spreads: bool,
}

/// The target's own pods that are Ready, and so take an even part of the load.
#[derive(Clone, Copy, Debug, Default)]
struct Takers {
    /// Those whose sample counts.
    counted: i64,
    /// Those that are set aside: just started, or without a sample.
    aside: i64,
}

impl Takers {
    /// The whole load, by the part of it that the pods that count show.
    fn whole(self, shown: i128) -> i128 {
        let all = i128::from(self.counted + self.aside);
        let whole = (shown * all).checked_div(i128::from(self.counted));
        whole.unwrap_or(shown)
    }
}

/// What a metric proposes under some load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetricProposal {
    /// The proposed count.
    pub replicas: i32,
    /// What it is measured at: percent for `Utilization`, the average per
    /// entry in thousandths for what is measured pod by pod, else the whole
    /// value in thousandths.
    pub value: i64,
    /// The same in thousandths of a percent, for `Utilization`; absent where
    /// that is beyond 64 bits.
    pub value_in_thousandths: Option<i64>,
    /// The sum over what counts, in thousandths.
    pub total: i64,
    /// Measured divided by target, before set-aside pods are filled in.
    pub ratio: f64,
    /// Whether that ratio is tolerated.
    pub is_tolerated: bool,
}

impl<'a> WhatIf<'a> {
    /// The metrics as the pass finds them; `None` where it cannot read the
    /// scale. `foreign` are the pods that the target does not own: at another
    /// size they stay as they are.
    pub fn new(
        prepared: &'a Prepared<'a>,
        settings: &'a Settings,
        now: Nanos,
        foreign: &BTreeSet<&str>,
    ) -> Option<Self> {
        let scale: &Scale = prepared.scale.as_ref().ok()?;
        let calculation = Calculation {
            settings,
            tolerances: Tolerances::new(&prepared.spec, settings),
            now,
            current: scale.replicas,
            status_replicas: scale.status_replicas,
            pods: &prepared.pods,
        };
        let trial = |metric| {
            let namespace = prepared.namespace();
            compute_replicas_for_metric(&calculation, metric, namespace, &mut Nothing)?;
            // What proposes a count has everything that it is asked for.
            AssumedLoad::new(&calculation, metric, foreign)
                .map(|load| Trial { calculation, load })
                .ok_or_else(|| MetricError::Unreadable(ReadFailure::not_read("")))
        };
        Some(Self {
            prepared,
            calculation,
            scaled_to_zero: prepared.scaled_to_zero,
            metrics: prepared.metrics.iter().map(trial).collect(),
        })
    }

    /// The metric at a place of the spec, if it proposes a count.
    pub fn metric(&self, index: usize) -> Option<&Trial<'a>> {
        self.metrics.get(index)?.as_ref().ok()
    }

    /// The metrics, by their place in the spec, that are not known to become
    /// less for each pod as pods are added.
    pub fn taken_constant(&self) -> Vec<usize> {
        let metrics = 0..self.metrics.len();
        let is_constant = |index: &usize| self.metric(*index).is_some_and(|it| !it.spreads());
        metrics.filter(is_constant).collect()
    }

    /// The inputs of a pass of a moment that finds this load: those of the first pass as
    /// they are, later ones with pods that are all alike. `None` where a metric fails,
    /// pods are set aside or of others, or they are too many.
    pub fn inputs(&self, now: Nanos) -> Option<Prepared<'a>> {
        if now == self.calculation.now {
            return Some(self.prepared.clone());
        }
        let Calculation {
            current,
            status_replicas,
            ..
        } = self.calculation;
        let count = usize::try_from(current).ok();
        let count = count.filter(|count| *count <= MOST_PODS_EXPLAINED)?;
        let mut inputs = self.prepared.clone();
        inputs.scaled_to_zero = self.scaled_to_zero;
        let scale = inputs.scale.as_mut().ok()?;
        (scale.replicas, scale.status_replicas) = (current, status_replicas);
        inputs.pods = vec![Pod::steady(now); count];
        for (metric, trial) in inputs.metrics.iter_mut().zip(&self.metrics) {
            let are_all = match &trial.as_ref().ok()?.load {
                AssumedLoad::PerPod(load) => {
                    let all = &load.all;
                    let value = |value| Sample {
                        taken: now,
                        window: 0,
                        value,
                    };
                    let values = shares(all.used(), count)?.map(|it| Some(value(it)));
                    *metric.source.samples_mut()? = Ok(Samples {
                        by_pod: values.collect(),
                        foreign_pods: Vec::new(),
                    });
                    if let Source::Resource(resource) = &mut metric.source {
                        let requests = shares(all.ready.requests, count)?;
                        resource.requests = Ok(requests.collect());
                    }
                    all.ready.pods == i64::from(current) && all.unready.pods + all.missing.pods == 0
                }
                AssumedLoad::Value { ready, .. } => ready.selected == count,
                AssumedLoad::Total { .. } => true,
            };
            if !are_all {
                return None;
            }
        }
        Some(inputs)
    }

    /// The size that a pass begins with.
    pub const fn size(&self) -> i32 {
        self.calculation.current
    }

    /// The metrics as another pass finds them.
    pub fn found_by(&self, other: &WhatIf) -> Self {
        let calculation = Calculation {
            current: other.calculation.current,
            status_replicas: other.calculation.status_replicas,
            ..self.calculation
        };
        let trial = |trial: &Trial| Trial {
            calculation,
            load: trial.load.clone(),
        };
        let metrics = other.metrics.iter();
        Self {
            calculation,
            scaled_to_zero: self.scaled_to_zero_at(calculation.current),
            metrics: metrics
                .map(|metric| metric.as_ref().map(trial).map_err(Clone::clone))
                .collect(),
            ..*self
        }
    }

    /// Whether the controller itself has scaled to a size, where that is 0.
    fn scaled_to_zero_at(&self, replicas: i32) -> bool {
        let spec = &self.prepared.spec;
        if replicas == self.calculation.current {
            self.scaled_to_zero
        } else {
            replicas == 0 && spec.min == 0 && spec.has_object_or_external
        }
    }

    /// The same load once the target has so many pods, all of which count;
    /// `None` where it is not known how a metric would spread. Pods that are
    /// Ready and set aside now take as much of it as those that count.
    pub fn at_size(&self, replicas: i32) -> Option<Self> {
        let mut metrics = self.metrics.clone();
        for trial in metrics.iter_mut().flatten() {
            trial.resize(replicas)?;
        }
        let calculation = Calculation {
            current: replicas,
            status_replicas: replicas,
            ..self.calculation
        };
        Some(Self {
            calculation,
            scaled_to_zero: self.scaled_to_zero_at(replicas),
            metrics,
            ..*self
        })
    }

    /// The same where what is measured pod by pod comes to more, or less, in
    /// all by so many thousandths.
    pub fn with_more(&self, thousandths: i64) -> Self {
        let mut other = self.clone();
        for trial in other.metrics.iter_mut().flatten() {
            if matches!(trial.load, AssumedLoad::PerPod(_)) {
                *trial = trial.with_total(trial.total().saturating_add(thousandths));
            }
        }
        other
    }

    /// What the metrics ask for together, not below 0, and which of them
    /// decides; the current size and none where failed metrics block the
    /// rest. `None` where a metric that we may not read could ask for more.
    pub fn recommendation(&self) -> Option<(i32, Option<usize>)> {
        self.recommendation_at(self.calculation.now)
    }

    /// The same at another moment: by the design of KEP-5679 a metric that
    /// fails asks for something once it has failed for long enough.
    fn recommendation_at(&self, now: Nanos) -> Option<(i32, Option<usize>)> {
        let proposals = self.metrics.iter().map(|metric| match metric {
            Ok(trial) => match trial.ask() {
                Some(recommended) => Ok(recommended.replicas),
                None => Err(MetricError::Unreadable(ReadFailure::not_read(""))),
            },
            Err(error) => Err(error.clone()),
        });
        let proposals: Vec<_> = proposals.collect();
        let merged = compute_replicas_for_metrics(
            self.prepared,
            self.calculation.settings,
            self.calculation.current,
            &proposals,
            now,
            &mut Nothing,
        );
        match merged {
            Ok(Merged::Proposed(proposal)) => {
                Some((proposal.replicas.max(0), Some(proposal.winner)))
            }
            Ok(Merged::AtLeast { .. }) => None,
            Err(_) => Some((self.calculation.current, None)),
        }
    }

    /// What each of several metrics asks for, in the order of the spec, where it gives
    /// a number; nothing of a single one.
    pub fn proposals(&self) -> Vec<Option<i32>> {
        match self.metrics.as_slice() {
            [] | [_] => Vec::new(),
            several => {
                let each = several.iter();
                let each = each.map(|it| Some(it.as_ref().ok()?.ask()?.replicas));
                each.collect()
            }
        }
    }

    /// The count that a recommendation comes to under another spec; `None`
    /// where what is not known of the memory decides.
    pub fn decision(&self, spec: &HpaSpec, recommendation: i32, memory: &Memory) -> Option<i32> {
        let Calculation { settings, now, .. } = self.calculation;
        let change = (self.calculation.current, recommendation);
        decision(spec, settings, memory, now, change)
    }

    /// What the metrics ask for together under the tolerances of another
    /// spec.
    pub fn under(&self, spec: &HpaSpec) -> Self {
        let tolerances = Tolerances::new(
            &Spec::new(spec, self.calculation.settings.release),
            self.calculation.settings,
        );
        let mut other = self.clone();
        other.calculation.tolerances = tolerances;
        for trial in other.metrics.iter_mut().flatten() {
            trial.calculation.tolerances = tolerances;
        }
        other
    }
}

/// A sum as that of so many parts, which are as even as can be.
fn shares(sum: i128, count: usize) -> Option<impl Iterator<Item = i64>> {
    let parts = i128::try_from(count).ok()?;
    let each = i64::try_from(sum.checked_div_euclid(parts)?).ok()?;
    let more = usize::try_from(sum.checked_rem_euclid(parts)?).ok()?;
    Some((0..count).map(move |at| each + i64::from(at < more)))
}

/// The deviations that a spec tolerates, downwards and upwards, as fractions
/// of 1.
pub fn tolerated(spec: &HpaSpec, settings: &Settings) -> (f64, f64) {
    let tolerances = Tolerances::new(&Spec::new(spec, settings.release), settings);
    (tolerances.down, tolerances.up)
}

/// The count that a recommendation comes to under a spec, the current size
/// first; `None` where what is not known of the memory decides.
pub fn decision(
    spec: &HpaSpec,
    settings: &Settings,
    memory: &Memory,
    now: Nanos,
    (current, desired): (i32, i32),
) -> Option<i32> {
    let mut memory = memory.clone();
    memory.seed(current, now);
    let normalization = Normalization {
        spec: &Spec::new(spec, settings.release),
        settings,
        memory: &memory,
        now,
        current,
        desired,
    };
    if memory.is_known() {
        return Some(normalization.normalize(&mut Nothing).replicas);
    }
    possible_range(&normalization).single()
}

impl Trial<'_> {
    /// What the metric proposes.
    pub fn ask(&self) -> Option<MetricProposal> {
        let calculation = &self.calculation;
        let computed = self.compute()?;
        let total = self.total();
        let (ratio, is_average) = match &self.load {
            AssumedLoad::PerPod(load) => {
                let LoadPerPod { all, .. } = &**load;
                let release = calculation.settings.release;
                let ratio = all.measure.ratio(&all.ready, release).ok()?;
                (ratio.to_target, false)
            }
            AssumedLoad::Value { usage, target, .. } => (usage_ratio(*usage, *target), false),
            AssumedLoad::Total { usage, target, .. } => {
                let status_replicas = calculation.status_replicas;
                (average_ratio(*usage, *target, status_replicas), true)
            }
        };
        Some(MetricProposal {
            replicas: computed.replicas,
            value: match computed.shown {
                _ if is_average => total,
                Shown::Utilization(percent, _) => i64::from(percent),
                Shown::Average(value) | Shown::Value(value) => value,
            },
            value_in_thousandths: self.thousandths_of_percent(),
            total,
            ratio,
            is_tolerated: if is_average {
                calculation.tolerances.is_within_for_average(ratio)
            } else {
                calculation.tolerances.is_within(ratio)
            },
        })
    }

    fn compute(&self) -> Option<Computed> {
        let calculation = &self.calculation;
        match &self.load {
            AssumedLoad::PerPod(load) => load.all.replicas(calculation, &mut Nothing).ok(),
            AssumedLoad::Value {
                usage,
                target,
                ready,
                ..
            } => usage_ratio_replicas(calculation, *usage, *target, *ready, &mut Nothing).ok(),
            AssumedLoad::Total {
                usage,
                target,
                is_external,
            } => Some(average_value_replicas(
                calculation,
                *usage,
                *target,
                *is_external,
                &mut Nothing,
            )),
        }
    }

    /// The sum over what counts, in thousandths.
    pub fn total(&self) -> i64 {
        match &self.load {
            AssumedLoad::PerPod(load) => wrap_i64(load.all.used()),
            AssumedLoad::Value { usage, .. } | AssumedLoad::Total { usage, .. } => *usage,
        }
    }

    fn thousandths_of_percent(&self) -> Option<i64> {
        match &self.load {
            AssumedLoad::PerPod(load)
                if matches!(load.all.measure, Measure::Utilization { .. }) =>
            {
                let all = &load.all;
                let thousandths = (all.used() * 100_000).checked_div(all.ready.requests)?;
                i64::try_from(thousandths).ok()
            }
            _ => None,
        }
    }

    /// The same metric with another sum over what counts. Which pods count
    /// stays as it is.
    pub fn with_total(&self, total: i64) -> Self {
        let mut other = self.clone();
        let release = self.calculation.settings.release;
        match &mut other.load {
            AssumedLoad::PerPod(load) => {
                let all = &mut load.all;
                all.ready.usage += i128::from(total) - all.used();
            }
            AssumedLoad::Value {
                usage,
                is_external: true,
                ..
            } => *usage = sum_for_value(&[total], release),
            AssumedLoad::Total {
                usage,
                is_external: true,
                ..
            } => *usage = sum_for_average(&[total], release),
            AssumedLoad::Value { usage, .. } | AssumedLoad::Total { usage, .. } => *usage = total,
        }
        other
    }

    /// Whether the load is known to become less for each pod as pods are
    /// added. Of memory and of values that are for all it is not: they are
    /// taken to stay as they are.
    pub fn spreads(&self) -> bool {
        match &self.load {
            AssumedLoad::PerPod(load) => load.spreads,
            AssumedLoad::Value { .. } => false,
            AssumedLoad::Total { .. } => true,
        }
    }

    /// One of the pods that are set aside counts, with that request and the
    /// usage that the counted pods have on average; `None` where none counts.
    pub fn counting_one(&self, without_sample: bool, request: i64) -> Option<Self> {
        let mut other = self.clone();
        let AssumedLoad::PerPod(load) = &mut other.load else {
            return None;
        };
        let all = &mut load.all;
        let average = all.used().checked_div(i128::from(all.ready.entries()))?;
        let aside = if without_sample {
            &mut all.missing
        } else {
            &mut all.unready
        };
        let one = SetAside {
            on_target: aside
                .on_target
                .checked_div(i128::try_from(aside.pods).ok()?)?,
            requests: i128::from(request),
            pods: 1,
        };
        aside.pods -= one.pods;
        aside.requests -= one.requests;
        aside.on_target -= one.on_target;
        all.ready.requests += one.requests;
        all.ready.usage += average;
        all.ready.pods += 1;
        Some(other)
    }

    /// All of the pods that are set aside count, and the load is spread over
    /// them, too.
    pub fn counting_all(&self) -> Option<Self> {
        let mut other = self.clone();
        let AssumedLoad::PerPod(load) = &mut other.load else {
            return None;
        };
        let all = &mut load.all;
        for aside in [&mut all.missing, &mut all.unready] {
            let aside = std::mem::take(aside);
            all.ready.requests += aside.requests;
            all.ready.pods += i64::try_from(aside.pods).unwrap_or(i64::MAX);
        }
        Some(other)
    }

    fn resize(&mut self, replicas: i32) -> Option<()> {
        self.calculation.current = replicas;
        self.calculation.status_replicas = replicas;
        match &mut self.load {
            AssumedLoad::PerPod(load) => {
                let LoadPerPod {
                    all,
                    own,
                    foreign,
                    foreign_aside: [unready, missing],
                    takers,
                    spreads,
                } = &mut **load;
                let mut own = *own;
                if *spreads {
                    own.usage = takers.whole(own.usage);
                }
                let grown = own.grown(replicas, *spreads)?;
                *all = Counted {
                    measure: all.measure,
                    ready: Tally {
                        usage: grown.usage + foreign.usage,
                        requests: grown.requests + foreign.requests,
                        pods: grown.pods + foreign.pods,
                        ..Tally::default()
                    },
                    unready: *unready,
                    missing: *missing,
                };
            }
            AssumedLoad::Value {
                ready,
                foreign_ready,
                ..
            } => {
                let pods = usize::try_from(replicas).ok()? + *foreign_ready;
                *ready = ReadyPods {
                    selected: pods,
                    ready: pods,
                };
            }
            AssumedLoad::Total { .. } => {}
        }
        Some(())
    }
}

impl Counted {
    /// The usage that its measure looks at.
    fn used(&self) -> i128 {
        self.measure.usage(&self.ready)
    }
}

impl Tally {
    /// So many pods that request what these request on average: with the same
    /// usage altogether if it spreads, else with the same usage each.
    fn grown(&self, replicas: i32, spreads: bool) -> Option<Self> {
        let (pods, then) = (i128::from(self.pods), i128::from(replicas));
        let usage = if spreads {
            self.usage
        } else {
            // Rounded up where the requests are rounded down, so that a whole
            // percentage does not fall below itself.
            (self.usage * then + pods - 1).checked_div_euclid(pods)?
        };
        Some(Self {
            usage,
            requests: (self.requests * then).checked_div(pods)?,
            pods: i64::from(replicas),
            ..Self::default()
        })
    }
}

impl AssumedLoad {
    fn new(calculation: &Calculation, metric: &Metric, foreign: &BTreeSet<&str>) -> Option<Self> {
        let release = calculation.settings.release;
        match &metric.source {
            Source::Resource(resource) => {
                let input = PerPod {
                    samples: resource.samples.as_ref().ok()?,
                    requests: &resource.requests,
                    measure: measure(resource)?,
                    is_cpu: resource.is_cpu(),
                };
                let spreads = !is_held_by_each_pod(resource.name);
                Self::per_pod(calculation, &input, foreign, spreads)
            }
            Source::Pods(pods) => {
                let input = PerPod {
                    samples: pods.samples.as_ref().ok()?,
                    requests: &Ok(Vec::new()),
                    measure: Measure::Average {
                        target: pods.target,
                    },
                    is_cpu: false,
                };
                Self::per_pod(calculation, &input, foreign, true)
            }
            Source::Object(object) => {
                let usage = object.value.as_ref().ok()?;
                Self::of_all(calculation, object.target?, foreign, |_| *usage, false)
            }
            Source::External(external) => {
                let values = external.values.as_ref().ok()?;
                let sum = |is_average| {
                    let sum = if is_average {
                        sum_for_average
                    } else {
                        sum_for_value
                    };
                    sum(values, release)
                };
                Self::of_all(calculation, external.target?, foreign, sum, true)
            }
            Source::Unknown => None,
        }
    }

    fn of_all(
        calculation: &Calculation,
        target: Target,
        foreign: &BTreeSet<&str>,
        usage: impl Fn(bool) -> i64,
        is_external: bool,
    ) -> Option<Self> {
        match target {
            Target::Value(target) => {
                let pods = calculation.pods.iter();
                let foreign = pods.filter(|pod| foreign.contains(pod.name));
                Some(Self::Value {
                    usage: usage(false),
                    target,
                    is_external,
                    ready: ready_pods(calculation.pods),
                    foreign_ready: foreign.filter(|pod| pod.is_running_and_ready()).count(),
                })
            }
            Target::AverageValue(target) => Some(Self::Total {
                usage: usage(true),
                target,
                is_external,
            }),
            Target::Utilization(_) => None,
        }
    }

    fn per_pod(
        calculation: &Calculation,
        input: &PerPod,
        foreign: &BTreeSet<&str>,
        spreads: bool,
    ) -> Option<Self> {
        let requests = input.requests.as_ref().ok()?;
        let groups = group_pods(calculation, input, &mut Nothing);
        let release = calculation.settings.release;
        let all = Counted::new(input, requests, &groups, release, |_| true);
        let is_foreign = |position: usize| foreign.contains(calculation.pods[position].name);
        let others = if foreign.is_empty() {
            Counted::new(input, requests, &groups, release, |_| false)
        } else {
            Counted::new(input, requests, &groups, release, is_foreign)
        };
        let mut takers = Takers::default();
        for (position, group) in groups.iter().enumerate() {
            let pod = &calculation.pods[position];
            if pod.is_running_and_ready() && !foreign.contains(pod.name) {
                match group {
                    Group::Ready => takers.counted += 1,
                    Group::Unready | Group::Missing => takers.aside += 1,
                    Group::Ignored => {}
                }
            }
        }
        let foreign = Tally {
            foreign_usage: 0,
            foreign_pods: 0,
            ..others.ready
        };
        Some(Self::PerPod(Box::new(LoadPerPod {
            all,
            own: Tally {
                usage: all.ready.usage - foreign.usage,
                requests: all.ready.requests - foreign.requests,
                pods: all.ready.pods - foreign.pods,
                ..Tally::default()
            },
            foreign,
            foreign_aside: [others.unready, others.missing],
            takers,
            spreads,
        })))
    }
}

/// The names of the pods that each metric of the spec counts, in their order,
/// asked without a pass, for a pass that needs no metrics groups no pods:
/// of what is measured pod by pod those with a usable sample (`groupPods`), of
/// a target of type Value those that are Running and Ready
/// (`getReadyPodsCount`). `None` for a metric that has no samples or does not
/// look at pods.
pub fn counting<'s>(
    prepared: &Prepared<'s>,
    settings: &Settings,
    now: Nanos,
) -> Vec<Option<Vec<&'s str>>> {
    let metrics = prepared.metrics.iter();
    metrics
        .map(|metric| counted(&prepared.pods, metric, settings, now))
        .collect()
}

fn counted<'s>(
    pods: &[Pod<'s>],
    metric: &Metric,
    settings: &Settings,
    now: Nanos,
) -> Option<Vec<&'s str>> {
    let (samples, is_cpu) = match &metric.source {
        Source::Resource(resource) => (&resource.samples, resource.is_cpu()),
        Source::Pods(pods) => (&pods.samples, false),
        Source::Object(Object { target, .. }) | Source::External(External { target, .. }) => {
            let is_value = matches!(target, Some(Target::Value(_)));
            let ready = pods.iter().filter(|pod| pod.is_running_and_ready());
            return is_value.then(|| ready.map(|pod| pod.name).collect());
        }
        Source::Unknown => return None,
    };
    let samples = samples.as_ref().ok()?;
    let counted = pods.iter().zip(&samples.by_pod).filter(|(pod, sample)| {
        let grouped = group_pod(pod, sample.as_ref(), is_cpu, settings, now);
        grouped.group == Group::Ready
    });
    Some(counted.map(|(pod, _)| pod.name).collect())
}
