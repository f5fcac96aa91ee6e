//! Hours of load in milliseconds: the controller's pass in a loop, under
//! virtual time, against a workload that follows.
//!
//! # Layout
//!
//! In the order in which a simulation comes about:
//!
//! * `load`: the demand of each second
//! * `workload`: the pods that serve it, and what the metrics API tells of them
//! * `controller`: the pass, with what it remembers from one to the next
//! * `run`: the seconds, one after the other
//! * `today`: what keeps the HPA from changing anything, which is left out
//! * `keep`: which passes are kept, and which are explained
//! * `score`: what came of it
//! * `compare`: the same load under several specs
//! * `edit`: a field that is set to another value
//! * `search`: many behaviors, and those of them that nothing beats
//! * `reaction`: how long a doubled load waits for its pods
//! * `scenario`: the same against a workload without inertia, from a file
//!
//! Every pass is [`reconcile_autoscaler`](crate::controller::reconcile_autoscaler)
//! on prepared inputs, without recording but for those that a page opens. Nothing here
//! knows a rule of it.

mod compare;
mod keep;
pub mod load;
mod reaction;
mod run;
mod scenario;
mod score;
mod search;
mod workload;

pub use compare::{
    CompareError, MetricLoad, Subject, bare, common_request, is_called, is_share, metric_label,
    metric_name, spread, target_of_a_pod, usual,
};
pub use keep::{Keep, opened};
pub use reaction::delay;
pub use run::{Driven, Plan, SimulateError, run};
pub use scenario::{Scenario, idle_today, is_paused, read_scenarios, template};
pub use score::{Capacity, whole_pods};
pub use search::{Edit, search};
pub use workload::{Burst, Model, PodStart, Spread, Workload};
