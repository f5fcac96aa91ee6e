//! The name alone, as kubectl takes it.

use std::io::{self, Write};

use super::escape;

/// Writes `horizontalpodautoscaler.autoscaling/NAME`.
///
/// # Errors
///
/// What `out` returns.
pub fn write_name(name: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "horizontalpodautoscaler.autoscaling/{}", escape(name))
}
