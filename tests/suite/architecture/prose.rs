//! No module reads what another one wrote for people. Who looks into a text
//! for words looks into a foreign one, and is named here with whose it is.

use super::sources;
use super::tokens::{Kind, tokens};

/// The files that look into texts, and whose texts these are.
const FOREIGN: &str = "
api/answer.rs                                  reasons of documents, whoever wrote them
api/field_selector.rs                          what people write
api/selector/parse.rs                          what people write
cli/commands/completion/mod.rs                 what clap generates
cli/commands/list/compare.rs                   names of flags
cli/commands/watch/record.rs                   the first line of a record in a file
cli/destination.rs                             how a file begins
cli/jq.rs                                      what is typed
cli/kind.rs                                    how a file begins
cli/meant.rs                                   what is typed
cli/select.rs                                  what is typed
cli/connection_error.rs                        a URL of a kubeconfig
cli/terminal.rs                                the locale's name
collect/cluster.rs                             a version's suffix
collect/connect/kubeconfig.rs                  URLs
collect/connect/no_proxy.rs                    addresses
collect/connect/proxy.rs                       URLs
collect/connect/unreachable.rs                 words of rustls
collect/controller_flags.rs                    the controller's flags
collect/request/collect_error.rs               words of the API server
collect/request/failed_request.rs              a server's type of content
collect/request/paths.rs                       kinds of lists
controller/prepared/calculate_pod_requests.rs  names of resources
controller/prepared/mod.rs                     words of the API server
controller/release.rs                          a version's number
diagnose/findings/managers.rs                  names of field managers
diagnose/findings/target.rs                    words of the API server
diagnose/flaps/mechanisms/another_writer.rs    reasons in the controller's events
diagnose/lint/fields.rs                        names of fields
diagnose/lint/review.rs                        paths of fields
document/texts.rs                              what people write
history/controller_log/line.rs                 the controller's log
history/controller_log/statement.rs            the controller's log
history/moves.rs                               events of controllers
history/scrapes/mod.rs                         names of series
history/recall/rescales/events.rs              events of controllers
history/recall/rescales/mod.rs                 reasons in the controller's events
history/recall/sizes.rs                        events of controllers
render/yaml.rs                                 lines of serde_yaml
manifest/assign.rs                             what people write
manifest/candidate.rs                          paths of fields
manifest/decode/mod.rs                         paths of fields
manifest/read.rs                               kinds, and paths of fields
manifest/validate/metric.rs                    names of resources
render/block.rs                                paths of fields
render/documents.rs                            descriptions that are doc comments
render/markdown.rs                             addresses that GitHub makes links of
render/sarif.rs                                the path of a file
render/text/basis.rs                           names of the controller's flags
render/text/dry_run/answer.rs                  paths of fields
render/text/dry_run/changed.rs                 paths of fields
render/text/next.rs                            reasons in the controller's events
render/text/page.rs                            messages of servers, cut to their end to fit
snapshot/record/read.rs                        how a file begins
snapshot/words.rs                              words of serde, which knows errors as texts only
trace/amount.rs                                names of resources
trace/command.rs                               a command's flags
";

const METHODS: [&str; 18] = [
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
];

/// The lines on which a source, its tests aside, looks into a text for words:
/// those of a text in the source, or of a constant.
fn looked_into(source: &str) -> Vec<usize> {
    let own = source.split("#[cfg(test)]").next().unwrap_or_default();
    let tokens = tokens(own);
    let calls = tokens.windows(5).filter(|call| {
        let [dot, method, open, first, second] = call else {
            return false;
        };
        let argument = if first.is('&') { second } else { first };
        let is_words = match &argument.kind {
            Kind::Text(text) => text.len() > 1,
            _ => argument.word().is_some_and(is_constant),
        };
        let is_method = method.word().is_some_and(|it| METHODS.contains(&it));
        dot.is('.') && is_method && open.is('(') && is_words
    });
    calls.map(|call| call[1].line).collect()
}

fn is_constant(word: &str) -> bool {
    let mut letters = word.chars();
    word.len() > 1 && letters.all(|it| it.is_ascii_uppercase() || it == '_')
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
        match allowed.iter().position(|path| own == *path) {
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
        ("fn f(t: &str) { t.find(\"the \"); }", 1),
        ("fn f(t: &str) { t.starts_with(THE); }", 1),
        ("fn f(t: &str) { ALL.iter().any(|it| t.contains(it)); }", 0),
        ("fn f(t: &[Part]) { t.contains(&PART); }", 1),
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
