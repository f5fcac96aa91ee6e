//! All metrics of the spec: the largest proposal, and what failed ones do to
//! it (`computeReplicasForMetrics`).

use super::compute_replicas_for_metric::{Failure, MetricError};
use super::conditions::{condition, warning};
use super::external_metric_fallback::record_condition;
use super::prepared::Prepared;
use super::settings::Settings;
use super::time::Nanos;
use super::validate_and_parse_selector::validate_and_parse_selector;
use crate::api::{Condition, ConditionKind};
use crate::trace::{RecommendationRecord, Recorder, Rule};

/// What the metrics ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// The largest proposal.
    Proposed(Proposal),
    /// A metric that we may not read could ask for more than this.
    AtLeast {
        /// The count.
        replicas: i32,
        /// Whether that metric, should it fail, blocks everything.
        may_fail: bool,
    },
}

/// The largest proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The count.
    pub replicas: i32,
    /// The metric that it comes from, by its place in the spec.
    pub winner: usize,
    /// What is returned as an error although scaling goes on.
    pub error: Option<String>,
}

/// The error of the metrics, which ends the pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetricsError {
    /// The controller's words.
    pub text: String,
    /// The error of the first metric in them, where it is metrics that failed.
    pub first: Option<String>,
}

/// Merges the metrics' proposals at a moment of a pass.
/// Errors: the error of the pass: the selector is refused, every metric failed, or some did
/// and the rest would scale down.
pub fn compute_replicas_for_metrics<R: Recorder>(
    prepared: &Prepared,
    settings: &Settings,
    current: i32,
    proposals: &[Result<i32, MetricError>],
    now: Nanos,
    recorder: &mut R,
) -> Result<Merged, MetricsError> {
    validate_and_parse_selector(prepared, settings, recorder)?;
    let tally = tally(prepared, proposals, now, recorder);
    record_condition(prepared, settings, proposals, now, recorder);
    if tally.unreadable > 0 {
        recorder.record(|| tally.record(Rule::RecommendationUnreadable, current));
        // With another metric failed, less than the current size is blocked.
        let least = if tally.failed > 0 { current } else { i32::MIN };
        return Ok(Merged::AtLeast {
            replicas: tally.replicas().max(least),
            may_fail: tally.best.is_none() || tally.replicas() < current,
        });
    }
    let error = tally.first_failure.map(|first| MetricsError {
        text: format!(
            "invalid metrics ({} invalid out of {}), first error is: {}",
            tally.failed,
            proposals.len(),
            first.error
        ),
        first: Some(first.error.clone()),
    });
    let is_blocked = tally.failed > 0 && tally.replicas() < current;
    match tally.best {
        Some((replicas, winner)) if !is_blocked => {
            recorder.record(|| tally.record(Rule::RecommendationLargest, current));
            Ok(Merged::Proposed(Proposal {
                replicas,
                winner,
                error: error.map(|error| error.text),
            }))
        }
        best => {
            let rule = match best {
                Some(_) => Rule::RecommendationBlocked,
                None => Rule::RecommendationNone,
            };
            recorder.record(|| tally.record(rule, current));
            if let Some(first) = tally.first_failure {
                recorder.record(|| failed_condition(first, settings));
            }
            Err(error.unwrap_or_default())
        }
    }
}

/// The proposals, counted.
#[derive(Default)]
struct Count<'a> {
    proposals: &'a [Result<i32, MetricError>],
    now: Nanos,
    /// The largest proposal, and the metric that it comes from.
    best: Option<(i32, usize)>,
    failed: usize,
    unreadable: usize,
    first_failure: Option<&'a Failure>,
}

/// Goes through the proposals in the spec's order. A tie leaves the earlier
/// metric in place, but a best of 0 gives way to anything.
fn tally<'a, R: Recorder>(
    prepared: &Prepared,
    proposals: &'a [Result<i32, MetricError>],
    now: Nanos,
    recorder: &mut R,
) -> Count<'a> {
    let mut tally = Count {
        proposals,
        now,
        ..Count::default()
    };
    for (index, proposal) in proposals.iter().enumerate() {
        let recommended = recommended(proposal, now);
        if let Some(replicas) =
            recommended.filter(|it| tally.replicas() == 0 || *it > tally.replicas())
        {
            tally.best = Some((replicas, index));
        }
        match proposal {
            Ok(_) => {}
            Err(MetricError::Failed(failure)) if recommended.is_some() => {
                let failing = failure.fallback.filter(|_| R::KEEPS);
                let pair = failing.zip(prepared.metrics.get(index));
                let event = pair.and_then(|(failing, metric)| failing.activation(metric));
                if let Some(event) = event {
                    recorder.record(|| event);
                }
            }
            Err(MetricError::Failed(failure)) => {
                tally.failed += 1;
                tally.first_failure.get_or_insert(failure);
                if let Some(reason) = failure.reason {
                    recorder.record(|| warning(reason, &failure.message));
                }
            }
            Err(MetricError::Unreadable(_)) => tally.unreadable += 1,
        }
    }
    tally
}

/// What a metric asks for: its proposal or, by a design that no release has,
/// what its fallback says once it has failed for long enough.
fn recommended(proposal: &Result<i32, MetricError>, now: Nanos) -> Option<i32> {
    match proposal {
        Ok(replicas) => Some(*replicas),
        Err(MetricError::Failed(failure)) => failure.fallback.as_ref()?.asks(now),
        Err(MetricError::Unreadable(_)) => None,
    }
}

/// The condition of the first metric that failed. A gate that is off leaves
/// an empty one, with no type even.
fn failed_condition(first: &Failure, settings: &Settings) -> Condition {
    let Some(reason) = first.reason else {
        return Condition::default();
    };
    let message = format!(
        "the HPA was unable to compute the replica count: {}",
        first.message
    );
    let message = settings.release.errorf(&message);
    condition(ConditionKind::ScalingActive, false, reason, message)
}

impl Count<'_> {
    /// The largest proposal; 0 where there is none.
    fn replicas(&self) -> i32 {
        self.best.map_or(0, |(replicas, _)| replicas)
    }

    /// The proposals, and the 0 below which none counts.
    fn proposed_counts(&self) -> String {
        let proposals = self.proposals.iter();
        let proposals = proposals.filter_map(|proposal| recommended(proposal, self.now));
        let mut counts: Vec<String> = proposals.map(|count| count.to_string()).collect();
        if self.replicas() < 0 || counts.len() == 1 {
            counts.push("0".to_owned());
        }
        counts.join(", ")
    }

    fn record(&self, rule: Rule, current: i32) -> RecommendationRecord {
        let best = self.replicas();
        let formula = match rule {
            Rule::RecommendationBlocked => format!("{best} < {current}, and a metric failed"),
            Rule::RecommendationNone => "no proposal".to_owned(),
            Rule::RecommendationUnreadable if self.best.is_none() => "unknown".to_owned(),
            Rule::RecommendationUnreadable => format!("at least {best}, unless a metric failed"),
            _ => format!("max({}) = {}", self.proposed_counts(), best.max(0)),
        };
        RecommendationRecord {
            rule,
            replicas: (rule == Rule::RecommendationLargest).then_some(best.max(0)),
            largest: self.best.map(|_| best),
            winner: self.best.map(|(_, winner)| winner),
            failed: self.failed,
            unreadable: self.unreadable,
            formula,
        }
    }
}
