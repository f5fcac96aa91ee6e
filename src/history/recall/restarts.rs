//! Restarts of the controller: what they would leave of what it remembers, and
//! those that only the times of its passes tell of; and how far back the memory
//! can go at most. What else a reader should know of the past: the HPA was edited, or
//! deleted and created again; and clocks cannot be trusted.

use jiff::{SignedDuration, Timestamp};

use crate::api::Event;
use crate::controller::{Account, Bounded, Nanos, SECOND, timestamp};
use crate::document::snapshot::Snapshot;
use crate::history::Span;
use crate::history::recall::{MemoryRules, QueuedBy, Sizes, Sources, Written, times};
use crate::trace::{Evidence, EvidenceKind, MemorySince, Notice, NoticeKind};

/// By how much a pass may be late before it tells of something: reading
/// metrics takes time, and more so the more passes lie in between.
const LATE: Nanos = 3 * SECOND;
pub const LATER_EACH: Nanos = SECOND / 20;
/// How much earlier each pass can be, beside the second that times are cut off to.
const EARLIER_EACH: Nanos = SECOND / 2;
/// Over more periods than this, being late tells nothing.
pub const MOST_PERIODS: Nanos = 40;

/// Passes follow each other by whole sync periods. Where they do not, the
/// controller began anew in between, or something held it up for long; where most
/// do not, the sync period is another one. An HPA
/// that was created again has passes at other times than the one before it. The
/// pass that an edit queued lies anywhere.
pub fn restarts(written: &[Written], snapshot: &Snapshot, sync_period: Nanos) -> Vec<Notice> {
    let metadata = &snapshot.hpa.metadata;
    let created = metadata.creation_timestamp.map(Timestamp::as_nanosecond);
    let is_older = |it: &Written| created.is_some_and(|created| it.at.to < created);
    let regular = written.iter().filter(|it| it.queued_by != QueuedBy::Edit);
    let regular: Vec<&Written> = regular.collect();
    let pairs = regular.windows(2);
    let shifted: Vec<Notice> = pairs
        .filter(|pair| is_older(pair[0]) == is_older(pair[1]))
        .filter_map(|pair| {
            let (one, other) = (pair[0].at.to, pair[1].at.to);
            let late = between(one, other, sync_period)?.err()?;
            Some(Notice {
                kind: NoticeKind::Restarted,
                from: Some(timestamp(one)),
                to: timestamp(other),
                says: format!(
                    "the controller probably restarted: its passes shifted by {}s",
                    late / SECOND
                ),
                source: Evidence::at(EvidenceKind::PassTimes, timestamp(other), ""),
            })
        })
        .collect();
    let are_most = shifted.len() > 1 && 2 * shifted.len() >= regular.len();
    if are_most { Vec::new() } else { shifted }
}

/// How many sync periods lie between two passes, or by how much they lie off
/// whole ones; nothing where that cannot be told apart.
pub fn between(one: Nanos, other: Nanos, sync_period: Nanos) -> Option<Result<Nanos, Nanos>> {
    if sync_period < 4 * LATE {
        return None;
    }
    let apart = other - one;
    let periods = (apart + sync_period / 2) / sync_period;
    let late = apart - periods * sync_period;
    let latest = LATE + periods * LATER_EACH;
    let earliest = (SECOND + periods * EARLIER_EACH).min(latest);
    let is_whole = (-earliest..=latest).contains(&late);
    (periods <= MOST_PERIODS).then_some(if is_whole {
        Ok(periods)
    } else {
        Err(late.abs())
    })
}

/// An event that is counted on is counted by the process that began with it:
/// while it was said again and again, the controller did not restart.
fn unbroken(snapshot: &Snapshot) -> Vec<Span> {
    let counted = snapshot.own_events().filter_map(times);
    let counted = counted.filter(|(_, _, count)| *count > 1);
    let spans =
        counted.map(|(first, last, _)| Span::new(Span::second(first).to, last.as_nanosecond()));
    spans.collect()
}

/// The same event told anew is told by another process, or of another object:
/// of an HPA that was created again, the count begins anew as well.
pub fn reported_again(snapshot: &Snapshot) -> Vec<Notice> {
    let created = snapshot.hpa.metadata.creation_timestamp;
    let mut events: Vec<_> = snapshot
        .own_events()
        .filter_map(|event| {
            let (first, last, _) = times(event)?;
            let uid = &event.involved_object.uid;
            // Without it, those before this HPA can be of several.
            let is_of_one = uid.is_some() || created.is_none_or(|created| first >= created);
            is_of_one.then_some(((uid, &event.reason, &event.message), first, last))
        })
        .collect();
    events.sort_unstable();
    let mut notices = Vec::new();
    for same in events.chunk_by(|one, other| one.0 == other.0) {
        let (_, _, mut until) = same[0];
        for ((.., message), first, last) in &same[1..] {
            if until < *first {
                notices.push(Notice {
                    kind: NoticeKind::Restarted,
                    from: Some(until),
                    to: *first,
                    says: "the controller probably restarted: its event count starts over"
                        .to_owned(),
                    source: Evidence::at(EvidenceKind::Event, *first, (*message).clone()),
                });
            }
            until = until.max(*last);
        }
    }
    notices
}

/// How long after its start a controller runs its first pass at the latest,
/// should nothing later be known.
const LATEST_FIRST: Nanos = 3_600 * SECOND;

/// More possible moments of a restart than this are not told apart.
const MOST_MOMENTS: usize = 24;

/// The controller may have restarted and begun anew with the size of the
/// moment, between any two entries that are known: then it remembers what
/// came after.
pub(super) fn restarted(
    sources: Sources,
    account: &Account,
    sizes: &Sizes,
    since: Option<Nanos>,
) -> Vec<Account> {
    let (rules, now) = (sources.rules, sources.now);
    let unbroken = unbroken(sources.snapshot);
    let counts = rules.kept.max(rules.reach);
    let oldest = (now - counts - SECOND).max(since.unwrap_or(Nanos::MIN));
    let all = [
        &account.recommendations,
        &account.scale_up_events,
        &account.scale_down_events,
    ];
    let certain = all.into_iter().flatten().filter(|entry| entry.is_certain);
    let mut moments: Vec<Nanos> = certain.map(|entry| entry.from).collect();
    moments.extend([oldest, now]);
    moments.extend(unbroken.iter().flat_map(|span| [span.from, span.to]));
    moments.retain(|moment| (oldest..=now).contains(moment));
    moments.sort_unstable();
    moments.dedup();
    // Of many, the older ones are taken together.
    let merged = moments.len().saturating_sub(MOST_MOMENTS);
    if merged > 0 {
        moments.drain(1..=merged);
    }
    let spans = moments
        .windows(2)
        .map(|pair| Span::new(pair[0], pair[1] - 1));
    let is_unbroken = |at: &Span| {
        let mut unbroken = unbroken.iter();
        unbroken.any(|it| it.from <= at.from && at.to < it.to)
    };
    spans
        .filter(|at| !is_unbroken(at))
        .map(|at| restarted_within(account, sizes, at))
        .collect()
}

/// What is left where the controller began anew within a time.
fn restarted_within(account: &Account, sizes: &Sizes, at: Span) -> Account {
    let left = |entries: &[Bounded]| -> Vec<Bounded> {
        let left = entries.iter().filter(|entry| entry.to >= at.from);
        let left = left.map(|entry| Bounded {
            from: entry.from.max(at.from),
            is_certain: entry.is_certain && entry.from > at.to,
            ..*entry
        });
        left.collect()
    };
    let mut recommendations = left(&account.recommendations);
    // Whatever began before the next known entry, the first pass is by then.
    let next = recommendations.iter().filter(|entry| entry.is_certain);
    let next = next.map(|entry| entry.to).min();
    let to = next.map_or(at.to, |next| next.min(at.to.saturating_add(LATEST_FIRST)));
    recommendations.push(Bounded {
        replicas: sizes.within(Span::new(at.from, to)),
        from: at.from,
        to: to.max(at.from),
        is_certain: true,
    });
    Account {
        recommendations,
        scale_up_events: left(&account.scale_up_events),
        scale_down_events: left(&account.scale_down_events),
    }
}

/// The latest moment at which the controller cannot have remembered anything
/// of the HPA: its lead began, or the HPA was created.
pub fn since(snapshot: &Snapshot) -> Option<MemorySince> {
    let lease = lead(snapshot).map(|at| MemorySince {
        at,
        source: Evidence::at(
            EvidenceKind::Lease,
            at,
            "the controller has held the lease since then",
        ),
    });
    let creation = creation(snapshot).map(|at| MemorySince {
        at,
        source: Evidence::at(EvidenceKind::Creation, at, "the HPA was created"),
    });
    let moments = lease.into_iter().chain(creation);
    moments.max_by_key(|since| since.at)
}

/// A lease that was not renewed for so long is nobody's: leader election is
/// off by now, or nobody leads.
const STALE: SignedDuration = SignedDuration::from_secs(120);

/// Since when the controller leads.
pub fn lead(snapshot: &Snapshot) -> Option<Timestamp> {
    let lease = &snapshot.controller_lease.as_ref()?.spec;
    let is_stale = |renewed: Timestamp| snapshot.captured_at.duration_since(renewed) > STALE;
    lease
        .acquire_time
        .filter(|_| !lease.renew_time.is_some_and(is_stale))
}

/// Until when the process that leads is known to have led: who fails to renew
/// the lease for some seconds ends, and its successor acquires it anew.
pub fn led_until(snapshot: &Snapshot) -> Option<Timestamp> {
    lead(snapshot)?;
    snapshot.controller_lease.as_ref()?.spec.renew_time
}

/// When the HPA was created, unless one of its name lived before: what the
/// controller remembers is kept by name, and deleting and creating an HPA
/// within one sync period goes unnoticed.
fn creation(snapshot: &Snapshot) -> Option<Timestamp> {
    let created = snapshot.hpa.metadata.creation_timestamp?;
    (!had_predecessor(snapshot)).then_some(created)
}

/// Whether events tell of an HPA of the same name before this one.
pub fn had_predecessor(snapshot: &Snapshot) -> bool {
    let metadata = &snapshot.hpa.metadata;
    let is_older = |event: &Event| {
        let first = times(event).map(|(first, ..)| first);
        let both = first.zip(metadata.creation_timestamp);
        both.is_some_and(|(first, created)| first < created)
    };
    let is_of_another = |event: &Event| {
        let uid = event.involved_object.uid.as_ref();
        let uids = uid.zip(metadata.uid.as_ref());
        uids.is_some_and(|(one, other)| one != other)
    };
    let mut events = snapshot.own_events();
    events.any(|event| is_older(event) || is_of_another(event))
}

/// Whether no pass has run on the HPA yet: the first one writes a status.
/// Where nothing tells when the HPA came to be, a status that was never
/// filled in tells nothing either.
pub fn is_untouched(snapshot: &Snapshot) -> bool {
    let status = &snapshot.hpa.status;
    since(snapshot).is_some()
        && !had_predecessor(snapshot)
        && status.conditions.is_empty()
        && status.last_scale_time.is_none()
}

/// Stamps that differ by no more are taken to be of one clock.
const APART: SignedDuration = SignedDuration::from_secs(5);

/// A clock that cannot be trusted, if there is one: it was set, or two differ. Windows
/// and periods are measured on the controller's clock, and what the API keeps is stamped
/// partly by it, partly by the API server. Where the stamps contradict each other,
/// nothing can be said of ages.
pub fn untrusted(snapshot: &Snapshot, now: Nanos) -> Option<Notice> {
    from_the_future(snapshot, timestamp(now)).or_else(|| differ(snapshot))
}

/// Something was stamped later than now.
fn from_the_future(snapshot: &Snapshot, now: Timestamp) -> Option<Notice> {
    let hpa = &snapshot.hpa;
    let events = snapshot.own_events();
    let events = events.filter_map(|event| Some(times(event)?.1));
    let led = since(snapshot).map(|since| since.at);
    let stamps = [hpa.status.last_scale_time, hpa.status_written(), led];
    let latest = events.chain(stamps.into_iter().flatten()).max()?;
    let ahead = latest.duration_since(now);
    if ahead <= APART {
        return None;
    }
    let says = format!(
        "a clock was set back, or two clocks differ: the newest timestamp is {}s in the future",
        ahead.as_secs()
    );
    Some(notice(now, says))
}

/// The controller stamps its rescale, the API server the status that tells of
/// it, within moments.
fn differ(snapshot: &Snapshot) -> Option<Notice> {
    let hpa = &snapshot.hpa;
    let written = hpa.status_written()?;
    let scaled = hpa.status.last_scale_time;
    let scaled = scaled.filter(|_| hpa.status.has_rescaled())?;
    let apart = written.duration_since(scaled);
    (apart.abs() > APART).then(|| {
        let seconds = apart.as_secs().unsigned_abs();
        let says = format!("the clocks of the controller and the API server differ by {seconds}s");
        notice(written, says)
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
    let longest = rules.longest_up_period.max(rules.longest_down_period);
    let longest = rules.longest_window().max(longest);
    let is_recent = at.as_nanosecond() >= now - longest;
    (is_recent && Some(at) != created).then(|| Notice {
        kind: NoticeKind::SpecEdited,
        from: Some(at),
        to: at,
        says: "the HPA's spec changed; earlier passes say less about the memory".to_owned(),
        source: Evidence::at(EvidenceKind::ManagedFields, at, ""),
    })
}

#[cfg(test)]
mod tests {
    use super::{SECOND, between};

    /// After how many milliseconds a pass comes, and how many whole periods of
    /// 15 s that is, or by how many milliseconds it lies off: it can be late, but
    /// hardly early.
    #[test]
    fn a_pass_can_be_late_but_hardly_early() {
        let rows = [
            (15_000, Ok(1)),
            (18_000, Ok(1)),
            (18_100, Err(3_100)),
            (13_500, Ok(1)),
            (13_400, Err(1_600)),
            (12_000, Err(3_000)),
            (3_000, Ok(0)),
            (4_000, Err(4_000)),
            (57_000, Ok(4)),
            (56_000, Err(4_000)),
        ];
        for (apart, reported) in rows {
            let milli = SECOND / 1_000;
            let reported = reported.map_err(|late| late * milli);
            assert_eq!(
                between(0, apart * milli, 15 * SECOND),
                Some(reported),
                "{apart}"
            );
        }
        assert_eq!(between(0, 15 * SECOND, 10 * SECOND), None);
    }
}
