//! The pod selector in the scale's status (`labels.Parse`).

use crate::support::build::Case;
use crate::support::pod::cpu;
use serde_json::{Value, json};

/// The pods that a selector matches, of four with different labels.
fn selected(selector: &str) -> Vec<String> {
    let labels = [
        ("plain", json!({"app": "web"})),
        ("web", json!({"app": "web", "tier": "web", "rank": "2"})),
        ("db", json!({"app": "web", "tier": "db", "rank": "x"})),
        ("empty", json!({"app": "web", "tier": ""})),
    ];
    let case = Case::new().cpu(50).selector(selector);
    let case = labels.into_iter().fold(case, |case, (name, labels)| {
        case.pod(name, cpu(50, 100).labels(labels))
    });
    let pass = case.run();
    let pods = pass.metric().pods.iter();
    pods.map(|pod| pod.name.to_string()).collect()
}

#[test]
fn each_operator_selects_its_pods() {
    let all = ["plain", "web", "db", "empty"];
    let rows: [(&str, &[&str]); 18] = [
        ("app=web", &all),
        ("tier", &all[1..]),
        ("!tier", &all[..1]),
        ("tier=web", &["web"]),
        ("tier == web", &["web"]),
        ("tier!=db", &["plain", "web", "empty"]),
        ("tier=", &["empty"]),
        ("tier!=", &["plain", "web", "db"]),
        ("tier in (web, db)", &["web", "db"]),
        ("tier in (db,)", &["db", "empty"]),
        ("tier notin (db)", &["plain", "web", "empty"]),
        ("tier notin ()", &["plain", "web", "db"]),
        ("rank>1", &["web"]),
        ("rank<2", &[]),
        ("app=web,!tier", &["plain"]),
        ("app,tier!=web,tier", &["db", "empty"]),
        ("app=web,in notin (notin)", &all),
        (" app\t=\r\nweb ", &all),
    ];
    for (selector, pods) in rows {
        assert_eq!(selected(selector), pods, "{selector}");
    }
}

#[test]
fn a_pod_of_another_namespace_is_never_selected() {
    let away = cpu(90, 100).namespace("other");
    let home = cpu(50, 100).namespace("default");
    let pass = Case::new()
        .cpu(50)
        .pod("home", home)
        .pod("away", away)
        .run();
    assert_eq!(pass.groups(), [1, 0, 0, 0]);
    assert_eq!(pass.trace.selector.expect("a check").selected, Some(1));
}

#[test]
fn two_hpas_conflict_only_over_pods_of_this_ones_selector() {
    let other = |namespace: &str, selector: &str| -> Value {
        json!([{"namespace": namespace, "name": "other", "selector": selector}])
    };
    let rows = [
        (other("default", "app=db"), "True/ValidMetricFound"),
        (other("other", "app=web"), "True/ValidMetricFound"),
        (other("default", "shared"), "False/AmbiguousSelector"),
        (other("default", "app!=db"), "False/AmbiguousSelector"),
    ];
    for (others, condition) in rows {
        let pass = Case::new()
            .replicas(2)
            .cpu(50)
            .pods(
                2,
                &cpu(50, 100).labels(json!({"app": "web", "shared": "yes"})),
            )
            .pod("db", cpu(50, 100).labels(json!({"app": "db"})))
            .set("/otherAutoscalers", others.clone())
            .run();
        assert_eq!(pass.condition("ScalingActive"), condition, "{others}");
    }
}

const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const INTEGER: &str = "for 'Gt', 'Lt' operators, the value must be an integer";

/// Checks the parser's words, and that condition, event and error carry them.
fn refused(release: u32, selector: &str, problem: &str) {
    let pass = Case::new()
        .release(release)
        .wants(2)
        .selector(selector)
        .run();
    let text = format!(
        "couldn't convert selector into a corresponding internal selector object: {problem}"
    );
    assert_eq!(pass.message("ScalingActive"), text, "{selector}");
    assert_eq!(
        pass.condition("ScalingActive"),
        "False/InvalidSelector",
        "{selector}"
    );
    let failed = format!("FailedComputeMetricsReplicas: {text}");
    assert_eq!(
        pass.events(),
        [format!("InvalidSelector: {text}"), failed],
        "{selector}"
    );
    assert!(pass.error().ends_with(&text), "{}", pass.error());
}

#[test]
fn a_selector_that_does_not_parse_is_refused_in_the_parsers_words() {
    let rows = [
        // Between requirements.
        (
            ",",
            "found ',', expected: !, identifier, or 'end of string'",
        ),
        (
            "=a",
            "found '=', expected: !, identifier, or 'end of string'",
        ),
        (
            "(",
            "found '(', expected: !, identifier, or 'end of string'",
        ),
        ("app=we b", "found 'b', expected: ',' or 'end of string'"),
        (
            "app)",
            "unable to parse requirement: found ')', expected: in, notin, =, ==, !=, gt, lt",
        ),
        ("app in (a))", "found ')', expected: ',' or 'end of string'"),
        ("!app=web", "found '=', expected: ',' or 'end of string'"),
        (
            "!app in (web)",
            "found 'in', expected: ',' or 'end of string'",
        ),
        ("app=web,", "found '', expected: identifier after ','"),
        ("app=web,,=", "found ',', expected: identifier after ','"),
        ("app,(", "found '(', expected: identifier after ','"),
        // In a requirement.
        (
            "!",
            "unable to parse requirement: found '', expected: identifier",
        ),
        (
            "!!app",
            "unable to parse requirement: found '!', expected: identifier",
        ),
        (
            "a b",
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
        ),
        (
            "a!",
            "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt",
        ),
        (
            "a(b)",
            "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt",
        ),
        (
            "app===web",
            "unable to parse requirement: found '=', expected: identifier",
        ),
        (
            "app=(web)",
            "unable to parse requirement: found '(', expected: identifier",
        ),
        (
            "app>!",
            "unable to parse requirement: found '!', expected: identifier",
        ),
        // In parentheses.
        (
            "app in",
            "unable to parse requirement: found '' expected: '('",
        ),
        (
            "app notin web",
            "unable to parse requirement: found 'web' expected: '('",
        ),
        (
            "app in (",
            "unable to parse requirement: found '', expected: ',', ')' or identifier",
        ),
        (
            "app in (=",
            "unable to parse requirement: found '=', expected: ',', ')' or identifier",
        ),
        (
            "app in (a b)",
            "unable to parse requirement: found 'b', expected: ',' or ')'",
        ),
        (
            "app in (a",
            "unable to parse requirement: found '', expected: ',' or ')'",
        ),
        (
            "app in (a,",
            "unable to parse requirement: found '', expected: ',', or identifier",
        ),
        (
            "app in (a,=)",
            "unable to parse requirement: found '=', expected: ',', or identifier",
        ),
        (
            "app in (a,,)",
            "unable to parse requirement: found ')', expected: ',', or identifier",
        ),
    ];
    for (selector, problem) in rows {
        refused(36, selector, problem);
    }
}

#[test]
fn a_malformed_label_is_refused_with_everything_that_is_wrong() {
    let long = |length: usize| "x".repeat(length);
    let prefix = long(254);
    let key = |key: &str, problem: &str| {
        (
            format!("{key}=1"),
            format!("<nil>: Invalid value: \"{key}\": {problem}"),
        )
    };
    let value = |value: &str, problem: &str| {
        (
            format!("app={value}"),
            format!("values[0][app]: Invalid value: \"{value}\": {problem}"),
        )
    };
    let rows = [
        key("-a", &format!("name part {NAME}")),
        key("/a", "prefix part must be non-empty"),
        key(
            "a/",
            &format!("name part must be non-empty; name part {NAME}"),
        ),
        key("A/b", &format!("prefix part {SUBDOMAIN}")),
        key(
            &format!("{prefix}/b"),
            "prefix part must be no more than 253 bytes",
        ),
        key(&long(64), "name part must be no more than 63 bytes"),
        key(
            &format!("/-{}", long(64)),
            &format!(
                "prefix part must be non-empty; name part must be no more than 63 bytes; name part {NAME}"
            ),
        ),
        value(&long(64), "must be no more than 63 bytes"),
        value("a$", VALUE),
        value(
            &format!("{}-", long(63)),
            &format!("must be no more than 63 bytes; {VALUE}"),
        ),
        (
            "app>many".to_owned(),
            format!("values[0]: Invalid value: \"many\": {INTEGER}"),
        ),
        (
            "app<".to_owned(),
            format!("values[0]: Invalid value: \"\": {INTEGER}"),
        ),
        (
            "app>a$".to_owned(),
            format!(
                "[values[0]: Invalid value: \"a$\": {INTEGER}, values[0][app]: Invalid value: \"a$\": {VALUE}]"
            ),
        ),
        (
            // Sorted, and without the double.
            "app in (b,d-,c_,d-)".to_owned(),
            format!(
                "[values[1][app]: Invalid value: \"c_\": {VALUE}, values[2][app]: Invalid value: \"d-\": {VALUE}]"
            ),
        ),
    ];
    for (selector, problem) in rows {
        refused(
            36,
            &selector,
            &format!("unable to parse requirement: {problem}"),
        );
    }
}

#[test]
fn two_texts_speak_of_keys_and_bytes_since_1_35() {
    let key = |subject: &str| {
        format!(
            "unable to parse requirement: <nil>: Invalid value: \"x/y/z\": {subject} {NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        )
    };
    refused(34, "x/y/z=1", &key("a qualified name"));
    refused(35, "x/y/z=1", &key("a valid label key"));
    let long = "x".repeat(64);
    for (release, unit) in [(34, "characters"), (35, "bytes")] {
        let problem = format!("must be no more than 63 {unit}");
        let of_key = format!("<nil>: Invalid value: \"{long}\": name part {problem}");
        refused(
            release,
            &long,
            &format!("unable to parse requirement: {of_key}"),
        );
        let of_value = format!("values[0][app]: Invalid value: \"{long}\": {problem}");
        refused(
            release,
            &format!("app={long}"),
            &format!("unable to parse requirement: {of_value}"),
        );
    }
}
