//! The inputs of one HPA: what a pass needs, and what it is better with.

pub mod gather;
pub mod neighbours;
pub mod room;
pub mod supplements;

pub use gather::{autoscaler, collect, gather};
