//! Explains why a Kubernetes HorizontalPodAutoscaler runs the replicas that
//! it runs, by re-running the controller's whole algorithm.
//!
//! One value goes in, one comes out: [`controller::reconcile`] turns a
//! [`document::snapshot::Snapshot`] into a [`trace::Trace`]. Everything else gathers a
//! snapshot or projects a trace.
//!
//! # Layout
//!
//! In reading order:
//!
//! * [`budget`]: what a run may take
//! * [`document`]: what people write: from text to values, with places and suggestions
//! * [`api`]: Kubernetes' own vocabulary: objects, quantities, selectors
//! * [`document::snapshot`]: one HPA and every input of a pass, frozen; its files
//! * [`trace`]: what each stage records
//! * [`controller`]: the algorithm, pure; one file a stage
//! * [`history`]: from what the API keeps of earlier passes to what the
//!   controller must remember
//! * [`document::manifest`]: HPAs that people write, taken as the API server takes them
//! * [`findings`]: what somebody should know about a pass, or about a manifest
//! * [`flaps`]: whether the size goes up and down, or is stuck, and by which mechanism
//! * [`simulate`]: hours of passes under virtual time, against a workload
//! * [`what_if`]: what would happen under other inputs, and the whole answer to a pass
//! * [`tune`]: whether another spec pays, by the load that a history tells of
//! * [`collect`]: a snapshot from a cluster: connect, ask, put together
//! * [`render`]: a trace as text and as documents, a list of HPAs; without I/O
//! * [`cli`]: arguments in, exit code out; its commands

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod api;
pub mod budget;
pub mod cli;
pub mod collect;
pub mod controller;
pub mod document;
pub mod findings;
pub mod flaps;
pub mod history;
pub mod render;
pub mod simulate;
pub mod trace;
pub mod tune;
pub mod what_if;
