//! Holds the dependency table of the design against the source.

mod prose;
mod rules;
mod sentences;
mod tokens;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::support::golden;
use rules::{WORLD, folder_of, used_names, violations};

/// Beside folders and crates: *clock*, *env*, *files*, *terminal* and
/// *processes* are the world outside; *include* is of files in `demos/`, the
/// only ones that may be built in; *hash-order* is a hash map at will,
/// *hash-look-ups* one that a comment says is never walked through.
///
/// The middle column decides. The last one is what matters about the rest.
const TABLE: &str = "
| folder            | may use | must not use |
|-------------------|---------|--------------|
| budget.rs         | signal_hook thiserror | api document/snapshot trace controller clock env files terminal kube tokio |
| document          | serde serde_json serde_path_to_error serde_ignored strsim granit_parser thiserror | document/snapshot trace controller clock env files terminal hash-order |
| api               | serde schemars compact_str serde_json serde_yaml jiff thiserror proptest | document/snapshot kube k8s_openapi tokio clap clock env files terminal trace controller collect render cli |
| document/snapshot | api document serde schemars compact_str serde_json serde_yaml jiff ring thiserror hash-order | kube k8s_openapi tokio clap clock env files terminal trace controller collect render cli |
| document/manifest | api budget document document/snapshot trace controller serde serde_json thiserror | kube tokio clap clock env files terminal hash-order |
| trace             | api document document/snapshot serde serde_json serde_yaml schemars compact_str jiff | controller kube owo_colors clock env files terminal |
| controller        | api document/snapshot trace jiff thiserror hash-look-ups | clock env files terminal processes hash-order kube tokio render cli |
| history           | api document document/snapshot trace controller schemars serde serde_json jiff thiserror | clock env files terminal processes kube tokio |
| simulate          | api document document/snapshot trace controller serde serde_json rand rayon jiff thiserror | clock env files terminal processes kube tokio |
| findings          | api document document/snapshot document/manifest trace controller history jiff hash-order serde_json | flaps what_if clock env files terminal processes kube tokio |
| flaps             | api document/snapshot trace controller history findings serde_json jiff | what_if clock env files terminal processes kube tokio |
| what_if           | api document/snapshot document/manifest trace controller history findings flaps simulate jiff thiserror | clock env files terminal processes kube tokio |
| tune              | api controller simulate document/snapshot trace what_if jiff rayon thiserror | history findings collect render clock env files terminal processes kube tokio |
| collect           | api budget document document/snapshot kube k8s_openapi tokio tower tower_http hyper hyper_rustls hyper_util rustls base64 percent_encoding secrecy http http_body_util futures_util form_urlencoded serde serde_json jiff thiserror files processes hash-order clock | controller trace render clap env terminal |
| render            | api document/snapshot trace history comfy_table owo_colors percent_encoding unicode_width schemars serde serde_json serde_yaml jiff | controller kube tokio clap clock env files terminal |
| cli               | everything | |
| main.rs           | hpa_explain cap mimalloc processes | clock env files terminal include kube |
| lib.rs            | nothing | clock env files terminal include kube |
";

/// A row of the table.
struct Row {
    folder: &'static str,
    may: Vec<&'static str>,
    must_not: Vec<&'static str>,
}

fn table() -> Vec<Row> {
    let lines = TABLE.trim().lines().skip(2);
    let rows = lines.map(|line| {
        let mut cells = line.split('|').skip(1).map(str::trim);
        let mut cell = || cells.next().expect("three cells a row");
        Row {
            folder: cell(),
            may: cell().split(' ').collect(),
            must_not: cell().split_whitespace().collect(),
        }
    });
    rows.collect()
}

#[test]
fn the_source_keeps_to_the_table() {
    let crates = crates();
    let sources = sources();
    assert!(sources.len() > 50, "{} files", sources.len());
    let broken: Vec<String> = sources
        .iter()
        .flat_map(|(file, source)| violations(file, source, &crates))
        .collect();
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// What each folder uses, by the names of the table.
fn used() -> BTreeMap<String, BTreeSet<String>> {
    let crates = crates();
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, source) in sources() {
        let own = used.entry(folder_of(&file).to_owned()).or_default();
        own.extend(used_names(&file, &source, &crates));
    }
    used
}

#[test]
fn what_is_allowed_is_used() {
    let used = used();
    let mut idle = Vec::new();
    for row in table() {
        let own = &used[row.folder];
        let general = ["everything", "hpa_explain", "nothing"];
        let unused = row
            .may
            .iter()
            .filter(|it| !general.contains(it) && !own.contains(**it));
        idle.extend(unused.map(|it| format!("{} does not use {it}", row.folder)));
    }
    assert!(idle.is_empty(), "\n{}", idle.join("\n"));
}

/// The folders as a graph: an edge leads to what is used, where nothing
/// between them leads there, too.
fn picture() -> String {
    let used = used();
    let folders: BTreeSet<&String> = used.keys().filter(|it| !it.contains('.')).collect();
    let leads = |from: &str, to: &String| from != to && used[from].contains(to);
    let mut lines = vec!["```mermaid".to_owned(), "graph TD".to_owned()];
    for from in &folders {
        for to in folders.iter().filter(|to| leads(from, to)) {
            let is_between = |by: &&&String| leads(from, by) && leads(by, to);
            if !folders.iter().any(|by| is_between(&by)) {
                lines.push(format!("  {from} --> {to}"));
            }
        }
    }
    lines.join("\n") + "\n```\n"
}

#[test]
fn the_picture_in_the_docs_is_current() {
    let path = root().join("docs/architecture.md");
    let text = std::fs::read_to_string(&path).expect("the document");
    let start = text.find("```mermaid\n").expect("a picture");
    let end = start + 3 + text[start + 3..].find("```\n").expect("its end") + 4;
    let picture = picture();
    assert!(picture.lines().count() > 10, "{picture}");
    golden::check(&path, &(text[..start].to_owned() + &picture + &text[end..]));
}

/// Each file, function and type that a walk through the code names in a row of its table is
/// there, a function in the file that is named before it. The walk gets to a file from
/// another one of that row or of those before: it mentions the first function of the file.
#[test]
fn what_the_walks_name_is_there() {
    let text = std::fs::read_to_string(root().join("docs/architecture.md")).expect("the document");
    let sources = sources();
    let is_row = |line: &str| line.starts_with("| ") && line[2..].starts_with(char::is_numeric);
    let is_name = |it: &&str| !it.contains([' ', '=', '$', '-']) && *it != "findings";
    let is_of = |path: &str, file: &str| path.ends_with(&format!("/{file}"));
    let (mut wrong, mut count, mut known) = (Vec::new(), 0, BTreeSet::<&str>::new());
    for row in text.lines() {
        if !is_row(row) {
            known.clear();
            continue;
        }
        let names: Vec<&str> = row.split('`').skip(1).step_by(2).filter(is_name).collect();
        count += names.len();
        let before = known.clone();
        let files = names.iter().filter(|it| it.strip_suffix(".rs").is_some());
        known.extend(files.copied());
        let (mut own, mut is_entry) = ("", false);
        for name in names {
            let any = |is: &dyn Fn(&str, &str) -> bool| sources.iter().any(|it| is(&it.0, &it.1));
            if known.contains(name) {
                (own, is_entry) = (name, !before.is_empty());
                wrong.extend((!any(&|path, _| is_of(path, name))).then_some(name));
                continue;
            }
            let is_plain = name.starts_with(char::is_lowercase) && !name.contains("::");
            let kinds: &[&str] = if is_plain {
                &["mod"]
            } else {
                &["fn", "struct", "enum"]
            };
            let is_function = any(&|path, source| {
                (own.is_empty() || is_of(path, own)) && defines(source, &["fn"], name)
            });
            let is_there = is_function || any(&|_, source| defines(source, kinds, name));
            let is_reached = || {
                any(&|path, source| {
                    let is_known = known.iter().any(|it| is_of(path, it));
                    let is_other = !is_of(path, own) || before.contains(own);
                    is_known && is_other && mentions(source, name)
                })
            };
            let is_entry = is_function && std::mem::take(&mut is_entry);
            wrong.extend((!is_there || is_entry && !is_reached()).then_some(name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(count > 60, "{count} names");
}

fn mentions(source: &str, name: &str) -> bool {
    let item = name.rsplit("::").next();
    let tokens = tokens::tokens(source);
    let mut pairs = tokens.windows(2);
    pairs.any(|pair| pair[1].word() == item && pair[0].word() != Some("fn"))
}

fn defines(source: &str, kinds: &[&str], name: &str) -> bool {
    let item = name.rsplit("::").next().expect("a segment");
    kinds.iter().any(|kind| {
        let definition = format!("{kind} {item}");
        let mut found = source.split(&definition).skip(1);
        found.any(|rest| !rest.starts_with(|it: char| it.is_alphanumeric() || it == '_'))
    })
}

#[test]
fn what_is_forbidden_is_not_allowed() {
    let table = table();
    assert_eq!(table.len(), 18);
    for row in &table {
        for name in &row.must_not {
            assert!(!row.may.contains(name), "{}: {name}", row.folder);
        }
        for name in row.may.iter().chain(&row.must_not) {
            assert!(is_known(name), "{}: {name}", row.folder);
        }
    }
}

/// One violation of each kind: file, source, what is found.
#[rustfmt::skip] // one row a line
const PLANTED: [(&str, &str, &str); 39] = [
    // Folders.
    ("src/trace/x.rs", "use crate::controller::Release;", "1: trace uses controller"),
    ("src/trace/x.rs", "use super::super::controller::Release;", "1: trace uses controller"),
    ("src/trace/x/y.rs", "use super::super::super::controller;", "1: trace uses controller"),
    ("src/trace/mod.rs", "use super::render;", "1: trace uses render"),
    ("src/trace/x.rs", "mod a { mod b { use super::super::super::super::cli; } }", "1: trace uses cli"),
    ("src/trace/x.rs", "mod a {}\nuse super::super::cli::X;", "2: trace uses cli"),
    ("src/controller/x.rs", "use crate::{document::snapshot::{A, B}, render::Prediction};", "1: controller uses render"),
    ("src/controller/x.rs", "fn f() {\n    crate::render::x()\n}", "2: controller uses render"),
    ("src/controller/x.rs", "fn f() -> crate::cli::X { g::<crate::trace::T>() }", "1: controller uses cli"),
    ("src/controller/x.rs", "fn f() { g(0..crate::cli::MAX) }", "1: controller uses cli"),
    ("src/controller/x.rs", "#[cfg(test)]\nmod tests {\n    use crate::render::Prediction;\n}", "3: controller uses render"),
    ("src/collect/x.rs", "use crate as root;\nfn f() { root::controller::reconcile() }", "1: collect uses *"),
    ("src/collect/x.rs", "use crate::*;", "1: collect uses *"),
    ("src/document/snapshot/x.rs", "#[serde(with = \"crate::trace::number\")]\nstruct X;", "1: document/snapshot uses trace"),
    ("src/document/snapshot/x.rs", "macro_rules! m { () => { $crate::trace::short() } }", "1: document/snapshot uses trace"),
    ("src/helpers/x.rs", "", " in no folder of the table"),
    ("src/helpers.rs", "", " in no folder of the table"),
    ("src/trace/x.rs", "#[path = \"../cli/x.rs\"]\nmod x;", "1: trace uses #[path]"),
    // Crates.
    ("src/history/x.rs", "fn f(client: kube::Client) {}", "1: history uses kube"),
    ("src/history/x.rs", "fn f(client: ::kube::Client) {}", "1: history uses kube"),
    ("src/history/x.rs", "extern crate kube;", "1: history uses kube"),
    ("src/render/x.rs", "#[derive(clap::Parser)]\nstruct X;", "1: render uses clap"),
    ("src/document/snapshot/x.rs", "use k8s_openapi::api::{core::v1 as core, apps};", "1: document/snapshot uses k8s_openapi"),
    ("src/flaps/x.rs", "fn f() { serde_yaml::to_string(&()) }", "1: flaps uses serde_yaml"),
    // The world outside.
    ("src/simulate/x.rs", "use std::{fmt, time::{Duration, Instant}};", "1: simulate uses clock"),
    ("src/simulate/x.rs", "use std::time;\nfn f(t: time::SystemTime) {}", "2: simulate uses clock"),
    ("src/simulate/x.rs", "use jiff::Timestamp;\nfn f() { Timestamp::now() }", "2: simulate uses clock"),
    ("src/render/x.rs", "fn f() { std::env::var(\"NO_COLOR\") }", "1: render uses env"),
    ("src/what_if/x.rs", "use std::fs;", "1: what_if uses files"),
    ("src/render/x.rs", "use std::io::{self, Write};\nfn f() { io::stdout() }", "2: render uses terminal"),
    ("src/render/x.rs", "use std::io::*;", "1: render uses terminal"),
    ("src/controller/x.rs", "fn f() {\n    println!(\"now\")\n}", "2: controller uses terminal"),
    ("src/collect/x.rs", "fn f() { std::eprintln!() }", "1: collect uses terminal"),
    ("src/controller/x.rs", "use std::collections::{BTreeMap, HashMap};\ntype X = HashMap<u8, u8>;", "2: controller uses hash-order"),
    ("src/controller/x.rs", "use std::collections::*;", "1: controller uses hash-order"),
    // The data of the tests.
    ("src/cli/x.rs", "const X: &str = include_str!(\"../../tests/recordings/steady.jsonl.gz\");", "1: includes \"../../tests/recordings/steady.jsonl.gz\""),
    ("src/render/x.rs", "const X: &[u8] = include_bytes!(\"../../demos/x.yaml\");", "1: render uses include"),
    ("src/cli/x.rs", "fn f() { open(\"tests/conformance\") }", "1: the text \"tests/conformance\""),
    ("src/cli/x.rs", "const X: &str = env!(\"CARGO_MANIFEST_DIR\");", "1: the text \"CARGO_MANIFEST_DIR\""),
];

#[test]
fn each_planted_violation_is_found() {
    let crates = crates();
    for (file, source, want) in PLANTED {
        let found = violations(file, source, &crates);
        let want = format!("{file}:{want}");
        assert!(
            found.contains(&want),
            "{source}\nwant {want}\nfound {found:?}"
        );
    }
}

/// What looks like a violation and is none.
#[rustfmt::skip] // one row a line
const HARMLESS: [(&str, &str); 16] = [
    ("src/trace/x.rs", "// use crate::controller::Release;"),
    ("src/trace/x.rs", "//! [`crate::cli`] and kube::Client\nstruct X;"),
    ("src/trace/x.rs", "/* a /* nested */ use kube::Client; */ struct X;"),
    ("src/trace/x.rs", "const X: &str = \"use kube::Client; // \\\" println!()\";"),
    ("src/trace/x.rs", "const X: &str = r#\"std::env::var(\"X\")\"#;"),
    ("src/trace/x.rs", "const X: (char, char) = ('\"', '\\''); // \" kube::Client"),
    ("src/trace/x.rs", "fn f<'a>(x: &'a str) -> &'a str { x } // 'kube::x'"),
    ("src/trace/x.rs", "fn f(x: X) { x.kube(); x.println; let env = x.env::<T>(); }"),
    ("src/trace/x.rs", "mod a { use super::b::C; }\nuse super::Trace;\nuse self::a::D;"),
    ("src/trace/x.rs", "pub(crate) mod a { pub(in crate::trace) fn f(self) {} }"),
    ("src/trace/x.rs", "fn f(now: Timestamp) -> bool { now != then }"),
    ("src/trace/x.rs", "fn f<'t>() -> impl Iterator<Item = u8> + use<'t> { g() }"),
    ("src/controller/x.rs", "use std::collections::HashMap;\n\n/// Where each stands. Only looked up.\ntype X = HashMap<u8, u8>;"),
    ("src/render/x.rs", "use std::io::{self, Write};\nfn f(out: &mut dyn Write) -> io::Result<()> { writeln!(out) }"),
    ("src/cli/x.rs", "use crate::controller::Release;\nfn f() { println!(); std::env::args(); jiff::Timestamp::now(); }"),
    ("src/cli/x.rs", "const X: &str = include_str!(\"../../demos/x.yaml\");"),
];

#[test]
fn what_only_looks_like_a_violation_is_none() {
    let crates = crates();
    for (file, source) in HARMLESS {
        let found = violations(file, source, &crates);
        assert!(found.is_empty(), "{source}\nfound {found:?}");
    }
}

/// Whether the table may speak of it; `http` comes with kube.
fn is_known(name: &str) -> bool {
    let others = [
        "everything",
        "hash-look-ups",
        "http",
        "hpa_explain",
        "nothing",
    ];
    others.contains(&name)
        || WORLD.iter().any(|(world, _)| *world == name)
        || table()
            .iter()
            .any(|row| row.folder.trim_end_matches(".rs") == name)
        || crates().iter().any(|known| known == name)
}

/// The crates of the manifest, as the source writes them.
fn crates() -> Vec<String> {
    let manifest = root().join("Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("the manifest");
    let mut section = "";
    let mut crates = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]")
            && let Some((name, _)) = line.split_once('=')
        {
            crates.push(name.trim().replace('-', "_"));
        }
    }
    assert!(crates.contains(&"k8s_openapi".to_owned()), "{crates:?}");
    crates
}

/// A reader who meets the name of a type knows soon which of them it is.
#[test]
fn no_name_of_a_type_stands_for_more_than_two() {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, source) in sources() {
        for pair in tokens::tokens(&source).windows(2) {
            if matches!(pair[0].word(), Some("struct" | "enum" | "union"))
                && let Some(name) = pair[1].word()
            {
                names.entry(name.to_owned()).or_default().push(file.clone());
            }
        }
    }
    assert!(names.len() > 500, "{}", names.len());
    names.retain(|_, files| files.len() > 2);
    assert_eq!(names, BTreeMap::new());
}

/// The path and text of each file under `src`.
fn sources() -> Vec<(String, String)> {
    let mut folders = vec![root().join("src")];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source");
                sources.push((relative(&path), text));
            }
        }
    }
    sources.sort();
    sources
}

fn relative(path: &Path) -> String {
    let path = path.strip_prefix(root()).expect("a path below");
    let parts = path.iter().map(|part| part.to_str().expect("a plain name"));
    parts.collect::<Vec<_>>().join("/")
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
