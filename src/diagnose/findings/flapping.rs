//! A size that goes up and down again and again, as the events tell.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::history::{ToldRescales, told_rescales};
use crate::trace::{Code, Finding, NoticeKind, Trace, seconds_text};

use super::Case;

/// So many turns make a flapping HPA, if each comes within so many seconds.
const TURNS: i64 = 4;
const APART: i64 = 600;
/// More reasons than this are not listed.
const MOST_REASONS: usize = 6;
/// The longest window that the API allows, in seconds.
const LONGEST_WINDOW: i64 = 3_600;

/// The size turns round again and again.
pub(super) fn flapping(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let told = told_rescales(case.snapshot);
    let Some(swing) = Swing::of(&told) else {
        return;
    };
    let age = trace.at.duration_since(swing.last).as_secs();
    if swing.turns < TURNS || swing.apart() > APART || age > APART.max(2 * swing.apart()) {
        return;
    }
    let message = format!(
        "turned round {}{} times in {}, between {} and {}; the last change was {} ago",
        if swing.is_complete { "" } else { "at least " },
        swing.turns,
        seconds_text(swing.seconds()),
        swing.least,
        swing.most,
        seconds_text(age)
    );
    let mut finding = Finding::new(Code::Flapping, message)
        .fact("since", format!("{} at the latest", swing.first))
        .fact(
            "one way and back",
            format!("{} on average", seconds_text(2 * swing.apart())),
        );
    for (reason, count) in reasons(&told).into_iter().take(MOST_REASONS) {
        finding = finding.fact(format!("{count} rescales"), reason);
    }
    findings.push(helped(case, trace, &told, &swing, finding));
}

/// What the events tell of the ups and downs.
struct Swing {
    first: Timestamp,
    last: Timestamp,
    least: i32,
    most: i32,
    /// How often the direction changed, at the least.
    turns: i64,
    /// Whether it cannot have been more often, by these events.
    is_complete: bool,
}

impl Swing {
    fn of(told: &[ToldRescales]) -> Option<Self> {
        let moments = moments(told);
        let (first, last) = (moments.first()?.0, moments.last()?.0);
        let sizes = moments.iter().map(|(_, size)| *size);
        Some(Self {
            first,
            last,
            least: sizes.clone().min()?,
            most: sizes.clone().max()?,
            turns: turns(sizes).max(returns(told)),
            is_complete: told.iter().all(|told| told.count == 1),
        })
    }

    fn seconds(&self) -> i64 {
        self.last.duration_since(self.first).as_secs()
    }

    /// How many seconds lie between two turns, on average.
    fn apart(&self) -> i64 {
        self.seconds() / self.turns.max(1)
    }
}

/// The sizes whose moments are known, in the order of time. Of a merged event
/// only the last is.
fn moments(told: &[ToldRescales]) -> Vec<(Timestamp, i32)> {
    let mut moments = Vec::new();
    for told in told {
        if !told.is_merged {
            moments.push((told.first, told.size));
        }
        if told.count > 1 || told.is_merged {
            moments.push((told.last, told.size));
        }
    }
    moments.sort_by_key(|(at, _)| *at);
    moments
}

/// How often a row of sizes changes its direction. Leaving some out never
/// makes it more.
fn turns(sizes: impl Iterator<Item = i32>) -> i64 {
    let (mut turns, mut last, mut direction) = (0, None, None);
    for size in sizes {
        let way = last.map(|last| size.cmp(&last)).filter(|way| way.is_ne());
        if way.is_some() && direction.is_some() && way != direction {
            turns += 1;
        }
        direction = way.or(direction);
        last = Some(size);
    }
    turns
}

/// Between two rescales to the same size the direction changed at least once.
fn returns(told: &[ToldRescales]) -> i64 {
    let mut counts: BTreeMap<i32, i64> = BTreeMap::new();
    for told in told.iter().filter(|told| !told.is_merged) {
        *counts.entry(told.size).or_default() += i64::from(told.count);
    }
    counts.values().max().map_or(0, |most| most - 1)
}

/// How often each reason was given, the most frequent first.
fn reasons(told: &[ToldRescales]) -> Vec<(&str, i64)> {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for told in told.iter().filter(|told| !told.is_merged) {
        *counts.entry(told.reason.as_str()).or_default() += i64::from(told.count);
    }
    let mut reasons: Vec<_> = counts.into_iter().collect();
    reasons.sort_by_key(|(reason, count)| (-count, *reason));
    reasons
}

/// What fits the mechanism: against a metric that swings, a longer window;
/// against somebody else who sets the size, none.
fn helped(
    case: &Case,
    trace: &Trace,
    told: &[ToldRescales],
    swing: &Swing,
    finding: Finding,
) -> Finding {
    let is_out_of_bounds = |told: &ToldRescales| told.reason.starts_with("Current number of");
    let others = [NoticeKind::ScaledByOthers, NoticeKind::Applied];
    let mut notices = trace.recollection.notices.iter();
    if let Some(notice) = notices.find(|notice| others.contains(&notice.kind)) {
        return finding
            .fact("somebody else", notice.says.clone())
            .advice("end that first: no behavior of the HPA helps against another writer");
    }
    if told.iter().any(is_out_of_bounds) {
        return finding
            .advice("the size left the bounds, which no metric does: look for another writer");
    }
    let window = window(case);
    let needed = (2 * swing.apart()).max(60);
    let needed = (needed + 59) / 60 * 60;
    if needed <= window || needed > LONGEST_WINDOW {
        return finding.advice(format!(
            "its scaleDown window of {} is not what is missing; look at what moves the metric",
            seconds_text(window)
        ));
    }
    finding.patch(
        format!(
            "holds what was needed within one way and back; not tested against this load, and \
             longer than the {} of now",
            seconds_text(window)
        ),
        format!("spec:\n  behavior:\n    scaleDown:\n      stabilizationWindowSeconds: {needed}"),
    )
}

/// The scaleDown window in seconds.
fn window(case: &Case) -> i64 {
    let behavior = case.behavior();
    let down = behavior.and_then(|behavior| behavior.scale_down.as_ref());
    let own = down.and_then(|down| down.stabilization_window_seconds);
    own.map_or_else(
        || case.settings.downscale_stabilization_seconds(),
        i64::from,
    )
}
