//! The name alone, as kubectl takes it.

use std::io::{self, Write};

use super::{Printable, Renderer, TextOptions, escape};

/// The name of each HPA of an answer, as `horizontalpodautoscaler.autoscaling/NAME`.
pub(super) struct Name;

impl Renderer for Name {
    fn write(
        answer: &(impl Printable + ?Sized),
        _options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut names = answer.names().into_iter();
        names.try_for_each(|it| writeln!(out, "horizontalpodautoscaler.autoscaling/{}", escape(it)))
    }
}
