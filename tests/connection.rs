//! How the real binary connects: whom it asks, as whom, which way, and what
//! it says when that fails. kubectl is asked too, where it is on the PATH.

#[path = "support/apiserver/mod.rs"]
mod apiserver;
#[path = "connection/errors.rs"]
mod errors;
#[path = "connection/files.rs"]
mod files;
#[path = "connection/flags.rs"]
mod flags;
#[path = "connection/plugins.rs"]
mod plugins;
#[path = "connection/proxies.rs"]
mod proxies;
#[path = "support/proxy.rs"]
mod proxy;
#[path = "connection/tool.rs"]
mod tool;

use jiff::Timestamp;

/// A cluster whose clock goes as ours, so that nothing is said of it.
fn steady() -> apiserver::Builder {
    apiserver::ApiServer::replay("steady").at(Timestamp::now())
}
