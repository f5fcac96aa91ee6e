//! What one run may take: whatever reads for it asks here whether it may go
//! on. A run that somebody ends goes on with what it has.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The bytes of memory from which on nothing more is read. 1,000 HPAs with
/// 50,000 pods take two thirds.
pub const MOST_HELD: usize = 112 << 20;

/// The requests of a run; of one that goes on for long, those of a pass.
pub const MOST_REQUESTS: usize = 20_000;

/// The pages of a list: of 500 objects each, a million.
pub const MOST_PAGES: usize = 2_000;

static HELD: OnceLock<fn() -> usize> = OnceLock::new();
static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// What a run has used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Spent {
    /// Memory.
    #[error("what was read fills {} MiB of memory; the rest is skipped", MOST_HELD >> 20)]
    Memory,
    /// Requests.
    #[error("{MOST_REQUESTS} requests were sent; the rest is skipped")]
    Requests,
    /// The time of whoever waits.
    #[error("interrupted")]
    Interrupted,
}

/// Has the memory measured: `held` says how many bytes are allocated. Without
/// it, as in a library, memory has no limit.
pub fn measure(held: fn() -> usize) {
    // A second time, it is the same.
    _ = HELD.set(held);
}

/// Whether there is room for more.
///
/// # Errors
///
/// [`Spent::Memory`].
pub fn room() -> Result<(), Spent> {
    match HELD.get() {
        Some(held) if held() > MOST_HELD => Err(Spent::Memory),
        _ => Ok(()),
    }
}

/// From now on, the first Ctrl-C ends the reading alone, and the second one
/// the process, with the exit code `then`.
///
/// # Errors
///
/// The system does not hand its signals over.
pub fn catch_interrupt(then: u8) -> io::Result<()> {
    let flag = Arc::<AtomicBool>::default();
    let (signal, code) = (signal_hook::consts::SIGINT, i32::from(then));
    signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&flag))?;
    signal_hook::flag::register(signal, Arc::clone(&flag))?;
    _ = INTERRUPTED.set(flag);
    Ok(())
}

/// Whether Ctrl-C is caught at all.
pub fn is_interruptible() -> bool {
    INTERRUPTED.get().is_some()
}

/// Whether somebody has ended the reading.
pub fn is_interrupted() -> bool {
    let flag = INTERRUPTED.get();
    flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
}
