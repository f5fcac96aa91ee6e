//! `docs/dry-run.md` shows what the binary prints, and counts what was
//! recorded.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite dry_run::page` writes the output
//! anew.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::readme::{blocks, run, stdout};
use crate::support::{flapping, golden};

fn page() -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/dry-run.md");
    let text = fs::read_to_string(&path).expect("a page");
    (path, text)
}

/// A folder with what the page has its reader make.
fn folder(page: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let mut record = File::create(folder.path().join("api.jsonl")).expect("writable");
    io::copy(&mut flapping::lines(), &mut record).expect("writable");
    let [calm] = blocks(page, "yaml")[..] else {
        panic!("not one manifest");
    };
    fs::write(folder.path().join("calm.yaml"), calm).expect("writable");
    folder
}

#[test]
fn the_page_shows_what_is_printed() {
    let (path, page) = page();
    let folder = folder(&page);
    let mut current = page.clone();
    let mut shown = 0;
    for block in blocks(&page, "console") {
        let command = block.lines().next().expect("a command");
        let typed = command.strip_prefix("$ ").expect("a prompt");
        let output = run(typed, folder.path());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{typed}");
        let printed = stdout(&output);
        assert!(printed.lines().all(|line| line.chars().count() <= 80));
        current = current.replace(block, &format!("{command}\n{}", printed.trim_end()));
        shown += 1;
    }
    assert_eq!(shown, 1);
    golden::check(&path, &current);
}

/// How often the recorded size changed and turned between two moments, and
/// what it was on average.
fn recorded(from: &str, to: &str) -> (usize, usize, f64) {
    let moment = |text: &str| -> Timestamp {
        let text = format!("2026-11-20T{text}Z");
        text.parse().expect("a time")
    };
    let (from, to) = (moment(from), moment(to));
    let samples = flapping::samples().into_iter();
    let sizes = samples
        .filter(|sample| (from..=to).contains(&sample.at))
        .map(|sample| sample.snapshot.scale.response().expect("a scale").clone());
    let sizes: Vec<i32> = sizes.map(|scale| scale.spec.replicas).collect();
    let changes = sizes.windows(2).filter(|pair| pair[0] != pair[1]);
    let ups: Vec<bool> = changes.map(|pair| pair[1] > pair[0]).collect();
    let turns = ups.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let whole: f64 = sizes.iter().copied().map(f64::from).sum();
    let count = u32::try_from(sizes.len()).expect("few samples");
    (ups.len(), turns, whole / f64::from(count))
}

/// The numbers of the page's last table.
#[test]
fn the_page_counts_what_was_recorded_and_what_is_printed() {
    let (_, page) = page();
    let before = recorded("08:25:51", "08:35:51");
    let after = recorded("08:35:51", "08:45:51");
    let row = |what: &str, (changes, turns, average): (usize, usize, f64)| {
        format!("| {what} | {changes} | {turns} | {average:.1} |")
    };
    let folder = folder(&page);
    let [block] = blocks(&page, "console")[..] else {
        panic!("not one command");
    };
    let typed = block.lines().next().expect("a command");
    let typed = typed.strip_prefix("$ ").expect("a prompt");
    let output = run(&format!("{typed} -ojson"), folder.path());
    let answer: serde_json::Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let told = |side: &serde_json::Value, what: &str| {
        let range = |field: &str| {
            let (from, to) = (&side["coming"][field]["from"], &side["coming"][field]["to"]);
            let (from, to) = (from.as_f64().expect("one"), to.as_f64().expect("one"));
            (from, to)
        };
        let text = |(from, to): (f64, f64), places: usize| {
            let (from, to) = (format!("{from:.places$}"), format!("{to:.places$}"));
            if from == to {
                to
            } else {
                format!("{from}..{to}")
            }
        };
        let (changes, turns) = (text(range("changes"), 0), text(range("reversals"), 0));
        let average = text(range("averageReplicas"), 1);
        format!("| {what} | {changes} | {turns} | {average} |")
    };
    let rows = [
        row("the ten minutes before, as they were", before),
        told(&answer["current"], "the same, as `dry-run` has them"),
        row("the ten minutes after the change", after),
        told(
            &answer["candidates"][0],
            "the ten minutes before, with the change tried",
        ),
    ];
    for row in &rows {
        assert!(page.contains(row), "{row}");
    }
    assert_eq!(rows.len(), 4);
    // The change that calmed it shows fewer reversals before it was made.
    let reversals = |side: &serde_json::Value, end: &str| {
        let count = side["coming"]["reversals"][end].as_i64();
        count.expect("a count")
    };
    let calm = reversals(&answer["candidates"][0], "to");
    assert!(calm < reversals(&answer["current"], "from"));
}
