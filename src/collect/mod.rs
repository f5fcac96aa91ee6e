//! The cluster's side: connect, ask what the controller asks, and put the
//! answers into a [`crate::snapshot::Snapshot`].
//!
//! Nothing here writes to the cluster, and nothing here knows the algorithm.

mod beside;
mod cluster;
mod collect_error;
mod connect;
mod controller_flags;
mod exec_plugin;
mod failed_request;
mod find;
mod forward;
mod gather;
mod grace;
mod kubeconfig;
mod metrics;
mod namespaces;
mod neighbours;
mod no_proxy;
mod one_connection;
mod pages;
mod paths;
mod proxy;
mod reader;
mod right;
mod target;
mod unreachable;
mod warning_header;

pub use cluster::Cluster;
pub use collect_error::CollectError;
pub use connect::{ClientError, client};
pub use exec_plugin::{Audience, PluginError};
pub use failed_request::FailedRequest;
pub use find::{Found, find};
pub use gather::collect;
pub use kubeconfig::{ConfigError, ConnectionFlags, Environment, InCluster, load};
pub use namespaces::namespaces;
pub use paths::Asked;
pub use proxy::{PROXY_VARIABLES, ProxyError};
pub use reader::{Patience, Reader, Reply, Sent, Unanswered};
pub use right::Right;
pub use unreachable::{ProxyFault, Unreachable};
