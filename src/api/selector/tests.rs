//! Examples, the hostile ones included, and properties.

use proptest::prelude::*;

use super::Wording::{LabelKey, QualifiedName};
use crate::api::selector::*;

fn labels(text: &str) -> Labels {
    text.split_terminator(',')
        .filter_map(|label| label.split_once('='))
        .map(|(key, value)| (key.into(), value.into()))
        .collect()
}

fn error(text: &str, wording: Wording) -> String {
    Selector::parse(text, wording).unwrap_err().to_string()
}

#[test]
fn matching() {
    let rows = [
        ("", "", true),
        (" \t\r\n", "app=web", true),
        ("app", "app=web", true),
        ("app", "", false),
        ("!app", "", true),
        ("! app", "app=web", false),
        ("app=web", "app=web", true),
        ("app==web", "app=web", true),
        ("app = web", "app=api", false),
        ("app=", "app=", true),
        ("app=,tier=a", "app=,tier=a", true),
        ("app!=web", "app=web", false),
        ("app!=web", "app=api", true),
        ("app!=web", "", true),
        ("app in (web,api)", "app=api", true),
        ("app in(web)", "", false),
        ("app notin (web)", "app=web", false),
        ("app notin (web)", "", true),
        ("app in ()", "app=", true),
        ("app in (,)", "app=", true),
        ("app in (a,)", "app=", true),
        ("app in (a,,b)", "app=", true),
        ("app in (a,,,)", "app=a", true),
        ("app in (,,,b,a)", "app=a", true),
        ("app in (a,b)", "app=", false),
        // The operators are ordinary words elsewhere.
        ("in in (in,notin)", "in=notin", true),
        ("notin=in", "notin=in", true),
        ("in", "in=x", true),
        // All of them must hold.
        ("app=web,tier!=db", "app=web,tier=ui", true),
        ("app=web,tier!=db", "app=web,tier=db", false),
        ("example.com/a-b_c.d=x", "example.com/a-b_c.d=x", true),
        // Numbers have 64 bits.
        ("n>3", "n=4", true),
        ("n>3", "n=3", false),
        ("n<3", "n=2", true),
        ("n<3", "n=x", false),
        ("n<3", "", false),
        ("n<3", "n=-9223372036854775808", true),
        ("n<3", "n=-9223372036854775809", false),
        ("n>3", "n=+5", true),
        ("n>3", "n=0x5", false),
        ("n>007", "n=8", true),
    ];
    for (selector, text, expected) in rows {
        let selector_value = Selector::parse(selector, LabelKey).unwrap();
        assert_eq!(
            selector_value.matches(&labels(text)),
            expected,
            "{selector} on {text}"
        );
    }
    assert_eq!(rows.len(), 41);
}

#[test]
fn errors_between_requirements() {
    let rows = [
        (
            "=",
            "found '=', expected: !, identifier, or 'end of string'",
        ),
        (
            ",a",
            "found ',', expected: !, identifier, or 'end of string'",
        ),
        ("app=we b", "found 'b', expected: ',' or 'end of string'"),
        ("!app=web", "found '=', expected: ',' or 'end of string'"),
        (
            "!app in (a)",
            "found 'in', expected: ',' or 'end of string'",
        ),
        ("app=web,,=", "found ',', expected: identifier after ','"),
        ("app=web,", "found '', expected: identifier after ','"),
        ("app,)", "found ')', expected: identifier after ','"),
    ];
    for (selector, text) in rows {
        assert_eq!(error(selector, LabelKey), text, "{selector}");
        assert_eq!(error(selector, QualifiedName), text, "{selector}");
    }
    assert_eq!(rows.len(), 8);
}

#[test]
fn errors_inside_a_requirement() {
    let rows = [
        ("!", "found '', expected: identifier"),
        ("!!a", "found '!', expected: identifier"),
        ("a b", "found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a!", "found '!', expected: in, notin, =, ==, !=, gt, lt"),
        ("a)", "found ')', expected: in, notin, =, ==, !=, gt, lt"),
        ("app in", "found '' expected: '('"),
        ("app in a", "found 'a' expected: '('"),
        ("app notin ,", "found ',' expected: '('"),
        ("app in (", "found '', expected: ',', ')' or identifier"),
        ("app in ((", "found '(', expected: ',', ')' or identifier"),
        ("app in (a", "found '', expected: ',' or ')'"),
        ("app in (a b)", "found 'b', expected: ',' or ')'"),
        ("app in (a,", "found '', expected: ',', or identifier"),
        ("app in (,=)", "found '=', expected: ',', or identifier"),
        ("app in (a,,)", "found ')', expected: ',', or identifier"),
        ("app in (,,)", "found ')', expected: ',', or identifier"),
        ("app==(", "found '(', expected: identifier"),
        ("app===b", "found '=', expected: identifier"),
        ("app!==b", "found '=', expected: identifier"),
    ];
    for (selector, text) in rows {
        let text = format!("unable to parse requirement: {text}");
        assert_eq!(error(selector, LabelKey), text, "{selector}");
        assert_eq!(error(selector, QualifiedName), text, "{selector}");
    }
    assert_eq!(rows.len(), 19);
}

/// The rules that most of the texts below end in.
const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const SUBDOMAIN: &str = r"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

#[test]
fn malformed_keys() {
    let long_name = "n".repeat(64);
    let long_prefix = format!("{}/n", "p".repeat(254));
    let rows = [
        (
            "x/y/z",
            format!(
                "a valid label key {NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            ),
        ),
        ("-a", format!("name part {NAME}")),
        ("ä", format!("name part {NAME}")),
        ("a\"b", format!("name part {NAME}")),
        (
            "/",
            format!("prefix part must be non-empty; name part must be non-empty; name part {NAME}"),
        ),
        (
            "a/",
            format!("name part must be non-empty; name part {NAME}"),
        ),
        ("/a", "prefix part must be non-empty".to_owned()),
        ("A/b", format!("prefix part {SUBDOMAIN}")),
        ("a..b/c", format!("prefix part {SUBDOMAIN}")),
        ("a-/c", format!("prefix part {SUBDOMAIN}")),
        (
            &long_name,
            "name part must be no more than 63 bytes".to_owned(),
        ),
        (
            &long_prefix,
            "prefix part must be no more than 253 bytes".to_owned(),
        ),
    ];
    for (key, problem) in &rows {
        let text =
            format!("unable to parse requirement: <nil>: Invalid value: \"{key}\": {problem}");
        assert_eq!(error(&format!("{key}=1"), LabelKey), text);
        let older = text
            .replace("a valid label key", "a qualified name")
            .replace(" bytes", " characters");
        assert_eq!(error(&format!("! {key}"), QualifiedName), older);
    }
    assert_eq!(rows.len(), 12);
}

#[test]
fn malformed_values() {
    let long = "v".repeat(64);
    let long_list = format!("a in ({long},-)");
    let rows = [
        ("a=-", format!("values[0][a]: Invalid value: \"-\": {VALUE}")),
        ("a in (b,b,c,b-)", format!("values[1][a]: Invalid value: \"b-\": {VALUE}")),
        (
            &long_list,
            format!(
                "[values[0][a]: Invalid value: \"-\": {VALUE}, \
                 values[1][a]: Invalid value: \"{long}\": must be no more than 63 bytes]"
            ),
        ),
        (
            "a>b",
            "values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer"
                .to_owned(),
        ),
        (
            "a<",
            "values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer"
                .to_owned(),
        ),
        (
            "a<9223372036854775808",
            "values[0]: Invalid value: \"9223372036854775808\": for 'Gt', 'Lt' operators, the value must be an integer"
                .to_owned(),
        ),
        // An integer, and yet no label value.
        ("a>-5", String::new() + "values[0][a]: Invalid value: \"-5\": " + VALUE),
        (
            "a>-x",
            format!(
                "[values[0]: Invalid value: \"-x\": for 'Gt', 'Lt' operators, the value must be an integer, \
                 values[0][a]: Invalid value: \"-x\": {VALUE}]"
            ),
        ),
    ];
    for (selector, problem) in &rows {
        let text = format!("unable to parse requirement: {problem}");
        assert_eq!(error(selector, LabelKey), text);
        assert_eq!(
            error(selector, QualifiedName),
            text.replace(" bytes", " characters")
        );
    }
    assert_eq!(rows.len(), 8);
}

#[test]
fn hostile_lengths() {
    let rows = [
        "(".repeat(1 << 20),
        "!".repeat(1 << 20),
        "a,".repeat(1 << 19),
        format!("a in ({}", ",".repeat(1 << 20)),
        "a".repeat(1 << 20),
    ];
    for text in &rows {
        assert!(Selector::parse(text, LabelKey).is_err());
    }
    assert_eq!(rows.len(), 5);
}

proptest! {
    #[test]
    fn nothing_panics(text in "\\PC{0,40}", symbols in "(a|b/|in|notin|[-=!<>(), ]){0,12}") {
        for text in [text, symbols] {
            if let Ok(selector) = Selector::parse(&text, LabelKey) {
                let own = labels("a=b");
                let may_meet = AllLabels::of(std::iter::once(&own)).may_meet(&text);
                prop_assert!(!selector.matches(&own) || may_meet, "{text}");
            }
        }
    }

    #[test]
    fn exact_requirements_match_their_labels(
        labels in prop::collection::btree_map("[a-z]([-a-z]{0,5}[a-z])?", "([A-Z]{1,5})?", 1..5)
    ) {
        let requirements: Vec<_> = labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let selector = Selector::parse(&requirements.join(","), QualifiedName).unwrap();
        prop_assert!(selector.matches(&super::tests::labels(&requirements.join(","))));
        prop_assert!(!selector.matches(&Labels::default()));
    }
}
