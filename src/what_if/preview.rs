//! What other releases would decide.
//!
//! Which rule makes the difference between two neighbouring releases is not
//! looked up but tried: the older one runs again with each new rule of the
//! newer one alone, and then with each two of them.

use jiff::Timestamp;

use super::steps::{first_divergence, steps};
use crate::controller::{Evidence, Overrides, Release, Settings, Switch};
use crate::document::snapshot::Snapshot;
use crate::history::{self, Observer};
use crate::trace::{NewRule, Origin, OwnRelease, PassStep, Preview, ReleaseAnswer, Trace};

/// What each release whose rules are known would decide on a snapshot, at
/// `now`. Settings that are given or seen stay; what is a release's default
/// follows the release.
pub fn preview(
    snapshot: &Snapshot,
    overrides: &Overrides,
    now: Timestamp,
    observer: &Observer,
) -> Preview {
    let inputs = PreviewInputs {
        snapshot,
        overrides,
        now,
        observer,
    };
    let own = inputs.settings(None);
    let hpa = &snapshot.hpa;
    // No recorded answer of a real controller covers their rules.
    let unchecked = Release::known().filter(|release| release.remark().is_some());
    Preview {
        namespace: hpa.metadata.namespace.to_string(),
        name: hpa.metadata.name.to_string(),
        target: hpa.spec.scale_target_ref.clone(),
        at: now,
        release: own.basis().release.clone(),
        unchecked: unchecked.map(|release| release.to_string()).collect(),
        answers: inputs.answers(Release::known(), own.release),
    }
}

/// What the cluster's own release decides, beside a trace by the rules of
/// another one; nothing where the trace is by its own rules, or its release
/// is not known.
pub fn own_release(
    trace: &Trace,
    snapshot: &Snapshot,
    overrides: &Overrides,
    observer: &Observer,
) -> Option<OwnRelease> {
    let inputs = PreviewInputs {
        snapshot,
        overrides,
        now: trace.at,
        observer,
    };
    let (requested, own) = (overrides.release?.nearest_known(), inputs.settings(None));
    if own.basis().release.origin != Origin::Observed || own.release == requested {
        return None;
    }
    let own = own.release;
    let pass = inputs.pass(own);
    let (mine, others) = (steps(&pass), steps(trace));
    let at = first_divergence(&mine, &others);
    let new_rules = inputs.new_rules(own, requested);
    let answer = ReleaseAnswer {
        step: at.and_then(|at| mine.get(at)).cloned(),
        new_rules: new_rules.filter(|_| at.is_some()).collect(),
        ..answer(&pass, own, true)
    };
    Some(OwnRelease {
        is_same: at.is_none(),
        answer,
        instead: at.and_then(|at| others.get(at)).cloned(),
    })
}

/// What stays the same under every release.
pub(super) struct PreviewInputs<'a> {
    pub snapshot: &'a Snapshot,
    pub overrides: &'a Overrides,
    pub now: Timestamp,
    pub observer: &'a Observer,
}

/// An answer, and the steps that lead to it.
type Led = (ReleaseAnswer, Vec<PassStep>);

impl PreviewInputs<'_> {
    /// The settings under a release, or under the cluster's own.
    fn settings(&self, release: Option<Release>) -> Settings {
        let overrides = Overrides {
            release,
            ..self.overrides.clone()
        };
        Settings::resolve(self.snapshot, &overrides)
    }

    fn pass(&self, release: Release) -> Trace {
        let settings = self.settings(Some(release));
        history::explain(self.snapshot, &settings, self.now, self.observer)
    }

    /// The rules between two releases that make a difference, whichever of them
    /// is the newer.
    pub fn new_rules(&self, own: Release, other: Release) -> impl Iterator<Item = NewRule> {
        let between = own.min(other)..=own.max(other);
        let between = Release::known().filter(|release| between.contains(release));
        let answers = self.answers(between, own).into_iter();
        answers.flat_map(|answer| answer.new_rules)
    }

    /// The answers of releases that follow each other.
    pub fn answers(
        &self,
        releases: impl Iterator<Item = Release>,
        own: Release,
    ) -> Vec<ReleaseAnswer> {
        let mut all: Vec<Led> = Vec::new();
        let mut before = None;
        for release in releases {
            let pass = self.pass(release);
            let steps = steps(&pass);
            let is_own = release == own;
            match (all.last_mut(), before.replace(release)) {
                (Some((answer, known)), _) if first_divergence(known, &steps).is_none() => {
                    answer.to = release.to_string();
                    answer.is_own |= is_own;
                }
                (Some((_, known)), Some(before)) => {
                    let mut answer = answer(&pass, release, is_own);
                    answer.new_rules = self.responsible((before, known), (release, &steps));
                    all.push((answer, steps));
                }
                _ => all.push((answer(&pass, release, is_own), steps)),
            }
        }
        with_steps(all)
    }

    /// The rules that make the difference between two neighbouring releases:
    /// as few as turn the older one's pass into the newer one's. Where more
    /// than two would be needed, those that alone change it.
    fn responsible(
        &self,
        (older, before): (Release, &[PassStep]),
        (newer, after): (Release, &[PassStep]),
    ) -> Vec<NewRule> {
        let new: Vec<Switch> = older.new_rules(newer).collect();
        let under = |release: Release| steps(&self.pass(release));
        let is_whole = |release| first_divergence(&under(release), after).is_none();
        let mut rules = new.clone();
        rules.retain(|rule| is_whole(older.with(*rule)));
        if rules.is_empty() {
            let firsts = new.iter().enumerate();
            let mut pairs = firsts.flat_map(|(at, one)| new[at + 1..].iter().map(|it| [*one, *it]));
            let pair = pairs.find(|[one, other]| is_whole(older.with(*one).with(*other)));
            rules.extend(pair.into_iter().flatten());
        }
        if rules.is_empty() {
            rules = new;
            rules.retain(|it| first_divergence(&under(older.with(*it)), before).is_some());
        }
        rules.into_iter().map(new_rule).collect()
    }
}

/// What a pass decides.
pub(super) fn answer(pass: &Trace, release: Release, is_own: bool) -> ReleaseAnswer {
    let outcome = &pass.outcome;
    ReleaseAnswer {
        from: release.to_string(),
        to: release.to_string(),
        is_own,
        verdict: pass.verdict.clone(),
        current_replicas: outcome.current_replicas,
        desired_replicas: outcome.desired_replicas,
        possible: outcome.possible,
        rescale: outcome.rescale,
        step: None,
        new_rules: Vec::new(),
    }
}

pub(super) fn new_rule(rule: Switch) -> NewRule {
    NewRule {
        name: rule.name(),
        since: Release::minor(rule.since()).to_string(),
        says: rule.says(),
        derived_from: match rule.evidence() {
            Evidence::Measured => None,
            Evidence::Derived(pulls) => Some(pulls),
        },
    }
}

/// The answers, each with the step at which it parts from the own release's,
/// and that one with where it parts from its neighbour's.
fn with_steps(all: Vec<Led>) -> Vec<ReleaseAnswer> {
    let own = all.iter().position(|(answer, _)| answer.is_own);
    let own = own.unwrap_or_default();
    let neighbour = own.checked_sub(1).unwrap_or(own + 1);
    let held_against = |at: usize| all.get(if at == own { neighbour } else { own });
    let step = |(at, (_, steps)): (usize, &Led)| {
        let (_, others) = held_against(at)?;
        steps.get(first_divergence(steps, others)?).cloned()
    };
    let steps: Vec<Option<PassStep>> = all.iter().enumerate().map(step).collect();
    let answers = all.into_iter().zip(steps);
    let answers = answers.map(|((answer, _), step)| ReleaseAnswer { step, ..answer });
    answers.collect()
}
