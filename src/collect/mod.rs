//! The cluster's side: connect, ask what the controller asks, and put the
//! answers into a [`crate::snapshot::Snapshot`].
//!
//! Nothing here writes to the cluster, and nothing here knows the algorithm.

mod connect;
mod controller_flags;
mod failed_request;
mod find;
mod gather;
mod kubeconfig;
mod other_autoscalers;
mod paths;
mod reader;

pub use connect::client;
pub use failed_request::FailedRequest;
pub use find::{Found, find};
pub use gather::{CollectError, collect};
pub use kubeconfig::{ConfigError, ConnectionFlags, Environment, load};
pub use reader::{Asked, Reader, Reply, Unanswered};
