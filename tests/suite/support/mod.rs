//! What the tests share: the recorded API server, the real binary, the
//! vectors and recordings, snapshots built in the controller's terms, and
//! golden files.

pub mod apiserver;
pub mod binary;
pub mod build;
pub mod case;
pub mod flapping;
pub mod generate;
pub mod golden;
pub mod pass;
pub mod pod;
pub mod proxy;
pub mod recording;
pub mod timeline;
pub mod vectors;
