//! What is found where, and how often.

use std::collections::BTreeMap;
use std::thread;

use hpa_explain::trace::{Code, Finding, Trace};

use crate::findings::corpora::{self, Look};
use crate::findings::rules;

/// More findings that break a rule than this are not listed.
const MOST_BROKEN: usize = 20;

/// What was found in one kind of recorded situations.
#[derive(Default)]
pub struct Corpus {
    /// How many passes were looked at.
    pub passes: usize,
    /// In how many of them each code was found.
    pub counts: BTreeMap<Code, usize>,
    /// The first finding of each code, with the name of its pass.
    pub examples: BTreeMap<Code, (String, Finding)>,
    broken: Vec<String>,
}

/// What was found in all.
pub struct Survey {
    /// The reported cases, the recorded clusters, the timelines and the
    /// single answers of the real controller.
    pub corpora: [Corpus; 4],
    /// What breaks a rule that every finding keeps.
    pub broken: Vec<String>,
}

impl Survey {
    /// Looks at everything that was recorded.
    pub fn of_all() -> Self {
        let mut corpora = [
            Corpus::of(vec![Box::new(corpora::cases)]),
            Corpus::of(vec![Box::new(corpora::recordings)]),
            Corpus::of(parts(corpora::timeline_versions(), corpora::timelines)),
            Corpus::of(parts(corpora::answer_versions(), corpora::answers)),
        ];
        let broken = corpora
            .iter_mut()
            .flat_map(|corpus| corpus.broken.drain(..));
        Self {
            broken: broken.collect(),
            corpora,
        }
    }

    /// Every code that was found.
    pub fn found(&self) -> impl Iterator<Item = Code> {
        self.corpora
            .iter()
            .flat_map(|corpus| corpus.counts.keys().copied())
    }

    /// The first finding of a code, and the pass that it is of.
    pub fn example(&self, code: Code) -> Option<&(String, Finding)> {
        self.corpora
            .iter()
            .find_map(|corpus| corpus.examples.get(&code))
    }
}

type Part<'a> = Box<dyn Fn(Look) + Send + 'a>;

/// Both halves of each version, so that two processors have enough to do.
fn parts<'a>(
    versions: impl Iterator<Item = &'static str>,
    run: impl Fn(&str, usize, usize, Look) + Copy + Send + 'a,
) -> Vec<Part<'a>> {
    const PARTS: usize = 2;
    versions
        .flat_map(|version| (0..PARTS).map(move |part| (version, part)))
        .map(|(version, part)| -> Part<'a> {
            Box::new(move |look| run(version, part, PARTS, look))
        })
        .collect()
}

impl Corpus {
    /// Runs the parts side by side and puts them together in their order.
    fn of(parts: Vec<Part<'_>>) -> Self {
        let parts: Vec<Self> = thread::scope(|scope| {
            let handles = parts
                .into_iter()
                .map(|part| scope.spawn(move || Self::of_part(&part)));
            let handles: Vec<_> = handles.collect();
            let joined = handles.into_iter().map(thread::ScopedJoinHandle::join);
            joined.map(|part| part.expect("no pass panics")).collect()
        });
        parts.into_iter().fold(Self::default(), Self::join)
    }

    fn of_part(part: &Part<'_>) -> Self {
        let mut corpus = Self::default();
        part(&mut |name, trace| corpus.look(name, trace));
        corpus
    }

    fn look(&mut self, name: &str, trace: &Trace) {
        self.passes += 1;
        let mut seen: Vec<Code> = trace.findings.iter().map(|finding| finding.code).collect();
        seen.dedup();
        for code in seen {
            *self.counts.entry(code).or_default() += 1;
        }
        for finding in &trace.findings {
            let example = || (name.to_owned(), finding.clone());
            self.examples.entry(finding.code).or_insert_with(example);
        }
        if self.broken.len() < MOST_BROKEN {
            let broken = rules::broken(trace).into_iter();
            self.broken
                .extend(broken.map(|what| format!("{name}: {what}")));
        }
    }

    fn join(mut self, other: Self) -> Self {
        self.passes += other.passes;
        for (code, count) in other.counts {
            *self.counts.entry(code).or_default() += count;
        }
        for (code, example) in other.examples {
            self.examples.entry(code).or_insert(example);
        }
        self.broken.extend(other.broken);
        self
    }
}
