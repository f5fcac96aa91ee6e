//! What else was noticed of the past: what changed what the controller
//! remembers, or what it can be known from.

use std::cmp::Reverse;

use crate::trace::{Notice, NoticeKind};

use super::page::{Line, Tone, toned};
use super::remembered::{by, evidence, span};
use super::words::View;

/// Renders the most important ones.
pub(super) fn notices(view: View) -> Vec<Line> {
    if view.options.verbosity > 0 {
        return Vec::new();
    }
    // Where nothing is stabilized, what is remembered does not matter.
    if view.trace.asked().is_none() {
        return Vec::new();
    }
    let all = &view.trace.recollection.notices;
    let mut notices: Vec<&Notice> = all.iter().filter(|it| !is_told_better(it, all)).collect();
    notices.sort_by_key(|notice| (importance(notice.kind), Reverse(notice.to)));
    notices.dedup_by_key(|notice| (notice.to, notice.says.as_str()));
    let mut lines = Vec::new();
    for notice in notices.iter().take(view.most(2)) {
        let lead = if lines.is_empty() {
            "Note   "
        } else {
            "       "
        };
        let at = by(view, notice.from, notice.to);
        let tone = match notice.kind {
            NoticeKind::Contradiction => Tone::Warn,
            _ => Tone::Plain,
        };
        let paragraph = view.page.paragraph(&format!("{lead}{at}  "), &notice.says);
        lines.extend(toned(tone, paragraph));
    }
    lines
}

/// Whether another notice tells the same of a shorter time.
fn is_told_better(notice: &Notice, all: &[Notice]) -> bool {
    let holds = |other: &Notice| {
        notice.from.is_none_or(|from| other.from >= Some(from)) && other.to <= notice.to
    };
    let is_same = |other: &Notice| (other.from, other.to) == (notice.from, notice.to);
    let of_kind = || all.iter().filter(|other| other.kind == notice.kind);
    // Of the same words only the latest are news.
    let mut later = of_kind().filter(|other| other.says == notice.says && other.to > notice.to);
    later.next().is_some() || of_kind().any(|other| holds(other) && !is_same(other))
}

/// Renders all of them, in the order of time, with their sources (`-v`).
pub(super) fn all(view: View) -> Vec<Line> {
    let notices = &view.trace.recollection.notices;
    let lines = notices.iter().rev().flat_map(|notice| {
        let at = span(view, notice.from, notice.to);
        let text = format!("{}; {}", notice.says, evidence(view, &notice.source));
        view.page.paragraph(&format!("    {at}  "), &text)
    });
    let mut lines: Vec<Line> = lines.collect();
    if !lines.is_empty() {
        lines.insert(0, view.page.line("  noticed"));
    }
    lines
}

/// First what makes the answer doubtful, then what explains it, last what
/// merely leaves it open.
fn importance(kind: NoticeKind) -> u8 {
    match kind {
        NoticeKind::Contradiction => 0,
        NoticeKind::Restarted => 1,
        NoticeKind::Recreated => 2,
        NoticeKind::SpecEdited => 3,
        NoticeKind::ScaledByOthers => 4,
        NoticeKind::Applied => 5,
        NoticeKind::ClockJumped => 6,
        NoticeKind::EventsMissing => 7,
        NoticeKind::Gap => 8,
    }
}
