//! `simulate`: hours of load under virtual time.

mod history;
mod live;
mod output;
mod paper;
mod recorded;
mod refusals;
mod scenarios;
mod search;
mod warnings;
