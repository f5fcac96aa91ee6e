//! What tells a run to end.

use std::io;

/// Waits until somebody wants the run to end: Ctrl-C, or what a supervisor
/// sends.
///
/// # Errors
///
/// It cannot be waited for.
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
