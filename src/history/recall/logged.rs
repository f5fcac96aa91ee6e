//! What the controller itself logged before a moment.

use crate::controller::{Nanos, SECOND, timestamp};
use crate::history::recall::Scaling;
use crate::history::{ControllerLog, Span};
use crate::trace::amount::median;
use crate::trace::{Evidence, EvidenceKind, Notice, NoticeKind, RescaleReason};

/// What a log tells of the time before a moment.
#[derive(Clone, Debug, Default)]
pub struct Logged {
    /// The time of which it tells all.
    pub covers: Option<Span>,
    /// When the last time ended of which it tells nothing, though it should.
    pub gap_until: Option<Nanos>,
    /// The latest start of a controller, which remembers nothing.
    pub start: Option<Nanos>,
    /// The recommendations.
    pub passes: Vec<(Nanos, i32)>,
    pub rescales: Vec<Scaling>,
    /// The size of the first pass after the start, and when that was.
    pub first: Option<(Nanos, i32)>,
    pub notices: Vec<Notice>,
}

/// Reads the part of a log that lies before `now`.
pub fn logged(log: Option<&ControllerLog>, now: Nanos) -> Logged {
    let Some(log) = log else {
        return Logged::default();
    };
    let before = |at: jiff::Timestamp| Some(at.as_nanosecond()).filter(|at| *at < now);
    let starts: Vec<Nanos> = log.starts.iter().filter_map(|at| before(*at)).collect();
    let start = starts.last().copied();
    let end = log.covers.map(|(_, to)| to.as_nanosecond().min(now));
    let gap_until = end.and_then(|end| last_gap(log, end));
    let rescales = log.rescales.iter().filter_map(|rescale| {
        let at = before(rescale.at)?;
        Some(Scaling {
            before: Some(rescale.from),
            after: Some(rescale.to),
            reason: RescaleReason::parse(&rescale.reason),
            message: format!("{} → {}", rescale.from, rescale.to),
            ..Scaling::new(Span::at(at), Some(true), EvidenceKind::ControllerLog)
        })
    });
    let passes = log.passes.iter();
    let passes = passes.filter_map(|pass| Some((before(pass.at)?, pass.recommendation)));
    let later = starts.iter().skip(usize::from(is_first_line(log)));
    Logged {
        covers: log.covers.and_then(|(from, to)| {
            let to = to.as_nanosecond().min(now);
            let from = before(from)?;
            let from = gap_until.map_or(from, |gap| gap.max(from));
            (from < to).then_some(Span::new(from, to))
        }),
        gap_until,
        start,
        passes: passes.collect(),
        rescales: rescales.collect(),
        first: start.and_then(|start| first_size(log, start, now)),
        notices: later.map(|at| restarted(*at)).collect(),
    }
}

impl Logged {
    /// It has gaps before that.
    pub fn tells_since(&mut self, from: Nanos) {
        let covers = self.covers.map(|it| Span::new(it.from.max(from), it.to));
        self.covers = covers.filter(|covers| covers.from < covers.to);
    }
}

/// A log that tells of each pass is silent no longer than this, and than four
/// times as long as it mostly is.
const SILENCE: Nanos = 120 * SECOND;

/// When the last gap ended: a line that cannot be read, or a silence of a log
/// that tells of each pass otherwise. While no controller runs, there is none;
/// nor between its start and its first pass, before which the HPA may not have
/// been there.
fn last_gap(log: &ControllerLog, until: Nanos) -> Option<Nanos> {
    let unread = log.unread.iter().map(|at| at.as_nanosecond());
    let unread = unread.filter(|at| *at < until).max();
    if log.passes.is_empty() && log.unchanged.is_empty() {
        return unread;
    }
    let lines = lines(log, until);
    let apart = lines.windows(2).map(|pair| pair[1] - pair[0]);
    // A pass has several lines at once.
    let usual = median(apart.filter(|apart| *apart > SECOND)).unwrap_or(0);
    let longest = SILENCE.max(usual.saturating_mul(4));
    let starts = || log.starts.iter().map(|at| at.as_nanosecond());
    let is_idle = |pair: &[Nanos]| starts().any(|start| pair.contains(&start));
    let mut pairs = lines.windows(2).rev();
    let silent = pairs.find(|pair| pair[1] - pair[0] > longest && !is_idle(pair));
    silent.map(|pair| pair[1]).max(unread)
}

/// When a line is about the HPA or about all, in the order of time, and the
/// end.
fn lines(log: &ControllerLog, until: Nanos) -> Vec<Nanos> {
    let passes = log.passes.iter().map(|it| it.at);
    let unchanged = log.unchanged.iter().map(|it| it.at);
    let rescales = log.rescales.iter().map(|it| it.at);
    let errors = log.errors.iter().map(|it| it.at);
    let starts = log.starts.iter().copied();
    let lines = passes.chain(unchanged).chain(rescales);
    let lines = lines.chain(errors).chain(starts);
    let lines = lines.map(jiff::Timestamp::as_nanosecond);
    let mut lines: Vec<Nanos> = lines.filter(|at| *at < until).chain([until]).collect();
    lines.sort_unstable();
    lines
}

/// Whether the log begins with a start: what was before is not its matter.
fn is_first_line(log: &ControllerLog) -> bool {
    let begin = log.covers.map(|(from, _)| from.as_nanosecond());
    let first = log.starts.first().map(|it| it.as_nanosecond());
    let both = begin.zip(first);
    both.is_some_and(|(begin, first)| first - begin < 10 * SECOND)
}

fn first_size(log: &ControllerLog, start: Nanos, now: Nanos) -> Option<(Nanos, i32)> {
    let kept = log.unchanged.iter().map(|it| (it.at, it.replicas));
    let changed = log.rescales.iter().map(|it| (it.at, it.from));
    let sizes = kept.chain(changed);
    let sizes = sizes.map(|(at, size)| (at.as_nanosecond(), size));
    let failed = log.errors.iter().map(|it| it.at.as_nanosecond());
    let first = sizes.filter(|(at, _)| (start..now).contains(at)).min()?;
    // A pass that failed before it began with a size that the log hides.
    let is_first = !failed.clone().any(|at| (start..first.0).contains(&at));
    is_first.then_some(first)
}

fn restarted(at: Nanos) -> Notice {
    let (at, says) = (timestamp(at), "Starting HPA controller");
    Notice {
        kind: NoticeKind::Restarted,
        from: Some(at),
        to: at,
        says: "the controller started, so its earlier memory is lost".to_owned(),
        source: Evidence::at(EvidenceKind::ControllerLog, at, says),
    }
}
