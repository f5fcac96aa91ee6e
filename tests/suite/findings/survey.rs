//! What is found where, and how often.

use std::collections::BTreeMap;
use std::thread;

use hpa_explain::trace::{Code, Finding, Remedy, Rule, Severity, Stage, Trace};
use hpa_explain::what_if::steps;
use serde::Serialize;

use crate::findings::corpora::{self, Look, Looked};
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
    /// What is first said by each code, by each rule of a pass, and by each of
    /// `lint`.
    pub examples: BTreeMap<&'static str, Example>,
    broken: Vec<String>,
}

/// What is said somewhere, and what helps there.
#[derive(Clone, Serialize)]
pub struct Example {
    /// The pass or the file.
    #[serde(skip)]
    pub place: String,
    /// How much it matters there.
    #[serde(skip)]
    pub severity: Severity,
    pub message: String,
    pub remedy: Option<Remedy>,
}

/// What was found in all.
pub struct Survey {
    /// The reported cases, the recorded clusters, the timelines and the
    /// single answers of the real controller, and what was made.
    pub corpora: [Corpus; 5],
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
            Corpus::of(vec![Box::new(corpora::made)]),
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

    /// The first example of a code or a rule.
    pub fn example(&self, id: &str) -> Option<&Example> {
        self.corpora
            .iter()
            .find_map(|corpus| corpus.examples.get(id))
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
        part(&mut |name, looked| corpus.look(name, &looked));
        corpus
    }

    fn look(&mut self, name: &str, looked: &Looked) {
        self.passes += 1;
        let broken = match looked {
            Looked::Pass(trace) => {
                self.find(name, trace.findings.iter());
                for (rule, formula) in followed(trace) {
                    self.example(rule.id(), name, Severity::Info, &formula, None);
                }
                rules::broken(&trace.findings)
            }
            Looked::Manifest(review) => {
                let findings = review.findings.iter().map(|it| &it.finding);
                self.find(name, findings.clone());
                if let Some(problem) = review.problems.first() {
                    self.example("refused", name, Severity::Error, &problem.message, None);
                }
                findings.flat_map(rules::of_finding).collect()
            }
            Looked::NoManifest(it) => {
                let remedy = it.remedy.as_ref();
                self.example("unreadable", name, Severity::Error, &it.error, remedy);
                Vec::new()
            }
        };
        if self.broken.len() < MOST_BROKEN {
            let broken = broken.into_iter();
            self.broken
                .extend(broken.map(|what| format!("{name}: {what}")));
        }
    }

    fn find<'a>(&mut self, name: &str, findings: impl Iterator<Item = &'a Finding> + Clone) {
        let mut seen: Vec<Code> = findings.clone().map(|finding| finding.code).collect();
        seen.dedup();
        for code in seen {
            *self.counts.entry(code).or_default() += 1;
        }
        for it in findings {
            let remedy = it.remedies.first();
            self.example(it.code.as_str(), name, it.severity, &it.message, remedy);
        }
    }

    fn example(
        &mut self,
        id: &'static str,
        place: &str,
        severity: Severity,
        message: &str,
        remedy: Option<&Remedy>,
    ) {
        self.examples.entry(id).or_insert_with(|| Example {
            place: place.to_owned(),
            severity,
            message: message.to_owned(),
            remedy: remedy.cloned(),
        });
    }

    fn join(mut self, other: Self) -> Self {
        self.passes += other.passes;
        for (code, count) in other.counts {
            *self.counts.entry(code).or_default() += count;
        }
        for (id, example) in other.examples {
            self.examples.entry(id).or_insert(example);
        }
        self.broken.extend(other.broken);
        self
    }
}

/// Each rule that a pass follows, with what it comes to there.
fn followed(trace: &Trace) -> Vec<(Rule, String)> {
    let of_steps = steps(trace).into_iter();
    let of_steps = of_steps.filter(|it| it.stage != Stage::Pods);
    let of_steps = of_steps.map(|it| match it.replicas {
        Some(size) if it.formula.is_empty() => (it.rule, format!("size {}", size.to)),
        _ => (it.rule, it.formula),
    });
    let mut all: Vec<(Rule, String)> = of_steps.collect();
    for metric in &trace.metrics {
        let pods = metric.pods.iter();
        all.extend(pods.map(|it| (it.rule, format!("{}, phase {}", it.name, it.phase))));
        let measured = metric.measured.as_ref().map(|it| (it.rule, &it.formula));
        let fallback = metric.fallback.as_ref().map(|it| (it.rule, &it.formula));
        let filled = metric.filled_in.iter().flat_map(|all| {
            let fills = [all.missing, all.unready].into_iter().flatten();
            fills.map(|it| (it.rule, &all.measured.formula))
        });
        let others = measured.into_iter().chain(fallback).chain(filled);
        all.extend(others.map(|(rule, formula)| (rule, formula.clone())));
    }
    all.retain(|(_, formula)| !formula.is_empty());
    all
}
