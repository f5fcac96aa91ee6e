//! Every sentence that the tool can print, in one place: the templates of the
//! source, each with an example from the texts that the other tests hold, and
//! the help. They are written to `target/tmp/sentences.txt`, to be read and to
//! be given to a spell checker, and keep the rules below.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::tokens::{Kind, Token, tokens};
use super::{root, sources};

/// Words that only their authors understood, each with what to say.
const AVOIDED: &str = "
so the answer is            so it stays at
no number that counts       has no usable sample
known from                  source
nothing tells               no evidence
nobody recorded             unrecorded
does not get to the         stops before the
the most of all             the highest
nothing held back           no older recommendation holds it back
held or not                 makes no difference here
can make no difference      makes no difference here
remembered: all known       controller memory: fully known
rests at                    settles at
no change for now           no change until
mended                      fixed
mend the                    fix the
like the others do          like the others
which nothing limits        no policy limits
inputs are newer            the inputs changed after
what is remembered          the controller's memory
that nobody saw             unseen
it is {} next               next size: 5 to 10
past the target             below the target, above the target
unless raised               (memory unknown: ... possible)
has the lines               (patch: -v)
-v tells                    (details: -v)
in place of                 instead of
Not to be told              cannot tell
is told of                  is on record
turned round                reversed
turns round                 reverses
looks the same by           sizes alone cannot rule out
suggested by what stands    inferred, not simulated
roll-out                    rollout
 wanted                     desired
Gained                      New findings
flags seen                  controller flags: read
not visible                 unreadable
merely                      only
somebody                    someone
 is no                      is not a
 are no                     are not
give no number              have no usable sample
gives no number             has no usable sample
on their own they say       They would ask for
allows no change            blocks any change until
not limited: window         no limit applied (window
had a sample like           reported like the others
leads up to                 could raise it to
lead up to                  could raise it to
held or up                  Undecided
held or down                Undecided
What serves                 the API by its name
has no answer for           returns no
are told of                 are on record
turn round                  reverse
way and back                average cycle
nothing that could be read  its name could not be read
names him                   its name could not be read
of the inputs tells         record the inputs with `watch --record`
what stands above           inferred, not simulated
} short                     the metrics want {} more than maxReplicas
Lost                        Resolved findings
not seen                    assumed defaults (unreadable)
flag seen                   controller flags: read
flag, seen                  controller flags: read
its flags seen              controller flags: ... read, others default
all known                   fully known
anybody                     anyone
everybody                   everyone
, too                       also
";

/// Templates that keep a rule's words: verdicts, and an identifier in a doc.
const KEPT: &str = "
The id of a rule of the controller.
helm template . | kubectl hpa-explain lint -f -
";

/// A sentence has one of these, or a word that ends as a verb does.
const VERBS: &str = "is are was were has have had does do did can cannot may might must will would \
    should need needs let lets give gives take takes keep keeps count counts ask asks set sets use \
    uses show shows read reads say says see change changes hold holds allow allows stay stays make \
    makes run runs apply applies match matches exist exists fail fails try find finds go goes come \
    comes get gets want wants put puts add adds leave leaves mean means know knows print prints \
    write writes name names close closes follow follows start starts stop stops work works look \
    looks serve serves speak speaks block blocks become becomes tell tells told bring brings answer \
    answers check checks mention mentions stand stands scale scales vary varies cross crosses \
    overwrite overwrites belong belongs beat beats found select selects update updates";

/// The texts of a source, its tests aside: those that are words.
fn templates(source: &str) -> Vec<String> {
    let own = source.split("#[cfg(test)]").next().unwrap_or_default();
    let tokens = tokens(own);
    let mut texts = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_attribute(&tokens[at..]) {
            let end = at + attribute(&tokens[at..]);
            texts.extend(error_text(&tokens[at..end]));
            at = end;
            continue;
        }
        if let Kind::Text(text) = &tokens[at].kind {
            let is_reason = at > 1 && tokens[at - 2].word() == Some("expect");
            texts.extend((!is_reason).then(|| joined(text)));
        }
        at += 1;
    }
    texts.retain(|text| is_words(text));
    texts
}

fn is_attribute(tokens: &[Token]) -> bool {
    matches!(tokens, [hash, next, ..] if hash.is('#') && (next.is('[') || next.is('!')))
}

/// What an error says, as `thiserror` takes it.
fn error_text(attribute: &[Token]) -> Option<String> {
    let [_, _, name, _, first, ..] = attribute else {
        return None;
    };
    match (&name.word(), &first.kind) {
        (Some("error"), Kind::Text(text)) => Some(joined(text)),
        _ => None,
    }
}

/// How many tokens an attribute has. Help is written in attributes as well, and
/// is read as it is printed.
fn attribute(tokens: &[Token]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        if token.is('[') {
            depth += 1;
        } else if token.is(']') {
            depth -= 1;
            if depth == 0 {
                return at + 1;
            }
        }
    }
    tokens.len()
}

/// A text without the breaks that only its source has.
fn joined(text: &str) -> String {
    let mut lines = text.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| text + line.trim_start())
}

/// Two words at least, and none of a format.
fn is_words(text: &str) -> bool {
    let words = text.split(' ').filter(|word| {
        let letters = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        letters.len() > 1 && letters.chars().all(char::is_alphabetic)
    });
    words.count() > 1 && !text.contains("\":")
}

/// All texts that the tests hold, each as one line; of their sources, what stands
/// in quotes.
fn corpus() -> Vec<String> {
    let mut folders = vec![root().join("tests"), root().join("docs")];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let end = path.extension().and_then(|end| end.to_str());
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = match end {
                Some("txt" | "md" | "yaml") => fs::read_to_string(&path).unwrap_or_default(),
                Some("rs") => quoted(&fs::read_to_string(&path).unwrap_or_default()),
                _ => continue,
            };
            texts.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    texts.sort();
    texts
}

/// What stands in quotes, each on a line.
fn quoted(source: &str) -> String {
    let tokens = tokens(source).into_iter();
    let texts = tokens.filter_map(|token| match token.kind {
        Kind::Text(text) => Some(joined(&text).replace("\\\"", "\"")),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What a template comes to in one of the texts: from the beginning of a word
/// on, and three words at least, so that no part of another sentence passes.
fn example<'t>(template: &str, corpus: &'t [String]) -> Option<&'t str> {
    const LONGEST: usize = 300;
    const LEAST: usize = 3;
    let fixed = |part: &'_ str| {
        part.split_once('}')
            .map_or(part, |(_, rest)| rest)
            .to_owned()
    };
    let parts: Vec<String> = template.split('{').map(fixed).collect();
    let parts: Vec<&str> = parts
        .iter()
        .map(|part| part.trim())
        .filter(|it| !it.is_empty())
        .collect();
    let first = parts.first()?;
    let from = |rest: &'t str| {
        let mut ends = (LONGEST..rest.len()).filter(|end| rest.is_char_boundary(*end));
        let rest = &rest[..ends.next().unwrap_or(rest.len())];
        let mut end = 0;
        for part in &parts {
            end += rest[end..].find(part)? + part.len();
        }
        let example = &rest[..end];
        let is_long = example.split_whitespace().count() >= LEAST;
        let is_whole = !rest[end..].starts_with(char::is_alphanumeric);
        (is_long && is_whole).then_some(example)
    };
    corpus.iter().find_map(|text| {
        let starts = text
            .match_indices(first)
            .map(|(start, _)| text.split_at(start));
        let mut begun = starts.filter(|(before, _)| !before.ends_with(char::is_alphanumeric));
        begun.find_map(|(_, rest)| from(rest))
    })
}

/// Whether a source is of tests alone: nobody reads what it has.
fn is_of_tests(file: &str) -> bool {
    file.ends_with("tests.rs") || file.contains("/tests/")
}

/// The help of every command.
fn help() -> Vec<String> {
    let commands = [
        "",
        "list",
        "lint",
        "dry-run",
        "simulate",
        "flaps",
        "tune",
        "watch",
        "record",
        "capture",
        "explain",
        "rbac",
        "demo",
        "completion",
        "version",
    ];
    let texts = commands.map(|command| {
        let mut process = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"));
        let words = command.split_whitespace().chain(["--help"]);
        let output = process
            .args(words)
            .env_clear()
            .output()
            .expect("the binary runs");
        String::from_utf8(output.stdout).expect("text")
    });
    texts
        .iter()
        .flat_map(|text| text.lines().map(|line| line.trim().to_owned()))
        .collect()
}

fn breaks(text: &str) -> Vec<String> {
    let mut broken = Vec::new();
    for row in AVOIDED.lines().filter(|row| !row.is_empty()) {
        let (avoided, better) = row.split_at(28);
        let avoided = avoided.trim_end();
        let is_letter = |letter: char| letter.is_alphanumeric();
        let is_whole = |at: usize| {
            let rest = &text[at + avoided.len()..];
            let is_inside = text[..at].ends_with(is_letter) && avoided.starts_with(is_letter);
            !rest.starts_with(is_letter) && !is_inside && !rest.starts_with(" longer")
        };
        if text.match_indices(avoided).any(|(at, _)| is_whole(at)) {
            broken.push(format!("{:?}: say {better:?}", avoided.trim()));
        }
    }
    for sentence in text.split_inclusive(". ").map(str::trim_end) {
        // What stands in place of a mark may be the verb.
        let is_open = sentence.contains(['{', '\n', '#', '|'])
            || sentence.ends_with("...")
            || !sentence.contains(char::is_alphabetic);
        if sentence.ends_with('.') && !is_open && !has_verb(sentence) {
            broken.push("a sentence without a verb".to_owned());
        }
    }
    broken
}

fn has_verb(sentence: &str) -> bool {
    let mut words = sentence.split(|letter: char| !letter.is_alphabetic());
    words.any(|word| {
        let word = word.to_lowercase();
        VERBS.split_whitespace().any(|verb| verb == word) || word.ends_with("ed")
    })
}

#[test]
fn every_sentence_is_plain() {
    let corpus = corpus();
    let mut dump = String::new();
    let mut broken = Vec::new();
    let (mut count, mut shown) = (0, 0);
    let kept: Vec<&str> = KEPT.lines().collect();
    let sources = sources().into_iter();
    for (file, source) in sources.filter(|(file, _)| !is_of_tests(file)) {
        for template in templates(&source) {
            count += 1;
            writeln!(dump, "{file}: {template}").expect("a line");
            if let Some(example) = example(&template, &corpus) {
                shown += 1;
                writeln!(dump, "    {example}").expect("a line");
            }
            if !kept.contains(&template.as_str()) {
                broken.extend(
                    breaks(&template)
                        .iter()
                        .map(|why| format!("{file}: {template}\n  {why}")),
                );
            }
        }
    }
    let help = help();
    for line in &help {
        writeln!(dump, "help: {line}").expect("a line");
        // A line of help is a part of a sentence: its verb may be elsewhere.
        let faults = breaks(line)
            .into_iter()
            .filter(|why| why != "a sentence without a verb");
        broken.extend(faults.map(|why| format!("help: {line}\n  {why}")));
    }
    let path: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sentences.txt");
    fs::write(&path, dump).expect("writable");
    assert!(
        broken.is_empty(),
        "{} faults:\n{}",
        broken.len(),
        broken.join("\n")
    );
    assert!(
        count > 1_500 && shown > 1_400 && help.len() > 400,
        "{count} {shown} {}",
        help.len()
    );
}

#[test]
fn what_breaks_a_rule_is_found() {
    assert_eq!(breaks("2 reversals instead of 5"), [""; 0]);
    assert_eq!(breaks("X in place of Y").len(), 1);
    assert_eq!(breaks("{} is no Kubernetes version").len(), 1);
    assert_eq!(breaks("is not read"), [""; 0]);
    assert_eq!(breaks("Only the bounds."), ["a sentence without a verb"]);
    assert_eq!(breaks("At max, {} short").len(), 1);
    assert_eq!(breaks("4 of its flags seen").len(), 2);
    assert_eq!(
        templates(
            "#[doc = \"not this one\"] fn f() { g(\"one \\\n   text\"); x.expect(\"not this\") }"
        ),
        ["one text"]
    );
}

#[test]
fn an_example_begins_with_a_word_and_has_three() {
    let corpus = ["It lets 4 pods go. Then 12 pods go, at once.".to_owned()];
    let of = |template| example(template, &corpus);
    assert_eq!(of("{} pods go, at once."), Some("pods go, at once."));
    assert_eq!(of("s 4 pods {}."), None);
    assert_eq!(of("Then {} pods go"), Some("Then 12 pods go"));
    assert_eq!(of("pods go"), None);
    assert_eq!(of("of another {}"), None);
    assert!(is_of_tests("src/api/quantity/tests.rs") && is_of_tests("src/api/tests/x.rs"));
    assert!(!is_of_tests("src/api/quantity.rs"));
}
