//! What the mechanisms are told from.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::observed_passes::{Load, ObservedPasses};
use super::swings::Episode;
use crate::findings::Case;
use crate::trace::{
    Change, Code, Direction, Fact, Finding, Mechanism, MechanismKind, Proof, Remedy, Severity,
    Trace, ago_text,
};

/// One pass, what was found in it, and the sizes before it.
pub(super) struct PassFacts<'a> {
    /// The inputs.
    pub case: &'a Case<'a>,
    /// What the pass did with them.
    pub trace: &'a Trace,
    /// What was found by it.
    pub findings: &'a [Finding],
    /// The latest ups and downs.
    pub episode: Option<Episode>,
    /// What was found at earlier passes.
    pub sightings: Option<&'a ObservedPasses>,
}

impl<'a> PassFacts<'a> {
    /// Puts it together.
    pub(super) fn new(case: &'a Case<'a>, trace: &'a Trace, findings: &'a [Finding]) -> Self {
        Self {
            case,
            trace,
            findings,
            episode: Episode::latest(case.moves, trace.at),
            sightings: None,
        }
    }

    /// The latest ups and downs, where they are flapping that goes on.
    pub(super) fn flapping(&self) -> Option<&Episode> {
        self.episode.as_ref().filter(|it| it.flaps_now())
    }

    /// What was found, where it is no mere note: now, or at an earlier pass of
    /// these ups and downs.
    pub(super) fn finding(&self, code: Code) -> Option<&'a Finding> {
        let found = self.noted(code);
        let found = found.filter(|found| found.severity > Severity::Info);
        found.or_else(|| self.earlier(code))
    }

    /// A mechanism that a finding tells of, now or at an earlier pass, with how
    /// often it did.
    pub(super) fn of_text(&self, kind: MechanismKind, code: Code) -> Option<Mechanism> {
        let mut mechanism = of_finding(kind, self.finding(code)?);
        mechanism.evidence.extend(self.sighted(code));
        Some(mechanism)
    }

    /// The latest one of an earlier pass of these ups and downs.
    pub(super) fn earlier(&self, code: Code) -> Option<&'a Finding> {
        self.sightings?.latest(code, self.since()?)
    }

    /// At how many earlier passes it was found.
    pub(super) fn sighted(&self, code: Code) -> Option<Fact> {
        self.sightings?.fact(code, self.since()?, self.trace.at)
    }

    /// How long before the pass a moment was.
    pub(super) fn ago(&self, at: Timestamp) -> String {
        ago_text(self.trace.at, at, at)
    }

    /// Whether every change by the HPA in these ups and downs is told of.
    pub(super) fn is_complete(&self, episode: &Episode) -> bool {
        let since = self.case.moves.complete_since;
        since.is_some_and(|since| since <= episode.swing.since)
    }

    /// When these ups and downs began.
    fn since(&self) -> Option<Timestamp> {
        Some(self.episode.as_ref()?.swing.since)
    }

    /// What the metric that asked for most measured in these ups and downs,
    /// where a record tells, and its place in the spec.
    pub(super) fn loads(&self) -> Option<(usize, Vec<Load>)> {
        self.sightings?.loads(self.measured_since()?, self.trace.at)
    }

    /// What a metric measured in these ups and downs; nothing without a
    /// record.
    pub(super) fn loads_of(&self, metric: usize) -> Vec<Load> {
        let observed = self.sightings.zip(self.measured_since());
        observed.map_or_else(Vec::new, |(it, since)| {
            it.loads_of(metric, since, self.trace.at)
        })
    }

    /// From when on measurements are of these ups and downs: what the first
    /// change came of was measured before it.
    fn measured_since(&self) -> Option<Timestamp> {
        let before = SignedDuration::from_mins(1);
        self.since()?.checked_sub(before).ok()
    }

    /// What was found, however little it matters.
    pub(super) fn noted(&self, code: Code) -> Option<&'a Finding> {
        self.findings.iter().find(|it| it.code == code)
    }

    /// Whether the size only rose lately, more than once.
    pub(super) fn climbs(&self) -> bool {
        self.episode.as_ref().is_some_and(|episode| {
            episode.swing.goes_on
                && episode.own(Direction::Up) > 1
                && episode.own(Direction::Down) == 0
        })
    }
}

/// A mechanism that a finding tells of in full.
pub(super) fn of_finding(kind: MechanismKind, finding: &Finding) -> Mechanism {
    Mechanism {
        evidence: finding.evidence.clone(),
        changes: finding.remedies.iter().cloned().map(suggested).collect(),
        ..Mechanism::known(kind, finding.message.clone())
    }
}

/// A change that nobody has tried.
pub(super) fn suggested(remedy: Remedy) -> Change {
    Change {
        remedy,
        set: None,
        proof: Proof::Suggested,
    }
}

/// A change of one field of `spec.behavior.scaleDown`, which nobody has tried.
pub(super) fn scale_down(says: String, field: &str, value: impl Into<Value>) -> Change {
    let value = value.into();
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let patch = json!({"spec": {"behavior": {"scaleDown": {field: value}}}});
    Change {
        remedy: Remedy::patch(says, &patch),
        set: Some(format!("spec.behavior.scaleDown.{field}={text}")),
        proof: Proof::Suggested,
    }
}

/// Advice that nobody has tried.
pub(super) fn advised(says: impl Into<String>) -> Change {
    suggested(Remedy::advice(says))
}
