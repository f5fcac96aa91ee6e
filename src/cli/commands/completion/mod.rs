//! Shell completion: how the user sets it up, by a shell's script or by the
//! helper through which kubectl itself completes, and what the helper answers.

pub mod answer;

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command, Subcommand};
use clap_complete::{Shell, generate};

use crate::cli::home::home;
use crate::cli::{failure::Failure, terminal::Terminal};
use answer::HELPER;

/// The name that the scripts complete. What kubectl completes goes through
/// the helper.
const BINARY: &str = "kubectl-hpa_explain";

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain completion install
      kubectl completes `kubectl hpa-explain`, where its own completion is set up
  source <(kubectl-hpa_explain completion bash)
      bash completes `kubectl-hpa_explain`, called without kubectl";

const INSTALL_EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain completion install
      write the helper to the folder of the plugin
  kubectl hpa-explain completion install --dir ~/.local/bin
      write it to another folder of the PATH";

/// Which completion.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub struct Completion {
    #[command(subcommand)]
    what: What,
}

#[derive(Clone, Debug, Subcommand)]
enum What {
    /// Print the script for bash
    Bash,
    /// Print the script for zsh
    Zsh,
    /// Print the script for fish
    Fish,
    #[command(name = "powershell", about = "Print the script for PowerShell")]
    PowerShell,
    /// Write the helper through which kubectl completes this plugin
    #[command(before_help = INSTALL_EXAMPLES)]
    Install {
        /// Where to: a folder of the PATH; if not given, the one in which
        /// kubectl finds the plugin
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
}

/// Prints a script for a command line, or writes the helper.
/// Errors: there is no folder for the helper, or it cannot be written.
pub fn run(
    completion: &Completion,
    command: Command,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    match &completion.what {
        What::Bash => print(Shell::Bash, command, terminal)?,
        What::Zsh => print(Shell::Zsh, command, terminal)?,
        What::Fish => print(Shell::Fish, command, terminal)?,
        What::PowerShell => print(Shell::PowerShell, command, terminal)?,
        What::Install { dir } => install(dir.as_deref(), terminal)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print(shell: Shell, mut command: Command, terminal: &mut Terminal) -> io::Result<()> {
    // The generator would panic where a pipe is closed.
    let mut script = Vec::new();
    generate(shell, &mut command, BINARY, &mut script);
    let script = String::from_utf8_lossy(&script);
    // The generator for bash writes the hyphen of the binary's name in two
    // ways, and then completes no subcommand (clap-rs/clap#6421).
    let script = script.replace("kubectl__subcmd__hpa_explain", "kubectl__hpa_explain");
    terminal.out().write_all(script.as_bytes())
}

/// The helper: kubectl hands it the words, the plugin knows the answer.
#[cfg(not(windows))]
const SCRIPT: &str = "\
#!/bin/sh
# kubectl runs this to complete `kubectl hpa-explain`, if it is on the PATH.
exec kubectl-hpa_explain __complete \"$@\" 2>/dev/null
";

/// The helper: kubectl hands it the words, the plugin knows the answer.
#[cfg(windows)]
const SCRIPT: &str = "@kubectl-hpa_explain __complete %*\r\n";

/// What the helper's file name ends with.
const EXTENSION: &str = if cfg!(windows) { ".cmd" } else { "" };

/// By this a helper is known to be ours, of whatever version.
const MARK: &str = "kubectl-hpa_explain __complete";

/// No helper of ours is larger.
const MOST_BYTES: u64 = 4096;

/// Writes the helper, and says what to do with it.
fn install(directory: Option<&Path>, terminal: &mut Terminal) -> anyhow::Result<()> {
    let directory = match directory {
        Some(directory) => directory.to_owned(),
        None => plugins_folder()?,
    };
    let path = directory.join(format!("{HELPER}{EXTENSION}"));
    refuse_foreign(&path)?;
    write_whole(&path).map_err(|error| {
        Failure::error(
            format!("{}: {error}", path.display()),
            "name a folder of the PATH that you may write to with --dir",
        )
    })?;
    let is_found = is_on_path(&directory);
    if !is_found {
        terminal.complain(&format!(
            "Warning: {} is not on the PATH; kubectl does not find the helper there",
            directory.display()
        ));
    }
    let now = if is_found {
        "now completes"
    } else {
        "completes, once that folder is on the PATH,"
    };
    writeln!(
        terminal.out(),
        "Wrote {}.\n\
         kubectl (1.26 or newer) {now} `kubectl hpa-explain`,\n\
         in a shell that has kubectl's own completion (`kubectl completion --help`).\n\
         To check: kubectl __complete hpa-explain demo \"\"",
        path.display()
    )?;
    Ok(())
}

/// The folder in which kubectl finds this very plugin: krew's, else one of
/// the `PATH`.
fn plugins_folder() -> anyhow::Result<PathBuf> {
    let running = env::current_exe().and_then(fs::canonicalize)?;
    let plugin = format!("kubectl-hpa_explain{}", env::consts::EXE_SUFFIX);
    let is_here =
        |folder: &PathBuf| fs::canonicalize(folder.join(&plugin)).is_ok_and(|file| file == running);
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders = krew_folder().into_iter().chain(env::split_paths(&path));
    folders.find(is_here).ok_or_else(|| {
        Failure::error(
            format!("{} is in no folder of the PATH", running.display()),
            "name a folder of the PATH with --dir",
        )
    })
}

fn krew_folder() -> Option<PathBuf> {
    let root = env::var_os("KREW_ROOT").filter(|root| !root.is_empty());
    let root = root.map(PathBuf::from);
    let root = root.or_else(|| home().map(|home| home.join(".krew")))?;
    Some(root.join("bin"))
}

fn is_on_path(directory: &Path) -> bool {
    let Ok(directory) = fs::canonicalize(directory) else {
        return false;
    };
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| fs::canonicalize(folder).is_ok_and(|it| it == directory))
}

/// A helper of ours may be replaced, nothing else.
fn refuse_foreign(path: &Path) -> anyhow::Result<()> {
    if fs::symlink_metadata(path).is_err() || is_ours(path).unwrap_or(false) {
        return Ok(());
    }
    Err(Failure::error(
        format!("{} exists and is not ours", path.display()),
        "move it away, or name another folder of the PATH with --dir",
    ))
}

/// Whether it is a helper that this plugin wrote, or a link to the plugin.
fn is_ours(path: &Path) -> io::Result<bool> {
    if !fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let running = env::current_exe().and_then(fs::canonicalize)?;
    if fs::canonicalize(path)? == running {
        return Ok(true);
    }
    let mut text = Vec::new();
    File::open(path)?.take(MOST_BYTES).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).contains(MARK))
}

/// Writes under another name first, so that a helper in use is whole at any
/// time.
fn write_whole(path: &Path) -> io::Result<()> {
    let draft = path.with_file_name(format!(".{HELPER}.{}", std::process::id()));
    let written = write_executable(&draft).and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // The first failure is the one to tell.
        _ = fs::remove_file(&draft);
    }
    written
}

fn write_executable(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o755);
    let mut file = options.open(path)?;
    file.write_all(SCRIPT.as_bytes())?;
    file.sync_all()
}
