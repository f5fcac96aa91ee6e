//! The cluster's side: connect, ask what the controller asks, and put the
//! answers into a [`crate::snapshot::Snapshot`].
//!
//! Nothing here writes to the cluster, and nothing here knows the algorithm.

mod connect;
mod controller_flags;
mod exec_plugin;
mod failed_request;
mod find;
mod forward;
mod gather;
mod kubeconfig;
mod no_proxy;
mod other_autoscalers;
mod paths;
mod proxy;
mod reader;
mod unreachable;
mod warning_header;

pub use connect::{ClientError, client};
pub use exec_plugin::PluginError;
pub use failed_request::FailedRequest;
pub use find::{Found, find};
pub use gather::{CollectError, collect};
pub use kubeconfig::{ConfigError, ConnectionFlags, Environment, InCluster, load};
pub use proxy::{PROXY_VARIABLES, ProxyError};
pub use reader::{Asked, Reader, Reply, Unanswered};
pub use unreachable::{ProxyFault, Unreachable};
