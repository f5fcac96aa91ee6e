//! The plugin's entry: kubectl runs this file for `kubectl hpa-explain`.

use std::alloc::System;
use std::process::ExitCode;

use cap::Cap;

/// Counts what is held, and hands every request on to the system.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

fn main() -> ExitCode {
    hpa_explain::budget::measure(|| MEMORY.allocated());
    hpa_explain::cli::main()
}
