//! `-o html`: a page of each command, what is left out of it, and where it goes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::{RecordEntry, RecordReader, Snapshot};
use hpa_explain::history::{Observer, Teller};
use hpa_explain::render::{Format, TextOptions};
use hpa_explain::trace::Story;
use hpa_explain::what_if;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::support::build::Case;
use crate::support::golden;
use crate::support::pod::{cpu, silent};

/// The commands that make pages, on the files of [`folder`].
const COMMANDS: [&str; 7] = [
    "--snapshot web.json",
    "flaps --snapshot web.json",
    "flaps --history wave.jsonl --at -0s",
    "dry-run web --snapshot web.json --set spec.maxReplicas=30 --for 15m",
    "simulate --snapshot web.json --load spike",
    "tune --history wave.jsonl",
    "demo period-start",
];

/// A recording of the tests, as `watch --record` wrote it.
fn recorded(path: &str, to: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(path);
    let file = fs::File::open(from).expect(path);
    let mut file = flate2::read::GzDecoder::new(file);
    let mut out = fs::File::create(to).expect("writable");
    std::io::copy(&mut file, &mut out).expect(path);
}

/// The page of a recording of the tests.
fn page_of_record(file: &str, arguments: &str) -> String {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let path = folder.path().join("record.jsonl");
    recorded(&format!("recordings/{file}.jsonl.gz"), &path);
    let command = format!("--history record.jsonl {arguments}");
    page_of(folder.path(), &command)
}

/// A folder with a snapshot that has something to leave out, and a record.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let case = Case::new()
        .bounds(1, 20)
        .replicas(4)
        .cpu(60)
        .pods(3, &cpu(900, 1000));
    let mut snapshot = case.pods(1, &silent(1000).pending()).document();
    // The key of what is hashed.
    snapshot["horizontalPodAutoscaler"]["metadata"]["uid"] = json!("u1");
    for pod in snapshot["pods"].as_array_mut().expect("pods") {
        pod["spec"]["nodeName"] = json!("secret-node-7");
        pod["spec"]["containers"][0]["image"] = json!("registry.corp/secret:1");
        if pod["status"]["phase"] == "Pending" {
            pod["status"]["conditions"] = json!([{
                "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                "message": "no room on secret-node-7",
            }]);
        }
    }
    fs::write(folder.path().join("web.json"), snapshot.to_string()).expect("writable");
    recorded("tune/wave.jsonl.gz", &folder.path().join("wave.jsonl"));
    folder
}

fn run_with(folder: &Path, command: &str, path: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(command.split(' '))
        .current_dir(folder)
        .env_clear()
        .env("TZ", "UTC")
        .env("PATH", path)
        .env("TMPDIR", folder)
        .output()
        .expect("the binary runs")
}

fn run(folder: &Path, command: &str) -> Output {
    run_with(folder, command, "")
}

fn page_of(folder: &Path, command: &str) -> String {
    let output = run(folder, &format!("{command} -o html"));
    assert!(output.status.success(), "{command}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Each of these stands on a page, behind the one before it.
fn tells_in_order(page: &str, told: &[&str], command: &str) {
    let mut rest = page;
    for told in told {
        let found = rest.split_once(told);
        rest = found.unwrap_or_else(|| panic!("{command}: {told}")).1;
    }
}

#[test]
fn every_command_makes_a_page_of_its_own() {
    let folder = folder();
    for command in COMMANDS {
        let page = page_of(folder.path(), command);
        // A link to the documentation is followed only by who follows it.
        let docs = concat!(
            "<a href=\"",
            env!("CARGO_PKG_REPOSITORY"),
            "/blob/main/docs/"
        );
        let page = page.replace(docs, "<a href=\"");
        assert!(page.starts_with("<!DOCTYPE html>\n"), "{command}");
        assert!(page.ends_with("</html>\n"), "{command}");
        assert_eq!(page.matches("<h1>").count(), 1, "{command}");
        assert!(page.contains("default-src 'none'"), "{command}");
        for element in [
            "<script", "<link", "<img", "<iframe", " src=", "url(", "@import", "http:", "https:",
        ] {
            assert!(!page.contains(element), "{command}: {element}");
        }
    }
}

/// Whether it flapped, and what helps, stands before the passes that show it; of a time
/// as of a record's last day.
#[test]
fn what_flapped_is_told_with_its_passes() {
    let folder = folder();
    for command in [
        "flaps --history wave.jsonl --at -0s",
        "--history wave.jsonl --since -24h",
    ] {
        let page = page_of(folder.path(), command);
        let told = [
            "<p>No flapping: the size ",
            "<h2>Timeline, pods",
            "<h2>Passes</h2>",
            "id=\"p1\"",
            "predicted</th>",
            "asked for",
        ];
        tells_in_order(&page, &told, command);
    }
}

/// Without minutes to come, the page of `dry-run` has those before the pass.
#[test]
fn a_dry_run_of_a_pass_has_the_chart_before_it() {
    let folder = folder();
    recorded(
        "recordings/flapping-run.jsonl.gz",
        &folder.path().join("flap.jsonl"),
    );
    let edit = "--set spec.maxReplicas=5";
    let page = page_of(
        folder.path(),
        &format!("dry-run --history flap.jsonl --at -20m {edit}"),
    );
    let told = ["<h2>Before this pass, pods", "proposed"];
    tells_in_order(&page, &told, edit);
}

/// The page of a time tries what helps on the recorded load, as `flaps` does.
#[test]
fn what_helps_is_the_same_in_flaps_and_at_the_end_of_a_time() {
    let folder = folder();
    recorded(
        "tune/edge-no-window.jsonl.gz",
        &folder.path().join("edge.jsonl"),
    );
    let tried = |command: &str| {
        let page = page_of(folder.path(), command);
        assert!(page.contains("set a scaleDown window of 30s"), "{page}");
        let tried = page.split("confirmed by simulation on ").nth(1);
        let tried = tried.and_then(|it| it.split('<').next());
        tried.unwrap_or_else(|| panic!("{page}")).to_owned()
    };
    let flaps = tried("flaps --history edge.jsonl --at -0s");
    assert!(flaps.starts_with("1h59m of recorded cpu"), "{flaps}");
    assert_eq!(tried("--history edge.jsonl --since -2h"), flaps);
}

/// What is to come or is simulated has its charts first, with what was asked for, the
/// window and the bounds, and an entry for its passes that opens to numbers.
#[test]
fn compared_specs_are_told_with_their_passes() {
    let folder = folder();
    recorded(
        "recordings/flapping-run.jsonl.gz",
        &folder.path().join("flap.jsonl"),
    );
    recorded(
        "tune/edge-no-window.jsonl.gz",
        &folder.path().join("edge.jsonl"),
    );
    let window = "--set spec.behavior.scaleDown.stabilizationWindowSeconds=180";
    let pages = [
        (
            format!("dry-run --history flap.jsonl --at -20m --for 15m {window}"),
            ["<h2>Size</h2>", "current", "proposed"],
        ),
        (
            "tune --history edge.jsonl".to_owned(),
            [
                "<h2>What happened, and what was simulated</h2>",
                "now",
                "proposed",
            ],
        ),
        (
            "simulate --snapshot web.json --load spike --set spec.minReplicas=8".to_owned(),
            ["<h2>Replicas</h2>", "now", "--set"],
        ),
    ];
    for (command, [chart, one, other]) in &pages {
        let page = page_of(folder.path(), command);
        let (first, second) = (format!("<h2>Passes, {one}"), format!("<h2>Passes, {other}"));
        let told = [
            chart,
            "the first pass that differs: ",
            &first,
            "asked for",
            "after stabilization",
            "minReplicas",
            &second,
            "<h2>Passes</h2>",
            "with a change (",
            "with a difference (",
            "STABILIZED</th>",
        ];
        tells_in_order(&page, &told, command);
    }
    assert_eq!(pages.len(), 3);
}

/// Whoever reads no more than what stands before the timeline knows what made the size
/// flap, and which edit changed that.
#[test]
fn the_head_of_a_page_names_the_cause_and_the_edit() {
    let pages = [
        (
            "flapping-run",
            "api",
            vec![
                "No flapping since the HPA was edited",
                "edited by kubectl patch: scaleDown window from 30s to 3m",
                "Why it flapped before, as found at 08:35:51",
                "returns after up to 1m25s, but the scaleDown window is only 30s",
            ],
        ),
        (
            "restless/s4",
            "s4",
            vec![
                "the scaleDown window is only 2m",
                "edited 13m55s ago, amid these changes",
                "edited by kubectl patch: scaleDown window from 0s to 2m",
            ],
        ),
        (
            "played/edited",
            "web",
            vec!["edited by kubectl apply: cpu target from 25% to 60%"],
        ),
        (
            "restless/s5",
            "s5",
            vec![
                "a window shorter than the load's period",
                "in 23% of the passes the metrics asked for more than maxReplicas 20, up to 33",
            ],
        ),
        (
            "restless/s9",
            "s9",
            vec![
                "54 size changes (8 not by the HPA)",
                "is flapping: something other than the HPA set the size of Deployment/s9 8 times",
                "What may help: see who owns spec.replicas",
                "in addition, a window shorter than the load's period",
                "between 3 and 20",
            ],
        ),
    ];
    for (file, name, told) in pages {
        let page = page_of_record(file, &format!("{name} --since -40m"));
        let (head, rest) = page.split_once("<h2>Timeline").expect("a timeline");
        assert!(!head.contains("<h2>"), "{file}: {head}");
        let (head, rest) = (text_of(head), text_of(&format!("<body>{rest}")));
        for text in told {
            assert!(head.contains(text), "{file}: {text}: {head}");
        }
        assert!(
            !rest.contains("sizes alone cannot rule out a window"),
            "{file}"
        );
    }
}

/// What a search has found comes before all passes of the spec as it is.
#[test]
fn a_page_of_a_search_says_first_whether_anything_is_better() {
    let folder = folder();
    let search = "simulate --snapshot web.json --load spike --for 20m --search";
    let page = page_of(folder.path(), search);
    let (head, rest) = page.split_once("<h2>Load").expect("a load");
    let told = text_of(head);
    assert!(told.contains("1215 behaviors tried. "), "{told}");
    assert!(told.contains("kubectl patch hpa web"), "{told}");
    assert!(!rest.contains("behaviors tried"));
}

/// A restart of the controller is on the timeline: by the Lease, where there is one, or
/// else by passes that come at other times than before. In both records it was so.
#[test]
fn a_restart_of_the_controller_is_on_the_timeline() {
    let probably = "the controller probably restarted: its passes shifted by";
    let took_over = "another kube-controller-manager took over";
    let rows = [
        ("flapping-run", "08:39:37..08:40:58", probably, took_over),
        ("restless/s4", "20:08:12", took_over, probably),
    ];
    for (file, at, told, untold) in rows {
        let page = text_of(&page_of_record(file, "--since -40m"));
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(&format!("{at} {told}")), "{file}: {page}");
        assert!(!page.contains(untold), "{file}: {page}");
    }
    // An event that is counted anew minutes after the new Lease tells of no other one.
    let page = text_of(&page_of_record("restless/s6", "--since -40m"));
    assert!(page.contains(took_over) && !page.contains("event count starts over"));
}

/// Nobody left a name, and each write sets what a manifest has.
#[test]
fn writes_are_told_with_the_manifest_that_has_their_size() {
    let page = text_of(&page_of_record("restless/s9", "--since -40m"));
    let (_, why) = page.split_once("another writer of replicas").expect("why");
    let first = why.split_once("Deployment/s9: ").expect("writes").0;
    let told = "spec.replicas 3, the size that each of these writes set";
    assert!(first.contains(told), "{why}");
}

/// Bounds that were edited are drawn as they were.
#[test]
fn the_chart_before_a_pass_has_the_bounds_of_then() {
    let page = page_of_record("played/edited", "--at -0s");
    let lines = page.split("class=\"run r").filter_map(|line| {
        let (line, _) = line.split_once("\"/>")?;
        line.split_once("\" d=\"")
    });
    let steps = lines.filter(|(line, _)| matches!(*line, "6" | "7"));
    let steps = steps.map(|(_, path)| path.matches('V').count());
    let steps: Vec<usize> = steps.filter(|steps| *steps > 0).collect();
    assert_eq!(steps.len(), 2, "minReplicas and maxReplicas: {steps:?}");
    assert!(steps.iter().all(|steps| *steps > 4), "{steps:?}");
}

/// What a capture leaves out is not in a page either.
#[test]
fn a_page_is_redacted_as_a_capture_is() {
    let folder = folder();
    let secrets = ["secret-node-7"];
    let command = COMMANDS[0];
    let page = page_of(folder.path(), command);
    let whole = page_of(folder.path(), &format!("{command} --no-redact"));
    for secret in secrets {
        assert!(!page.contains(secret), "{secret}: {page}");
        assert!(whole.contains(secret), "{secret}: {whole}");
    }
    // What explains is in both.
    for told in ["web", "node-", "no room on"] {
        assert!(page.contains(told), "{told}: {page}");
    }
}

#[test]
fn a_page_is_written_where_it_is_wanted_and_for_its_owner_alone() {
    let folder = folder();
    let path = folder.path().join("page.html");
    for command in COMMANDS {
        // Without -o as well: a page is what --file is about.
        for format in ["-o html ", ""] {
            let output = run(
                folder.path(),
                &format!("{command} {format}--file page.html"),
            );
            assert!(output.status.success(), "{command}: {output:?}");
            assert!(output.stdout.is_empty(), "{command}: {output:?}");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                said.contains("Wrote page.html, redacted\n"),
                "{command}: {said}"
            );
            let page = fs::read_to_string(&path).expect("a page");
            assert_eq!(page, page_of(folder.path(), command), "{command}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).expect("a page").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{command}");
        }
    }
}

/// A run that has nothing to show leaves the page of an earlier one.
#[test]
fn what_fails_leaves_the_page_that_is_there() {
    let folder = folder();
    let path = folder.path().join("page.html");
    let made = run(folder.path(), &format!("{} --file page.html", COMMANDS[0]));
    assert!(made.status.success(), "{made:?}");
    let page = fs::read_to_string(&path).expect("a page");
    fs::write(folder.path().join("cut.yaml"), "kind: Snapshot\n").expect("writable");
    let commands = [
        "--snapshot cut.yaml",
        "flaps --snapshot cut.yaml",
        "flaps -n nowhere --snapshot web.json",
        "dry-run web --snapshot cut.yaml --set spec.maxReplicas=3",
        "simulate --snapshot cut.yaml --load spike",
        "tune --history cut.yaml",
    ];
    for command in commands {
        let output = run(
            folder.path(),
            &format!("{command} -o html --file page.html"),
        );
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("Wrote"), "{command}: {said}");
        assert_eq!(
            fs::read_to_string(&path).expect("a page"),
            page,
            "{command}"
        );
    }
    assert_eq!(commands.len(), 6);
}

#[test]
fn what_makes_no_page_is_refused() {
    let folder = folder();
    fs::write(folder.path().join("notes.html"), "<html>mine").expect("writable");
    let both = fs::read_to_string(folder.path().join("web.json")).expect("a snapshot");
    let other = both.replace("\"name\":\"web\"", "\"name\":\"api\"");
    fs::write(
        folder.path().join("both.json"),
        format!("{both}\n{other}\n"),
    )
    .expect("writable");
    let rows = [
        (
            "-o json --file page.html",
            "error: --file is about a page, and -o json makes none\n",
        ),
        (
            "-o text --open",
            "error: --open is about a page, and -o text makes none\n",
        ),
        (
            "--no-redact",
            "error: --no-redact is about a page, and -o text makes none\n",
        ),
        (
            "-o html --file notes.html",
            "error: notes.html exists and is not a page of this tool, so it is not replaced\n",
        ),
        (
            "-o html --file web.json",
            "error: web.json exists and is not a page of this tool, so it is not replaced\n",
        ),
    ];
    for (flags, error) in rows {
        let output = run(folder.path(), &format!("{} {flags}", COMMANDS[0]));
        // What no file can mend is wrong usage.
        let code = if error.contains("is about a page") {
            2
        } else {
            1
        };
        assert_eq!(output.status.code(), Some(code), "{flags}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with(error), "{flags}: {said}");
    }
    let output = run(folder.path(), "--snapshot both.json -o html");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("-o html makes a page of one HPA"), "{said}");
    assert!(output.stdout.is_empty());
    assert_eq!(
        fs::read_to_string(folder.path().join("notes.html")).expect("there"),
        "<html>mine"
    );
}

/// The browser is whatever the system opens files with.
#[cfg(target_os = "linux")]
#[test]
fn a_page_opens_in_the_browser_or_its_path_is_printed() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).expect("writable");
    let browser = bin.join("xdg-open");
    let opened = || fs::read_to_string(folder.path().join("opened")).unwrap_or_default();
    let open = |script: &str| {
        fs::write(&browser, script).expect("writable");
        fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).expect("mine");
        run_with(
            folder.path(),
            &format!("{} --open", COMMANDS[0]),
            bin.to_str().expect("a path"),
        )
    };
    let output = open("#!/bin/sh\necho \"$1\" > opened\n");
    assert!(
        output.status.success() && output.stdout.is_empty(),
        "{output:?}"
    );
    let page = PathBuf::from(opened().trim());
    assert_eq!(page.parent(), Some(folder.path()));
    let text = fs::read_to_string(&page).expect("a page that stays");
    assert_eq!(text, page_of(folder.path(), COMMANDS[0]));
    let mode = fs::metadata(&page).expect("a page").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // One that fails, and none at all.
    let failed = open("#!/bin/sh\nexit 3\n");
    fs::remove_file(&browser).expect("mine");
    let none = run_with(folder.path(), &format!("{} --open", COMMANDS[0]), "");
    for output in [failed, none] {
        assert!(output.status.success(), "{output:?}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(Path::new(printed.trim_end()).is_file(), "{output:?}");
    }
}

/// The text of a page, without its elements.
fn text_of(page: &str) -> String {
    let (_, body) = page.split_once("<body>").expect("a body");
    let parts = body
        .split('<')
        .map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    let text = parts.collect::<Vec<_>>().join(" ");
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    text.replace("&#39;", "'").replace("&amp;", "&")
}

/// The words of a text; what a page of columns has been cut or drawn for is left out.
fn words(text: &str) -> Vec<String> {
    let is_drawn = |it: char| "│┤└─▁▂▃▄▅▆▇█▶…\\".contains(it);
    let words = text.split_whitespace().filter(|it| !it.contains(is_drawn));
    words
        .filter(|it| !["#", "Found"].contains(it))
        .map(str::to_owned)
        .collect()
}

/// What the text says, the page says: word for word, in whatever order.
#[test]
fn a_page_has_what_the_text_has() {
    let folder = folder();
    let mut compared = 0;
    for command in [
        COMMANDS[0],
        COMMANDS[1],
        COMMANDS[3],
        COMMANDS[5],
        "demo",
        "demo period-start",
    ] {
        // A text is for the one who asked, and so not redacted.
        let whole = if command.starts_with("demo") {
            command.to_owned()
        } else {
            format!("{command} --no-redact")
        };
        let page = words(&text_of(&page_of(folder.path(), &whole)));
        let output = run(folder.path(), &format!("{command} -o text"));
        let text = String::from_utf8(output.stdout).expect("text");
        let text = text.split("\nMore built-in cases").next().expect("a text");
        for word in words(text) {
            // Charts have labels of their own, and units in one scale.
            // Of several curves, a title is said once, and each name beside its line.
            let bare = word.trim_end_matches([',', '.', ':', ';']);
            let is_there = page.iter().any(|it| it.contains(bare));
            assert!(is_there, "{command}: {word:?} of\n{text}");
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared}");
}

/// `UPDATE_GOLDEN=1 cargo test --test suite page::` writes the file anew.
#[test]
fn a_small_page_looks_as_it_did() {
    let folder = folder();
    let page = page_of(folder.path(), "demo slowed-by-policy");
    let (_, body) = page.split_once("</style>").expect("a style");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/slowed-by-policy.html");
    golden::check(&path, body);
}

const START: &str = "2026-11-20T00:00:00Z";

/// A day of one HPA, a sample a pass, whose load is at a level in each.
fn day(level: impl Fn(i64) -> i32) -> impl Iterator<Item = Snapshot> {
    let start: Timestamp = START.parse().expect("a time");
    let mut size = 4;
    let case = Case::new().bounds(2, 20).replicas(4).cpu(60);
    let mut document = case.pods(4, &cpu(600, 1000)).document();
    document["horizontalPodAutoscaler"]["status"]["conditions"] = json!([
        {"type": "AbleToScale", "status": "True", "reason": "ReadyForNewScale"},
        {"type": "ScalingActive", "status": "True", "reason": "ValidMetricFound"},
    ]);
    let documents = hpa_explain::document::snapshot::read_documents(&document.to_string());
    let first = documents.into_iter().next().expect("a document");
    let first = first.snapshot.expect("a snapshot");
    (0..5_760).map(move |pass| {
        let mut now = first.clone();
        now.captured_at = start + SignedDuration::from_secs(15 * pass);
        let scale = now.scale.response_mut().expect("a scale");
        (scale.spec.replicas, scale.status.replicas) = (size, size);
        let status = &mut now.hpa.status;
        (status.current_replicas, status.desired_replicas) = (size, level(pass));
        // Each pass writes, so that none is inferred.
        status.conditions[0].message = format!("pass {pass}");
        size = level(pass);
        now
    })
}

/// The page of a day, and its story.
fn page_of_day(level: impl Fn(i64) -> i32) -> (String, Story) {
    let overrides = Overrides::default();
    let from: Timestamp = START.parse().expect("a time");
    let times = (from, from + SignedDuration::from_hours(24));
    let explain = |snapshot: &Snapshot, settings: &Settings, at, observer: &Observer| {
        what_if::summarize(snapshot, settings, at, observer)
    };
    let mut teller = Teller::new(times, &overrides, Some(&explain));
    for sample in day(level) {
        teller.sample(sample);
    }
    let story = teller.story().expect("a story");
    let mut page = Vec::new();
    let written = Format::Html.write(&story, &TextOptions::default(), &mut page);
    written.expect("memory");
    (String::from_utf8(page).expect("text"), story)
}

/// A day is a page that can be sent: the quiet one a small one, and of one that flaps
/// it is said which passes have none.
#[test]
fn a_day_is_one_page() {
    let (quiet, story) = page_of_day(|_| 4);
    assert!(story.passes.len() > 5_000, "{}", story.passes.len());
    assert!(quiet.len() <= 400 << 10, "{} KiB", quiet.len() >> 10);
    let (flapping, story) = page_of_day(|pass| if pass / 10 % 2 == 0 { 4 } else { 12 });
    assert!(story.changes.len() > 500, "{}", story.changes.len());
    assert!(flapping.len() <= 2 << 20, "{} KiB", flapping.len() >> 10);
    assert!(
        flapping.contains("too many passes to explain them all"),
        "it says what is left out"
    );
    assert!(flapping.contains("--history FILE --at TIME"));
    let entries = entries(&flapping);
    let matters = entries.iter().copied();
    let matters = matters.filter(|it| it.starts_with("change") || it.starts_with("difference"));
    let (opening, closed): (Vec<&str>, Vec<&str>) = matters.partition(opens);
    assert_eq!((closed.len(), opening.len() > 500), (0, true));
    // Paper has those that open to most, and says so.
    let printed = entries.iter().filter(|it| it.contains("<table>")).count();
    assert!((100..=200).contains(&printed), "{printed}");
    let left_out = entries.len() - printed;
    let says = format!("On paper, {left_out} of these {} entries", entries.len());
    assert!(flapping.contains(&says), "{says}");
    assert!(!quiet.contains("On paper,"));
}

/// The times on the axis of a page's first chart.
fn times(page: &str) -> Vec<&str> {
    let (_, ticks) = page.split_once("<div class=\"ticks\"").expect("an axis");
    let (ticks, _) = ticks.split_once("</div>").expect("its end");
    let ticks = ticks.split("%\">").skip(1);
    ticks.map(|it| it.split('<').next().unwrap_or(it)).collect()
}

/// From a minute to a month: three to seven round times, in the page's zone.
#[test]
fn the_axis_of_a_chart_has_round_times() {
    let folder = folder();
    let spike = "simulate --snapshot web.json --load noise --for";
    let mut ran = 0;
    for (length, told) in [
        ("2m", "30s 1m 1m30s"),
        ("15m", "3m 6m 9m 12m"),
        ("1h", "10m 20m 30m 40m 50m"),
        ("24h", "6h 12h 18h"),
        ("100h", "1d 2d 3d 4d"),
        ("700h", "7d 14d 21d 28d"),
    ] {
        let page = page_of(folder.path(), &format!("{spike} {length}"));
        assert_eq!(times(&page).join(" "), told, "{length}");
        ran += 1;
    }
    assert_eq!(ran, 6);
    // A day from midnight in London begins at 05:30 in Kolkata.
    let (page, story) = page_of_day(|_| 4);
    assert_eq!(times(&page), ["06:00", "12:00", "18:00"]);
    let zone = jiff::tz::TimeZone::fixed(jiff::tz::Offset::from_seconds(19_800).expect("one"));
    let options = TextOptions {
        zone,
        ..TextOptions::default()
    };
    let mut page = Vec::new();
    let written = Format::Html.write(&story, &options, &mut page);
    written.expect("memory");
    let page = String::from_utf8(page).expect("text");
    assert_eq!(times(&page), ["12:00", "18:00", "11-21"]);
}

fn hostile() -> Vec<String> {
    let lines = include_str!("../page/hostile.jsonl").lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a text"))
        .collect()
}

/// The strings of a document.
fn strings<'v>(value: &'v mut Value, found: &mut Vec<&'v mut Value>) {
    match value {
        Value::String(_) => found.push(value),
        Value::Array(all) => all.iter_mut().for_each(|it| strings(it, found)),
        Value::Object(all) => all.values_mut().for_each(|it| strings(it, found)),
        _ => {}
    }
}

/// Whether each element of a page is one that the page's own code writes.
fn check_elements(page: &str) {
    const OWN: [&str; 46] = [
        "!DOCTYPE",
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "p",
        "strong",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "pre",
        "code",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "figure",
        "figcaption",
        "div",
        "span",
        "svg",
        "path",
        "details",
        "summary",
        "fieldset",
        "legend",
        "label",
        "input",
        "a",
        "br",
        "em",
        "i",
        "b",
    ];
    for part in page.split('<').skip(1) {
        let name = part.trim_start_matches('/').split([' ', '>', '\n']).next();
        assert!(OWN.contains(&name.expect("a name")), "<{part}");
        let (tag, _) = part.split_once('>').expect("a closed tag");
        assert_eq!(tag.matches('"').count() % 2, 0, "<{tag}");
        assert!(!tag.to_lowercase().contains(" on"), "<{tag}");
    }
}

/// A hostile text in every string of a snapshot that may have one, one after the other
/// and all at once.
#[test]
fn hostile_texts_are_nothing_but_text() {
    let wanted = hostile();
    let case = Case::new()
        .bounds(1, 20)
        .replicas(4)
        .cpu(60)
        .pods(3, &cpu(900, 1000));
    let mut all = case.pods(1, &silent(1000).pending()).document();
    let mut found = Vec::new();
    let mut counted = all.clone();
    strings(&mut counted, &mut found);
    let count = found.len();
    let (mut put, mut said) = (0, 0);
    for at in 0..count {
        let mut tried = all.clone();
        let mut places = Vec::new();
        strings(&mut tried, &mut places);
        let text = &wanted[put % wanted.len()];
        *places[at] = json!(text);
        let documents = hpa_explain::document::snapshot::read_documents(&tried.to_string());
        let Some(Ok(snapshot)) = documents.into_iter().next().map(|it| it.snapshot) else {
            continue;
        };
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        let now = snapshot.captured_at;
        let trace = what_if::explain(&snapshot, &settings, now, &Observer::default());
        let mut page = Vec::new();
        let written = Format::Html.write(&trace, &TextOptions::default(), &mut page);
        written.expect("memory");
        let page = String::from_utf8(page).expect("text");
        check_elements(&page);
        assert!(!page.contains("<code>rm"), "{page}");
        said += usize::from(text.len() > 9 && text_of(&page).contains(&text[..8]));
        put += 1;
        all = tried;
    }
    assert!(put > 40 && said > 10, "{put} put, {said} said");
}

/// The entries of a page's list, each from its classes on.
fn entries(page: &str) -> Vec<&str> {
    page.split("<li class=\"").skip(1).collect()
}

fn opens(entry: &&str) -> bool {
    entry
        .split_once('>')
        .is_some_and(|it| it.1.starts_with("<details>"))
}

/// Each change and difference of a simulation opens to its numbers and to the pass, under
/// each spec.
#[test]
fn a_simulated_change_opens_to_its_pass() {
    let folder = folder();
    let spike = COMMANDS[4];
    let mut changes = 0;
    for (more, sides) in [("", 1), (" --set spec.maxReplicas=5", 2)] {
        let page = page_of(folder.path(), &format!("{spike}{more}"));
        for entry in entries(&page) {
            let matters = ["change", "difference"]
                .iter()
                .any(|it| entry.starts_with(it));
            assert_eq!(matters, opens(&entry), "{entry}");
            changes += usize::from(matters);
            let entry = entry.split("</details>").next().unwrap_or(entry);
            for title in [
                "LOAD",
                "SERVING",
                "ASKED FOR",
                "DECISION",
                "METRIC",
                "RATIO",
            ] {
                let told = entry.matches(&format!("data-title=\"{title}\"")).count();
                assert_eq!(told, if matters { sides } else { 0 }, "{title}: {entry}");
            }
        }
        assert!(!page.contains("too many passes"), "{page}");
        // Of two sides, the first pass that differs is marked.
        let differs = page.contains("the first pass that differs: now ");
        assert_eq!(differs, sides == 2);
    }
    assert!(changes > 5, "{changes}");
    // Of very many, it is said how many open.
    let noise = "simulate --snapshot web.json --load noise:mean=4,by=60% --for 80h";
    let window = "spec.behavior.scaleDown.stabilizationWindowSeconds=0";
    let page = page_of(folder.path(), &format!("{noise} --set {window}"));
    assert!(page.len() < 2 << 20, "{} KiB", page.len() >> 10);
    let opening = entries(&page).into_iter().filter(opens).count();
    let whole = entries(&page).into_iter().filter(tells_pass).count();
    let says = format!(
        "{whole} of them can be opened to the whole pass, and {} to their numbers alone",
        opening - whole
    );
    assert!(opening > 500 && page.contains(&says), "{says}");
    assert!((10..=100).contains(&whole), "{whole}");
}

/// Whether an entry opens to what each metric asked for in its pass.
fn tells_pass(entry: &&str) -> bool {
    opens(entry) && entry.contains("data-title=\"RATIO\"")
}

/// Where a simulation is not what happened, the chart says so, and the passes are found.
#[test]
fn what_happened_otherwise_is_a_difference() {
    let folder = folder();
    let record = folder.path().join("by-hand.jsonl");
    recorded("tune/by-hand.jsonl.gz", &record);
    let page = page_of(folder.path(), "tune --history by-hand.jsonl");
    tells_in_order(
        &page,
        &[
            "</strong> the first difference: happened 9, simulated 8",
            "with a difference (",
            "stays at 8 (happened: 9, set by someone else)",
        ],
        "tune",
    );
    let all = entries(&page);
    let told = all.iter().filter(|it| it.contains("(happened: "));
    let told: Vec<&&str> = told.collect();
    assert!(told.len() > 5, "{}", told.len());
    for entry in told {
        assert!(
            entry
                .split('"')
                .next()
                .is_some_and(|it| it.contains("difference"))
        );
        assert!(tells_pass(entry), "{entry}");
    }
    // Of what was simulated right, nothing is said.
    let page = page_of(folder.path(), "tune --history wave.jsonl");
    assert!(!page.contains("(happened: ") && !page.contains("the first difference"));
}

/// Each change and difference of the passes to come opens to the pass, on a load that stays
/// and on a recorded one.
#[test]
fn a_pass_to_come_opens() {
    let folder = folder();
    let window = "spec.behavior.scaleDown.stabilizationWindowSeconds=60";
    let mut opened = 0;
    for source in ["--snapshot web.json", "--history wave.jsonl --at -2h"] {
        let page = page_of(
            folder.path(),
            &format!("dry-run {source} --for 30m --set {window} --set spec.maxReplicas=7"),
        );
        for entry in entries(&page).into_iter().filter(opens) {
            if entry.contains("data-title=\"STABILIZED\"") {
                assert!(tells_pass(&entry), "{source}: {entry}");
                opened += 1;
            }
        }
    }
    assert!(opened > 5, "{opened}");
}

/// A record with all of them in its first sample, told pass by pass.
#[test]
fn a_hostile_story_is_nothing_but_text() {
    let wanted = hostile();
    let overrides = Overrides::default();
    let from = Timestamp::UNIX_EPOCH;
    let explain = |snapshot: &Snapshot, settings: &Settings, at, observer: &Observer| {
        what_if::explain(snapshot, settings, at, observer)
    };
    let mut teller = Teller::new((from, Timestamp::MAX), &overrides, Some(&explain));
    let file = "recordings/played/edited.jsonl.gz";
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(file);
    let file = flate2::read::GzDecoder::new(fs::File::open(path).expect("a record"));
    let mut reader = RecordReader::default();
    for (at, entry) in reader
        .read(std::io::BufReader::new(file))
        .enumerate()
        .take(200)
    {
        let RecordEntry::Sample(mut sample) = entry.expect("a line") else {
            continue;
        };
        let snapshot = &mut sample.snapshot;
        let text = &wanted[at / 10 % wanted.len()];
        snapshot.hpa.metadata.name = wanted[wanted.len() - 1].as_str().into();
        snapshot.hpa.metadata.namespace = wanted[1].as_str().into();
        for pod in &mut snapshot.pods {
            pod.metadata.name = format!("{text}{}", pod.metadata.name).into();
        }
        for condition in &mut snapshot.hpa.status.conditions {
            condition.message.clone_from(text);
        }
        teller.sample(sample.snapshot);
    }
    let story = teller.story().expect("a story");
    let mut page = Vec::new();
    let written = Format::Html.write(&story, &TextOptions::default(), &mut page);
    written.expect("memory");
    let page = String::from_utf8(page).expect("text");
    check_elements(&page);
    assert!(page.contains("`rm -rf`") && !page.contains("<code>rm"));
    // What is ours is marked.
    assert!(page.contains("<code>kubectl hpa-explain"));
    assert!(page.matches("<details>").count() > 10);
    assert!(text_of(&page).contains(&wanted[1]));
}

/// In a real browser, with what `scripts/check-page` looks at.
#[ignore = "needs chromium"]
#[test]
fn a_browser_finds_nothing_wrong() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/check-page");
    let status = Command::new(script)
        .env("HPA_EXPLAIN", env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .status();
    assert!(status.expect("the script runs").success());
}
