//! No module reads what another one wrote for people. Who looks into a text
//! for words looks into a foreign one, and is named here with whose it is.

use super::sources;
use super::tokens::{Kind, Token, tokens};

/// Files and folders that look into texts, and whose texts these are.
const FOREIGN: &str = "
cli/commands/completion/         what is typed, and what clap generates
cli/commands/list/compare.rs     names of flags
cli/terminal.rs         the locale's name
cli/connection_error.rs a URL of a kubeconfig
collect/                flags, URLs and answers of servers, words of client-go and rustls
controller/prepared/    names of resources, words of the API server
controller/release.rs   a version's number
diagnose/findings/managers.rs     names of field managers
diagnose/findings/metrics_apis.rs messages and reasons of the controller's conditions
diagnose/findings/target.rs       words of the API server
diagnose/flaps/mechanisms/another_writer.rs reasons in the controller's events
diagnose/lint/          paths of fields
document/               what people write
history/controller_log/ the controller's log
history/recall/         events of controllers, names of field managers
manifest/               what people write, and paths of fields
render/block.rs         paths of fields
render/documents.rs     descriptions that are doc comments
render/markdown.rs      addresses that GitHub makes links of
render/text/basis.rs    names of the controller's flags
render/text/dry_run/changed.rs    paths of fields
api/answer.rs           the reasons of files, which hold them as texts only
api/field_selector.rs   what people write
api/selector/           what people write
snapshot/words.rs       words of serde, which knows errors as texts only
trace/amount.rs         names of resources
trace/command.rs        a command's flags
";

const METHODS: [&str; 15] = [
    "starts_with",
    "ends_with",
    "contains",
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
];

/// The lines on which a source, its tests aside, looks into a text for words.
fn looked_into(source: &str) -> Vec<usize> {
    let own = source.split("#[cfg(test)]").next().unwrap_or_default();
    let tokens = tokens(own);
    let calls = tokens.windows(4).filter(|call| {
        let [
            dot,
            method,
            open,
            Token {
                kind: Kind::Text(text),
                ..
            },
        ] = call
        else {
            return false;
        };
        let is_method = method.word().is_some_and(|it| METHODS.contains(&it));
        dot.is('.') && is_method && open.is('(') && text.len() > 1
    });
    calls.map(|call| call[1].line).collect()
}

#[test]
fn no_module_reads_what_another_one_wrote() {
    let rows: Vec<&str> = FOREIGN.trim().lines().collect();
    let allowed = rows
        .iter()
        .map(|row| row.split_whitespace().next().expect("a path"));
    let allowed: Vec<&str> = allowed.collect();
    let mut used = vec![false; allowed.len()];
    let mut broken = Vec::new();
    for (file, source) in sources() {
        let lines = looked_into(&source);
        let Some(first) = lines.first().filter(|_| !file.ends_with("tests.rs")) else {
            continue;
        };
        let own = file.trim_start_matches("src/");
        match allowed.iter().position(|path| own.starts_with(path)) {
            Some(place) => used[place] = true,
            None => broken.push(format!("{file}:{first}")),
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
    let unused = allowed.iter().zip(used).filter(|(_, used)| !used);
    let unused: Vec<&str> = unused.map(|(path, _)| *path).collect();
    assert_eq!(unused, [""; 0], "nothing there looks into a text any more");
}

#[test]
fn a_look_into_a_text_is_found() {
    let rows = [
        ("fn f(t: &str) { t.starts_with(\"the \"); }", 1),
        ("fn f(t: &str) {\n t.split_once(\": \") }", 1),
        ("fn f(t: &str) { t.contains('x') }", 0),
        ("// t.contains(\"xx\")\n", 0),
        (
            "#[cfg(test)]\nmod tests { fn f(t: &str) { t.contains(\"xx\") } }",
            0,
        ),
    ];
    for (source, count) in rows {
        assert_eq!(looked_into(source).len(), count, "{source}");
    }
}
