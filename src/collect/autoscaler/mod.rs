//! The inputs of one HPA: what a pass needs, and what it is better with.

pub mod actors;
mod beside;
pub mod gather;
pub mod grace;
pub mod neighbours;

pub use gather::{collect, collect_known, look_for as autoscaler};
