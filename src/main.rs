//! The plugin's entry: kubectl runs this file for `kubectl hpa-explain`.

use std::process::ExitCode;

use cap::Cap;

// With musl's own allocator, what holds much takes twice as long.
#[cfg(target_env = "musl")]
use mimalloc::MiMalloc as Allocator;
#[cfg(not(target_env = "musl"))]
use std::alloc::System as Allocator;

/// Counts what is held, and hands every request on to the allocator.
#[global_allocator]
static MEMORY: Cap<Allocator> = Cap::new(Allocator, usize::MAX);

fn main() -> ExitCode {
    hpa_explain::budget::measure(|| MEMORY.allocated());
    hpa_explain::cli::main()
}
