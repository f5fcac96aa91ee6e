//! Every format beside the plain text of 80 columns: what twelve cases look
//! like, and rules that hold for all recorded HPAs.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite formats::` writes the files anew.

use crate::support::golden::Goldens;
use crate::support::is_one_word;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::apiserver::ApiServer;
use crate::support::binary::{NAMES, SITUATIONS, run, stdout};
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::read_documents;
use hpa_explain::history::Observer;
use hpa_explain::render::{Format, ListOptions, Summary, SummaryList, TextOptions};
use hpa_explain::trace::Trace;
use hpa_explain::what_if;
use unicode_width::UnicodeWidthStr;

/// The cases that are shown.
const CASES: [&str; 12] = [
    "ambiguous-selector",
    "canary-pins-the-count",
    "foreign-pod-without-request",
    "held-by-window",
    "partial-failure",
    "period-start",
    "readiness-collapse",
    "sidecar-without-request",
    "slowed-by-policy",
    "stuck-without-samples",
    "three-metrics-at-max",
    "window-band",
];

/// What the binary prints of a built-in case on a page of so many columns.
fn demo(case: &str, arguments: &[&str], columns: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(["demo", case])
        .args(arguments)
        .env_clear()
        .env("TZ", "UTC")
        .env("COLUMNS", columns)
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{case} {arguments:?}");
    String::from_utf8(output.stdout).expect("text")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats")
}

#[test]
fn twelve_cases_look_as_they_did() {
    let mut files = Vec::new();
    let mut goldens = Goldens::default();
    for case in CASES {
        let looks = [
            ("md", demo(case, &["-o", "markdown"], "80")),
            ("120.txt", demo(case, &["-o", "wide"], "120")),
            ("200.txt", demo(case, &["-o", "wide"], "200")),
            ("colour.txt", demo(case, &["--color", "always"], "80")),
            ("releases.txt", demo(case, &["--all-versions"], "80")),
            (
                "releases.md",
                demo(case, &["--all-versions", "-o", "markdown"], "80"),
            ),
        ];
        for (look, text) in looks {
            let file = format!("{case}.{look}");
            goldens.check(&folder().join(&file), &text);
            files.push(file);
        }
    }
    let there = std::fs::read_dir(folder()).expect("the folder");
    let there = there.map(|file| file.expect("a file").file_name().into_string());
    let mut there: Vec<String> = there.map(|name| name.expect("a plain name")).collect();
    there.sort();
    files.sort();
    assert_eq!(there, files, "a file is left over");
}

/// The recorded HPAs with what the pass on each did.
fn recorded() -> Vec<(String, Trace)> {
    let mut traces = Vec::new();
    for recording in SITUATIONS {
        let server = ApiServer::replay(recording).start();
        let arguments = [NAMES.as_slice(), &["-n", "shop", "-o", "snapshot"]].concat();
        let output = run(&server.kubeconfig(), &arguments);
        for document in read_documents(stdout(&output)) {
            let snapshot = document.snapshot.expect("a snapshot");
            let settings = Settings::resolve(&snapshot, &Overrides::default());
            let now = snapshot.captured_at;
            let trace = what_if::explain(&snapshot, &settings, now, &Observer::default());
            traces.push((format!("{recording}/{}", trace.name), trace));
        }
    }
    assert_eq!(traces.len(), 80);
    traces
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("memory is writable");
    String::from_utf8(out).expect("text")
}

fn text(trace: &Trace, options: &TextOptions) -> String {
    written(|out| Format::Text.write(trace, options, out))
}

/// Every way to ask for text of a width.
fn looks(width: usize) -> [TextOptions; 4] {
    let plain = TextOptions {
        width,
        ..TextOptions::default()
    };
    let wide = TextOptions {
        wide: true,
        ..plain.clone()
    };
    let ascii = TextOptions {
        ascii: true,
        verbosity: 1,
        ..plain.clone()
    };
    let whole = TextOptions {
        verbosity: 2,
        ..plain.clone()
    };
    [plain, wide, ascii, whole]
}

#[test]
fn no_line_is_wider_than_asked() {
    let mut checked = 0;
    for (name, trace) in recorded() {
        // A patch that is cut or wrapped says something else.
        let remedies = trace.findings.iter().flat_map(|it| &it.remedies);
        let patches = remedies.filter_map(|it| it.patch.as_deref());
        let patches: Vec<&str> = patches.flat_map(str::lines).map(str::trim).collect();
        for width in [20, 23, 31, 40, 57, 80, 120, 200] {
            for options in looks(width) {
                let text = text(&trace, &options);
                for line in text.lines() {
                    let fits = line.width() <= width || is_one_word(line);
                    let fits = fits || patches.contains(&line.trim());
                    assert!(fits, "{name} at {width}: {line}");
                }
                assert!(!options.ascii || text.is_ascii(), "{name}");
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 80 * 8 * 4);
}

#[test]
fn without_its_colours_text_is_the_plain_text() {
    let mut coloured = 0;
    for (name, trace) in recorded() {
        for plain in looks(78) {
            let colour = TextOptions {
                colour: true,
                ..plain.clone()
            };
            let with = text(&trace, &colour);
            assert_eq!(without_colour(&with), text(&trace, &plain), "{name}");
            coloured += usize::from(with.contains('\u{1b}'));
        }
    }
    assert_eq!(coloured, 80 * 4);
}

/// A text without its escape sequences for colours.
fn without_colour(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').expect("the end of a colour").1;
    }
    plain + rest
}

/// The cells of the rows of Markdown's tables, titles first.
fn markdown_rows(markdown: &str) -> Vec<Vec<String>> {
    let rows = markdown.lines().filter(|line| line.starts_with("| "));
    let rows = rows.filter(|line| !line.contains("---"));
    let cells = |line: &str| {
        let line = line.trim_start_matches("| ").trim_end_matches(" |");
        let cells = line.replace(r"\|", "\u{1}");
        let cells = cells.split(" | ").map(|cell| cell.replace('\u{1}', "|"));
        let cells = cells.map(|cell| cell.replace('\\', "").trim().to_owned());
        let cells = cells.map(|cell| cell.replace("&lt;", "<").replace("&gt;", ">"));
        cells.filter(|cell| !cell.is_empty()).collect()
    };
    rows.map(cells).collect()
}

/// Whether a line holds the cells in their order.
fn holds(line: &str, cells: &[String]) -> bool {
    let mut rest = line;
    cells
        .iter()
        .all(|cell| match rest.split_once(cell.as_str()) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        })
}

#[test]
fn the_tables_of_markdown_have_the_cells_of_the_text() {
    let mut rows_checked = 0;
    for (name, trace) in recorded() {
        for options in &looks(200)[1..] {
            let text = text(&trace, options);
            let markdown = written(|out| Format::Markdown.write(&trace, options, out));
            let rows = markdown_rows(&markdown);
            let titles = usize::from(!trace.metrics.is_empty());
            assert_eq!(rows.len(), trace.metrics.len() + titles, "{name}");
            for row in rows {
                let is_there = text.lines().any(|line| holds(line, &row));
                assert!(is_there, "{name}: {row:?} is not in\n{text}");
                rows_checked += 1;
            }
        }
    }
    assert_eq!(rows_checked, 510);
}

#[test]
fn the_list_in_markdown_has_the_cells_of_the_text() {
    let options = TextOptions {
        width: 200,
        ..TextOptions::default()
    };
    let traces = recorded();
    let items = traces.iter().map(|(_, trace)| Summary::of(trace, &options));
    let list = SummaryList::of(items.collect());
    for (namespaces, wide) in [(true, false), (false, false), (true, true)] {
        let columns = ListOptions {
            namespaces,
            headers: true,
            wide,
            width: None,
            rbac: "kubectl hpa-explain rbac list -A".to_owned(),
        };
        let listed = (list.clone(), columns);
        let text = written(|out| Format::Text.write(&listed, &options, out));
        let markdown = written(|out| Format::Markdown.write(&listed, &options, out));
        let rows = markdown_rows(&markdown);
        assert_eq!(rows.len(), 81);
        for (row, line) in rows.iter().zip(text.lines()) {
            assert!(holds(line, row), "{row:?} is not in {line}");
        }
    }
}
