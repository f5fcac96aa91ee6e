//! The real binary follows an HPA of a server whose clock runs 150 times as
//! fast, so that a sync period of 15 s takes 100 ms.

#[path = "support/apiserver/mod.rs"]
mod apiserver;
#[path = "watch/ends.rs"]
mod ends;
#[path = "watch/faults.rs"]
mod faults;
#[path = "watch/process.rs"]
mod process;
#[path = "watch/record.rs"]
mod record;
#[path = "watch/world.rs"]
mod world;
