//! Passes of which the inputs are known: the same before and after.

use jiff::{SignedDuration, Timestamp};

use crate::snapshot::Snapshot;

/// Times are whole seconds of the server's clock, cut off: what was read this
/// much before a pass was read before it.
const SURE: SignedDuration = SignedDuration::from_secs(2);

/// The inputs of the latest sample, and since when they are the same.
#[derive(Default)]
pub struct Inputs {
    latest: Option<Snapshot>,
    since: Timestamp,
    /// A pass that was seen after the latest sample began.
    pass: Option<Timestamp>,
}

impl Inputs {
    /// A pass wrote the status.
    pub fn passed(&mut self, at: Timestamp) {
        self.pass = Some(at);
    }

    /// Nothing could be sampled.
    pub fn unknown(&mut self) {
        *self = Self::default();
    }

    /// A sample, and whether it began to be taken after the latest pass: that
    /// pass, if it is known to have run on just these inputs.
    pub fn sampled(&mut self, snapshot: &Snapshot, is_after_pass: bool) -> Option<Timestamp> {
        let latest = self.latest.as_ref();
        if !latest.is_some_and(|latest| are_same(latest, snapshot)) {
            self.since = snapshot.captured_at;
        }
        self.latest = Some(snapshot.clone());
        let pass = self.pass.take_if(|_| is_after_pass)?;
        (pass.duration_since(self.since) >= SURE).then_some(pass)
    }
}

/// Whether a pass would find the same.
fn are_same(one: &Snapshot, other: &Snapshot) -> bool {
    let spec = |snapshot: &Snapshot| {
        let hpa = &snapshot.horizontal_pod_autoscaler;
        (hpa.metadata.uid.clone(), hpa.spec.clone())
    };
    spec(one) == spec(other)
        && one.scale == other.scale
        && one.pods == other.pods
        && one.metrics == other.metrics
        && one.other_autoscalers == other.other_autoscalers
        && one.controller == other.controller
        && one.server_version == other.server_version
}
