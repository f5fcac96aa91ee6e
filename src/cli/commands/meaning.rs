//! What the code of a finding or the id of a rule means, without a cluster.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, Write};
use std::process::{Command, ExitCode, Stdio};

use clap::Args;
use serde::Deserialize;

use super::demo;
use crate::api::{ConditionKind, ConditionReason, SUCCESSFUL_RESCALE, Words};
use crate::cli::{failure::Failure, terminal::Terminal};
use crate::controller::{Overrides, Settings};
use crate::document::nearest;
use crate::history::Observer;
use crate::render::{TextOptions, lint_rules, wrapped};
use crate::trace::{Code, PassStep, Rule, Stage, Trace};
use crate::what_if::{self, steps};

/// An example of each code and rule; a test writes them.
const RECORDED: &str = include_str!("../../../docs/findings.json");

/// What is said in an example, and what helps there.
#[derive(Deserialize)]
struct Example {
    message: String,
    remedy: Option<ExampleRemedy>,
}

/// As it was written: of its command, the text alone.
#[derive(Deserialize)]
struct ExampleRemedy {
    says: String,
    command: Option<String>,
    patch: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain explain                 all codes, one line each
  kubectl hpa-explain explain policy-limits   what a finding means, and what helps
  kubectl hpa-explain explain web -n shop     any other word is the name of an HPA";

#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub struct Meaning {
    /// The code of a finding, such as policy-limits, or the id of a rule; without one,
    /// all are listed
    pub code: Option<String>,
}

/// Each code and rule: its kind, its name, and what it means.
pub fn all() -> impl Iterator<Item = [&'static str; 3]> {
    let codes = Code::ALL
        .iter()
        .map(|it| ["Findings", it.as_str(), it.says()]);
    let lint = lint_rules().map(|(id, says)| ["Lint, errors", id, says]);
    let rules = Rule::ALL
        .iter()
        .map(|it| ["Rules of a pass", it.id(), it.says()]);
    codes.chain(lint).chain(rules)
}

/// The code or the rule that was probably meant.
pub fn nearest_code(word: &str) -> Option<&'static str> {
    let all: Vec<&str> = all().map(|[_, code, _]| code).collect();
    nearest(word, &all)
}

/// Whether there is such a code or rule, or the controller has such a word. Names of HPAs have no capital letters.
pub fn is_known(word: &str) -> bool {
    all().any(|[_, code, _]| code.eq_ignore_ascii_case(word)) || of_status(word).is_some()
}

/// A word that the controller writes into a status or an event, and what it is.
fn of_status(word: &str) -> Option<(&'static str, &'static str)> {
    let reasons = ConditionReason::ALL.iter();
    let reasons = reasons.map(|it| (it.as_str(), "the reason of a condition"));
    let kinds = ConditionKind::ALL.iter();
    let kinds = kinds.map(|it| (it.as_str(), "a condition"));
    let events = [SUCCESSFUL_RESCALE, "FailedRescale"];
    let events = events.map(|it| (it, "the reason of an event"));
    let mut all = reasons.chain(kinds).chain(events);
    all.find(|(own, _)| own.eq_ignore_ascii_case(word))
}

/// Shows what it means, in a pager on a terminal.
/// Errors: there is no such code; the output cannot be written.
pub fn run(meaning: &Meaning, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    let Some(word) = &meaning.code else {
        return shown(&list(&terminal.text), terminal);
    };
    let word = &word.to_lowercase();
    let options = &terminal.text;
    let code = Code::ALL.iter().find(|it| it.as_str() == word);
    let rule = Rule::ALL.iter().find(|it| it.id() == word);
    let page = code.map(|it| of_code(*it, options));
    let page = page.or_else(|| Some(of_rule(*rule?, options)));
    let page = page.or_else(|| Some(of_lint(all().find(|it| it[1] == word)?, options)));
    let page = page.ok_or_else(|| {
        let suggestion = nearest_code(word).map(|it| format!("did you mean {it}? "));
        let (message, way) = match of_status(word) {
            Some((word, what)) => (
                format!("{word} is {what}, not a finding"),
                "`kubectl hpa-explain NAME` explains why an HPA has it",
            ),
            None => (
                format!("no finding and no rule is called `{word}`"),
                "`kubectl hpa-explain explain` lists all",
            ),
        };
        Failure::error(message, suggestion.unwrap_or_default() + way)
    })?;
    let page = format!("{page}\nIf an HPA has this name: kubectl hpa-explain hpa/{word}\n");
    shown(&page, terminal)
}

fn shown(page: &str, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    if !terminal.interactive || paged(page).is_err() {
        terminal.out().write_all(page.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Each code and rule with what it says: beside it, on a narrow page behind a colon.
fn list(options: &TextOptions) -> String {
    let mut page = wrapped(
        "",
        "kubectl hpa-explain explain CODE tells more of each.",
        options,
    );
    let mut all: Vec<_> = all().collect();
    all.sort_unstable();
    for kind in all.chunk_by(|[one, ..], [other, ..]| one == other) {
        page.extend(["\n", kind[0][0], "\n"]);
        for [_, code, says] in kind {
            page += &match options.width {
                ..60 => wrapped("  ", &format!("{code}: {says}"), options),
                _ => wrapped(&format!("  {code:32}"), says, options),
            };
        }
    }
    page
}

/// What it means, when it is found and what helps, with each built-in case that shows it.
fn of_code(code: Code, options: &TextOptions) -> String {
    let (name, severity, role) = (code.as_str(), code.severity(), code.role());
    let name = format!("{name} (a {role}, severity up to {severity})");
    let (when, helps) = (code.when(), code.helps());
    let when = format!("When: {when}");
    let helps = format!("What helps: {helps}");
    let mut page = paragraphs(&[&name, code.says(), &when, &helps], options);
    let found = in_cases(|trace| trace.findings.iter().find(|it| it.code == code).cloned());
    let mut found = found.peekable();
    if found.peek().is_none() {
        page += &recorded(code.as_str(), options);
    }
    for (case, finding) in found {
        page.extend(["\nkubectl hpa-explain demo ", case, "\n"]);
        page += &wrapped("  ", &finding.message, options);
        for remedy in finding.remedies {
            page += &wrapped("  ", &remedy.says, options);
            page.extend(remedy.command.map(|it| format!("  {it}\n")));
        }
    }
    page
}

/// The example of a code or a rule, and what helps there; nothing where it has none.
fn recorded(code: &str, options: &TextOptions) -> String {
    let examples = serde_json::from_str::<BTreeMap<String, Example>>(RECORDED);
    let Some(example) = examples.unwrap_or_default().remove(code) else {
        return String::new();
    };
    let mut page = "\nAn example\n".to_owned();
    page += &wrapped("  ", &example.message, options);
    if let Some(remedy) = example.remedy {
        page += &wrapped("  ", &remedy.says, options);
        // Neither is broken into lines.
        let pasted = remedy.command.or(remedy.patch).unwrap_or_default();
        page.extend(pasted.lines().map(|it| format!("  {it}\n")));
    }
    page
}

/// What a rule says and where it stands, with built-in cases in which it decides.
fn of_rule(rule: Rule, options: &TextOptions) -> String {
    let (id, source) = (rule.id(), rule.source());
    let name = format!("{id} (a rule of a pass, from {source})");
    let says = format!("It says: {}.", rule.says());
    let when = "When: A step of a pass follows it. With -v, a page names the rule of each step.";
    let helps = format!("What helps: {}", rule.helps());
    let mut page = paragraphs(&[&name, &says, when, &helps], options);
    // Of pods that all count, there is nothing to show.
    let is_shown = |it: &PassStep| it.stage != Stage::Pods || it.rule != Rule::PodReady;
    let explains = |it: &PassStep| it.rule == rule && is_shown(it) && !it.formula.is_empty();
    let mut cases = in_cases(|trace| steps(trace).into_iter().find(explains)).peekable();
    if cases.peek().is_none() {
        page += &recorded(id, options);
    }
    for (case, step) in cases.take(2) {
        page.extend(["\nkubectl hpa-explain demo ", case, " -v\n"]);
        page += &wrapped("  ", &step.formula, options);
    }
    page
}

/// What a rule of `lint` means that is no finding.
fn of_lint([_, id, says]: [&str; 3], options: &TextOptions) -> String {
    let name = format!("{id} (a rule of lint, an error)");
    let helps = "What helps: Fix the place that lint names; lint says there what is wrong.";
    paragraphs(&[&name, says, helps], options) + &recorded(id, options)
}

fn paragraphs(texts: &[&str], options: &TextOptions) -> String {
    let all = texts.iter().map(|text| wrapped("", text, options));
    all.collect::<Vec<_>>().join("\n")
}

/// What is looked for in the pass of each built-in case, where it is there.
fn in_cases<T>(
    find: impl Fn(&Trace) -> Option<T> + Copy,
) -> impl Iterator<Item = (&'static str, T)> {
    demo::cases().filter_map(move |(case, _)| {
        let found = demo::snapshots(case).iter().find_map(|snapshot| {
            let settings = Settings::resolve(snapshot, &Overrides::default());
            let (at, observer) = (snapshot.captured_at, Observer::default());
            find(&what_if::explain(snapshot, &settings, at, &observer))
        });
        Some((case, found?))
    })
}

/// Shows a page in the pager that the user has set, or in less.
fn paged(page: &str) -> io::Result<()> {
    let pager = env::var("PAGER").unwrap_or_else(|_| "less -FRX".to_owned());
    let mut words = pager.split_whitespace();
    let program = words.next().ok_or(io::ErrorKind::NotFound)?;
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // Whoever has seen enough closes it.
        _ = input.write_all(page.as_bytes());
    }
    child.wait().map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::{TextOptions, all, recorded};

    #[test]
    fn the_examples_are_read() {
        let shown = all().filter(|it| !recorded(it[1], &TextOptions::default()).is_empty());
        assert_eq!((shown.count(), all().count()), (154, 154));
    }
}
