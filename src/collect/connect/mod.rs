//! Which cluster, as whom, and over what connection.

mod client;
mod exec_plugin;
mod kubeconfig;
mod only_dry_run;
mod proxy;
mod unreachable;

pub use client::{ClientError, client, config_outside_cluster};
pub use exec_plugin::{Audience, PluginError};
pub use kubeconfig::{ConfigError, ConnectionFlags, Environment, InCluster, load};
pub use proxy::PROXY_VARIABLES;
pub use unreachable::{ProxyFault, Unreachable, innermost};
