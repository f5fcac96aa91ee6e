//! Where snapshots come from: a file, or the standard input stream.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::document::{self, TextError};
use crate::snapshot::{Document, read_documents};

use super::failure::Failure;
use super::kind::FileKind;

/// More than this is no snapshot file.
pub const MOST_BYTES: u64 = 1 << 29;

/// What the standard input stream is called in messages.
pub const STANDARD_INPUT: &str = "standard input";

/// Reads every document of a snapshot file.
///
/// # Errors
///
/// The file cannot be read, is too large, is no text, or holds no document.
pub fn read_file(path: &Path) -> anyhow::Result<Vec<Document>> {
    let name = name(path);
    let text = read_text(
        path,
        Some(&FileKind::Snapshot),
        "--snapshot takes a file, or - for standard input; `kubectl hpa-explain demo` needs none",
    )?;
    let documents = read_documents(&text);
    if documents.is_empty() {
        return Err(Failure::error(
            format!("{name}: holds no document"),
            "`kubectl hpa-explain demo -o snapshot` prints one to start from",
        ));
    }
    Ok(documents)
}

/// Reads a file's text, where it is of the kind that is expected; the hint says
/// which files there can be.
///
/// # Errors
///
/// The file cannot be read, is too large, is no text, or is of another kind.
pub fn read_text(path: &Path, expected: Option<&FileKind>, hint: &str) -> anyhow::Result<String> {
    let text = if is_standard_input(path) {
        document::read_text(io::stdin(), MOST_BYTES)
    } else {
        let file = File::open(path).map_err(TextError::from);
        file.and_then(|file| document::read_text(file, MOST_BYTES))
    };
    let text = text.map_err(|error| {
        let hint = error.hint().unwrap_or(hint);
        Failure::error(format!("{}: {error}", name(path)), hint)
    })?;
    if let Some(expected) = expected {
        expected.expect(&name(path), &text)?;
    }
    Ok(text)
}

/// Whether each of the files can be read: standard input is there once.
///
/// # Errors
///
/// It is asked for twice.
pub fn read_once<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> anyhow::Result<()> {
    let paths = paths.into_iter();
    if paths.filter(|path| is_standard_input(path)).count() < 2 {
        return Ok(());
    }
    Err(Failure::error(
        "standard input is asked for twice, and can be read once only",
        "give - once, and a file for the rest",
    ))
}

/// What the file is called in messages.
pub fn name(path: &Path) -> String {
    if is_standard_input(path) {
        return STANDARD_INPUT.to_owned();
    }
    path.display().to_string()
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}
