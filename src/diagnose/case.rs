//! What a diagnosis works on.

use jiff::Timestamp;

use crate::controller::{Memory, Settings, reconcile_with};
use crate::snapshot::{ApiService, Snapshot};
use crate::trace::Trace;

/// The inputs of one pass.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The HPA and what the controller sees of the cluster.
    pub snapshot: &'a Snapshot,
    /// The release's rules and the controller's settings.
    pub settings: &'a Settings,
    /// What the controller remembers before the pass, as far as it is known.
    pub memory: &'a Memory,
    /// The moment of the pass.
    pub now: Timestamp,
}

impl Case<'_> {
    /// Who should answer for a metrics API that failed, such as
    /// `metrics.k8s.io`; absent where nobody asked, or nothing is registered.
    #[must_use]
    pub fn api_service(&self, group: &str) -> Option<&ApiService> {
        let mut services = self.snapshot.api_services.iter();
        services.find(|service| service.group() == group)
    }

    /// The same pass on altered inputs.
    #[must_use]
    pub fn on(&self, altered: &Snapshot) -> Trace {
        reconcile_with(altered, self.settings, self.memory.clone(), self.now)
    }
}
