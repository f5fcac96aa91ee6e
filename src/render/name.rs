//! The name alone, as kubectl takes it.

use std::io::{self, Write};

use super::{Printable, escape};

/// Writes `horizontalpodautoscaler.autoscaling/NAME`.
///
/// # Errors
///
/// What `out` returns.
pub fn write_name(name: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "horizontalpodautoscaler.autoscaling/{}", escape(name))
}

/// Writes the name of each HPA of an answer.
pub(super) fn write_names(
    answer: &(impl Printable + ?Sized),
    out: &mut impl Write,
) -> io::Result<()> {
    let mut names = answer.names().into_iter();
    names.try_for_each(|name| write_name(name, out))
}
