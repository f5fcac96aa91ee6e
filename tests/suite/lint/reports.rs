//! `-o sarif` and `-o junit`, read back by readers of their own.

use std::path::Path;

use hpa_explain::trace::Code;
use roxmltree::{Document, Node};
use serde_json::Value;

use super::{code, hpa, run};
use crate::support::binary::{stderr, stdout};

fn sarif(arguments: &[&str], input: &[u8]) -> Value {
    let output = run(&[arguments, &["-o", "sarif"]].concat(), input);
    let text = stdout(&output);
    let log: Value = serde_json::from_str(text).expect(text);
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sarif/schema.json");
    let schema = std::fs::read_to_string(schema).expect("readable");
    // Its expression for a language has a bracket too many.
    let schema = schema.replace("{2}]?$", "{2}$");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator
        .iter_errors(&log)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, Vec::<String>::new());
    // It would not pass whatever it is.
    let mut broken = log.clone();
    broken["runs"][0]["results"] = "x".into();
    assert!(!validator.is_valid(&broken));
    log
}

/// Each annotation for GitHub is a result of the log.
#[test]
fn sarif_has_what_github_shows() {
    let log = sarif(&["-f", "shop.yaml"], b"");
    let run_of = &log["runs"][0];
    let rules = run_of["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), Code::ALL.len() + 2);
    for rule in rules {
        assert!(
            rule["help"]["text"]
                .as_str()
                .is_some_and(|it| it.ends_with('.'))
        );
    }
    let lines = run_of["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let rule = result["ruleId"].as_str().expect("a rule");
            assert!(rules.iter().any(|it| it["id"] == rule), "{rule}");
            let level = match result["level"].as_str().expect("a level") {
                "note" => "notice",
                other => other,
            };
            let title = match rule {
                "refused" => "the API server would refuse it",
                "unreadable" => "cannot be read",
                other => other,
            };
            format!(
                "::{level} file={},line={},col={},title={title}::",
                place["artifactLocation"]["uri"].as_str().expect("a file"),
                place["region"]["startLine"],
                place["region"]["startColumn"],
            )
        });
    let lines: Vec<String> = lines.collect();
    let github = run(&["-f", "shop.yaml", "-o", "github"], b"");
    let shown: Vec<&str> = stdout(&github).lines().collect();
    assert_eq!(lines.len(), shown.len());
    assert!(lines.len() > 5, "{lines:?}");
    for (line, shown) in lines.iter().zip(shown) {
        assert!(shown.starts_with(line), "{line}: {shown}");
    }
}

/// A text that means something to each format, to a terminal, or to none.
const HOSTILE: &str = "a\u{1b}[31m]]><x y=\"1\">&amp;'%\u{1}\u{b}\u{fffe}\u{202e}::error::z";

/// Manifests whose names, fields and values are that text, one that is
/// refused, and one that cannot be read.
fn hostile() -> String {
    let quoted = serde_json::to_string(HOSTILE)
        .expect("JSON")
        .replace("\u{fffe}", "\\ufffe");
    let good = hpa("  maxReplicas: 1\n");
    let named = good.replace(
        "{name: a}",
        &format!("{{name: {quoted}, namespace: {quoted}}}"),
    );
    let field = format!("{good}  {quoted}: 1\n");
    let refused = hpa(&format!(
        "  maxReplicas: 3\n  metrics: [{{type: {quoted}}}]\n"
    ));
    format!("{named}---\n{field}---\n{refused}---\na: [\n")
}

#[test]
fn hostile_texts_are_texts_in_sarif() {
    let log = sarif(&["-f", "-"], hostile().as_bytes());
    let results = log["runs"][0]["results"].as_array().expect("results");
    let rules: Vec<&str> = results
        .iter()
        .filter_map(|it| it["ruleId"].as_str())
        .collect();
    for rule in ["refused", "unreadable", "unknown-field"] {
        assert!(rules.contains(&rule), "{rules:?}");
    }
    let output = run(&["-f", "-", "-o", "sarif"], hostile().as_bytes());
    let is_raw = |it: char| it.is_control() && it != '\n' || it == '\u{202e}';
    assert!(!stdout(&output).contains(is_raw));
}

fn children<'n>(node: Node<'n, 'n>, tag: &'n str) -> impl Iterator<Item = Node<'n, 'n>> {
    node.children().filter(move |it| it.has_tag_name(tag))
}

/// The cases of a file: of each the name and what it has.
type Suite = (String, Vec<(String, Vec<String>)>);

/// The suites of a report.
fn junit(arguments: &[&str], input: &[u8]) -> Vec<Suite> {
    let output = run(&[arguments, &["-o", "junit"]].concat(), input);
    let text = stdout(&output);
    let is_raw = |it: char| it.is_control() && it != '\n' || it == '\u{202e}';
    assert!(!text.contains(is_raw), "{text:?}");
    let report = Document::parse(text).expect(text);
    let root = report.root_element();
    assert!(root.has_tag_name("testsuites"));
    let number = |node: Node, name: &str| -> usize {
        node.attribute(name).expect(name).parse().expect(name)
    };
    let mut total = 0;
    let suites = children(root, "testsuite").map(|suite| {
        let cases: Vec<_> = children(suite, "testcase").collect();
        assert_eq!(number(suite, "tests"), cases.len());
        for (counted, tag) in [("failures", "failure"), ("errors", "error")] {
            let with = cases
                .iter()
                .filter(|it| children(**it, tag).next().is_some());
            assert_eq!(number(suite, counted), with.count(), "{tag}");
        }
        total += cases.len();
        let cases = cases.into_iter().map(|case| {
            let elements = case.children().filter(Node::is_element).map(|it| {
                let kind = it.attribute("type").unwrap_or_default();
                assert!(it.text().is_some_and(|text| !text.is_empty()));
                format!("{} {kind}", it.tag_name().name())
            });
            (
                case.attribute("name").expect("a name").to_owned(),
                elements.collect(),
            )
        });
        (
            suite.attribute("name").expect("a name").to_owned(),
            cases.collect(),
        )
    });
    let suites = suites.collect();
    assert_eq!(number(root, "tests"), total);
    suites
}

/// A suite a file, a case an HPA, a failure for what makes the exit code fail.
#[test]
fn junit_has_what_the_text_tells() {
    let good = hpa("  maxReplicas: 5\n");
    let noted = hpa("  maxReplicas: 5\n  behavior: {}\n").replace("name: a", "name: b");
    let warned = hpa("  maxReplicas: 1\n").replace("{name: a}", "{name: c, namespace: shop}");
    let refused = hpa("  maxReplicas: 0\n").replace("name: a", "name: d");
    let folder = tempfile::tempdir().expect("a scratch folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("writable");
    };
    write("one.yaml", &format!("{good}---\n{noted}---\n{warned}"));
    write("two.yaml", &format!("{refused}---\na: [\n"));
    let path = folder.path().to_str().expect("a plain path");
    let cases = |cases: &[(&str, &[&str])]| -> Vec<(String, Vec<String>)> {
        let own = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        cases
            .iter()
            .map(|(name, it)| ((*name).to_owned(), own(it)))
            .collect()
    };
    let expected = |warning: &'static str| {
        [
            (
                format!("{path}/one.yaml"),
                cases(&[("a", &[]), ("b", &["system-out "]), ("shop/c", &[warning])]),
            ),
            (
                format!("{path}/two.yaml"),
                cases(&[
                    ("d", &["failure refused", "failure refused"]),
                    ("unreadable", &["error unreadable"]),
                ]),
            ),
        ]
    };
    assert_eq!(junit(&[path], b""), expected("system-out "));
    let judged = junit(&[path, "--exit-code"], b"");
    assert_eq!(judged, expected("failure fixed-size"));
}

#[test]
fn hostile_texts_are_texts_in_junit() {
    let suites = junit(&["-f", "-"], hostile().as_bytes());
    let [(_, cases)] = suites.as_slice() else {
        panic!("{suites:?}");
    };
    let visible = "a\\u{1b}[31m]]><x y=\"1\">&amp;'%\\u{1}\\u{b}\\u{fffe}\\u{202e}::error::z";
    assert_eq!(cases[0].0, format!("{visible}/{visible}"));
    assert_eq!(cases.len(), 4);
}

/// Nothing to report is a report, too.
#[test]
fn a_report_of_no_hpa_is_empty() {
    let other = b"{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\"}";
    let log = sarif(&["-f", "-"], other);
    assert_eq!(log["runs"][0]["results"], Value::Array(Vec::new()));
    assert_eq!(junit(&["-f", "-"], other), []);
    let output = run(&["-f", "-", "-o", "junit"], other);
    assert_eq!(code(&output), 0);
    assert_eq!(
        stderr(&output),
        "no HorizontalPodAutoscaler in 1 document\n"
    );
}
