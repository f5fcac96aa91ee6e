//! Projections of a trace: one file a format. Everything writes to a given
//! `Write`, with a given width; nothing here computes what the trace does not
//! hold.

mod json;
mod prediction;

pub use json::Explanation;
pub use prediction::Prediction;
