//! How the real binary connects: whom it asks, as whom, which way, and what
//! it says when that fails. kubectl is asked too, where it is on the PATH.

use crate::support::apiserver;
mod errors;
mod files;
mod flags;
#[cfg(unix)] // the plugins are scripts
mod plugins;
mod proxies;
mod tool;

use jiff::Timestamp;

/// A cluster whose clock goes as ours, so that nothing is said of it.
fn steady() -> apiserver::Builder {
    apiserver::ApiServer::replay("steady").at(Timestamp::now())
}
