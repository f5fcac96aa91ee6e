//! The real binary follows an HPA of a server whose clock runs 150 times as
//! fast, so that a sync period of 15 s takes 100 ms, or slower. Only a debug build can be
//! told of such a clock.

mod ends;
mod faults;
mod moved;
mod process;
mod record;
mod world;
