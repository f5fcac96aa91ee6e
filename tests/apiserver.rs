//! The API server that the other tests talk to: what it answers, how it
//! fails on purpose, and what it tells of the requests.

#[path = "support/apiserver/mod.rs"]
mod apiserver;

#[path = "apiserver/answers.rs"]
mod answers;
#[path = "apiserver/client.rs"]
mod client;
#[path = "apiserver/connections.rs"]
mod connections;
#[path = "apiserver/faults.rs"]
mod faults;
#[path = "apiserver/synthetic.rs"]
mod synthetic;
