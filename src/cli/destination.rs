//! Where a capture goes: a file that is written whole or not at all, or the
//! standard output stream.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::failure::Failure;

/// Where a capture goes.
#[derive(Debug)]
pub enum Destination {
    /// The standard output stream.
    Standard,
    /// A file.
    File {
        /// As it was given.
        name: PathBuf,
        /// What it leads to, where it is a symbolic link.
        path: PathBuf,
    },
}

impl Destination {
    /// Looks at where `--file` leads, before anything is read.
    ///
    /// # Errors
    ///
    /// No file can be written there.
    pub fn of(name: &Path) -> anyhow::Result<Self> {
        if name.as_os_str() == "-" {
            return Ok(Self::Standard);
        }
        if name.is_symlink() && !name.exists() {
            return Err(Failure::error(
                format!("{} is a link that leads nowhere", name.display()),
                "name a file to write, such as web.yaml",
            ));
        }
        let path = fs::canonicalize(name).unwrap_or_else(|_| name.to_owned());
        if path.is_dir() {
            return Err(Failure::error(
                format!("{} is a directory", name.display()),
                "name a file to write, such as web.yaml",
            ));
        }
        if path.exists() && !path.is_file() {
            return Err(Failure::error(
                format!("{} is not a regular file", name.display()),
                "name a file to write, or - for standard output",
            ));
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

    /// Whether it is the standard output stream.
    pub fn is_standard_output(&self) -> bool {
        matches!(self, Self::Standard)
    }

    /// Writes all of it. A file is only for its owner; one that is there is
    /// replaced in one step, and stays as it is where that fails.
    ///
    /// # Errors
    ///
    /// It cannot be written; nothing of it is left then.
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

/// The temporary file goes away on its own where an error ends this.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(directory(path))?;
    restrict(file.as_file())?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Made so from the start, unless the umask takes away more than it should.
#[cfg(unix)]
fn restrict(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    file.set_permissions(fs::Permissions::from_mode(0o600))
}

/// Elsewhere a file takes the rights of its directory.
#[cfg(not(unix))]
fn restrict(_: &fs::File) -> io::Result<()> {
    Ok(())
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
