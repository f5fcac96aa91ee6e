//! What a folder may use, and what of it a source breaks.

use super::table;
use super::tokens::{Kind, tokens};
use super::uses::{Use, uses};

/// The world outside of a program, by the paths that lead there.
pub const WORLD: [(&str, &str); 7] = [
    (
        "clock",
        "std::time::Instant std::time::SystemTime jiff::tz::TimeZone::system \
         jiff::tz::TimeZone::try_system jiff::tz::TimeZone::get jiff::tz::db",
    ),
    ("env", "std::env"),
    ("files", "std::fs"),
    (
        "terminal",
        "std::io::stdin std::io::stdout std::io::stderr std::io::Stdin std::io::Stdout \
         std::io::Stderr std::io::IsTerminal print! println! eprint! eprintln! dbg!",
    ),
    ("processes", "std::process std::net std::os std::thread"),
    ("include", INCLUDES),
    (
        "hash-order",
        "std::collections::HashMap std::collections::HashSet std::collections::hash_map \
         std::collections::hash_set",
    ),
];

const INCLUDES: &str = "include! include_str! include_bytes!";

/// What a source does that the table does not allow, a line each.
pub fn violations(file: &str, source: &str, crates: &[String]) -> Vec<String> {
    let folder = folder_of(file);
    let Some(row) = table().into_iter().find(|row| row.folder == folder) else {
        return vec![format!("{file}: in no folder of the table")];
    };
    let used = uses(file, source);
    let only_looked_up = row.may.contains(&"hash-look-ups") && is_only_looked_up(&used, source);
    let may = |name: &str| {
        row.may.contains(&"everything")
            || row.may.contains(&name)
            || name == "hash-order" && only_looked_up
    };
    let mut broken = Vec::new();
    for used in used {
        for name in names(folder, &used, crates) {
            if !may(&name) {
                broken.push(format!("{file}:{}: {folder} uses {name}", used.line));
            }
        }
        if is_include(&used) {
            let texts = used.texts.concat();
            let is_own = texts.contains("/demos/") || texts.contains("/docs/");
            if !is_own || texts.contains("tests") {
                broken.push(format!("{file}:{}: includes {texts:?}", used.line));
            }
        }
    }
    broken.extend(forbidden_texts(file, source));
    broken
}

fn is_include(used: &Use) -> bool {
    let last = used.path.last();
    last.is_some_and(|last| INCLUDES.split(' ').any(|include| include == last))
}

/// What a source uses, by the names of the table.
pub fn used_names(file: &str, source: &str, crates: &[String]) -> Vec<String> {
    let folder = folder_of(file);
    let used = uses(file, source);
    let mut all: Vec<String> = used
        .iter()
        .flat_map(|it| names(folder, it, crates))
        .collect();
    if all.iter().any(|name| name == "hash-order") && is_only_looked_up(&used, source) {
        all.push("hash-look-ups".to_owned());
    }
    all
}

/// Folders in others that have their own rows: what they are made from lies between them.
const INNER: [&str; 2] = ["document/manifest", "document/snapshot"];

/// The folder of a file; the two files that stand for the crate as a whole
/// have their own rows.
pub fn folder_of(file: &str) -> &str {
    let own = file.trim_start_matches("src/");
    let is_in = |folder: &&&str| own.starts_with(&format!("{folder}/"));
    let inner = INNER.iter().find(is_in).copied();
    inner.unwrap_or_else(|| own.split_once('/').map_or(own, |(folder, _)| folder))
}

/// The names in the table, if any, for what is used.
fn names(folder: &str, used: &Use, crates: &[String]) -> Vec<String> {
    let path: Vec<&str> = used.path.iter().map(String::as_str).collect();
    let mut names = Vec::new();
    match path[0] {
        // `pub(crate)`
        "crate" if path.len() == 1 && !used.is_import => {}
        "crate" => {
            let path = path[1..].join("/") + "/";
            let module = if path == "/" { "*" } else { folder_of(&path) };
            if module != folder {
                names.push(module.to_owned());
            }
        }
        "#[path]" => names.push("#[path]".to_owned()),
        first if crates.iter().any(|name| name == first) => names.push(first.to_owned()),
        _ => {}
    }
    for (world, ways) in WORLD {
        if ways.split(' ').any(|way| is_reached(&path, way)) {
            names.push(world.to_owned());
        }
    }
    if is_reading_of_a_clock(&path) && !names.contains(&"clock".to_owned()) {
        names.push("clock".to_owned());
    }
    names
}

/// Whether a path is `Type::now`, of whatever type.
fn is_reading_of_a_clock(path: &[&str]) -> bool {
    let [.., owner, "now"] = path else {
        return false;
    };
    owner.starts_with(char::is_uppercase)
}

/// Whether a path is a way, goes on from it, or imports it with all others.
fn is_reached(path: &[&str], way: &str) -> bool {
    let mut path = path.to_vec();
    if ["core", "alloc"].contains(&path[0]) {
        path[0] = "std";
    }
    let way: Vec<&str> = way.split("::").collect();
    if let [prefix @ .., "*"] = path.as_slice() {
        return way.starts_with(prefix) || prefix.starts_with(&way);
    }
    // A macro can be called by its path, too.
    if way[0].ends_with('!') {
        return path.last() == Some(&way[0]);
    }
    path.starts_with(&way)
}

/// Whether the comment above the first hash map says that it is never walked
/// through.
fn is_only_looked_up(used: &[Use], source: &str) -> bool {
    let maps = used
        .iter()
        .filter(|used| !used.is_import && names("", used, &[]).contains(&"hash-order".to_owned()));
    let Some(line) = maps.map(|used| used.line).min() else {
        return false;
    };
    let above: Vec<&str> = source.lines().take(line - 1).collect();
    let above = above.iter().rev().map(|line| line.trim_start());
    let mut comment = above.take_while(|line| line.starts_with("//"));
    comment.any(|line| line.to_lowercase().contains("only looked up"))
}

/// No text in the sources may lead to the data of the tests.
fn forbidden_texts(file: &str, source: &str) -> Vec<String> {
    let tokens = tokens(source).into_iter();
    tokens
        .filter_map(|token| match token.kind {
            Kind::Text(text) => Some((token.line, text)),
            _ => None,
        })
        .filter(|(_, text)| {
            ["tests/", "CARGO_MANIFEST_DIR"]
                .iter()
                .any(|way| text.contains(way))
        })
        .map(|(line, text)| format!("{file}:{line}: the text {text:?}"))
        .collect()
}
