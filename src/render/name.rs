//! The name alone, as kubectl takes it.

use std::io::{self, Write};

use super::{Printable, Renderer, TextOptions, escape};

/// Writes `horizontalpodautoscaler.autoscaling/NAME`.
///
/// # Errors
///
/// What `out` returns.
pub fn write_name(name: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "horizontalpodautoscaler.autoscaling/{}", escape(name))
}

/// The name of each HPA of an answer.
pub(super) struct Name;

impl Renderer for Name {
    fn write(
        answer: &(impl Printable + ?Sized),
        _options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut names = answer.names().into_iter();
        names.try_for_each(|name| write_name(name, out))
    }
}
