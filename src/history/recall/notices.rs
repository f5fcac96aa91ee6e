//! What a reader should know of the past: the HPA was edited, or deleted and
//! created again; and clocks cannot be trusted: one was set, or two differ.
//!
//! Windows and periods are measured on the controller's clock, and what the
//! API keeps is stamped partly by it, partly by the API server. Where the
//! stamps contradict each other, nothing can be said of ages.

use jiff::{SignedDuration, Timestamp};

use crate::controller::{Nanos, timestamp};
use crate::snapshot::Snapshot;
use crate::trace::{Evidence, EvidenceKind, Notice, NoticeKind};

use super::MemoryRules;
use super::rescales::times;
use super::restarts::{had_predecessor, since};

/// Stamps that differ by no more are taken to be of one clock.
const APART: SignedDuration = SignedDuration::from_secs(5);

/// A clock that cannot be trusted, if there is one.
pub fn untrusted(snapshot: &Snapshot, now: Nanos) -> Option<Notice> {
    from_the_future(snapshot, timestamp(now)).or_else(|| differ(snapshot))
}

/// Something was stamped later than now.
fn from_the_future(snapshot: &Snapshot, now: Timestamp) -> Option<Notice> {
    let hpa = &snapshot.hpa;
    let events = snapshot
        .own_events()
        .filter_map(|event| Some(times(event)?.1));
    let stamps = events
        .chain(hpa.status.last_scale_time)
        .chain(hpa.status_written())
        .chain(since(snapshot).map(|since| since.at));
    let latest = stamps.max()?;
    let ahead = latest.duration_since(now);
    if ahead <= APART {
        return None;
    }
    Some(notice(
        now,
        format!(
            "a clock was set back, or two clocks differ: the newest timestamp is {}s in the future",
            ahead.as_secs()
        ),
    ))
}

/// The controller stamps its rescale, the API server the status that tells of
/// it, within moments.
fn differ(snapshot: &Snapshot) -> Option<Notice> {
    let hpa = &snapshot.hpa;
    let written = hpa.status_written()?;
    let scaled = hpa
        .status
        .last_scale_time
        .filter(|_| hpa.status.has_rescaled())?;
    let apart = written.duration_since(scaled);
    (apart.abs() > APART).then(|| {
        let seconds = apart.as_secs().unsigned_abs();
        notice(
            written,
            format!("the clocks of the controller and the API server differ by {seconds}s"),
        )
    })
}

fn notice(at: Timestamp, says: String) -> Notice {
    Notice {
        kind: NoticeKind::ClockJumped,
        from: None,
        to: at,
        says,
        source: Evidence::of(EvidenceKind::Status, ""),
    }
}

/// The HPA has had a predecessor, of which something may be remembered.
pub fn predecessor(snapshot: &Snapshot) -> Option<Notice> {
    let created = snapshot.hpa.metadata.creation_timestamp?;
    had_predecessor(snapshot).then(|| Notice {
        kind: NoticeKind::Recreated,
        from: None,
        to: created,
        says: "the HPA was deleted and recreated; the controller's memory of the old one may \
               still count"
            .to_owned(),
        source: Evidence::at(EvidenceKind::Event, created, "events older than the HPA"),
    })
}

/// An edit of the spec within the time that counts.
pub fn edited(snapshot: &Snapshot, rules: &MemoryRules, now: Nanos) -> Option<Notice> {
    let hpa = &snapshot.hpa;
    let at = hpa.spec_written()?;
    let created = hpa.metadata.creation_timestamp;
    let longest = rules.longest_window().max(rules.longest_period);
    let is_recent = at.as_nanosecond() >= now - longest;
    (is_recent && Some(at) != created).then(|| Notice {
        kind: NoticeKind::SpecEdited,
        from: Some(at),
        to: at,
        says: "the HPA's spec changed; earlier passes say less about the memory".to_owned(),
        source: Evidence::at(EvidenceKind::ManagedFields, at, ""),
    })
}
