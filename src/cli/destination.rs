//! Where a capture or a page goes: a file that is written whole or not at all,
//! or the standard output stream.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::cli::failure::Failure;
use crate::cli::kind::{ScrapesHeader, open};
use crate::document::snapshot::{API_VERSION, KIND};
use crate::render::PAGE_GENERATOR;

/// How much of a file tells whether it is one of ours.
const BEGINNING: u64 = 1 << 10;

/// What is written. It replaces only a file of its own kind: no input of the
/// same run, no kubeconfig, and nobody else's work.
#[derive(Clone, Copy, Debug)]
pub enum Artifact {
    /// Snapshots.
    Capture,
    /// What a Prometheus answered.
    Scrapes,
    /// A page for a browser.
    Page,
}

impl Artifact {
    /// What it is called.
    const fn name(self) -> &'static str {
        match self {
            Self::Capture => "a capture",
            Self::Scrapes => "a file of `record`",
            Self::Page => "a page of this tool",
        }
    }

    /// Whether a file that begins so is one.
    fn begins(self, beginning: &str) -> bool {
        match self {
            Self::Scrapes => {
                let mut lines = beginning.lines();
                lines.next().and_then(ScrapesHeader::of).is_some()
            }
            Self::Capture => {
                let first = beginning.trim_start_matches(['-', '{', '"', ' ', '\n']);
                let version = first.strip_prefix("apiVersion").unwrap_or_default();
                let version = version.trim_start_matches(['"', ':', ' ']);
                version.starts_with(API_VERSION) && version.contains(KIND)
            }
            Self::Page => {
                beginning.starts_with("<!DOCTYPE html>")
                    && beginning.contains(&format!("content=\"{PAGE_GENERATOR}\">"))
            }
        }
    }
}

/// Where a capture or a page goes.
#[derive(Clone, Debug)]
pub enum Destination {
    /// The standard output stream.
    Standard,
    File {
        /// As it was given.
        name: PathBuf,
        /// What it leads to, where it is a symbolic link.
        path: PathBuf,
    },
}

impl Destination {
    /// Looks at where an argument leads, before anything is read.
    /// Errors: no file can be written there, or one is there that is read-only or of
    /// another kind.
    pub fn of(name: &Path, artifact: Artifact) -> anyhow::Result<Self> {
        if name.as_os_str() == "-" {
            return Ok(Self::Standard);
        }
        let refused = |is: &str, hint: &str| {
            let message = format!("{} {is}", name.display());
            Err(Failure::error(message, hint))
        };
        let example = "name a file to write, such as web.yaml";
        if name.is_symlink() && !name.exists() {
            return refused("is a link that leads nowhere", example);
        }
        let path = fs::canonicalize(name).unwrap_or_else(|_| name.to_owned());
        if path.is_dir() {
            return refused("is a directory", example);
        }
        if path.exists() && !path.is_file() {
            let hint = "name a file to write, or - for standard output";
            return refused("is not a regular file", hint);
        }
        if let Some(reason) = stays(&path, artifact) {
            let hint = "name another file, or remove this one first";
            return refused(&format!("{reason}, so it is not replaced"), hint);
        }
        let directory = directory(&path);
        if !directory.is_dir() {
            return Err(Failure::error(
                format!("the directory {} does not exist", directory.display()),
                "make it first, or write somewhere else",
            ));
        }
        Ok(Self::File {
            name: name.to_owned(),
            path,
        })
    }

    /// Writes all of it. A file is only for its owner; one that is there is
    /// replaced in one step, and stays as it is where that fails.
    /// Errors: it cannot be written; nothing of it is left then.
    pub fn write(&self, bytes: &[u8], out: &mut impl Write) -> anyhow::Result<()> {
        match self {
            Self::Standard => Ok(out.write_all(bytes)?),
            Self::File { name, path } => replace(path, bytes).map_err(|error| {
                Failure::error(
                    format!("{}: {error}", name.display()),
                    "nothing was written; choose a file in a directory of yours",
                )
            }),
        }
    }
}

/// Why the file that is there, if one is, must stay.
fn stays(path: &Path, artifact: Artifact) -> Option<String> {
    if !path.exists() {
        return None;
    }
    if fs::metadata(path).is_ok_and(|it| it.permissions().readonly()) {
        return Some("is read-only".to_owned());
    }
    let mut beginning = Vec::new();
    let file = open(path).map(|file| file.take(BEGINNING));
    if let Err(error) = file.and_then(|mut file| file.read_to_end(&mut beginning)) {
        return Some(format!("cannot be read ({error})"));
    }
    let beginning = String::from_utf8_lossy(&beginning);
    let is_own = artifact.begins(&beginning) || beginning.is_empty();
    (!is_own).then(|| format!("exists and is not {}", artifact.name()))
}

/// The temporary file goes away on its own where an error ends this.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(directory(path))?;
    restrict(file.as_file())?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Leaves the file to its owner alone.
/// Errors: it belongs to somebody else.
#[cfg(unix)]
pub fn restrict(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    file.set_permissions(fs::Permissions::from_mode(0o600))
}

/// Elsewhere a file takes the rights of its directory.
#[cfg(not(unix))]
pub fn restrict(_: &fs::File) -> io::Result<()> {
    Ok(())
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
