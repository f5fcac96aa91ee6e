//! The answer in a sentence or two, what it rests on, and how far that reaches.

use jiff::Timestamp;

use crate::render::block::{Cell, Item, Row, Table};
use crate::render::text::TextOptions;
use crate::render::text::words::clock;
use crate::trace::amount::counted;
use crate::trace::{
    Effect, EvidenceKind, FlapState, Flaps, Mechanism, PastCoverage, SizeChange, Standing, Swing,
    ago_text, seconds_text,
};

/// How often, how far, since when; or that there is nothing.
pub(super) fn answer(flaps: &Flaps, options: &TextOptions) -> String {
    let swing = flaps.swing.as_ref();
    let answer = match flaps.state {
        FlapState::Flapping => {
            let ups = swing.map_or_else(String::new, |it| ups_and_downs(flaps, it, options));
            format!("This HPA is flapping{}. {ups}", cause(flaps))
        }
        FlapState::Stuck => stuck(flaps),
        FlapState::Unknown => match (&flaps.coverage.events_not_read, &flaps.other_reason) {
            (Some(reason), _) => format!("Cannot tell: events are missing ({reason})."),
            (None, now) => {
                let known = calm(flaps, options);
                let why = now.as_ref().map_or("", |now| now.message.as_str());
                format!("{known} Cannot tell whether it is stuck: {why}.")
            }
        },
        FlapState::Calm => calm(flaps, options),
    };
    let is_told = swing.is_some_and(|it| it.edited.is_some());
    let edited = flaps.coverage.edited.filter(|_| !is_told);
    let edited = edited.map_or_else(String::new, |at| {
        let ago = ago_text(flaps.at, at, at);
        let since = flaps.coverage.reversals_since.zip(swing);
        let since = since.map_or_else(String::new, |(since, swing)| {
            let before = swing.reversals.from - since;
            match flaps.coverage.without_moment {
                0 => format!(" ({before} of the reversals before, {since} since)"),
                _ => format!(" ({since} or more of the reversals since)"),
            }
        });
        format!(
            " The HPA was edited {ago}, amid these changes{since}: the windows, policies and \
             targets named here apply only since then."
        )
    });
    answer + &edited
}

/// How often, how far, since when.
fn ups_and_downs(flaps: &Flaps, swing: &Swing, options: &TextOptions) -> String {
    let period = period_text(swing, |longest| format!("{longest} or less"), " to ");
    let period = period.map_or_else(String::new, |it| format!("; the average cycle is {it}"));
    format!(
        "The size reversed {} in {}, {}{period}. The first change on record was at {}, the last at \
         {}, {}.",
        swing.times(),
        swing.length(),
        swing.sizes(),
        clock(swing.since, flaps.at, options),
        clock(swing.until, flaps.at, options),
        swing.last_ago(flaps.at)
    )
}

fn stuck(flaps: &Flaps) -> String {
    let what = if climbs(flaps) {
        "running away"
    } else {
        "stuck"
    };
    let is_inferred = shown_mechanism(flaps).is_some_and(|it| it.standing == Standing::Inferred);
    let verb = if is_inferred { "may be" } else { "is" };
    let why = match &flaps.other_reason {
        Some(reason) => format!(": {}", reason.message),
        None => cause(flaps),
    };
    format!("This HPA {verb} {what}, not flapping{why}.")
}

/// The mechanism that the answer tells, so that what explains it need not: the
/// only one, unless only the sizes suggest it.
pub(super) fn shown_mechanism(flaps: &Flaps) -> Option<&Mechanism> {
    match flaps.mechanisms.as_slice() {
        [only] if only.similar.is_empty() && flaps.other_reason.is_none() => Some(only),
        _ => None,
    }
}

/// Why, with the culprit; of several, the others by their titles.
fn cause(flaps: &Flaps) -> String {
    if let Some(only) = shown_mechanism(flaps) {
        return format!(": {}", only.says);
    }
    let mechanisms = flaps.mechanisms.iter();
    let (known, inferred): (Vec<_>, Vec<_>) =
        mechanisms.partition(|it| it.standing == Standing::Known);
    let suggested = inferred.iter().map(|it| format!("; {}", it.title()));
    let suggested: String = suggested.collect();
    match known.as_slice() {
        [] => suggested,
        [only] if suggested.is_empty() => format!(", and the cause is {}", only.kind.title()),
        [only] => format!(", and one cause is {}{suggested}", only.kind.title()),
        [first, others @ ..] => {
            let others = others.iter().map(|it| it.kind.title());
            let others = others.collect::<Vec<_>>().join(" and ");
            format!(": {}; in addition, {others}{suggested}", first.says)
        }
    }
}

/// Whether it is on its way to `maxReplicas`, whatever the load does.
pub(super) fn climbs(flaps: &Flaps) -> bool {
    let mut mechanisms = flaps.mechanisms.iter();
    mechanisms.any(|it| it.kind.does(Effect::Climbs)) && flaps.replicas < flaps.bounds.max_replicas
}

fn calm(flaps: &Flaps, options: &TextOptions) -> String {
    let Some(swing) = &flaps.swing else {
        let last = flaps.changes.last();
        let last = last.map_or_else(String::new, |it| ago_text(flaps.at, it.from, it.to));
        let coverage = &flaps.coverage;
        return match coverage.with_moment.saturating_add(coverage.without_moment) {
            0 if coverage.remembered.is_some() => {
                "No flapping: only the controller's memory has a change of the size.".to_owned()
            }
            0 => "No flapping: no recent change of the size is on record.".to_owned(),
            1 => format!("No flapping: the size changed once, {last}."),
            more => format!(
                "No flapping: the size changed {more} times and never reversed; the last change was \
                 {last}."
            ),
        };
    };
    let reversals = format!(
        "the size reversed {} in {}, {}",
        swing.times(),
        swing.length(),
        swing.sizes(),
    );
    if let Some(edited) = swing.edited {
        let again = look_again(flaps, swing, edited).unwrap_or_default();
        return format!(
            "No flapping since the HPA was edited {}. Before that, {reversals}{again}.",
            ago_text(flaps.at, edited, edited)
        );
    }
    if swing.is_flapping {
        let over = swing.last_ago(flaps.at);
        return format!("This HPA is not flapping now. It flapped until {over}: {reversals}.");
    }
    let apart = swing.seconds_apart();
    let is_slow = swing.reversals.from >= Swing::REVERSALS && apart > Swing::SECONDS_APART;
    let rule = if is_slow {
        format!(
            ": {} apart; it counts as flapping only within {}",
            seconds_text(apart),
            seconds_text(Swing::SECONDS_APART)
        )
    } else {
        String::new()
    };
    let over = if swing.goes_on {
        String::new()
    } else {
        format!(
            ", but not since {}",
            clock(swing.until_latest.unwrap_or(swing.until), flaps.at, options)
        )
    };
    format!("No flapping: {reversals}{over}{rule}.")
}

/// What to wait for, where an edit is younger than the size takes to come back.
fn look_again(flaps: &Flaps, swing: &Swing, edited: Timestamp) -> Option<String> {
    let cycle = i64::from(swing.period_seconds?.to?);
    let rest = cycle - flaps.at.duration_since(edited).as_secs();
    (rest > 0).then(|| {
        let [cycle, rest] = [cycle, rest].map(seconds_text);
        format!("; a cycle took {cycle}, so look again in {rest}")
    })
}

/// How long one way and back takes, in a few characters: `5m`, `≤5m`, or `5m..6m`.
pub(super) fn short_period(swing: &Swing) -> Option<String> {
    period_text(swing, |longest| format!("≤{longest}"), "..")
}

/// The same in words for the most that it can be, and for a range.
fn period_text(swing: &Swing, at_most: fn(String) -> String, to: &str) -> Option<String> {
    let period = swing.period_seconds?;
    let longest = seconds_text(period.to?.into());
    Some(match period.single() {
        Some(_) => longest,
        None if period.from == 0 => at_most(longest),
        None => format!("{}{to}{longest}", seconds_text(period.from.into())),
    })
}

/// More changes of the size are not listed.
const MOST_CHANGES: usize = 40;

/// What the answer is based on, and how far that reaches.
pub(super) fn coverage(flaps: &Flaps, options: &TextOptions, since: Option<String>) -> Vec<Item> {
    let coverage = &flaps.coverage;
    let mut items = Vec::new();
    let changes = coverage.with_moment.saturating_add(coverage.without_moment);
    if changes > 0 {
        items.push(Item::of(moments(coverage, since)));
    }
    let reach = match coverage.complete_since {
        Some(since) if is_all(flaps, since) => "complete".to_owned(),
        Some(since) => {
            let since = clock(since, flaps.at, options);
            format!("changes before {since} may be missing")
        }
        None => "changes may be missing".to_owned(),
    };
    items.push(Item::of(format!("{}; {reach}", sources(coverage))));
    items.extend(coverage.remembered.as_ref().map(|last| {
        let ago = ago_text(flaps.at, last.to, last.to);
        let at = clock(last.to, flaps.at, options);
        Item::of(format!(
            "the controller's memory has a last change at {at} ({ago})"
        ))
    }));
    items.extend(coverage.remarks.iter().cloned().map(Item::of));
    // The first sentence has it where nothing can be shown_mechanism.
    if let Some(reason) = &coverage.events_not_read
        && flaps.state != FlapState::Unknown
    {
        items.push(Item::of(format!("events are missing: {reason}")));
    }
    items
}

/// Events are not kept for longer by default; what is older is another story.
const LONG: i64 = 3_600;

/// Whether every change is known as far as anybody looks back.
fn is_all(flaps: &Flaps, since: Timestamp) -> bool {
    flaps.coverage.events_not_read.is_none() && flaps.at.duration_since(since).as_secs() >= LONG
}

fn moments(coverage: &PastCoverage, since: Option<String>) -> String {
    let all = coverage.with_moment.saturating_add(coverage.without_moment);
    let since = since.map_or_else(String::new, |since| format!(" since {since}"));
    let all = format!("{} on record{since}", counted(all as usize, "change"));
    match (coverage.without_moment, coverage.with_moment) {
        (0, 1) => format!("{all}, with its time"),
        (0, _) => format!("{all}, all with their times"),
        (hidden, known) => {
            format!("{all}: {known} with their times, {hidden} only counted in aggregated events")
        }
    }
}

fn sources(coverage: &PastCoverage) -> String {
    let mut names: Vec<&str> = Vec::new();
    for source in &coverage.sources {
        let name = match source {
            EvidenceKind::ControllerLog => "the controller's log",
            EvidenceKind::Record => "a record",
            EvidenceKind::Prometheus => "Prometheus",
            EvidenceKind::Event => "events (kept for one hour by default)",
            EvidenceKind::TargetEvent => "the target's events",
            EvidenceKind::LastScaleTime | EvidenceKind::Status => "the HPA's status",
            EvidenceKind::ManagedFields => "managedFields",
            _ => continue,
        };
        names.push(name);
    }
    names.dedup();
    match names.as_slice() {
        [] => "no event, record or log has a change".to_owned(),
        [name] => format!("source: {name}"),
        [names @ .., last] => format!("sources: {} and {last}", names.join(", ")),
    }
}

/// Every change, the latest last (`-v`).
pub(super) fn size_table(flaps: &Flaps, options: &TextOptions) -> Option<Table> {
    if options.verbosity == 0 || flaps.changes.is_empty() {
        return None;
    }
    let skipped = flaps.changes.len().saturating_sub(MOST_CHANGES);
    let changes = flaps.changes.iter().skip(skipped);
    let rows = changes.map(|change| Row::of(size(change, flaps, options)));
    Some(Table::of(rows))
}

fn size(change: &SizeChange, flaps: &Flaps, options: &TextOptions) -> [Cell; 3] {
    let time = |at| clock(at, flaps.at, options);
    let apart = change.to.duration_since(change.from).as_secs();
    let when = if apart > 1 {
        format!("{}..{}", time(change.from), time(change.to))
    } else {
        time(change.from)
    };
    let count = match change.count {
        1 => String::new(),
        count => format!("{count} times "),
    };
    let after = change.after.map_or("?".to_owned(), |it| it.to_string());
    let sizes = match change.before {
        Some(before) => format!("{before} → {after}"),
        None => format!("→ {after}"),
    };
    let who = match change.is_own {
        Some(true) => change.reason.to_string(),
        Some(false) => "not by the HPA".to_owned(),
        None => "unknown who made it".to_owned(),
    };
    [
        Cell::text("CHANGED AT", when),
        Cell::text("SIZE", format!("{count}{sizes}")),
        Cell::sentences("WHY", who),
    ]
}
