//! The completion scripts in `completions/` are what the binary prints, and
//! the helper is installed where kubectl looks for it.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite completion::` writes the files anew.

#![cfg(unix)]

use crate::support::golden::Goldens;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const PLUGIN: &str = env!("CARGO_BIN_EXE_kubectl-hpa_explain");
const HELPER: &str = "kubectl_complete-hpa_explain";

fn plugin(arguments: &[&str]) -> Command {
    let mut command = Command::new(PLUGIN);
    command.args(arguments).env_clear();
    command
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// Each committed file, and what it must be.
fn files() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    let shells = [
        ("bash", "kubectl-hpa_explain.bash"),
        ("zsh", "_kubectl-hpa_explain"),
        ("fish", "kubectl-hpa_explain.fish"),
        ("powershell", "_kubectl-hpa_explain.ps1"),
    ];
    let scripts = shells.map(|(shell, name)| {
        let printed = plugin(&["completion", shell]).output().expect("a script");
        assert!(printed.status.success(), "{shell}");
        (folder.join(name), printed.stdout)
    });
    let scratch = Scratch::new();
    assert!(scratch.install_to(&scratch.folder("bin")).status.success());
    let helper = fs::read(scratch.folder("bin").join(HELPER)).expect("the helper");
    scripts
        .into_iter()
        .chain([(folder.join(HELPER), helper)])
        .collect()
}

#[test]
fn the_files_are_current() {
    let files = files();
    assert_eq!(files.len(), 5);
    let mut goldens = Goldens::default();
    for (path, current) in files {
        goldens.check(&path, text(&current));
    }
    let helper = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    let mode = fs::metadata(helper.join(HELPER)).expect("the helper");
    assert_eq!(mode.permissions().mode() & 0o111, 0o111, "executable");
}

#[test]
#[ignore = "needs bash"]
fn bash_completes_with_its_script() {
    let script = plugin(&["completion", "bash"]).output().expect("a script");
    let script = text(&script.stdout);
    let rows = [
        ("demo --li", "--list"),
        ("demo --kuber", "--kubernetes-version"),
        ("completion ba", "bash"),
        ("--contex", "--context"),
        ("-o js", "json"),
    ];
    for (line, expected) in rows {
        let ask = "eval \"$1\"; read -ra COMP_WORDS <<<\"kubectl-hpa_explain $2\"
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _kubectl__hpa_explain kubectl-hpa_explain \
                \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"
            echo \"${COMPREPLY[@]}\"";
        let shell = Command::new("bash")
            .args(["--norc", "-c", ask, "bash", script, line])
            .output();
        let output = shell.expect("bash runs");
        assert_eq!(text(&output.stderr), "", "{line}");
        assert_eq!(text(&output.stdout).trim(), expected, "{line}");
    }
}

/// A home with folders, and what `completion install` does there.
struct Scratch {
    home: TempDir,
}

impl Scratch {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a home");
        Self { home }
    }

    fn folder(&self, name: &str) -> PathBuf {
        let folder = self.home.path().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    /// A folder with a link to the plugin.
    fn linked(&self, name: &str) -> PathBuf {
        let folder = self.folder(name);
        symlink(PLUGIN, folder.join("kubectl-hpa_explain")).expect("a link");
        folder
    }

    fn install(&self, path: &Path, krew_root: Option<&Path>) -> Output {
        let mut command = plugin(&["completion", "install"]);
        command.env("HOME", self.home.path()).env("PATH", path);
        if let Some(root) = krew_root {
            command.env("KREW_ROOT", root);
        }
        command.output().expect("it runs")
    }

    fn install_to(&self, folder: &Path) -> Output {
        let mut command = plugin(&["completion", "install", "--dir"]);
        command.arg(folder).env("HOME", self.home.path());
        command.env("PATH", folder).output().expect("it runs")
    }
}

/// The helper is in the folder and nothing else was left there.
fn assert_installed(folder: &Path, output: &Output) {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let helper = folder.join(HELPER);
    let said = format!("Wrote {}.", helper.display());
    assert!(text(&output.stdout).starts_with(&said));
    assert!(text(&output.stdout).contains("kubectl __complete hpa-explain"));
    let metadata = fs::symlink_metadata(&helper).expect("the helper");
    assert!(metadata.is_file());
    assert_eq!(metadata.permissions().mode() & 0o700, 0o700);
    let left = fs::read_dir(folder).expect("a folder").filter(|entry| {
        let name = entry.as_ref().expect("an entry").file_name();
        name.as_encoded_bytes().starts_with(b".")
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn the_helper_is_written_beside_the_plugin() {
    let scratch = Scratch::new();
    let krew = scratch.linked(".krew/bin");
    let own = scratch.linked("bin");
    assert_installed(&krew, &scratch.install(&krew, None));
    assert!(!own.join(HELPER).exists());

    // A krew of another place, and none at all.
    let root = scratch.folder("krew");
    let other = scratch.linked("krew/bin");
    assert_installed(&other, &scratch.install(&other, Some(&root)));
    let scratch = Scratch::new();
    let empty = scratch.folder("empty");
    let own = scratch.linked("bin");
    let path = std::env::join_paths([&empty, &own]).expect("a PATH");
    assert_installed(&own, &scratch.install(Path::new(&path), None));
}

#[test]
fn a_folder_off_the_path_is_warned_of() {
    let scratch = Scratch::new();
    let krew = scratch.linked(".krew/bin");
    let output = scratch.install(&scratch.folder("empty"), None);
    assert_installed(&krew, &output);
    let warning = format!("Warning: {} is not on the PATH", krew.display());
    assert!(text(&output.stderr).starts_with(&warning));
    let said = text(&output.stdout);
    assert!(!said.contains("now completes"), "{said}");
    assert!(said.contains("once that folder is on the PATH"), "{said}");
    let output = scratch.install(&krew, None);
    assert!(text(&output.stdout).contains("now completes"));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn only_a_helper_of_ours_is_replaced() {
    type Put = fn(&Path);
    let ours: [Put; 3] = [
        |path| fs::write(path, "#!/bin/sh\nkubectl-hpa_explain __complete x\n").expect("a file"),
        |path| symlink(PLUGIN, path).expect("a link"),
        |_| (),
    ];
    for put in ours {
        let scratch = Scratch::new();
        let folder = scratch.folder("bin");
        put(&folder.join(HELPER));
        assert_installed(&folder, &scratch.install_to(&folder));
    }
    let foreign: [Put; 4] = [
        |path| fs::write(path, "#!/bin/sh\nreboot\n").expect("a file"),
        |path| fs::write(path, "").expect("a file"),
        |path| fs::create_dir(path).expect("a folder"),
        |path| symlink("/nowhere", path).expect("a link"),
    ];
    for put in foreign {
        let scratch = Scratch::new();
        let folder = scratch.folder("bin");
        put(&folder.join(HELPER));
        let output = scratch.install_to(&folder);
        assert_eq!(output.status.code(), Some(1));
        let complaint = text(&output.stderr);
        assert!(complaint.contains("exists and is not ours\nhint: move it away"));
    }
}

#[test]
fn a_helper_that_cannot_be_written_is_an_error_with_the_next_step() {
    let scratch = Scratch::new();
    let empty = scratch.folder("empty");
    let file = scratch.folder("x").join("file");
    fs::write(&file, "").expect("a file");
    let rows = [
        (scratch.install(&empty, None), "is in no folder of the PATH"),
        (scratch.install_to(Path::new("/nowhere")), "No such file"),
        (scratch.install_to(&file), "Not a directory"),
    ];
    for (output, reason) in rows {
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{complaint}");
        assert!(complaint.starts_with("error: "), "{complaint}");
        assert!(complaint.contains(reason), "{complaint}");
        assert!(complaint.contains("\nhint: name a folder of the PATH"));
        assert_eq!(text(&output.stdout), "");
    }
}
