//! A record: the file that the user names, and the one beside it that was put
//! aside when it had become too large.

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use jiff::{SignedDuration, Timestamp};

use crate::cli::{failure::Failure, kind::FileKind, terminal::Terminal};
use crate::controller::{Overrides, Settings};
use crate::document::snapshot::{RecordEntry, RecordError, RecordReader, last_sample_at};
use crate::document::unread;
use crate::history::Observer;

/// What is older cannot matter: no window and no period is longer than an
/// hour.
pub const SPAN: SignedDuration = SignedDuration::from_hours(2);

/// So many entries are handed over together: to wake a thread for each takes longer.
const READ_AHEAD: usize = 6;

/// Where records come from.
const ORIGIN: &str = "`kubectl hpa-explain watch NAME --record FILE` writes a record";

/// A record of one HPA.
pub struct Record {
    path: PathBuf,
    namespace: String,
    autoscaler: String,
}

impl Record {
    /// Opens a record: of which HPA it is.
    /// Errors: it cannot be read, or holds no sample.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let mut reader = RecordReader::default();
        let (mut holds_a_sample, mut gap) = (false, None);
        let walked = walk(path, &mut reader, |entry| match entry {
            RecordEntry::Sample(_) => {
                holds_a_sample = true;
                ControlFlow::Break(())
            }
            RecordEntry::Gap(first) => {
                gap.get_or_insert(first.error);
                ControlFlow::Continue(())
            }
        });
        if !holds_a_sample {
            FileKind::Record.expect_file(path)?;
        }
        walked?;
        let Some((namespace, name)) = reader.autoscaler().filter(|_| holds_a_sample) else {
            let reason = reader.remarks().into_iter().next();
            let reason = match (reason, gap) {
                (Some(reason), _) => format!("is not a record: {reason}"),
                (None, Some(gap)) => format!("holds no sample: {gap}"),
                (None, None) => "holds no sample".to_owned(),
            };
            return Err(Failure::error(
                format!("{} {reason}", path.display()),
                ORIGIN,
            ));
        };
        Ok(Self {
            path: path.to_owned(),
            namespace: namespace.to_owned(),
            autoscaler: name.to_owned(),
        })
    }

    /// What it is called in messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Namespace and name of the HPA.
    pub fn autoscaler(&self) -> (&str, &str) {
        (&self.namespace, &self.autoscaler)
    }

    /// Whether it is the record of this HPA.
    pub fn is_of(&self, namespace: &str, name: &str) -> bool {
        self.autoscaler() == (namespace, name)
    }

    /// Shows an observer what was sampled up to a moment, as far back as it
    /// can matter.
    pub fn observe(
        &self,
        until: Timestamp,
        overrides: &Overrides,
        observer: &mut Observer,
        terminal: &mut Terminal,
    ) -> anyhow::Result<()> {
        self.entries((until, until), terminal, |entry| match entry {
            RecordEntry::Sample(sample) => {
                let settings = Settings::resolve(&sample.snapshot, overrides);
                observer.observe(sample.snapshot, &settings, sample.pass_at);
            }
            RecordEntry::Gap(_) => observer.gap(),
        })?;
        Ok(())
    }

    /// Visits what was recorded up to a moment, from as far before another one as a
    /// pass remembers: when the next sample was taken, and remarks of what was left out.
    pub fn walk(
        &self,
        (around, until): (Timestamp, Timestamp),
        mut visit: impl FnMut(RecordEntry),
    ) -> anyhow::Result<(Option<Timestamp>, Vec<String>)> {
        let since = around.checked_sub(SPAN).unwrap_or(Timestamp::MIN);
        let (mut reader, mut next) = (RecordReader::between(since, until), None);
        walk(&self.path, &mut reader, |entry| match entry {
            RecordEntry::Sample(sample) if sample.at > until => {
                next = Some(sample.at);
                ControlFlow::Break(())
            }
            entry => {
                visit(entry);
                ControlFlow::Continue(())
            }
        })?;
        Ok((next, reader.remarks()))
    }

    /// The same, and says what was left out, once however often the record is walked.
    pub fn entries(
        &self,
        times: (Timestamp, Timestamp),
        terminal: &mut Terminal,
        visit: impl FnMut(RecordEntry),
    ) -> anyhow::Result<(Option<Timestamp>, Vec<String>)> {
        let (next, remarks) = self.walk(times, visit)?;
        for remark in &remarks {
            terminal.warn_once(&format!("warning: {}: {remark}", self.name()));
        }
        Ok((next, remarks))
    }

    /// When the last sample was taken, if any was.
    pub fn end(&self) -> anyhow::Result<Option<Timestamp>> {
        let files = files(&self.path)?.into_iter();
        let end = last_sample_at(files.map(|(_, file)| BufReader::new(file)));
        end.map_err(|error| unreadable(&self.path, &error))
    }
}

/// Visits the entries of a record's files, the older file first. They are read ahead on
/// a thread of their own: reading takes about as long as what is done with them.
fn walk(
    path: &Path,
    reader: &mut RecordReader,
    mut visit: impl FnMut(RecordEntry) -> ControlFlow<()>,
) -> anyhow::Result<()> {
    for (path, file) in files(path)? {
        let (ahead, entries) = mpsc::sync_channel(1);
        let reader = &mut *reader;
        let is_over = thread::scope(|scope| {
            scope.spawn(move || {
                let mut all = reader.read(BufReader::new(file));
                let next = || all.by_ref().take(READ_AHEAD).collect::<Vec<_>>();
                let mut some = std::iter::repeat_with(next).take_while(|it| !it.is_empty());
                // Nobody takes what comes after the end of a visit.
                some.try_for_each(|some| ahead.send(some)).ok()
            });
            for entry in entries.into_iter().flatten() {
                if visit(entry.map_err(|error| broken(&path, &error))?).is_break() {
                    return anyhow::Ok(true);
                }
            }
            Ok(false)
        })?;
        if is_over {
            break;
        }
    }
    Ok(())
}

/// Why a record cannot be read on.
fn broken(path: &Path, error: &RecordError) -> anyhow::Error {
    let hint = match error {
        RecordError::Text(error) => error.hint().unwrap_or(ORIGIN),
        RecordError::Form { .. } => {
            "upgrade the plugin, or write a new record with `kubectl hpa-explain watch NAME --record FILE`"
        }
        RecordError::Mixed { .. } => {
            "--history reads the record of one HPA, as `watch --record` writes it"
        }
    };
    Failure::error(format!("{}: {error}", path.display()), hint)
}

/// `FILE.1`, if it is there, and `FILE`. The latter is opened first: should it
/// be put aside in between, it is read twice, which is better than not at
/// all.
fn files(path: &Path) -> anyhow::Result<Vec<(PathBuf, File)>> {
    let newer = opened(path).map_err(|error| unreadable(path, &error))?;
    let mut aside = path.to_owned().into_os_string();
    aside.push(".1");
    let aside = PathBuf::from(aside);
    let older = match opened(&aside) {
        Ok(file) => Some((aside, file)),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(unreadable(&aside, &error)),
    };
    let newer = (path.to_owned(), newer);
    Ok(older.into_iter().chain([newer]).collect())
}

fn unreadable(path: &Path, error: &io::Error) -> anyhow::Error {
    Failure::error(format!("{}: {}", path.display(), unread(error)), ORIGIN)
}

/// Only a regular file: it is read more than once, and a pipe is empty then.
fn opened(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other(
            "it is not a regular file; a record is read more than once",
        ));
    }
    File::open(path)
}
