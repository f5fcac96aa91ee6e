//! The changes of an answer, each as `kubectl patch --type=merge` takes it.

use std::io::{self, Write};

use super::{Printable, Renderer, TextOptions};

/// The patch of each change of an answer.
pub(super) struct Patch;

impl Renderer for Patch {
    fn write(
        answer: &(impl Printable + ?Sized),
        _options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut patches = answer.patches().into_iter();
        patches.try_for_each(|patch| writeln!(out, "{}", patch.patch))
    }
}
