//! The API server that the other tests talk to: what it answers, how it
//! fails on purpose, and what it tells of the requests.

mod answers;
mod client;
mod connections;
mod faults;
mod synthetic;
