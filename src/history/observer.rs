//! What was seen of earlier passes: samples of their inputs, and the
//! controller's own log.

use jiff::Timestamp;

use crate::controller::Settings;
use crate::snapshot::Snapshot;

/// What was seen of earlier passes of one HPA.
#[derive(Clone, Debug, Default)]
pub struct Observer {}

impl Observer {
    /// Takes in a sample of the inputs, taken at its `captured_at`. Samples
    /// come in the order of time. `pass_at` is the moment of a pass that is
    /// known to have run on just these inputs.
    pub fn observe(
        &mut self,
        snapshot: &Snapshot,
        settings: &Settings,
        pass_at: Option<Timestamp>,
    ) {
        _ = (self, snapshot, settings, pass_at);
    }
}
