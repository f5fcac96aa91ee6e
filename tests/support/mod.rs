//! What the test programs share: snapshots built in the controller's terms,
//! and passes read in them.

#![allow(dead_code, reason = "each test program uses a part of this")]

pub mod build;
pub mod pass;
pub mod pod;
