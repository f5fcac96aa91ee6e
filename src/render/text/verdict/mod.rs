//! The answer in one word and a few sentences.
//!
//! Each way that a pass can end has a function here; the sentence names the
//! stage that decided, with its numbers.

mod broken;
mod change;
mod clause;
mod headline;
mod hold;
mod open;

pub(super) use clause::{proposed, window};
pub(in crate::render) use headline::{Headline, headline};

use crate::render::block::Prose;
use crate::trace::{Because, Rule, Word};

use super::fallback;
use super::words::View;

/// The sentences of an answer.
#[derive(Default)]
struct Answer {
    sentences: Vec<String>,
    /// What to do next: a command, and what it is for.
    commands: Vec<String>,
}

impl Answer {
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
    let answer = sentences(view).say(fallback::countdown(view).unwrap_or_default());
    let headline = headline(view, &view.trace.verdict);
    let text = format!("{}. {}", headline.rest(), answer.sentences.join(" "));
    let prose = Prose::begun((headline.tone, headline.word), text.trim_end());
    (prose, answer.commands)
}

fn sentences(view: View) -> Answer {
    let trace = view.trace;
    let scale = trace.scale.as_ref();
    if let Some(scale) = scale.filter(|scale| scale.rule != Rule::ScaleRead) {
        return broken::no_scale(view, scale);
    }
    let verdict = &trace.verdict;
    match (verdict.word, &verdict.because, &trace.selector) {
        (Word::Paused, ..) => return hold::paused(view),
        (Word::OutOfRange, ..) => return change::out_of_range(view),
        (
            _,
            Some(Because::SharedPods | Because::NoSelector | Because::InvalidSelector),
            Some(selector),
        ) => return broken::selector(view, selector),
        _ => {}
    }
    let Some(recommendation) = &trace.recommendation else {
        return Answer::default().say("The pass did not get to its metrics.");
    };
    let asked = recommendation.replicas.unwrap_or_default();
    match (verdict.word, &verdict.because) {
        (Word::Failing, None) => broken::all_failed(view, recommendation),
        (Word::Failing, Some(_)) => broken::blocked(view, recommendation),
        (Word::Decided | Word::Unknown, _) => open::unreadable(view, recommendation),
        (_, Some(Because::Memory { .. })) => open::remembered(view, asked),
        (Word::ScalingUp | Word::ScalingDown, because) => {
            change::changed(view, asked, because.as_ref())
        }
        _ => hold::kept(view, asked),
    }
}
