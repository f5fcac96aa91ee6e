//! What captured HPAs lack, for a few short lines.

use std::collections::BTreeMap;

use crate::snapshot::{Part, Snapshot};

/// How often each part could not be read, and why.
#[derive(Default)]
pub struct Gaps(BTreeMap<(&'static str, String), usize>);

impl Gaps {
    /// Notes what could not be read of an HPA; each part once for each reason.
    pub fn note(&mut self, snapshot: &Snapshot) {
        let metrics = &snapshot.metrics;
        let custom = metrics.custom.iter().map(|one| one.unreadable.as_deref());
        let external = metrics.external.iter();
        let external = external.map(|one| one.unreadable.as_deref());
        let resource = metrics.resource.as_ref();
        let not_read = snapshot.provenance.not_read.iter();
        let pods = not_read.filter(|one| one.part == Part::Pods);
        let mut lacking: Vec<(&'static str, String)> = [
            ("scale", snapshot.scale.unreadable.as_deref()),
            (
                "pods' samples",
                resource.and_then(|one| one.unreadable.as_deref()),
            ),
        ]
        .into_iter()
        .chain(pods.map(|one| ("pods", Some(one.reason.as_str()))))
        .chain(custom.map(|reason| ("custom metrics", reason)))
        .chain(external.map(|reason| ("external metrics", reason)))
        .filter_map(|(part, reason)| Some((part, short(reason?))))
        .collect();
        lacking.sort();
        lacking.dedup();
        for gap in lacking {
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

const FORBIDDEN: &str = "forbidden";

/// A refusal names object, user and right: one word is enough for all. The
/// words are the API server's, and our own where a proxy has others.
fn short(reason: &str) -> String {
    if reason.contains("is forbidden") || reason.contains("(needs ") {
        return FORBIDDEN.to_owned();
    }
    reason.to_owned()
}

/// `1 HPA`, `2 HPAs`.
pub fn counted(count: usize, one: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {one}{plural}")
}
