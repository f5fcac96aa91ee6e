//! An HPA under other rules or settings of the controller, beside what it
//! does now.
//!
//! What makes the difference is not looked up but tried: each setting alone,
//! and between two releases as in [`super::preview`].

use jiff::Timestamp;

use super::preview::{PreviewInputs, answer, new_rule};
use super::steps::{first_divergence, steps};
use crate::api::HorizontalPodAutoscaler;
use crate::controller::{Overrides, Settings, Switch, comes_back_from_zero};
use crate::document::manifest::Rules;
use crate::document::snapshot::Snapshot;
use crate::history::{self, Observer};
use crate::trace::{AtZero, Compared, MetricResult, NewRule, PassStep, Trace};

/// What comes of comparing an HPA with itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// It would do something else, or for another reason.
    Differs(Box<Compared>),
    /// It would do the same for the same reason.
    Same,
    /// Nothing that is seen differs, but something is not seen: why not.
    Unknown(String),
}

/// Holds a pass under `overrides` against one on which `change` comes on top,
/// at `now`. Where the memory is not known, sets of possible counts are
/// compared.
pub fn compare(
    snapshot: &Snapshot,
    overrides: &Overrides,
    change: &Overrides,
    now: Timestamp,
    observer: &Observer,
) -> Divergence {
    let changed = overrides.changed_by(change);
    let sides = Sides {
        inputs: PreviewInputs {
            snapshot,
            overrides: &changed,
            now,
            observer,
        },
        mine: Settings::resolve(snapshot, overrides),
        theirs: Settings::resolve(snapshot, &changed),
    };
    let (one, other) = (sides.pass(&sides.mine), sides.pass(&sides.theirs));
    let (here, there) = (steps(&one), steps(&other));
    let at = first_divergence(&here, &there);
    let at_zero = sides.at_zero(&one);
    if at.is_none() && at_zero.is_none() {
        return match unreadable(&one) {
            Some(because) => Divergence::Unknown(because.to_owned()),
            None => Divergence::Same,
        };
    }
    let (settings, new_rules) = match at {
        Some(_) => sides.responsible(overrides, change, &here, &there),
        None => sides.responsible_at_zero(overrides, change, &one),
    };
    let step = |steps: &[PassStep]| at.and_then(|at| steps.get(at)).cloned();
    let hpa = &snapshot.hpa;
    let (mut mine, mut theirs) = (
        answer(&one, sides.mine.release, true),
        answer(&other, sides.theirs.release, false),
    );
    mine.step = step(&here);
    theirs.step = step(&there);
    theirs.new_rules = new_rules;
    Divergence::Differs(Box::new(Compared {
        namespace: hpa.metadata.namespace.to_string(),
        name: hpa.metadata.name.to_string(),
        now: mine,
        then: theirs,
        settings,
        at_zero,
    }))
}

/// Both sides of a comparison.
struct Sides<'a> {
    /// The inputs under the settings that are compared with.
    inputs: PreviewInputs<'a>,
    mine: Settings,
    theirs: Settings,
}

impl Sides<'_> {
    fn pass(&self, settings: &Settings) -> Trace {
        let inputs = &self.inputs;
        history::explain(inputs.snapshot, settings, inputs.now, inputs.observer)
    }

    fn steps_under(&self, overrides: &Overrides) -> Vec<PassStep> {
        steps(&self.pass(&Settings::resolve(self.inputs.snapshot, overrides)))
    }

    /// The settings that make the difference, each alone, and the rules: as
    /// few as make what is left of it once all settings are changed.
    fn responsible(
        &self,
        overrides: &Overrides,
        change: &Overrides,
        here: &[PassStep],
        there: &[PassStep],
    ) -> (Vec<String>, Vec<NewRule>) {
        let mut whole = Vec::new();
        let mut part = Vec::new();
        for (name, single) in change.each_setting() {
            let under = self.steps_under(&overrides.changed_by(&single));
            if first_divergence(&under, there).is_none() {
                whole.push(name);
            } else if first_divergence(&under, here).is_some() {
                part.push(name);
            }
        }
        let settings = if whole.is_empty() { part } else { whole };
        let all = Overrides {
            release: Some(self.mine.release),
            ..overrides.changed_by(change)
        };
        let is_left = first_divergence(&self.steps_under(&all), there).is_some();
        // Each once.
        let mut rules: Vec<NewRule> = Vec::new();
        if is_left {
            let (mine, theirs) = (self.mine.release, self.theirs.release);
            for rule in self.inputs.new_rules(mine, theirs) {
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
        }
        (settings, rules)
    }

    /// What becomes of the HPA at zero, where that differs.
    fn at_zero(&self, one: &Trace) -> Option<AtZero> {
        let hpa = &self.inputs.snapshot.hpa;
        let is_there = one.size() == Some(0);
        if !is_there && hpa.spec.min_replicas != Some(0) {
            return None;
        }
        let returns = |settings: &Settings| returns(hpa, settings, is_there);
        let (now, then) = (returns(&self.mine), returns(&self.theirs));
        let forgets = |settings: &Settings| {
            settings.release.has(Switch::ScaledToZeroCondition) && !settings.gates.scale_to_zero
        };
        // What the API server would go by then.
        let mut gates = self.inputs.snapshot.controller.feature_gates.clone();
        gates.extend(self.inputs.overrides.feature_gates.clone());
        let rules_of_server = Rules::new(self.theirs.release, &gates);
        (now != then).then(|| AtZero {
            is_there,
            returns_now: now,
            returns_then: then,
            forgets: is_there && hpa.is_scaled_to_zero() && forgets(&self.theirs),
            refuses_zero: !rules_of_server.scale_to_zero,
        })
    }

    fn responsible_at_zero(
        &self,
        overrides: &Overrides,
        change: &Overrides,
        one: &Trace,
    ) -> (Vec<String>, Vec<NewRule>) {
        let snapshot = self.inputs.snapshot;
        let is_there = one.size() == Some(0);
        let settings = |overrides: &Overrides| Settings::resolve(snapshot, overrides);
        let comes = |it: &Overrides| returns(&snapshot.hpa, &settings(it), is_there);
        let then = comes(self.inputs.overrides);
        let settings = change.each_setting();
        let settings = settings.filter(|(_, single)| comes(&overrides.changed_by(single)) == then);
        let settings: Vec<String> = settings.map(|(name, _)| name).collect();
        if !settings.is_empty() {
            return (settings, Vec::new());
        }
        let (mine, theirs) = (self.mine.release, self.theirs.release);
        let (older, newer) = (mine.min(theirs), mine.max(theirs));
        let under = |release| {
            comes(&Overrides {
                release: Some(release),
                ..self.inputs.overrides.clone()
            })
        };
        let alone = |rule: &Switch| under(older.with(*rule)) == under(newer);
        let rules = older.new_rules(newer).filter(alone).map(new_rule);
        (settings, rules.collect())
    }
}

/// Whether the metrics bring an HPA back from zero: as it is there, or once it
/// got there by its own decision.
fn returns(hpa: &HorizontalPodAutoscaler, settings: &Settings, is_there: bool) -> bool {
    let is_its_own = !is_there || hpa.is_scaled_to_zero();
    comes_back_from_zero(&hpa.spec, settings, is_its_own)
}

/// Why something that the pass rests on is not seen.
fn unreadable(pass: &Trace) -> Option<&str> {
    let scale = pass.scale.as_ref();
    if let Some(scale) = scale.filter(|scale| scale.unreadable.is_some()) {
        return scale.error.as_deref();
    }
    pass.metrics.iter().find_map(|metric| match &metric.result {
        Some(MetricResult::Unreadable { reason, .. }) => Some(reason.as_str()),
        _ => None,
    })
}
