//! No module reads what another one wrote for people. Who looks into a text
//! for words looks into a foreign one, and is named here with whose it is.

use std::collections::BTreeSet;

use super::sources;
use super::tokens::{Kind, Token, tokens};

/// The functions that look into texts, below what these texts are.
const FOREIGN: &str = "
# What people type, or write into manifests and selectors.
api/field_selector.rs split_term
api/selector/mod.rs may_meet,at_word,split_token,requirements,requirement,at_requirement,list,identifiers
cli/commands/completion/answer/sources.rs candidates
cli/commands/demo.rs nearest
cli/commands/lint/mod.rs read
cli/commands/simulate/load/mod.rs parse
cli/commands/simulate/load/parts.rs parse,steps
cli/commands/simulate/workload.rs burst
cli/commands/tune/price.rs parse
cli/intended.rs lists,fields_to_set
cli/jq.rs own,same_as,expressions,filter
cli/past/reading.rs parse,of_page
cli/pieces.rs is_address
cli/select.rs is_hpa,kind_of
document/manifest/assign.rs from_str,steps_of_pointer
document/snapshot/redact.rs image,word
document/texts.rs document_texts,is_template,json_texts,is_blank
# What clap has of it, or writes: arguments, help, completions.
cli/args.rs example,needed
cli/commands/completion/answer/mod.rs new
cli/commands/completion/mod.rs print,is_ours
# The environment: the pager, the locale, the time zone.
cli/commands/meaning.rs paged
cli/terminal.rs zone
cli/waiting.rs is_ascii
# How a file begins, and its lines.
cli/commands/watch/record.rs check
cli/destination.rs begins
cli/kind.rs is_log,is_load,of
cli/past/kept.rs read
document/bytes.rs of
document/snapshot/record/read.rs next
# Notations: of quantities, durations, versions, numbers, tables, and formats of Go.
api/duration.rs typed,from_str,decimal
api/quantity/text.rs parse,split_digits
collect/cluster.rs read_managers,set,words
controller/go.rs print_directive
controller/release.rs parse
document/node.rs whole
history/check.rs amount
simulate/load/series.rs read_csv,is_heading,row
# Names: of kinds, resources, objects, fields, flags, field managers, metrics and series.
api/names.rs is_huge_page
api/workload.rs writer
document/manifest/read.rs flattened,is_misspelt
document/manifest/validate.rs problems,segment
document/snapshot/owners.rs by_template_hash
findings/following.rs blocking
findings/lint/fields.rs is_about_metrics
history/scrapes/mod.rs take
render/text/basis.rs setting
simulate/compare.rs is_called
what_if/room/mod.rs quantity
what_if/room/quota.rs allowed,is_of_claims
# URLs, and what a proxy is told by.
cli/connection_error.rs host,host_name
collect/connect/kubeconfig.rs in_cluster,is_plain,with_scheme
collect/connect/proxy.rs parse,holds,split_port,proxy_for,has_host_and_port,user
# Words of servers and of libraries: that something is refused, missing or of another type. A
# file keeps the text of a failure and not its kind: `of_text` also knows how ours begins to
# tell the right that is missing.
api/answer.rs of_text,not_found
collect/connect/unreachable.rs fault,of_certificate,bare,of_layers
collect/request/collect_error.rs is_by_admission,quoted_body,first,quoted
collect/request/paths.rs unexpected,refused,page
document/snapshot/words.rs requested
document/typed.rs typed,without_place,invalid_type
# The controller's log.
history/controller_log/clock.rs go_time
history/controller_log/line.rs parse,header,pairs,unquoted,split
history/controller_log/mod.rs names
history/controller_log/statement.rs reported,old_pass,old_rescale,old_unchanged
# Events and messages of controllers.
collect/autoscaler/neighbours.rs reported
history/observer.rs note_rescales
history/recall/moves.rs target_events_hide_until,reported_rescales
history/recall/rescales.rs size,why,read,bare
history/recall/sizes.rs scaled,is_apply
render/text/remembered/mod.rs evidence
trace/outcome.rs parse,metric,without_selector
# No words, but how a text is laid out: broken at its blanks, cut at a colon so that the reason
# in it stays, without its full stop, with the marks of Markdown, as another format has it.
findings/words.rs line
render/documents.rs plain
render/html.rs marked
render/markdown.rs inline
render/sarif.rs uri
render/text/page.rs reason,is_in_braces
render/text/page.rs wrap
render/text/verdict/undecided.rs quoted
trace/amount.rs short
trace/command.rs and,quoted,is_misread
";

const METHODS: [&str; 24] = [
    "starts_with",
    "ends_with",
    "contains",
    "find",
    "rfind",
    "match_indices",
    "split",
    "splitn",
    "rsplit",
    "split_once",
    "rsplit_once",
    "strip_prefix",
    "strip_suffix",
    "replace",
    "replacen",
    "trim_start_matches",
    "trim_end_matches",
    "matches",
    "trim_matches",
    "split_inclusive",
    "rsplitn",
    "rmatches",
    "rmatch_indices",
    "split_terminator",
];

/// Those that take a text apart whatever they are given.
const TAKE_APART: [&str; 2] = ["split_whitespace", "split_ascii_whitespace"];

/// What picks a line out of all. To do the same to every line is to lay them out.
const PICK: [&str; 12] = [
    "next",
    "last",
    "nth",
    "skip",
    "skip_while",
    "take_while",
    "filter",
    "find",
    "find_map",
    "any",
    "all",
    "position",
];

/// Those that look at an end, where a dot is a full stop.
const AT_END: [&str; 4] = [
    "ends_with",
    "strip_suffix",
    "trim_end_matches",
    "trim_matches",
];

/// Those that only texts have: what they are given may be a variable. That of
/// the others may be one of a list, or a closure.
const OF_TEXTS: [&str; 12] = [
    "starts_with",
    "ends_with",
    "split_once",
    "rsplit_once",
    "strip_prefix",
    "strip_suffix",
    "splitn",
    "match_indices",
    "trim_start_matches",
    "trim_end_matches",
    "rsplitn",
    "rmatch_indices",
];

/// The functions of a source, its tests aside, that look into a text, each with its
/// lines: for words and signs that are in the source, for a constant, or for what
/// is put together there.
///
/// Signs that no sentence has are not words: a name, a path, an address or a
/// number is taken apart at them. To put another text in the place of a sign is to
/// write, not to read. Lists have some methods of texts: what these are given may
/// be a variable only where the function says that it has a text.
fn looked_into(source: &str) -> Vec<(String, usize)> {
    let tokens = without_tests(tokens(source));
    let mut function = String::new();
    let mut texts = BTreeSet::new();
    let mut looks = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let (before, rest) = (&tokens[..at], &tokens[at + 1..]);
        let is_text = || receiver(before).is_some_and(|it| texts.contains(it));
        match rest.first().and_then(Token::word) {
            Some(name) if token.word() == Some("fn") => {
                name.clone_into(&mut function);
                texts.clear();
            }
            _ if token.is('.') && looks_at(rest, is_text()) || is_compared(&tokens, at) => {
                looks.push((function.clone(), token.line));
            }
            _ => texts.extend(token.word().filter(|_| is_typed_as_text(rest))),
        }
    }
    looks
}

/// The variable of which a method is called: no field, and no result.
fn receiver(before: &[Token]) -> Option<&str> {
    let (last, before) = before.split_last()?;
    let is_field = before.last().is_some_and(|it| it.is('.'));
    last.word().filter(|_| !is_field)
}

/// Whether the type of a text follows: `: &str` or `: String`.
fn is_typed_as_text(rest: &[Token]) -> bool {
    let mut rest = rest.iter();
    let is_typed = rest.next().is_some_and(|it| it.is(':'));
    let mut kind = rest.skip_while(|it| it.is('&') || it.word() == Some("mut"));
    let kind = kind.next().and_then(Token::word);
    is_typed && kind.is_some_and(|it| ["str", "String"].contains(&it))
}

/// The same without what is compiled for tests alone: up to the end of its block,
/// or of its statement.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let mut own = Vec::new();
    let mut rest = tokens.into_iter();
    while let Some(token) = rest.next() {
        let ahead: Vec<_> = rest.as_slice().iter().take(6).collect();
        let is_test = token.is('#')
            && matches!(ahead.as_slice(), [a, b, c, d, ..]
                if a.is('[') && b.word() == Some("cfg") && c.is('(') && d.word() == Some("test"));
        if !is_test {
            own.push(token);
            continue;
        }
        let mut depth = 0_usize;
        for token in rest.by_ref() {
            match token.kind {
                Kind::Mark('{') => depth += 1,
                Kind::Mark('}') if depth == 1 => break,
                Kind::Mark('}') => depth -= 1,
                Kind::Mark(';') if depth == 0 => break,
                _ => {}
            }
        }
    }
    own
}

/// Whether a text is compared with words here: by `==` or `!=`, or by an arm of a
/// `match`.
fn is_compared(tokens: &[Token], at: usize) -> bool {
    let Kind::Text(text) = &tokens[at].kind else {
        return false;
    };
    let is = |at: Option<usize>, mark| {
        at.and_then(|at| tokens.get(at))
            .is_some_and(|it| it.is(mark))
    };
    let before = at.checked_sub(1);
    let first = at.checked_sub(2);
    let follows = is(before, '=') && (is(first, '=') || is(first, '!'));
    let (next, second) = (Some(at + 1), Some(at + 2));
    let leads =
        (is(next, '=') || is(next, '!')) && is(second, '=') || is(next, '=') && is(second, '>');
    (follows || leads) && !is_name(text)
}

/// Whether it is a name of Kubernetes, of a field or of a notation, and no words for
/// people: a name has no blank, and begins with a letter or as a flag does.
fn is_name(text: &str) -> bool {
    let is_of_names = |it: char| it.is_ascii_alphanumeric() || "._-/".contains(it);
    let begins = |it: char| it.is_ascii_alphabetic() || it == '-';
    let mut signs = text.chars();
    signs.all(|it| NO_WORDS.contains(it) && !it.is_ascii_digit())
        || text.len() > 1 && text.starts_with(begins) && text.chars().all(is_of_names)
}

/// Whether a call begins here that looks for words, perhaps of what is known to be
/// a text.
fn looks_at(call: &[Token], is_text: bool) -> bool {
    let [method, open, rest @ ..] = call else {
        return false;
    };
    let is_method = |all: &[&str]| method.word().is_some_and(|it| all.contains(&it));
    if is_method(&["lines"]) {
        let picks = |it: &Token| it.word().is_some_and(|it| PICK.contains(&it));
        return matches!(rest, [end, dot, pick, ..] if end.is(')') && dot.is('.') && picks(pick));
    }
    if open.is('(') && (is_method(&TAKE_APART) || is_text && is_method(&["split_at"])) {
        return true;
    }
    if !open.is('(') || !is_method(&METHODS) {
        return false;
    }
    let rest = rest.iter().skip_while(|it| it.is('&') || it.is('['));
    let mut wanted = rest.take_while(|it| !it.is(']') && !it.is(')'));
    let is_at_end = is_method(&AT_END);
    let is_word = |it: &Token| match &it.kind {
        Kind::Text(text) | Kind::Sign(text) => {
            let text = text.replace("\\n", "");
            let mut signs = text.chars();
            !signs.all(|it| NO_WORDS.contains(it) && !(is_at_end && it == '.'))
        }
        _ => false,
    };
    let replaces = is_method(&["replace", "replacen"]);
    let Some(first) = wanted.next() else {
        return false;
    };
    match &first.kind {
        Kind::Sign(_) if replaces => false,
        Kind::Text(_) if replaces => is_word(first),
        Kind::Text(_) | Kind::Sign(_) => is_word(first) || wanted.any(is_word),
        Kind::Word(word) => {
            let is_class = ["move", "char"].contains(&word.as_str());
            let is_of_text = is_text || is_method(&OF_TEXTS);
            is_constant(word) || word == "format" || is_of_text && !is_class
        }
        _ => false,
    }
}

/// What names, paths, addresses and numbers are put together with, and no
/// sentence is. At the end of a text a dot is a full stop.
const NO_WORDS: &str = "/\\=[]{}<>@#$%&*+-_~|.0";

fn is_constant(word: &str) -> bool {
    let mut letters = word.chars();
    word.len() > 1 && letters.all(|it| it.is_ascii_uppercase() || it == '_')
}

#[test]
fn no_module_reads_what_another_one_wrote() {
    let rows = FOREIGN.trim().lines().filter(|row| !row.starts_with('#'));
    let rows = rows.flat_map(|row| {
        let mut words = row.split_whitespace();
        let (file, functions) = (words.next(), words.next());
        let functions = functions.expect("functions").split(',');
        functions.map(move |it| (file.expect("a file"), it))
    });
    let mut unused: BTreeSet<(&str, &str)> = rows.collect();
    let allowed = unused.clone();
    let mut broken = Vec::new();
    for (file, source) in sources() {
        let own = file.trim_start_matches("src/");
        if file.ends_with("tests.rs") {
            continue;
        }
        for (function, line) in looked_into(&source) {
            let look = (own, function.as_str());
            unused.retain(|it| *it != look);
            if !allowed.contains(&look) {
                broken.push(format!("{file}:{line} {function}"));
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
    assert!(
        unused.is_empty(),
        "no look into a text any more: {unused:?}"
    );
}

#[test]
fn a_look_into_a_text_is_found() {
    let rows = [
        ("fn f(t: &str) { t.starts_with(\"the \"); }", 1),
        ("fn f(t: &str) {\n t.split_once(\": \") }", 1),
        ("fn f(t: &str) { t.find(\"the \"); }", 1),
        ("fn f(t: &str) { t.starts_with(THE); }", 1),
        ("fn f(t: &str) { ALL.iter().any(|it| t.contains(it)); }", 1),
        ("fn f(t: &mut String, own: &str) { t.find(own) }", 1),
        ("fn f() { all.any(|it: &'a str| it.contains(own)); }", 1),
        ("fn f(t: &T, own: &str) { t.own.contains(other) }", 0),
        (
            "fn g(t: &str) {} fn f(t: &BTreeSet<&str>) { t.contains(own) }",
            0,
        ),
        ("fn f(t: &str) { t.split_whitespace() }", 1),
        ("fn f(t: &T) { t.text.lines().nth(1) }", 1),
        ("fn f(t: &str) { t.lines().map(escape) }", 0),
        ("fn f(t: &T) { t.lines(page).next() }", 0),
        ("fn f(t: &str, at: usize) { t.split_at(at) }", 1),
        ("fn f(t: &[&str], at: usize) { t.split_at(at) }", 0),
        ("fn f(t: &[Part]) { t.contains(&PART); }", 1),
        ("fn f(t: &str) { t.contains('x') }", 1),
        ("fn f(t: &str) { t.contains('/') }", 0),
        ("fn f(t: &str) { t.contains('?') }", 1),
        ("fn f(t: &str) { t.split('.') }", 0),
        ("fn f(t: &str) { t.trim_end_matches('.') }", 1),
        ("fn f(t: &str) { t.contains([':', '/']) }", 1),
        ("fn f(t: &str) { t.contains(\"://\") }", 1),
        ("fn f(t: &str) { t.replace(':', \"to\") }", 0),
        ("fn f(t: &str) { t.replace(\"to\", \":\") }", 1),
        ("fn f(t: &str) { t.split([',', ';']) }", 1),
        ("fn f(t: &str) { t.find(&['a', 'b']) }", 1),
        ("fn f(t: &str) { t.contains(&format!(\"{name}:\")) }", 1),
        ("fn f(t: &str, name: &str) { t.strip_prefix(name) }", 1),
        ("fn f(t: &[&str], name: &str) { t.contains(&name) }", 0),
        ("fn f(t: &str) { t.trim_end_matches(|it| it == x) }", 0),
        ("// t.contains(\"xx\")\n", 0),
        ("fn f(t: &str) { t == \"any age\" }", 1),
        ("fn f(t: &str) { \"0s\" != t }", 1),
        ("fn f(t: &str) { match t { \"1\" => 1, \"\" => 0 } }", 1),
        ("fn f(t: &str) { t == \"Deployment\" }", 0),
        (
            "#[cfg(test)]\nmod tests { fn f(t: &str) { t.contains(\"xx\") } }",
            0,
        ),
        (
            "#[cfg(test)]\nuse x;\nfn f(t: &str) { t.contains(\"xx\") }",
            1,
        ),
    ];
    for (source, count) in rows {
        let looks = looked_into(source);
        assert_eq!(looks.len(), count, "{source}");
        assert!(
            looks.iter().all(|(function, _)| function == "f"),
            "{source}"
        );
    }
}
