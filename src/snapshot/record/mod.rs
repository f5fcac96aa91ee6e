//! Records: the inputs of one HPA's passes over time, as JSON lines.
//!
//! The first line of a file says of which HPA it is. Then comes a line a
//! sample, which holds those parts of a [`Snapshot`](super::Snapshot) that
//! differ from what the line before left, or a line a gap, in which nothing
//! could be sampled:
//!
//! ```json
//! {"kind":"Record","apiVersion":"hpa-explain/v1","namespace":"shop","horizontalPodAutoscaler":"web",…}
//! {"t":"2026-11-20T08:23:11.123Z","full":true,"serverVersion":"v1.36.2","horizontalPodAutoscaler":{…},…}
//! {"t":"2026-11-20T08:23:16.124Z","metrics":{…}}
//! {"t":"2026-11-20T08:23:21.124Z","error":"the server is currently unable to handle the request"}
//! ```
//!
//! A file grows by whole lines, so one that was cut off anywhere is readable
//! up to its last whole line.

mod foreign;
mod parts;
mod read;
mod write;

pub use parts::RecordHeader;
pub use read::{
    Ending, Gap, RecordEntry, RecordError, RecordReader, Sample, last_sample_at, next_line,
};
pub use write::RecordWriter;

/// The `kind` of a record's first line; its `apiVersion` is that of a
/// snapshot.
pub const RECORD_KIND: &str = "Record";

/// How many seconds a sample speaks for what follows it: four passes, with the
/// default period. After that nothing is known.
pub const SAMPLE_REACH_SECONDS: i64 = 60;
