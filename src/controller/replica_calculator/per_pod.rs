//! Metrics that are measured pod by pod: Resource, `ContainerResource` and
//! Pods (`GetResourceReplicas`, `calcPlainMetricReplicas`; they are the same
//! but for the measure and two guards).

use crate::controller::go::{ceil_to_i32, to_f64};
use crate::controller::prepared::Samples;
use crate::controller::release::Switch;
use crate::controller::time::timestamp;
use crate::trace::{Fill, FilledIn, Group, Groups, PodRecord, Recorder, Rule};

use super::group_pods::{compared_times, group_pod};
use super::measure::{Measure, Tally};
use super::{Calculation, Computed, NO_PODS, Terms};

/// What is measured pod by pod.
#[derive(Clone, Copy, Debug)]
pub struct PerPod<'a> {
    /// What was measured.
    pub samples: &'a Samples,
    /// What the pods request, or the complaint; empty for averages.
    pub requests: &'a Result<Vec<i64>, String>,
    /// What the pods are measured by.
    pub measure: Measure,
    /// Whether the metric is the resource cpu.
    pub is_cpu: bool,
}

/// Proposes a count.
///
/// # Errors
///
/// The controller's words: no pods, no usable sample, a missing request.
pub fn per_pod_replicas<R: Recorder>(
    calculation: &Calculation,
    input: &PerPod,
    recorder: &mut R,
) -> Result<Computed, String> {
    if calculation.pods.is_empty() {
        return Err(NO_PODS.to_owned());
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
        return Err(text.to_owned());
    }
    let requests = input.requests.as_ref().map_err(Clone::clone)?;
    Counted {
        calculation,
        input,
        groups,
        requests,
    }
    .replicas(recorder)
}

/// Puts every pod into its group.
fn group_pods<R: Recorder>(
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
            name: pod.name.into(),
            group: grouped.group,
            rule: grouped.rule,
            phase: pod.phase.as_str(),
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
    let size = |wanted| groups.iter().filter(|group| **group == wanted).count();
    Groups {
        selected: groups.len(),
        ready: size(Group::Ready),
        unready: size(Group::Unready),
        missing: size(Group::Missing),
        ignored: size(Group::Ignored),
        strangers: samples.strangers.len(),
    }
}

/// Whether a sample is left once those of ignored and unready pods are gone.
fn has_samples(groups: &[Group], input: &PerPod) -> bool {
    !input.samples.strangers.is_empty() || groups.contains(&Group::Ready)
}

/// Grouped pods with samples and requests.
struct Counted<'a> {
    calculation: &'a Calculation<'a>,
    input: &'a PerPod<'a>,
    groups: Vec<Group>,
    requests: &'a [i64],
}

impl Counted<'_> {
    fn replicas<R: Recorder>(&self, recorder: &mut R) -> Result<Computed, String> {
        let release = self.calculation.settings.release;
        let tolerances = self.calculation.tolerances;
        let measure = self.input.measure;
        let mut tally = self.ready();
        let first = measure.ratio(&tally, release)?;
        recorder.record(|| measure.record(&tally, &first, tolerances));

        // The status never shows what is filled in below.
        let computed = |rule, replicas, terms| Computed {
            replicas,
            rule,
            shown: first.shown(),
            terms,
        };
        let stays = |rule, terms| computed(rule, self.calculation.current, terms);

        let unready_count = first.to_target > 1.0 && self.groups.contains(&Group::Unready);
        if !unready_count && !self.groups.contains(&Group::Missing) {
            if tolerances.is_within(first.to_target) {
                return Ok(stays(
                    Rule::ReplicasTolerated,
                    Terms::Ratio(first.to_target),
                ));
            }
            let ready = self.size(Group::Ready);
            let replicas = ceil_to_i32(first.to_target * to_f64(ready), release);
            let terms = Terms::Product(first.to_target, ready);
            return Ok(computed(Rule::ReplicasByReadyPods, replicas, terms));
        }

        let missing = self.fill_missing(first.to_target, &mut tally);
        let unready = unready_count.then(|| self.fill(Group::Unready, &mut tally, |_| 0));
        let second = measure.ratio(&tally, release)?;
        recorder.record(|| FilledIn {
            missing,
            unready: unready.map(|pods| Fill {
                rule: Rule::FillAtZero,
                pods,
                counted_as: 0,
            }),
            pods: missing.map_or(0, |fill| fill.pods) + unready.unwrap_or_default(),
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
        if is_against(ratio, replicas, self.calculation.current) {
            return Ok(stays(Rule::ReplicasOpposed, terms));
        }
        Ok(computed(Rule::ReplicasFilledIn, replicas, terms))
    }

    /// The entries that count at first: ready pods, and strangers.
    fn ready(&self) -> Tally {
        let mut tally = Tally::default();
        for (position, group) in self.groups.iter().enumerate() {
            if *group == Group::Ready {
                let sample = self.input.samples.by_pod[position];
                let usage = sample.map_or(0, |sample| sample.value);
                tally.add(usage, self.request(position));
            }
        }
        for usage in &self.input.samples.strangers {
            tally.add_stranger(*usage);
        }
        tally
    }

    /// Fills in pods without a sample: on the target if less is asked for,
    /// at 0 if more is.
    fn fill_missing(&self, ratio: f64, tally: &mut Tally) -> Option<Fill> {
        let release = self.calculation.settings.release;
        let is_average = matches!(self.input.measure, Measure::Average { .. });
        let on_target_counts_as_0 = is_average && !release.has(Switch::MissingNotFilledOnTarget);
        #[expect(clippy::float_cmp, reason = "the controller compares exactly")]
        let is_on_target = ratio == 1.0;
        let pods = self.size(Group::Missing);
        if pods == 0 {
            return None;
        }
        let (rule, (pods, counted_as)) = if ratio < 1.0 {
            (Rule::FillOnTarget, self.fill_on_target(tally))
        } else if ratio > 1.0 || (is_on_target && on_target_counts_as_0) {
            (
                Rule::FillAtZero,
                (self.fill(Group::Missing, tally, |_| 0), 0),
            )
        } else {
            return None;
        };
        Some(Fill {
            rule,
            pods,
            counted_as,
        })
    }

    /// Fills in pods without a sample as if they sat on the target: at 100%
    /// of their request or, since 1.26, at the target if that is more.
    fn fill_on_target(&self, tally: &mut Tally) -> (usize, i64) {
        match self.input.measure {
            Measure::Average { target } => (self.fill(Group::Missing, tally, |_| target), target),
            Measure::Utilization { target } => {
                let release = self.calculation.settings.release;
                if !release.has(Switch::MissingFilledAtTarget) {
                    return (self.fill(Group::Missing, tally, |request| request), 100);
                }
                let percent = i64::from(target.max(100));
                let filled = |request: i64| request.wrapping_mul(percent) / 100;
                (self.fill(Group::Missing, tally, filled), percent)
            }
        }
    }

    /// Adds the pods of a group with a made-up usage; says how many.
    fn fill(&self, group: Group, tally: &mut Tally, usage: impl Fn(i64) -> i64) -> usize {
        let mut filled = 0;
        for (position, own) in self.groups.iter().enumerate() {
            if *own == group {
                let request = self.request(position);
                tally.add(usage(request), request);
                filled += 1;
            }
        }
        filled
    }

    fn size(&self, wanted: Group) -> i64 {
        let size = self.groups.iter().filter(|group| **group == wanted).count();
        i64::try_from(size).unwrap_or(i64::MAX)
    }

    fn request(&self, position: usize) -> i64 {
        self.requests.get(position).copied().unwrap_or_default()
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
