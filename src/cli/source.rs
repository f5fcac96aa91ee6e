//! Where snapshots come from: a file, or the standard input stream.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::snapshot::{Document, read_documents};

use super::failure::Failure;

/// More than this is no snapshot file.
const MOST_BYTES: u64 = 1 << 30;

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

/// Reads a file's text; the hint says which files there can be.
///
/// # Errors
///
/// The file cannot be read, is too large, or is no text.
pub fn read_text(path: &Path, hint: &str) -> anyhow::Result<String> {
    let name = name(path);
    let bytes =
        read_bytes(path).map_err(|error| Failure::error(format!("{name}: {error}"), hint))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > MOST_BYTES) {
        return Err(Failure::error(
            format!("{name}: larger than {} MiB", MOST_BYTES >> 20),
            "split the file; one HPA needs a few MiB at most",
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        Failure::error(
            format!(
                "{name}: no UTF-8 text at byte {}",
                error.utf8_error().valid_up_to()
            ),
            "unpack the file first if it is compressed",
        )
    })
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

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if is_standard_input(path) {
        io::stdin().take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    } else {
        File::open(path)?
            .take(MOST_BYTES + 1)
            .read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
