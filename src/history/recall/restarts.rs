//! Restarts of the controller that only the times of its passes tell of.

use crate::controller::{Nanos, SECOND};
use crate::trace::{Evidence, EvidenceKind, Notice, NoticeKind};

use super::to_timestamp;
use super::written::Written;

/// By how much a pass may be late before it tells of something: reading
/// metrics takes time, and more so the more passes lie in between.
const LATE: Nanos = 3 * SECOND;
const LATER_EACH: Nanos = SECOND / 20;
/// Over more periods than this, being late tells nothing.
const MOST_PERIODS: Nanos = 40;

/// Passes follow each other by whole sync periods. Where they do not, the
/// controller began anew in between, or something held it up for long.
pub fn restarts(written: &[Written], sync_period: Nanos) -> Vec<Notice> {
    if sync_period < 4 * LATE {
        return Vec::new();
    }
    let pairs = written.windows(2);
    pairs
        .filter_map(|pair| {
            let (one, other) = (pair[0].at.to, pair[1].at.to);
            let apart = other - one;
            let periods = (apart + sync_period / 2) / sync_period;
            let late = (apart - periods * sync_period).abs();
            let is_odd = late > LATE + periods * LATER_EACH && periods <= MOST_PERIODS;
            is_odd.then(|| Notice {
                kind: NoticeKind::Restarted,
                from: Some(to_timestamp(one)),
                to: to_timestamp(other),
                says: format!(
                    "the controller's passes moved by {} s: it probably restarted, and forgot",
                    late / SECOND
                ),
                source: Evidence::at(EvidenceKind::PassTimes, to_timestamp(other), ""),
            })
        })
        .collect()
}
