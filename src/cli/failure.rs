//! What went wrong, and what to do next.

use std::io;

use thiserror::Error;

/// A failure with its next step.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct Failure {
    prefix: &'static str,
    message: String,
    hint: String,
}

impl Failure {
    /// A failure, and the next step in a sentence without full stop.
    pub fn error(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Self::with_prefix("error: ", message.into(), hint.into())
    }

    /// A failure that kubectl states without `error:` in front.
    pub fn stated(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Self::with_prefix("", message.into(), hint.into())
    }

    fn with_prefix(prefix: &'static str, message: String, hint: String) -> anyhow::Error {
        let failure = Self {
            prefix,
            message,
            hint,
        };
        failure.into()
    }

    /// The lines for the standard error stream.
    pub fn lines(error: &anyhow::Error) -> Vec<String> {
        match error.downcast_ref::<Self>() {
            Some(failure) => vec![
                format!("{}{}", failure.prefix, failure.message),
                format!("hint: {}", failure.hint),
            ],
            None => vec![format!("error: {error:#}")],
        }
    }
}

/// Whether the reader of our output is gone.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
