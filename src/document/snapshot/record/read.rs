//! From the lines of a record to complete snapshots, in the order of time.

use std::io::{self, BufRead, Read};

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;
use thiserror::Error;

use super::RECORD_KIND;
use super::parts::{Delta, RecordHeader, RecordLine, State, misspelt_fields};
use crate::document::snapshot::{API_VERSION, Flaw, Snapshot};
use crate::document::{Encoding, TextError};

/// A longer line is no sample: that of ten thousand pods has a tenth of it.
const MOST_BYTES: usize = 256 << 20;

/// More remarks than this are only counted.
const MOST_REMARKS: usize = 20;

/// What a record holds, one after the other.
#[derive(Debug)]
pub enum RecordEntry {
    /// The inputs at a moment.
    Sample(Box<Sample>),
    /// Nothing is known of the inputs from the sample before to the next one.
    Gap(Gap),
}

/// The inputs at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The moment, on the API server's clock.
    pub at: Timestamp,
    /// The moment of a pass that is known to have run on just these inputs.
    pub pass_at: Option<Timestamp>,
    /// All inputs.
    pub snapshot: Snapshot,
}

/// A moment at which nothing was sampled, or nothing that is readable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The moment.
    pub at: Timestamp,
    /// Why.
    pub error: String,
}

/// Why a record cannot be read on.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The file cannot be read, or is no text.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A later version of the tool has written it, or something else.
    #[error(
        "line {line} has apiVersion {form}; this version of the plugin reads only {API_VERSION}"
    )]
    Form {
        /// The line, counted from 1.
        line: usize,
        /// What it says instead.
        form: String,
    },
    /// It holds more than one HPA.
    #[error("line {line} belongs to {other}, but the lines before it belong to {own}")]
    Mixed {
        /// The line, counted from 1.
        line: usize,
        /// The HPA of that line.
        other: String,
        /// The HPA of the lines before.
        own: String,
    },
}

/// Some programs put it before a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads the files of one record, the oldest first.
///
/// It holds the latest state, not the lines. A line that was cut off at the
/// end of a file is left out; so is one that cannot be read, and all that
/// follow until a line holds all parts again: what the lost one changed is
/// not known. Both are said in the [remarks](Self::remarks).
///
/// A recording by other means, whose first line has no `kind` of ours, has no
/// such lines: there, what a lost line changed is taken to be as it was.
#[derive(Debug, Default)]
pub struct RecordReader {
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    autoscaler: Option<(String, String)>,
    state: State,
    is_foreign: bool,
    /// Whether what the lines have left is all that there is.
    is_whole: bool,
    line: usize,
    last_at: Option<Timestamp>,
    remarks: Vec<String>,
    more_remarks: usize,
    /// Samples from before the one above them.
    late: usize,
    first_late: Option<(usize, Timestamp)>,
}

/// When the last sample of a record was taken, by the times of the lines of its files
/// alone, the oldest file first.
///
/// # Errors
///
/// A file cannot be read.
pub fn last_sample_at<R: BufRead>(
    files: impl IntoIterator<Item = R>,
) -> io::Result<Option<Timestamp>> {
    #[derive(Deserialize)]
    struct Timed {
        t: Timestamp,
        error: Option<IgnoredAny>,
    }
    let (mut last, mut sampled) = (None, None);
    let mut line = Vec::new();
    for mut file in files {
        while next_line(MOST_BYTES, &mut file, &mut line)?.is_some() {
            let Ok(Timed { t, error }) = serde_json::from_slice(&line) else {
                continue;
            };
            if last.is_none_or(|last| t >= last) {
                last = Some(t);
                sampled = last.filter(|_| error.is_none()).or(sampled);
            }
        }
    }
    Ok(sampled)
}

impl RecordReader {
    /// A reader that hands out what is as young as `since`, and ends with the first
    /// sample after `until`.
    pub fn between(since: Timestamp, until: Timestamp) -> Self {
        Self {
            since: Some(since),
            until: Some(until),
            ..Self::default()
        }
    }

    /// Reads a file of the record, entry by entry. A file that continues one
    /// that was read before is read with the same reader.
    ///
    /// # Errors
    ///
    /// Each entry, and the last that comes: the file cannot be read, or is no
    /// record of one HPA.
    pub fn read<R: BufRead>(
        &mut self,
        mut file: R,
    ) -> impl Iterator<Item = Result<RecordEntry, RecordError>> {
        self.line = 0;
        self.is_whole = false;
        self.is_foreign = false;
        let mut line = Vec::new();
        let mut is_over = false;
        std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            let entry = self.next(&mut file, &mut line).transpose();
            is_over = match &entry {
                Some(Ok(RecordEntry::Sample(sample))) => {
                    self.until.is_some_and(|until| sample.at > until)
                }
                Some(Ok(RecordEntry::Gap(_))) => false,
                Some(Err(_)) | None => true,
            };
            entry
        })
    }

    /// Namespace and name of the HPA, as soon as a line has said it.
    pub fn autoscaler(&self) -> Option<(&str, &str)> {
        let (namespace, name) = self.autoscaler.as_ref()?;
        Some((namespace, name))
    }

    /// What was left out since the last call, and why.
    pub fn remarks(&mut self) -> Vec<String> {
        let mut remarks = std::mem::take(&mut self.remarks);
        if let Some((line, at)) = self.first_late.take() {
            let more = match std::mem::take(&mut self.late) {
                0 | 1 => String::new(),
                late => format!("; the same goes for {} more", late - 1),
            };
            remarks.push(format!(
                "line {line}: {at} is before the line above, so the line is left out{more}"
            ));
        }
        match std::mem::take(&mut self.more_remarks) {
            0 => {}
            1 => remarks.push("1 more remark".to_owned()),
            more => remarks.push(format!("{more} more remarks")),
        }
        remarks
    }

    /// The next entry.
    fn next(
        &mut self,
        file: &mut impl BufRead,
        line: &mut Vec<u8>,
    ) -> Result<Option<RecordEntry>, RecordError> {
        while let Some(ending) = next_line(MOST_BYTES, file, line).map_err(TextError::from)? {
            self.line += 1;
            if ending == Ending::TooFar {
                self.lost("it is too long");
                continue;
            }
            if self.line == 1
                && let Some(encoding) = Encoding::of(line)
            {
                return Err(TextError::Other(encoding).into());
            }
            let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
            if line.trim_ascii().is_empty() {
                continue;
            }
            let entry = match RecordLine::parse(line) {
                Ok(RecordLine::Header(header)) => self.header(header).map(|()| None)?,
                Ok(RecordLine::Sample(delta)) => self.sample(*delta, line)?,
                Err(_) if ending == Ending::File => {
                    self.remark("the last line is cut off and left out".to_owned());
                    None
                }
                Err(error) => {
                    self.lost(&error.to_string());
                    None
                }
            };
            if entry.is_some() {
                return Ok(entry);
            }
        }
        Ok(None)
    }

    fn header(&mut self, header: RecordHeader) -> Result<(), RecordError> {
        self.is_foreign = header.kind.as_deref() != Some(RECORD_KIND);
        let form = header.api_version.unwrap_or_default();
        if !self.is_foreign && form != API_VERSION {
            let line = self.line;
            return Err(RecordError::Form { line, form });
        }
        self.is_of(&header.namespace, &header.horizontal_pod_autoscaler)
    }

    fn sample(&mut self, delta: Delta, line: &[u8]) -> Result<Option<RecordEntry>, RecordError> {
        if let Some(error) = delta.error {
            return Ok(self.gap(delta.t, error));
        }
        if let Some(Some(hpa)) = &delta.hpa {
            let namespace = match hpa.metadata.namespace.as_str() {
                "" => "default",
                namespace => namespace,
            };
            self.is_of(namespace, &hpa.metadata.name)?;
        }
        if self.line == 1 && !delta.full {
            self.remark(
                "line 1 does not contain all parts: the lines before it are missing".to_owned(),
            );
        }
        self.is_whole |= delta.full || self.is_foreign;
        let (at, pass_at) = (delta.t, delta.pass_at);
        self.state.apply(delta);
        if !self.is_in_order(at) {
            self.late += 1;
            self.first_late.get_or_insert((self.line, at));
            return Ok(None);
        }
        if self.is_too_old(at) {
            return Ok(None);
        }
        Ok(Some(match self.snapshot(at) {
            Ok(snapshot) => RecordEntry::Sample(Box::new(Sample {
                at,
                pass_at,
                snapshot,
            })),
            Err(flaw) => RecordEntry::Gap(Gap {
                at,
                error: format!("{flaw}{}", misspelt_fields(line)),
            }),
        }))
    }

    /// All inputs, if all are known.
    fn snapshot(&self, at: Timestamp) -> Result<Snapshot, Flaw> {
        if !self.is_whole {
            let reason = "a line before it cannot be read, so its changes are unknown";
            return Err(Flaw::new("", reason));
        }
        self.state.snapshot(at)
    }

    fn gap(&mut self, at: Timestamp, error: String) -> Option<RecordEntry> {
        let is_news = self.is_in_order(at) && !self.is_too_old(at);
        is_news.then_some(RecordEntry::Gap(Gap { at, error }))
    }

    /// Whether time has not gone backwards.
    fn is_in_order(&mut self, at: Timestamp) -> bool {
        if self.last_at.is_some_and(|last| at < last) {
            return false;
        }
        self.last_at = Some(at);
        true
    }

    fn is_too_old(&self, at: Timestamp) -> bool {
        self.since.is_some_and(|since| at < since)
    }

    /// A line that cannot be read: what it changed is not known.
    fn lost(&mut self, reason: &str) {
        self.is_whole = false;
        let meaning = if self.is_foreign {
            "; its changes are ignored"
        } else {
            ""
        };
        let line = self.line;
        self.remark(format!("line {line} cannot be read: {reason}{meaning}"));
    }

    fn remark(&mut self, remark: String) {
        if self.remarks.len() < MOST_REMARKS {
            self.remarks.push(remark);
        } else {
            self.more_remarks += 1;
        }
    }

    /// Makes sure that a line is of the same HPA as those before.
    fn is_of(&mut self, namespace: &str, name: &str) -> Result<(), RecordError> {
        let Some((own_namespace, own_name)) = &self.autoscaler else {
            self.autoscaler = Some((namespace.to_owned(), name.to_owned()));
            return Ok(());
        };
        if own_namespace == namespace && own_name == name {
            return Ok(());
        }
        Err(RecordError::Mixed {
            line: self.line,
            other: format!("{namespace}/{name}"),
            own: format!("{own_namespace}/{own_name}"),
        })
    }
}

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a line break.
    Break,
    /// With the file: it may have been cut off.
    File,
    /// Nowhere near: the line is left out.
    TooFar,
}

/// Reads the next line, without its line break, in bounded memory, and without
/// mistaking a beginning for a line; `None` at the end. A line of `most` bytes is
/// left out.
///
/// # Errors
///
/// The file cannot be read.
pub fn next_line(
    most: usize,
    file: &mut impl BufRead,
    line: &mut Vec<u8>,
) -> io::Result<Option<Ending>> {
    line.clear();
    let most_read = u64::try_from(most).unwrap_or(u64::MAX);
    if file.take(most_read).read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(Some(Ending::Break));
    }
    if line.len() < most {
        return Ok(Some(Ending::File));
    }
    line.clear();
    skip_line(file)?;
    Ok(Some(Ending::TooFar))
}

/// A line that is longer never ends, as far as anybody waits for it.
const LONGEST: usize = 1 << 30;

/// Reads over the rest of a line, a buffer at a time.
fn skip_line(file: &mut impl BufRead) -> io::Result<()> {
    let mut skipped = 0_usize;
    loop {
        let buffer = file.fill_buf()?;
        let (length, is_over) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        file.consume(length);
        skipped = skipped.saturating_add(length);
        if skipped > LONGEST {
            let text = format!("no line break in {} MiB", LONGEST >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        if is_over {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ending, next_line};

    #[test]
    fn lines_end_in_one_of_three_ways() {
        use Ending::{Break, File, TooFar};
        let rows: [(&str, &[(&str, Ending)]); 6] = [
            ("", &[]),
            ("a\nbc\n", &[("a", Break), ("bc", Break)]),
            ("a\nbc", &[("a", Break), ("bc", File)]),
            ("\n\n", &[("", Break), ("", Break)]),
            ("12345678\na\n", &[("", TooFar), ("a", Break)]),
            ("a\n12345678", &[("a", Break), ("", TooFar)]),
        ];
        for (text, expected) in rows {
            let mut file = text.as_bytes();
            let mut line = Vec::new();
            let mut found = Vec::new();
            while let Some(ending) = next_line(5, &mut file, &mut line).expect("no failure") {
                found.push((String::from_utf8(line.clone()).expect("text"), ending));
            }
            let found: Vec<_> = found.iter().map(|(text, end)| (&**text, *end)).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
