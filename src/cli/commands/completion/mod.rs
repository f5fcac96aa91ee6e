//! Shell completion: how the user sets it up, by a shell's script or by the
//! helper through which kubectl itself completes, and what the helper answers.

pub mod answer;
mod install;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Subcommand};
use clap_complete::{Shell, generate};

use crate::cli::args::Arguments;
use crate::cli::terminal::Terminal;

/// The name that the scripts complete. What kubectl completes goes through
/// the helper.
const BINARY: &str = "kubectl-hpa_explain";

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain completion install
      kubectl completes `kubectl hpa-explain`, where its own completion is set up
  source <(kubectl-hpa_explain completion bash)
      bash completes `kubectl-hpa_explain`, called without kubectl";

/// Which completion.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
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
    Install {
        /// Where to: a folder of the PATH; if not given, the one in which
        /// kubectl finds the plugin
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
}

/// Prints a script, or writes the helper.
///
/// # Errors
///
/// There is no folder for the helper, or it cannot be written.
pub fn run(completion: &Completion, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    match &completion.what {
        What::Bash => print(Shell::Bash, terminal)?,
        What::Zsh => print(Shell::Zsh, terminal)?,
        What::Fish => print(Shell::Fish, terminal)?,
        What::PowerShell => print(Shell::PowerShell, terminal)?,
        What::Install { dir } => install::run(dir.as_deref(), terminal)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print(shell: Shell, terminal: &mut Terminal) -> io::Result<()> {
    // The generator would panic where a pipe is closed.
    let mut script = Vec::new();
    generate(shell, &mut Arguments::command(), BINARY, &mut script);
    let script = String::from_utf8_lossy(&script);
    // The generator for bash writes the hyphen of the binary's name in two
    // ways, and then completes no subcommand (clap-rs/clap#6421).
    let script = script.replace("kubectl__subcmd__hpa_explain", "kubectl__hpa_explain");
    terminal.out().write_all(script.as_bytes())
}
