//! The exit code of commands that judge.

use std::io;
use std::process::ExitCode;

use crate::trace::Severity;

/// The command line cannot be read, as clap has it.
pub const USAGE: u8 = 2;

/// With `--exit-code`: a finding of severity warning or worse.
pub const FOUND: u8 = 3;

/// Somebody ended it with a key, as a shell has it for Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// What is to be said of all HPAs together.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExitStatus {
    worst: Option<Severity>,
    has_failed: bool,
}

impl ExitStatus {
    /// Of what either fails or does not.
    pub fn of(has_failed: bool) -> Self {
        Self {
            worst: None,
            has_failed,
        }
    }

    /// How much the worst finding of an HPA matters.
    pub fn note(&mut self, severity: Option<Severity>) {
        self.worst = self.worst.max(severity);
    }

    /// An HPA could not be judged.
    pub fn fail(&mut self) {
        self.has_failed = true;
    }

    /// Whether one could not be judged.
    pub fn has_failed(self) -> bool {
        self.has_failed
    }

    /// Whether all could be judged, and errors were found.
    pub fn passes_over_errors(self) -> bool {
        self.worst == Some(Severity::Error) && !self.has_failed
    }

    /// The exit code; what is found counts only where that was asked for, and
    /// less than a failure, which leaves open what else there is.
    pub fn code(self, counts: bool) -> ExitCode {
        match self.worst {
            _ if self.has_failed => ExitCode::FAILURE,
            Some(Severity::Warning | Severity::Error) if counts => ExitCode::from(FOUND),
            _ => ExitCode::SUCCESS,
        }
    }
}

/// Waits until somebody wants the run to end: Ctrl-C, or what a supervisor
/// sends.
#[cfg(unix)]
pub fn end() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// The same where there are no such signals.
#[cfg(not(unix))]
pub fn end() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Where it cannot be waited for, the system itself ends the run.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

#[cfg(test)]
mod tests {
    use std::process::ExitCode;

    use super::{ExitStatus, FOUND};
    use crate::trace::Severity::{self, Error, Info, Warning};

    #[test]
    fn failures_win_and_findings_count_on_demand() {
        let rows: [(&[Severity], bool, bool, u8); 7] = [
            (&[], false, true, 0),
            (&[Info], false, true, 0),
            (&[Warning, Info], false, true, FOUND),
            (&[Info, Error], false, true, FOUND),
            (&[Error], false, false, 0),
            (&[Error], true, true, 1),
            (&[], true, false, 1),
        ];
        for (severities, has_failed, counts, code) in rows {
            let mut status = ExitStatus::default();
            for severity in severities {
                status.note(Some(*severity));
            }
            if has_failed {
                status.fail();
            }
            // An exit code cannot be compared but by what it prints.
            let shown = format!("{:?}", status.code(counts));
            assert_eq!(
                shown,
                format!("{:?}", ExitCode::from(code)),
                "{severities:?}"
            );
        }
    }
}
