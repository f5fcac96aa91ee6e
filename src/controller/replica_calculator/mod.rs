//! From measurements to a proposed count (`replica_calculator.go`).

mod average_value;
mod computed;
mod group_pod;
mod measure;
mod per_pod;
mod tolerance;
mod usage_ratio;

pub use average_value::{average_ratio, average_value_replicas};
pub use computed::{Computed, Shown, Terms};
pub use group_pod::group_pod;
pub use measure::{Measure, Tally};
pub use per_pod::{Counted, PerPod, SetAside, group_pods, per_pod_replicas};
pub use tolerance::Tolerances;
pub use usage_ratio::{ready_pods, usage_ratio, usage_ratio_replicas};

use super::conditions::Complaint;
use super::prepared::Pod;
use super::settings::Settings;
use super::time::Nanos;
use crate::trace::FailureCause;

/// What every calculation of one pass reads.
#[derive(Clone, Copy, Debug)]
pub struct Calculation<'a> {
    pub settings: &'a Settings,
    /// The tolerances that apply.
    pub tolerances: Tolerances,
    /// The moment of the pass.
    pub now: Nanos,
    /// `scale.spec.replicas`.
    pub current: i32,
    /// `scale.status.replicas`.
    pub status_replicas: i32,
    /// The pods that the selector matches.
    pub pods: &'a [Pod<'a>],
}

/// Said wherever pods are needed and the selector matches none.
fn no_pods() -> Complaint {
    let text = "no pods returned by selector while calculating replica count";
    Complaint::new(text, FailureCause::NoPods)
}
