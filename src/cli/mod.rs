//! Arguments in, exit code out: the only place with environment, terminal and
//! standard streams.
//!
//! Arguments are read into `args`, resolved against the environment into the
//! options of `terminal`, and run by one module a command in `commands`.

mod args;
mod commands;
mod connection;
mod connection_error;
mod destination;
mod exit;
mod failure;
mod home;
mod intended;
mod jq;
mod kind;
mod live;
mod options;
mod page;
mod past;
mod pieces;
mod printer;
mod select;
mod session;
mod terminal;
mod waiting;
mod which;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory;

use crate::api::beginning;
use crate::budget;
use crate::render::escape;
use args::{Arguments, Command};
use commands::completion::answer;
use exit::{INTERRUPTED, USAGE};
use failure::{Failure, Interrupted};
use terminal::Terminal;
use waiting::complain;

/// How much of an argument is repeated where it is refused.
const LONGEST_SHOWN: usize = 200;

/// The command line, of which the manual pages are made.
pub fn command_line() -> clap::Command {
    Arguments::definition()
}

/// Reads the process's arguments, runs, and reports failure on the standard
/// error stream.
pub fn main() -> ExitCode {
    run(std::env::args_os())
}

fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    if let Some(words) = answer::words(&arguments) {
        return answer::run(Arguments::command(), &words);
    }
    let arguments = match Arguments::read(arguments.iter().cloned()) {
        Ok(arguments) => arguments,
        Err(error) => {
            // What hides in an argument is shown with it, and of a long one the beginning.
            let shown = arguments.iter().map(|it| {
                let shown = escape(&it.to_string_lossy());
                beginning(&shown, LONGEST_SHOWN).into()
            });
            let shown: Vec<OsString> = shown.collect();
            if shown == arguments {
                return usage(&error);
            }
            if let Err(shown) = Arguments::read(shown.into_iter()) {
                return usage(&shown);
            }
            // What is refused raw may be a name once it is shown.
            error.to_string().lines().for_each(complain);
            return ExitCode::from(USAGE);
        }
    };
    let mut terminal = Terminal::new(&arguments.explain.output);
    for note in &arguments.notes {
        terminal.complain(note);
    }
    let outcome = match &arguments.command {
        None => commands::explain::run(&arguments.explain, &mut terminal),
        Some(Command::List(list)) => commands::list::run(list, &mut terminal),
        Some(Command::Lint(lint)) => commands::lint::run(lint, &mut terminal),
        Some(Command::Meaning(meaning)) => commands::meaning::run(meaning, &mut terminal),
        Some(Command::Rbac(rbac)) => commands::rbac::run(rbac, &mut terminal),
        Some(Command::Demo(demo)) => commands::demo::run(demo, &mut terminal),
        Some(Command::Capture(capture)) => commands::capture::run(capture, &mut terminal),
        Some(Command::Record(record)) => commands::record::run(record, &mut terminal),
        Some(Command::DryRun(dry_run)) => commands::dry_run::run(dry_run, &mut terminal),
        Some(Command::Simulate(simulate)) => commands::simulate::run(simulate, &mut terminal),
        Some(Command::Flaps(flaps)) => commands::flaps::run(flaps, &mut terminal),
        Some(Command::Tune(tune)) => commands::tune::run(tune, &mut terminal),
        Some(Command::Watch(watch)) => commands::watch::run(watch, &mut terminal),
        Some(Command::Completion(completion)) => {
            commands::completion::run(completion, Arguments::command(), &mut terminal)
        }
        Some(Command::Version(version)) => commands::version::run(version, &mut terminal),
    };
    let outcome = outcome.and_then(|code| {
        terminal.flush()?;
        Ok(code)
    });
    match outcome {
        Ok(_) if budget::is_interrupted() => {
            terminal.complain("interrupted: the output has only what was read before");
            ExitCode::from(INTERRUPTED)
        }
        Ok(code) => code,
        // Whoever reads our output has seen enough, as in `… | head`.
        Err(error) if failure::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(_) if budget::is_interrupted() => {
            terminal.complain("interrupted: too little was read before for an answer");
            ExitCode::from(INTERRUPTED)
        }
        Err(error) if error.is::<Interrupted>() => ExitCode::from(INTERRUPTED),
        Err(error) => error.downcast_ref().map_or_else(
            || {
                terminal.fail(&error);
                Failure::code(&error)
            },
            usage,
        ),
    }
}

/// Help and version are answers; everything else is a mistake, with clap's
/// exit code for it.
fn usage(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            // Nobody is left to tell where even this fails.
            _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
    }
}
