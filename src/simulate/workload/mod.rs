//! What serves the load: pods with a life, and what the metrics APIs tell of
//! them.

mod fleet;
mod metrics;
mod model;
mod reading;
mod timing;
mod usage;

pub(super) use fleet::Fleet;
pub(super) use metrics::{put_samples, put_value};
pub(super) use model::SHARE;
pub use model::{Burst, Model, Spread};
pub(super) use reading::Reading;
pub use timing::{PodStart, Timing};
pub(super) use usage::{Usage, milli, rate};
