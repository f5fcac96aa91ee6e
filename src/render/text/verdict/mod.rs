//! The answer in one word and a few sentences.
//!
//! Each way that a pass can end has a function in `decided` or `undecided`; the sentence
//! names the stage that decided, with its numbers.

mod clause;
mod decided;
mod undecided;

use super::failure;
use super::page::Tone;
use super::words::{View, between, capitalized, counted};
use crate::render::block::Prose;
use crate::trace::{Because, CodeKind, Grade, Hold, Rule, ShellCommand, Verdict, Word};
pub(super) use clause::counts_as;
use clause::{counted_but_waiting, partial_failure};

/// The sentences of an answer; the first one goes on behind a colon.
#[derive(Default)]
struct Answer {
    sentences: Vec<Sentence>,
    /// What to do next: a command, and what it is for.
    commands: Vec<ShellCommand>,
}

/// A sentence without its period, as it stands behind a colon.
struct Sentence {
    text: String,
    /// Whether it begins with a name, which nothing may change; a word is capitalized
    /// where it stands alone.
    is_name: bool,
}

impl Sentence {
    fn name(text: String) -> Self {
        let is_name = true;
        Self { text, is_name }
    }

    /// The same, going on behind a semicolon.
    fn and(self, more: Option<String>) -> Self {
        match more {
            Some(more) => self.with(&format!("; {more}")),
            None => self,
        }
    }

    fn with(mut self, more: &str) -> Self {
        self.text += more;
        self
    }
}

impl<T: Into<String>> From<T> for Sentence {
    fn from(words: T) -> Self {
        let (text, is_name) = (words.into(), false);
        Self { text, is_name }
    }
}

impl Answer {
    fn of(sentence: impl Into<Sentence>) -> Self {
        Self::default().say(sentence)
    }

    fn say(mut self, sentence: impl Into<Sentence>) -> Self {
        let sentence = sentence.into();
        if !sentence.text.is_empty() {
            self.sentences.push(sentence);
        }
        self
    }

    fn then(mut self, command: ShellCommand) -> Self {
        self.commands.push(command);
        self
    }

    /// The sentences behind what they begin with.
    fn paragraph(&self, tone: Tone, headline: &str) -> Prose {
        let mut text = String::new();
        for (index, sentence) in self.sentences.iter().enumerate() {
            text.push_str(if index == 0 { ": " } else { " " });
            if index == 0 || sentence.is_name {
                text.push_str(&sentence.text);
            } else {
                text.push_str(&capitalized(&sentence.text));
            }
            text.push('.');
        }
        Prose::begun((tone, headline), &text)
    }
}

/// The answer in a paragraph, with what a fallback that waits would make of
/// it, and the commands that go with it. What was found to be the reason comes
/// first.
pub(super) fn answer(view: View) -> (Prose, Vec<ShellCommand>) {
    let headline = headline(view, &view.trace.verdict);
    let mut answer = sentences(view).say(failure::countdown(view).unwrap_or_default());
    if let Some(lead) = view.trace.lead() {
        let lead = Sentence::from(view.page.clean(&lead.message));
        answer.sentences.insert(0, lead);
    }
    let begins = format!("{}{}", headline.word, headline.near);
    (answer.paragraph(headline.tone, &begins), answer.commands)
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
        return Answer::of("the controller stops before the metrics");
    };
    let recommended = recommendation.replicas.unwrap_or_default();
    let answer = match (verdict.word, &verdict.because) {
        (Word::Failing, None) => return undecided::all_failed(view, recommendation),
        (Word::Failing, Some(_)) => return undecided::blocked(view, recommendation),
        (Word::Decided | Word::Unknown, _) => return undecided::unreadable(view, recommendation),
        (_, Some(Because::PodsWithoutNumbers { .. })) => {
            return decided::stuck(view).unwrap_or_default();
        }
        (_, Some(Because::Memory { .. })) => undecided::remembered(view, recommended),
        (Word::ScalingUp | Word::ScalingDown, because) => {
            decided::changed(view, recommended, because.as_ref())
        }
        _ => decided::kept(view, recommended),
    };
    let answer = answer.say(partial_failure(view));
    match counted_but_waiting(view) {
        Some((pod, text)) => answer.say(text).then(view.trace.look_at_pod(pod)),
        None => answer,
    }
}

/// A verdict in a few words, such as `Held by the scaleDown window`.
pub(in crate::render) struct Headline {
    pub(in crate::render) tone: Tone,
    /// The word itself.
    word: &'static str,
    /// What belongs to it.
    near: String,
    /// What a page has a sentence for.
    far: String,
}

impl Headline {
    pub(in crate::render) fn text(&self) -> String {
        format!("{}{}{}", self.word, self.near, self.far)
    }
}

pub(in crate::render) fn headline(view: View, verdict: &Verdict) -> Headline {
    let (near, far) = match &verdict.because {
        Some(because) => rest(view, verdict, because),
        None => <(String, String)>::default(),
    };
    let word = match verdict.word {
        _ if verdict.is_open() => "Undecided",
        word => self::word(word),
    };
    let tone = match verdict.grade() {
        Grade::Good => Tone::Good,
        Grade::Open => Tone::Plain,
        Grade::Warning => Tone::Warn,
        Grade::Error => Tone::Bad,
    };
    Headline {
        tone,
        word,
        near,
        far,
    }
}

pub(super) const fn word(word: Word) -> &'static str {
    match word {
        Word::ScalingUp => "Scaling up",
        Word::ScalingDown => "Scaling down",
        Word::Steady => "Steady",
        Word::Unchanged => "Unchanged",
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

/// What follows the word: what belongs to it, and what a page has a sentence
/// for.
fn rest(view: View, verdict: &Verdict, because: &Because) -> (String, String) {
    let near = |text: &str| (text.to_owned(), String::new());
    let far = |text: &str| (String::new(), text.to_owned());
    match because {
        Because::LastPass { at_max } => {
            let at_max = at_max.map_or_else(String::new, |max| format!(", at maxReplicas {max}"));
            match verdict.word {
                Word::Unknown => near(&at_max),
                _ => near(&format!(" at the last pass{at_max}")),
            }
        }
        Because::SharedPods => far(": several HPAs select the same pods"),
        Because::NoSelector => far(": the scale has no pod selector"),
        Because::InvalidSelector => far(": the pod selector is invalid"),
        Because::FailedMetric => far(": a failed metric blocks the scale-down"),
        Because::PodsWithoutNumbers {
            pods,
            of,
            will_count,
        } => {
            let verb = match (pods, will_count) {
                (1, false) => "has no usable sample",
                (_, false) => "have no usable sample",
                (1, true) => "does not count yet",
                (_, true) => "do not count yet",
            };
            far(&format!(": {pods} of {} {verb}", counted(*of, "pod")))
        }
        Because::MaxReplicas { short } => far(&format!(": the metrics want {short} more")),
        Because::MinReplicas | Because::OlderRecommendation => far(""),
        Because::Window { .. } => match verdict.direction {
            Some(direction) => {
                let lead = view.trace.lead();
                let is_urgent = lead.is_some_and(|it| it.code.is(CodeKind::Urgent));
                let only = if is_urgent { " only" } else { "" };
                near(&format!("{only} by the {direction} window"))
            }
            None => near(""),
        },
        Because::Policy { .. } => near(" by policy"),
        Because::Disabled => near(" by selectPolicy Disabled"),
        Because::FromZero => near(" from zero"),
        Because::StatusReplicas { .. } => match verdict.word {
            Word::ScalingUp => near(" because of a rollout"),
            _ => near(" to the size in the target's status"),
        },
        Because::Limited { by, .. } => near(limited(*by)),
        Because::WindowOnTheWay { .. } => near(", slowed by the window"),
        Because::WhateverIsUnread => far(", although not everything can be read"),
        Because::Memory { .. } => {
            let range = view.trace.outcome.possible.map(between);
            match (verdict.word, range) {
                (Word::Steady | Word::Unchanged, Some(range)) => {
                    far(&format!(" (controller memory unknown: {range} possible)"))
                }
                (_, Some(range)) => far(&format!(": {range}")),
                (_, None) => far(""),
            }
        }
    }
}

const fn limited(by: Hold) -> &'static str {
    match by {
        Hold::Doubling => ", slowed to twice the size or 4",
        Hold::MaxReplicas => ", to maxReplicas",
        Hold::MinReplicas => ", to minReplicas",
        _ => ", limited by policy",
    }
}
