//! The verdict in a few words.

use crate::render::text::page::Tone;
use crate::render::text::words::{View, counted};
use crate::trace::{Alternative, Because, Direction, Hold, Verdict, Word};

/// A verdict in a few words, such as `Held by the scaleDown window: down not
/// before 12:03:00`.
pub(in crate::render) struct Headline {
    pub(in crate::render) tone: Tone,
    /// The word itself.
    pub(super) word: &'static str,
    /// What follows it up to the first comma or colon.
    near: String,
    /// The rest.
    far: String,
}

impl Headline {
    /// Its words up to the first comma or colon.
    pub(in crate::render) fn short(&self) -> String {
        format!("{}{}", self.word, self.near)
    }

    /// What follows the word.
    pub(super) fn rest(&self) -> String {
        format!("{}{}", self.near, self.far)
    }

    /// All of it.
    pub(in crate::render) fn text(&self) -> String {
        format!("{}{}", self.word, self.rest())
    }
}

/// The headline of a verdict.
pub(in crate::render) fn headline(view: View, verdict: &Verdict) -> Headline {
    let (near, far) = match &verdict.because {
        Some(because) => rest(view, verdict, because),
        None => <(String, String)>::default(),
    };
    Headline {
        tone: tone(verdict),
        word: word(verdict.word),
        near,
        far,
    }
}

const fn word(word: Word) -> &'static str {
    match word {
        Word::ScalingUp => "Scaling up",
        Word::ScalingDown => "Scaling down",
        Word::Steady => "Steady",
        Word::Held => "Held",
        Word::Stuck => "Stuck",
        Word::AtMax => "At max",
        Word::AtMin => "At min",
        Word::OutOfRange => "Out of range",
        Word::Paused => "Paused",
        Word::Failing => "Failing",
        Word::Decided => "Decided",
        Word::Unknown => "Unknown",
    }
}

fn tone(verdict: &Verdict) -> Tone {
    match (verdict.word, &verdict.because) {
        (Word::ScalingUp | Word::ScalingDown, Some(Because::Memory { or, .. }))
            if or.is_empty() =>
        {
            Tone::Good
        }
        (_, Some(Because::Memory { .. })) => Tone::Plain,
        (_, Some(Because::OlderRecommendation)) => Tone::Warn,
        (Word::Failing, _) => Tone::Bad,
        (Word::ScalingUp | Word::ScalingDown | Word::Steady | Word::AtMin | Word::Decided, _) => {
            Tone::Good
        }
        _ => Tone::Warn,
    }
}

/// What follows the word: up to the first comma or colon, and from there on.
fn rest(view: View, verdict: &Verdict, because: &Because) -> (String, String) {
    let near = |text: String| (text, String::new());
    let far = |text: String| (String::new(), text);
    match because {
        Because::LastPass { at_max } => {
            let at_max = at_max.map_or_else(String::new, |max| format!(", at maxReplicas {max}"));
            match verdict.word {
                Word::Unknown => far(at_max),
                _ => (" at the last pass".to_owned(), at_max),
            }
        }
        Because::SharedPods => far(", several HPAs on the same pods".to_owned()),
        Because::NoSelector => far(", no pod selector".to_owned()),
        Because::InvalidSelector => far(", unusable pod selector".to_owned()),
        Because::FailedMetric => far(", so held".to_owned()),
        Because::PodsWithoutNumbers {
            pods,
            of,
            will_count,
        } => {
            let what = match (will_count, pods) {
                (true, 1) => "does not count yet",
                (true, _) => "do not count yet",
                (false, 1) => "gives no number that counts",
                (false, _) => "give no number that counts",
            };
            far(format!(": {pods} of {} {what}", counted(*of, "pod")))
        }
        Because::MaxReplicas { short } => far(format!(", {short} short")),
        Because::MinReplicas => far(", nothing is wrong".to_owned()),
        Because::Window => near(match verdict.direction {
            Some(direction) => format!(" by the {} window", direction.behavior()),
            None => String::new(),
        }),
        Because::Policy => near(" by policy".to_owned()),
        Because::Disabled => near(" by selectPolicy Disabled".to_owned()),
        Because::FromZero => near(" from zero".to_owned()),
        Because::OlderRecommendation => far(", raised by an older recommendation".to_owned()),
        Because::StatusReplicas { running, wanted } => {
            far(status_replicas(verdict, *running, *wanted))
        }
        Because::Limited { by } => far(limited(*by).to_owned()),
        Because::WindowOnTheWay => far(", held back by the window".to_owned()),
        Because::WhateverIsUnread => far(", though not everything can be read".to_owned()),
        Because::Memory { or, .. } => {
            let (mut near, far) = match (verdict.word, or.as_slice()) {
                (Word::Steady, _) | (_, []) => Default::default(),
                (_, [other]) => near(format!(" or {}", alternative(*other))),
                (_, [one, other, ..]) => far(format!(
                    ", {} or {}",
                    alternative(*one),
                    alternative(*other)
                )),
            };
            let when = when(view, verdict, because);
            if far.is_empty() {
                return (std::mem::take(&mut near), when);
            }
            (near, far + &when)
        }
    }
}

const fn alternative(alternative: Alternative) -> &'static str {
    match alternative {
        Alternative::Up => "up",
        Alternative::Held => "held",
        Alternative::Down => "down",
    }
}

const fn limited(by: Hold) -> &'static str {
    match by {
        Hold::Doubling => ", slowed to twice the size",
        Hold::MaxReplicas => ", to maxReplicas",
        Hold::MinReplicas => ", to minReplicas",
        _ => ", slowed by policy",
    }
}

fn status_replicas(verdict: &Verdict, running: i32, wanted: i32) -> String {
    let how = match verdict.word {
        Word::ScalingUp => ", by a rollout",
        _ => "",
    };
    let (run, are) = match running {
        1 => ("pod runs", "is"),
        _ => ("pods run", "are"),
    };
    format!(
        "{how}: {running} {run} for {wanted} wanted, and inside the tolerance the {running} {are} kept"
    )
}

/// When the size goes where the metrics ask for, as far as it can be told.
fn when(view: View, verdict: &Verdict, because: &Because) -> String {
    let Because::Memory {
        or,
        earliest,
        latest,
    } = because
    else {
        return String::new();
    };
    let way = match (verdict.word, verdict.direction) {
        (Word::ScalingUp | Word::ScalingDown, _)
            if or.is_empty() && view.trace.outcome.possible.is_some() =>
        {
            return ", by how much is unknown".to_owned();
        }
        (_, None) => return ", unless raised".to_owned(),
        (_, Some(Direction::Up)) => "up",
        (_, Some(Direction::Down)) => "down",
    };
    match (earliest, latest) {
        (Some(earliest), Some(latest)) => format!(
            ": {way} not before {}, by {} at the latest",
            view.time(*earliest),
            view.time(*latest)
        ),
        (None, Some(latest)) => format!(": {way} by {} at the latest", view.time(*latest)),
        _ => String::new(),
    }
}
