//! What somebody wants to be different in the inputs, for every side alike:
//! the size, the value of a metric, pods that do not count.

use crate::trace::amount::plural;
use std::fmt;

use thiserror::Error;

use crate::api::{Pod, Quantity};
use crate::diagnose::altered::drop_samples;
use crate::snapshot::Snapshot;

use super::counting::Counting;
use super::level::set_metric;
use super::size::resize;

/// What is altered in the inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// The size; the load is spread over it.
    pub replicas: Option<i32>,
    /// The metrics, by name.
    pub metrics: Vec<(String, Level)>,
    /// How many more pods are not Ready since their start.
    pub unready: usize,
    /// How many more pods have no sample.
    pub missing: usize,
}

/// What a metric is at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// Percent of what each pod requests.
    Percent(u32),
    /// In the metric's own unit: of each pod where it is measured pod by pod,
    /// else the whole metric.
    Amount(Quantity),
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Percent(percent) => write!(f, "{percent}%"),
            Self::Amount(amount) => write!(f, "{amount}"),
        }
    }
}

/// Why the inputs cannot be altered so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InputsError {
    /// No side has a metric of this name.
    #[error("no metric is called {name}; there is {known}")]
    NoSuchMetric {
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// Only resources are measured in percent.
    #[error("{0} is not a resource that pods request: give its value, not a percentage")]
    NoPercentage(String),
    /// A percentage of what a pod does not request, of a metric that needs no
    /// request.
    #[error("{pod} has no request for {name} to take a percentage of: give the value of a pod")]
    NoRequest {
        /// The resource.
        name: String,
        /// The first such pod.
        pod: String,
    },
    /// The controller cannot ask for the metric, so that no answer helps.
    #[error("{name} cannot have a value: its selector cannot be asked with ({why})")]
    NoQuestion {
        /// The metric.
        name: String,
        /// What is wrong with its selector.
        why: String,
    },
    /// There are fewer pods that count.
    #[error("only {there} pods count, not the {wanted} that are to be set aside")]
    TooFewPods {
        /// How many count.
        there: usize,
        /// How many were asked for.
        wanted: usize,
    },
    /// The scale cannot be read, so that no size can stand in for it.
    #[error("the scale could not be read, so that there is no size to change")]
    NoScale,
    /// Pods are made after others.
    #[error("there is no pod to make others after")]
    NoPod,
}

impl Given {
    /// Whether nothing is altered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is altered, in words.
    #[must_use]
    pub fn told(&self) -> Vec<String> {
        let mut told = Vec::new();
        if let Some(replicas) = self.replicas {
            told.push(format!("the size is {replicas}, the load spread over it"));
        }
        for (name, level) in &self.metrics {
            told.push(match level {
                Level::Percent(percent) => format!("{name} is at {percent}% of the requests"),
                Level::Amount(amount) => format!("{name} is {amount}"),
            });
        }
        let pods = |count: usize| plural(count, "pod", "pods");
        if self.unready > 0 {
            let (count, pods) = (self.unready, pods(self.unready));
            told.push(format!("{count} more {pods} not Ready since the start"));
        }
        if self.missing > 0 {
            let (count, pods) = (self.missing, pods(self.missing));
            told.push(format!("{count} more {pods} without a sample"));
        }
        told
    }

    /// The inputs, altered.
    ///
    /// # Errors
    ///
    /// What is to be altered is not there.
    pub(super) fn applied(
        &self,
        snapshot: &Snapshot,
        counting: Counting,
    ) -> Result<Snapshot, InputsError> {
        let mut altered = snapshot.clone();
        if let Some(replicas) = self.replicas {
            resize(&mut altered, replicas, counting)?;
        }
        for (name, level) in &self.metrics {
            set_metric(&mut altered, counting, name, level)?;
        }
        self.set_aside(&mut altered, counting)?;
        Ok(altered)
    }

    /// The last of the pods that count become unready, those before them lose
    /// their samples.
    fn set_aside(&self, snapshot: &mut Snapshot, counting: Counting) -> Result<(), InputsError> {
        let wanted = self.unready.saturating_add(self.missing);
        if wanted == 0 {
            return Ok(());
        }
        let counting = counting.pods(snapshot);
        let there = counting.len();
        if wanted > there {
            return Err(InputsError::TooFewPods { there, wanted });
        }
        let (rest, unready) = counting.split_at(there - self.unready);
        let missing = &rest[rest.len() - self.missing..];
        for pod in &mut snapshot.pods {
            if unready.iter().any(|it| pod.metadata.name == *it) {
                never_ready(pod);
            }
        }
        let is_missing = |name: &str| missing.iter().any(|it| it == name);
        drop_samples(snapshot, is_missing);
        Ok(())
    }
}

/// Its condition has been False since it started.
fn never_ready(pod: &mut Pod) {
    let started = pod.status.start_time;
    let conditions = pod.status.conditions.iter_mut();
    for condition in conditions.filter(|it| it.kind == "Ready") {
        condition.status = "False".into();
        condition.last_transition_time = started;
    }
}
