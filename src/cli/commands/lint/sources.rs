//! The files that are looked into, and what is in them.

use std::path::{Path, PathBuf};

use crate::cli::select::is_hpa;
use crate::cli::source::name;
use crate::cli::{Failure, FileKind, read_once, read_text};
use crate::findings::InFile;
use crate::manifest::{Content, Document, Manifest, Neighbor, Rules, read};
use crate::trace::shell_word;

/// What a file of a folder is called if it is read.
const MANIFESTS: [&str; 3] = ["yaml", "yml", "json"];

const HINT: &str = "-f takes files, folders, or - for standard input";

struct InputFile {
    name: String,
    documents: Vec<Document>,
}

/// All files, in the order in which they are looked into.
pub(super) struct Sources {
    files: Vec<InputFile>,
    /// Why files of folders cannot be read.
    pub(super) unread: Vec<anyhow::Error>,
}

impl Sources {
    /// Reads the files; of folders those inside.
    ///
    /// # Errors
    ///
    /// One that is named cannot be read, or none holds a manifest: among others an
    /// empty one is what a template comes to that is switched off.
    pub(super) fn read(paths: &[PathBuf], rules: Rules) -> anyhow::Result<Self> {
        read_once(paths)?;
        let mut sources = Vec::new();
        let mut unread = Vec::new();
        let mut other = None;
        for path in files(paths)? {
            let mut hint = HINT.to_owned();
            if let Some(name) = path
                .to_str()
                .map(|it| match it.split_once('/') {
                    Some((kind, name)) if is_hpa(kind) => name,
                    _ => it,
                })
                .filter(|it| !it.contains(['.', '/']) && *it != "-")
            {
                let name = shell_word(name);
                hint = format!(
                    "`kubectl get hpa {name} -o yaml | kubectl hpa-explain lint -f -` checks the HPA of this name; {HINT}"
                );
            }
            if path.to_str().is_some_and(|it| it.contains("://")) {
                let url = shell_word(&path.to_string_lossy());
                hint = format!("`curl -fsSL {url} | kubectl hpa-explain lint -` reads a URL");
            }
            let is_named = paths.contains(&path);
            let text = match read_text(&path, &hint) {
                Ok(text) => text,
                Err(error) if is_named => return Err(error),
                Err(error) => {
                    unread.push(error);
                    continue;
                }
            };
            match FileKind::Manifest.expect(&name(&path), &text) {
                Ok(()) => sources.push(InputFile {
                    documents: read(&text, rules),
                    name: name(&path),
                }),
                Err(error) if is_named => return Err(error),
                // Beside the manifests of a folder may be anything.
                Err(error) => other = other.or(Some(error)),
            }
        }
        let sources = Self {
            files: sources,
            unread,
        };
        if sources.documents().next().is_none() && sources.unread.is_empty() {
            if let Some(other) = other {
                return Err(other);
            }
            let names: Vec<&str> = sources.empty().collect();
            let message = match names.as_slice() {
                [only] => format!("{only}: holds no document"),
                several => format!("none of {} files holds a document", several.len()),
            };
            let hint = "give a manifest, such as what `kubectl get hpa NAME -o yaml` prints";
            return Err(Failure::error(message, hint));
        }
        Ok(sources)
    }

    /// The names of the files that hold nothing.
    pub(super) fn empty(&self) -> impl Iterator<Item = &str> {
        let empty = self
            .files
            .iter()
            .filter(|source| source.documents.is_empty());
        empty.map(|source| source.name.as_str())
    }

    /// Every document, with the name of its file.
    pub(super) fn documents(&self) -> impl Iterator<Item = (&str, &Document)> {
        self.files.iter().flat_map(|InputFile { name, documents }| {
            let documents = documents.iter();
            documents.map(|document| (name.as_str(), document))
        })
    }

    /// The documents of which something is told.
    pub(super) fn reported(&self) -> impl Iterator<Item = (&str, &Document)> {
        let documents = self.documents();
        documents.filter(|(_, it)| matches!(it.content, Ok(Content::Autoscaler(_)) | Err(_)))
    }

    /// Every HPA.
    pub(super) fn autoscalers(&self) -> Vec<InFile<'_, Manifest>> {
        self.all(|content| match content {
            Content::Autoscaler(manifest) => Some(manifest.as_ref()),
            _ => None,
        })
    }

    /// Everything else.
    pub(super) fn neighbors(&self) -> Vec<InFile<'_, Neighbor>> {
        self.all(|content| match content {
            Content::Neighbor(neighbor) => Some(neighbor.as_ref()),
            _ => None,
        })
    }

    fn all<T>(&self, is_it: fn(&Content) -> Option<&T>) -> Vec<InFile<'_, T>> {
        let documents = self.documents().filter_map(|(file, document)| {
            let item = is_it(document.content.as_ref().ok()?)?;
            Some(InFile { file, item })
        });
        documents.collect()
    }
}

/// The files, with those of folders in the order of their names, as kubectl
/// takes them: without the folders inside.
fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(inside(path)?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn inside(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let unreadable =
        |error: std::io::Error| Failure::error(format!("{}: {error}", folder.display()), HINT);
    let mut inside = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let extension = path.extension().and_then(|it| it.to_str());
        if extension.is_some_and(|it| MANIFESTS.contains(&it)) && path.is_file() {
            inside.push(path);
        }
    }
    if inside.is_empty() {
        return Err(Failure::error(
            format!("{}: no manifest in this folder", folder.display()),
            "files whose names end in .yaml, .yml or .json are read, folders inside are not",
        ));
    }
    inside.sort();
    Ok(inside)
}
