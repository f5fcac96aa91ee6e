//! Metrics that are measured pod by pod: Resource, `ContainerResource` and
//! Pods (`GetResourceReplicas`, `calcPlainMetricReplicas`; they are the same
//! but for the measure and two guards).

use super::group_pod::{compared_times, group_pod};
use super::measure::{Measure, Tally};
use super::{Calculation, Computed, Terms, no_pods};
use crate::controller::conditions::Complaint;
use crate::controller::go::{ceil_to_i32, to_f64};
use crate::controller::prepared::Samples;
use crate::controller::release::{Release, Switch};
use crate::controller::time::timestamp;
use crate::trace::{FailureCause, Fill, FilledIn, Group, Groups, PodRecord, Recorder, Rule};

/// What is measured pod by pod.
#[derive(Clone, Copy, Debug)]
pub struct PerPod<'a> {
    /// What was measured.
    pub samples: &'a Samples,
    /// What the pods request, or the complaint; empty for averages.
    pub requests: &'a Result<Vec<i64>, Complaint>,
    /// What the pods are measured by.
    pub measure: Measure,
    /// Whether the metric is the resource cpu.
    pub is_cpu: bool,
}

/// Proposes a count.
/// Errors: the controller's words: no pods, no usable sample, a missing request.
pub fn per_pod_replicas<R: Recorder>(
    calculation: &Calculation,
    input: &PerPod,
    recorder: &mut R,
) -> Result<Computed, Complaint> {
    if calculation.pods.is_empty() {
        return Err(no_pods());
    }
    let groups = group_pods(calculation, input, recorder);
    let release = calculation.settings.release;
    let has_samples = has_samples(&groups, input);
    if !release.has(Switch::RequestsAfterSamples) {
        input.requests.as_ref().map_err(Clone::clone)?;
    }
    if !has_samples {
        let text = if release.has(Switch::TargetedPodsText) {
            "did not receive metrics for targeted pods (pods might be unready)"
        } else {
            "did not receive metrics for any ready pods"
        };
        return Err(Complaint::new(text, FailureCause::NoSamples));
    }
    let requests = input.requests.as_ref().map_err(Clone::clone)?;
    let counted = Counted::new(input, requests, &groups, release, |_| true);
    counted.replicas(calculation, recorder)
}

/// Puts every pod into its group.
pub fn group_pods<R: Recorder>(
    calculation: &Calculation,
    input: &PerPod,
    recorder: &mut R,
) -> Vec<Group> {
    let settings = calculation.settings;
    let mut groups = Vec::with_capacity(calculation.pods.len());
    for (position, pod) in calculation.pods.iter().enumerate() {
        let sample = input.samples.by_pod[position].as_ref();
        let grouped = group_pod(pod, sample, input.is_cpu, settings, calculation.now);
        groups.push(grouped.group);
        recorder.record(|| PodRecord {
            name: pod.name_at(position).into(),
            group: grouped.group,
            rule: grouped.rule,
            phase: pod.phase,
            usage: sample.map(|sample| sample.value),
            request: request(input, position),
            times: input.is_cpu.then(|| compared_times(pod, sample, settings)),
            until: grouped.until.map(timestamp),
        });
    }
    recorder.record(|| sizes(&groups, input.samples));
    groups
}

fn request(input: &PerPod, position: usize) -> Option<i64> {
    input.requests.as_ref().ok()?.get(position).copied()
}

fn sizes(groups: &[Group], samples: &Samples) -> Groups {
    let size = |desired| groups.iter().filter(|group| **group == desired).count();
    Groups {
        selected: groups.len(),
        ready: size(Group::Ready),
        unready: size(Group::Unready),
        missing: size(Group::Missing),
        ignored: size(Group::Ignored),
        foreign_pods: samples.foreign_pods.len(),
    }
}

/// Whether a sample is left once those of ignored and unready pods are gone.
fn has_samples(groups: &[Group], input: &PerPod) -> bool {
    !input.samples.foreign_pods.is_empty() || groups.contains(&Group::Ready)
}

/// All that the rules look at of grouped pods: sums, so that the same rules
/// can be asked again under another load without looking at the pods again.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// What the pods are measured by.
    pub measure: Measure,
    /// The entries that count at first: ready pods, and pods of others.
    pub ready: Tally,
    /// The pods that are not ready.
    pub unready: SetAside,
    /// The pods without a sample.
    pub missing: SetAside,
}

/// Pods that count with a made-up usage, if they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetAside {
    pub pods: usize,
    pub requests: i128,
    /// What they use as if they sat on the target.
    pub on_target: i128,
}

impl Counted {
    /// The sums over the pods whose position is included, and over all
    /// pods of others.
    pub fn new(
        input: &PerPod,
        requests: &[i64],
        groups: &[Group],
        release: Release,
        includes: impl Fn(usize) -> bool,
    ) -> Self {
        let mut counted = Self {
            measure: input.measure,
            ready: Tally::default(),
            unready: SetAside::default(),
            missing: SetAside::default(),
        };
        let positions = groups.iter().enumerate();
        for (position, group) in positions.filter(|(position, _)| includes(*position)) {
            let request = requests.get(position).copied().unwrap_or_default();
            let aside = match group {
                Group::Ready => {
                    let sample = input.samples.by_pod[position];
                    let usage = sample.map_or(0, |sample| sample.value);
                    counted.ready.add(usage, request);
                    continue;
                }
                Group::Unready => &mut counted.unready,
                Group::Missing => &mut counted.missing,
                Group::Ignored => continue,
            };
            aside.pods += 1;
            aside.requests += i128::from(request);
            aside.on_target += i128::from(on_target(input.measure, request, release));
        }
        for usage in &input.samples.foreign_pods {
            counted.ready.add_foreign(*usage);
        }
        counted
    }

    /// Proposes a count.
    /// Errors: no entry belongs to a pod with a request above 0.
    pub fn replicas<R: Recorder>(
        &self,
        calculation: &Calculation,
        recorder: &mut R,
    ) -> Result<Computed, Complaint> {
        let release = calculation.settings.release;
        let (tolerances, current) = (calculation.tolerances, calculation.current);
        let measure = self.measure;
        let mut tally = self.ready;
        let first = measure.ratio(&tally, release)?;
        recorder.record(|| measure.record(&tally, &first, tolerances));

        // The status never shows what is filled in below.
        let computed = |rule, replicas, terms| Computed {
            replicas,
            rule,
            shown: first.shown(),
            terms,
        };
        let stays = |rule, terms| computed(rule, current, terms);

        let unready_count = first.to_target > 1.0 && self.unready.pods > 0;
        if !unready_count && self.missing.pods == 0 {
            if tolerances.is_within(first.to_target) {
                return Ok(stays(
                    Rule::ReplicasTolerated,
                    Terms::Ratio(first.to_target),
                ));
            }
            let ready = self.ready.pods;
            let replicas = ceil_to_i32(first.to_target * to_f64(ready), release);
            let terms = Terms::Product(first.to_target, ready);
            return Ok(computed(Rule::ReplicasByReadyPods, replicas, terms));
        }

        let missing = self.fill_missing(first.to_target, release, &mut tally);
        let unready = unready_count.then(|| fill_at_zero(&self.unready, &mut tally));
        let second = measure.ratio(&tally, release)?;
        recorder.record(|| FilledIn {
            missing,
            unready,
            pods: [missing, unready]
                .iter()
                .flatten()
                .map(|fill| fill.pods)
                .sum(),
            measured: measure.record(&tally, &second, tolerances),
        });

        let ratio = second.to_target;
        if tolerances.is_within(ratio) {
            return Ok(stays(Rule::ReplicasToleratedFilledIn, Terms::Ratio(ratio)));
        }
        if is_opposite(first.to_target, ratio) {
            return Ok(stays(Rule::ReplicasReversed, Terms::Ratio(ratio)));
        }
        let entries = tally.entries();
        let replicas = ceil_to_i32(ratio * to_f64(entries), release);
        let terms = Terms::Product(ratio, entries);
        if is_against(ratio, replicas, current) {
            return Ok(stays(Rule::ReplicasOpposed, terms));
        }
        Ok(computed(Rule::ReplicasFilledIn, replicas, terms))
    }

    /// Fills in pods without a sample: on the target if less is asked for,
    /// at 0 if more is.
    fn fill_missing(&self, ratio: f64, release: Release, tally: &mut Tally) -> Option<Fill> {
        let is_average = matches!(self.measure, Measure::Average { .. });
        let on_target_counts_as_0 = is_average && !release.has(Switch::MissingNotFilledOnTarget);
        #[expect(clippy::float_cmp, reason = "the controller compares exactly")]
        let is_on_target = ratio == 1.0;
        let missing = &self.missing;
        if missing.pods == 0 {
            return None;
        }
        if ratio < 1.0 {
            tally.fill(missing, missing.on_target);
            return Some(Fill {
                rule: Rule::FillOnTarget,
                pods: missing.pods,
                counted_as: filled_value(self.measure, release),
            });
        }
        let at_zero = ratio > 1.0 || (is_on_target && on_target_counts_as_0);
        at_zero.then(|| fill_at_zero(missing, tally))
    }
}

fn fill_at_zero(aside: &SetAside, tally: &mut Tally) -> Fill {
    tally.fill(aside, 0);
    Fill {
        rule: Rule::FillAtZero,
        pods: aside.pods,
        counted_as: 0,
    }
}

/// What a pod uses that sits on the target: 100% of its request or, since
/// 1.26, the target if that is more.
fn on_target(measure: Measure, request: i64, release: Release) -> i64 {
    match measure {
        Measure::Average { target } => target,
        Measure::Utilization { .. } if !release.has(Switch::MissingFilledAtTarget) => request,
        Measure::Utilization { .. } => request.wrapping_mul(filled_value(measure, release)) / 100,
    }
}

/// The same in the unit of the target.
fn filled_value(measure: Measure, release: Release) -> i64 {
    match measure {
        Measure::Average { target } => target,
        Measure::Utilization { target } if release.has(Switch::MissingFilledAtTarget) => {
            i64::from(target.max(100))
        }
        Measure::Utilization { .. } => 100,
    }
}

impl Tally {
    fn fill(&mut self, aside: &SetAside, usage: i128) {
        self.usage += usage;
        self.requests += aside.requests;
        self.pods += i64::try_from(aside.pods).unwrap_or(i64::MAX);
    }
}

/// Filling in turned the direction round.
fn is_opposite(first: f64, second: f64) -> bool {
    (first < 1.0 && second > 1.0) || (first > 1.0 && second < 1.0)
}

/// The count would move against the ratio.
fn is_against(ratio: f64, replicas: i32, current: i32) -> bool {
    (ratio < 1.0 && replicas > current) || (ratio > 1.0 && replicas < current)
}
