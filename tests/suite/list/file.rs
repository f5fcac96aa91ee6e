//! Lists of snapshot files: order, selection, columns, exit codes.

use serde_json::{Value, json};

use crate::list::world::{NOW, at_max, failing, file_of, hpa, run_on};
use crate::support::binary::{stderr, stdout};

/// Four HPAs in two namespaces, of which two have a problem.
fn four() -> Vec<Value> {
    let mut fewer = hpa("shop", "beta", "50m");
    fewer["scale"]["response"]["spec"]["replicas"] = json!(3);
    fewer["horizontalPodAutoscaler"]["metadata"]["creationTimestamp"] =
        json!("2026-11-17T08:00:00Z");
    let status = &mut fewer["horizontalPodAutoscaler"]["status"];
    status["lastScaleTime"] = json!("2026-11-20T06:30:00Z");
    status["desiredReplicas"] = json!(3);
    vec![
        hpa("shop", "alpha", "50m"),
        at_max("shop", "gamma"),
        fewer,
        failing("dev", "delta"),
    ]
}

/// The names of a table's rows, in their order.
fn names(table: &str) -> Vec<String> {
    let rows = table.lines().skip(1);
    rows.map(|row| row.split_whitespace().nth(1).unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn rows_come_in_the_order_that_is_asked_for() {
    let file = file_of(&four());
    let rows = [
        ("problem", "delta gamma alpha beta"),
        ("name", "delta alpha beta gamma"),
        (".metadata.name", "delta alpha beta gamma"),
        ("replicas", "beta delta alpha gamma"),
        (".status.currentReplicas", "beta delta alpha gamma"),
        ("since", "beta alpha delta gamma"),
        ("age", "beta delta alpha gamma"),
        ("{.metadata.creationTimestamp}", "beta delta alpha gamma"),
    ];
    for (key, expected) in rows {
        let output = run_on(file.path(), None, &["list", "--sort-by", key]);
        assert_eq!(names(stdout(&output)).join(" "), expected, "{key}");
    }
    let unknown = run_on(file.path(), None, &["list", "--sort-by", "cpu"]);
    assert_eq!(unknown.status.code(), Some(2));
    let keys = "[possible values: problem, name, replicas, since, age]";
    assert!(stderr(&unknown).contains(keys), "{}", stderr(&unknown));
}

/// What is printed as it comes is what is printed at the end, but for the
/// widths of columns that are not known before.
#[test]
fn rows_that_are_not_waited_for_are_the_same() {
    let file = file_of(&four());
    for format in ["text", "wide", "name"] {
        let lines = |by: &str| {
            let output = run_on(file.path(), None, &["list", "-o", format, "--sort-by", by]);
            let rows = stdout(&output).lines();
            let rows = rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "));
            let mut rows: Vec<String> = rows.collect();
            rows.sort();
            rows
        };
        assert_eq!(lines("name"), lines("problem"), "{format}");
        assert!(lines("name").len() >= 4, "{format}");
    }
}

#[test]
fn fields_select() {
    let file = file_of(&four());
    let rows = [
        ("metadata.name=alpha", "alpha"),
        ("metadata.namespace=dev", "delta"),
        ("metadata.name!=alpha,metadata.namespace=shop", "gamma beta"),
        ("", "delta gamma alpha beta"),
    ];
    for (fields, expected) in rows {
        let arguments = ["list", "--field-selector", fields];
        let output = run_on(file.path(), None, &arguments);
        assert_eq!(names(stdout(&output)).join(" "), expected, "{fields}");
    }
    let refused = [
        ("spec.x=1", 1, "\"spec.x\" is not a known field selector"),
        ("alpha", 2, "invalid selector: 'alpha'; can't understand"),
    ];
    for (fields, code, said) in refused {
        let arguments = ["list", "--field-selector", fields];
        let output = run_on(file.path(), None, &arguments);
        assert_eq!(output.status.code(), Some(code), "{fields}");
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

#[test]
fn problems_alone_are_listed() {
    let file = file_of(&four());
    let output = run_on(file.path(), None, &["list", "--problems"]);
    assert_eq!(names(stdout(&output)), ["delta", "gamma"]);
    let healthy = run_on(
        file.path(),
        None,
        &["list", "--problems", "-l", "app=alpha"],
    );
    assert!(healthy.status.success());
    assert_eq!(
        (stdout(&healthy), stderr(&healthy)),
        ("", "No problems found (1 HPA)\n")
    );
    let in_shop = [
        "list",
        "--problems",
        "-n",
        "shop",
        "-l",
        "app in (alpha, beta)",
    ];
    assert_eq!(
        stderr(&run_on(file.path(), None, &in_shop)),
        "No problems found in shop namespace (2 HPAs).\n"
    );
    let none = run_on(file.path(), None, &["list", "--problems", "-l", "app=none"]);
    assert_eq!(stderr(&none), "No resources found\n");
}

#[test]
fn the_exit_code_tells_what_is_found() {
    let well = || vec![hpa("shop", "alpha", "50m")];
    let bad = || vec![hpa("shop", "alpha", "50m"), at_max("shop", "gamma")];
    let odd = json!({ "apiVersion": "hpa-explain/v1", "kind": "Snapshot" });
    let with_odd = |mut documents: Vec<Value>| {
        documents.push(odd.clone());
        documents
    };
    let rows = [
        (well(), [0, 0]),
        (bad(), [0, 3]),
        (with_odd(well()), [1, 1]),
        (with_odd(bad()), [1, 1]),
    ];
    for (documents, codes) in &rows {
        let file = file_of(documents);
        let commands: [&[&str]; 5] = [
            &["list"],
            &["list", "-o", "json"],
            &["list", "-o", "name", "--sort-by=name"],
            &["list", "--problems"],
            &[],
        ];
        for command in commands {
            let code = |flags: &[&str]| {
                let arguments = [command, flags].concat();
                run_on(file.path(), None, &arguments).status.code()
            };
            assert_eq!(code(&[]), Some(codes[0]), "{command:?}");
            assert_eq!(code(&["--exit-code"]), Some(codes[1]), "{command:?}");
        }
    }
    assert_eq!(rows.len(), 4);
    let file = file_of(&bad());
    let snapshot = run_on(file.path(), None, &["--exit-code", "-o", "snapshot"]);
    assert_eq!(snapshot.status.code(), Some(2));
}

#[test]
fn columns_are_as_many_as_fit() {
    let file = file_of(&four());
    let titles = |columns, arguments: &[&str]| {
        let output = run_on(file.path(), columns, &[&["list"], arguments].concat());
        let table = stdout(&output).to_owned();
        let most = table.lines().map(|line| line.chars().count()).max();
        if let Some(columns) = columns.filter(|_| arguments.is_empty()) {
            assert!(most <= Some(columns), "{columns}: {table}");
        }
        assert!(table.lines().count() >= 5);
        let titles = table.lines().next().unwrap_or_default();
        titles.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let rows = [
        (Some(40), "NAMESPACE dev"),
        (Some(80), "NAMESPACE NAME REPLICAS VERDICT SINCE"),
        (None, "NAMESPACE NAME REPLICAS VERDICT SINCE"),
    ];
    for (columns, expected) in rows {
        assert_eq!(titles(columns, &[]), expected, "{columns:?}");
    }
    // As in kubectl, a wide table has all of it, wherever it is read.
    let wide = "NAMESPACE NAME TARGET REPLICAS MIN..MAX METRICS VERDICT SINCE FINDINGS AGE";
    let table = |columns| {
        let output = run_on(file.path(), columns, &["list", "-o", "wide"]);
        stdout(&output).to_owned()
    };
    for columns in [Some(40), Some(80), Some(160), None] {
        assert_eq!(titles(columns, &["-o", "wide"]), wide, "{columns:?}");
        assert_eq!(table(columns), table(None), "{columns:?}");
    }
    let bare = run_on(file.path(), None, &["list", "--no-headers", "-o", "wide"]);
    assert!(stdout(&bare).starts_with("dev   "), "{}", stdout(&bare));
}

#[test]
fn a_document_has_what_a_program_asks_for() {
    let file = file_of(&four());
    let output = run_on(file.path(), None, &["list", "-o", "json"]);
    let list: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let items = list["items"].as_array().expect("items");
    let of = |name: &str| items.iter().find(|item| item["name"] == name);
    let gamma = of("gamma").expect("gamma");
    let expected = json!({
        "severity": "warning", "holds": "max-replicas", "target": "Deployment/gamma",
        "minReplicas": 2, "maxReplicas": 4, "currentReplicas": 4, "desiredReplicas": 4,
        "creationTimestamp": "2026-11-18T08:00:00Z",
    });
    for (field, value) in expected.as_object().expect("fields") {
        assert_eq!(&gamma[field], value, "{field}");
    }
    let findings = gamma["findings"].as_array().expect("findings");
    let at_max = findings.iter().find(|finding| finding["code"] == "at-max");
    let at_max = at_max.expect("at-max");
    assert_eq!(
        (&at_max["severity"], &at_max["role"]),
        (&"warning".into(), &"symptom".into())
    );
    assert!(
        at_max["message"]
            .as_str()
            .is_some_and(|text| text.contains("maxReplicas 4"))
    );
    let alpha = of("alpha").expect("alpha");
    assert_eq!(alpha["since"], "2026-11-20T07:00:00Z");
    assert_eq!(of("delta").expect("delta")["severity"], "error");
    assert!(gamma["since"].is_null(), "no condition tells since when");
    assert_eq!(NOW, "2026-11-20T08:00:00Z");
}

/// Names that steer a terminal, that read from the right, that never end.
#[test]
fn names_do_not_reach_the_terminal_raw() {
    let long = "x".repeat(10_000);
    let hostile = [
        "\u{1b}[31mred",
        "\u{202e}gnp",
        "a\nb\tc",
        "größe",
        &long,
        "数量",
    ];
    let mut documents = Vec::new();
    for name in hostile {
        documents.push(at_max(name, name));
        documents.push(failing("shop", name));
    }
    let file = file_of(&documents);
    let mut printed = 0;
    for format in ["text", "wide", "name", "json", "yaml"] {
        for columns in [Some(40), Some(80), Some(120), Some(200), None] {
            for by in ["problem", "name"] {
                let arguments = ["list", "-o", format, "--sort-by", by];
                let output = run_on(file.path(), columns, &arguments);
                assert!(output.status.success());
                let text = stdout(&output);
                let is_raw = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
                assert!(!text.contains(is_raw), "{format} {columns:?}: {text}");
                if let (Some(columns), "text" | "wide") = (columns, format) {
                    let most = text.lines().map(|line| line.chars().count()).max();
                    // A wide line ends where its names, at most 253 each, do.
                    let end = if format == "wide" { 1_200 } else { columns };
                    assert!(most <= Some(end), "{columns}: {text}");
                    assert!(text.lines().count() > documents.len());
                }
                printed += 1;
            }
        }
    }
    assert_eq!(printed, 50);
}

/// Once, however many HPAs there are.
#[test]
fn which_rules_stand_in_for_unknown_ones_is_said() {
    let file = file_of(&four());
    let rows = [
        ("1.20", "note: rules of 1.23, the oldest known, for 1.20\n"),
        ("1.50", "note: rules of 1.38, the newest known, for 1.50\n"),
        ("1.32", ""),
    ];
    for (version, said) in rows {
        let arguments = ["list", "--kubernetes-version", version];
        let output = run_on(file.path(), None, &arguments);
        assert_eq!(stderr(&output), said, "{version}");
        assert_eq!(stdout(&output).lines().count(), 5);
    }
}
