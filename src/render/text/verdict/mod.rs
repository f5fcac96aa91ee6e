//! The answer in one word and a few sentences.
//!
//! Each way that a pass can end has a function here; the sentence names the
//! stage that decided, with its numbers.

mod clause;
mod decided;
mod undecided;

use crate::render::block::Prose;
use crate::trace::{Alternative, Because, Direction, Hold, Rule, Verdict, Word};

use super::failure;
use super::page::Tone;
use super::words::{View, counted};

use clause::{asks, partial_failure};

/// The sentences of an answer.
#[derive(Default)]
struct Answer {
    sentences: Vec<String>,
    /// What to do next: a command, and what it is for.
    commands: Vec<String>,
}

impl Answer {
    fn of(sentence: impl Into<String>) -> Self {
        Self::default().say(sentence)
    }

    fn say(mut self, sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        if !sentence.is_empty() {
            self.sentences.push(sentence);
        }
        self
    }

    fn then(mut self, command: impl Into<String>) -> Self {
        self.commands.push(command.into());
        self
    }
}

/// The answer in a paragraph, with what a fallback that waits would make of
/// it, and the commands that go with it.
pub(super) fn answer(view: View) -> (Prose, Vec<String>) {
    let answer = sentences(view).say(failure::countdown(view).unwrap_or_default());
    let headline = headline(view, &view.trace.verdict);
    let text = format!("{}. {}", headline.rest(), answer.sentences.join(" "));
    let prose = Prose::begun((headline.tone, headline.word), text.trim_end());
    (prose, answer.commands)
}

fn sentences(view: View) -> Answer {
    let trace = view.trace;
    let scale = trace.scale.as_ref();
    if let Some(scale) = scale.filter(|scale| scale.rule != Rule::ScaleRead) {
        return undecided::no_scale(view, scale);
    }
    let verdict = &trace.verdict;
    match (verdict.word, &verdict.because, &trace.selector) {
        (Word::Paused, ..) => return decided::paused(view),
        (Word::OutOfRange, ..) => return decided::out_of_range(view),
        (
            _,
            Some(Because::SharedPods | Because::NoSelector | Because::InvalidSelector),
            Some(selector),
        ) => return undecided::selector(view, selector),
        _ => {}
    }
    let Some(recommendation) = &trace.recommendation else {
        return Answer::of("The pass did not get to its metrics.");
    };
    let recommended = recommendation.replicas.unwrap_or_default();
    let why = match (verdict.word, &verdict.because) {
        (Word::Failing, None) => return undecided::all_failed(view, recommendation),
        (Word::Failing, Some(_)) => return undecided::blocked(view, recommendation),
        (Word::Decided | Word::Unknown, _) => return undecided::unreadable(view, recommendation),
        (_, Some(Because::PodsWithoutNumbers { .. })) => {
            return decided::stuck(view).unwrap_or_default();
        }
        (_, Some(Because::Memory { .. })) => vec![undecided::remembered(view, recommended)],
        (Word::ScalingUp | Word::ScalingDown, because) => {
            decided::changed(view, recommended, because.as_ref())
        }
        _ => decided::kept(view, recommended),
    };
    let answer = why
        .into_iter()
        .fold(Answer::of(asks(view, recommended)), Answer::say);
    answer.say(partial_failure(view))
}

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
            Some(direction) => format!(" by the {direction} window"),
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
