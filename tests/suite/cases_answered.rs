//! Every reported case has its answer: the table in `tests/cases.md` holds. So
//! does that of `tests/mended.md`, of what was said wrong once.

use crate::support::case;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::read_documents;
use hpa_explain::history::Observer;
use hpa_explain::trace::{Code, Finding, Severity};
use hpa_explain::what_if::explain;

/// A row of the table.
struct Answer {
    case: String,
    codes: Vec<Code>,
    /// Nothing is wrong.
    nothing: bool,
    tests: Vec<String>,
    text: String,
}

/// What stands between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of a page's table, by their cells.
fn table<const CELLS: usize>(page: &str) -> Vec<[String; CELLS]> {
    let page = read(page);
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    let cells = rows.map(|row| {
        let cells = row.trim_matches('|').split(" | ");
        let cells: Vec<String> = cells.map(|cell| cell.trim().to_owned()).collect();
        cells.try_into().unwrap_or_else(|_| panic!("{row}"))
    });
    cells.collect()
}

fn answers() -> Vec<Answer> {
    let answers = table("tests/cases.md").into_iter().map(|row| {
        let [case, _, answer, tests] = &row;
        let codes = quoted(answer).filter(|word| !word.starts_with('-') && !is_output(word));
        Answer {
            case: case.clone(),
            codes: codes.map(|word| code(word, case)).collect(),
            nothing: answer.starts_with("*nothing*"),
            tests: quoted(tests).map(str::to_owned).collect(),
            text: answer.clone(),
        }
    });
    answers.collect()
}

/// Names of parts of the output.
fn is_output(word: &str) -> bool {
    ["stabilize", "limits"].contains(&word)
}

fn code(word: &str, case: &str) -> Code {
    let mut codes = Code::ALL.iter().copied();
    let code = codes.find(|code| code.as_str() == word);
    code.unwrap_or_else(|| panic!("{case}: there is no finding {word}"))
}

/// The cases with a block of numbers.
fn blocks() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let files = fs::read_dir(folder).expect("the folder of cases");
    let names = files.map(|file| file.expect("a file").path());
    let names = names.map(|path| path.file_stem().expect("a name").to_owned());
    names
        .map(|name| name.into_string().expect("a plain name"))
        .collect()
}

/// What is found in each run of a block.
fn found(id: &str) -> Vec<Vec<Finding>> {
    let runs = case::read(&read(&format!("tests/cases/{id}.yaml"))).expect("a block");
    let cases = runs.iter().filter_map(case::Run::case);
    cases
        .map(|case| {
            let mut documents = read_documents(&case.document().to_string());
            let snapshot = documents.remove(0).snapshot.expect("a readable snapshot");
            let settings = Settings::resolve(&snapshot, &Overrides::default());
            let now = snapshot.captured_at;
            explain(&snapshot, &settings, now, &Observer::default()).findings
        })
        .collect()
}

#[test]
fn every_case_is_in_the_table() {
    let answers = answers();
    let ids: BTreeSet<&str> = answers.iter().map(|answer| answer.case.as_str()).collect();
    assert_eq!((answers.len(), ids.len()), (80, 80));
    let blocks = blocks();
    assert_eq!(blocks.len(), 40);
    for block in &blocks {
        assert!(ids.contains(block.as_str()), "{block}");
    }
}

#[test]
fn every_answer_is_shown() {
    let mut checked = 0;
    for answer in answers() {
        let is_shown = !answer.tests.is_empty() || answer.text.starts_with("cannot be shown: ");
        assert!(is_shown, "{}", answer.case);
        for test in &answer.tests {
            assert!(is_declared(test), "{}: {test}", answer.case);
            checked += 1;
        }
    }
    assert!(checked >= 70, "{checked}");
}

fn is_declared(test: &str) -> bool {
    let function = test.split_once("::").expect("file::function").1;
    source(test).contains(&format!("fn {function}()"))
}

/// The source of a test that is named as `file::function`.
fn source(test: &str) -> String {
    let file = test.split_once("::").expect("file::function").0;
    let paths = ["tests/suite", "src"].map(|folder| format!("{folder}/{file}.rs"));
    let exists = |path: &&String| Path::new(env!("CARGO_MANIFEST_DIR")).join(path).exists();
    read(
        paths
            .iter()
            .find(exists)
            .unwrap_or_else(|| panic!("no {file}")),
    )
}

#[test]
fn every_block_yields_its_findings() {
    let blocks = blocks();
    let mut held = 0;
    for answer in answers()
        .iter()
        .filter(|answer| blocks.contains(&answer.case))
    {
        let runs = found(&answer.case);
        let first = runs.first().expect("a run");
        held += 1;
        let is_answered = if answer.nothing {
            first.iter().all(|found| found.severity == Severity::Info)
        } else {
            answer.codes.iter().any(|code| yields(first, *code))
        };
        assert!(is_answered, "{}: {first:#?}", answer.case);
    }
    assert_eq!(held, 40);
}

fn yields(run: &[Finding], code: Code) -> bool {
    run.iter().any(|found| found.code == code)
}

/// A finding of the table is found in a run of the block, or its test is
/// about it.
#[test]
fn every_finding_of_the_table_is_found() {
    let blocks = blocks();
    let mut checked = 0;
    for answer in answers() {
        let runs = if blocks.contains(&answer.case) {
            found(&answer.case)
        } else {
            Vec::new()
        };
        let sources: String = answer.tests.iter().map(|test| source(test)).collect();
        for code in &answer.codes {
            let is_found = runs.iter().any(|run| yields(run, *code));
            let is_tested = sources.contains(&format!("Code::{code:?},"))
                || sources.contains(&format!("\"{code}\""));
            assert!(is_found || is_tested, "{}: {code}", answer.case);
            checked += 1;
        }
    }
    assert!(checked >= 50, "{checked}");
}

/// The names of files, up to their first dot.
fn files(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("a file");
        let name = entry.file_name().into_string().expect("a plain name");
        if entry.path().is_dir() {
            files(&entry.path(), names);
        }
        names.insert(name.split('.').next().unwrap_or_default().to_owned());
    }
}

#[test]
fn what_was_wrong_once_has_four_inputs() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut names = BTreeSet::new();
    files(&tests, &mut names);
    let worlds = File::open(tests.join("future/cases.jsonl.gz")).expect("the worlds");
    let mut future = String::new();
    let read = GzDecoder::new(worlds).read_to_string(&mut future);
    assert!(read.is_ok(), "{read:?}");
    let page = table::<3>("tests/mended.md");
    for [rule, inputs, shown] in &page {
        assert!(quoted(inputs).count() >= 4, "{rule}");
        let shown: Vec<&str> = quoted(shown).collect();
        assert!(
            shown.iter().all(|test| is_declared(test)),
            "{rule}: {shown:?}"
        );
        let sources: String = shown.iter().map(|test| source(test)).collect();
        for input in quoted(inputs) {
            let is_there = names.contains(input)
                || sources.contains(input)
                || future.contains(&format!("\"name\": \"{input}\""));
            assert!(is_there, "{rule}: {input}");
        }
    }
    assert_eq!(page.len(), 33);
}
