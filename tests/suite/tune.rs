//! What `tune` says to the traces of `tests/tune`, against the table that
//! `make.py` wrote: there, each change was tried in the reference model, on the
//! half of the time that the search does not see.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::prometheus::{file, server};
use crate::support::apiserver::ApiServer;
use crate::support::binary::{run, stderr, stdout};
use crate::support::golden;
use crate::support::prometheus::Stored;

/// No cluster.
fn nowhere() -> &'static Path {
    Path::new("/dev/null")
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// A record, unpacked to a file.
fn unpacked(packed: &Path) -> tempfile::NamedTempFile {
    let packed = fs::File::open(packed).expect("a record");
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    std::io::copy(&mut flate2::read::GzDecoder::new(packed), &mut file).expect("readable");
    file
}

fn tuned(record: &Path, more: &[&str]) -> std::process::Output {
    let path = record.to_string_lossy();
    run(nowhere(), &[&["tune", "--history", &path], more].concat())
}

fn item(record: &Path) -> Value {
    let output = tuned(record, &["-o", "json"]);
    let document: Value = serde_json::from_str(stdout(&output)).expect("a document");
    document["items"][0].clone()
}

/// A trace of the table: how it was made bad, what is said to it, what the second
/// half comes to before and after in the reference model, and what is said then.
struct Row<'t> {
    name: &'t str,
    made_bad: bool,
    said: &'t str,
    before: [f64; 3],
    after: Option<[f64; 3]>,
    again: &'t str,
}

fn rows(table: &str) -> Vec<Row<'_>> {
    let numbers = |text: &str| -> Option<[f64; 3]> {
        let all = text.split(' ').map(|it| it.parse().ok());
        all.collect::<Option<Vec<f64>>>()?.try_into().ok()
    };
    let rows = table.lines().map(|line| {
        let cells: Vec<&str> = line.split(" | ").collect();
        let [name, bad, _, said, before, after, again] = cells[..] else {
            panic!("seven cells: {line}");
        };
        Row {
            name,
            made_bad: bad != "-",
            said,
            before: numbers(before).expect("three numbers"),
            after: numbers(after),
            again,
        }
    });
    rows.collect()
}

fn said(item: &Value) -> String {
    let answer = &item["answer"];
    let kind = answer["kind"].as_str().expect("a kind");
    let Some(fields) = answer["proposal"]["fields"].as_array() else {
        return kind.to_owned();
    };
    let names = fields.iter().map(|it| it["name"].as_str().expect("a name"));
    names.collect::<Vec<_>>().join(", ")
}

/// What the reference model makes of the advice, for whoever reads the table.
#[test]
fn the_advice_holds_in_the_reference_model() {
    let table = fs::read_to_string(folder("tune/table.txt")).expect("a table");
    let rows = rows(&table);
    assert_eq!(rows.len(), 37);
    let (mut advised, mut bad) = (0, 0);
    for Row {
        name,
        made_bad,
        said,
        before,
        after,
        again,
    } in &rows
    {
        bad += usize::from(*made_bad);
        let Some(after) = after else {
            assert!(["nothing-to-gain", "refused"].contains(said), "{name}");
            continue;
        };
        assert!(made_bad, "{name} is good, and is told {said}");
        advised += 1;
        // In pod-hours; those that are missing, to a hundredth.
        let [hours, missing, reversals] = *before;
        assert!(after[1] <= missing, "{name}: {before:?} {after:?}");
        assert!(
            after[0] < hours * 0.95 || after[2] < reversals / 2.0,
            "{name}: {before:?} {after:?}"
        );
        assert_eq!(*again, "nothing-to-gain", "{name}");
    }
    assert!(bad >= 15, "{bad} bad");
    assert!(advised >= 12, "{advised} of {bad} advised");
}

#[test]
fn every_trace_is_told_what_its_table_has() {
    let table = fs::read_to_string(folder("tune/table.txt")).expect("a table");
    let mut checked = 0;
    for row in rows(&table) {
        let record = unpacked(&folder("tune").join(format!("{}.jsonl.gz", row.name)));
        assert_eq!(said(&item(record.path())), row.said, "{}", row.name);
        checked += 1;
    }
    assert_eq!(checked, 37);
}

#[test]
fn the_pages_of_the_document_are_current() {
    let path = folder("../docs/tune.md");
    let mut text = fs::read_to_string(&path).expect("a document");
    for (name, packed) in [
        ("web.jsonl", "tune/wave-min.jsonl.gz"),
        ("s3.jsonl", "recordings/restless/s3.jsonl.gz"),
    ] {
        let begin = format!("$ kubectl hpa-explain tune --history {name}\n");
        let start = text.find(&begin).expect("a page") + begin.len();
        let end = start + text[start..].find("```").expect("its end");
        let output = tuned(unpacked(&folder(packed)).path(), &[]);
        text.replace_range(start..end, stdout(&output));
    }
    golden::check(&path, &text);
}

/// What is refused has its reason in what was done to the HPA: an edit of the
/// spec, another writer, another metric that decides.
#[test]
fn what_was_recorded_is_simulated_again() {
    let mut words = String::new();
    for number in 1..=10 {
        let record = unpacked(&folder("recordings/restless").join(format!("s{number}.jsonl.gz")));
        let item = item(record.path());
        let calibration = &item["calibration"];
        let apart = |of: &str| calibration[of].as_f64().unwrap_or(-1.0);
        let answer = match item["answer"]["reason"].as_str() {
            Some(reason) => reason.to_owned(),
            None => said(&item),
        };
        writeln!(
            words,
            "s{number}: {} simulated, {} happened, pod-hours {}% apart: {answer}",
            calibration["simulated"]["changes"],
            calibration["happened"]["changes"],
            apart("podHoursApart"),
        )
        .expect("memory");
    }
    golden::check(&folder("tune/restless.txt"), &words);
}

#[test]
fn formats_and_exit_codes() {
    let bad = unpacked(&folder("tune/quiet-min.jsonl.gz"));
    let good = unpacked(&folder("tune/quiet.jsonl.gz"));
    let rows: [(&tempfile::NamedTempFile, &[&str], i32, &str); 6] = [
        (
            &bad,
            &["-o", "name"],
            0,
            "horizontalpodautoscaler.autoscaling/web\n",
        ),
        (
            &bad,
            &["-o", "name", "--exit-code"],
            3,
            "horizontalpodautoscaler.autoscaling/web\n",
        ),
        (
            &bad,
            &["-o", "patch"],
            0,
            "{\"spec\":{\"minReplicas\":3}}\n",
        ),
        (&good, &["-o", "name", "--exit-code"], 0, ""),
        (&good, &["-o", "patch"], 0, ""),
        (&good, &["other", "-o", "patch"], 1, ""),
    ];
    for (record, arguments, code, says) in rows {
        let output = tuned(record.path(), arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert_eq!(stdout(&output), says, "{arguments:?}");
    }
    // One sample shows no pass, so that there is nothing to simulate again.
    let all = fs::read_to_string(good.path()).expect("a record");
    let first: Vec<&str> = all.lines().take(2).collect();
    fs::write(bad.path(), first.join("\n") + "\n").expect("writable");
    let output = tuned(bad.path(), &[]);
    let text = stdout(&output);
    assert!(!text.contains("simulated"), "{text}");
    assert!(text.contains("No advice: the history is 1s long"), "{text}");
    let output = run(nowhere(), &["tune", "web"]);
    assert_eq!(output.status.code(), Some(2));
    for command in ["watch NAME --record FILE", "--prometheus"] {
        assert!(stderr(&output).contains(command), "{}", stderr(&output));
    }
}

/// What a page says first, and what keeps a doubled load waiting for ever.
#[test]
fn a_bound_that_is_too_low_is_told_first() {
    let record = unpacked(&folder("tune/at-max.jsonl.gz"));
    let output = tuned(record.path(), &[]);
    let text = stdout(&output);
    let answer = text.split("\n\n").nth(2).expect("an answer");
    assert!(
        answer.starts_with("maxReplicas 8 is too low: the load needs up to 15 pods; raise it"),
        "{text}"
    );
    assert!(text.contains("never come\n(maxReplicas 8)."), "{text}");
    let limit = &item(record.path())["limit"];
    assert_eq!(
        *limit,
        json!({"kind": "maxReplicas", "replicas": 8, "needed": 15})
    );
}

/// Also where nothing is gained, the best of what was tried has its numbers.
#[test]
fn nothing_to_gain_has_the_numbers_of_the_best() {
    for name in ["wave", "constant", "square", "queue", "peaks-hour"] {
        let record = unpacked(&folder(&format!("tune/{name}.jsonl.gz")));
        let item = item(record.path());
        let best = &item["answer"]["best"];
        assert!(best["then"]["podSeconds"].is_number(), "{name}: {item}");
        assert!(
            !best["fields"].as_array().expect("fields").is_empty(),
            "{name}"
        );
        let text = tuned(record.path(), &["-v"]);
        let is_same = best["then"] == best["now"];
        assert_eq!(stdout(&text).contains("\n  best "), !is_same, "{name}");
        for says in ["\n  now ", "MISSING: pod-hours that"] {
            assert!(stdout(&text).contains(says), "{name}: {}", stdout(&text));
        }
    }
}

/// A field has the value that it had, and advice on a queue says what it rests on.
#[test]
fn a_change_has_both_values_and_what_it_rests_on() {
    let record = unpacked(&folder("tune/queue-hour.jsonl.gz"));
    let output = tuned(record.path(), &[]);
    for says in [
        "scaleDown window 3600s → 300s\n",
        "\nIt holds only if queue does not depend on the pods.",
    ] {
        assert!(stdout(&output).contains(says), "{}", stdout(&output));
    }
    let item = item(record.path());
    let field = &item["answer"]["proposal"]["fields"][0];
    let values = ["name", "field", "from", "to"].map(|it| field[it].as_str().expect("a text"));
    let name = ["scaleDown window 300s", "scaleDown window", "3600s", "300s"];
    assert_eq!(values, name);
    assert_eq!(item["loadFromOutside"], json!(["queue"]));
}

/// Of a file as of a Prometheus, the last time.
#[test]
fn the_last_time_of_a_record_is_enough() {
    let record = unpacked(&folder("tune/wave-min.jsonl.gz"));
    let output = tuned(record.path(), &["--for", "2h", "-o", "json"]);
    let document: Value = serde_json::from_str(stdout(&output)).expect("a document");
    let seconds = document["items"][0]["seconds"].as_i64().expect("a number");
    assert!((7_100..=7_200).contains(&seconds), "{seconds}");
}

/// Each metric of s7 decides some passes: on the load of one of them alone, 45 changes are
/// simulated where 28 happened. Of s10, memory is what each pod holds.
#[test]
fn several_metrics_are_simulated_together() {
    for (name, changes) in [("s7", 28), ("s10", 5)] {
        let record = unpacked(&folder(&format!("recordings/restless/{name}.jsonl.gz")));
        let calibration = &item(record.path())["calibration"];
        assert_eq!(calibration["happened"]["changes"], changes, "{name}");
        let apart = |of: &str| calibration[of].as_f64().expect("a number");
        assert!(apart("podHoursApart") <= 5.0, "{name}: {calibration}");
        assert!(apart("changesApart") <= 15.0, "{name}: {calibration}");
    }
}

/// What cannot be read of several stands in their table as well, with the reason.
#[test]
fn what_has_no_history_is_told_beside_the_others() {
    let stored = Stored::read("15s");
    let address = server(move |request| {
        if request.contains("%22s1%22") {
            return (500, "broken".to_owned());
        }
        stored.reply(request)
    });
    let (folder, path) = file();
    let all = fs::read_to_string(path).expect("a file");
    let is_own = |line: &&str| {
        let document: Value = serde_json::from_str(line).expect("a snapshot");
        let name = &document["horizontalPodAutoscaler"]["metadata"]["name"];
        name == "s1" || name == "s3"
    };
    let both: Vec<&str> = all.lines().filter(is_own).collect();
    assert_eq!(both.len(), 2);
    let own = folder.path().join("both.json");
    fs::write(&own, both.join("\n")).expect("writable");
    let own = own.to_str().expect("a path");
    let output = run(
        nowhere(),
        &["tune", "--snapshot", own, "--prometheus", &address],
    );
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.starts_with("2 HPAs: "), "{text}");
    assert!(text.contains("no advice: no history: "), "{text}");
    assert!(text.contains("fewer specs are tried"), "{text}");
}

/// The quota of the namespace, which the pods of the HPA would exceed.
fn with_quota(snapshot: &mut Value, pods: &str) {
    let quota = json!({
        "metadata": {"name": "compute"}, "spec": {"hard": {"pods": pods}},
        "status": {"hard": {"pods": pods}, "used": {"pods": "9"}},
    });
    snapshot["room"] = json!({"resourceQuotas": [quota], "limitRanges": []});
}

#[test]
fn room_is_of_the_bound_that_counts() {
    let stored = Stored::read("15s");
    let address = server(move |request| stored.reply(request));
    let (folder, path) = file();
    let all = fs::read_to_string(path).expect("a file");
    let mut snapshot: Value = all
        .lines()
        .map(|line| serde_json::from_str(line).expect("a snapshot"))
        .find(|it: &Value| it["horizontalPodAutoscaler"]["metadata"]["name"] == "s3")
        .expect("s3");
    let own = folder.path().join("s3.json");
    let own = own.to_str().expect("a path");
    let ask = ["tune", "s3", "--snapshot", own, "--prometheus", &address];
    for (pods, says) in [
        ("9", "does not fit: quota compute allows pods 9, 9 used"),
        ("900", "fits the quota"),
    ] {
        with_quota(&mut snapshot, pods);
        fs::write(own, snapshot.to_string()).expect("a file");
        let output = run(nowhere(), &ask);
        let text = stdout(&output);
        assert!(
            text.contains(&format!("\nRoom   {says}")),
            "{text}{}",
            stderr(&output)
        );
    }
}

/// Quotas and limit ranges in any case, by name and in a list; nodes where asked for.
#[test]
fn the_room_is_read_of_a_cluster() {
    let stored = Stored::read("15s");
    let address = server(move |request| stored.reply(request));
    let cluster = ApiServer::replay("steady").https().start();
    for (which, read) in [
        (&["web"][..], [1, 1, 0]),
        (&["web", "--nodes"], [1, 1, 1]),
        (&[], [1, 1, 0]),
    ] {
        cluster.forget_log();
        let ask = ["tune", "-n", "shop", "--prometheus", &address];
        run(&cluster.kubeconfig(), &[&ask, which].concat());
        let log = cluster.log();
        let paths = [
            "/api/v1/namespaces/shop/resourcequotas",
            "/api/v1/namespaces/shop/limitranges",
            "/api/v1/nodes",
        ];
        let count = |path: &str| {
            log.iter()
                .filter(|it| it.path().split('?').next() == Some(path))
                .count()
        };
        assert_eq!(paths.map(count), read, "{which:?}");
    }
}

/// With `--requests`: what goes together, or why nothing does; half of it is no patch.
#[test]
fn requests_and_targets_change_together() {
    let mut text = String::new();
    for name in ["wave-min", "quiet", "average", "queue"] {
        let record = unpacked(&folder(&format!("tune/{name}.jsonl.gz")));
        let output = tuned(record.path(), &["--requests"]);
        let mut parts = stdout(&output).split("\n\n");
        let requests = parts.find(|it| it.starts_with("Requests"));
        writeln!(text, "# {name}\n{}\n", requests.expect("an answer")).expect("memory");
    }
    golden::check(&folder("tune/requests.txt"), &text);
    let record = unpacked(&folder("tune/quiet.jsonl.gz"));
    let output = tuned(record.path(), &["--requests", "-o", "patch"]);
    assert_eq!(stdout(&output), "");
    assert!(
        stderr(&output).contains("a smaller cpu request pays; -o text has both commands"),
        "{}",
        stderr(&output)
    );
    let price = ["--requests", "--price", "cpu-hour=1", "--exit-code"];
    let output = tuned(record.path(), &price);
    assert_eq!(output.status.code(), Some(3));
    let text = stdout(&output).split_whitespace().collect::<Vec<_>>();
    assert!(text.join(" ").contains("less in 30 days of"), "{text:?}");
}

/// Of several HPAs of a Prometheus, a table; what is too short is calibrated
/// all the same.
#[test]
fn several_are_told_in_a_table() {
    let stored = Stored::read("15s");
    let address = server(move |request| stored.reply(request));
    let (_folder, path) = file();
    let path = path.to_str().expect("a path");
    let own = ["tune", "--snapshot", path, "--prometheus", &address];
    let output = run(nowhere(), &own);
    let text = stdout(&output);
    assert!(
        text.starts_with("10 HPAs: a change pays for 0"),
        "{text}{}",
        stderr(&output)
    );
    let output = run(
        nowhere(),
        &[own.as_slice(), &["-o", "json", "--exit-code"]].concat(),
    );
    let document: Value = serde_json::from_str(stdout(&output)).expect("a document");
    let items = document["items"].as_array().expect("a list");
    assert_eq!(items.len(), 10);
    let calibrated = items.iter().filter(|it| {
        it["calibration"]["podHoursApart"]
            .as_f64()
            .is_some_and(|apart| apart <= 5.0)
    });
    let calibrated = calibrated.count();
    assert!(calibrated >= 8, "{calibrated}");
    // Where the simulation is off, it is told of what, since when, and why.
    let off = items.iter().filter_map(|it| {
        let is_off = it["answer"]["cause"] == "not-reproduced";
        Some((it["name"].as_str()?, it["answer"]["reason"].as_str()?)).filter(|_| is_off)
    });
    let off: Vec<(&str, &str)> = off.collect();
    let expected = [
        ("s8", "pod-hours 27.3% apart; first", "gaps of up to 4m1s"),
        (
            "s9",
            "38 changes and not 50, pod-hours",
            "another writer may",
        ),
    ];
    assert_eq!(off.len(), expected.len(), "{off:?}");
    for ((name, reason), (own, what, why)) in off.iter().zip(expected) {
        assert_eq!(*name, own, "{off:?}");
        assert!(reason.contains(what), "{off:?}");
        let told = reason.split_once("): ").expect("a cause").1;
        assert!(told.contains(why), "{off:?}");
        let line = |it: &&str| it.contains(&format!("soak/{name} "));
        assert!(text.lines().any(|it| line(&it)), "{text}");
    }
    // While cpu gave no answer, s7 kept its size: so does the simulation.
    let s7 = items.iter().find(|it| it["name"] == "s7").expect("s7");
    let calibration = &s7["calibration"];
    assert_eq!(calibration["happened"]["changes"], 27);
    assert_eq!(calibration["simulated"]["changes"], 30);
    let output = run(nowhere(), &[own.as_slice(), &["-o", "patch"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("of one HPA"),
        "{}",
        stderr(&output)
    );
}
