//! `simulate`: hours of load under virtual time.

mod history;
mod output;
mod paper;
mod refusals;
mod scenarios;
mod search;
