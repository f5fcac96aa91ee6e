//! What went wrong, and what to do next.

use std::io;
use std::process::ExitCode;

use thiserror::Error;

use super::exit::USAGE;

/// A failure with its next step.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct Failure {
    prefix: &'static str,
    message: String,
    hint: String,
    code: ExitCode,
}

impl Failure {
    /// A failure, and the next step in a sentence without full stop.
    pub fn error(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Self::with("error: ", message.into(), hint.into(), ExitCode::FAILURE)
    }

    /// The same where the command line is what is wrong.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Self::with("error: ", message.into(), hint.into(), USAGE.into())
    }

    /// A failure that kubectl states without `error:` in front.
    pub fn stated(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Self::with("", message.into(), hint.into(), ExitCode::FAILURE)
    }

    fn with(prefix: &'static str, message: String, hint: String, code: ExitCode) -> anyhow::Error {
        let failure = Self {
            prefix,
            message,
            hint,
            code,
        };
        failure.into()
    }

    /// The exit code of an error.
    pub fn code(error: &anyhow::Error) -> ExitCode {
        let own = error.downcast_ref::<Self>();
        own.map_or(ExitCode::FAILURE, |it| it.code)
    }

    /// The same with one more thing that may help.
    pub fn or(error: anyhow::Error, more: &str) -> anyhow::Error {
        match error.downcast::<Self>() {
            Ok(mut failure) => {
                failure.hint = format!("{}; {more}", failure.hint);
                failure.into()
            }
            Err(error) => error,
        }
    }

    /// The lines for the standard error stream.
    pub fn lines(error: &anyhow::Error) -> Vec<String> {
        if let Some(Refused(each)) = error.downcast_ref() {
            let mut lines: Vec<String> = each.iter().map(|it| format!("error: {it}")).collect();
            // The server looks at some fields twice.
            lines.dedup();
            lines.push("hint: nothing was compared; correct it and run it again".to_owned());
            return lines;
        }
        match error.downcast_ref::<Self>() {
            Some(failure) => vec![
                format!("{}{}", failure.prefix, failure.message),
                format!("hint: {}", failure.hint),
            ],
            None => vec![format!("error: {error:#}")],
        }
    }
}

/// Somebody ended it with a key.
#[derive(Debug, Error)]
#[error("interrupted")]
pub struct Interrupted;

/// What is wrong with specs that are to be tried, each with its place.
#[derive(Debug, Error)]
#[error("{}", .0.join("\n"))]
pub struct Refused(pub Vec<String>);

/// Whether the reader of our output is gone.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
