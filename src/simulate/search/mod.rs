//! Many behaviors on the same load, and those of them that nothing beats.

mod grid;

use rayon::prelude::*;

use crate::api::HpaSpec;
use crate::controller::Settings;
use crate::trace::Scores;

use super::compare::{CompareError, Subject, metric_name};

use grid::{beats, costs, front, grid};

/// More pods in all passes of all variants together are not simulated: minutes
/// of work.
const MOST_WORK: i64 = 20_000_000_000;
/// A variant may take so much more work than the spec as it is.
const ROOM: i64 = 4;
/// What the spec as it is is called where the search is too much work.
const SEARCH: &str = "the search";

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

impl Tried {
    /// Whether it is better than others in one of the three things that count,
    /// and in none worse.
    #[must_use]
    pub fn beats(&self, others: &Scores) -> bool {
        beats(&self.scores, others)
    }
}

/// Those that nothing beats in all three: time with too few pods, pod-hours,
/// and reversals.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// How many were tried, the spec as it is included.
    pub tried: usize,
    /// How many of them could not be simulated.
    pub failed: usize,
    /// Why not the first of them.
    pub failure: Option<String>,
    /// What came of the spec as it is.
    pub own: Scores,
    /// Those that nothing beats, the least time with too few pods first.
    pub front: Vec<Tried>,
}

/// Tries windows, policies, tolerances and targets in place of those of a
/// spec, on all cores; `begun` is told of how many there are, and `tried` of
/// each that is done. The answer does not depend on the number of cores.
///
/// # Errors
///
/// The spec as it is cannot be simulated, or takes too much work to do it so
/// often; what is too few pods is not known of its metric.
pub fn search(
    subject: &Subject,
    spec: &HpaSpec,
    begun: impl FnOnce(usize),
    tried: impl Fn() + Sync,
) -> Result<Found, CompareError> {
    let settings = Settings::resolve(subject.snapshot, subject.overrides);
    if subject.capacity(&settings).is_none() {
        let metric = metric_name(subject.metric).to_owned();
        return Err(CompareError::NoCapacity { metric });
    }
    let has_tolerance = settings.gates.configurable_tolerance;
    let mut variants = vec![(String::new(), spec.clone())];
    variants.extend(grid(spec, subject.metric, has_tolerance));
    let each = MOST_WORK / i64::try_from(variants.len()).unwrap_or(i64::MAX).max(1);
    let own = subject.scores_within(each, SEARCH, spec)?;
    begun(variants.len());
    // In the order of the variants, however many threads there are.
    let results: Vec<Result<Scores, CompareError>> = variants
        .par_iter()
        .map(|(name, spec)| {
            let scores = match name.as_str() {
                "" => Ok(own),
                name => subject.scores_within(each.saturating_mul(ROOM), name, spec),
            };
            tried();
            scores
        })
        .collect();
    let count = results.len();
    let failure = results.iter().find_map(|it| it.as_ref().err());
    let failure = failure.map(ToString::to_string);
    let all = variants.into_iter().zip(results);
    let all: Vec<Tried> = all
        .filter_map(|((name, spec), scores)| {
            let scores = scores.ok()?;
            Some(Tried { name, spec, scores })
        })
        .collect();
    Ok(Found {
        tried: count,
        failed: count - all.len(),
        failure,
        own,
        front: front(all, |tried| costs(&tried.scores)),
    })
}
