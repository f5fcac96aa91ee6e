//! What captured HPAs lack, for a few short lines.

use std::collections::{BTreeMap, BTreeSet};

use crate::snapshot::{Part, Snapshot};
use crate::trace::FailureCause;

/// How often each part could not be read, and why.
#[derive(Default)]
pub struct Gaps(BTreeMap<(&'static str, String), usize>);

impl Gaps {
    /// Notes what could not be read of an HPA; each part once for each reason.
    pub fn note(&mut self, snapshot: &Snapshot) {
        let not_read = snapshot.provenance.not_read.iter();
        let pods = not_read.filter(|one| one.part == Part::Pods);
        let mut pods = pods.map(|one| one.reason.as_str()).peekable();
        // What is measured on pods lacks for the same reason as they.
        let of_pods = pods.peek().copied();
        let own = unreadable_answers(snapshot).filter(|(_, reason)| Some(*reason) != of_pods);
        let all = own.chain(pods.map(|reason| ("pods", reason)));
        let gaps: BTreeSet<_> = all.map(|(part, reason)| (part, short(reason))).collect();
        for gap in gaps {
            *self.0.entry(gap).or_default() += 1;
        }
    }

    /// A warning for each part and reason, and the next step where it is a
    /// right that is missing. `place` is the scope as a flag.
    pub fn lines(&self, place: &str) -> Vec<String> {
        let warning = |((part, reason), &count): (&(&str, String), &usize)| {
            let (hpas, whose) = match count {
                1 => ("HPA", "its"),
                _ => ("HPAs", "their"),
            };
            format!("Warning: {count} {hpas} without {whose} {part} ({reason})")
        };
        let mut lines: Vec<String> = self.0.iter().map(warning).collect();
        if self.0.keys().any(|(_, reason)| reason == FORBIDDEN) {
            lines.push(format!(
                "hint: `kubectl hpa-explain rbac {place}` prints the role that reads it"
            ));
        }
        lines
    }
}

fn unreadable_answers(snapshot: &Snapshot) -> impl Iterator<Item = (&'static str, &str)> {
    let metrics = &snapshot.metrics;
    let resource = metrics.resource.iter().map(|one| &one.unreadable);
    let custom = metrics.custom.iter().map(|one| &one.unreadable);
    let external = metrics.external.iter().map(|one| &one.unreadable);
    let scale = [("scale", &snapshot.scale.unreadable)].into_iter();
    let all = scale
        .chain(resource.map(|reason| ("pods' samples", reason)))
        .chain(custom.map(|reason| ("custom metrics", reason)))
        .chain(external.map(|reason| ("external metrics", reason)));
    all.filter_map(|(part, reason)| Some((part, reason.as_deref()?)))
}

const FORBIDDEN: &str = "forbidden";

/// A refusal names object, user and right: one word is enough for all.
fn short(reason: &str) -> String {
    match FailureCause::of_unreadable(reason) {
        FailureCause::Refused => FORBIDDEN.to_owned(),
        _ => reason.to_owned(),
    }
}
