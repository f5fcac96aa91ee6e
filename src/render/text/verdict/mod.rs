//! The answer in one word and a few sentences.
//!
//! Each way that a pass can end has a function here, in the order in which
//! the pass can end; the sentence names the stage that decided, with its
//! numbers.

mod broken;
mod change;
mod clause;
mod hold;
mod open;

pub(super) use clause::{proposed, window};

use crate::trace::Rule;

use super::check::is_blind;
use super::fallback;
use super::page::{Line, Tone};
use super::words::View;

/// The answer.
pub(super) struct Verdict {
    tone: Tone,
    /// The verdict word.
    word: &'static str,
    /// What follows the word up to the full stop, such as `, slowed by policy`.
    rest: String,
    sentences: Vec<String>,
    /// What to do next: a command, and what it is for.
    pub(super) commands: Vec<String>,
}

impl Verdict {
    fn new(tone: Tone, word: &'static str) -> Self {
        Self {
            tone,
            word,
            rest: String::new(),
            sentences: Vec::new(),
            commands: Vec::new(),
        }
    }

    fn because(mut self, rest: impl Into<String>) -> Self {
        self.rest = rest.into();
        self
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

    /// The word and what belongs to it, such as `Scaling up, slowed by policy`.
    pub(super) fn headline(&self) -> (Tone, String) {
        (self.tone, format!("{}{}", self.word, self.rest))
    }

    /// Renders the word and the sentences.
    pub(super) fn lines(&self, view: View) -> Vec<Line> {
        let text = format!("{}{}. {}", self.word, self.rest, self.sentences.join(" "));
        let mut lines = view.page.paragraph("", text.trim_end());
        if let Some(first) = lines.first_mut()
            && let Some(rest) = first.rest.1.strip_prefix(self.word)
        {
            first.rest.1 = rest.to_owned();
            first.head = (self.tone, self.word.to_owned());
        }
        lines
    }
}

/// Finds the answer, and what a fallback that waits would make of it.
pub(super) fn verdict(view: View) -> Verdict {
    let verdict = answer(view);
    verdict.say(fallback::countdown(view).unwrap_or_default())
}

fn answer(view: View) -> Verdict {
    let trace = view.trace;
    if let Some(scale) = trace
        .scale
        .as_ref()
        .filter(|scale| scale.rule != Rule::ScaleRead)
    {
        let verdict = broken::no_scale(view, scale);
        return if is_blind(view) {
            open::by_status(view, verdict)
        } else {
            verdict
        };
    }
    match trace.branch.as_ref().map(|branch| branch.rule) {
        Some(Rule::BranchDisabled) => return hold::paused(view),
        Some(Rule::BranchAboveMax) => return change::above_max(view),
        Some(Rule::BranchBelowMin) => return change::below_min(view),
        _ => {}
    }
    if let Some(selector) = trace
        .selector
        .as_ref()
        .filter(|selector| selector.error.is_some())
    {
        return broken::selector(view, selector);
    }
    let Some(recommendation) = &trace.recommendation else {
        return Verdict::new(Tone::Warn, "Unknown").say("The pass did not get to its metrics.");
    };
    match recommendation.rule {
        Rule::RecommendationNone => return broken::all_failed(view, recommendation),
        Rule::RecommendationBlocked => return broken::blocked(view, recommendation),
        Rule::RecommendationUnreadable => return open::unreadable(view, recommendation),
        _ => {}
    }
    let asked = recommendation.replicas.unwrap_or_default();
    match trace.outcome.desired_replicas {
        None => open::remembered(view, asked),
        Some(desired) if desired == view.current() => hold::kept(view, asked),
        Some(desired) => change::changed(view, asked, desired),
    }
}
