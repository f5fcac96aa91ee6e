//! What known passes require their windows to have held.

use crate::api::ConditionReason;
use crate::controller::{Bounded, Nanos, SECOND, timestamp};
use crate::history::span::Span;
use crate::trace::{Evidence, EvidenceKind, Range};

use super::pass::CertainPass;
use super::{Entry, Known};

/// How long after its start a controller runs its first pass at the latest.
const FIRST_PASS: Nanos = 300 * SECOND;

impl Known<'_> {
    /// A controller that knows nothing of an HPA begins with its size, as
    /// soon as it can read it.
    pub(super) fn seed(&self, passes: &[CertainPass]) -> Option<Entry> {
        let since = self.since?;
        let at = Span::new(since, self.read_by(since).max(since));
        if let Some((at, size)) = self.logged.first
            && self.logged.start == Some(since)
        {
            return Some(Entry {
                bounded: Bounded::exactly(size, at - 1),
                evidence: Evidence::at(EvidenceKind::FirstSize, timestamp(at), ""),
            });
        }
        let replicas = self.universal(at, self.sizes.within(at), passes);
        let evidence = Evidence::at(EvidenceKind::FirstSize, timestamp(since), "");
        Some(Entry::within(at, replicas, true, evidence))
    }

    /// By when a controller that began at a moment has read the scale: the
    /// target may have been missing for long.
    fn read_by(&self, since: Nanos) -> Nanos {
        let written = self.written.iter();
        let observed = written.filter(|it| it.able_to_scale() != ConditionReason::FailedGetScale);
        let observed = observed.map(|it| it.at);
        let rescaled = self.rescales.known.iter();
        let rescaled = rescaled.map(|it| it.at.widened(0, SECOND));
        let logged = self.logged.passes.iter().map(|(at, _)| Span::at(*at));
        let read = observed.chain(rescaled).chain(logged);
        let read = read.filter(|at| self.is_since(*at, since)).map(|at| at.to);
        let able = self.able_since.map(|able| {
            if able > since {
                able
            } else {
                since + FIRST_PASS
            }
        });
        read.chain(able).min().unwrap_or(self.now).min(self.now - 1)
    }

    /// What known passes require their windows to have held.
    pub(super) fn required(
        &self,
        passes: &[CertainPass],
        entries: &[Entry],
        regions: &[Entry],
    ) -> Vec<Entry> {
        let mut required = Vec::new();
        for pass in passes {
            let Some(implied) = &pass.implied else {
                continue;
            };
            let all = || entries.iter().chain(regions);
            if let Some(least) = implied.earlier_at_least {
                let held = pass.at.widened(self.rules.down_window, 0);
                let fits = |range: Range| Range::new(range.from.max(least), range.to);
                required.extend(one_of(pass, held, all(), fits));
            }
            if let Some(most) = implied.earlier_at_most {
                let held = pass.at.widened(self.rules.up_window, 0);
                let fits = |range: Range| Range::new(range.from, range.to.min(most));
                required.extend(one_of(pass, held, all(), fits));
            }
        }
        required
    }
}

/// One entry of the window fits; nothing where one is known that does.
fn one_of<'e>(
    pass: &CertainPass,
    held: Span,
    entries: impl Iterator<Item = &'e Entry>,
    fits: impl Fn(Range) -> Range,
) -> Option<Entry> {
    let mut found: Option<Bounded> = None;
    for entry in entries {
        let bounded = &entry.bounded;
        let (from, to) = (bounded.from.max(held.from), bounded.to.min(held.to));
        let range = fits(bounded.replicas);
        if from > to || range.from > range.to || bounded.from >= pass.at.from {
            continue;
        }
        let is_inside = bounded.from > held.from + (pass.at.to - pass.at.from);
        if bounded.is_certain && range == bounded.replicas && is_inside {
            return None;
        }
        let box_of = Bounded {
            replicas: range,
            from,
            to: to.min(pass.at.to),
            is_certain: true,
        };
        found = Some(match found {
            None => box_of,
            Some(found) => Bounded {
                replicas: found.replicas.join(box_of.replicas),
                from: found.from.min(box_of.from),
                to: found.to.max(box_of.to),
                is_certain: true,
            },
        });
    }
    found.map(|bounded| Entry {
        bounded,
        evidence: pass.evidence.clone(),
    })
}
