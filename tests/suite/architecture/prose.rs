//! No module reads what another one wrote for people. Who looks into a text
//! for words looks into a foreign one, and is named here with whose it is.

use super::sources;
use super::tokens::{Kind, tokens};

/// The files that look into texts, and whose texts these are.
const FOREIGN: &str = "
api/answer.rs                                  reasons of documents, whoever wrote them
api/api_service.rs                             names of the API
api/autoscaler.rs                              groups and versions of the API
api/duration.rs                                Go's notation of durations
api/field_selector.rs                          what people write
api/names.rs                                   names of the API
api/quantity/parse.rs                          the notation of quantities
api/selector/parse.rs                          what people write
cli/commands/completion/answer/live.rs         what is typed
cli/commands/completion/answer/sources.rs      what is typed
cli/commands/completion/answer/typed.rs        what is typed
cli/commands/completion/mod.rs                 what clap generates
cli/commands/demo.rs                           names of cases
cli/commands/dry_run/altered.rs                what is typed
cli/commands/lint/sources.rs                   what is typed
cli/commands/list/compare.rs                   names of flags
cli/commands/rbac.rs                           names of the API
cli/commands/simulate/load/mod.rs              what is typed
cli/commands/simulate/load/parts.rs            what is typed
cli/commands/simulate/load/shape.rs            what is typed
cli/commands/simulate/workload.rs              what is typed
cli/commands/watch/record.rs                   the first line of a record in a file
cli/connection_error.rs                        a URL of a kubeconfig
cli/destination.rs                             how a file begins
cli/intended.rs                                what is typed
cli/jq.rs                                      what is typed
cli/kind.rs                                    how a file begins
cli/options.rs                                 what is typed
cli/past/mod.rs                                what is typed
cli/prometheus.rs                              what is typed
cli/select.rs                                  what is typed
cli/terminal.rs                                the locale's name
collect/autoscaler/neighbours.rs               the controller's message, which lists HPAs
collect/cluster.rs                             a version's suffix
collect/connect/kubeconfig.rs                  URLs
collect/connect/no_proxy.rs                    addresses
collect/connect/proxy.rs                       URLs
collect/connect/unreachable.rs                 words of rustls
collect/controller_flags.rs                    the controller's flags
collect/prometheus.rs                          signs that PromQL escapes
collect/request/collect_error.rs               words of the API server
collect/request/failed_request.rs              a server's type of content
collect/request/paths.rs                       kinds of lists
collect/target.rs                              names of the API
controller/go.rs                               the notation of Go's format strings
controller/prepared/calculate_pod_requests.rs  names of resources
controller/prepared/mod.rs                     words of the API server
controller/release.rs                          a version's number
diagnose/findings/following.rs                 names of pods
diagnose/findings/managers.rs                  names of field managers
diagnose/findings/target.rs                    words of the API server
diagnose/findings/words.rs                     texts of the cluster, and quotes of YAML
diagnose/keda.rs                               paths of fields
diagnose/lint/fields.rs                        names of fields
diagnose/lint/review.rs                        paths of fields
diagnose/metrics_api.rs                        groups and versions of the API
diagnose/owners.rs                             names of ReplicaSets
diagnose/target_kind.rs                        names of the API
document/bytes.rs                              how a file begins
document/node.rs                               paths of fields
document/parse.rs                              how a document begins
document/scalar.rs                             the notation of YAML's numbers
document/texts.rs                              what people write
document/typed.rs                              words of serde, which knows errors as texts only
history/check.rs                               the notation of quantities
history/controller_log/clock.rs                the controller's log
history/controller_log/collector.rs            the controller's log
history/controller_log/line.rs                 the controller's log
history/controller_log/statement.rs            the controller's log
history/moves.rs                               events of controllers
history/observer.rs                            events of controllers
history/scrapes/mod.rs                         names of series
history/recall/rescales/events.rs              events of controllers
history/recall/sizes.rs                        events of controllers
manifest/assign.rs                             what people write
manifest/candidate.rs                          paths of fields
manifest/decode/mod.rs                         paths of fields
manifest/decode/object.rs                      the notation of JSON's numbers
manifest/read.rs                               kinds, and paths of fields
manifest/suggest.rs                            paths of fields
manifest/validate/metric.rs                    names of resources
manifest/validate/names.rs                     names that people write
render/block.rs                                paths of fields
render/documents.rs                            descriptions that are doc comments
render/escape.rs                               signs that HTML escapes
render/github.rs                               signs that GitHub's commands escape
render/html.rs                                 signs that HTML escapes
render/junit.rs                                signs that XML cannot hold
render/markdown.rs                             addresses that GitHub makes links of
render/sarif.rs                                the path of a file
render/text/basis.rs                           names of the controller's flags
render/text/dry_run/answer.rs                  paths of fields
render/text/dry_run/changed.rs                 paths of fields
render/text/page.rs                            messages of servers, cut to their end to fit
render/text/remembered/mod.rs                  events of controllers
render/text/verdict/undecided.rs               messages of servers
render/yaml.rs                                 lines of serde_yaml
simulate/compare.rs                            names of metrics
simulate/load/series.rs                        the notation of CSV
snapshot/record/parts.rs                       fields of a record
snapshot/record/read.rs                        how a file begins
snapshot/redact.rs                             what people write
snapshot/words.rs                              words of serde, which knows errors as texts only
trace/amount.rs                                names of resources
trace/command.rs                               a command's flags
trace/number.rs                                digits that it has written itself
trace/rescale_reason.rs                        reasons in the controller's events
";

const METHODS: [&str; 20] = [
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
];

/// Those that only texts have: what they are given may be a variable. That of
/// the others may be one of a list, or a closure.
const OF_TEXTS: [&str; 10] = [
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
];

/// The lines on which a source, its tests aside, looks into a text: for words
/// and signs that are in the source, for a constant, or for what is put
/// together there.
fn looked_into(source: &str) -> Vec<usize> {
    let own = source.split("#[cfg(test)]").next().unwrap_or_default();
    let tokens = tokens(own);
    let calls = tokens.iter().enumerate().filter(|(at, dot)| {
        let [method, open, rest @ ..] = &tokens[at + 1..] else {
            return false;
        };
        let is_method = |all: &[&str]| method.word().is_some_and(|it| all.contains(&it));
        if !dot.is('.') || !open.is('(') || !is_method(&METHODS) {
            return false;
        }
        let mut rest = rest.iter().skip_while(|it| it.is('&') || it.is('['));
        match rest.next().map(|it| &it.kind) {
            Some(Kind::Text(_) | Kind::Sign) => true,
            Some(Kind::Word(word)) => {
                is_constant(word) || word == "format" || is_method(&OF_TEXTS) && word != "move"
            }
            _ => false,
        }
    });
    calls.map(|(_, dot)| dot.line).collect()
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
        ("fn f(t: &str) { t.contains('x') }", 1),
        ("fn f(t: &str) { t.split([',', ';']) }", 1),
        ("fn f(t: &str) { t.find(&['a', 'b']) }", 1),
        ("fn f(t: &str) { t.contains(&format!(\"{name}:\")) }", 1),
        ("fn f(t: &str, name: &str) { t.strip_prefix(name) }", 1),
        ("fn f(t: &[&str], name: &str) { t.contains(&name) }", 0),
        ("fn f(t: &str) { t.trim_end_matches(|it| it == x) }", 0),
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
