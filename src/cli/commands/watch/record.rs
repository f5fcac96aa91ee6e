//! The file that samples are appended to: whole lines, so that it can be cut
//! off at any byte and read up to the last of them.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::cli::destination::restrict;
use crate::cli::failure::Failure;
use crate::document::snapshot::{API_VERSION, RECORD_KIND, RecordHeader, RecordWriter, Snapshot};

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

impl RecordFile {
    /// Begins a record, or goes on with one behind its last whole line.
    /// Errors: the file cannot be written, is no record or that of another HPA, or is being
    /// written by somebody else.
    pub fn open(recording: Recording, now: Timestamp) -> anyhow::Result<Self> {
        let path = &recording.path;
        if path.as_os_str() == "-" {
            return Err(Failure::usage(
                "--record writes to a file, not to standard output",
                "name one, such as web.jsonl; `-o json` prints each pass",
            ));
        }
        let file = opened(path).map_err(|error| unopened(path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::error(
                    format!("another run records to {}", path.display()),
                    "stop that run, or give --record another file",
                ));
            }
            Err(TryLockError::Error(error)) => return Err(unwritable(path, &error)),
        }
        let bytes = whole_lines(&file).map_err(|error| unwritable(path, &error))?;
        let mut record = Self {
            recording,
            file,
            bytes,
            writer: RecordWriter::default(),
            lines: 0,
        };
        record.check(now)?;
        record.aside()?;
        restrict(&record.file).map_err(|error| unwritable(record.path(), &error))?;
        record.begin(now)?;
        Ok(record)
    }

    /// Appends a sample; see [`RecordWriter::line`].
    pub fn sample(&mut self, sample: &Snapshot, pass_at: Option<Timestamp>) -> anyhow::Result<()> {
        self.settle(sample.captured_at)?;
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
    pub fn gap(&mut self, at: Timestamp, error: &str) -> anyhow::Result<()> {
        self.settle(at)?;
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
        let header = header(&first).ok_or_else(|| no_record(path))?;
        if !self.is_of(&header) {
            let of = (&header.namespace, &header.horizontal_pod_autoscaler);
            return Err(Failure::error(
                format!("{} is the record of {}/{}", path.display(), of.0, of.1),
                "give --record a file of its own for each HPA",
            ));
        }
        Ok(())
    }

    /// Cuts off what is no whole line, and writes the first line of a new
    /// record, or into an old one that nobody has recorded up to now.
    fn begin(&mut self, now: Timestamp) -> anyhow::Result<()> {
        let cut = self.file.set_len(self.bytes);
        cut.map_err(|error| unwritable(self.path(), &error))?;
        if self.bytes > 0 {
            return self.gap(now, "no watch was running");
        }
        let Recording {
            namespace, name, ..
        } = &self.recording;
        let header = self.writer.header(namespace, name, now);
        self.append(header)
    }

    /// Where somebody else has shortened the file, as what rotates logs does,
    /// it goes on as if another run had left it so.
    fn settle(&mut self, now: Timestamp) -> anyhow::Result<()> {
        let length = self.file.metadata().map(|known| known.len());
        let length = length.map_err(|error| unwritable(self.path(), &error))?;
        if length == self.bytes {
            return Ok(());
        }
        let bytes = whole_lines(&self.file);
        self.bytes = bytes.map_err(|error| unwritable(self.path(), &error))?;
        self.writer.restart();
        self.begin(now)
    }

    /// Puts a file that is full aside, in the place of the one put aside
    /// before. The new one begins with all parts.
    fn rotate(&mut self, now: Timestamp) -> anyhow::Result<()> {
        if self.bytes < self.recording.most_bytes {
            return Ok(());
        }
        let aside = self.aside()?;
        // Another name of the same file would stay, and be emptied with it.
        let path = &self.recording.path;
        if path.exists() {
            _ = std::fs::remove_file(&aside);
        }
        let renamed = match std::fs::rename(path, aside) {
            // Somebody else has put it aside already.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            renamed => renamed,
        };
        self.file = renamed
            .and_then(|()| opened(path))
            .map_err(|error| unwritable(path, &error))?;
        let locked = self.file.try_lock();
        locked.map_err(|error| unwritable(self.path(), &error.into()))?;
        self.bytes = 0;
        self.writer.restart();
        self.begin(now)
    }

    /// Whether a record is of this HPA.
    fn is_of(&self, header: &RecordHeader) -> bool {
        let Recording {
            namespace, name, ..
        } = &self.recording;
        (&header.namespace, &header.horizontal_pod_autoscaler) == (namespace, name)
    }

    /// Where a full file goes: only in the place of a record that was put
    /// aside before.
    fn aside(&self) -> anyhow::Result<PathBuf> {
        let mut aside = self.recording.path.clone().into_os_string();
        aside.push(".1");
        let aside = PathBuf::from(aside);
        let is_free = match std::fs::symlink_metadata(&aside) {
            Err(error) => error.kind() == ErrorKind::NotFound,
            Ok(known) if !known.is_file() => false,
            Ok(_) => File::open(&aside)
                .and_then(|file| first_line(&file))
                .is_ok_and(|first| header(&first).is_some_and(|it| self.is_of(&it))),
        };
        is_free.then_some(()).ok_or_else(|| {
            Failure::error(
                format!("{} exists and is not a record of this HPA", aside.display()),
                "a full record is renamed to it; move it away, or give --record another file",
            )
        })?;
        Ok(aside)
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

/// Only a regular file: others block, or forget. A link would be renamed in
/// place of the file when that is full.
fn opened(path: &Path) -> io::Result<File> {
    let known = std::fs::symlink_metadata(path);
    match &known {
        Ok(known) if known.is_symlink() => {
            return Err(io::Error::other("is a symbolic link; name the file itself"));
        }
        Ok(known) if !known.is_file() => return Err(io::Error::other("is not a regular file")),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.read(true).append(true).create_new(known.is_err());
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

/// What the first line of a record says, where it is one.
fn header(first: &[u8]) -> Option<RecordHeader> {
    let header: RecordHeader = serde_json::from_slice(first).ok()?;
    let form = (header.kind.as_deref(), header.api_version.as_deref());
    (form == (Some(RECORD_KIND), Some(API_VERSION))).then_some(header)
}

fn no_record(path: &Path) -> anyhow::Error {
    Failure::error(
        format!("{} exists and is not a record", path.display()),
        "--record appends only to records; give it another file",
    )
}

fn unopened(path: &Path, error: &io::Error) -> anyhow::Error {
    Failure::error(
        format!("{}: {error}", path.display()),
        "--record needs a writable file in an existing directory",
    )
}

fn unwritable(path: &Path, error: &io::Error) -> anyhow::Error {
    Failure::error(
        format!("{}: {error}", path.display()),
        "once the file is writable, the same command continues the record",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use jiff::Timestamp;
    use serde_json::Value;
    use tempfile::TempDir;

    use super::{RecordFile, Recording};
    use crate::document::snapshot::{Snapshot, read_documents};

    const SAMPLE: &str = r#"{"apiVersion":"hpa-explain/v1","kind":"Snapshot",
        "capturedAt":"2026-11-01T12:00:00Z","horizontalPodAutoscaler":
        {"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",
        "metadata":{"name":"web","namespace":"shop"},
        "spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"maxReplicas":5}},
        "scale":{"error":"größe"}}"#;

    fn sample(second: i64) -> Snapshot {
        let document = read_documents(SAMPLE).remove(0);
        let mut snapshot = document.snapshot.expect("a snapshot");
        snapshot.captured_at = at(second);
        snapshot
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).expect("a time")
    }

    /// A folder of its own, and where the record is in it.
    fn scratch() -> (TempDir, PathBuf) {
        let directory = tempfile::tempdir().expect("a scratch directory");
        let path = directory.path().join("web.jsonl");
        (directory, path)
    }

    fn open(path: &Path, most_bytes: u64) -> anyhow::Result<RecordFile> {
        let recording = Recording {
            path: path.to_owned(),
            namespace: "shop".to_owned(),
            name: "web".to_owned(),
            most_bytes,
            redact: true,
        };
        RecordFile::open(recording, at(0))
    }

    fn refused(opened: anyhow::Result<RecordFile>) -> String {
        opened.err().expect("refused").to_string()
    }

    /// The lines, each of which is JSON; the last one is whole.
    fn lines(path: &Path) -> Vec<Value> {
        let text = fs::read_to_string(path).expect("text");
        assert!(text.ends_with('\n'), "{text}");
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).expect(line))
            .collect()
    }

    /// Wherever it is cut off, from within its first line on, a record is gone
    /// on with behind its last whole line, with all parts.
    #[test]
    fn a_record_that_is_cut_off_anywhere_goes_on() {
        let (_directory, path) = scratch();
        let mut record = open(&path, u64::MAX).expect("a record");
        for second in [5, 10] {
            record.sample(&sample(second), None).expect("written");
        }
        record.gap(at(15), "503").expect("written");
        assert_eq!(record.lines, 4);
        drop(record);
        let whole = fs::read(&path).expect("the record");
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).expect("writable");
            let mut record = open(&path, u64::MAX).expect("goes on");
            record.sample(&sample(20), None).expect("written");
            let left = whole[..length].split(|byte| *byte == b'\n').count() - 1;
            let lines = lines(&path);
            // A new first line, or a gap behind the old ones; and the sample.
            assert_eq!(lines.len(), left + 2, "cut at {length}");
            assert_eq!(lines[left].get("error").is_some(), left > 0);
            assert_eq!(lines[0]["kind"], "Record");
            let last = &lines[lines.len() - 1];
            assert_eq!(
                (&last["full"], &last["scale"]["error"]),
                (&true.into(), &"größe".into())
            );
            let kept = whole[..length].split_inclusive(|byte| *byte == b'\n');
            let kept: Vec<u8> = kept.take(left).flatten().copied().collect();
            assert!(fs::read(&path).expect("the record").starts_with(&kept));
        }
        assert!(whole.len() > 500);
    }

    #[test]
    fn a_file_of_somebody_else_is_left_alone() {
        let (directory, path) = scratch();
        let header = r#""kind":"Record","namespace":"shop","horizontalPodAutoscaler""#;
        let rows = [
            ("apiVersion: v1\n".to_owned(), "is not a record"),
            ("notes".to_owned(), "is not a record"),
            ("{}\n".to_owned(), "is not a record"),
            (
                format!("{{\"apiVersion\":\"hpa-explain/v1\",{header}:\"api\"}}\n"),
                "is the record of shop/api",
            ),
            (
                format!("{{\"apiVersion\":\"hpa-explain/v9\",{header}:\"web\"}}\n"),
                "is not a record",
            ),
        ];
        for (text, reason) in rows {
            fs::write(&path, &text).expect("writable");
            let error = refused(open(&path, u64::MAX));
            assert!(error.contains(reason), "{text}: {error}");
            assert_eq!(fs::read_to_string(&path).expect("text"), text);
        }
        let error = refused(open(directory.path(), u64::MAX));
        assert!(error.contains("is not a regular file"), "{error}");
    }

    #[test]
    fn two_runs_do_not_write_one_record() {
        let (_directory, path) = scratch();
        let first = open(&path, u64::MAX).expect("a record");
        let error = refused(open(&path, u64::MAX));
        assert!(error.contains("another run records to"), "{error}");
        drop(first);
        assert!(open(&path, u64::MAX).is_ok());
    }

    /// A full file is put aside, and each file can be read on its own.
    #[test]
    fn a_full_file_is_followed_by_a_new_one() {
        let (directory, path) = scratch();
        let mut record = open(&path, 1_000).expect("a record");
        for second in 0..100 {
            record.sample(&sample(second), None).expect("written");
        }
        let aside = directory.path().join("web.jsonl.1");
        let (old, new) = (lines(&aside), lines(&path));
        for lines in [&old, &new] {
            assert_eq!(lines[0]["kind"], "Record");
            assert_eq!(lines[1]["full"], true);
        }
        assert_eq!(new[new.len() - 1]["t"], at(99).to_string());
        let next: Timestamp = new[1]["t"].as_str().expect("a time").parse().expect("one");
        let last: Timestamp = old[old.len() - 1]["t"]
            .as_str()
            .expect("a time")
            .parse()
            .expect("one");
        assert_eq!(next.duration_since(last).as_secs(), 1, "none is left out");
        let files = fs::read_dir(directory.path()).expect("readable").count();
        assert_eq!(files, 2);
        assert!(fs::metadata(&aside).expect("a file").len() < 1_500);
    }

    /// What rotates logs shortens the file that is being written, or moves it.
    #[test]
    fn a_file_that_is_emptied_or_moved_meanwhile_begins_anew() {
        let (directory, path) = scratch();
        let mut record = open(&path, 1_000).expect("a record");
        record.sample(&sample(5), None).expect("written");
        fs::write(&path, "").expect("emptied");
        record.sample(&sample(10), None).expect("written");
        let begun = lines(&path);
        assert_eq!((&begun[0]["kind"], begun.len()), (&"Record".into(), 2));
        assert_eq!(begun[1]["full"], true);
        fs::rename(&path, directory.path().join("elsewhere")).expect("moved");
        for second in 11..100 {
            record.sample(&sample(second), None).expect("written");
        }
        assert_eq!(lines(&path)[1]["full"], true);
    }

    /// What a full record would replace is looked at before anything is written.
    #[test]
    fn what_is_put_aside_replaces_a_record_only() {
        let (directory, path) = scratch();
        let aside = directory.path().join("web.jsonl.1");
        fs::write(&aside, "notes\n").expect("writable");
        let error = refused(open(&path, u64::MAX));
        assert!(
            error.ends_with(".1 exists and is not a record of this HPA"),
            "{error}"
        );
        fs::remove_file(&aside).expect("mine");
        let mut record = open(&path, 1_000).expect("a record");
        fs::write(&aside, "notes\n").expect("writable");
        let mut samples = (0..100).map(|second| record.sample(&sample(second), None));
        assert!(samples.any(|it| it.is_err()));
        assert_eq!(fs::read_to_string(&aside).expect("text"), "notes\n");
        assert_eq!(lines(&path)[0]["kind"], "Record");
    }

    /// Two names of one file: what is put aside is not emptied by its other name.
    #[test]
    fn a_second_name_of_the_record_keeps_what_it_has() {
        let (directory, path) = scratch();
        let aside = directory.path().join("web.jsonl.1");
        let mut record = open(&path, 1_000).expect("a record");
        fs::hard_link(&path, &aside).expect("a link");
        for second in 0.. {
            if fs::metadata(&path).expect("a file").len() >= 1_000 {
                break;
            }
            record.sample(&sample(second), None).expect("written");
        }
        let full = fs::read(&path).expect("the record");
        record.sample(&sample(1_000), None).expect("written");
        assert_eq!(fs::read(&aside).expect("the record"), full);
        assert_eq!(lines(&path)[1]["t"], at(1_000).to_string());
    }

    #[cfg(unix)]
    #[test]
    fn a_record_is_for_its_owner_alone() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let (directory, path) = scratch();
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        open(&path, u64::MAX).expect("a record");
        assert_eq!(mode(&path), 0o600);
        let wide = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o666));
        wide(&path).expect("mine");
        open(&path, u64::MAX).expect("goes on");
        assert_eq!(mode(&path), 0o600);
        // Of a file that is not ours the rights stay as well.
        let other = directory.path().join("notes");
        fs::write(&other, "notes\n").expect("writable");
        wide(&other).expect("mine");
        assert!(open(&other, u64::MAX).is_err());
        assert_eq!(mode(&other), 0o666);
        for (link, leads_to) in [("link", "web.jsonl"), ("dangling", "nowhere")] {
            let link = directory.path().join(link);
            symlink(leads_to, &link).expect("a link");
            let error = refused(open(&link, u64::MAX));
            assert!(error.contains("is a symbolic link"), "{error}");
        }
        assert!(!directory.path().join("nowhere").exists());
    }
}
