//! What a file is, by its first document, and which flag takes it; and where its text
//! comes from: the file, or the standard input stream.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;
use std::{io, thread};

use serde::{Deserialize, Serialize};

use crate::api::beginning;
use crate::cli::failure::Failure;
use crate::document::snapshot::{Document, read_documents};
use crate::document::{self, TextError, Value, document_texts, field};
use crate::trace::shell_word;

/// Reads every document of a snapshot file.
/// Errors: the file cannot be read, is too large, is no text, or holds no document.
pub fn read_file(path: &Path) -> anyhow::Result<Vec<Document>> {
    let name = name(path);
    let text = FileKind::Snapshot.read(
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// The inputs of passes.
    Snapshot,
    /// What `watch --record` writes.
    Record,
    /// What `record` writes: what a Prometheus answered.
    Scrapes,
    /// What the kube-controller-manager logs.
    ControllerLog,
    /// An HPA's manifest, or a list of objects.
    Manifest,
    /// An HPA and its demand.
    Scenario,
    /// Lines of time and value.
    Load,
    /// Something else that says what it is.
    Other(String),
}

impl FileKind {
    /// Reads the text of a file of this kind; the hint says which files there can be.
    /// Errors: the file cannot be read, is too large, is no text, or is of another kind.
    pub fn read(&self, path: &Path, hint: &str) -> anyhow::Result<String> {
        let text = read_text(path, hint)?;
        self.expect(&name(path), &text)?;
        Ok(text)
    }

    /// Refuses a text that is known to be of another kind, with what takes it;
    /// and nothing at all, unless it may stand for what a template has left out.
    /// Errors: it is of another kind.
    pub fn expect(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let Some(found) = Self::of(text).filter(|found| found != self) else {
            if *self == Self::Manifest || !text.trim().is_empty() {
                return Ok(());
            }
            let message = format!("{name} is empty, not {}", self.noun());
            return Err(Failure::error(message, self.origin()));
        };
        let file = match name {
            STANDARD_INPUT => "-".to_owned(),
            name => shell_word(name),
        };
        let way = match (&found, self) {
            // Between manifests stand other objects; and whoever reads
            // snapshots knows where in one an object belongs.
            (Self::Other(_), Self::Manifest | Self::Snapshot) => return Ok(()),
            (Self::Other(_), _) => self.origin().to_owned(),
            _ => found.way(&file, hpa_name(text).as_deref().unwrap_or("NAME")),
        };
        let message = format!("{name} is {}, not {}", found.noun(), self.noun());
        Err(Failure::error(message, way))
    }

    /// What takes a file of this kind: as a shell reads its name, and with the
    /// name of the HPA in it.
    pub fn way(&self, file: &str, hpa: &str) -> String {
        match self {
            Self::Snapshot => format!("`kubectl hpa-explain --snapshot {file}` reads it"),
            Self::Record => format!("`kubectl hpa-explain --history {file} --at -0s` reads it"),
            Self::Scrapes => format!("`kubectl hpa-explain --history {file} --since -1h` reads it"),
            Self::ControllerLog => {
                format!("--controller-log {file} reads it, together with --snapshot or --history")
            }
            Self::Manifest => format!(
                "`kubectl hpa-explain lint -f {file}` checks it; `kubectl hpa-explain dry-run {hpa} \
                 -f {file}` shows what it would change"
            ),
            Self::Scenario => format!("`kubectl hpa-explain simulate --scenario {file}` runs it"),
            Self::Load => {
                format!("`kubectl hpa-explain simulate NAME --load csv:{file}` replays it")
            }
            Self::Other(_) => self.origin().to_owned(),
        }
    }

    /// What a file that is there says it is, where some flag takes it, and the
    /// name of the HPA in it.
    pub fn of_file(path: &Path) -> Option<(Self, Option<String>)> {
        let text = path.is_file().then(|| read_text(path, ""))?.ok()?;
        let kind = Self::of(&text).filter(|kind| !matches!(kind, Self::Other(_)))?;
        Some((kind, hpa_name(&text)))
    }

    /// Refuses a file that came to nothing for what it is. One that cannot be read again,
    /// as a pipe, is left to whoever read it first.
    pub fn expect_file(&self, path: &Path) -> anyhow::Result<()> {
        let text = path.is_file().then(|| read_text(path, ""));
        match text {
            Some(Ok(text)) => self.expect(&name(path), &text),
            _ => Ok(()),
        }
    }

    /// Where such a file comes from.
    const fn origin(&self) -> &'static str {
        match self {
            Self::Snapshot => "`kubectl hpa-explain capture NAME --file FILE` writes one",
            Self::Record => "`kubectl hpa-explain watch NAME --record FILE` writes one",
            Self::Scrapes => {
                "`kubectl hpa-explain record NAME --prometheus --file FILE` writes one"
            }
            Self::ControllerLog => "`kubectl logs -n kube-system POD` prints one",
            Self::Load => "a load file needs lines of time,value, such as 15s,2.5",
            _ => "docs/simulate.md shows one",
        }
    }

    fn noun(&self) -> String {
        match self {
            Self::Snapshot => "a snapshot".to_owned(),
            Self::Record => "a record".to_owned(),
            Self::Scrapes => "what a Prometheus answered".to_owned(),
            Self::ControllerLog => "the log of a kube-controller-manager".to_owned(),
            Self::Manifest => "a manifest".to_owned(),
            Self::Scenario => "a scenario".to_owned(),
            Self::Load => "a load file".to_owned(),
            Self::Other(kind) => format!("of kind {kind}"),
        }
    }

    /// What a text is, where it says so.
    fn of(text: &str) -> Option<Self> {
        let first = text.lines().find(|line| !line.trim().is_empty())?;
        if is_log(first) {
            return Some(Self::ControllerLog);
        }
        if is_load(first) {
            return Some(Self::Load);
        }
        let document = first_document(text)?;
        let Some(Value::Text(kind)) = field(document, "kind").map(|it| it.value) else {
            return field(document, "demand").map(|_| Self::Scenario);
        };
        Some(match kind.as_str() {
            "Snapshot" => Self::Snapshot,
            "Record" => Self::Record,
            SCRAPES_KIND => Self::Scrapes,
            "HorizontalPodAutoscaler" | "List" => Self::Manifest,
            other => Self::Other(beginning(other, 63).to_owned()),
        })
    }
}

/// The `kind` of what `record` writes.
pub const SCRAPES_KIND: &str = "Scrapes";

/// The first line of what `record` writes.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScrapesHeader {
    pub kind: String,
    pub api_version: String,
    pub tool_version: String,
}

impl ScrapesHeader {
    /// Reads a line; nothing where it is another one.
    pub fn of(line: &str) -> Option<Self> {
        let header: Option<Self> = serde_json::from_str(line).ok();
        header.filter(|it| it.kind == SCRAPES_KIND)
    }
}

fn first_document(text: &str) -> Option<&str> {
    Some(document_texts(text).first()?.text)
}

/// The name of the first object.
fn hpa_name(text: &str) -> Option<String> {
    let metadata = field(first_document(text)?, "metadata")?;
    let name = metadata.text("name")?;
    let is_name = |it: char| it.is_ascii_alphanumeric() || "-.".contains(it);
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
}

/// `I1120 08:00:20.541564 …`, or the same as JSON.
fn is_log(line: &str) -> bool {
    let mut rest = line.chars();
    let begins = rest.next().is_some_and(|it| "IWEF".contains(it));
    let rest = rest.as_str();
    let is_date = |date: &str| date.chars().all(|it| it.is_ascii_digit());
    begins && rest.get(..4).is_some_and(is_date) && rest[4..].starts_with(' ')
        || line.starts_with("{\"ts\":")
}

/// `15s,2.5`.
fn is_load(line: &str) -> bool {
    let begins = |it: &str| it.trim().starts_with(|it: char| it.is_ascii_digit());
    let mut cells = line.split(',');
    let are_numbers = cells.by_ref().take(2).filter(|it| begins(it)).count() == 2;
    are_numbers && cells.next().is_none()
}

/// More than this is no snapshot file.
pub const MOST_BYTES: u64 = 1 << 28;

/// How long a pipe is waited for.
const PATIENCE: Duration = Duration::from_secs(15);

/// What the standard input stream is called in messages.
pub const STANDARD_INPUT: &str = "standard input";

/// Reads a file's text; the hint says which files there can be.
/// Errors: the file cannot be read, is too large, or is no text.
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
/// Errors: it cannot be opened, or nobody begins to write to the pipe in time.
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
    Err(Failure::usage(
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

#[cfg(test)]
mod tests {
    use super::FileKind;

    #[test]
    fn a_file_is_what_its_first_document_says() {
        let rows = [
            ("kind: Snapshot\n", Some(FileKind::Snapshot)),
            ("# x\n---\nkind: \"Record\" # y\n", Some(FileKind::Record)),
            ("{\"kind\":\"Record\"}\n{\"t\":1}\n", Some(FileKind::Record)),
            (
                "I1120 08:00:20.5 9 x.go:1] y\n",
                Some(FileKind::ControllerLog),
            ),
            (
                "{\"ts\":1.5,\"msg\":\"y\"}\n",
                Some(FileKind::ControllerLog),
            ),
            (
                "a: 1\nkind: HorizontalPodAutoscaler\n",
                Some(FileKind::Manifest),
            ),
            (
                "kind: Secret\n---\nx: {{\n",
                Some(FileKind::Other("Secret".to_owned())),
            ),
            ("\"kind\": Record\n", Some(FileKind::Record)),
            ("{kind: Record, id: x}\n", Some(FileKind::Record)),
            ("kind: !!str Record\nx: {{\n", Some(FileKind::Record)),
            ("id: x\ndemand: [1]\n", Some(FileKind::Scenario)),
            ("{\"demand\":[1]}\n", Some(FileKind::Scenario)),
            ("0s,2\n15s,3\n", Some(FileKind::Load)),
            ("2026-11-20T08:00:00Z,2\n", Some(FileKind::Load)),
            ("spec:\n  kind: Snapshot\n", None),
            ("Iceland, 4\n", None),
            ("", None),
        ];
        for (text, kind) in rows {
            assert_eq!(FileKind::of(text), kind, "{text}");
        }
    }
}
