//! Rules that no recorded answer of the real controller distinguishes, each
//! as an example read off the controller's source.

mod support;

#[path = "rules/selectors.rs"]
mod selectors;

#[path = "rules/pods.rs"]
mod pods;

#[path = "rules/metrics.rs"]
mod metrics;

#[path = "rules/passes.rs"]
mod passes;

#[path = "rules/texts.rs"]
mod texts;

#[path = "rules/old_releases.rs"]
mod old_releases;

#[path = "rules/new_releases.rs"]
mod new_releases;
