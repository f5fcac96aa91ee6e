//! `simulate`: hours of load under virtual time.

mod output;
mod paper;
mod refusals;
mod scenarios;
mod search;
