//! Rules that no recorded answer of the real controller distinguishes, each
//! as an example read off the controller's source.

mod selectors;

mod pods;

mod metrics;

mod passes;

mod texts;

mod old_releases;

mod new_releases;
