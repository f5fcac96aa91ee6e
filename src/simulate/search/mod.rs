//! Many behaviors on the same load, and those of them that nothing beats.

mod grid;
mod pareto;

use rayon::prelude::*;

use crate::controller::Settings;
use crate::snapshot::HpaSpec;
use crate::trace::Scores;

use super::compare::{CompareError, Subject, metric_name};

use grid::grid;
use pareto::{costs, front};

/// A behavior that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// What it changes, in words; empty for the spec as it is.
    pub name: String,
    /// The whole spec.
    pub spec: HpaSpec,
    /// What came of it.
    pub scores: Scores,
}

/// Those that nothing beats in all three: time with too few pods, pod-hours,
/// and reversals.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// How many were tried, the spec as it is included.
    pub tried: usize,
    /// Those that nothing beats, the least time with too few pods first.
    pub front: Vec<Tried>,
}

/// Tries windows, policies, tolerances and targets in place of those of a
/// spec, on all cores. The answer does not depend on their number.
///
/// # Errors
///
/// The spec as it is cannot be simulated, or what is too few pods is not known
/// of its metric. A variant that cannot is left out.
pub fn search(subject: &Subject, spec: &HpaSpec) -> Result<Found, CompareError> {
    let settings = Settings::resolve(subject.snapshot, subject.overrides);
    if subject.capacity(&settings).is_none() {
        let metric = metric_name(subject.metric).to_owned();
        return Err(CompareError::NoCapacity { metric });
    }
    let has_tolerance = settings.gates.configurable_tolerance;
    let mut variants = vec![(String::new(), spec.clone())];
    variants.extend(grid(spec, subject.metric, has_tolerance));
    let own = subject.scores("now", spec)?;
    // In the order of the variants, however many threads there are.
    let results: Vec<Option<Scores>> = variants
        .par_iter()
        .map(|(name, spec)| match name.as_str() {
            "" => Some(own),
            name => subject.scores(name, spec).ok(),
        })
        .collect();
    let all = variants.into_iter().zip(results);
    let all: Vec<Tried> = all
        .filter_map(|((name, spec), scores)| {
            let scores = scores?;
            Some(Tried { name, spec, scores })
        })
        .collect();
    Ok(Found {
        tried: all.len(),
        front: front(all, |tried| costs(&tried.scores)),
    })
}
