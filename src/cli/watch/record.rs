//! The file that samples are appended to: whole lines, so that it can be cut
//! off at any byte and read up to the last of them.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Deserialize;

use crate::cli::failure::Failure;
use crate::snapshot::{API_VERSION, RECORD_KIND, RecordWriter, Snapshot};

/// The longest first line of a record.
const MOST_OF_HEADER: u64 = 4 << 10;

/// From here on, the first line is another one each time.
const RECORDED_AT: &str = "\"recordedAt\"";

/// How much is read at a time in search of the last whole line.
const BLOCK: u64 = 64 << 10;

/// Which HPA is recorded, and how.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The file.
    pub path: PathBuf,
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// From how many bytes on a new file is begun.
    pub most_bytes: u64,
    /// Whether names that the explanation does not need are hashed.
    pub redact: bool,
}

/// A record that is being written.
pub struct RecordFile {
    recording: Recording,
    file: File,
    bytes: u64,
    writer: RecordWriter,
    /// The lines that this run has written.
    pub lines: usize,
}

/// The first line of a record.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    kind: String,
    api_version: String,
    namespace: String,
    horizontal_pod_autoscaler: String,
}

impl RecordFile {
    /// Begins a record, or goes on with one behind its last whole line.
    ///
    /// # Errors
    ///
    /// The file cannot be written, is no record or that of another HPA, or is
    /// being written by somebody else.
    pub fn open(recording: Recording, now: Timestamp) -> anyhow::Result<Self> {
        let path = &recording.path;
        let file = opened(path).map_err(|error| unwritable(path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::error(
                    format!("{} is being recorded by another run", path.display()),
                    "end that one, or give --record another file",
                ));
            }
            Err(TryLockError::Error(error)) => return Err(unwritable(path, &error)),
        }
        let bytes = whole_lines(&file).map_err(|error| unwritable(path, &error))?;
        let mut record = Self {
            recording,
            file,
            bytes,
            writer: RecordWriter::new(),
            lines: 0,
        };
        record.check(now)?;
        record.begin(now)?;
        Ok(record)
    }

    /// Appends a sample; see [`RecordWriter::line`].
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn sample(&mut self, sample: &Snapshot, pass_at: Option<Timestamp>) -> anyhow::Result<()> {
        self.rotate(sample.captured_at)?;
        let line = if self.recording.redact {
            self.writer.line(&sample.clone().redacted(), pass_at)
        } else {
            self.writer.line(sample, pass_at)
        };
        line.map_or(Ok(()), |line| self.append(line))
    }

    /// Appends that from the last sample to the next one nothing could be
    /// sampled.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn gap(&mut self, at: Timestamp, error: &str) -> anyhow::Result<()> {
        let line = self.writer.gap(at, error);
        self.append(line)
    }

    /// The file's name, as it was given.
    pub fn path(&self) -> &Path {
        &self.recording.path
    }

    /// Whether the file is a record of this HPA, or the beginning of one.
    fn check(&mut self, now: Timestamp) -> anyhow::Result<()> {
        let Recording {
            path,
            namespace,
            name,
            ..
        } = &self.recording;
        let first = first_line(&self.file).map_err(|error| unwritable(path, &error))?;
        if self.bytes == 0 {
            let begins = self.writer.header(namespace, name, now);
            let begins = begins.split(RECORDED_AT).next().unwrap_or_default();
            let both = first.len().min(begins.len());
            let is_begun = first[..both] == begins.as_bytes()[..both];
            return is_begun.then_some(()).ok_or_else(|| no_record(path));
        }
        let header: Header = serde_json::from_slice(&first).map_err(|_| no_record(path))?;
        if header.kind != RECORD_KIND || header.api_version != API_VERSION {
            return Err(no_record(path));
        }
        let of = (&header.namespace, &header.horizontal_pod_autoscaler);
        if of != (namespace, name) {
            return Err(Failure::error(
                format!("{} is the record of {}/{}", path.display(), of.0, of.1),
                "give --record a file of its own for each HPA",
            ));
        }
        Ok(())
    }

    /// Cuts off what is no whole line, and writes the first line of a new
    /// record.
    fn begin(&mut self, now: Timestamp) -> anyhow::Result<()> {
        let cut = self.file.set_len(self.bytes);
        cut.map_err(|error| unwritable(self.path(), &error))?;
        if self.bytes > 0 {
            return Ok(());
        }
        let Recording {
            namespace, name, ..
        } = &self.recording;
        let header = self.writer.header(namespace, name, now);
        self.append(header)
    }

    /// Puts a file that is full aside, in the place of the one put aside
    /// before. The new one begins with all parts.
    fn rotate(&mut self, now: Timestamp) -> anyhow::Result<()> {
        if self.bytes < self.recording.most_bytes {
            return Ok(());
        }
        let mut aside = self.recording.path.clone().into_os_string();
        aside.push(".1");
        let path = &self.recording.path;
        let file = std::fs::rename(path, aside).and_then(|()| opened(path));
        self.file = file.map_err(|error| unwritable(path, &error))?;
        let locked = self.file.try_lock();
        locked.map_err(|error| unwritable(self.path(), &error.into()))?;
        self.bytes = 0;
        self.writer.restart();
        self.begin(now)
    }

    /// Appends a line in one write. What is left of one that fails is taken
    /// back.
    fn append(&mut self, mut line: String) -> anyhow::Result<()> {
        line.push('\n');
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            // Where this fails, too, the next run cuts it off.
            _ = self.file.set_len(self.bytes);
            return Err(unwritable(self.path(), &error));
        }
        self.bytes += line.len() as u64;
        self.lines += 1;
        Ok(())
    }
}

/// Only a regular file: others block, or forget.
fn opened(path: &Path) -> io::Result<File> {
    match std::fs::metadata(path) {
        Ok(known) if !known.is_file() => return Err(io::Error::other("is no regular file")),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The length up to the last line break.
fn whole_lines(mut file: &File) -> io::Result<u64> {
    let mut end = file.metadata()?.len();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        let mut block = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        file.take(end - start).read_to_end(&mut block)?;
        if let Some(last) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + last as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// The first line, or as much of it as there is.
fn first_line(mut file: &File) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    BufReader::new(file.take(MOST_OF_HEADER)).read_until(b'\n', &mut first)?;
    Ok(first)
}

fn no_record(path: &Path) -> anyhow::Error {
    Failure::error(
        format!("{} is there, and is no record", path.display()),
        "--record appends to its own files only; choose a name that is free",
    )
}

fn unwritable(path: &Path, error: &io::Error) -> anyhow::Error {
    Failure::error(
        format!("{}: {error}", path.display()),
        "--record goes on where it ended once the file can be written",
    )
}
