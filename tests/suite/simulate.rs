//! `simulate`: hours of load under virtual time.

mod history;
mod live;
mod output;
mod paper;
mod refusals;
mod scenarios;
mod search;
mod warnings;
