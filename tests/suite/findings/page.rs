//! The page about findings: its words, and what was counted.

use std::fmt::Write;

use hpa_explain::trace::{Code, Finding, Remedy, Role};

use crate::findings::survey::Survey;

const INTRO: &str = "\
# Findings

A finding is something that somebody should know about an HPA: what is wrong,
what looks wrong and is not, and what helps. Each has a stable code, a
severity, a role, a message of one line, the evidence that it rests on, and
where there is one, a command or a part of a manifest that helps with just
this HPA. Nothing is found that the data does not show. Below, each code has a
recorded example, and what helps in it first.

A finding whose premise needs other inputs (\"without this, 5\") has run the
same pass on those inputs; it is never a formula of its own.

## Severity

| severity | means |
|---|---|
| `error` | the HPA does not do its work |
| `warning` | the size is probably not what somebody wants, or will not be |
| `info` | good to know; nothing has to be done |

The severity in the table below is the one that a code has at worst; where a
single case matters less, it says so. `--exit-code` makes the exit code 3
where anything is found that is a `warning` or worse.

## Role

Causes are told first: something that can be changed, and would change the
answer. Then come symptoms, what causes lead to; then what is benign, which
looks like a problem and is none. Among findings of one role, what matters
most comes first.

## As a document

In JSON and YAML an explanation holds them in the list `trace.findings`, and
`list` holds them in `items[].findings`, without evidence and remedies; both in
this order:

| field | holds |
|---|---|
| `code` | the code |
| `severity` | `error`, `warning` or `info` |
| `role` | `cause`, `symptom` or `benign` |
| `message` | it in a line, with names and numbers |
| `evidence[].about` | an object such as `Pod/web-1`, or a field |
| `evidence[].says` | what is the case |
| `remedies[].says` | what helps, or what the command or patch does |
| `remedies[].command` | a command, ready for a shell |
| `remedies[].patch` | a part of a manifest, as YAML |

A code keeps its meaning. New codes can come; one that is gone is named in the
release's notes.
";

const COUNTED: &str = "\
## All codes

How often each was found in what is recorded for the tests: in the runs of
cases that people reported, in ten HPAs of a real cluster in eight situations,
at every step of timelines of the real controller, and in its single answers to
inputs that were made to meet every rule. The last two are no picture of
clusters in use.
";

/// The whole page.
pub fn page(survey: &Survey, elsewhere: &[(Code, &str)]) -> String {
    let mut page = String::new();
    page.push_str(INTRO);
    page.push('\n');
    page.push_str(COUNTED);
    page.push('\n');
    page.push_str(&counts(survey));
    for role in [Role::Cause, Role::Symptom, Role::Benign] {
        let title = match role {
            Role::Cause => "Causes",
            Role::Symptom => "Symptoms",
            Role::Benign => "Benign",
        };
        _ = write!(page, "\n## {title}\n");
        for code in codes().filter(|code| code.role() == role) {
            page.push_str(&entry(code, survey, elsewhere));
        }
    }
    page
}

/// Every code, in the order in which they are told.
fn codes() -> impl Iterator<Item = Code> {
    let mut codes = Code::ALL.to_vec();
    codes.sort_by_key(|code| Finding::new(*code, "").rank());
    codes.into_iter()
}

fn counts(survey: &Survey) -> String {
    let mut table = "| code | severity | role | reported | cluster | timelines | answers |\n\
                     |---|---|---|--:|--:|--:|--:|\n"
        .to_owned();
    let passes = survey
        .corpora
        .each_ref()
        .map(|corpus| corpus.passes.to_string());
    _ = writeln!(table, "| *passes* | | | {} |", passes.join(" | "));
    for code in codes() {
        let counts = survey.corpora.each_ref().map(|corpus| {
            let count = corpus.counts.get(&code).copied().unwrap_or_default();
            count.to_string()
        });
        _ = writeln!(
            table,
            "| [`{code}`](#{code}) | {} | {} | {} |",
            code.severity().as_str(),
            code.role().as_str(),
            counts.join(" | ")
        );
    }
    table
}

fn entry(code: Code, survey: &Survey, elsewhere: &[(Code, &str)]) -> String {
    let mut entry = format!("\n### {code}\n\n{}\n", code.says());
    if let Some((pass, finding)) = survey.example(code) {
        _ = write!(entry, "\n> {}\n", escaped(&finding.message));
        let by = if finding.severity == code.severity() {
            String::new()
        } else {
            format!(", here only {}", finding.severity.as_str())
        };
        _ = write!(entry, "\n({pass}{by})\n");
        if let Some(remedy) = finding.remedies.first() {
            _ = write!(entry, "\nhelps: {}\n", helps(remedy));
        }
    } else if let Some((_, test)) = elsewhere.iter().find(|(other, _)| *other == code) {
        _ = write!(
            entry,
            "\nNot in what is recorded; see `{test}` in the tests.\n"
        );
    }
    entry
}

/// What helps, with its command or its part of a manifest.
fn helps(remedy: &Remedy) -> String {
    let says = escaped(&remedy.says);
    match (&remedy.command, &remedy.patch) {
        (Some(command), _) => format!("{says}: `{command}`"),
        (None, Some(patch)) => format!("{says}:\n\n```yaml\n{}\n```", patch.trim_end()),
        (None, None) => says,
    }
}

/// A message inside Markdown.
fn escaped(message: &str) -> String {
    let mut text = String::new();
    for character in message.chars() {
        if matches!(character, '*' | '_' | '`' | '<' | '|' | '\\' | '[') {
            text.push('\\');
        }
        text.push(character);
    }
    text
}
