//! Where snapshots come from: a file, or the standard input stream.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;
use std::{io, thread};

use crate::document::{self, TextError};

use crate::cli::Failure;

/// More than this is no snapshot file.
pub const MOST_BYTES: u64 = 1 << 28;

/// How long a pipe is waited for.
const PATIENCE: Duration = Duration::from_secs(15);

/// What the standard input stream is called in messages.
pub const STANDARD_INPUT: &str = "standard input";

/// Reads a file's text; the hint says which files there can be.
///
/// # Errors
///
/// The file cannot be read, is too large, or is no text.
pub fn read_text(path: &Path, hint: &str) -> anyhow::Result<String> {
    let text = if is_standard_input(path) {
        document::read_text(io::stdin(), MOST_BYTES)
    } else {
        let file = open(path).map_err(TextError::from);
        file.and_then(|file| document::read_text(file, MOST_BYTES))
    };
    text.map_err(|error| {
        let hint = error.hint().unwrap_or(hint);
        Failure::error(format!("{}: {error}", name(path)), hint)
    })
}

/// Opens a file, or a pipe that somebody writes to.
///
/// # Errors
///
/// It cannot be opened, or nobody begins to write to the pipe in time.
pub fn open(path: &Path) -> io::Result<File> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() || metadata.is_dir() {
        return File::open(path);
    }
    let (sender, receiver) = mpsc::channel();
    let path = path.to_owned();
    // To open a pipe takes until somebody else has opened it.
    thread::spawn(move || sender.send(File::open(path)));
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        let text = format!("it is a pipe, and nothing wrote to it within {PATIENCE:?}");
        Err(io::Error::new(io::ErrorKind::TimedOut, text))
    })
}

/// Whether each of the files can be read: standard input is there once.
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
