//! The page about findings: its words, and what was counted.

use std::fmt::Write;

use hpa_explain::trace::{Code, Finding, Remedy, Role};

use crate::findings::survey::Survey;

const INTRO: &str = "\
# Findings

A finding tells you something about an HPA: what is wrong, what looks wrong but
is not, and what helps. Each finding has a stable code, a severity, a role, a
message of one line and its evidence. Where possible it also has a command or a
part of a manifest that helps with this HPA. A finding never says more than the
data shows. Below, each code has an example and the first remedy of that example.

Where a message compares with other inputs (\"without them the metrics ask for
5\"), the same pass was run on these inputs; the number is not an estimate.

## Severity

| severity | meaning |
|---|---|
| `error` | the HPA does not work |
| `warning` | the size is probably wrong, or will be |
| `info` | for information only; nothing has to be done |

The table below shows the highest severity of each code; a single finding can
have a lower one. With `--exit-code`, the exit code is 3 if any finding is a
`warning` or an `error`.

## Role

Findings are listed by role: causes first, which can be changed and would change
the result; then symptoms, which follow from causes; then benign findings, which
look like a problem but are not one. Within a role, the most severe come first.

## As a document

In JSON and YAML, an explanation has its findings in the list `trace.findings`;
`list` has them in `items[].findings`, without evidence and remedies. Both lists
are in the order above.

| field | content |
|---|---|
| `code` | the code |
| `severity` | `error`, `warning` or `info` |
| `role` | `cause`, `symptom` or `benign` |
| `message` | the finding in one line, with names and numbers |
| `evidence[].about` | an object such as `Pod/web-1`, or a field |
| `evidence[].says` | the fact |
| `remedies[].says` | what to do, or what the command or patch does |
| `remedies[].command` | a command, ready for a shell |
| `remedies[].patch` | a part of a manifest, as YAML |

A code never changes its meaning. New codes can appear; the release notes name
codes that are removed.
";

const COUNTED: &str = "\
## All codes

The table shows how often each code was found in the recordings of the tests: in
the cases that people reported, in ten HPAs of a real cluster in eight
situations, at every step of timelines of the real controller, in its single
answers to inputs that were made to reach every rule, and in inputs and manifests
that were made to show one finding each. The last three do not represent clusters
in use.
";

/// The whole page.
pub fn page(survey: &Survey) -> String {
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
            page.push_str(&entry(code, survey));
        }
    }
    page
}

/// Every code, in the order of the findings.
fn codes() -> impl Iterator<Item = Code> {
    let mut codes = Code::ALL.to_vec();
    codes.sort_by_key(|code| Finding::new(*code, "").rank());
    codes.into_iter()
}

fn counts(survey: &Survey) -> String {
    let mut table =
        "| code | severity | role | reported | cluster | timelines | answers | made |\n\
                     |---|---|---|--:|--:|--:|--:|--:|\n"
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
            code.severity(),
            code.role(),
            counts.join(" | ")
        );
    }
    table
}

fn entry(code: Code, survey: &Survey) -> String {
    let (when, helps_often) = (code.when(), code.helps());
    let mut entry = format!(
        "\n### {code}\n\n{}\n\n- When: {when}\n- What helps: {helps_often}\n",
        code.says()
    );
    let example = survey.example(code.as_str()).expect("an example");
    let by = if example.severity == code.severity() {
        String::new()
    } else {
        format!(", here {}", example.severity)
    };
    let (message, place) = (escaped(&example.message), &example.place);
    _ = write!(entry, "\n> {message}\n\n({place}{by})\n");
    if let Some(remedy) = &example.remedy {
        _ = write!(entry, "\nRemedy: {}\n", helps(remedy));
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
