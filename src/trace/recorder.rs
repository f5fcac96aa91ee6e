//! How a stage hands over what it did.

use super::Trace;

/// What a stage records into: a full [`Trace`], or [`Nothing`].
pub trait Recorder {
    /// Whether records are kept. Work that serves only the explanation asks
    /// this first.
    const KEEPS: bool;

    /// Keeps a record. Where records are not kept, `make` is never called.
    fn record<R: Record>(&mut self, make: impl FnOnce() -> R);
}

/// Something that a stage did, which has its place in a [`Trace`].
pub trait Record {
    /// Puts the record in its place.
    fn enter(self, trace: &mut Trace);
}

/// Keeps no record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Recorder for Nothing {
    const KEEPS: bool = false;

    #[inline]
    fn record<R: Record>(&mut self, _make: impl FnOnce() -> R) {}
}

impl Recorder for Trace {
    const KEEPS: bool = true;

    fn record<R: Record>(&mut self, make: impl FnOnce() -> R) {
        make().enter(self);
    }
}
