//! Arguments in, exit code out: the only place with clock, environment,
//! terminal and standard streams.
//!
//! Arguments are read into `args`, resolved against the environment into the
//! options of `terminal`, and run by one module a command.

mod args;
mod capture;
mod completion;
mod connection;
mod connection_error;
mod demo;
mod destination;
mod dry_run;
mod exit;
mod explain;
mod failure;
mod flaps;
mod gaps;
mod lint;
mod list;
mod live;
mod past;
mod picker;
mod printer;
mod rbac;
mod select;
mod session;
mod signals;
mod simulate;
mod source;
mod terminal;
mod version;
mod waiting;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use args::{Arguments, Command};
use completion::answer;
use exit::INTERRUPTED;
use failure::{Failure, Interrupted};
use terminal::Terminal;

/// Reads the process's arguments, runs, and reports failure on the standard
/// error stream.
#[must_use]
pub fn main() -> ExitCode {
    run(std::env::args_os())
}

fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    if let Some(words) = answer::words(&arguments) {
        return answer::run(&words);
    }
    let arguments = match Arguments::read(arguments.into_iter()) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    let mut terminal = Terminal::new(&arguments.output);
    let outcome = match &arguments.command {
        None => explain::run(&arguments.explain, &arguments.output, &mut terminal),
        Some(Command::List(list)) => list::run(list, &mut terminal),
        Some(Command::Lint(lint)) => lint::run(lint, &mut terminal),
        Some(Command::Rbac(rbac)) => rbac::run(rbac, &mut terminal),
        Some(Command::Demo(demo)) => demo::run(demo, &mut terminal),
        Some(Command::Capture(capture)) => capture::run(capture, &mut terminal),
        Some(Command::DryRun(dry_run)) => dry_run::run(dry_run, &mut terminal),
        Some(Command::Simulate(simulate)) => simulate::run(simulate, &mut terminal),
        Some(Command::Flaps(flaps)) => flaps::run(flaps, &mut terminal),
        Some(Command::Watch(watch)) => watch::run(watch, &mut terminal),
        Some(Command::Completion(completion)) => completion::run(completion, &mut terminal),
        Some(Command::Version(version)) => version::run(version, &mut terminal),
    };
    let outcome = outcome.and_then(|code| {
        terminal.flush()?;
        Ok(code)
    });
    match outcome {
        Ok(code) => code,
        // Whoever reads our output has seen enough, as in `… | head`.
        Err(error) if failure::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<Interrupted>() => ExitCode::from(INTERRUPTED),
        Err(error) => {
            for line in Failure::lines(&error) {
                terminal.complain(&line);
            }
            ExitCode::FAILURE
        }
    }
}

/// Help and version are answers; everything else is a mistake, with clap's
/// exit code for it.
fn usage(error: &clap::Error) -> ExitCode {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    // Nothing is left to tell where even this cannot be written.
    _ = error.print();
    ExitCode::from(code)
}
