//! The cluster's side: connect, ask what the controller asks, and put the
//! answers into a [`crate::snapshot::Snapshot`].
//!
//! Nothing here writes to the cluster, and nothing here knows the algorithm.

mod beside;
mod cluster;
mod collect_error;
mod connect;
mod controller_flags;
mod failed_request;
mod find;
mod gather;
mod grace;
mod items;
mod metrics;
mod namespaces;
mod neighbours;
mod pages;
mod paths;
mod reader;
mod right;
mod survey;
mod target;
mod warning_header;

pub use cluster::Cluster;
pub use collect_error::CollectError;
pub use connect::{
    Audience, ClientError, ConfigError, ConnectionFlags, Environment, InCluster, PROXY_VARIABLES,
    PluginError, ProxyError, ProxyFault, Unreachable, client, load,
};
pub use failed_request::FailedRequest;
pub use find::{Found, find};
pub use gather::collect;
pub use namespaces::namespaces;
pub use paths::Asked;
pub use reader::{Patience, Reader, Reply, Sent, Unanswered};
pub use right::Right;
pub use survey::{Scope, Survey, Unusable, survey};
